"""Golden games: a change of any rule shows in the text of a whole game."""

from __future__ import annotations

from difflib import unified_diff
from itertools import islice

import pytest

from tests.support.playthrough import FOLDER, GAMES, GoldenGame, text_of

pytestmark = pytest.mark.nojit

SHOWN = 40
"""Lines of a difference that are shown: the first one tells which rule moved, the rest follows from it."""


@pytest.mark.parametrize("golden", GAMES, ids=[golden.path.stem for golden in GAMES])
def test_a_golden_game_is_played_as_it_was_written(golden: GoldenGame) -> None:
    written = golden.path.read_text(encoding="utf-8").splitlines()
    played = text_of(golden).splitlines()
    if played != written:
        difference = unified_diff(written, played, "written", "played", lineterm="", n=4)
        pytest.fail(
            "\n".join(islice(difference, SHOWN))
            + "\nIf the change is meant: python -m tests.support.write_golden, and read the whole difference."
        )


def test_there_is_a_golden_game_for_every_number_of_players_and_kind_of_deck() -> None:
    assert {golden.players for golden in GAMES if golden.deck == "standard"} == {2, 3, 4, 5}
    assert "sampled" in {golden.deck for golden in GAMES}
    assert {path.name for path in FOLDER.glob("*.txt")} == {golden.path.name for golden in GAMES}


def test_golden_games_play_every_kind_of_action() -> None:
    text = "\n".join(golden.path.read_text(encoding="utf-8") for golden in GAMES)
    for verb in ("PLACE", "BUY", "PASS", "DELIVER", "SELL", "CONVERT", "TRADE", "DISCARD", "END"):
        assert f": {verb} " in text, f"no golden game plays {verb.lower()}"
    for event in ("fire_1 pile > discarded", "fire_4 pile > discarded", "contract points 0 > "):
        assert event in " ".join(text.split()), f"no golden game shows {event}"
