"""The search through the last round: every action of every seat, each position once.

Nothing is left to chance once the supply of the last round is on the table: after its income only fires follow, in an
order that everybody knows. What a position is worth follows from what those after each action are worth, since the seat
that decides takes what it prefers (max^n, see `payoffs`).
"""

from __future__ import annotations

import numpy as np

from speicher_env.rules.cards import FIRE, KIND_OF
from speicher_env.rules.legal import count_legal, nth_legal
from speicher_env.rules.state import LOADING, OVER
from speicher_env.rules.turn import apply
from speicher_env.solve._jit import jit, jit_inlined
from speicher_env.solve.keys import write_loading_key, write_table_key
from speicher_env.solve.loading import copy_numbers, loading_is_known
from speicher_env.solve.memory import (
    GAINS_FULL,
    LOADINGS_FULL,
    OUT_OF_POSITIONS,
    POSITIONS_FULL,
    SOLVED,
    UNKNOWN,
    Search,
)
from speicher_env.solve.payoffs import choose
from speicher_env.solve.table import find, has_room, put

__all__ = ["evaluate_actions", "is_determined_at"]

ROOT, FIRST = 0, 1


@jit
def is_determined_at(states: np.ndarray, index: int) -> bool:
    """Whether nothing is left to chance in states[index]: a running game whose pile holds fires only."""
    game = states[index]
    if game["phase"] == OVER:
        return False
    for place in range(game["pile_next"], game["pile_size"]):
        if KIND_OF[game["pile"][place]] != FIRE:
            return False
    return True


@jit
def evaluate_actions(search: Search, states: np.ndarray, index: int) -> int:
    """Write what states[index] is worth into worth[ROOT] and its actions into branches[ROOT]; SOLVED, or why not.

    The position must be determined, and the tables must be empty or hold positions of the same round, with the same
    `search.cards`.
    """
    game = states[index]
    actions = count_legal(game)
    for n in range(actions):
        search.games[FIRST] = game
        apply(search.games[FIRST], nth_legal(game, n))
        outcome = evaluate(search)
        if outcome != SOLVED:
            return outcome
        copy_numbers(search.branches[ROOT, n], search.worth[FIRST])
    choose(search.branches[ROOT], actions, game["players"], game["player"], search.worth[ROOT])
    return SOLVED


@jit
def evaluate(search: Search) -> int:
    """Write what games[FIRST] is worth into worth[FIRST]; SOLVED, or why it cannot be.

    A loop over depths: Numba crashes on functions that call themselves when it loads them from its cache.
    """
    depth = FIRST
    entered = False
    while True:
        if not entered:
            outcome = look_up(search, depth)
            search.tried[depth] = 0
        elif search.tried[depth] < count_legal(search.games[depth]):
            search.games[depth + 1] = search.games[depth]
            apply(search.games[depth + 1], nth_legal(search.games[depth], search.tried[depth]))
            depth += 1
            entered = False
            continue
        else:
            outcome = settle(search, depth)
        entered = True
        if outcome == SOLVED:
            if depth == FIRST:
                return SOLVED
            depth -= 1
            copy_numbers(search.branches[depth, search.tried[depth]], search.worth[depth + 1])
            search.tried[depth] += 1
        elif outcome != UNKNOWN:
            return outcome


@jit_inlined
def look_up(search: Search, depth: int) -> int:
    """Write what games[depth] is worth, if that needs no look at its actions; SOLVED, UNKNOWN, or why not to go on."""
    game = search.games[depth]
    if is_loading(game):
        if loading_is_known(search, game, search.worth[depth]):
            return SOLVED
        write_loading_key(search.keys[depth], game, search.cards)
        table = search.loadings
    else:
        write_table_key(search.keys[depth], game, search.cards)
        table = search.positions
    slot = find(table, search.keys[depth])
    if table.keys[slot, 0] != 0:
        copy_numbers(search.worth[depth], table.values[slot])
        return SOLVED
    if search.counts[0] >= search.counts[1]:
        return OUT_OF_POSITIONS
    if search.counts[2] != 0:
        return GAINS_FULL
    return UNKNOWN


@jit_inlined
def settle(search: Search, depth: int) -> int:
    """Write what games[depth] is worth, from what its actions are worth, and keep it in a table."""
    game = search.games[depth]
    actions = search.tried[depth]
    choose(search.branches[depth], actions, game["players"], game["player"], search.worth[depth])
    table = search.loadings if is_loading(game) else search.positions
    if not has_room(table):
        return LOADINGS_FULL if is_loading(game) else POSITIONS_FULL
    put(table, find(table, search.keys[depth]), search.keys[depth], search.worth[depth])
    search.counts[0] += 1
    return SOLVED


@jit
def is_loading(game: np.void) -> bool:
    """Whether the seats load, or are done."""
    return bool(game["phase"] == LOADING or game["phase"] == OVER)
