"""The numbers and names of what happens in a game of OpenSpiel: actions, and outcomes of chance.

An outcome of chance is a card that is revealed, a cube that is drawn, or the seat that begins. In a history the
outcomes are numbered after the actions.
"""

from __future__ import annotations

from collections.abc import Iterable

from speicher_env.rules.actions import ACTION_TEXTS, N_ACTIONS
from speicher_env.rules.cards import CARD_IDS, GOODS, N_CARDS, N_CUBES, N_GOODS
from speicher_env.rules.state import MAX_PLAYERS

__all__ = ["FIRST_SEAT", "MOST_CHANCE_NODES", "N_EVENTS", "N_OUTCOMES", "OUTCOME_NUMBER", "chance_name", "event_names"]

FIRST_GOOD = N_CARDS
FIRST_SEAT = FIRST_GOOD + N_GOODS
"""The outcome "seat 0 begins"; those of the other seats follow."""
N_OUTCOMES = FIRST_SEAT + MAX_PLAYERS
OUTCOME_NUMBER = {name: number for number, name in enumerate((*CARD_IDS, *GOODS))}
"""The outcome of each card and each good."""
MOST_CHANCE_NODES = 1 + N_CARDS + N_CUBES
N_EVENTS = N_ACTIONS + N_OUTCOMES


def chance_name(outcome: int) -> str:
    """The name of an outcome of chance, such as "ship_6", "tea" or "seat 1 begins"."""
    if outcome < FIRST_GOOD:
        return CARD_IDS[outcome]
    if outcome < FIRST_SEAT:
        return GOODS[outcome - FIRST_GOOD]
    return f"seat {outcome - FIRST_SEAT} begins"


def event_names(events: Iterable[int]) -> list[str]:
    """The names of the events of a history."""
    return [ACTION_TEXTS[event] if event < N_ACTIONS else chance_name(event - N_ACTIONS) for event in events]
