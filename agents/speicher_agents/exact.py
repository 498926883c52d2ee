"""`exact`: plays solved positions of the last round exactly, and leaves all others to another player."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from speicher_agents.agent import Agent
from speicher_env.game import Game
from speicher_env.observation import RowFormat
from speicher_env.rules.actions import parse_action
from speicher_env.rules.state import DEMAND
from speicher_env.solve import Solution, Solver
from speicher_env.solve.search import is_determined_at
from speicher_env.thoughts import Thought
from speicher_env.views import Views

__all__ = ["REACH", "ExactPlayer", "is_in_reach"]

REACH: Mapping[int, int] = {2: 6, 3: 9, 4: 6, 5: 4}
"""For each number of players, how many workers may still be in hand where positions are solved. All with two and three;
more with four and five would be too many positions."""
_NO_LIMIT = 2**62


def is_in_reach(states: np.ndarray, row: int, reach: Mapping[int, int] = REACH) -> bool:
    """Whether a state of a running game can be solved: nothing is left to chance, and few enough workers are in hand.

    Args:
        states: An array of STATE.
        row: Which of them.
        reach: For each number of players, the workers that may still be in hand.
    """
    players = int(states["players"][row])
    placing = states["phase"][row] == DEMAND
    return not (placing and states["workers"][row, :players].sum() > reach[players]) and is_determined_at(states, row)


class ExactPlayer(Agent):
    """Plays the last round exactly as soon as it is in reach, and everything before as its base does.

    Each seat is assumed to play for itself, see `Game.solve`. What it plays depends on the position alone.
    """

    name = "exact"

    def __init__(self, base: Agent, name: str = "", reach: Mapping[int, int] = REACH) -> None:
        """Make ready.

        Args:
            base: Who plays all other positions.
            name: The name in tables; default: after the name of the base.
            reach: For each number of players, the workers that may still be in hand where a position is solved.
        """
        self.base = base
        self.name = name or f"exact:{base.name}"
        self._reach = dict(reach)
        self._solver = Solver(_NO_LIMIT)

    def reset(self, seed: int) -> None:
        """See `Agent.reset`."""
        self.base.reset(seed)

    def check_players(self, players: int) -> None:
        """See `Agent.check_players`."""
        self.base.check_players(players)

    def row_format(self, players: int) -> RowFormat:
        """See `Agent.row_format`."""
        return self.base.row_format(players)

    def act(self, views: Views) -> np.ndarray:
        """The best action where it is known, the base's where it is not."""
        actions = np.empty(len(views), dtype=np.int64)
        others = []
        for row in range(len(views)):
            solution = self._solution(views.states, row)
            if solution is None:
                others.append(row)
            else:
                actions[row] = parse_action(solution.best[0])
        if others:
            actions[others] = self.base.act(_rows(views, others))
        return actions

    def think(self, views: Views) -> list[Thought | None]:
        """The exact values where they are known, else what the base thinks."""
        solutions = [self._solution(views.states, row) for row in range(len(views))]
        others = [row for row, solution in enumerate(solutions) if solution is None]
        thoughts = iter(self.base.think(_rows(views, others)) if others else [])
        return [next(thoughts) if solution is None else _thought(solution) for solution in solutions]

    def usage(self) -> dict[str, float]:
        """See `Agent.usage`."""
        return self.base.usage()

    def _solution(self, states: np.ndarray, row: int) -> Solution | None:
        """The exact solution of a state, None if it is out of reach."""
        if not is_in_reach(states, row, self._reach):
            return None
        return self._solver.solve(Game.from_state(states[row]))


def _rows(views: Views, rows: list[int]) -> Views:
    """Some rows of views."""
    if len(rows) == len(views):
        return views
    return Views(views.observations[rows], views.masks[rows], views.states[rows], views.seats[rows])


def _thought(solution: Solution) -> Thought:
    """A solution for people and records."""
    shares = solution.value.shares
    others = len(shares) - 1
    return Thought(
        probabilities={solution.best[0]: 1.0},
        values=[(len(shares) * share - 1) / others for share in shares],
        line=[solution.best[0]],
    )
