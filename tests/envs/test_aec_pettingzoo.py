"""PettingZoo's own tests over every option, and the environment's place in PettingZoo's registry."""

from __future__ import annotations

import importlib
import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pettingzoo
import pytest
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test
from pettingzoo.utils import aec_to_parallel, turn_based_aec_to_parallel, wrappers
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

import speicher_env
from speicher_env import N_ACTIONS, Game, speicherstadt_v0
from speicher_env.envs.registration import PETTINGZOO_ID, register
from tests.support.aec_play import MAKERS, play
from tests.support.games import PLAYER_COUNTS, REWARDS
from tests.support.option_pairs import every_pair

SPURIOUS = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
}
"""What `api_test` says of every environment with Dict observations that is not on its list of PettingZoo's own."""

DECKS = ("standard", "sampled", "path")
RENDER_MODES = (None, "ansi")
"""Pictures take far longer than decisions, so they are tried with a few of them, in a test of their own."""
ROUNDS = {2: 16, 3: 12, 4: 10, 5: 8}
"""Rounds of a game by players: the trade cards, n+1 a round."""

every_option = pytest.mark.parametrize(
    ("players", "deck", "reward", "padded", "render_mode"),
    every_pair(PLAYER_COUNTS, DECKS, REWARDS, (False, True), RENDER_MODES),
)


@contextmanager
def only_spurious_warnings() -> Iterator[None]:
    """Any warning other than the known spurious ones fails, Python's and those of PettingZoo's own logger."""
    logged = len(EnvLogger.mqueue)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    assert {str(warning.message) for warning in caught} <= SPURIOUS
    assert EnvLogger.mqueue[logged:] == []


def options(
    players: int, deck: str, reward: str, padded: bool, render_mode: str | None, deck_file: Path
) -> dict[str, Any]:
    return {
        "num_players": players,
        "deck": deck_file if deck == "path" else deck,
        "reward": reward,
        "padded": padded,
        "render_mode": render_mode,
    }


def with_seeded_actions(env: AECEnv) -> AECEnv:
    """PettingZoo's tests draw from the action spaces, so that these decide what is played."""
    for seat, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(seat)
    return env


CYCLES = 1000
"""Decisions of each agent: more than any game has."""


@every_option
def test_api(players: int, deck: str, reward: str, padded: bool, render_mode: str | None, deck_file: Path) -> None:
    arguments = options(players, deck, reward, padded, render_mode, deck_file)
    with only_spurious_warnings():
        api_test(with_seeded_actions(speicherstadt_v0.env(**arguments)), num_cycles=CYCLES)


@pytest.mark.parametrize("players", PLAYER_COUNTS)
@pytest.mark.parametrize("render_mode", RENDER_MODES)
def test_api_without_the_wrapper(players: int, render_mode: str | None) -> None:
    with only_spurious_warnings():
        api_test(with_seeded_actions(speicherstadt_v0.raw_env(players, render_mode=render_mode)), num_cycles=CYCLES)


@pytest.mark.parametrize("players", PLAYER_COUNTS[:: len(PLAYER_COUNTS) - 1])
def test_api_with_somebody_watching(players: int) -> None:
    with only_spurious_warnings():
        env = speicherstadt_v0.env(players, render_mode="human")
        api_test(with_seeded_actions(env), num_cycles=3)
        env.close()


def test_the_guard_against_warnings_lets_no_other_pass() -> None:
    with pytest.raises(AssertionError), only_spurious_warnings():
        warnings.warn("Agents have different action space sizes", stacklevel=1)
    with pytest.raises(AssertionError), only_spurious_warnings():
        EnvLogger.warn_step_after_terminated_truncated()


@every_option
def test_seed(players: int, deck: str, reward: str, padded: bool, render_mode: str | None, deck_file: Path) -> None:
    arguments = options(players, deck, reward, padded, render_mode, deck_file)
    with only_spurious_warnings():
        seed_test(partial(speicherstadt_v0.env, **arguments), num_cycles=CYCLES)


@pytest.mark.parametrize(("players", "deck"), list(zip(PLAYER_COUNTS, (*DECKS, "standard"), strict=True)))
def test_render(players: int, deck: str, deck_file: Path) -> None:
    arguments = options(players, deck, "outcome", False, None, deck_file)
    del arguments["render_mode"]
    with only_spurious_warnings():
        render_test(
            lambda render_mode: with_seeded_actions(speicherstadt_v0.env(**arguments, render_mode=render_mode)),
            custom_tests={"ansi": lambda text: isinstance(text, str) and len(text.splitlines()) > players},
        )


