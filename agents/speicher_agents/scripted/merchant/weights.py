"""The weights of `merchant`: what each means, where it may lie, and the values that tuning found.

The tuned values stand in ``weights.toml``, one set for each player count, written by ``python -m benchmarks.tune``.
"""

from __future__ import annotations

import tomllib
from typing import NamedTuple

import numpy as np

from speicher_agents._jit import WEIGHTS_FILE
from speicher_env.rules.state import MAX_PLAYERS, MIN_PLAYERS

__all__ = ["INDEX", "N_WEIGHTS", "TUNED", "WEIGHTS", "as_table", "start_set"]


class Weight(NamedTuple):
    """One weight."""

    name: str
    start: float
    """Set by hand: where tuning began, and what an untuned set has."""
    low: float
    high: float
    meaning: str


WEIGHTS = (
    Weight("coin", 1.3, 0.2, 4.0, "points that a coin is worth while many rounds are to come"),
    Weight("coin_fade", 2.0, 0.2, 8.0, "rounds to come at which a coin is worth half of that"),
    Weight("coin_scarce", 0.6, 0.0, 3.0, "how much more a coin is worth to a seat without any; half as much with one"),
    Weight("coin_chamber", 0.9, 0.3, 1.2, "points that a coin is worth on top to the chamber of commerce's owner"),
    Weight("spite", 0.8, 0.0, 1.5, "share of the others' gain, divided among them, that counts as own loss"),
    Weight("fire", 1.7, 0.3, 4.0, "share of a fireman's expected change of own fire points that it is worth"),
    Weight("fire_blur", 1.5, 0.2, 8.0, "lead in firemen that is worth half of a sure one when none are unseen"),
    Weight("fire_unseen", 0.8, 0.0, 3.0, "growth of that lead with the root of the values unseen before a fire"),
    Weight("contract", 0.9, 0.3, 1.5, "share of a contract's points, times its chance, that it is worth"),
    Weight("cubes_same", 0.9, 0.05, 4.0, "how much an own share of the cubes of a good to come helps to get one"),
    Weight("cubes_any", 0.06, 0.0, 0.6, "how much an own share of all cubes to come helps to get a certain good"),
    Weight("cubes_table", 0.5, 0.0, 1.5, "how much the ships on the table count towards the cubes to come"),
    Weight("ship_points", 0.3, -1.0, 2.0, "points of a ship besides its cargo"),
    Weight("cube_traded", 0.45, 0.0, 1.0, "coins that a cube brings that no contract and no merchant takes"),
    Weight("merchant_points", 1.0, 0.0, 3.0, "points of a merchant besides the cubes it buys"),
    Weight("merchant_flow", 0.5, 0.0, 2.0, "coins of a merchant for each cube to come that is the seat's share"),
    Weight("office", 1.0, 0.5, 2.0, "share of the points by which a counting office raises its owner's"),
    Weight("office_hope", 0.6, 0.0, 2.0, "points of a counting office for each other that no one has yet"),
    Weight("warehouse", 1.5, -1.0, 5.0, "points of the warehouse besides the cubes in it"),
    Weight("warehouse_ships", 0.15, 0.0, 0.8, "points of the warehouse for each ship to come"),
    Weight("shelf", 0.5, 0.0, 1.5, "points of a cube on the warehouse's shelves before the last round"),
    Weight("keep", 0.3, 0.0, 1.5, "points of a kept cube while rounds are to come"),
    Weight("bank", 0.9, 0.2, 1.5, "share of the coins that the bank brings in the rounds to come"),
    Weight("chamber_rounds", 0.8, 0.0, 3.0, "coins for the chamber of commerce that each round to come adds"),
    Weight("port_ships", 0.5, 0.0, 1.5, "points of the port for each ship to come, divided among the seats"),
    Weight("safe", 1.0, 0.7, 1.3, "share of the points of the church and St Michaelis that they are worth"),
)
"""All weights, in the order of a set."""

N_WEIGHTS = len(WEIGHTS)
INDEX = {weight.name: index for index, weight in enumerate(WEIGHTS)}


def start_set() -> np.ndarray:
    """The weights set by hand."""
    return np.array([weight.start for weight in WEIGHTS])


def as_table(values: np.ndarray) -> dict[str, float]:
    """A set of weights by name."""
    return {weight.name: float(value) for weight, value in zip(WEIGHTS, values, strict=True)}


def _read() -> np.ndarray:
    """A row for each player count 0..5; counts without tuned weights have those set by hand."""
    rows = np.tile(start_set(), (MAX_PLAYERS + 1, 1))
    if WEIGHTS_FILE.exists():
        tuned = tomllib.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
        for players in range(MIN_PLAYERS, MAX_PLAYERS + 1):
            for name, value in tuned.get(f"{players}_players", {}).items():
                rows[players, INDEX[name]] = value
    return rows


TUNED = _read()
"""Weights by player count, (6, N_WEIGHTS); rows 0 and 1 stand for no game."""
TUNED.flags.writeable = False
