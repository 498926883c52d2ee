"""Which seat of a game is the learner's, where an environment has one learner."""

from __future__ import annotations

from speicher_env.arguments import check_players, is_whole
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be, nearest

__all__ = ["ONE_SEAT", "check_one_seat"]

ONE_SEAT = ("rotating", "random")


def check_one_seat(seat: object, num_players: object, otherwise: str = "") -> int | str:
    """The learner's seat: 0..num_players-1, "rotating" or "random"; `otherwise` ends the message that refuses "all"."""
    players = check_players(num_players)
    if is_whole(seat) and 0 <= seat < players:
        return int(seat)
    if isinstance(seat, str) and seat in ONE_SEAT:
        return seat
    hint = otherwise if isinstance(seat, str) and seat == "all" else nearest(seat, ONE_SEAT)
    raise ArgumentError(must_be("seat", seat, f'a seat 0..{players - 1}, "rotating" or "random"{hint}'))
