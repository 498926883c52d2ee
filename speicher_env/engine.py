"""The verbs on state records, for compiled code of your own.

A game is one record of dtype `STATE`, and every verb is a plain function on a record, compiled with Numba. Call them
from functions that you compile yourself; from plain Python `speicher_env.Game` is easier and checks what it is given.

>>> import numba
>>> import numpy as np
>>> from speicher_env import engine
>>> @numba.njit
... def play_first_legal(states, templates, seed):
...     engine.deal(states, 0, templates, 0, seed, engine.EMPTY)
...     game = states[0]
...     while game["player"] != engine.EMPTY:
...         engine.apply(game, engine.nth_legal(game, 0))
...     return engine.points_of(game, 0), engine.points_of(game, 1)
>>> templates, name = engine.template_for(2, "standard")
>>> play_first_legal(np.zeros(1, engine.STATE), templates, np.uint64(7))
(16, -2)

| verb | functions |
|---|---|
| deal | `template_for`, once and in Python; then `deal` with a seed (`np.uint64`) and a first player (EMPTY: by lot) |
| step | `apply` carries out a legal action; `step` checks it first; both play on to the next decision |
| mask | `write_mask`, or the set itself: `is_legal`, `count_legal`, `nth_legal` |
| observe | `write_observation` writes what a seat sees into a row of `observation_size` numbers |
| rewards | `write_rewards` by one of `SCHEMES`, `rank_of` a seat |
| points | `points_of` a seat, `points_by_source` |
| conceal, redeal | `conceal` puts hidden cards and cubes in a fixed order, `redeal` draws them again from a seed |
"""

from __future__ import annotations

from speicher_env.deal import template_for
from speicher_env.observation.encode import write_observation
from speicher_env.observation.pieces import observation_size
from speicher_env.rewards import SCHEMES, rank_of, write_rewards
from speicher_env.rules.hidden import conceal, redeal
from speicher_env.rules.legal import count_legal, is_legal, nth_legal, write_mask
from speicher_env.rules.scoring import points_by_source, points_of
from speicher_env.rules.state import EMPTY, STATE
from speicher_env.rules.turn import apply, deal, step

__all__ = [
    "EMPTY",
    "SCHEMES",
    "STATE",
    "apply",
    "conceal",
    "count_legal",
    "deal",
    "is_legal",
    "nth_legal",
    "observation_size",
    "points_by_source",
    "points_of",
    "rank_of",
    "redeal",
    "step",
    "template_for",
    "write_mask",
    "write_observation",
    "write_rewards",
]
