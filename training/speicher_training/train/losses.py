"""What the value learns, in all stages of training: the own payoff, and the win shares and points of every seat."""

from __future__ import annotations

from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import torch
from torch.nn import functional

from speicher_agents.baselines.network import POINTS_SCALE
from speicher_training.train.policy import FORBIDDEN

__all__ = ["Examples", "entropies", "outcomes", "value_losses"]

Array = TypeVar("Array", bound=Any)


class Examples(NamedTuple, Generic[Array]):
    """Some decisions to learn from."""

    rows: Array
    """(decisions, size) uint8, see `RowFormat`."""
    masks: Array
    """(decisions, 184) int8, 1 = legal."""
    actions: Array
    """(decisions,): those that were chosen."""
    log_probs: Array
    """(decisions,): logarithms of the probabilities of the actions when they were chosen."""
    shares: Array
    """(decisions, seats): each seat's share of the win, clockwise from the deciding one; 0 for empty seats."""
    points: Array
    """(decisions, seats): points at the end, alike."""
    players: Array
    """(decisions,): seats that are not empty."""
    advantages: Array
    """(decisions,): how much better than expected an action turned out to be."""
    returns: Array
    """(decisions,): what the value of the own payoff is to be."""

    def some(self, chosen: np.ndarray) -> Examples[np.ndarray]:
        """Those at some places."""
        return Examples(*(column[chosen] for column in self))

    def tensors(self, part: slice) -> Examples[torch.Tensor]:
        """A part of them, from arrays."""
        return Examples(*(torch.from_numpy(column[part]) for column in self))


def entropies(policies: np.ndarray) -> np.ndarray:
    """(decisions,) float32: the entropy of each policy of (decisions, 184), in any unit."""
    chances = policies / policies.sum(axis=1, dtype=np.float32, keepdims=True)
    logs = np.log(chances, where=chances > 0, out=np.zeros_like(chances))
    return np.asarray(-(chances * logs).sum(axis=1))


def outcomes(shares: np.ndarray, players: np.ndarray | int) -> np.ndarray:
    """(decisions,) float32: the payoff "outcome" of the deciding seats, from the win shares of all seats.

    Args:
        shares: (decisions, seats), clockwise from the deciding seat.
        players: Seats that are not empty, for each decision or for all.
    """
    payoffs: np.ndarray = ((players * shares[:, 0] - 1.0) / (players - 1.0)).astype(np.float32)
    return payoffs


def value_losses(values: torch.Tensor, minibatch: Examples[torch.Tensor]) -> dict[str, torch.Tensor]:
    """The mean errors of the value: of the own payoff, and, if it answers for every seat, of win shares and points."""
    losses = {"value_loss": (minibatch.returns - values[:, 0]).square().mean()}
    if values.shape[1] > 1:
        wins, points = values[:, 1:].chunk(2, dim=1)
        seated = torch.arange(wins.shape[1]) < minibatch.players[:, None]
        logs = functional.log_softmax(wins.masked_fill(~seated, FORBIDDEN), dim=1)
        losses["wins_loss"] = -(minibatch.shares * logs).sum(dim=1).mean()
        errors = (points - minibatch.points / POINTS_SCALE).square() * seated
        losses["points_loss"] = (errors.sum(dim=1) / minibatch.players).mean()
    return losses
