"""Games from their seeds and moves: the decisions of one seat in each, as rows and masks to learn from.

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
from speicher_env.rewards import SCHEMES, write_forfeit_rewards, write_rewards
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.legal import MASK_WORDS, is_legal, write_mask
from speicher_env.rules.state import EMPTY, MAX_PLAYERS, OVER, blank_states
from speicher_env.rules.turn import apply, deal

__all__ = ["Decisions", "replay"]


class Decisions(NamedTuple):
    """The decisions of one seat in each of some games, one game after the other, each in the order of time."""

    rows: np.ndarray
    """(decisions, size): what the seat saw."""
    masks: np.ndarray
    """(decisions, 184) int8, 1 = legal."""
    actions: np.ndarray
    """(decisions,) uint8: what it did."""
    counts: np.ndarray
    """(games,) int64: decisions of each game."""
    rewards: np.ndarray
    """(games,) float32: what each game paid to the seat."""


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
        moves: (all decisions,) uint8: the actions of all seats, one game after the other. A game in which the seat was
            allowed to lose by an illegal action ends with that action.
        lengths: (games,) the actions of each game.
        seats: (games,) whose decisions are returned.
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
    rows = row_format.empty(decisions)
    masks = np.empty((decisions, MASK_WORDS), dtype=np.uint64)
    actions = np.empty(decisions, dtype=np.uint8)
    counts = np.zeros(len(numbers), dtype=np.int64)
    rewards = np.zeros((len(numbers), MAX_PLAYERS), dtype=np.float32)
    ends = np.cumsum(lengths, dtype=np.int64)
    viewers = np.ascontiguousarray(seats, dtype=np.int64)
    fault = len(numbers)
    if (ends[-1] if ends.size else 0) == len(moves) and ((viewers >= 0) & (viewers < players)).all():
        fault = _replay(
            blank_states(1), templates, which, numbers, np.ascontiguousarray(moves, dtype=np.uint8), ends, viewers,
            scheme, row_format.seats, row_format.figures or None, counts, rows, masks, actions, rewards,
        )  # fmt: skip
    if fault >= 0 or counts.sum() != decisions:
        raise RecordError("the moves are not whole games with that many decisions, so they cannot be played again.")
    own: np.ndarray = rewards[np.arange(len(numbers)), viewers]
    return Decisions(rows, masks.view(np.int8), actions, counts, own)


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
    counts: np.ndarray,
    rows: np.ndarray,
    masks: np.ndarray,
    actions: np.ndarray,
    rewards: np.ndarray,
) -> int:
    """Fill the arrays; the first game whose moves are none, where it stops, or -1."""
    move = 0
    decision = 0
    for place in range(seeds.size):
        deal(states, 0, templates, which[place], seeds[place], EMPTY)
        game = states[0]
        viewer = viewers[place]
        lost = False
        while move < ends[place]:
            if lost or game["phase"] == OVER:
                return place
            action = moves[move]
            move += 1
            if game["player"] == viewer:
                if decision == rows.shape[0]:
                    return place
                write_row(game, viewer, seats, figures, rows[decision])
                write_mask(game, masks[decision])
                actions[decision] = action
                decision += 1
                counts[place] += 1
            if action < N_ACTIONS and is_legal(game, action):
                apply(game, action)
            elif game["player"] == viewer:
                lost = True
            else:
                return place
        if lost:
            write_forfeit_rewards(game["players"], viewer, scheme, rewards[place])
        elif game["phase"] == OVER:
            write_rewards(game, scheme, rewards[place])
        else:
            return place
    return -1
