"""The functions that WebAssembly offers: the verbs on one state, the scripted players, and the tree search.

Each takes pointers into the module's memory and small numbers, and calls the compiled functions that Python uses; there
is nothing of the game in here. `compile.py` turns them into WebAssembly, and `speicher.js` makes JavaScript of them.

Whole numbers are 32-bit, for which JavaScript has a number; seeds are 64-bit, for which it has BigInt.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import carray, types

from speicher_agents.agent import begin_choice
from speicher_agents.scripted import CODES, choose
from speicher_agents.search import playouts, selection, tree
from speicher_agents.search.leaves import PlayoutLeaves
from speicher_agents.search.mcts import EXPLORATION, MARGIN, PRIOR, ROLLOUT, TRUST
from speicher_agents.search.results import best_action
from speicher_agents.search.selection import ByPrior
from speicher_agents.search.tree import ROOT, Trees, begin_searches
from speicher_agents.search.walk import Rules, grow
from speicher_env.observation.rows import write_row
from speicher_env.rewards import rank_of
from speicher_env.rules import hidden, turn
from speicher_env.rules.legal import MASK_WORDS, write_mask
from speicher_env.rules.scoring import N_SOURCES, points_by_source
from speicher_env.rules.state import MAX_PLAYERS, STATE

__all__ = ["EXPORTS"]

_int = types.int32
_seed = types.uint64
_pointer = types.CPointer
_state = _pointer(numba.from_dtype(STATE))
_floats = _pointer(types.float32)
_doubles = _pointer(types.float64)
_longs = _pointer(types.int64)
_ints = _pointer(types.int32)

_PLAYOUTS = playouts.BUILT_IN[ROLLOUT]
_FIRST_LOOK = CODES[PRIOR]

_SEARCH = {
    "nodes": _pointer(numba.from_dtype(tree.NODE)),
    "capacity": _int,
    "outcomes": _ints,
    "slots": _int,
    "used": _longs,
    "root": _state,
    "game": _state,
    "stream": _longs,
    "waiting": _longs,
    "payoffs": _doubles,
}
"""The memory of a search, see `speicher_agents.search.tree.Trees`; `waiting` holds `leaves` and `left`."""

EXPORTS: list[tuple[Callable[..., Any], types.Type, tuple[types.Type, ...]]] = []
"""Each function with the types of its result and of its arguments."""


def _export(result: types.Type, *arguments: types.Type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        EXPORTS.append((function, result, arguments))
        return function

    return add


# The game


@_export(types.void, _state, _state, _seed, _int)
def deal(state: Any, template: Any, seed: Any, first_player: int) -> None:
    """Deal a game from a template; `first_player` -1 leaves it to the seed."""
    turn.deal(carray(state, (1,)), 0, carray(template, (1,)), 0, seed, int(first_player))


@_export(_int, _state, _int)
def step(state: Any, action: int) -> Any:
    """Carry out an action and play on to the next decision; 0, and nothing changed, if it is not legal."""
    return np.int32(turn.step(carray(state, (1,)), 0, int(action)))


@_export(types.void, _state, _longs)
def mask(state: Any, words: Any) -> None:
    """Write the mask of legal actions, 184 bytes, 1 = legal."""
    write_mask(carray(state, (1,))[0], carray(words, (MASK_WORDS,)).view(np.uint64))


@_export(types.void, _state)
def conceal(state: Any) -> None:
    """Put hidden cards and cubes in a fixed order, and forget the seed."""
    hidden.conceal(carray(state, (1,))[0])


@_export(types.void, _state, _seed)
def redeal(state: Any, seed: Any) -> None:
    """Draw hidden cards and cubes again from a seed."""
    hidden.redeal(carray(state, (1,))[0], seed)


@_export(types.void, _state, _int, _int, _floats, _int)
def observe(state: Any, viewer: int, seats: int, row: Any, size: int) -> None:
    """Write what a seat sees, with its figures, into `size` numbers."""
    write_row(carray(state, (1,))[0], int(viewer), int(seats), True, carray(row, (size,)))


@_export(types.void, _state, _longs, _longs)
def score(state: Any, points: Any, ranks: Any) -> None:
    """Write points by source, (5, sources), and ranks, (5,), as if the game ended now."""
    game = carray(state, (1,))[0]
    table = carray(points, (MAX_PLAYERS, N_SOURCES))
    places = carray(ranks, (MAX_PLAYERS,))
    for seat in range(game["players"]):
        points_by_source(game, seat, table[seat])
        places[seat] = rank_of(game, seat)


# Players


@_export(_int, _state, _int, _seed, _longs)
def scripted(state: Any, code: int, seed: Any, stream: Any) -> Any:
    """The action of the scripted player with that code; conceals the state, so that the player sees nothing hidden."""
    states = carray(state, (1,))
    hidden.conceal(states[0])
    drawn = carray(stream, (4,))
    begin_choice(states, 0, seed, drawn)
    return np.int32(choose(states[0], int(code), drawn))


@numba.njit(error_model="numpy")  # type: ignore[untyped-decorator]  # compiled into the module alone
def _trees(
    nodes: Any, capacity: int, outcomes: Any, slots: int, used: Any, root: Any, game: Any, stream: Any, waiting: Any,
    payoffs: Any,
) -> Trees:  # fmt: skip
    """One search's memory as `tree.py` has it.

    What only other searches than `mcts` use has no room or shares that of something else. Nothing may be allocated
    here: while it was kept, the arena of this module could not be emptied.
    """
    pair = carray(waiting, (2,))
    return Trees(
        carray(nodes, (1, capacity)),
        carray(outcomes, (1, slots)),
        carray(used, (1, 2)),
        carray(payoffs, (1, MAX_PLAYERS)),
        carray(outcomes, (1, 0)).view(np.float32),
        carray(outcomes, (1, 0)),
        carray(used, (1, 0)),
        carray(root, (1,)),
        carray(game, (1,)),
        carray(stream, (1, 4)),
        pair[1:2],
        pair[0:1],
        pair[1:2],
        carray(payoffs, (2, MAX_PLAYERS)),
    )


@_export(types.void, *_SEARCH.values(), _state, _seed)
def search_begin(
    nodes: Any, capacity: int, outcomes: Any, slots: int, used: Any, root: Any, game: Any, stream: Any, waiting: Any,
    payoffs: Any, state: Any, seed: Any,
) -> None:  # fmt: skip
    """Begin a search from a state; nothing hidden in it is looked at."""
    trees = _trees(nodes, capacity, outcomes, slots, used, root, game, stream, waiting, payoffs)
    begin_searches(trees, carray(state, (1,)), seed)


@_export(types.void, *_SEARCH.values(), _int)
def search_grow(
    nodes: Any, capacity: int, outcomes: Any, slots: int, used: Any, root: Any, game: Any, stream: Any, waiting: Any,
    payoffs: Any, iterations: int,
) -> None:  # fmt: skip
    """Grow the tree of `mcts` by that many iterations, with the settings that it has unless others are asked for."""
    trees = _trees(nodes, capacity, outcomes, slots, used, root, game, stream, waiting, payoffs)
    trees.left[0] = iterations
    by_prior = ByPrior(EXPLORATION)
    leaves = PlayoutLeaves(None, _PLAYOUTS, choose, _FIRST_LOOK, TRUST, MARGIN)
    grow(trees, 1, Rules(by_prior, by_prior, 0), leaves)


@_export(_int, *_SEARCH.values(), _longs, _longs, _doubles, _longs, _int)
def search_report(
    nodes: Any, capacity: int, outcomes: Any, slots: int, used: Any, root: Any, game: Any, stream: Any, waiting: Any,
    payoffs: Any, actions: Any, visits: Any, values: Any, line: Any, longest: int,
) -> Any:  # fmt: skip
    """Write the actions of the root, their visits and summed payoffs, and the principal line; how many actions.

    The line begins with the action to play; EMPTY follows its last action unless it has `longest`.
    """
    trees = _trees(nodes, capacity, outcomes, slots, used, root, game, stream, waiting, payoffs)
    grown = tree.tree_in(trees, 0)
    top = grown.nodes[ROOT]
    count = int(top["children"])
    ids, tried, sums = carray(actions, (count,)), carray(visits, (count,)), carray(values, (count, MAX_PLAYERS))
    for place in range(count):
        child = grown.nodes[top["first"] + place]
        ids[place] = child["action"]
        tried[place] = child["visits"]
        for seat in range(MAX_PLAYERS):
            sums[place, seat] = child["value"][seat]
    moves = carray(line, (longest,))
    moves[:] = -1
    moves[0] = best_action(ByPrior(EXPLORATION), trees, 0)
    index = selection.best_child(grown, ROOT)
    for place in range(1, longest):
        if not grown.nodes[index]["tried"]:
            break
        index = selection.best_child(grown, index)
        if grown.nodes[index]["visits"] == 0:
            break
        moves[place] = grown.nodes[index]["action"]
    return np.int32(count)
