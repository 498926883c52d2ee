"""`exact`: it plays what `Game.solve` says where that is in reach, and what its base says everywhere else."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from speicher_agents import load_agent, make_player
from speicher_agents.exact import REACH, ExactPlayer
from speicher_agents.specs import parse_named
from speicher_apps.specs import check_untrusted
from speicher_env import ArgumentError, Game
from speicher_env.rules.actions import ACTION_TEXTS
from speicher_env.rules.state import STATE
from speicher_env.solve import Solver, is_determined
from speicher_env.views import Views


def game_of(spec: str, seed: int, players: int = 2) -> list[Game]:
    """The positions of a game that a player plays in every seat."""
    agent, game, positions = load_agent(spec), Game(players, seed=seed), []
    while not game.over:
        positions.append(game.copy())
        game.play(agent.action(game))
    return positions


def test_in_the_last_round_of_two_it_plays_the_best_action_and_before_what_its_base_plays() -> None:
    base, exact, solver = load_agent("frugal"), load_agent("exact:frugal"), Solver()
    better = 0
    for seed in range(3):
        for game in game_of("exact:frugal", seed):
            chosen = ACTION_TEXTS[exact.action(game)]
            of_base = ACTION_TEXTS[base.action(game)]
            if not is_determined(game):
                assert chosen == of_base
                continue
            found = solver.solve(game)
            assert chosen == found.best[0]
            value, other = (found.values[action].prospects[found.seat] for action in (chosen, of_base))
            assert value >= other
            better += value > other
    assert better > 0, "frugal never errs in these games"


def test_a_game_of_exact_players_ends_as_the_first_solved_position_says() -> None:
    for seed in range(3):
        positions = game_of("exact:random", seed)
        first = next(game for game in positions if is_determined(game))
        value = first.solve().value
        last = positions[-1]
        last.play(load_agent("exact:random").action(last))
        assert (tuple(points["total"] for points in last.points()), tuple(last.coins)) == (value.points, value.coins)


@pytest.mark.parametrize("players", [4, 5])
def test_more_workers_in_hand_than_are_in_reach_are_left_to_the_base(
    players: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("this position would take too long")

    monkeypatch.setattr(Solver, "solve", refuse)
    agent, game = load_agent("exact:frugal"), Game(players, seed=3)
    while not is_determined(game):
        game.play(load_agent("frugal").action(game))
    while game.phase == "demand" and game.state["workers"].sum() > REACH[players]:
        game.play(agent.action(game))
    assert game.phase == "demand"
    with pytest.raises(AssertionError, match="too long"):
        agent.action(game)


def test_rows_are_answered_as_single_positions_are_in_any_order() -> None:
    games = [game for seed in range(2) for game in game_of("random", seed)][::3]
    agent = load_agent("exact:merchant")
    one_by_one = [agent.action(game) for game in games]
    states = np.concatenate([game.states_view for game in games]).view(STATE)
    assert load_agent("exact:merchant").act(Views.of(states)).tolist() == one_by_one
    order = np.arange(len(games))[::-1].copy()
    assert load_agent("exact:merchant").act(Views.of(states, order)).tolist() == one_by_one[::-1]


def test_its_thoughts_are_exact_values_and_else_those_of_its_base() -> None:
    game = next(game for game in game_of("exact:mcts:20", 1) if is_determined(game))
    agent = load_agent("exact:mcts:20")
    action, thought = agent.action_and_thought(game)
    shares = game.solve().value.shares
    assert thought is not None and thought.values == [2 * share - 1 for share in shares]
    assert thought.line == [ACTION_TEXTS[action]]
    start = Game(seed=1)
    assert agent.action_and_thought(start) == load_agent("mcts:20").action_and_thought(start)


def test_it_can_be_pickled_for_the_workers_of_an_arena() -> None:
    agent = load_agent("exact:frugal")
    game = next(game for game in game_of("frugal", 2) if is_determined(game))
    before = agent.action(game)
    assert pickle.loads(pickle.dumps(agent)).action(game) == before


@pytest.mark.parametrize(("spec", "name"), [("exact", "exact:merchant"), ("exact:mcts:20,c=2", "exact:mcts:20,c=2")])
def test_the_rest_of_its_spec_is_that_of_its_base(spec: str, name: str) -> None:
    player = make_player(spec)
    assert isinstance(player, ExactPlayer) and player.name == name
    assert check_untrusted(spec, "player", largest=100, trusted_from="here") == spec


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("exact:human", 'base="human": must be another player that decides by itself'),
        ("exact:exact:merchant", 'base="exact": must be another player that decides by itself'),
        ("exact:merchnt", 'did you mean "merchant"'),
        ("exact:frugal:3", "frugal takes no parameters"),
    ],
)
def test_a_wrong_base_is_refused(spec: str, message: str) -> None:
    for read in (make_player, parse_named):
        with pytest.raises(ArgumentError, match=message):
            read(spec)


@pytest.mark.parametrize("spec", ["exact:own.py:Mine", "exact:llm:settings.toml", "exact:mcts:rollout=own.py:Mine"])
def test_a_base_that_runs_code_or_reads_files_is_refused_from_strangers(spec: str) -> None:
    with pytest.raises(ArgumentError):
        parse_named(spec)


def test_a_base_is_held_to_the_limits_for_strangers() -> None:
    with pytest.raises(ArgumentError, match="iterations=500: must be at most 100"):
        check_untrusted("exact:mcts:500", "player", largest=100, trusted_from="here")
