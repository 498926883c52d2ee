"""Players in one game at a time, as at a PettingZoo table: they choose what they would choose in a batch."""

from __future__ import annotations

import numpy as np
import pytest

from speicher_agents import load_agent, views_of
from speicher_env import ArgumentError, Game, speicherstadt_v0
from speicher_env.batch import Batch
from tests.support.games import PLAYER_COUNTS, random_game

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
