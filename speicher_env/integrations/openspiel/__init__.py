"""Speicherstadt as a game of OpenSpiel, `python_speicherstadt`, which importing this package registers.

All players see everything but the future, so it is a game of perfect information with explicit chance: the first
player, each card and each cube of a supply is a chance node of its own, with 2 to 15 outcomes. The cubes of a ship are
drawn in the order of the goods, because their order makes no difference, and a draw without alternatives is no node.
"""

from __future__ import annotations

try:
    import pyspiel
except ModuleNotFoundError as error:
    if error.name != "pyspiel":
        raise
    raise ModuleNotFoundError(
        "speicher_env.integrations.openspiel needs the package open_spiel: pip install 'open_spiel>=2.0'",
        name="pyspiel",
    ) from None

from speicher_env.integrations.openspiel.events import (
    FIRST_SEAT,
    N_EVENTS,
    OUTCOME_NUMBER,
    chance_name,
)
from speicher_env.integrations.openspiel.game import GAME_TYPE, NAME, SpeicherstadtGame, SpeicherstadtState
from speicher_env.integrations.openspiel.observer import SpeicherstadtObserver
from speicher_env.integrations.openspiel.players import BotPlayer, PlayerBot
from speicher_env.integrations.openspiel.positions import game_from, state_at, state_of
from speicher_env.integrations.openspiel.start import start_text

__all__ = [
    "FIRST_SEAT",
    "NAME",
    "N_EVENTS",
    "OUTCOME_NUMBER",
    "BotPlayer",
    "PlayerBot",
    "SpeicherstadtGame",
    "SpeicherstadtObserver",
    "SpeicherstadtState",
    "chance_name",
    "game_from",
    "start_text",
    "state_at",
    "state_of",
]

pyspiel.register_game(GAME_TYPE, SpeicherstadtGame)
