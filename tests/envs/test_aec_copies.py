"""Copies play on equally wherever they are taken, and `reset` resumes any game it is given."""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, BaseWrapper, TerminateIllegalWrapper

from speicher_env import ArgumentError, Game, RecordError, StateError, speicherstadt_v0
from tests.support.aec_play import (
    MAKERS,
    assert_alike_to_the_end,
    every_form,
    game_over,
    legal_ids,
    play,
    played,
    seen_by_all,
)
from tests.support.games import OWN_DECK, PLAYER_COUNTS, random_game
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit


def by_snapshot(env: AECEnv) -> AECEnv:
    """A new environment with the same options, set to the snapshot."""
    raw = env.unwrapped
    other = type(env) is not type(raw)
    make = MAKERS["env" if other else "raw_env"]
    fresh: AECEnv = make(raw.num_players, raw.deck, raw.reward, raw.padded, raw.render_mode)
    fresh.set_state(env.get_state())
    return fresh


COPIES: dict[str, Callable[[AECEnv], AECEnv]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "old pickle": lambda env: pickle.loads(pickle.dumps(env, protocol=2)),
    "snapshot": by_snapshot,
}
every_copy = pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)


TABLES: list[tuple[int, Any, str, bool]] = [
    (2, "standard", "outcome", True),
    (3, "sampled", "rank", False),
    (4, OWN_DECK, "margin", True),
    (5, "sampled", "outcome", False),
]


@every_copy
@every_form
@pytest.mark.parametrize(("players", "deck", "reward", "padded"), few_or_many(TABLES[1:2], TABLES))
def test_a_copy_taken_in_mid_game_goes_on_to_the_same_end_with_the_same_observations(
    players: int, deck: Any, reward: str, padded: bool, make: Any, copied: Callable[[AECEnv], AECEnv]
) -> None:
    for decisions in few_or_many((120,), (0, 17, 110)):
        env = played(make(players, deck, reward, padded), players, decisions=decisions)
        twin = copied(env)
        assert type(twin) is type(env)
        assert twin.unwrapped.game == env.unwrapped.game
        assert twin.unwrapped.game.move_ids == env.unwrapped.game.move_ids
        assert_alike_to_the_end(env, twin, random.Random(7))
        env.reset()
        twin.reset()
        assert twin.unwrapped.game == env.unwrapped.game


@every_copy
@every_form
def test_playing_a_copy_does_not_move_the_game_it_was_taken_from(make: Any, copied: Callable[[AECEnv], AECEnv]) -> None:
    env = played(make(3), 2, decisions=50)
    twin, before = copied(env), seen_by_all(env)
    play(twin, random.Random(3))
    twin.step(None)
    assert seen_by_all(env) == before
    play(env, random.Random(4), decisions=1)
    assert not game_over(env)


@every_form
@pytest.mark.parametrize("name", ["deepcopy", "pickle"])
def test_a_copy_taken_while_finished_agents_leave_goes_on_alike(name: str, make: Any) -> None:
    env = played(make(3), 2)
    while env.agents:
        assert_alike_to_the_end(COPIES[name](env), COPIES[name](env), random.Random(1))
        assert seen_by_all(COPIES[name](env)) == seen_by_all(env)
        env.step(None)
    twin = COPIES[name](env)
    assert twin.agents == []
    twin.reset(seed=3)


@every_form
@pytest.mark.parametrize("name", ["deepcopy", "pickle"])
def test_an_environment_can_be_copied_before_its_first_game(name: str, make: Any) -> None:
    env = COPIES[name](make(4, "sampled", "rank", True, "ansi"))
    other = make(4, "sampled", "rank", True, "ansi")
    env.reset(seed=1)
    other.reset(seed=1)
    assert seen_by_all(env) == seen_by_all(other)
    assert (env.unwrapped.reward, env.unwrapped.padded, env.render_mode) == ("rank", True, "ansi")


@pytest.mark.parametrize("name", ["deepcopy", "pickle"])
def test_copies_go_through_pettingzoos_other_wrappers_too(name: str) -> None:
    def wrapped() -> AECEnv:
        env: AECEnv = speicherstadt_v0.raw_env(2)
        return BaseWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(env, illegal_reward=-1)))

    env = played(wrapped(), 3, decisions=40)
    assert_alike_to_the_end(env, COPIES[name](env), random.Random(4))


@pytest.mark.parametrize("name", ["deepcopy", "pickle"])
def test_a_copied_action_space_goes_on_sampling_alike(name: str) -> None:
    env = speicherstadt_v0.env()
    env.reset(seed=1)
    env.action_space("player_0").seed(5)
    twin = COPIES[name](env)
    draws = [[copied.action_space("player_0").sample() for _ in range(20)] for copied in (env, twin)]
    assert draws[0] == draws[1]


