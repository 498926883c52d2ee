"""`speicher players`, and the weights of the merchant."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

from speicher_agents import describe_players
from speicher_agents._jit import WEIGHTS_FILE
from speicher_agents.scripted.merchant.weights import TUNED, WEIGHTS, start_set
from speicher_apps.cli import main
from tests.support.positions import JIT

compiled_only = pytest.mark.skipif(not JIT, reason="plays too many games for plain Python")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    told = capsys.readouterr()
    return int(ended.value.code or 0), told.out, told.err


def test_players_lists_every_player_with_its_idea(capsys):
    code, out, _ = run(capsys, "players")
    assert code == 0
    words = " ".join(out.split())
    for kind in describe_players():
        assert kind.name in out
        assert kind.idea.split()[0] in words
        for parameter in kind.parameters:
            assert f"{kind.name}: {parameter.name} is" in words


def test_the_weights_in_use_are_those_of_the_file():
    written = tomllib.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    for players in (2, 3, 4, 5):
        named = written[f"{players}_players"]
        assert list(named) == [weight.name for weight in WEIGHTS]
        assert np.array_equal(TUNED[players], list(named.values()))
        assert not np.array_equal(TUNED[players], start_set())
        assert written["tuned"][f"{players}_players"]


def test_every_weight_is_explained_and_within_its_range():
    assert len({weight.name for weight in WEIGHTS}) == len(WEIGHTS)
    for weight in WEIGHTS:
        assert weight.meaning
        assert weight.low <= weight.start <= weight.high
    for players in (2, 3, 4, 5):
        for weight, value in zip(WEIGHTS, TUNED[players], strict=True):
            assert weight.low <= value <= weight.high, weight.name
