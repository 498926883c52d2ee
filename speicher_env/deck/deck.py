"""A deck: the numbers that an owner of the game may correct. Everything else is the same in every deck."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from speicher_env.deck.checks import check_cards, check_name
from speicher_env.deck.errors import DeckError
from speicher_env.deck.values import DECK_VALUES, NO_GOOD
from speicher_env.messages import must_be, shown
from speicher_env.rules.cards import (
    CARD_IDS,
    CARD_NUMBER,
    CONTRACT_1,
    FIRE_1,
    FIREMAN_1,
    GOODS,
    KIND_OF,
    KINDS,
    N_CONTRACTS,
    N_FIREMEN,
    N_FIRES,
    SEASON_OF,
    SEASONS,
)
from speicher_env.rules.setup import AUTUMN_FIREMEN, LEAVING_BUILDING, LEAVING_FIREMAN

__all__ = ["STANDARD", "STANDARD_EDITION", "Deck"]

STANDARD = "standard"
STANDARD_EDITION = "efcd25c6"
"""The edition of `standard.toml`. A deck of other numbers may not be called standard."""

_FIREMAN_IDS = CARD_IDS[FIREMAN_1 : FIREMAN_1 + N_FIREMEN]
_FIRE_IDS = CARD_IDS[FIRE_1 : FIRE_1 + N_FIRES]
_CONTRACT_IDS = CARD_IDS[CONTRACT_1 : CONTRACT_1 + N_CONTRACTS]


@dataclass(frozen=True)
class Deck:
    """The 54 cards of one game, immutable and hashable. A deck that the rules do not allow cannot be made.

    The name is a label, and two decks of the same name may differ. Only "standard" always means the same numbers,
    those of `standard.toml`. The `edition` tells decks apart by their numbers.

    Raises:
        DeckError: At the first fault, in the order of `check_cards`.
    """

    name: str
    """"standard", "sampled", or the name the user gave."""
    fire_values: tuple[int, ...]
    """4 numbers from 1 to 6, fire_1 first, never falling."""
    fireman_values: tuple[int, ...]
    """10 numbers from 1 to 5, fireman_1 first; one of the last three is a 3."""
    contract_goods: tuple[tuple[str, ...], ...]
    """10 contracts of 2 to 4 goods, contract_1 first, goods in the order of the card."""

    def __post_init__(self) -> None:
        """Refuse a deck that the rules do not allow."""
        where = "Deck(...)"
        check_name(self.name, where)
        lengths = (("fire_values", N_FIRES), ("fireman_values", N_FIREMEN), ("contract_goods", N_CONTRACTS))
        for field, length in lengths:
            given = getattr(self, field)
            if not isinstance(given, tuple) or len(given) != length:
                raise DeckError(must_be(field, given, f"a tuple of {length}", where))
        for card_id, goods in zip(_CONTRACT_IDS, self.contract_goods, strict=True):
            if not isinstance(goods, tuple):
                raise DeckError(must_be("contract_goods", goods, "a tuple of goods", f'{where}: card "{card_id}"'))
        check_cards(self._card_tables(), where)
        for field in ("fire_values", "fireman_values"):
            object.__setattr__(self, field, tuple(map(int, getattr(self, field))))  # NumPy's numbers become Python's
        _check_standard(self.name, self.edition, where)

    @property
    def edition(self) -> str:
        """The fingerprint of the numbers: 8 hexadecimal digits, the same for equal numbers whatever the name.

        It is the beginning of the SHA-256 of a JSON text of fire values, fireman values and contract goods, the goods
        of a contract sorted by name. The edition of a sampled deck is that of the numbers drawn.
        """
        return _edition(self.fire_values, self.fireman_values, self.contract_goods)

    def values(self) -> NDArray[np.void]:
        """The deck as the game state carries it: a new array of shape (1,) and dtype `DECK_VALUES`."""
        values = np.zeros(1, dtype=DECK_VALUES)
        values["fire_value"][0] = self.fire_values
        values["fireman_value"][0] = self.fireman_values
        values["contract_goods"][0] = NO_GOOD
        for row, goods in enumerate(self.contract_goods):
            values["contract_goods"][0, row, : len(goods)] = [GOODS.index(good) for good in goods]
        return values

    def cards(self) -> dict[str, dict[str, Any]]:
        """All 54 cards in card order, in the form of a game record (new JSON values at every call)."""
        cards = self._card_tables()
        for card_id in _CONTRACT_IDS:
            cards[card_id]["goods"] = list(cards[card_id]["goods"])
        return cards

    @classmethod
    def from_values(cls, name: str, values: NDArray[np.void] | np.void) -> Deck:
        """The deck whose `values()` these are.

        Args:
            name: The deck's name.
            values: One record, of any shape, with the fields of `DECK_VALUES`: what `values()` returned, or a
                whole game state.

        Raises:
            DeckError: If it is not such a record, or the rules do not allow the deck.
        """
        where = "Deck.from_values(...)"
        if not _is_one_entry(values):
            described = shown(values)
            if isinstance(values, np.ndarray | np.void):
                lacking = "" if _has_deck_fields(values.dtype) else " without the fields of DECK_VALUES"
                described = f"an array of shape {values.shape}{lacking}"
            raise DeckError(f"{where}: values is {described}: must be one entry with the fields of DECK_VALUES.")
        entry = np.asarray(values).reshape(1)
        return cls(
            name=name,
            fire_values=tuple(int(value) for value in entry["fire_value"][0]),
            fireman_values=tuple(int(value) for value in entry["fireman_value"][0]),
            contract_goods=tuple(
                _goods_of_row([int(good) for good in row], card_id, where)
                for card_id, row in zip(_CONTRACT_IDS, entry["contract_goods"][0], strict=True)
            ),
        )

    @classmethod
    def from_cards(cls, name: str, cards: Mapping[str, Any], where: str) -> Deck:
        """The deck of a table of cards by id, as game records and deck files hold it.

        Cards that setup takes out may be missing: an autumn fireman together with either the boatsmen's church or
        the port. That fireman has the value 3 by rule, and buildings are the same in every deck, so nothing is lost.

        Args:
            name: The deck's name.
            cards: The fields of each card by its id.
            where: The beginning of an error message, such as the file's path.

        Raises:
            DeckError: At the first fault, in the order of `check_cards`; last, if the name is "standard" and the
                numbers are not those of the standard deck.
        """
        check_name(name, where)
        checked: Mapping[str, Any] = check_cards(_with_removed_cards(cards), where)
        fire_values = tuple(checked[card_id]["value"] for card_id in _FIRE_IDS)
        fireman_values = tuple(checked[card_id]["value"] for card_id in _FIREMAN_IDS)
        contract_goods = tuple(tuple(checked[card_id]["goods"]) for card_id in _CONTRACT_IDS)
        _check_standard(name, _edition(fire_values, fireman_values, contract_goods), where)
        return cls(name, fire_values, fireman_values, contract_goods)

    def _card_tables(self) -> dict[str, dict[str, Any]]:
        """The fields of every card, with the numbers of this object."""
        cards = {card_id: _fixed_fields(card) for card, card_id in enumerate(CARD_IDS)}
        for ids, field, of_ids in (
            (_CONTRACT_IDS, "goods", self.contract_goods),
            (_FIREMAN_IDS, "value", self.fireman_values),
            (_FIRE_IDS, "value", self.fire_values),
        ):
            for card_id, value in zip(ids, of_ids, strict=True):
                cards[card_id][field] = value
        return cards


def _edition(
    fire_values: tuple[int, ...], fireman_values: tuple[int, ...], contract_goods: tuple[tuple[str, ...], ...]
) -> str:
    """The fingerprint of a deck's numbers. Its form must not change: records and results carry it."""
    numbers = [fire_values, fireman_values, [sorted(goods) for goods in contract_goods]]
    text = json.dumps(numbers, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:8]


