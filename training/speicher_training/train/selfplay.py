"""Self-play: whole games in every lane of a batch, with all their decisions kept to learn from.

Imitation pretraining and value fine-tuning collect their games here. They differ only in how they choose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from speicher_agents.baselines import Card
from speicher_env.batch import Batch
from speicher_env.views import Views

__all__ = ["SEEDS", "Games", "batches_for", "play_games"]

SEEDS = 900_000_000
"""The seeds of games for training are below this, those for evaluations above."""
GAMES = 128
"""The most games at a time, for one pass over their decisions."""
DECISIONS_OF_A_GAME = 150
"""Roughly, with two players."""

Choose = Callable[[Views], tuple[np.ndarray, ...]]
"""Returns the action of each row, and perhaps further arrays with an entry for each row, to be kept."""


class Games(NamedTuple):
    """Whole games, one in each lane, and all their decisions in the order of time."""

    rows: np.ndarray
    """(decisions, numbers): the observation of each decision, and its figures if the network reads them."""
    masks: np.ndarray
    """(decisions, actions): the legal actions."""
    seats: np.ndarray
    """(decisions,): the seat that decided."""
    lanes: np.ndarray
    """(decisions,): the game that the decision is from."""
    choices: tuple[np.ndarray, ...]
    """Arrays of (decisions,): what `choose` returned."""
    present: np.ndarray
    """(time, lanes): whether the game in a lane was still going on, so that there was a decision."""
    payoffs: np.ndarray
    """(lanes, players): at the end of the game."""

    @property
    def returns(self) -> np.ndarray:
        """(decisions,): the payoff of the seat that decided, at the end of its game."""
        payoffs: np.ndarray = self.payoffs[self.lanes, self.seats]
        return payoffs

    def by_time(self, values: np.ndarray) -> np.ndarray:
        """An array of (decisions,) as (time, lanes), with zeros where there was no decision."""
        laid_out = np.zeros(self.present.shape, dtype=values.dtype)
        laid_out[self.present] = values
        return laid_out


def batches_for(card: Card, decks: Sequence[str], decisions: int) -> list[Batch]:
    """A batch for each number of players of a card; the fewer decisions are needed in all, the fewer games in each."""
    games = min(GAMES, 1 + decisions // DECISIONS_OF_A_GAME)
    dealt, figures = [decks[row % len(decks)] for row in range(games)], card.shape.figures
    return [
        Batch(games, players, dealt, reward=card.reward, padded=card.padded, figures=figures)
        for players in card.players
    ]


def play_games(batch: Batch, rng: np.random.Generator, choose: Choose) -> Games:
    """Play one new game to its end in every lane.

    Args:
        batch: The lanes.
        rng: Draws the deals.
        choose: Asked about all lanes at every step, those with a finished game included.
    """
    lanes = batch.num_games
    every = np.arange(lanes)
    batch.reset(rng.integers(SEEDS, size=lanes))
    payoffs = np.zeros((lanes, batch.num_players), dtype=np.float32)
    going = np.ones(lanes, dtype=bool)
    present: list[np.ndarray] = []
    steps: list[list[np.ndarray]] = []
    while going.any():
        views = batch.views(every)
        choices = choose(views)
        arrays = (views.observations, views.masks, views.seats, every, *choices)
        steps.append([array[going] for array in arrays])
        present.append(going.copy())
        batch.step(choices[0])
        over = going & batch.ended
        payoffs[over] = batch.rewards[over]
        going &= ~over
    rows, masks, seats, of_lane, *kept = (np.concatenate(arrays) for arrays in zip(*steps, strict=True))
    return Games(rows, masks, seats, of_lane, tuple(kept), np.stack(present), payoffs)
