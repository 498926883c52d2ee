"""Public facts of a state that several parts of the drawing show, as plain Python values."""

from __future__ import annotations

import numpy as np

from speicher_env.rules.cards import GOODS, KIND_OF, N_CARDS, N_CONTRACTS, SEASON_OF
from speicher_env.rules.state import EMPTY, IN_PILE

__all__ = ["by_kind", "goods_of", "in_bag", "in_pile", "owned", "queue"]


def goods_of(amounts: np.ndarray) -> list[int]:
    """The goods of single cubes, in the order of the goods."""
    return [good for good in range(len(GOODS)) for _ in range(int(amounts[good]))]


def in_bag(state: np.void) -> list[int]:
    """Cubes left in the bag, counted by good; their order stays hidden."""
    left = state["bag"][state["bag_next"] :].tolist()
    return [left.count(good) for good in range(len(GOODS))]


def in_pile(state: np.void, season: int) -> list[int]:
    """Cards of a season that are still in the pile, in card order."""
    return [card for card in range(N_CARDS) if state["owner"][card] == IN_PILE and SEASON_OF[card] == season]


def by_kind(cards: list[int]) -> list[tuple[int, list[int]]]:
    """Cards grouped by kind, in the order of the kinds."""
    kinds: dict[int, list[int]] = {}
    for card in cards:
        kinds.setdefault(int(KIND_OF[card]), []).append(card)
    return sorted(kinds.items())


def owned(state: np.void, seat: int) -> tuple[list[int], list[int]]:
    """Contracts of a seat, and its other cards."""
    cards = [card for card in range(N_CARDS) if state["owner"][card] == seat]
    return [card for card in cards if card < N_CONTRACTS], [card for card in cards if card >= N_CONTRACTS]


def queue(state: np.void, column: int) -> list[int]:
    """Seats of the workers above a card, lowest first."""
    return [int(seat) for seat in state["queue"][column] if seat != EMPTY]
