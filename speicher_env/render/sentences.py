"""Where a game stands and how it ended, in whole sentences that every kind of picture shares."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from speicher_env.messages import listed
from speicher_env.render.words import column_in_words, counted, seat_name
from speicher_env.rules.cards import N_FIRES, SEASON_NAMES, SEASON_OF
from speicher_env.rules.loading import capacity
from speicher_env.rules.scoring import points_of, ranking_key
from speicher_env.rules.state import DEMAND, OVER, PURCHASE, WORKERS


def standing(state: np.void) -> str:
    """'Round 5 of 12', or that the game is over."""
    if state["phase"] == OVER:
        return f"The game is over after {counted(int(state['round']), 'round')}"
    rounds = (int(state["pile_size"]) - N_FIRES) // (int(state["players"]) + 1)
    return f"Round {state['round']} of {rounds}"


def season_now(state: np.void) -> int:
    """The season of the card revealed last: 0 = winter."""
    return int(SEASON_OF[state["pile"][state["pile_next"] - 1]])


def season_name_now(state: np.void) -> str:
    """The season of the card revealed last, by name."""
    return SEASON_NAMES[season_now(state)]


def question(state: np.void, you: int | None = None) -> str:
    """What the deciding seat is asked, without its full stop."""
    seat = int(state["player"])
    who = seat_name(seat, you)
    if state["phase"] == DEMAND:
        worker = ("1st", "2nd", "3rd")[WORKERS - int(state["workers"][seat])]
        return f"{who} places its {worker} worker of {WORKERS} above a card"
    if state["phase"] == PURCHASE:
        column = int(state["offer"])
        price = f"{state['standing'][column]} of its {counted(int(state['coins'][seat]), 'coin')}"
        return f"{who} may buy {column_in_words(state, column)} in column {column} for {price}"
    cubes, room = counted(int(state["cubes"][seat].sum()), "cube"), int(capacity(state, seat))
    asked = f"{who} is loading: it has {cubes} and room for {room}"
    players = int(state["players"])
    later = [(seat + step) % players for step in range(1, players - int(state["loaded"]))]
    return f"{asked}; after it {names(later, you)}" if later else asked


def result(state: np.void, you: int | None = None) -> str:
    """Who won, with how much, and what broke a tie; without its full stop."""
    seats = range(int(state["players"]))
    keys = [int(ranking_key(state, seat)) for seat in seats]
    winners = [seat for seat in seats if keys[seat] == max(keys)]
    points = int(points_of(state, winners[0]))
    verb = "wins" if len(winners) == 1 else "share the win"
    told = f"{names(winners, you)} {verb} with {counted(points, 'point')}"
    level = [seat for seat in seats if points_of(state, seat) == points]
    if len(level) > 1:
        told += f" and {counted(int(state['coins'][winners[0]]), 'coin')}"
    poorer = [seat for seat in level if seat not in winners]
    if poorer:
        told += f"; {names(poorer, you)} {'has' if len(poorer) == 1 else 'have'} as many points and fewer coins"
    return told


def names(seats: Iterable[int], you: int | None) -> str:
    """Seats in a sentence."""
    return listed([seat_name(seat, you) for seat in seats])


def sentence(words: str) -> str:
    """Words with a capital letter and a full stop."""
    return f"{words[0].upper()}{words[1:]}."
