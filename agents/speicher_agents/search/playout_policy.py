"""Casual play for playouts: random, without the follies that random play commits most.

It places workers at random, buys the more gladly the smaller a part of its purse the price is, delivers and sells
every cube that it can, and trades what it cannot keep. It knows no card's worth: it is fast and leans to no plan.
"""

from __future__ import annotations

import numpy as np

from speicher_agents.search._jit import jit
from speicher_env._machine import count_bits
from speicher_env.batch.step import random_action
from speicher_env.rules.actions import BUY, CONVERT, DELIVER, DISCARD, END, N_ACTIONS, PASS, SELL, TRADE
from speicher_env.rules.legal import ONE, ZERO, is_legal
from speicher_env.rules.state import LEGAL_WORDS, LOADING, PURCHASE
from speicher_env.rules.stream import below

__all__ = ["casual_action"]

RESERVE = 2
"""Of a purse of `coins` a price of `price` is refused with a probability of price / (coins + RESERVE)."""


def _words(first: int, behind: int) -> np.ndarray:
    """The actions first..behind-1 as words of legal actions."""
    bits = np.zeros(LEGAL_WORDS * 64, dtype=np.uint8)
    bits[first:behind] = 1
    return np.packbits(bits, bitorder="little").view("<u8").astype(np.uint64)


assert DELIVER < SELL < CONVERT <= 64 <= 128 <= TRADE < DISCARD <= N_ACTIONS  # words that the masks below lie in
_DELIVERIES = _words(DELIVER, SELL)[0]
_SALES = _words(SELL, CONVERT)[0]
_TRADES = _words(TRADE, DISCARD)[2]


@jit
def casual_action(game: np.void, stream: np.ndarray) -> int:
    """An action of the deciding seat."""
    if game["phase"] == PURCHASE:
        price = game["standing"][game["offer"]]
        refusal, after = below((stream[0], stream[1], stream[2], stream[3]), game["coins"][game["player"]] + RESERVE)
        stream[0], stream[1], stream[2], stream[3] = after
        return BUY if refusal >= price else PASS
    if game["phase"] == LOADING:
        deliveries = game["legal"][0] & _DELIVERIES
        if deliveries != ZERO:
            return lowest_bit(deliveries)
        sales = game["legal"][0] & _SALES
        if sales != ZERO:
            return lowest_bit(sales)
        if is_legal(game, END):
            return END
        return 128 + random_bit(game["legal"][2] & _TRADES, stream)
    return random_action(game, stream)


@jit
def lowest_bit(word: np.uint64) -> int:
    """The number of the lowest bit that is set."""
    return count_bits((word & (~word + ONE)) - ONE)


@jit
def random_bit(word: np.uint64, stream: np.ndarray) -> int:
    """The number of a bit that is set, drawn at random; at least one must be."""
    pick, after = below((stream[0], stream[1], stream[2], stream[3]), count_bits(word))
    stream[0], stream[1], stream[2], stream[3] = after
    for _ in range(pick):
        word = word & (word - ONE)
    return lowest_bit(word)
