"""Players in one game at a time, as at a PettingZoo table: they choose what they would choose in a batch."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

from speicher_agents import load_agent, views_of
from speicher_env import ArgumentError, Game, speicherstadt_v0
from speicher_env.batch import Batch
from tests.support.games import PLAYER_COUNTS, game_in, random_game

SPECS = ("random", "frugal", "merchant", "baseline", "baseline:universal", "flat:40", "mcts:30", "guided:6")


@pytest.mark.parametrize("players", PLAYER_COUNTS)
@pytest.mark.parametrize("spec", SPECS)
def test_a_player_chooses_in_one_game_what_it_chooses_in_a_batch(spec, players):
    games = [random_game(players, seed=seed, decisions=15 + 8 * seed) for seed in range(4)]
    batch = Batch(len(games), players)
    batch.reset(range(len(games)))
    for lane, game in enumerate(games):
        batch.arrays.states[lane] = game.state
    agent = load_agent(spec)
    agent.reset(3)
    before = [game.state.tobytes() for game in games]
    chosen = [agent.action(game) for game in games]
    assert chosen == agent.act(batch.views(np.arange(len(games)))).tolist()
    assert chosen == [agent.action_and_thought(game)[0] for game in games]
    assert before == [game.state.tobytes() for game in games]
    assert all(type(action) is int for action in chosen)


@pytest.mark.parametrize("spec", ["merchant", "baseline:2p", "mcts:200"])
def test_a_player_finishes_a_game_at_a_pettingzoo_table(spec):
    env = speicherstadt_v0.env(num_players=2)
    env.reset(seed=11)
    players = {"player_0": load_agent(spec), "player_1": load_agent("frugal")}
    for name in env.agent_iter():
        *_, termination, truncation, _ = env.last()
        env.step(None if termination or truncation else players[name].action(env.unwrapped.game))
    game = env.unwrapped.game
    assert game.over
    twin = Game(2, seed=11)
    for action in game.move_ids:
        chosen = players[f"player_{twin.player}"].act(views_of(twin))
        assert int(chosen[0]) == action
        twin.play(action)


@pytest.mark.parametrize("spec", SPECS)
def test_what_is_hidden_changes_no_choice(spec):
    game = random_game(3, seed=8, decisions=30)
    agent = load_agent(spec)
    assert len({agent.action(game.redealt(seed)) for seed in range(4)} | {agent.action(game)}) == 1


@pytest.mark.parametrize("spec", SPECS)
def test_a_game_that_is_over_has_nothing_to_choose(spec):
    with pytest.raises(ArgumentError, match="the game is over"):
        load_agent(spec).action(random_game(2, seed=1))


def test_a_network_for_other_numbers_of_players_says_what_plays_there():
    for spec in ("baseline:2p", "guided:5,baseline=2p"):
        with pytest.raises(ArgumentError, match="players=3: must be 2; baseline:3p plays games of 3"):
            load_agent(spec).action(Game(3, seed=1))


THINKING = (*SPECS, "mcts:20,rollout=frugal,prior=none", "tests.support.quick_player:Quick")


@pytest.mark.parametrize("spec", THINKING)
def test_a_player_is_pickled_and_copied_and_plays_the_same(spec):
    agent = load_agent(spec)
    agent.reset(5)
    games = [game_in(phase, 2, seed=5) for phase in ("demand", "purchase", "loading")]
    expected = [agent.action(game) for game in games]
    for twin in (pickle.loads(pickle.dumps(agent)), copy.deepcopy(agent), copy.copy(agent)):
        assert twin.name == agent.name
        assert [twin.action(game) for game in games] == expected
        twin.reset(6)
    assert [agent.action(game) for game in games] == expected
    assert len(pickle.dumps(agent)) < 8_000_000


def test_players_are_pickled_for_another_process(tmp_path):
    agents = [load_agent(spec) for spec in THINKING]
    game = game_in("demand", 2, seed=5)
    expected = [agent.action(game) for agent in agents]
    (tmp_path / "players").write_bytes(pickle.dumps((agents, game)))
    code = (
        "import pickle, sys, warnings; warnings.simplefilter('ignore')\n"
        "agents, game = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print([agent.action(game) for agent in agents])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "players")], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == str(expected)


class ActsOnly:
    """The least that a player needs."""

    def act(self, views):
        return views.masks.argmax(axis=1)


def test_a_wrapped_player_is_pickled_and_copied():
    agent = load_agent(ActsOnly())
    game = game_in("purchase", 3, seed=2)
    for twin in (pickle.loads(pickle.dumps(agent)), copy.deepcopy(agent)):
        assert twin.action(game) == agent.action(game) and twin.name == "ActsOnly"


@pytest.mark.parametrize("spec", SPECS)
def test_no_rows_get_no_answers(spec):
    batch = Batch(2, 2)
    batch.reset(range(2))
    agent = load_agent(spec)
    none = batch.views(np.arange(0))
    assert len(agent.act(none)) == 0 and len(agent.think(none)) == 0
