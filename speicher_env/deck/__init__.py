"""Decks: the 54 cards as data, read from TOML, checked, and carried in the game state as a few numbers.

`standard.toml` beside this file is the built-in deck and the pattern for a deck of one's own.
"""

from __future__ import annotations

from speicher_env.deck.deck import STANDARD, STANDARD_EDITION, Deck
from speicher_env.deck.errors import DeckError
from speicher_env.deck.load import SAMPLED, edition_of, load_deck, resolve_deck, standard_deck
from speicher_env.deck.values import DECK_VALUES

__all__ = [
    "DECK_VALUES",
    "SAMPLED",
    "STANDARD",
    "STANDARD_EDITION",
    "Deck",
    "DeckError",
    "edition_of",
    "load_deck",
    "resolve_deck",
    "standard_deck",
]
