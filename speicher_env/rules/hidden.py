"""Hidden information: the order of the pile within its seasons, the order of the bag, and the seed of both.

The cards still in the pile and the cubes of each good in the bag are public: the deck is known, and everything drawn is
shown. So all seats know the same, and there is one public view of a game.
"""

from __future__ import annotations

import numpy as np

from speicher_env._jit import jit
from speicher_env.rules.cards import N_CARDS, N_CUBES, N_GOODS, SEASON_OF, SEASON_ORDER
from speicher_env.rules.state import IN_PILE
from speicher_env.rules.stream import REDEAL_STREAM, Seed, Stream, shuffle, start_stream

__all__ = ["conceal", "conceal_at", "redeal", "redeal_at", "shuffle_hidden"]


@jit
def conceal(game: np.void) -> None:
    """Put the hidden cards and cubes in a fixed order and forget the seed.

    Two games that look the same to the players are the same record afterwards.
    """
    game["seed"] = 0
    place = game["pile_next"]
    for index in range(N_CARDS):
        card = SEASON_ORDER[index]
        if game["owner"][card] == IN_PILE:
            game["pile"][place] = card
            place += 1
    bag = game["bag"]
    left = np.zeros(N_GOODS, dtype=np.int8)
    for cube in range(game["bag_next"], N_CUBES):
        left[bag[cube]] += 1
    cube = game["bag_next"]
    for good in range(N_GOODS):
        for _ in range(left[good]):
            bag[cube] = good
            cube += 1


@jit
def redeal(game: np.void, seed: Seed) -> None:
    """Draw everything hidden again: every order that the players cannot rule out is equally likely.

    The seed of the game is forgotten too: the result depends on what is public and on `seed`, on nothing else.
    """
    conceal(game)
    shuffle_hidden(game, start_stream(seed, REDEAL_STREAM))


@jit
def shuffle_hidden(game: np.void, stream: Stream) -> Stream:
    """Shuffle the pile within its seasons, and the bag; every possible order is equally likely."""
    pile = game["pile"]
    start = game["pile_next"]
    for place in range(start + 1, game["pile_size"]):
        if SEASON_OF[pile[place]] != SEASON_OF[pile[start]]:
            stream = shuffle(pile, start, place, stream)
            start = place
    return shuffle(game["bag"], game["bag_next"], N_CUBES, stream)


@jit
def conceal_at(states: np.ndarray, index: int) -> None:
    """`conceal` states[index]."""
    conceal(states[index])


@jit
def redeal_at(states: np.ndarray, index: int, seed: Seed) -> None:
    """`redeal` states[index]."""
    redeal(states[index], seed)