def _check_standard(name: str, edition: str, where: str) -> None:
    """Refuse other numbers than the standard deck's under its name."""
    if name == STANDARD and edition != STANDARD_EDITION:
        raise DeckError(
            must_be(
                "deck",
                name,
                f"another name, because these cards are edition {edition} "
                f"and the standard deck is edition {STANDARD_EDITION}",
                where,
            )
        )


def _fixed_fields(card: int) -> dict[str, Any]:
    """The fields of a card that are the same in every deck."""
    return {"kind": KINDS[KIND_OF[card]], "season": SEASONS[SEASON_OF[card]]}


def _is_one_entry(values: object) -> bool:
    return isinstance(values, np.ndarray | np.void) and _has_deck_fields(values.dtype) and values.size == 1


def _has_deck_fields(dtype: np.dtype[Any]) -> bool:
    return all(field in (dtype.names or ()) and dtype[field] == DECK_VALUES[field] for field in DECK_VALUES.names or ())


def _goods_of_row(row: list[int], card_id: str, where: str) -> tuple[str, ...]:
    """The goods of one contract's row: good numbers up to the first -1, which fills the rest."""
    size = row.index(NO_GOOD) if NO_GOOD in row else len(row)
    if any(not 0 <= good < len(GOODS) for good in row[:size]) or any(good != NO_GOOD for good in row[size:]):
        raise DeckError(
            f'{where}: card "{card_id}": contract_goods={row}: '
            f"must be good numbers from 0 to {len(GOODS) - 1}, then {NO_GOOD} to the end of the row."
        )
    return tuple(GOODS[good] for good in row[:size])


def _with_removed_cards(cards: Mapping[str, Any]) -> Mapping[str, Any]:
    """The cards together with those that setup took out; unchanged if setup cannot be the reason for a missing card."""
    if not isinstance(cards, Mapping):
        return cards
    firemen = [CARD_IDS[card] for card in AUTUMN_FIREMEN if CARD_IDS[card] not in cards]
    leaving = {CARD_IDS[building] for building in LEAVING_BUILDING if building >= 0}
    buildings = [card_id for card_id in leaving if card_id not in cards]
    if len(firemen) != 1 or len(buildings) != 1:
        return cards
    removed = {card_id: _fixed_fields(CARD_NUMBER[card_id]) for card_id in firemen + buildings}
    removed[firemen[0]]["value"] = LEAVING_FIREMAN
    return {**cards, **removed}
