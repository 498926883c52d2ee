"""One compiled function for the whole ladder: the code says which player is asked."""

from __future__ import annotations

import numpy as np

from speicher_agents._jit import jit
from speicher_agents.scripted.bidding import buy_where_wished, place_where_wished
from speicher_agents.scripted.codes import CONTRACTOR, FIRECHIEF, FRUGAL, MERCHANT, RANDOM, SHIPPER, SPOILER
from speicher_agents.scripted.contractor import CONTRACTOR_HABIT
from speicher_agents.scripted.firechief import FIRECHIEF_HABIT
from speicher_agents.scripted.frugal import FRUGAL_HABIT
from speicher_agents.scripted.habits import habit_table, habitual_taste
from speicher_agents.scripted.loading import TASTE_SIZE, next_loading
from speicher_agents.scripted.merchant import buy_as_merchant, merchant_taste, place_as_merchant
from speicher_agents.scripted.shipper import SHIPPER_HABIT
from speicher_agents.scripted.spoiler import SPOILER_HABIT, place_to_spoil
from speicher_agents.scripted.weights import TUNED
from speicher_env.batch.step import random_action
from speicher_env.rules.state import DEMAND, PURCHASE

_HABITS = habit_table(
    {
        FRUGAL: FRUGAL_HABIT,
        FIRECHIEF: FIRECHIEF_HABIT,
        CONTRACTOR: CONTRACTOR_HABIT,
        SHIPPER: SHIPPER_HABIT,
        SPOILER: SPOILER_HABIT,
    }
)


@jit
def choose(game: np.void, code: int, stream: np.ndarray) -> int:
    """The action of the scripted player with this code for the deciding seat, which must have a choice."""
    return choose_weighted(game, code, stream, TUNED[int(game["players"])])


@jit
def choose_weighted(game: np.void, code: int, stream: np.ndarray, weights: np.ndarray) -> int:
    """`choose`, with the weights of `merchant`."""
    if code == RANDOM:
        return random_action(game, stream)
    if game["phase"] == DEMAND:
        if code == MERCHANT:
            return place_as_merchant(game, weights)
        return place_to_spoil(game) if code == SPOILER else place_where_wished(game, code)
    if game["phase"] == PURCHASE:
        return buy_as_merchant(game, weights) if code == MERCHANT else buy_where_wished(game, code)
    taste = np.empty(TASTE_SIZE, dtype=np.float64)
    if code == MERCHANT:
        merchant_taste(game, weights, taste)
    else:
        habitual_taste(game, _HABITS[code], taste)
    return next_loading(game, taste)
