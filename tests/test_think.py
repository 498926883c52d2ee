"""What players thought, as records carry it: written small, read back, and checked."""

from __future__ import annotations

from typing import Any

import pytest

from speicher_env import Game, RecordError, check_record
from speicher_env.thoughts import Thought, thoughts

pytestmark = pytest.mark.nojit


def record_with(*entries: Any) -> dict[str, Any]:
    game = Game(2, seed=7)
    for action in ("place 2", "place 0"):
        game.play(action)
    return {**game.to_record(), "think": list(entries)}


THOUGHT = Thought({"place 0": 0.25, "place 2": 0.75}, [0.5, -0.5], ["place 2", "place 1"], "mcts:50")
GOOD = THOUGHT.entry("mcts:50")


def test_an_entry_is_rounded_and_leaves_out_what_says_nothing() -> None:
    assert Thought({"buy": 1 / 3, "pass": 0.0}, [1, -1 / 3], []).entry("p") == {
        "player": "p", "probabilities": {"buy": 0.3333}, "values": [1.0, -0.3333],
    }  # fmt: skip
    assert Thought().entry("p") == {"player": "p"}


def test_thoughts_come_back_move_by_move() -> None:
    record = record_with(GOOD, None)
    assert check_record(record) == []
    assert thoughts(record) == [THOUGHT, None]
    assert thoughts(record_with({"player": "p", "of their own": 3}, None))[0] == Thought(player="p")
    del record["think"]
    assert thoughts(record) == [None, None] and check_record(record) == []


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ([GOOD], "think has 1 entries: must be 2, one for each move"),
        ([GOOD, 3], "think[1]=3: must be a table or null"),
        ([{}, None], "think[0]: player is missing: must be the spec of a player"),
        ([{**GOOD, "probabilities": [1]}, None], "think[0]: probabilities=a list of 1: must be a table"),
        (
            [{**GOOD, "probabilities": {"fly": 1}}, None],
            'probabilities: action="fly": must be the text of an action',
        ),
        ([{**GOOD, "probabilities": {"buy": 1.5}}, None], "think[0].probabilities: buy=1.5: must be a number 0..1"),
        ([{**GOOD, "probabilities": {"buy": True}}, None], "think[0].probabilities: buy=true: must be a number 0..1"),
        ([{**GOOD, "values": [1]}, None], "think[0]: values=a list of 1: must be 2 numbers -1..1"),
        ([{**GOOD, "values": [1, -2]}, None], "think[0]: values=a list of 2: must be 2 numbers -1..1"),
        ([{**GOOD, "line": ["fly"]}, None], "think[0]: line=a list of 1: must be a list of action texts"),
        ([{**GOOD, "line": "buy"}, None], 'think[0]: line="buy": must be a list of action texts'),
    ],
)
def test_a_wrong_entry_is_told(entries: list[Any], told: str) -> None:
    record = record_with(*entries)
    faults = check_record(record)
    assert len(faults) == 1 and told in faults[0]
    with pytest.raises(RecordError):
        thoughts(record)


def test_thoughts_that_are_no_list_are_told() -> None:
    for moves in (3, None, {}, "pass"):
        with pytest.raises(RecordError, match=r"moves=.*: must be a list of moves"):
            thoughts({**record_with(GOOD), "moves": moves})
    for missing in ("moves", "players"):
        record = record_with(GOOD, None)
        del record[missing]
        with pytest.raises(RecordError, match=r"moves is missing|values=|think"):
            thoughts(record)
    assert check_record({**record_with(), "think": "deep"}) == [
        'think="deep": must be a list with an entry for each move.'
    ]
