"""Reading decks from TOML files, and the one meaning of every `deck` argument."""

from __future__ import annotations

import os
from functools import cache
from importlib import resources

from speicher_env.deck.checks import check_cards, check_name
from speicher_env.deck.deck import STANDARD, Deck
from speicher_env.deck.errors import DeckError
from speicher_env.messages import field_must_be, must_be, nearest, one_of
from speicher_env.reading import decoded, parse_toml, path_shown, read_bytes

__all__ = ["SAMPLED", "edition_of", "load_deck", "resolve_deck", "standard_deck"]

SAMPLED = "sampled"

_BUILT_IN = (STANDARD, SAMPLED)
_TOP_FIELDS = ("name", "cards")
_DECK_FILE = "a deck file"

LARGEST_FILE = 64 << 10
"""Bytes of a deck file; the standard deck, with its comments, has about a tenth of that."""
_ACCEPTED = '"standard", "sampled", the path of an existing deck file or a Deck'


@cache
def standard_deck() -> Deck:
    """The built-in deck of `standard.toml`."""
    file = resources.files("speicher_env.deck").joinpath("standard.toml")
    return _deck_of(file.read_bytes(), "standard.toml", STANDARD, built_in=True)


def load_deck(path: str | os.PathLike[str]) -> Deck:
    """The deck of a TOML file written like `standard.toml`.

    Its name is the file's top-level `name`, else the file name without its ending. It must not be the name of a
    built-in deck. Every card must be listed; `points` and `source` are optional.

    Raises:
        DeckError: If the file cannot be read, is not TOML or is not a deck that the rules allow. Of several faults the
            first is named: the top level before the cards, the cards in the order of `check_cards`.
    """
    if not isinstance(path, str | os.PathLike):
        raise DeckError(must_be("path", path, "the path of a TOML file", "load_deck(...)"))
    file_name = os.fsdecode(path)
    content = read_bytes(file_name, LARGEST_FILE, _DECK_FILE, DeckError)
    stem = os.path.splitext(os.path.basename(file_name))[0]
    return _deck_of(content, path_shown(file_name), stem, built_in=False)


def resolve_deck(deck: str | os.PathLike[str] | Deck) -> Deck | None:
    """The deck that a `deck` argument means: "standard", "sampled", the path of a deck file, or a Deck.

    Returns:
        The deck, or None for "sampled": then every game draws its own from its seed.

    Raises:
        DeckError: If the argument is none of these, or for the reasons of `load_deck`.
    """
    if isinstance(deck, Deck):
        return deck
    if isinstance(deck, str):
        if deck == STANDARD:
            return standard_deck()
        if deck == SAMPLED:
            return None
        if not os.path.exists(deck):
            raise DeckError(must_be("deck", deck, _ACCEPTED + nearest(deck, _BUILT_IN)))
    elif not isinstance(deck, os.PathLike):
        raise DeckError(must_be("deck", deck, _ACCEPTED))
    return load_deck(deck)


def edition_of(deck: str | os.PathLike[str] | Deck) -> str:
    """The edition of what a `deck` argument means; "sampled" for "sampled", whose numbers differ from game to game.

    Raises:
        DeckError: For the reasons of `resolve_deck`.
    """
    resolved = resolve_deck(deck)
    return SAMPLED if resolved is None else resolved.edition


def _deck_of(content: bytes, where: str, stem: str, *, built_in: bool) -> Deck:
    """The deck of a file's content; `stem` names it if the file does not."""
    table = parse_toml(decoded(content, where, _DECK_FILE, DeckError), where, _DECK_FILE, DeckError)
    for field in table:
        if field not in _TOP_FIELDS:
            raise DeckError(must_be("field", field, one_of(field, _TOP_FIELDS), where))
    name = check_name(table.get("name", stem), where)
    if name in _BUILT_IN and not built_in:
        remedy = "" if "name" in table else ', so add a line such as name = "my deck"'
        raise DeckError(must_be("name", name, f"another name, because a built-in deck has this one{remedy}", where))
    if "cards" not in table:
        raise DeckError(field_must_be(table, "cards", "a table of the 54 cards by id", where))
    # A deck file lists all 54 cards; from_cards accepts tables without those that setup takes out.
    cards = check_cards(table["cards"], where)
    return Deck.from_cards(name, cards, where)
