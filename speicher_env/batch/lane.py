"""What a batch keeps for each of its games beside the state: one NumPy record, a lane."""

from __future__ import annotations

import numpy as np

from speicher_env.rules.cards import CUBES_PER_SHIP, N_CARDS, N_FIRES
from speicher_env.rules.scoring import N_SOURCES
from speicher_env.rules.state import MARKET_HALL_SPACE, MAX_PLAYERS, MIN_PLAYERS, WAREHOUSE_SPACE, WORKERS

__all__ = [
    "ALL_SEATS", "CALLER", "DRAWN_SEAT", "FIXED_SEAT", "LANE", "MAX_DECISIONS", "NOBODY", "NO_SEAT", "OUTSIDE",
    "RANDOM", "ROTATING_SEAT",
]  # fmt: skip

# Who decides for a seat (field `controller`): CALLER asks whoever steps the batch. Players that are compiled into the
# step have codes >= 0. The k-th player outside of it has the code OUTSIDE - k.
CALLER, OUTSIDE = -1, -2
NOBODY = -32768
"""In place of a code where a game is over."""
RANDOM = 0
"""Code of the uniformly random player, which the batch itself knows."""

# How the caller's seat is chosen for each game (field `seat_rule`).
ALL_SEATS, FIXED_SEAT, ROTATING_SEAT, DRAWN_SEAT, NO_SEAT = 0, 1, 2, 3, 4

# Each round a seat places its workers, is asked once for each, and loads. All loading actions but `end` take cubes from
# those that the seat had kept and those on ships bought this round.
_PER_SEAT_AND_ROUND = 2 * WORKERS + WAREHOUSE_SPACE + MARKET_HALL_SPACE + CUBES_PER_SHIP * WORKERS + 1
MAX_DECISIONS = _PER_SEAT_AND_ROUND * max(
    players * ((N_CARDS - N_FIRES) // (players + 1)) for players in range(MIN_PLAYERS, MAX_PLAYERS + 1)
)
"""No game has more decisions than this (840)."""

LANE = np.dtype(
    [
        ("stream", np.int64, (4,)),  # of players compiled into the step, started anew from the seed of each game
        ("decisions", np.int64),  # played since the batch was made, by all seats
        ("first_player", np.int8),  # seat that begins every game, EMPTY to draw it
        ("seat_rule", np.int8),  # ALL_SEATS, FIXED_SEAT, ROTATING_SEAT, DRAWN_SEAT, NO_SEAT
        ("seat", np.int8),  # the caller's seat in this game; 0 with ALL_SEATS and NO_SEAT
        ("controller", np.int16, (MAX_PLAYERS,)),  # of each seat in this game
        ("opponents", np.int16, (MAX_PLAYERS,)),  # from the next deal on: controllers of the seats after the caller's;
        # with NO_SEAT of all seats, from seat 0
        ("template", np.int32),  # which template, so which deck, the next game is dealt from
        ("length", np.int32),  # decisions of the caller in this game
        ("moves", np.int16),  # decisions of all seats in this game that were logged
        ("refused", np.int64),  # the illegal answer of a compiled player, where one has stopped the lane
        # How the last step ended the game, if it did. Kept until the next step of the lane.
        ("ended", np.bool_),
        ("lost_illegally", np.bool_),  # the caller lost the game by an illegal action
        ("forfeited_by", np.int8),  # the seat that lost the game by failing to choose a legal action, else EMPTY
        ("illegal", np.int32),  # illegal actions of the caller replaced by random ones in this game
        ("reward", np.float32, (MAX_PLAYERS,)),  # of each seat; zeros before the end
        ("points", np.int16, (MAX_PLAYERS, N_SOURCES)),  # by source
        ("coins", np.int16, (MAX_PLAYERS,)),
        ("rank", np.int8, (MAX_PLAYERS,)),  # 1 is best, ties share
        ("ended_seat", np.int8),  # the caller's seat in the game that ended
        ("ended_length", np.int32),
        ("ended_moves", np.int16),
        ("ended_illegal", np.int32),
        ("ended_seed", np.uint64),
    ],
    align=True,
)
