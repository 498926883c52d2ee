"""Functions that WebAssembly offers: the verbs on one state, the scripted players, networks, and tree searches.

Each takes pointers into the module's memory and small numbers, and calls the compiled functions that Python uses; there
is nothing of the game in here. `compile.py` turns them into WebAssembly, and `speicher.js` makes JavaScript of them.

Whole numbers are 32-bit, for which JavaScript has a number; seeds are 64-bit, for which it has BigInt.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import carray, types

from speicher_agents.agent import begin_choice
from speicher_agents.baselines import guided
from speicher_agents.baselines.forward import Room, Weights, logit_of, read_row
from speicher_agents.baselines.shape import STACKS
from speicher_agents.scripted import CODES, choose
from speicher_agents.search import playouts, selection, tree
from speicher_agents.search.guided import CONSIDERED, SCALE
from speicher_agents.search.leaves import OutsideLeaves, PlayoutLeaves, add_evaluations, write_expected_payoffs
from speicher_agents.search.mcts import EXPLORATION, MARGIN, PRIOR, ROLLOUT, TRUST
from speicher_agents.search.results import write_preferences
from speicher_agents.search.selection import ByPrior, Halving, begin_halving
from speicher_agents.search.tree import PLANNED, ROOT, Trees, begin_searches
from speicher_agents.search.walk import Rules, grow
from speicher_apps.wasm.signatures import DOUBLES, FLOATS, INT, INTS, LONGS, SEED, STATES, export, pointer
from speicher_env.observation.rows import write_row
from speicher_env.rewards import rank_of
from speicher_env.rules import chance, hidden, turn
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.legal import MASK_WORDS, count_legal, nth_legal, write_mask
from speicher_env.rules.scoring import N_SOURCES, points_by_source
from speicher_env.rules.state import MAX_PLAYERS

__all__ = [
    "arrange_supply", "conceal", "deal", "draw_supply", "evaluate", "guided_grow", "mask", "observe", "redeal", "score",
    "scripted", "search_begin", "search_grow", "search_report", "step",
]  # fmt: skip

_PLAYOUTS = playouts.BUILT_IN[ROLLOUT]
_FIRST_LOOK = CODES[PRIOR]
_GUIDED_ROOT = Halving(CONSIDERED, SCALE)
_FIRST_ROW = np.zeros(1, dtype=np.int64)
N_STACKS = len(STACKS)

_SEARCH = {
    "nodes": pointer(numba.from_dtype(tree.NODE)),
    "capacity": INT,
    "outcomes": INTS,
    "slots": INT,
    "used": LONGS,
    "root": STATES,
    "game": STATES,
    "stream": LONGS,
    "waiting": LONGS,
    "payoffs": DOUBLES,
    "halving": LONGS,
    "candidates": INTS,
    "noise": FLOATS,
}
"""The memory of a search, see `speicher_agents.search.tree.Trees`; `waiting` holds `leaves` and `left`."""

_NETWORK = {
    "numbers": FLOATS,
    "size": INT,
    "table": LONGS,
    "layers": INT,
    "stacks": LONGS,
    "places": LONGS,
    "columns": INT,
    "own": INT,
    "decides": LONGS,
    "count": LONGS,
    "rows": INTS,
    "work": FLOATS,
    "most": INT,
    "row": FLOATS,
    "full": INT,
    "reads": INT,
    "seats": INT,
    "relu": INT,
    "every_seat": INT,
    "sums_to_zero": INT,
}
"""A network with room for one forward pass: the fields of `Judge`, see `networks.py` and `speicher.js`."""

# The game


@export(types.void, STATES, STATES, SEED, INT)
def deal(state: Any, template: Any, seed: Any, first_player: int) -> None:
    """Deal a game from a template; `first_player` -1 leaves it to the seed."""
    turn.deal(carray(state, (1,)), 0, carray(template, (1,)), 0, seed, int(first_player))


@export(INT, STATES, INT)
def step(state: Any, action: int) -> Any:
    """Carry out an action and play on to the next decision; 0, and nothing changed, if it is not legal."""
    return np.int32(turn.step(carray(state, (1,)), 0, int(action)))


@export(types.void, STATES, LONGS)
def mask(state: Any, words: Any) -> None:
    """Write the mask of legal actions, 184 bytes, 1 = legal."""
    write_mask(carray(state, (1,))[0], carray(words, (MASK_WORDS,)).view(np.uint64))


@export(types.void, STATES)
def conceal(state: Any) -> None:
    """Put hidden cards and cubes in a fixed order, and forget the seed."""
    hidden.conceal(carray(state, (1,))[0])


@export(types.void, STATES, SEED)
def redeal(state: Any, seed: Any) -> None:
    """Draw hidden cards and cubes again from a seed."""
    hidden.redeal(carray(state, (1,))[0], seed)


@export(types.void, STATES, SEED)
def draw_supply(state: Any, seed: Any) -> None:
    """Draw again what the next supply will bring, from a seed."""
    chance.draw_supply_at(carray(state, (1,)), 0, seed)


@export(INT, STATES, INTS, INT, INTS, INT, SEED)
def arrange_supply(state: Any, cards: Any, n_cards: int, cubes: Any, n_cubes: int, seed: Any) -> Any:
    """Let the next supply bring given cards and cubes; 0, and nothing changed, if it cannot."""
    brought = carray(cards, (n_cards,)), carray(cubes, (n_cubes,))
    return np.int32(chance.arrange_supply_at(carray(state, (1,)), 0, brought[0], brought[1], seed))


@export(types.void, STATES, INT, INT, FLOATS, INT)
def observe(state: Any, viewer: int, seats: int, row: Any, size: int) -> None:
    """Write what a seat sees, with its figures, into `size` numbers."""
    write_row(carray(state, (1,))[0], int(viewer), int(seats), True, carray(row, (size,)))


@export(types.void, STATES, LONGS, LONGS)
def score(state: Any, points: Any, ranks: Any) -> None:
    """Write points by source, (5, sources), and ranks, (5,), as if the game ended now."""
    game = carray(state, (1,))[0]
    table = carray(points, (MAX_PLAYERS, N_SOURCES))
    places = carray(ranks, (MAX_PLAYERS,))
    for seat in range(game["players"]):
        points_by_source(game, seat, table[seat])
        places[seat] = rank_of(game, seat)


# Players


@export(INT, STATES, INT, SEED, LONGS)
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
    payoffs: Any, halving: Any, candidates: Any, noise: Any,
) -> Trees:  # fmt: skip
    """One search's memory as `tree.py` has it.

    What only other searches than `mcts` and `guided` use shares the room of something else. Nothing may be allocated
    here: while it was kept, the arena of this module could not be emptied.
    """
    pair, shares = carray(waiting, (2,)), carray(payoffs, (3, MAX_PLAYERS))
    return Trees(
        carray(nodes, (1, capacity)),
        carray(outcomes, (1, slots)),
        carray(used, (1, 2)),
        shares[2:],
        carray(noise, (1, N_ACTIONS)),
        carray(candidates, (1, N_ACTIONS)),
        carray(halving, (1, 3)),
        carray(root, (1,)),
        carray(game, (1,)),
        carray(stream, (1, 4)),
        pair[1:2],
        pair[0:1],
        pair[1:2],
        shares[:2],
    )


@export(types.void, *_SEARCH.values(), STATES, SEED)
def search_begin(
    nodes: Any, capacity: int, outcomes: Any, slots: int, used: Any, root: Any, game: Any, stream: Any, waiting: Any,
    payoffs: Any, halving: Any, candidates: Any, noise: Any, state: Any, seed: Any,
) -> None:  # fmt: skip
    """Begin a search from a state; nothing hidden in it is looked at."""
    trees = _trees(
        nodes, capacity, outcomes, slots, used, root, game, stream, waiting, payoffs, halving, candidates, noise
    )
    begin_searches(trees, carray(state, (1,)), seed)
    trees.halving[0, PLANNED] = 0


@export(types.void, *_SEARCH.values(), INT)
def search_grow(
    nodes: Any, capacity: int, outcomes: Any, slots: int, used: Any, root: Any, game: Any, stream: Any, waiting: Any,
    payoffs: Any, halving: Any, candidates: Any, noise: Any, iterations: int,
) -> None:  # fmt: skip
    """Grow the tree of `mcts` by that many iterations, with the settings that it has unless others are asked for."""
    trees = _trees(
        nodes, capacity, outcomes, slots, used, root, game, stream, waiting, payoffs, halving, candidates, noise
    )
    trees.left[0] = iterations
    by_prior = ByPrior(EXPLORATION)
    leaves = PlayoutLeaves(None, _PLAYOUTS, choose, _FIRST_LOOK, TRUST, MARGIN)
    grow(trees, 1, Rules(by_prior, by_prior, 0), leaves)


@export(INT, *_SEARCH.values(), LONGS, LONGS, DOUBLES, DOUBLES, LONGS, INT)
def search_report(
    nodes: Any, capacity: int, outcomes: Any, slots: int, used: Any, root: Any, game: Any, stream: Any, waiting: Any,
    payoffs: Any, halving: Any, candidates: Any, noise: Any, actions: Any, visits: Any, values: Any,
    preferences: Any, line: Any, longest: int,
) -> Any:  # fmt: skip
    """Write the root's actions, their visits, summed payoffs and preferences, and the principal line; how many actions.

    The line begins with the action to play; EMPTY follows its last action unless it has `longest`.
    """
    trees = _trees(
        nodes, capacity, outcomes, slots, used, root, game, stream, waiting, payoffs, halving, candidates, noise
    )
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
    index = selection.best_child(grown, ROOT)
    if grown.halving[PLANNED] > 0:
        index = selection.best_at_root(_GUIDED_ROOT, grown)
        write_preferences(_GUIDED_ROOT, grown, carray(preferences, (count,)))
    else:
        write_preferences(ByPrior(EXPLORATION), grown, carray(preferences, (count,)))
    moves[0] = grown.nodes[index]["action"]
    for place in range(1, longest):
        if not grown.nodes[index]["tried"]:
            break
        index = selection.best_child(grown, index)
        if grown.nodes[index]["visits"] == 0:
            break
        moves[place] = grown.nodes[index]["action"]
    return np.int32(count)


# Networks


class Judge(NamedTuple):
    """A network with its room, and what has to be known of its rows and of its values."""

    weights: Weights
    room: Room
    row: Any
    """Room for a row with figures."""
    reads: int
    """Numbers of a row that the network reads."""
    seats: int
    """Seats that its rows have room for."""
    decides: Any
    """The places that say who decides, the observing seat first."""
    every_seat: bool
    """See `Shape.every_seat`."""
    sums_to_zero: bool
    """Whether payoffs sum to 0."""


@numba.njit(error_model="numpy")  # type: ignore[untyped-decorator]
def _judge(
    numbers: Any, size: int, table: Any, layers: int, stacks: Any, places: Any, columns: int, own: int, decides: Any,
    count: Any, rows: Any, work: Any, most: int, row: Any, full: int, reads: int, seats: int, relu: int,
    every_seat: int, sums_to_zero: int,
) -> Judge:  # fmt: skip
    """The judge in the memory that `speicher.js` has filled."""
    indices, factors = carray(rows, (2 * most,)), carray(work, (6 * most,))
    weights = Weights(
        carray(numbers, (size,)), carray(table, (layers, 5)), carray(stacks, (N_STACKS, 2)),
        carray(places, (columns, own)), relu != 0,
    )  # fmt: skip
    room = Room(
        indices[:most], factors[:most], indices[most:], factors[most : 2 * most], factors[2 * most : 3 * most],
        factors[3 * most : 4 * most], factors[4 * most : 5 * most], factors[5 * most :], carray(count, (1,)),
    )  # fmt: skip
    return Judge(
        weights, room, carray(row, (full,)), reads, seats, carray(decides, (seats,)), every_seat != 0, sums_to_zero != 0
    )


@numba.njit(error_model="numpy")  # type: ignore[untyped-decorator]
def _read(judge: Judge, game: Any, viewer: int, as_if_deciding: bool) -> None:
    """Let the network read what a seat sees."""
    write_row(game, viewer, judge.seats, True, judge.row)
    if as_if_deciding:
        for place in range(judge.decides.size):
            judge.row[judge.decides[place]] = 1.0 if place == 0 else 0.0
    read_row(judge.weights, judge.row[: judge.reads], judge.room)


@numba.njit(error_model="numpy")  # type: ignore[untyped-decorator]
def _write_evaluation(judge: Judge, game: Any, priors: Any, payoffs: Any) -> None:
    """Write what `Baseline.evaluate` says: the probability of each action, and the payoff of each seat."""
    viewer, players = int(game["player"]), int(game["players"])
    _read(judge, game, viewer, False)
    _write_priors(judge, game, priors)
    if judge.every_seat:
        write_expected_payoffs(judge.room.values, viewer, players, payoffs)
        return
    payoffs[viewer] = _within(judge.room.values[0])
    total = np.float32(payoffs[viewer])
    for step in range(1, players):  # of the others it says what it would say if they were to move
        seat = (viewer + step) % players
        if players > 2:
            _read(judge, game, seat, True)
            payoffs[seat] = judge.room.values[0]
            total = np.float32(total + judge.room.values[0])
        else:
            payoffs[seat] = -payoffs[viewer]
    if players > 2:
        more = np.float32(total / (players - 1)) if judge.sums_to_zero else np.float32(0.0)
        for step in range(1, players):
            seat = (viewer + step) % players
            payoffs[seat] = _within(np.float32(np.float32(payoffs[seat]) - more))


@numba.njit(error_model="numpy")  # type: ignore[untyped-decorator]
def _within(payoff: Any) -> float:
    """A payoff within -1..1."""
    return min(max(float(payoff), -1.0), 1.0)


@numba.njit(error_model="numpy")  # type: ignore[untyped-decorator]
def _write_priors(judge: Judge, game: Any, priors: Any) -> None:
    """Write the probability of each action, 0 for illegal ones."""
    priors[:] = 0.0
    highest = -math.inf
    count = count_legal(game)
    for place in range(count):
        action = nth_legal(game, place)
        priors[action] = logit_of(judge.weights, judge.room, action)
        highest = max(highest, priors[action])
    total = 0.0
    for place in range(count):
        action = nth_legal(game, place)
        priors[action] = math.exp(priors[action] - highest)
        total += priors[action]
    for place in range(count):
        priors[nth_legal(game, place)] /= total


@export(types.void, *_NETWORK.values(), STATES, DOUBLES, DOUBLES)
def evaluate(
    numbers: Any, size: int, table: Any, layers: int, stacks: Any, places: Any, columns: int, own: int, decides: Any,
    count: Any, rows: Any, work: Any, most: int, row: Any, full: int, reads: int, seats: int, relu: int,
    every_seat: int, sums_to_zero: int, state: Any, priors: Any, payoffs: Any,
) -> None:  # fmt: skip
    """Write what a network says of a game: the probability of each of the 184 actions, and the payoff of each seat."""
    judge = _judge(
        numbers, size, table, layers, stacks, places, columns, own, decides, count, rows, work, most, row, full, reads,
        seats, relu, every_seat, sums_to_zero,
    )  # fmt: skip
    _write_evaluation(judge, carray(state, (1,))[0], carray(priors, (N_ACTIONS,)), carray(payoffs, (MAX_PLAYERS,)))


@export(types.void, *_SEARCH.values(), *_NETWORK.values(), DOUBLES, DOUBLES, INT, INT)
def guided_grow(
    nodes: Any, capacity: int, outcomes: Any, slots: int, used: Any, root: Any, game: Any, stream: Any, waiting: Any,
    payoffs: Any, halving: Any, candidates: Any, noise: Any, numbers: Any, size: int, table: Any, layers: int,
    stacks: Any, places: Any, columns: int, own: int, decides: Any, count: Any, rows: Any, work: Any, most: int,
    row: Any, full: int, reads: int, seats: int, relu: int, every_seat: int, sums_to_zero: int, priors: Any,
    expected: Any, planned: int, iterations: int,
) -> None:  # fmt: skip
    """Grow the tree of `guided` by that many iterations of those planned, with the settings that it has by default."""
    trees = _trees(
        nodes, capacity, outcomes, slots, used, root, game, stream, waiting, payoffs, halving, candidates, noise
    )
    judge = _judge(
        numbers, size, table, layers, stacks, places, columns, own, decides, count, rows, work, most, row, full, reads,
        seats, relu, every_seat, sums_to_zero,
    )  # fmt: skip
    rules = Rules(_GUIDED_ROOT, ByPrior(guided.EXPLORATION), 0)
    chances, values = carray(priors, (1, N_ACTIONS)), carray(expected, (1, MAX_PLAYERS))
    values = values[:, : trees.roots[0]["players"]]
    trees.left[0] = iterations
    begins = trees.nodes[0, ROOT]["children"] == 0
    while begins or grow(trees, 1, rules, OutsideLeaves(0.0)) > 0:
        _write_evaluation(judge, trees.games[0], chances[0], values[0])
        add_evaluations(trees, _FIRST_ROW, chances, values, guided.TEMPERATURE)
        if begins:
            begin_halving(trees, 1, _GUIDED_ROOT, False)
            trees.halving[0, PLANNED] = planned
        begins = False