def test_two_environments_share_nothing() -> None:
    first, other = speicherstadt_v0.env(3), speicherstadt_v0.env(3)
    first.reset(seed=1)
    other.reset(seed=1)
    before = seen_by_all(other)
    play(first, random.Random(1))
    first.action_space("player_0").seed(1)
    assert seen_by_all(other) == before


# get_state and set_state


@every_form
def test_going_back_to_a_snapshot_replays_the_rest(make: Any) -> None:
    env = played(make(3), 8, decisions=45)
    snapshot, before = env.get_state(), seen_by_all(env)
    for _ in range(2):
        play(env, random.Random(9))
        end = seen_by_all(env)
        env.step(None)
        env.set_state(snapshot)
        assert seen_by_all(env) == before
    play(env, random.Random(9))
    assert seen_by_all(env) == end


@every_form
def test_a_snapshot_can_be_set_before_any_reset(make: Any) -> None:
    game = random_game(2, seed=3, decisions=20)
    env = make(2)
    env.set_state(game.get_state())
    assert env.unwrapped.game == game
    play(env, random.Random(1))
    assert game_over(env)


@every_form
def test_a_finished_game_can_be_set_and_pays_all_agents(make: Any) -> None:
    env = played(make(2), 5)
    snapshot, before = env.get_state(), seen_by_all(env)
    fresh = make(2)
    fresh.set_state(snapshot)
    assert seen_by_all(fresh) == before
    assert fresh.last()[1:4] == (env.rewards["player_0"], True, False)


@every_form
def test_a_snapshot_that_does_not_fit_is_refused_and_the_game_stays(make: Any) -> None:
    env = make(2)
    env.reset(seed=5)
    before = seen_by_all(env)
    with pytest.raises(ArgumentError, match=r"^options: players=3: must be 2, as in this environment\.$"):
        env.set_state(Game(3, seed=1).get_state())
    with pytest.raises(StateError, match="truncated or damaged"):
        env.set_state(Game(2, seed=1).get_state()[:-1])
    assert seen_by_all(env) == before


# The options of reset


@every_form
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_the_first_player_can_be_named(players: int, make: Any) -> None:
    env = make(players)
    for seat in range(players):
        env.reset(seed=4, options={"first_player": seat})
        assert env.agent_selection == f"player_{seat}"
        assert env.unwrapped.game == Game(players, seed=4, first_player=seat)
    env.reset(seed=4, options={"first_player": None})
    assert env.unwrapped.game == Game(players, seed=4)


@every_form
@pytest.mark.parametrize("form", ["snapshot", "record of NumPy", "array of one"])
def test_reset_goes_on_from_a_state_in_any_form(form: str, make: Any) -> None:
    game = random_game(3, seed=6, deck="sampled", decisions=70)
    state: Any = {"snapshot": game.get_state(), "record of NumPy": game.state, "array of one": game.states_view}[form]
    env = make(3)
    env.reset(options={"state": state})
    assert env.unwrapped.game == game
    assert env.agent_selection == f"player_{game.player}"
    assert env.unwrapped.game.move_ids == (game.move_ids if form == "snapshot" else None)
    play(env, random.Random(1), decisions=3)
    assert game == random_game(3, seed=6, deck="sampled", decisions=70), "the state that was given must stay as it was"


@every_form
def test_reset_lays_out_the_deal_of_a_record_and_plays_its_moves_up_to_the_one_named(make: Any) -> None:
    game = random_game(3, seed=6, deck=OWN_DECK)
    record = json.loads(json.dumps(game.to_record(legal=True)))
    moves = game.move_ids
    assert moves is not None
    env = make(3)
    env.reset(options={"record": record})
    assert env.unwrapped.game == Game(3, OWN_DECK, 6)
    for move in few_or_many((0, np.int64(40), len(moves)), tuple(range(0, len(moves) + 1, 5))):
        env.reset(options={"record": record, "move": move})
        expected = Game(3, OWN_DECK, 6)
        for action in moves[:move]:
            expected.play(action)
        assert env.unwrapped.game == expected
        assert env.unwrapped.game.move_ids == moves[:move]
        assert game_over(env) == (move == len(moves))
    env.reset(options={"record": record, "move": len(moves)})
    assert env.unwrapped.outcome().points_total == record["result"]["points"]


def test_options_that_no_environment_knows_are_let_pass() -> None:
    env, other = speicherstadt_v0.env(), speicherstadt_v0.env()
    env.reset(seed=1, options={"options": 1})
    other.reset(seed=1, options={})
    assert env.unwrapped.game == other.unwrapped.game


