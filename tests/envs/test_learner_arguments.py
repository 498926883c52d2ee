"""One clear sentence for everything that the environments with a learner cannot be asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

from speicher_env import ArgumentError, DeckError, UnknownAction
from speicher_env.envs.registration import GYMNASIUM_ID
from speicher_env.envs.solo import SpeicherEnv
from speicher_env.envs.vector import SpeicherVectorEnv
from tests.support.batch_play import HIGHEST

pytestmark = pytest.mark.nojit

MAKERS: dict[str, Callable[..., Any]] = {"solo": SpeicherEnv, "vector": SpeicherVectorEnv}
try:
    from speicher_env.envs.sb3 import SpeicherVecEnv
except ImportError:
    pass
else:
    MAKERS["sb3"] = SpeicherVecEnv
WITH_ROWS = {name: make for name, make in MAKERS.items() if name != "solo"}

EVERYWHERE: dict[str, tuple[dict[str, Any], str]] = {
    "one player": ({"num_players": 1}, "num_players=1: must be 2, 3, 4 or 5"),
    "players as text": ({"num_players": "3"}, 'num_players="3": must be 2, 3, 4 or 5'),
    "deck": ({"deck": "sampeld"}, "sampeld"),
    "seat": ({"seat": 2}, r'^seat=2: must be a seat 0\.\.1, "rotating" or "random"\.$'),
    "misspelt seat": ({"seat": "rotatng"}, r'^seat="rotatng": must be .*, did you mean "rotating"\?$'),
    "nobody's seat": ({"seat": "none"}, r'^seat="none": must be a seat 0\.\.1, "rotating" or "random"\.$'),
    "all seats": ({"seat": "all"}, 'seat="all": must be a seat 0..1, "rotating" or "random"'),
    "no player": ({"opponents": 3}, r'opponents=3: must be specs such as "random" or objects with act\(views\)\.$'),
    "too many": (
        {"opponents": [HIGHEST] * 2},
        r"^opponents=a list of 2: must be one player .*, or one for each of 1\.$",
    ),
    "reward": ({"reward": "margn"}, r'reward="margn": must be .*, did you mean "margin"\?'),
    "padded": ({"padded": "yes"}, 'padded="yes": must be True or False'),
    "illegal": ({"illegal": "rise"}, r'illegal="rise": must be .*, did you mean "raise"\?'),
}
OF_ONE: dict[str, tuple[Callable[..., Any], dict[str, Any], str]] = {
    "solo observation": (SpeicherEnv, {"observation": "dicts"}, 'observation.*"dicts".*, did you mean "dict"'),
    "solo mask": (SpeicherEnv, {"mask_dtype": "float32"}, 'mask_dtype.*"float32".*must be'),
    "solo rendering": (SpeicherEnv, {"render_mode": "rgb"}, 'render_mode="rgb": must be '),
    "vector seats": (SpeicherVectorEnv, {"seats": "al"}, r'seats="al": must be .*, did you mean "all"\?'),
    "vector seat": (SpeicherVectorEnv, {"seat": "all"}, '^seat="all": must be .*; seats="all" decides for all of them'),
    "vector mode": (SpeicherVectorEnv, {"autoreset_mode": "same"}, 'autoreset_mode="same": must be '),
    "vector first": (SpeicherVectorEnv, {"first_player": 2}, "first_player=2: must be a seat 0..1, or None"),
    "vector copy": (SpeicherVectorEnv, {"copy": None}, "copy=None: must be True or False"),
    "vector observation": (SpeicherVectorEnv, {"observation": "dicts"}, 'observation.*"dicts".*, did you mean "dict"'),
    "vector mask": (SpeicherVectorEnv, {"mask_dtype": "float32"}, 'mask_dtype.*"float32".*must be'),
}
OF_ROWS: dict[str, tuple[dict[str, Any], str]] = {
    "no rows": ({"num_envs": 0}, "num_envs=0: must be a whole number, 1 or more"),
    "negative rows": ({"num_envs": -4}, "num_envs=-4: must be a whole number, 1 or more"),
    "half a row": ({"num_envs": 1.5}, "num_envs=1.5: must be a whole number, 1 or more"),
    "too few decks": (
        {"num_envs": 3, "deck": ["standard"] * 2},
        "deck=a list of 2: must be one deck, or one for each of 3 games",
    ),
    "cores": ({"threads": 0}, "threads=0: must be a whole number 1"),
    "figures": ({"figures": 1}, "figures.*1.*must be True or False"),
    "dtype": ({"dtype": "uint16"}, 'dtype.*"uint16".*must be .*float32.*uint8'),
    "no dtype": ({"dtype": np.float64}, 'dtype.*"float64".*must be .*float32.*uint8'),
}


def refused(make: Callable[..., Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises((ArgumentError, DeckError), match=message) as raised:
        make(**options)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("case", EVERYWHERE)
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_an_argument_of_all_three_is_refused_in_one_sentence(make: Callable[..., Any], case: str) -> None:
    refused(make, *EVERYWHERE[case])


@pytest.mark.parametrize("case", OF_ONE)
def test_an_argument_of_one_is_refused_in_one_sentence(case: str) -> None:
    refused(*OF_ONE[case])


@pytest.mark.parametrize("case", OF_ROWS)
@pytest.mark.parametrize("make", WITH_ROWS.values(), ids=WITH_ROWS)
def test_an_argument_of_those_with_rows_is_refused_in_one_sentence(make: Callable[..., Any], case: str) -> None:
    refused(make, *OF_ROWS[case])


# reset


SEEDS: dict[str, tuple[Any, str]] = {
    "negative": (-1, r"seed=-1: must be a whole number 0\.\.2\*\*64-1"),
    "too high": (2**64, r"seed=18446744073709551616: must be a whole number"),
    "a float": (1.0, r"seed=1\.0: must be a whole number"),
    "a text": ("7", 'seed="7": must be a whole number'),
    "a truth value": (True, "seed=true: must be a whole number"),
}


@pytest.mark.parametrize("case", SEEDS)
@pytest.mark.parametrize("make", [SpeicherEnv, SpeicherVectorEnv], ids=["solo", "vector"])
def test_a_wrong_seed_is_refused_and_nothing_is_dealt(make: Callable[..., Any], case: str) -> None:
    env = make()
    env.reset(seed=3)
    before = env.batch.arrays.states.tobytes()
    seed, message = SEEDS[case]
    with pytest.raises(ArgumentError, match=message):
        env.reset(seed=seed)
    assert env.batch.arrays.states.tobytes() == before


@pytest.mark.parametrize("case", SEEDS)
@pytest.mark.skipif("sb3" not in MAKERS, reason="the extra [train] is not installed")
def test_a_wrong_seed_of_the_vec_env_is_refused(case: str) -> None:
    seed, message = SEEDS[case]
    with pytest.raises(ArgumentError, match=message):
        MAKERS["sb3"](seed=seed)


def test_seeds_for_rows_must_be_one_for_each() -> None:
    env = SpeicherVectorEnv(3)
    with pytest.raises(ArgumentError, match="seed=a list of 2: must be one seed, or one for each of 3"):
        env.reset(seed=[1, 2])
    with pytest.raises(ArgumentError, match="seed=-2: must be a whole number"):
        env.reset(seed=[1, 2, -2])
    with pytest.raises(ArgumentError, match="seed=18446744073709551616"):
        env.reset(seed=2**64 - 2)  # the third row would have a seed that is none


RESET_OPTIONS: dict[str, tuple[Callable[..., Any], Any, str]] = {
    "misspelt": (SpeicherEnv, {"first_plyer": 1}, r'options="first_plyer": .*, did you mean "first_player"\?'),
    "unknown": (SpeicherEnv, {"state": 1}, 'options="state": must be first_player'),
    "a list": (SpeicherEnv, [1], "options=a list of 1: must be a dict or None"),
    "no seat": (SpeicherEnv, {"first_player": 2}, "first_player=2: must be a seat 0..1, or None"),
    "of the other": (SpeicherVectorEnv, {"first_player": 1}, 'options="first_player": must be reset_mask'),
    "misspelt mask": (SpeicherVectorEnv, {"resetmask": 1}, r'options="resetmask": .*, did you mean "reset_mask"\?'),
}  # fmt: skip


@pytest.mark.parametrize("case", RESET_OPTIONS)
def test_an_unknown_option_of_a_reset_is_refused(case: str) -> None:
    make, options, message = RESET_OPTIONS[case]
    env = make()
    env.reset(seed=3)
    before = env.batch.arrays.states.tobytes()
    with pytest.raises(ArgumentError, match=message):
        env.reset(options=options)
    assert env.batch.arrays.states.tobytes() == before


@pytest.mark.parametrize(
    "mask",
    [[True, False], np.array([1, 0]), np.array([True]), np.array([False, False]), np.array([[True, False]]), True],
    ids=["a list", "numbers", "too few", "nobody", "a matrix", "one"],
)
def test_a_reset_mask_of_the_wrong_form_is_refused(mask: Any) -> None:
    env = SpeicherVectorEnv(2, autoreset_mode="disabled")
    env.reset(seed=1)
    with pytest.raises(ArgumentError, match=r"reset_mask=.*: must be an array of 2 bools, at least one of them True"):
        env.reset(options={"reset_mask": mask})


def test_the_first_reset_deals_in_all_rows() -> None:
    env = SpeicherVectorEnv(2, autoreset_mode="disabled")
    with pytest.raises(ArgumentError, match="options: the first reset must deal in all rows, so without a reset_mask"):
        env.reset(options={"reset_mask": np.array([True, False])})
    env.reset(options={"reset_mask": np.array([True, True])})


# step

ACTIONS: dict[str, Any] = {
    "too few": np.zeros(1, dtype=int),
    "a column": np.zeros((2, 1), dtype=int),
    "floats": np.zeros(2),
    "truth values": np.zeros(2, dtype=bool),
    "texts": ["place 0", "place 0"],
    "one": 0,
    "nothing": None,
}


@pytest.mark.parametrize("case", ACTIONS)
@pytest.mark.parametrize("make", WITH_ROWS.values(), ids=WITH_ROWS)
def test_actions_of_the_wrong_form_are_refused_and_nothing_is_stepped(make: Callable[..., Any], case: str) -> None:
    env = make(2)
    env.reset()
    before = env.batch.arrays.states.tobytes()
    with pytest.raises(ArgumentError, match=r"actions=.*: must be one action id for each of 2 games\.$"):
        env.step(ACTIONS[case])
    assert env.batch.arrays.states.tobytes() == before


@pytest.mark.parametrize("action", ["place 6", "buy it", None, 1.0, True, 184, np.zeros(2, dtype=int)], ids=repr)
def test_what_is_no_action_is_refused(action: Any) -> None:
    env = SpeicherEnv()
    env.reset(seed=1)
    with pytest.raises(UnknownAction):
        env.step(action)


# The order of calls


def any_action(env: Any) -> Any:
    return 0 if isinstance(env, SpeicherEnv) else np.zeros(1, dtype=int)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_there_is_no_step_before_the_first_reset(make: Callable[..., Any]) -> None:
    env = make()
    with pytest.raises(ArgumentError, match=r"step\(\) was called before reset\(\), which deals the first games"):
        env.step(any_action(env))


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_nothing_is_played_after_close(make: Callable[..., Any]) -> None:
    env = make()
    env.reset()
    env.close()
    env.close()
    with pytest.raises(ArgumentError, match="the environment is closed; make a new one"):
        env.reset()
    with pytest.raises(ArgumentError, match="the environment is closed; make a new one"):
        env.step(any_action(env))


def test_there_is_no_step_after_the_end() -> None:
    env = SpeicherEnv(illegal="lose")
    env.reset(seed=1)
    _, _, ended, _, _ = env.step(183)
    assert ended
    with pytest.raises(ArgumentError, match=r"game 0 is over; reset\(\) must deal the next one before step\(\)"):
        env.step(0)


def test_gymnasiums_make_passes_the_sentence_on() -> None:
    with pytest.raises(ArgumentError, match="num_players=9"):
        gymnasium.make(GYMNASIUM_ID, num_players=9)
    with pytest.raises(ArgumentError, match="num_envs=0"):
        gymnasium.make_vec(GYMNASIUM_ID, num_envs=0)
