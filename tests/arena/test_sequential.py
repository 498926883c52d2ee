"""Playing until it is decided: wrong decisions are as rare as stated, and runs stop where they should."""

from __future__ import annotations

import numpy as np
import pytest

from speicher_env.errors import ArgumentError
from speicher_training.arena import arena
from speicher_training.arena.sequential import decide, fortunes, pairs_of
from tests.support.toys import Loser

RUNS = 400


def verdicts(shift: float, deals: int, seed: int) -> list[str]:
    """Runs of scores of two games a deal, each won with one half plus the shift."""
    random = np.random.default_rng(seed)
    scores = (random.random((RUNS, deals, 2)) < 0.5 + shift).mean(axis=2)
    return [decide(run, alpha=0.1, indifference=0.05)[0] for run in scores]


def test_equals_are_seldom_told_apart_however_long_one_looks() -> None:
    told = verdicts(0.0, 2000, 1)
    wrong = sum(verdict in ("first", "second") for verdict in told)
    assert wrong <= 0.1 * RUNS  # the bound; in fact it is about a third of it
    assert sum(verdict == "equal" for verdict in told) > 0.9 * RUNS


@pytest.mark.parametrize("sign", [1, -1])
def test_a_difference_is_found_and_seldom_the_wrong_way(sign: int) -> None:
    told = verdicts(sign * 0.08, 2000, 2)
    right, wrong = ("first", "second") if sign > 0 else ("second", "first")
    assert sum(verdict == right for verdict in told) > 0.95 * RUNS
    assert sum(verdict in (wrong, "equal") for verdict in told) <= 0.1 * RUNS


def test_a_fortune_does_not_grow_on_average_while_the_claim_is_true() -> None:
    random = np.random.default_rng(5)
    last = [np.exp(fortunes((random.random((60, 2)) < 0.5).mean(axis=1), 0.5)[-1]) for _ in range(4000)]
    assert np.mean(last) < 1 + 4 * np.std(last) / np.sqrt(len(last))


def test_what_comes_later_does_not_change_a_decision() -> None:
    random = np.random.default_rng(3)
    scores = (random.random((400, 2)) < 0.7).mean(axis=1)
    verdict, deal = decide(scores, 0.05, 0.02)
    assert verdict == "first" and deal is not None
    assert decide(scores[:deal], 0.05, 0.02) == (verdict, deal)
    assert decide(scores[: deal - 1], 0.05, 0.02) == ("open", None)


def test_with_a_panel_only_pairs_with_a_candidate_are_decided() -> None:
    assert pairs_of(["a", "b", "c"], ["c"]) == [(0, 2), (1, 2)]
    assert len(pairs_of(["a", "b", "c"], [])) == 3


def test_a_run_stops_once_it_is_decided() -> None:
    results = arena({"random": "random", "loser": Loser()}, until_decided=True, lanes=16, seed=1, mirrors=False)
    told = results.summary["sequential"]["pairs"]
    assert [pair["verdict"] for pair in told] == ["first"]
    assert results.complete and told[0]["deal"] <= results.games.deals <= told[0]["deal"] + 8
    assert f"random is better, decided after {told[0]['deal']} deals" in str(results)


def test_equals_are_declared_equal_or_the_cap_ends_it() -> None:
    results = arena(["random", "random"], until_decided=True, seed=1, mirrors=False)
    assert [pair["verdict"] for pair in results.summary["sequential"]["pairs"]] == ["equal"]
    results = arena(["random", "random"], until_decided=True, deals=5, seed=1, mirrors=False)
    assert [pair["verdict"] for pair in results.summary["sequential"]["pairs"]] == ["open"]
    assert results.complete and "not decided in 5 deals" in str(results)


@pytest.mark.parametrize(("name", "value"), [("alpha", 0.0), ("alpha", 1.5), ("indifference", 0.5)])
def test_error_rates_that_are_none_are_refused(name: str, value: float) -> None:
    with pytest.raises(ArgumentError, match=f"{name}={value}: must be a number between 0 and"):
        arena(["random", "random"], until_decided=True, **{name: value})
