"""Whatever is wrong with an argument or a snapshot, one clear sentence says what was found and what would be right."""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np
import pytest

from speicher_env import ArgumentError, DeckError, Game, StateError, UnknownAction
from speicher_env.arguments import check_choice
from speicher_env.rules.state import N_STATE_BYTES, STATE, VERSION
from speicher_env.snapshot import SNAPSHOT_VERSION
from tests.support.games import random_game

pytestmark = pytest.mark.nojit

GAME = random_game(3, seed=1, decisions=20)
SNAPSHOT = GAME.get_state()

ARGUMENTS: dict[str, tuple[dict[str, object], type[ValueError], str]] = {
    "one player": ({"num_players": 1}, ArgumentError, "num_players=1: must be 2, 3, 4 or 5."),
    "six players": ({"num_players": 6}, ArgumentError, "num_players=6: must be 2, 3, 4 or 5."),
    "NumPy's six players": ({"num_players": np.int64(6)}, ArgumentError, "num_players=6: must be"),
    "players as text": ({"num_players": "2"}, ArgumentError, 'num_players="2": must be'),
    "players as float": ({"num_players": 2.0}, ArgumentError, "num_players=2.0: must be"),
    "players as truth": ({"num_players": True}, ArgumentError, "num_players=true: must be"),
    "no players": ({"num_players": None}, ArgumentError, "num_players=None: must be"),
    "players as list": ({"num_players": [2, 3]}, ArgumentError, "num_players=a list of 2: must be"),
    "players as array": ({"num_players": np.array([2])}, ArgumentError, "num_players=an array of int64 with"),
    "a negative seed": ({"seed": -1}, ArgumentError, "seed=-1: must be a whole number 0..2**64-1"),
    "a seed too large": ({"seed": 2**64}, ArgumentError, "seed=18446744073709551616: must be"),
    "a seed as float": ({"seed": 1.0}, ArgumentError, "seed=1.0: must be"),
    "a seed as truth": ({"seed": np.True_}, ArgumentError, "seed=a value of type bool: must be"),
    "a seed as text": ({"seed": "7"}, ArgumentError, 'seed="7": must be'),
    "a first player too high": (
        {"first_player": 2},
        ArgumentError,
        "first_player=2: must be a seat 0..1, or None",
    ),
    "a first player below 0": ({"first_player": -1}, ArgumentError, "first_player=-1: must be a seat 0..1"),
    "a first player as text": ({"first_player": "0"}, ArgumentError, 'first_player="0": must be a seat'),
    "a first player as truth": ({"first_player": False}, ArgumentError, "first_player=false: must be a seat"),
    "a misspelt deck": ({"deck": "standart"}, DeckError, 'deck="standart": must be "standard"'),
    "a deck as number": ({"deck": 3}, DeckError, "deck=3: must be"),
    "no deck": ({"deck": None}, DeckError, "deck=None: must be"),
}


@pytest.mark.parametrize("fault", ARGUMENTS)
def test_a_wrong_argument_of_a_game(fault: str) -> None:
    arguments, error, words = ARGUMENTS[fault]
    with pytest.raises(error) as caught:
        Game(**arguments)  # type: ignore[arg-type]
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "1", None, True])
def test_a_wrong_seed_of_a_redeal(seed: object) -> None:
    with pytest.raises(ArgumentError, match=r"seed=.*: must be a whole number"):
        GAME.redealt(seed)  # type: ignore[arg-type]


ACTIONS: dict[str, tuple[object, str]] = {
    "a misspelt text": ("place1", 'action="place1": must be the text of an action, did you mean "place 1"?'),
    "an unknown text": ("xyzzy", 'action="xyzzy": must be the text of an action that begins with place, buy, '),
    "an empty text": ("", 'action="": must be the text of an action'),
    "a number too high": (184, "action=184: must be an id 0..183."),
    "a long text": ("x" * 5000, f'action="{"x" * 48}..."'),
    "a number of 5,000 digits": (10**5000, "action=a number of more than 48 digits"),
    "a long list": ([0] * 5000, "action=a list of 5000"),
    "a negative number": (-1, "action=-1: must be an id 0..183."),
    "a float": (1.0, "action=1.0: must be the text of an action or an id 0..183."),
    "a truth value": (True, "action=true: must be the text of an action or an id"),
    "nothing": (None, "action=None: must be the text of an action or an id"),
}


