"""What the rules fix about a deck, checked card by card, with a sentence for every fault."""

from __future__ import annotations

from collections.abc import Mapping

from speicher_env.arguments import is_whole
from speicher_env.deck.errors import DeckError
from speicher_env.messages import field_must_be, must_be, nearest, one_of, shown
from speicher_env.rules.cards import (
    CARD_IDS,
    CARD_NUMBER,
    CONTRACT,
    CONTRACT_POINTS,
    CONTRACT_SIZE_RANGE,
    FIRE,
    FIRE_RANGE,
    FIREMAN,
    FIREMAN_RANGE,
    GOODS,
    KIND_OF,
    KINDS,
    SEASON_NAMES,
    SEASON_OF,
    SEASONS,
)
from speicher_env.rules.setup import AUTUMN_FIREMEN, LEAVING_FIREMAN

__all__ = ["check_cards", "check_name"]

SOURCES = ("rulebook", "likely", "assumed")
"""Where the number of a card comes from. A card that is "likely" gives a reason."""

_AUTUMN_FIREMEN = tuple(CARD_IDS[card] for card in AUTUMN_FIREMEN)
_VALUE_RANGES = {FIREMAN: FIREMAN_RANGE, FIRE: FIRE_RANGE}
_FIELDS_OF_KIND = {CONTRACT: ("goods", "points"), FIREMAN: ("value",), FIRE: ("value",)}


def check_name(name: object, where: str) -> str:
    """The name of a deck: a string with something to read in it."""
    if not isinstance(name, str) or not name.strip():
        raise DeckError(must_be("name", name, "a string that is not empty", where))
    return name


def check_cards(cards: object, where: str) -> dict[str, Mapping[str, object]]:
    """Check all 54 cards, and give them in card order.

    Of several faults the first is reported: first ids that no card has, then the cards in card order, each with its
    fields in the order unknown, kind, season, source, goods or value, points. The lack of an autumn fireman of value 3
    is reported with the last of them, a falling fire value with the later fire.

    Args:
        cards: A mapping from card id to the card's fields, as in a deck file or a game record.
        where: The beginning of the message, such as the file's path.
    """
    if not isinstance(cards, Mapping):
        raise DeckError(must_be("cards", cards, "a table of the 54 cards by id", where))
    for card_id in cards:
        if card_id not in CARD_NUMBER:
            raise DeckError(_unknown_card(card_id, where))
    checked: dict[str, Mapping[str, object]] = {}
    lowest_fire = FIRE_RANGE[0]
    for card_id in CARD_IDS:
        if card_id not in cards:
            raise DeckError(f'{where}: card "{card_id}" is missing: {_of_its_season(card_id)}.')
        card, kind = cards[card_id], KIND_OF[CARD_NUMBER[card_id]]
        if not isinstance(card, Mapping):
            raise DeckError(must_be(card_id, card, "a table of the card's fields", where))
        place = f'{where}: card "{card_id}"'
        _check_common_fields(card, card_id, place)
        if kind == CONTRACT:
            _check_contract(card, place)
        elif kind in _VALUE_RANGES:
            value = _check_value(card, place, KINDS[kind], _VALUE_RANGES[kind])
            if kind == FIRE:
                if value < lowest_fire:
                    allowed = f"at least {lowest_fire}, the value of the fire before it"
                    raise DeckError(must_be("value", value, allowed, place))
                lowest_fire = value
        checked[card_id] = card
        if card_id == _AUTUMN_FIREMEN[-1]:
            _check_autumn_firemen(checked, where)
    return checked


def _unknown_card(card_id: object, where: str) -> str:
    """The sentence about an id that no card has: the ids of its kind, or else the nearest id."""
    sentence = f"{where}: card {shown(card_id)} does not exist"
    stem = card_id.rpartition("_")[0] if isinstance(card_id, str) else ""
    kind = next((kind for kind in KINDS if kind in (card_id, stem)), None)
    if kind is None:
        return sentence + (nearest(card_id, CARD_IDS) or ".")
    ids = [CARD_IDS[card] for card, number in enumerate(KIND_OF) if KINDS[number] == kind]
    if len(ids) == 1:
        return f'{sentence}: the only {kind} card is "{ids[0]}".'
    return f'{sentence}: the {kind} cards are "{ids[0]}" to "{ids[-1]}".'


