"""The next supply as chance: draw it again, or put given cards and cubes where it will find them.

The hidden order of the pile and the bag decides what a supply brings (see `hidden`). Both functions here only change
places within that order, so everything public stays as it is. They are for searches that treat a supply as a chance
event: no other hidden card or cube needs to be drawn for it.
"""

from __future__ import annotations

import numpy as np

from speicher_env._jit import jit
from speicher_env.rules.cards import CUBES_PER_SHIP, FIRE, KIND_OF, N_CARDS, N_CUBES, N_GOODS, SEASON_OF, SHIP
from speicher_env.rules.state import IN_PILE
from speicher_env.rules.stream import SUPPLY_STREAM, Seed, Stream, below, start_stream

__all__ = ["arrange_supply_at", "draw_supply", "draw_supply_at"]


@jit
def draw_supply(game: np.void, stream: Stream) -> Stream:
    """Draw again what the next supply will bring, each with its true probability; returns the stream after it."""
    pile = game["pile"]
    bag = game["bag"]
    size = int(game["pile_size"])
    place = int(game["pile_next"])
    columns = 0
    ships = 0
    while columns <= game["players"] and place < size:
        stop = place + 1
        while stop < size and SEASON_OF[pile[stop]] == SEASON_OF[pile[place]]:
            stop += 1
        pick, stream = below(stream, stop - place)
        pile[place], pile[place + pick] = pile[place + pick], pile[place]
        columns += KIND_OF[pile[place]] != FIRE
        ships += KIND_OF[pile[place]] == SHIP
        place += 1
    first_cube = int(game["bag_next"])
    for cube in range(first_cube, first_cube + CUBES_PER_SHIP * ships):
        pick, stream = below(stream, N_CUBES - cube)
        bag[cube], bag[cube + pick] = bag[cube + pick], bag[cube]
    return stream


@jit
def supply_fits(game: np.void, cards: np.ndarray, cubes: np.ndarray) -> bool:
    """Whether the next supply can bring these cards, in this order, and these cubes.

    Args:
        game: A state.
        cards: Card numbers in the order in which they are revealed, fires included.
        cubes: Goods in the order in which they are drawn, three for each ship.
    """
    size = int(game["pile_size"])
    top = int(game["pile_next"])
    if len(cards) > size - top:
        return False
    columns = 0
    ships = 0
    for index in range(len(cards)):
        card = cards[index]
        if columns > game["players"] or card < 0 or card >= N_CARDS or game["owner"][card] != IN_PILE:
            return False
        # Which season lies at a place of the pile is public; only the order within it is hidden.
        if SEASON_OF[card] != SEASON_OF[game["pile"][top + index]]:
            return False
        for earlier in range(index):
            if cards[earlier] == card:
                return False
        columns += KIND_OF[card] != FIRE
        ships += KIND_OF[card] == SHIP
    if columns <= game["players"] and top + len(cards) < size:
        return False
    if len(cubes) != CUBES_PER_SHIP * ships or len(cubes) > N_CUBES - game["bag_next"]:
        return False
    for good in range(N_GOODS):
        left = 0
        for place in range(game["bag_next"], N_CUBES):
            left += game["bag"][place] == good
        for index in range(len(cubes)):
            left -= cubes[index] == good
        if left < 0:
            return False
    for index in range(len(cubes)):
        if cubes[index] < 0 or cubes[index] >= N_GOODS:
            return False
    return True


@jit
def arrange_supply(game: np.void, cards: np.ndarray, cubes: np.ndarray, stream: Stream) -> Stream:
    """Let the next supply bring given cards and cubes, which must fit; see `supply_fits`. Returns the stream after it.

    What stays hidden is as likely in any order as it was: a card changes places with the one that it replaces, and a
    cube with the one that it replaces, where `stream` chooses among the cubes of the same good.
    """
    pile = game["pile"]
    bag = game["bag"]
    top = int(game["pile_next"])
    for index in range(len(cards)):
        place = top + index
        while pile[place] != cards[index]:
            place += 1
        pile[top + index], pile[place] = pile[place], pile[top + index]
    next_cube = int(game["bag_next"])
    for index in range(len(cubes)):
        cube = next_cube + index
        good = cubes[index]
        if bag[cube] == good:
            continue
        alike = 0
        for place in range(cube, N_CUBES):
            alike += bag[place] == good
        pick, stream = below(stream, alike)
        place = cube
        while bag[place] != good or pick > 0:
            pick -= bag[place] == good
            place += 1
        bag[cube], bag[place] = bag[place], bag[cube]
    return stream


@jit
def draw_supply_at(states: np.ndarray, index: int, seed: Seed) -> None:
    """`draw_supply` for states[index], from a seed."""
    draw_supply(states[index], start_stream(seed, SUPPLY_STREAM))


@jit
def arrange_supply_at(states: np.ndarray, index: int, cards: np.ndarray, cubes: np.ndarray, seed: Seed) -> bool:
    """`arrange_supply` for states[index], from a seed; False, and nothing changed, if the supply does not fit."""
    if not supply_fits(states[index], cards, cubes):
        return False
    arrange_supply(states[index], cards, cubes, start_stream(seed, SUPPLY_STREAM))
    return True
