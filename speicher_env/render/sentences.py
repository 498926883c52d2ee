"""The round, the question to the player to move, and the result, in sentences that all pictures share."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from speicher_env.messages import listed
from speicher_env.render.words import column_in_words, counted, seat_name
from speicher_env.rules.cards import N_FIRES, SEASON_NAMES, SEASON_OF
from speicher_env.rules.loading import capacity
from speicher_env.rules.scoring import N_SOURCES, points_by_source, points_of, ranking_key
from speicher_env.rules.state import DEMAND, OVER, PURCHASE, WORKERS

__all__ = [
    "points", "question", "question_to_you", "result", "season_name_now", "season_now", "sentence", "standing",
    "winners",
]  # fmt: skip


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
    """The question to the player to move, in the third person, without its full stop."""
    seat = int(state["player"])
    who = seat_name(seat, you)
    if state["phase"] == DEMAND:
        return f"{who} places its {_worker_now(state)} above a card"
    if state["phase"] == PURCHASE:
        column = int(state["offer"])
        return f"{who} may buy {column_in_words(state, column)} in column {column} for {_price_now(state, 'its')}"
    asked = f"{who} is loading: it has {_cubes_now(state)}"
    players = int(state["players"])
    later = [(seat + step) % players for step in range(1, players - int(state["loaded"]))]
    return f"{asked}; after it {names(later, you)}" if later else asked


def question_to_you(state: np.void) -> str:
    """The question to the player to move, in the second person: a whole sentence."""
    if state["phase"] == DEMAND:
        return f"Place your {_worker_now(state)}."
    if state["phase"] == PURCHASE:
        return f"Buy {column_in_words(state, int(state['offer']))} for {_price_now(state, 'your')}?"
    return f"Load: you have {_cubes_now(state)}."


def _worker_now(state: np.void) -> str:
    return f"{('1st', '2nd', '3rd')[WORKERS - int(state['workers'][state['player']])]} worker of {WORKERS}"


def _price_now(state: np.void, whose: str) -> str:
    coins = counted(int(state["coins"][state["player"]]), "coin")
    return f"{state['standing'][state['offer']]} of {whose} {coins}"


def _cubes_now(state: np.void) -> str:
    seat = int(state["player"])
    return f"{counted(int(state['cubes'][seat].sum()), 'cube')} and room for {int(capacity(state, seat))}"


def winners(state: np.void) -> list[int]:
    """The seats with the best points and coins, ascending, as if the game ended now."""
    keys = [int(ranking_key(state, seat)) for seat in range(int(state["players"]))]
    return [seat for seat, key in enumerate(keys) if key == max(keys)]


def points(state: np.void, seat: int) -> list[int]:
    """Points of a seat by source, as if the game ended now."""
    out = np.zeros(N_SOURCES, dtype=np.int64)
    points_by_source(state, seat, out)
    by_source: list[int] = out.tolist()
    return by_source


def result(state: np.void, you: int | None = None) -> str:
    """The winners, their points, and what broke a tie; without its full stop."""
    best = winners(state)
    total = int(points_of(state, best[0]))
    verb = "wins" if len(best) == 1 else "share the win"
    words = f"{names(best, you)} {verb} with {counted(total, 'point')}"
    level = [seat for seat in range(int(state["players"])) if points_of(state, seat) == total]
    if len(level) > 1:
        words += f" and {counted(int(state['coins'][best[0]]), 'coin')}"
    poorer = [seat for seat in level if seat not in best]
    if poorer:
        words += f"; {names(poorer, you)} {'has' if len(poorer) == 1 else 'have'} as many points and fewer coins"
    return words


def names(seats: Iterable[int], you: int | None) -> str:
    """Seats in a sentence."""
    return listed([seat_name(seat, you) for seat in seats])


def sentence(words: str) -> str:
    """Words with a capital letter and a full stop."""
    return f"{words[0].upper()}{words[1:]}."
