"""The few combinations of options that tests try leave no pair of values out."""

from __future__ import annotations

from itertools import combinations

import pytest

from tests.support.option_pairs import EVERY_OPTION, every_pair

OPTIONS = ((2, 3, 4, 5), ("a", "b", "c"), (False, True), (0, 1))


def test_every_pair_of_values_of_two_options_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(EVERY_OPTION, raising=False)
    chosen = every_pair(*OPTIONS)
    assert len(chosen) < 20
    for first, second in combinations(range(len(OPTIONS)), 2):
        tried = {(combination[first], combination[second]) for combination in chosen}
        assert len(tried) == len(OPTIONS[first]) * len(OPTIONS[second])


def test_the_slow_command_tries_the_whole_product(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EVERY_OPTION, "1")
    assert len(set(every_pair(*OPTIONS))) == 4 * 3 * 2 * 2
