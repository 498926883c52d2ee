"""What JavaScript has to know about the game as one table: the layout of a state, actions, cards and players.

Everything is read from the code that the engine itself uses, so nothing of it is written twice.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from speicher_agents.scripted import CODES
from speicher_agents.search import guided, mcts, tree
from speicher_apps.wasm.solver import LAYOUT
from speicher_env.deal import template_for
from speicher_env.deck import STANDARD_EDITION
from speicher_env.observation import RowFormat, observation_size
from speicher_env.rules.actions import ACTIONS
from speicher_env.rules.cards import (
    CARD_IDS,
    CONTRACT_POINTS,
    CUBES_PER_SHIP,
    GOODS,
    KIND_OF,
    KINDS,
    SEASON_NAMES,
    SEASON_OF,
    SEASONS,
)
from speicher_env.rules.scoring import SOURCES
from speicher_env.rules.setup import LEAVING_BUILDING
from speicher_env.rules.state import MAX_PLAYERS, MIN_PLAYERS, PHASES, SPACES, STATE, WORKERS
from speicher_env.solve.memory import POSITIONS_FULL
from speicher_env.solve.pools import POINT

__all__ = ["tables"]

_DECKS = ("standard", "sampled")
_TABLES = range(MIN_PLAYERS, MAX_PLAYERS + 1)


def tables() -> dict[str, Any]:
    """The table, ready for JSON."""
    return {
        "state": {"bytes": STATE.itemsize, "fields": {name: _field(name) for name in STATE.names or ()}},
        "actions": [_named(action._asdict()) for action in ACTIONS],
        "cards": [
            {"id": card, "kind": KINDS[kind], "season": int(season)}
            for card, kind, season in zip(CARD_IDS, KIND_OF, SEASON_OF, strict=True)
        ],
        "goods": GOODS,
        "seasons": SEASON_NAMES,
        "seasonLetters": SEASONS,
        "phases": PHASES,
        "sources": SOURCES,
        "contractPoints": CONTRACT_POINTS.tolist(),
        "leavingBuilding": LEAVING_BUILDING.tolist(),
        "spaces": SPACES,
        "workers": WORKERS,
        "edition": STANDARD_EDITION,
        "templates": {deck: {players: _template(players, deck) for players in _TABLES} for deck in _DECKS},
        "observationSizes": {seats: observation_size(seats) for seats in _TABLES},
        "rowSizes": {seats: RowFormat(seats, True).size for seats in _TABLES},
        "scripted": CODES,
        "search": {
            "nodeBytes": tree.NODE.itemsize,
            "mostNodes": tree.MOST_NODES,
            "plain": {"nodesPerIteration": mcts.NODES_PER_ITERATION, "leastNodes": mcts.LEAST_NODES},
            "guided": {"nodesPerIteration": guided.NODES_PER_ITERATION, "leastNodes": guided.LEAST_NODES},
        },
        "solver": {**LAYOUT, "positionsFull": POSITIONS_FULL, "point": POINT},
        "chance": {"cubesPerShip": CUBES_PER_SHIP},
    }


def _field(name: str) -> dict[str, Any]:
    """Where a field of a state is, the type of its numbers, and its dimensions."""
    kind, offset = dict(STATE.fields or {})[name][:2]
    return {"offset": offset, "type": kind.base.name, "shape": list(kind.shape)}


def _named(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if value is not None}


def _template(players: int, deck: str) -> str:
    """The state before a deal, see `speicher_env.rules.turn.deal`, in base64."""
    states, _ = template_for(players, deck)
    return base64.b64encode(np.ascontiguousarray(states).tobytes()).decode()
