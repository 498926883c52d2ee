"""Purchase: card by card, each worker in turn, at a price that falls by one with every refusal."""

from __future__ import annotations

import numpy as np

from speicher_env._jit import jit
from speicher_env.rules.actions import BUY, PASS
from speicher_env.rules.cards import (
    COUNTING_OFFICE,
    CUBES_PER_SHIP,
    FIREMAN,
    FIREMAN_1,
    KIND_OF,
    SHIP,
)
from speicher_env.rules.state import DISCARDED, EMPTY, PURCHASE

__all__ = ["begin_purchase", "buy_offer", "pass_offer", "purchase_decision"]

_BUY_OR_PASS = np.uint64((1 << BUY) | (1 << PASS))


@jit
def begin_purchase(game: np.void) -> None:
    """Cards are offered from the left."""
    game["phase"] = PURCHASE
    game["offer"] = 0


@jit
def purchase_decision(game: np.void) -> bool:
    """Find the next worker whose owner can pay; False once every card is dealt with.

    An owner who cannot pay is skipped. A card is discarded when no worker is left above it.
    """
    while game["offer"] <= game["players"]:
        column = game["offer"]
        if game["card"][column] != EMPTY:
            while game["standing"][column] > 0:
                seat = game["queue"][column, 0]
                if game["coins"][seat] >= game["standing"][column]:
                    game["player"] = seat
                    game["legal"][0] = _BUY_OR_PASS
                    return True
                withdraw_lowest(game, column)
            discard_card(game, column)
        game["offer"] += 1
    game["offer"] = EMPTY
    return False


@jit
def withdraw_lowest(game: np.void, column: int) -> None:
    """The lowest worker goes back to its owner; the others move down and the price falls by 1."""
    queue = game["queue"][column]
    left = game["standing"][column] - 1
    game["workers"][queue[0]] += 1
    for space in range(left):
        queue[space] = queue[space + 1]
    queue[left] = EMPTY
    game["standing"][column] = left


@jit
def clear_column(game: np.void, column: int) -> None:
    """The card is gone: all its workers leave, no cubes stay."""
    queue = game["queue"][column]
    for space in range(game["standing"][column]):
        game["workers"][queue[space]] += 1
        queue[space] = EMPTY
    game["standing"][column] = 0
    game["card"][column] = EMPTY
    for place in range(CUBES_PER_SHIP):
        game["cargo"][column, place] = EMPTY


@jit
def discard_card(game: np.void, column: int) -> None:
    """A card that nobody buys is discarded; cubes on a discarded ship go to the stock."""
    card = game["card"][column]
    game["owner"][card] = DISCARDED
    if KIND_OF[card] == SHIP:
        for place in range(CUBES_PER_SHIP):
            game["stock"][game["cargo"][column, place]] += 1
    clear_column(game, column)


@jit
def buy_offer(game: np.void) -> None:
    """The deciding seat pays the price and owns the card; it works from now on."""
    seat = game["player"]
    column = game["offer"]
    card = game["card"][column]
    kind = KIND_OF[card]
    game["coins"][seat] -= game["standing"][column]
    game["owner"][card] = seat
    game["bought"][seat] += 1
    if kind == FIREMAN:
        game["firemen"][seat] += game["fireman_value"][card - FIREMAN_1]
    elif kind == COUNTING_OFFICE:
        game["offices"][seat] += 1
    elif kind == SHIP:
        game["ships"][seat] += 1
        for place in range(CUBES_PER_SHIP):
            game["aboard"][seat, game["cargo"][column, place]] += 1
    clear_column(game, column)


@jit
def pass_offer(game: np.void) -> None:
    """The deciding seat takes its worker back."""
    withdraw_lowest(game, game["offer"])
