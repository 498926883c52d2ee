"""Games from their seeds and moves: the decisions of some seats in each, as rows and masks to learn from.

A game travels as its seed and one byte for each decision. Playing it again takes microseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from speicher_env._jit import jit
from speicher_env.arguments import check_choice, check_players
from speicher_env.batch.arguments import check_seeds
from speicher_env.batch.memory import templates_of
from speicher_env.deal import DeckArgument
from speicher_env.errors import RecordError
from speicher_env.observation.rows import RowFormat, write_row
from speicher_env.rewards import SCHEMES, rank_of, write_forfeit_rewards, write_rewards
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.legal import MASK_WORDS, is_legal, write_mask
from speicher_env.rules.scoring import points_of
from speicher_env.rules.state import EMPTY, OVER, blank_states
from speicher_env.rules.turn import apply, deal

__all__ = ["Decisions", "replay"]


class Decisions(NamedTuple):
    """The decisions of some seats in some games, one game after the other, each in the order of time."""

    rows: np.ndarray
    """(decisions, size): what the seat saw."""
    masks: np.ndarray
    """(decisions, 184) int8, 1 = legal."""
    actions: np.ndarray
    """(decisions,) uint8: what it did."""
    seats: np.ndarray
    """(decisions,) int8: the seat."""
    counts: np.ndarray
    """(games,) int64: decisions of each game."""
    rewards: np.ndarray
    """(games, players) float32: what each game paid to each seat."""
    points: np.ndarray
    """(games, players) int16: the points at the end."""
    shares: np.ndarray
    """(games, players) float32: each seat's share of the win."""


def replay(
    players: int,
    deck: DeckArgument | Sequence[DeckArgument],
    seeds: np.ndarray | Sequence[int],
    moves: np.ndarray,
    lengths: np.ndarray,
    seats: np.ndarray,
    decisions: int,
    row_format: RowFormat,
    reward: str = "outcome",
) -> Decisions:
    """Play whole games again.

    Args:
        players: 2..5, the same in all games.
        deck: A deck for all games, or a list with one for each.
        seeds: One for each game.
        moves: (all decisions,) uint8: the actions of all seats, one game after the other. A game in which a seat was
            allowed to lose by an illegal action ends with that action.
        lengths: (games,) the actions of each game.
        seats: (games, players) bool: whose decisions are returned.
        decisions: How many these are in all.
        row_format: What a row holds.
        reward: "outcome", "rank" or "margin".

    Raises:
        RecordError: If the moves are not whole games with that many decisions.
    """
    check_players(players)
    scheme = SCHEMES.index(check_choice("reward", reward, SCHEMES))
    numbers = check_seeds(seeds, len(lengths))
    templates, which = templates_of(len(numbers), players, deck)
    found = Decisions(
        rows=row_format.empty(decisions),
        masks=np.empty((decisions, MASK_WORDS), dtype=np.uint64),
        actions=np.empty(decisions, dtype=np.uint8),
        seats=np.empty(decisions, dtype=np.int8),
        counts=np.zeros(len(numbers), dtype=np.int64),
        rewards=np.zeros((len(numbers), players), dtype=np.float32),
        points=np.zeros((len(numbers), players), dtype=np.int16),
        shares=np.zeros((len(numbers), players), dtype=np.float32),
    )
    ends = np.cumsum(lengths, dtype=np.int64)
    viewers = np.ascontiguousarray(seats, dtype=np.bool_)
    fault = 0
    if (ends[-1] if ends.size else 0) == len(moves) and viewers.shape == (len(numbers), players):
        fault = _replay(
            blank_states(1), templates, which, numbers, np.ascontiguousarray(moves, dtype=np.uint8), ends, viewers,
            scheme, row_format.seats, row_format.figures or None, found,
        )  # fmt: skip
    if fault >= 0 or found.counts.sum() != decisions:
        raise RecordError("the moves are not whole games with that many decisions, so they cannot be played again.")
    return found._replace(masks=found.masks.view(np.int8))


@jit
def _replay(
    states: np.ndarray,
    templates: np.ndarray,
    which: np.ndarray,
    seeds: np.ndarray,
    moves: np.ndarray,
    ends: np.ndarray,
    viewers: np.ndarray,
    scheme: int,
    seats: int,
    figures: bool | None,
    found: Decisions,
) -> int:
    """Fill the arrays; the first game whose moves are none, where it stops, or -1."""
    move = 0
    decision = 0
    for place in range(seeds.size):
        deal(states, 0, templates, which[place], seeds[place], EMPTY)
        game = states[0]
        loser = EMPTY
        while move < ends[place]:
            if loser != EMPTY or game["phase"] == OVER:
                return place
            action = moves[move]
            move += 1
            seat = game["player"]
            if viewers[place, seat]:
                if decision == found.actions.size:
                    return place
                write_row(game, seat, seats, figures, found.rows[decision])
                write_mask(game, found.masks[decision])
                found.actions[decision] = action
                found.seats[decision] = seat
                decision += 1
                found.counts[place] += 1
            if action < N_ACTIONS and is_legal(game, action):
                apply(game, action)
            elif viewers[place, seat]:
                loser = seat
            else:
                return place
        if loser != EMPTY:
            write_forfeit_rewards(game["players"], loser, scheme, found.rewards[place])
        elif game["phase"] == OVER:
            write_rewards(game, scheme, found.rewards[place])
        else:
            return place
        write_result(game, loser, found.points[place], found.shares[place])
    return -1


@jit
def write_result(game: np.void, loser: int, points: np.ndarray, shares: np.ndarray) -> None:
    """Write the points and the shares of the win; the other seats share it if one has lost by an illegal action."""
    players = game["players"]
    winners = 0
    for seat in range(players):
        points[seat] = points_of(game, seat)
        winners += seat != loser and (loser != EMPTY or rank_of(game, seat) == 1)
    for seat in range(players):
        is_winner = seat != loser and (loser != EMPTY or rank_of(game, seat) == 1)
        shares[seat] = 1.0 / winners if is_winner else 0.0
