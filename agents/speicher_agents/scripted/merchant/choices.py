"""`merchant`: knows what everything is worth to everybody, and buys where worth exceeds price.

Every card on the table is valued for every seat (see `valuation`). For each column a worker could go to, each other
seat replies where it gains most, and all cards are sold by backward induction (see `auction`); the worker goes where
that ends best. Purchases weigh buying against passing in the same way. Loading is solved exactly (see `loading`).
"""

from __future__ import annotations

import numpy as np

from speicher_agents._jit import jit
from speicher_agents.scripted.merchant.auction import (
    DESK,
    add_worker,
    balance,
    lay_out,
    let_others_reply,
    note_sale,
    sell_again,
    sell_from,
)
from speicher_agents.scripted.merchant.valuation import (
    SHEET,
    appraise,
    foresee_cubes,
    value_coins,
)
from speicher_agents.scripted.merchant.weights import INDEX
from speicher_agents.scripted.remaining import rounds_to_come
from speicher_env.rules.actions import BUY, PASS, PLACE
from speicher_env.rules.cards import N_CONTRACTS, N_GOODS
from speicher_env.rules.legal import is_legal
from speicher_env.rules.state import EMPTY, IN_PILE

__all__ = ["buy_as_merchant", "merchant_taste", "place_as_merchant"]

_SPITE, _KEEP, _SHELF = INDEX["spite"], INDEX["keep"], INDEX["shelf"]


@jit
def _spite(game: np.void, weights: np.ndarray) -> float:
    """The share of one other seat's gain that counts as own loss."""
    return weights[_SPITE] / (int(game["players"]) - 1)


@jit
def place_as_merchant(game: np.void, weights: np.ndarray) -> int:
    """Place where the round then ends best."""
    return _best_place(game, weights, np.empty(1, dtype=SHEET), np.empty(2, dtype=DESK))


@jit
def _best_place(game: np.void, weights: np.ndarray, sheets: np.ndarray, desks: np.ndarray) -> int:
    """`place_as_merchant` with room for a sheet and two desks."""
    sheet, desk, trial = sheets[0], desks[0], desks[1]
    appraise(game, weights, sheet)
    spite = _spite(game, weights)
    seat = int(game["player"])
    lay_out(game, desk)
    sell_from(game, sheet, desk, 0, spite)
    best = EMPTY
    most = 0.0
    for column in range(int(game["players"]) + 1):
        if not is_legal(game, PLACE + column):
            continue
        desks[1] = desks[0]
        add_worker(trial, seat, column)
        sell_again(sheet, trial, column, spite)
        let_others_reply(game, sheet, trial, seat, spite)
        outcome = balance(game, sheet, trial, seat, 0, spite)
        if best == EMPTY or outcome > most:
            best, most = column, outcome
    return PLACE + best


@jit
def buy_as_merchant(game: np.void, weights: np.ndarray) -> int:
    """Buy if this card and all later ones are then sold more to the seat's liking than after a pass."""
    return _buy_or_pass(game, weights, np.empty(1, dtype=SHEET), np.empty(1, dtype=DESK))


@jit
def _buy_or_pass(game: np.void, weights: np.ndarray, sheets: np.ndarray, desks: np.ndarray) -> int:
    """`buy_as_merchant` with room for a sheet and a desk."""
    sheet, desk = sheets[0], desks[0]
    appraise(game, weights, sheet)
    spite = _spite(game, weights)
    seat = int(game["player"])
    column = int(game["offer"])
    price = int(game["standing"][column])
    lay_out(game, desk)
    note_sale(desk, column, seat, price)
    sell_from(game, sheet, desk, column + 1, spite)
    bought = balance(game, sheet, desk, seat, column, spite)
    lay_out(game, desk)
    desk["standing"][column] -= 1
    for space in range(desk["standing"][column]):
        desk["queue"][column, space] = desk["queue"][column, space + 1]
    sell_from(game, sheet, desk, column, spite)
    passed = balance(game, sheet, desk, seat, column, spite)
    return BUY if bought > passed else PASS


@jit
def merchant_taste(game: np.void, weights: np.ndarray, taste: np.void) -> None:
    """Write what cubes, coins and chances are worth now to the deciding seat, for its loading."""
    _write_taste(game, weights, taste, np.empty(1, dtype=SHEET))


@jit
def _write_taste(game: np.void, weights: np.ndarray, taste: np.void, sheets: np.ndarray) -> None:
    """`merchant_taste` with room for a sheet."""
    sheet = sheets[0]
    value_coins(game, weights, sheet)
    foresee_cubes(game, weights, sheet)
    last = rounds_to_come(game) == 0
    for good in range(N_GOODS):
        taste["chance"][good] = sheet["chance"][good]
        taste["wanted"][good] = 0.0
    for contract in range(N_CONTRACTS):
        if game["owner"][contract] == IN_PILE:
            for good in range(N_GOODS):
                taste["wanted"][good] += game["missing"][contract, good]
    taste["coin"] = sheet["coin"][game["player"]]
    taste["keep"] = 0.0 if last else weights[_KEEP]
    taste["shelf"] = 1.0 if last else weights[_SHELF]
