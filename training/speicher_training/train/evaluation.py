"""Evaluations: how strong a network is on fixed development deals, with one opponent in all other seats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from speicher_agents.baselines import Baseline
from speicher_env.batch import Batch
from speicher_env.batch.opponents import OpponentSpec
from speicher_env.deal import DeckArgument
from speicher_training.arena.seeds import RANGES
from speicher_training.intervals import mean_interval, within

__all__ = ["PlaySeats", "SeatGames", "WinShare", "evaluate", "evaluate_all", "play_seats", "shares_of_seat"]


@dataclass(frozen=True)
class WinShare:
    """The share of the win against one opponent: 1 for every win, 1/n for every win shared by n, 0 for the rest."""

    opponent: str
    players: int
    deals: int
    win_share: float
    low: float
    high: float
    """Ends of a 95 % interval over deals; the seatings of a deal count as one observation."""


class SeatGames(NamedTuple):
    """The games of an evaluation in which the network has one of the seats."""

    opponent: OpponentSpec
    """In all other seats."""
    players: int
    seat: int
    deals: int
    deck: DeckArgument


PlaySeats = Callable[[Baseline, Sequence[SeatGames]], Sequence[np.ndarray]]
"""Plays games with a network and gives, for each entry, its share of the win by deal."""


def shares_of_seat(player: Baseline, games: SeatGames) -> np.ndarray:
    """(deals,): the network's share of the win in each game."""
    deals, players, seat = games.deals, games.players, games.seat
    table: list[OpponentSpec] = [games.opponent] * players
    table[seat] = player
    batch = Batch(deals, players, games.deck, "none", table, "outcome", player.padded, "disabled",
                  figures=player.network.shape.figures)  # fmt: skip
    batch.reset(np.arange(RANGES["development"].start, RANGES["development"].start + deals))
    shares: np.ndarray = (batch.rewards[:, seat] * (players - 1) + 1) / players
    return shares


def play_seats(player: Baseline, games: Sequence[SeatGames]) -> list[np.ndarray]:
    """Play in this process, one seat after the other."""
    return [shares_of_seat(player, each) for each in games]


def evaluate(
    player: Baseline,
    opponent: OpponentSpec,
    players: int,
    deals: int,
    deck: DeckArgument = "standard",
    play: PlaySeats = play_seats,
) -> WinShare:
    """Play the first development deals of the arena, each once from every seat.

    Args:
        player: The network to evaluate.
        opponent: Sits in all other seats.
        players: Number of players.
        deals: Number of deals.
        deck: Dealt from.
        play: Plays the games.
    """
    games = [SeatGames(opponent, players, seat, deals, deck) for seat in range(players)]
    return _win_share(opponent, players, play(player, games))


def evaluate_all(
    player: Baseline,
    opponents: Sequence[str],
    players: Sequence[int],
    deals: int,
    deck: DeckArgument = "standard",
    play: PlaySeats = play_seats,
) -> list[WinShare]:
    """Evaluate a network with each number of players against each opponent; all games are handed to `play` at once."""
    pairs = [(opponent, count) for count in players for opponent in opponents]
    games = [SeatGames(opponent, count, seat, deals, deck) for opponent, count in pairs for seat in range(count)]
    shares = iter(play(player, games))
    return [_win_share(opponent, count, [next(shares) for _ in range(count)]) for opponent, count in pairs]


def _win_share(opponent: OpponentSpec, players: int, shares: Sequence[np.ndarray]) -> WinShare:
    """The result of the games from every seat."""
    share = within(mean_interval(np.mean(shares, axis=0)), 0.0, 1.0)
    name = opponent if isinstance(opponent, str) else getattr(opponent, "name", type(opponent).__name__)
    return WinShare(name, players, len(shares[0]), share["estimate"], share["low"], share["high"])