GAME = random_game(2, seed=1, decisions=10)
RECORD = GAME.to_record()
OF_THREE = random_game(3, seed=1, decisions=10)
TOGETHER = "must be only one of first_player, state and record."
BAD_OPTIONS: dict[str, tuple[Any, type[ValueError], str]] = {
    "a list": ([("first_player", 1)], ArgumentError, "options=a list of 1: must be a dict or None."),
    "a text": ("state", ArgumentError, 'options="state": must be a dict or None.'),
    "a slip of the pen": (
        {"first_palyer": 1},
        ArgumentError,
        'options: option="first_palyer": must be first_player, state, record or move, did you mean "first_player"?',
    ),
    "another slip": (
        {"moves": 1},
        ArgumentError,
        'option="moves": must be first_player, state, record or move, did you mean "move"?',
    ),
    "a seat too high": ({"first_player": 2}, ArgumentError, "first_player=2: must be a seat 0..1, or None"),
    "a seat as agent": ({"first_player": "player_1"}, ArgumentError, 'first_player="player_1": must be a seat'),
    "state and record": ({"state": GAME.get_state(), "record": RECORD}, ArgumentError, TOGETHER),
    "state and first player": ({"state": GAME.get_state(), "first_player": 0}, ArgumentError, TOGETHER),
    "record and first player": ({"record": RECORD, "first_player": 0}, ArgumentError, TOGETHER),
    "a move alone": ({"move": 3}, ArgumentError, 'options: "move" counts the moves of a "record" and needs one.'),
    "a move of a state": (
        {"state": GAME.get_state(), "move": 3},
        ArgumentError,
        '"move" counts the moves of a "record" and needs one.',
    ),
    "a move too far": (
        {"record": RECORD, "move": 11},
        ArgumentError,
        "options: move=11: must be a whole number 0..10.",
    ),
    "a move below 0": (
        {"record": RECORD, "move": -1},
        ArgumentError,
        "options: move=-1: must be a whole number 0..10.",
    ),
    "a move as float": ({"record": RECORD, "move": 2.0}, ArgumentError, "move=2.0: must be a whole number"),
    "a move as truth": ({"record": RECORD, "move": True}, ArgumentError, "move=true: must be a whole number"),
    "no move": ({"record": RECORD, "move": None}, ArgumentError, "move=None: must be a whole number"),
    "no state": ({"state": None}, StateError, "state=None: must be the bytes of get_state() or one record"),
    "a state of text": ({"state": "SPEICHER"}, StateError, 'state="SPEICHER": must be the bytes of get_state()'),
    "other bytes": ({"state": b"nothing"}, StateError, "the 7 bytes are not a snapshot of a game"),
    "half a snapshot": ({"state": GAME.get_state()[:100]}, StateError, "truncated"),
    "a state of three": (
        {"state": OF_THREE.get_state()},
        ArgumentError,
        "players=3: must be 2, as in this environment.",
    ),
    "a record of three": (
        {"record": OF_THREE.to_record()},
        ArgumentError,
        "players=3: must be 2, as in this environment.",
    ),
    "no record": ({"record": None}, RecordError, "record"),
    "a record of another format": ({"record": {**RECORD, "format": "chess/1"}}, RecordError, "chess/1"),
    "a record cut short": ({"record": {**RECORD, "bag": RECORD["bag"][:-1]}}, RecordError, "bag"),
}


@every_form
@pytest.mark.parametrize("fault", BAD_OPTIONS)
def test_bad_options_are_refused_in_one_sentence_and_the_game_goes_on(fault: str, make: Any) -> None:
    options, error, words = BAD_OPTIONS[fault]
    env = played(make(2), 3, decisions=12)
    before = seen_by_all(env)
    with pytest.raises(error) as caught:
        env.reset(seed=4, options=options)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert seen_by_all(env) == before
    env.step(legal_ids(env)[0])


ARGUMENTS: dict[str, tuple[dict[str, Any], str]] = {
    "one player": ({"num_players": 1}, "num_players=1: must be 2, 3, 4 or 5"),
    "six players": ({"num_players": 6}, "num_players=6: must be 2, 3, 4 or 5"),
    "players as text": ({"num_players": "3"}, 'num_players="3": must be'),
    "a deck that there is not": ({"deck": "standart"}, 'deck="standart": must be "standard", "sampled", the path'),
    "padding as number": ({"padded": 1}, "padded=1: must be True or False"),
    "padding as text": ({"padded": "yes"}, 'padded="yes": must be True or False'),
    "a picture": (
        {"render_mode": "rgb"},
        'render_mode="rgb": must be ansi, human, rgb_array or None',
    ),
    "a mode as number": (
        {"render_mode": 1},
        "render_mode=1: must be ansi, human, rgb_array or None",
    ),
}


@every_form
@pytest.mark.parametrize("fault", ARGUMENTS)
def test_a_wrong_argument_is_refused_in_one_sentence(fault: str, make: Any) -> None:
    arguments, words = ARGUMENTS[fault]
    with pytest.raises(ValueError) as caught:  # the words are compared
        make(**arguments)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
