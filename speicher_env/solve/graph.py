"""All positions of one round, each once, and the actions that lead from one to the next.

Unlike the tables of `search`, which keep what a position is worth, a graph keeps the positions themselves, so that
players can be asked about them. A position comes after all that can follow it, the first position of the round last.
What follows the round's last action is an *end*: the next supply is a matter of chance, or the game is over.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from speicher_env.game import Game
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.cards import CUBES_PER_SHIP, N_CARDS, N_GOODS, SEASON_ORDER
from speicher_env.rules.hidden import conceal
from speicher_env.rules.legal import count_legal, nth_legal
from speicher_env.rules.state import IN_PILE, N_STATE_BYTES, OVER, REMOVED, STATE
from speicher_env.rules.stream import WORD
from speicher_env.rules.turn import apply
from speicher_env.solve._jit import jit
from speicher_env.solve.memory import DEPTH
from speicher_env.solve.table import mixed

__all__ = ["Round", "forget_order", "positions_of_round", "supplies_after"]

_WORDS = N_STATE_BYTES // 8
_LEAST_POSITIONS = 1 << 10
_EDGES = 8
"""Room for this many actions of a position, on average."""
DONE, NO_ROOM = 0, 1


class Round(NamedTuple):
    """The positions of a round from one of them on."""

    states: np.ndarray
    """(positions,) STATE: each after all that can follow it, the first one last."""
    first: np.ndarray
    """(positions + 1,) int64: where the actions of each position begin in `actions`, in action order."""
    actions: np.ndarray
    """(edges,) int16: action ids."""
    after: np.ndarray
    """(edges,) int64: the position that follows, or -1 less the number of an end."""
    ends: np.ndarray
    """(ends,) STATE: the game over, or after a next supply that was drawn in the fixed order of `conceal`."""
    leads_to: np.ndarray
    """(ends, 2) int64: a position and an action of it that leads to each end."""


@jit
def forget_order(states: np.ndarray, index: int) -> None:
    """Put all cards and cubes that were drawn in a fixed order, as `conceal` does for those that are hidden.

    The order of the past, and of the cubes on one ship, makes no difference. Two states after which the same can happen
    are the same record afterwards.
    """
    game = states[index]
    for column in range(game["players"] + 1):
        cargo = game["cargo"][column]
        for last in range(CUBES_PER_SHIP - 1, 0, -1):
            for place in range(last):
                if cargo[place] > cargo[place + 1]:
                    cargo[place], cargo[place + 1] = cargo[place + 1], cargo[place]
    place = 0
    for number in range(N_CARDS):
        card = SEASON_ORDER[number]
        if game["owner"][card] != IN_PILE and game["owner"][card] != REMOVED:
            game["pile"][place] = card
            place += 1
    conceal(game)
    bag = game["bag"]
    drawn = np.zeros(N_GOODS, dtype=np.int64)
    for cube in range(game["bag_next"]):
        drawn[bag[cube]] += 1
    cube = 0
    for good in range(N_GOODS):
        for _ in range(drawn[good]):
            bag[cube] = good
            cube += 1


def positions_of_round(state: np.void, limit: int) -> Round | None:
    """All positions from a state to the end of its round.

    Args:
        state: A running game.
        limit: The most positions.

    Returns:
        The round; None if it has more positions than the limit.
    """
    start = np.array([state])
    forget_order(start, 0)
    room = min(_LEAST_POSITIONS, limit)
    while True:
        states, ends = np.empty(room, dtype=STATE), np.empty(room, dtype=STATE)
        first = np.zeros(room + 1, dtype=np.int64)
        actions, after = np.empty(_EDGES * room, dtype=np.int16), np.empty(_EDGES * room, dtype=np.int64)
        leads_to = np.empty((room, 2), dtype=np.int64)
        counts = np.zeros(2, dtype=np.int64)
        slots = np.zeros((2, 4 << (room - 1).bit_length()), dtype=np.int64)
        if _walk(start, states, first, actions, after, ends, leads_to, counts, slots) == DONE:
            positions, n_ends = counts.tolist()
            edges = first[positions]
            return Round(
                states[:positions].copy(), first[: positions + 1].copy(), actions[:edges].copy(),
                after[:edges].copy(), ends[:n_ends].copy(), leads_to[:n_ends].copy(),
            )  # fmt: skip
        if room >= limit:
            return None
        room = min(4 * room, limit)


def supplies_after(found: Round, end: int) -> dict[bytes, Fraction]:
    """What can follow an end of a round, as bytes of states in the order of `forget_order`, and how likely.

    Supplies that lead to the same position are one. Empty if the game is over.
    """
    if found.ends["phase"][end] == OVER:
        return {}
    position, action = found.leads_to[end].tolist()
    before = Game.from_state(found.states[position])
    supply = before.next_supply
    assert supply is not None, "a running game has a next supply"
    following: dict[bytes, Fraction] = {}
    for names, probability in supply.outcomes():
        game = before.copy()
        game.play(action, supply=names)
        states = np.array([game.state])
        forget_order(states, 0)
        key = states[0].tobytes()
        following[key] = following.get(key, Fraction(0)) + probability
    return following


@jit
def _walk(
    start: np.ndarray,
    states: np.ndarray,
    first: np.ndarray,
    actions: np.ndarray,
    after: np.ndarray,
    ends: np.ndarray,
    leads_to: np.ndarray,
    counts: np.ndarray,
    slots: np.ndarray,
) -> int:
    """Follow every action from start[0], depth first, and write the arrays of a `Round`; DONE or NO_ROOM.

    Args:
        start: One state.
        states: Written, with the arrays that follow.
        first: See `Round`.
        actions: See `Round`.
        after: See `Round`.
        ends: See `Round`.
        leads_to: See `Round`.
        counts: Positions and ends, zeros.
        slots: (2, slots) zeros: hash tables of positions and ends; each number plus 1.
    """
    games = np.empty(DEPTH, dtype=STATE)
    found = np.empty((DEPTH, N_ACTIONS), dtype=np.int64)
    tried = np.zeros(DEPTH, dtype=np.int64)
    games[0] = start[0]
    depth = 0
    while True:
        game = games[depth]
        if tried[depth] < count_legal(game):
            games[depth + 1] = game
            child = games[depth + 1]
            apply(child, nth_legal(game, tried[depth]))
            if child["phase"] == OVER or child["round"] != game["round"]:
                forget_order(games, depth + 1)
                slot, number = _find(slots[1], ends, games, depth + 1)
                if number < 0:
                    number = counts[1]
                    if number == len(ends):
                        return NO_ROOM
                    ends[number] = child
                    slots[1, slot] = number + 1
                    leads_to[number, 0] = -1
                    counts[1] += 1
                found[depth, tried[depth]] = -1 - number
                tried[depth] += 1
                continue
            slot, number = _find(slots[0], states, games, depth + 1)
            if number >= 0:
                found[depth, tried[depth]] = number
                tried[depth] += 1
            else:
                depth += 1
                tried[depth] = 0
            continue
        number = counts[0]
        edge = first[number]
        if number == len(states) or edge + tried[depth] > len(actions):
            return NO_ROOM
        slot, _ = _find(slots[0], states, games, depth)
        states[number] = game
        slots[0, slot] = number + 1
        for n in range(tried[depth]):
            actions[edge + n] = nth_legal(game, n)
            after[edge + n] = found[depth, n]
            end = -1 - found[depth, n]
            if end >= 0 and leads_to[end, 0] < 0:
                leads_to[end, 0] = number
                leads_to[end, 1] = actions[edge + n]
        first[number + 1] = edge + tried[depth]
        counts[0] += 1
        if depth == 0:
            return DONE
        depth -= 1
        found[depth, tried[depth]] = number
        tried[depth] += 1


@jit
def _find(slots: np.ndarray, states: np.ndarray, games: np.ndarray, index: int) -> tuple[int, int]:
    """The slot of games[index] in a hash table, and its number among the states; -1 if it is not there."""
    words = games[index : index + 1].view(np.int64)
    digest = 0
    for word in range(_WORDS):
        digest = mixed(mixed(digest ^ (words[word] & WORD)) ^ ((words[word] >> 32) & WORD))
    last = len(slots) - 1
    slot = digest & last
    while slots[slot] != 0:
        number = slots[slot] - 1
        other = states[number : number + 1].view(np.int64)
        same = True
        for word in range(_WORDS):
            if words[word] != other[word]:
                same = False
                break
        if same:
            return slot, number
        slot = (slot + 1) & last
    return slot, -1