@pytest.mark.parametrize("fault", ACTIONS)
def test_an_unknown_action(fault: str) -> None:
    action, words = ACTIONS[fault]
    with pytest.raises(UnknownAction) as caught:
        GAME.copy().play(action)  # type: ignore[arg-type]
    assert words in str(caught.value) and len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("outcom", 'reward="outcom": must be outcome, rank or None, did you mean "outcome"?'),
        (3, "reward=3: must be outcome, rank or None."),
        (["rank"], "reward=a list of 1: must be outcome, rank or None."),
        (np.array(["rank", "outcome"]), "reward=an array of <U7 with shape (2,): must be outcome, rank or None."),
    ],
)
def test_a_choice_that_is_not_offered(value: object, words: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        check_choice("reward", value, ("outcome", "rank", None))
    assert words in str(caught.value)
    assert check_choice("reward", "rank", ("outcome", "rank", None)) == "rank"
    assert check_choice("reward", None, ("outcome", "rank", None)) is None
    with pytest.raises(ArgumentError, match=r"must be outcome\.$"):
        check_choice("reward", None, ("outcome",))


# Where the parts of a snapshot's header lie.
SNAPSHOT_VERSION_AT, STATE_VERSION_AT, STATE_SIZE_AT, MOVES_AT, NAME_AT = 8, 10, 12, 14, 18
HEADER = 20


def with_number(offset: int, form: str, number: int) -> Callable[[bytearray], None]:
    def edit(data: bytearray) -> None:
        struct.pack_into(form, data, offset, number)

    return edit


def move_of_nobody(data: bytearray) -> None:
    data[HEADER + N_STATE_BYTES] = 183


def another_move(data: bytearray) -> None:
    data[HEADER + N_STATE_BYTES] = (data[HEADER + N_STATE_BYTES] + 1) % 4


def less_coins(data: bytearray) -> None:
    struct.pack_into("<h", data, HEADER + int(STATE.fields["coins"][1]), -3)


SNAPSHOTS: dict[str, tuple[Callable[[bytearray], object], str]] = {
    "nothing": (lambda data: data.clear(), "the 0 bytes are not a snapshot of a game"),
    "other bytes": (lambda data: data.insert(0, 0), "bytes are not a snapshot of a game: they must begin with"),
    "half a header": (lambda data: data.__delitem__(slice(12, None)), "the snapshot is truncated: it has 12 bytes"),
    "a byte less": (lambda data: data.pop(), f"it has {len(SNAPSHOT) - 1} bytes, its header says {len(SNAPSHOT)}"),
    "a byte more": (lambda data: data.append(0), f"it has {len(SNAPSHOT) + 1} bytes, its header says {len(SNAPSHOT)}"),
    "another snapshot version": (
        with_number(SNAPSHOT_VERSION_AT, "<H", 9),
        f"the snapshot has version 9.{VERSION} with a state of {N_STATE_BYTES} bytes; "
        f"this software reads version {SNAPSHOT_VERSION}.{VERSION} with",
    ),
    "another state version": (with_number(STATE_VERSION_AT, "<H", 9), f"has version {SNAPSHOT_VERSION}.9 "),
    "another size of the state": (
        with_number(STATE_SIZE_AT, "<H", 400),
        "with a state of 400 bytes; this software reads",
    ),
    "more moves than there are": (with_number(MOVES_AT, "<i", 1000), "the snapshot is truncated or damaged"),
    "a negative number of moves": (with_number(MOVES_AT, "<i", -2), "the snapshot is truncated or damaged"),
    "a longer name": (with_number(NAME_AT, "<H", 100), "the snapshot is truncated or damaged"),
    "a name in no alphabet": (lambda data: data.__setitem__(-1, 0xFF), "the deck's name at its end must be UTF-8"),
    "a blank name": (lambda data: data.__setitem__(slice(-8, None), b" " * 8), "not that of the deck"),
    "an impossible state": (less_coins, "no game can be in this state: coins=-3: must be 0"),
    "an illegal move": (move_of_nobody, "after 0 of its moves the next one is not legal"),
    "another move": (another_move, "the snapshot is damaged: "),
}


@pytest.mark.parametrize("fault", SNAPSHOTS)
def test_a_damaged_snapshot(fault: str) -> None:
    edit, words = SNAPSHOTS[fault]
    data = bytearray(SNAPSHOT)
    edit(data)
    with pytest.raises(StateError) as caught:
        Game.from_state(bytes(data))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (None, "state=None: must be the bytes of get_state() or one record of dtype STATE"),
        ("text", 'state="text": must be the bytes of get_state()'),
        ({}, "state=a table: must be the bytes of get_state()"),
        (
            np.zeros(2, dtype=STATE),
            "state is an array of shape (2,) with 480 bytes an entry: must be the bytes of get_state() or one record",
        ),
        (
            np.zeros(480, dtype=np.uint8),
            "state is an array of shape (480,) with 1 bytes an entry: must be the bytes of get_state() or one record",
        ),
        (np.zeros(1, dtype=STATE), "no game can be in this state: "),
    ],
    ids=["nothing", "text", "a table", "two records", "raw bytes", "a blank record"],
)
def test_a_state_that_is_none(state: object, words: str) -> None:
    with pytest.raises(StateError) as caught:
        Game.from_state(state)  # type: ignore[arg-type]
    assert words in str(caught.value)
