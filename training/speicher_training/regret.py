"""Regret: how much a player gives away in decisions of the last round, whose exact values are known.

The regret of a decision is the value of the best action less that of the action chosen, for the seat that decides: in
shares of the win, and in points of its lead over the best other seat. Values assume that every seat plays for itself
afterwards, see `speicher_env.Game.solve`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from speicher_agents import load_agent, seed_for
from speicher_agents.agent import Agent
from speicher_agents.exact import is_in_reach
from speicher_env import Game
from speicher_env.errors import ArgumentError
from speicher_env.rules.actions import ACTION_TEXTS
from speicher_env.solve import Solver
from speicher_training.arena.bootstrap import Bootstrap
from speicher_training.intervals import Interval

__all__ = ["SEED", "Regret", "measure_regret"]

SEED = 2_000_600_000
"""Of the first game; no player was trained or tuned on these deals."""
_NO_LIMIT = 2**62
DECISIONS, SHARE, POINTS, WRONG = range(4)


@dataclass(frozen=True)
class Regret:
    """What a player gives away for each decision, with 95 % intervals from a bootstrap over games."""

    player: str
    positions_of: str
    """Whose games the positions are from."""
    games: int
    decisions: int
    """Solved decisions that the player was asked for."""
    share: Interval
    """Share of the win lost per decision, 0..1."""
    points: Interval
    """Points of lead lost per decision."""
    wrong: Interval
    """Share of decisions that lose anything, coins included."""


def measure_regret(
    players: Sequence[str],
    num_players: int,
    games: int,
    positions_of: str | None = None,
    seed: int = SEED,
    progress: Callable[[], None] = lambda: None,
) -> list[Regret]:
    """Ask players for their choice in solved positions, and compare it with the best one.

    Args:
        players: Their specs. All are asked in the same positions.
        num_players: Seats of a game, 2 to 5.
        games: Games whose last rounds are solved.
        positions_of: The spec of who plays these games, in every seat; default: each player its own games.
        seed: Of the first game; each further game has the next seed.
        progress: Called after each game.

    Raises:
        ArgumentError: For a wrong spec or argument.
    """
    if positions_of is None:
        return [
            regret
            for player in players
            for regret in measure_regret([player], num_players, games, player, seed, progress)
        ]
    source = load_agent(positions_of)
    asked = {player: source if player == positions_of else load_agent(player) for player in players}
    for agent in (source, *asked.values()):
        agent.check_players(num_players)
    sums = {player: np.zeros((games, 4)) for player in asked}
    solver = Solver(_NO_LIMIT)
    for number in range(games):
        game = Game(num_players, seed=seed + number)
        for agent in (source, *asked.values()):
            agent.reset(seed_for(seed + number, 0))
        while not game.over:
            if is_in_reach(game.states_view, 0):
                _add(game, solver, asked, {player: table[number] for player, table in sums.items()})
            game.play(source.action(game))
        progress()
    return [_regret(player, positions_of, table) for player, table in sums.items()]


def _add(game: Game, solver: Solver, asked: Mapping[str, Agent], rows: Mapping[str, np.ndarray]) -> None:
    """Add what each player loses in a position."""
    solution = solver.solve(game)
    best = solution.value.prospects[solution.seat]
    for player, agent in asked.items():
        action = ACTION_TEXTS[agent.action(game)]
        chosen = solution.values[action].prospects[solution.seat]
        rows[player] += (1, best.share - chosen.share, best.lead - chosen.lead, action not in solution.best)


def _regret(player: str, positions_of: str, table: np.ndarray) -> Regret:
    bootstrap = Bootstrap(len(table), seed=0)
    weighted, _ = bootstrap.sums(table)
    decisions = table[:, DECISIONS].sum()
    if not decisions:
        raise ArgumentError(f"games={len(table)}: their last rounds leave no decision to solve; must be more.")

    def interval(column: int) -> Interval:
        estimate = table[:, column].sum() / decisions
        low, high = bootstrap.interval(weighted[:, column] / weighted[:, DECISIONS], estimate).tolist()
        return {"estimate": float(estimate), "low": low, "high": high}

    return Regret(player, positions_of, len(table), int(decisions), interval(SHARE), interval(POINTS), interval(WRONG))
