"""What all searches have in common: seeds, budgets, rows of views, and reports."""

from __future__ import annotations

import time
from typing import Any, ClassVar

import numpy as np

from speicher_agents.agent import Agent
from speicher_agents.search.budget import Budget, Clock
from speicher_agents.search.report import SearchReport
from speicher_env.arguments import check_seed
from speicher_env.errors import ArgumentError
from speicher_env.game import Game
from speicher_env.messages import must_be
from speicher_env.rules.state import OVER, STATE
from speicher_env.thoughts import Thought
from speicher_env.views import Views

__all__ = ["Search"]

Position = Game | np.void | np.ndarray
"""A game, a state record, or an array of one."""


class Search(Agent):
    """Base of the searches. A subclass makes its memory, begins at a root, iterates, and reports."""

    visits_prefer: ClassVar[bool] = True
    """Whether better actions are visited more often, so that shares of visits are probabilities."""

    def __init__(self, budget: Budget, seed: int = 0, clock: Clock = time.perf_counter) -> None:
        self.budget = budget
        self._clock = clock
        self._memory: Any = None
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Set the seed of everything the search draws. Equal positions are searched alike until the next `reset`."""
        self._seed = np.uint64(check_seed(seed))

    def act(self, views: Views) -> np.ndarray:
        """The best action of each row, found by a search of its own."""
        actions = np.empty(len(views.states), dtype=np.int64)
        for row in range(len(actions)):
            self._search(views.states[row : row + 1])
            actions[row] = self._best(0)
        return actions

    def action(self, game: Game) -> int:
        """See `Agent.action`; no observation is encoded."""
        self._search(one_position(game))
        return self._best(0)

    def think(self, views: Views) -> list[Thought | None]:
        """The result of a search of each row; the line begins with the action that `act` plays."""
        return [report.thought(shares=self.visits_prefer) for report in self.reports(views.states)]

    def reports(self, states: np.ndarray) -> list[SearchReport]:
        """Search many positions, side by side where that is faster, and report on each.

        Args:
            states: An array of STATE: running games of the same number of players.
        """
        reports: list[SearchReport] = []
        side_by_side = self._side_by_side(states)
        for begin in range(0, len(states), side_by_side):
            part = states[begin : begin + side_by_side]
            self._search(part)
            reports += [self._report(row) for row in range(len(part))]
        return reports

    def search(self, position: Position) -> SearchReport:
        """Search one position and report on it. What is hidden in the position is not looked at."""
        self._search(one_position(position))
        return self._report(0)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the memory, which is made again for the next search."""
        return {**self.__dict__, "_memory": None}

    def _search(self, states: np.ndarray) -> None:
        """Search some states side by side, of games with the same number of players."""
        raise NotImplementedError

    def _best(self, row: int) -> int:
        """The id of the action to play in one of the states."""
        raise NotImplementedError

    def _report(self, row: int) -> SearchReport:
        """The result of the search of one of the states."""
        raise NotImplementedError

    def _side_by_side(self, states: np.ndarray) -> int:
        """How many of some states `_search` takes at a time."""
        return 1


def one_position(position: Position) -> np.ndarray:
    """A position to search as an array of one state, or a sentence on what is wrong with it."""
    states = position.states_view if isinstance(position, Game) else np.atleast_1d(np.asarray(position))
    if states.dtype != STATE or len(states) != 1:
        raise ArgumentError(must_be("position", position, "a Game or one state record"))
    if states["phase"][0] == OVER:
        raise ArgumentError("the game is over, so there is no decision to search.")
    return states