@pytest.fixture
def clock_of_ten_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """`performance_benchmark` plays until 5 seconds have passed; with this clock that is after ten looks at it."""
    module = importlib.import_module("pettingzoo.test.performance_benchmark")
    ticks = count()
    monkeypatch.setattr(module, "time", SimpleNamespace(time=lambda: next(ticks) / 2))


@every_option
@pytest.mark.usefixtures("clock_of_ten_calls")
def test_performance_benchmark(
    players: int,
    deck: str,
    reward: str,
    padded: bool,
    render_mode: str | None,
    deck_file: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It must run, that is choose from the masks it finds; how fast is measured elsewhere."""
    with only_spurious_warnings():
        performance_benchmark(speicherstadt_v0.env(**options(players, deck, reward, padded, render_mode, deck_file)))
    assert "Finished performance benchmark" in capsys.readouterr().out


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_games_end_by_themselves_after_the_rounds_that_the_cards_give(players: int) -> None:
    """What `max_cycles_test` is after: all agents act as often as the game's length says, and then are done together.

    The test itself does not apply: it asks for a parallel form and an argument `max_cycles`, and there is neither.
    Agents take turns, and the number of cards limits a game; how many decisions a round has depends on the choices.
    But each agent places three workers a round.
    """
    env = speicherstadt_v0.env(players)
    env.reset(seed=players)
    placed: Counter[str] = Counter()
    rng = random.Random(players)
    while not all(env.terminations.values()):
        agent, demand = env.agent_selection, env.unwrapped.game.phase == "demand"
        play(env, rng, decisions=1)
        placed[agent] += demand
    assert placed == dict.fromkeys(env.possible_agents, 3 * ROUNDS[players])
    assert not any(env.truncations.values())


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_there_is_no_number_of_cycles_and_no_parallel_form(make: Any) -> None:
    with pytest.raises(TypeError, match="max_cycles"):
        make(max_cycles=4)
    assert not hasattr(speicherstadt_v0, "parallel_env")
    with pytest.raises(AssertionError, match="is_parallelizable"):
        aec_to_parallel(make())


# PettingZoo's wrappers

WRAPPERS: dict[str, Callable[[AECEnv], AECEnv]] = {
    "base": wrappers.BaseWrapper,
    "assert out of bounds": wrappers.AssertOutOfBoundsWrapper,
    "order enforcing": wrappers.OrderEnforcingWrapper,
    "terminate illegal": partial(wrappers.TerminateIllegalWrapper, illegal_reward=-1),
}


@pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS)
@pytest.mark.parametrize("observation", ["dict", "vector"])
def test_pettingzoos_wrappers_change_nothing_about_a_legal_game(observation: str, wrap: Any) -> None:
    env, plain = wrap(speicherstadt_v0.env(2, observation=observation)), speicherstadt_v0.env(2)
    for either in (env, plain):
        either.reset(seed=1)
        play(either, random.Random(1))
    assert env.unwrapped.game == plain.unwrapped.game
    assert env.unwrapped.outcome() == plain.unwrapped.outcome()


def test_pettingzoos_wrapper_for_several_games_goes_through_their_seeds() -> None:
    env = wrappers.MultiEpisodeEnv(speicherstadt_v0.env(2), num_episodes=2)
    env.reset(seed=1)
    rng = random.Random(1)
    for agent in env.agent_iter():
        if env.terminations[agent]:
            env.step(None)
        play(env, rng, decisions=1)
    assert env.unwrapped.outcome().seed == 2


def test_pettingzoos_turn_based_parallel_form_plays_a_game() -> None:
    parallel = turn_based_aec_to_parallel(speicherstadt_v0.env(3))
    _, infos = parallel.reset(seed=1)
    game, rng, paid = Game(3, seed=1), random.Random(1), Counter[str]()
    while parallel.agents:
        actions: dict[str, int | None] = dict.fromkeys(parallel.agents)
        decider = f"player_{game.player}"
        for agent, info in infos.items():
            assert info["action_mask"].any() == (agent == decider)
        action = rng.choice(game.legal_ids())
        actions[decider] = action
        game.play(action)
        _, rewards, _, _, infos = parallel.step(actions)
        paid.update(rewards)
    assert game.over and sum(paid.values()) == 0 and max(paid.values()) > 0


# The form of the environment


def test_the_registry_makes_it_by_id() -> None:
    env = pettingzoo.make("aec", PETTINGZOO_ID, num_players=3, reward="rank", padded=True, render_mode="ansi")
    assert PETTINGZOO_ID == "speicher/speicherstadt-v0"
    assert isinstance(env.unwrapped, speicherstadt_v0.raw_env)
    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    assert (env.unwrapped.reward, env.unwrapped.padded, env.render_mode) == ("rank", True, "ansi")
    assert pettingzoo.make("aec", PETTINGZOO_ID).unwrapped.num_players == 2


def test_registering_again_changes_nothing() -> None:
    before = pettingzoo.aec_registry[PETTINGZOO_ID]
    with only_spurious_warnings():
        register()
    assert pettingzoo.aec_registry[PETTINGZOO_ID] is before


def test_a_pettingzoo_without_registry_is_good_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(pettingzoo, "register")
    register()


def test_the_module_form_can_be_imported() -> None:
    module = importlib.import_module("speicher_env.speicherstadt_v0")
    assert module is speicher_env.speicherstadt_v0
    assert set(module.__all__) == {"env", "raw_env"}


def test_the_default_environment_has_the_order_enforcing_wrapper_and_no_other() -> None:
    env = speicherstadt_v0.env()
    assert isinstance(env, OrderEnforcingWrapper)
    assert isinstance(env.env, speicherstadt_v0.raw_env)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_its_name_is_the_name_of_the_module(make: Any) -> None:
    env = make()
    assert str(env) == str(env.unwrapped) == env.metadata["name"] == "speicherstadt_v0"


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_its_metadata_say_what_it_can_do(make: Any) -> None:
    env = make(render_mode="ansi")
    assert env.metadata["render_modes"] == ["ansi", "human", "rgb_array"]
    assert env.metadata["is_parallelizable"] is False
    assert env.metadata["render_fps"] > 0
    assert env.render_mode == "ansi"


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_all_agents_have_equal_spaces(players: int, make: Any) -> None:
    env = make(players)
    assert env.possible_agents == [f"player_{seat}" for seat in range(players)]
    for agent in env.possible_agents:
        assert env.action_space(agent) == spaces.Discrete(N_ACTIONS)
        assert env.observation_space(agent) == env.observation_space("player_0")
    in_all = {id(env.observation_space(agent)) for agent in env.possible_agents}
    assert len(in_all) == players, "seeding the space of one agent must not seed that of another"


def test_padding_gives_every_player_count_the_spaces_of_five() -> None:
    padded = [speicherstadt_v0.env(players, padded=True).observation_space("player_0") for players in PLAYER_COUNTS]
    assert all(space == speicherstadt_v0.env(5).observation_space("player_0") for space in padded)


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_the_state_lies_in_its_space_and_is_what_the_first_agent_sees(players: int, padded: bool) -> None:
    env = speicherstadt_v0.env(players, padded=padded)
    env.reset(seed=1)
    rng = random.Random(1)
    while env.agents and not all(env.terminations.values()):
        assert env.state_space.contains(env.state())
        assert env.state().tolist() == env.observe("player_0")["observation"].tolist()
        play(env, rng, decisions=25)
    assert env.state_space.contains(env.state())


def test_pettingzoos_own_look_at_the_state() -> None:
    """Without the part of `state_test` about a parallel form.

    It plays unmasked actions, so the spaces are made to draw legal ones only.
    """
    env = with_seeded_actions(speicherstadt_v0.env(3))
    for agent in env.possible_agents:
        space = env.action_space(agent)
        space.sample = lambda draw=space.sample: draw(env.infos[env.agent_selection]["action_mask"])
    module = importlib.import_module("pettingzoo.test.state_test")
    with only_spurious_warnings():
        module.test_state_space(env)
        module.test_state(env, num_cycles=1000)


def test_the_wrapper_minds_the_order_of_calls() -> None:
    env = speicherstadt_v0.env()
    for call in (env.last, env.state, env.render, lambda: env.step(0), lambda: env.observe("player_0")):
        with pytest.raises(AssertionError, match="reset"):
            call()
    with pytest.raises(AttributeError, match="agents cannot be accessed before reset"):
        env.agents  # noqa: B018
    env.reset(seed=1)
    with pytest.raises(AssertionError, match="need to call step"):
        for _ in env.agent_iter():
            pass