def _of_its_season(card_id: str) -> str:
    """The phrase that says which cards of this card's kind its season has."""
    number = CARD_NUMBER[card_id]
    kind, season = KIND_OF[number], SEASON_OF[number]
    ids = [CARD_IDS[i] for i in range(len(CARD_IDS)) if KIND_OF[i] == kind and SEASON_OF[i] == season]
    cards = f'cards, "{ids[0]}" to "{ids[-1]}"' if len(ids) > 1 else f'card, "{ids[0]}"'
    return f"season {SEASONS[season]} ({SEASON_NAMES[season]}) has {len(ids)} {KINDS[kind]} {cards}"


def _check_common_fields(card: Mapping[str, object], card_id: str, place: str) -> None:
    """Check the names of the fields, and those that every card may have."""
    number = CARD_NUMBER[card_id]
    kind = KINDS[KIND_OF[number]]
    known = ("kind", "season", *_FIELDS_OF_KIND.get(int(KIND_OF[number]), ()), "source", "reason")
    for field in card:
        if field not in known:
            raise DeckError(must_be("field", field, one_of(field, known), place))
    for field, right in (("kind", kind), ("season", SEASONS[SEASON_OF[number]])):
        if card.get(field) != right:
            raise DeckError(field_must_be(card, field, f'"{right}"', place))
    if "source" in card and card["source"] not in SOURCES:
        raise DeckError(must_be("source", card["source"], one_of(card["source"], SOURCES), place))
    if "reason" in card and not isinstance(card["reason"], str):
        raise DeckError(must_be("reason", card["reason"], "a text", place))
    if card.get("source") == "likely" and not card.get("reason"):
        raise DeckError(field_must_be(card, "reason", "a text that says why the number is likely", place))


def _check_contract(card: Mapping[str, object], place: str) -> None:
    """Check the goods of a contract, and its points where they are given."""
    goods = card.get("goods")
    fewest, most = CONTRACT_SIZE_RANGE
    if not isinstance(goods, list | tuple) or not fewest <= len(goods) <= most:
        raise DeckError(field_must_be(card, "goods", f"a list of {fewest} to {most} goods", place))
    for good in goods:
        if not isinstance(good, str) or good not in GOODS:
            raise DeckError(must_be("good", good, one_of(good, GOODS), place))
    if "points" in card:
        points, right = card["points"], int(CONTRACT_POINTS[len(goods)])
        if not is_whole(points) or points != right:
            allowed = f"{right}, the points of a contract of {len(goods)} goods"
            raise DeckError(must_be("points", points, allowed, place))


def _check_value(card: Mapping[str, object], place: str, kind: str, value_range: tuple[int, int]) -> int:
    """Check the value of a fireman or fire, and return it."""
    value = card.get("value")
    low, high = value_range
    if not is_whole(value) or not low <= value <= high:
        allowed = f"a whole number from {low} to {high}, the value of a {kind}"
        raise DeckError(field_must_be(card, "value", allowed, place))
    return int(value)


def _check_autumn_firemen(cards: Mapping[str, Mapping[str, object]], where: str) -> None:
    """Refuse a deck without the fireman that setup takes out."""
    if not any(cards[card_id]["value"] == LEAVING_FIREMAN for card_id in _AUTUMN_FIREMEN):
        values = ", ".join(str(cards[card_id]["value"]) for card_id in _AUTUMN_FIREMEN)
        raise DeckError(
            f'{where}: cards "{_AUTUMN_FIREMEN[0]}" to "{_AUTUMN_FIREMEN[-1]}" have the values {values}: '
            f"one must be {LEAVING_FIREMAN}, the autumn fireman that setup takes out."
        )
