"""How a run is carried out, beside its recipe."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from speicher_env.arguments import check_count, is_whole
from speicher_env.deal import DeckArgument, template_for
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be
from speicher_training.executor import check_ray
from speicher_training.machine import count_cores
from speicher_training.train.metrics import Watcher
from speicher_training.train.recipe import Recipe, check_memory

__all__ = ["RunSettings"]

MAX_SEED = 2**32 - 1
"""The largest seed of the generators that stable-baselines3 seeds."""


@dataclass(frozen=True)
class RunSettings:
    """How a run is carried out: what is not part of its recipe."""

    steps: int | None = None
    """Decisions of the learner in all; None for the recipe's."""
    minutes: float | None = None
    """In place of steps: the minutes of the run in all. Such a run cannot be repeated to the last bit."""
    clock: Callable[[], float] = time.monotonic
    """Counts the seconds of the run. With one job, `time.process_time` counts core time, however busy the machine."""
    seed: int = 1
    """Of the network, the games and everything that is drawn."""
    start: str | None = None
    """A baseline to start from, by name or path."""
    plots: bool = True
    """Whether to draw the learning curves at the end."""
    evaluation_deck: DeckArgument | None = None
    """The deck of the evaluations; None for the recipe's first deck."""
    jobs: int | None = None
    """Processes that play games, and threads that learn; None for as many as there are cores. Results do not depend
    on it."""
    ray: str | None = None
    """A Ray cluster that plays games, see `executor_for`; None for this machine alone."""
    watch: Watcher = lambda line: None
    """Called with each line of the metrics."""
    interrupted: Callable[[], bool] = lambda: False
    """Asked between two updates; True ends the run with a checkpoint."""

    def check(self, recipe: Recipe) -> None:
        """Raise `ArgumentError` for what would stop a run of a recipe later."""
        if not is_whole(self.seed) or not 0 <= self.seed <= MAX_SEED:
            raise ArgumentError(must_be("seed", self.seed, "a whole number 0..2**32-1, for PyTorch and NumPy"))
        if self.steps is not None:
            check_count("steps", self.steps)
        if self.minutes is not None and not 0 < self.minutes < float("inf"):
            raise ArgumentError(must_be("minutes", self.minutes, "a number above 0"))
        if self.steps is not None and self.minutes is not None:
            raise ArgumentError("steps and minutes: must be one or the other, not both.")
        if self.jobs is not None:
            check_count("jobs", self.jobs)
        check_ray(self.ray)
        check_memory(recipe)
        for players in recipe.game.players:
            for deck in recipe.game.decks:
                template_for(players, deck)

    @property
    def threads(self) -> int:
        """Threads of the learner: as many as processes play on this machine, or all cores where a cluster plays."""
        return (self.jobs if self.ray in (None, "local") else None) or count_cores()

    @property
    def most_seconds(self) -> float | None:
        """Seconds after which the run ends, None if steps limit it."""
        return None if self.minutes is None else 60.0 * self.minutes

    def most_steps(self, recipe: Recipe) -> int | None:
        """Decisions of the learner at which the run ends, None if a time limits it."""
        return None if self.minutes is not None else self.steps or recipe.ppo.steps

    def deck_of_evaluations(self, recipe: Recipe) -> DeckArgument:
        """The deck that evaluations are played with."""
        return recipe.game.decks[0] if self.evaluation_deck is None else self.evaluation_deck
