"""Die Speicherstadt for game-playing agents.

`Game` is one game for people and programs; `speicher_env.speicherstadt_v0` is the PettingZoo environment.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from speicher_env._jit import compile_all
from speicher_env.chance import NextSupply
from speicher_env.deck import Deck, DeckError, load_deck, standard_deck
from speicher_env.envs.registration import register as register_environments
from speicher_env.errors import ArgumentError, IllegalAction, RecordError, StateError
from speicher_env.game import Game, Offer
from speicher_env.record import check_record, read_records, replay
from speicher_env.rules.actions import ACTION_TEXTS, ACTIONS, N_ACTIONS, Action, UnknownAction

register_environments()

try:
    __version__ = version("speicher-env")
except PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0+unknown"

__all__ = [
    "ACTIONS",
    "ACTION_TEXTS",
    "N_ACTIONS",
    "Action",
    "ArgumentError",
    "Deck",
    "DeckError",
    "Game",
    "IllegalAction",
    "NextSupply",
    "Offer",
    "RecordError",
    "StateError",
    "UnknownAction",
    "__version__",
    "check_record",
    "compile_all",
    "load_deck",
    "read_records",
    "replay",
    "standard_deck",
]
