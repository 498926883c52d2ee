"""What the rules fix about a deck, checked card by card with a sentence for every fault."""

from __future__ import annotations

from collections.abc import Mapping

from speicher_env.arguments import is_whole
from speicher_env.deck.errors import DeckError
from speicher_env.deck.values import CONTRACT_SIZE_RANGE, FIRE_RANGE, FIREMAN_RANGE, REMOVED_FIREMAN_VALUE
from speicher_env.messages import nearest, shown
from speicher_env.rules.cards import (
    CARD_IDS,
    CARD_NUMBER,
    CONTRACT,
    CONTRACT_POINTS,
    FIRE,
    FIREMAN,
    FIREMAN_1,
    GOODS,
    KIND_OF,
    KINDS,
    N_FIREMEN,
    SEASON_NAMES,
    SEASON_OF,
    SEASONS,
)

SOURCES = ("rulebook", "likely", "assumed")
"""Where the value or the goods of a card come from; a card that is "likely" gives a reason."""

AUTUMN_FIREMEN = tuple(
    CARD_IDS[card] for card in range(FIREMAN_1, FIREMAN_1 + N_FIREMEN) if SEASONS[SEASON_OF[card]] == "D"
)

_VALUE_RANGES = {FIREMAN: FIREMAN_RANGE, FIRE: FIRE_RANGE}
_OWN_FIELDS = {CONTRACT: ("goods", "points"), FIREMAN: ("value",), FIRE: ("value",)}


def check_name(name: object, where: str) -> str:
    """The name of a deck: a string with something to read in it."""
    if not isinstance(name, str) or not name.strip():
        raise DeckError(f'{where}: field "name": found {shown(name)}, must be a string that is not empty')
    return name


def check_cards(cards: object, where: str) -> dict[str, Mapping[str, object]]:
    """All 54 cards in card order, each with its fields as the rules want them.

    Of several faults the first is reported: ids that no card has (in the order given), then the cards in card
    order, each with its fields in the order unknown, kind, season, source, goods or value, points. That no
    autumn fireman has the value 3 counts as a fault of the last of them, a falling fire value as one of the
    later fire.

    Args:
        cards: A mapping from card id to the card's fields, as in a deck file or a game record.
        where: What the message begins with, such as the file's path.
    """
    if not isinstance(cards, Mapping):
        raise DeckError(f'{where}: field "cards": found {shown(cards)}, must be a table of the 54 cards by id')
    for card_id in cards:
        if card_id not in CARD_NUMBER:
            raise DeckError(_unknown_card(card_id, where))
    checked: dict[str, Mapping[str, object]] = {}
    lowest_fire = FIRE_RANGE[0]
    for card_id in CARD_IDS:
        if card_id not in cards:
            raise DeckError(f'{where}: card "{card_id}" is missing: {_of_its_season(card_id)}')
        card, kind = cards[card_id], KIND_OF[CARD_NUMBER[card_id]]
        place = f'{where}: card "{card_id}"'
        if not isinstance(card, Mapping):
            raise DeckError(f"{place}: found {shown(card)}, must be a table of the card's fields")
        _check_common_fields(card, card_id, place)
        if kind == CONTRACT:
            _check_contract(card, place)
        elif kind in _VALUE_RANGES:
            value = _check_value(card, place, KINDS[kind], _VALUE_RANGES[kind])
            if kind == FIRE:
                if value < lowest_fire:
                    raise DeckError(
                        f'{place}, field "value": found {value}, must be at least {lowest_fire}, '
                        "the value of the fire before it"
                    )
                lowest_fire = value
        checked[card_id] = card
        if card_id == AUTUMN_FIREMEN[-1]:
            _check_autumn_firemen(checked, where)
    return checked


def _unknown_card(card_id: object, where: str) -> str:
    """The sentence about an id that no card has: the ids of its kind, or else the id most like it."""
    sentence = f"{where}: card {shown(card_id)} does not exist"
    stem = card_id.rpartition("_")[0] if isinstance(card_id, str) else ""
    kind = next((kind for kind in KINDS if kind in (card_id, stem)), None)
    if kind is None:
        return sentence + nearest(card_id, CARD_IDS)
    ids = [CARD_IDS[card] for card, number in enumerate(KIND_OF) if KINDS[number] == kind]
    if len(ids) == 1:
        return f'{sentence}: the one {kind} card is "{ids[0]}"'
    return f'{sentence}: the {kind} cards are "{ids[0]}" to "{ids[-1]}"'


def _of_its_season(card_id: str) -> str:
    """Which cards of this card's kind its season has, as a phrase."""
    number = CARD_NUMBER[card_id]
    kind, season = KIND_OF[number], SEASON_OF[number]
    ids = [CARD_IDS[i] for i in range(len(CARD_IDS)) if KIND_OF[i] == kind and SEASON_OF[i] == season]
    listed = f'cards, "{ids[0]}" to "{ids[-1]}"' if len(ids) > 1 else f'card, "{ids[0]}"'
    return f"season {SEASONS[season]} ({SEASON_NAMES[season]}) has {len(ids)} {KINDS[kind]} {listed}"


def _check_common_fields(card: Mapping[object, object], card_id: str, place: str) -> None:
    number = CARD_NUMBER[card_id]
    kind = KINDS[KIND_OF[number]]
    known = ("kind", "season", *_OWN_FIELDS.get(int(KIND_OF[number]), ()), "source", "reason")
    for field in card:
        if field not in known:
            raise DeckError(
                f"{place}, field {shown(field)}: a {kind} has no such field, "
                f"must be one of {', '.join(known)}" + nearest(field, known)
            )
    for field, right in (("kind", kind), ("season", SEASONS[SEASON_OF[number]])):
        if card.get(field) != right:
            raise DeckError(f'{place}, field "{field}": {_found(card, field)}, must be "{right}"')
    if "source" in card and card["source"] not in SOURCES:
        raise DeckError(
            f'{place}, field "source": {_found(card, "source")}, must be "rulebook", "likely" or "assumed"'
            + nearest(card["source"], SOURCES)
        )
    if "reason" in card and not isinstance(card["reason"], str):
        raise DeckError(f'{place}, field "reason": {_found(card, "reason")}, must be a text')
    if card.get("source") == "likely" and not card.get("reason"):
        raise DeckError(f'{place}, field "reason": {_found(card, "reason")}, must say why the number is likely')


def _check_contract(card: Mapping[object, object], place: str) -> None:
    goods = card.get("goods")
    fewest, most = CONTRACT_SIZE_RANGE
    if not isinstance(goods, list | tuple) or not fewest <= len(goods) <= most:
        raise DeckError(f'{place}, field "goods": {_found(card, "goods")}, must be a list of {fewest} to {most} goods')
    for good in goods:
        if not isinstance(good, str) or good not in GOODS:
            raise DeckError(
                f'{place}, field "goods": found {shown(good)}, each must be one of {", ".join(GOODS)}'
                + nearest(good, GOODS)
            )
    if "points" in card:
        points, right = card["points"], int(CONTRACT_POINTS[len(goods)])
        if not is_whole(points) or points != right:
            raise DeckError(
                f'{place}, field "points": found {shown(points)}, must be {right}, '
                f"the points of a contract of {len(goods)} goods"
            )


def _check_value(card: Mapping[object, object], place: str, kind: str, value_range: tuple[int, int]) -> int:
    value = card.get("value")
    low, high = value_range
    if not is_whole(value) or not low <= value <= high:
        raise DeckError(
            f'{place}, field "value": {_found(card, "value")}, '
            f"must be a whole number from {low} to {high}, the value of a {kind}"
        )
    return int(value)


def _check_autumn_firemen(cards: Mapping[str, Mapping[str, object]], where: str) -> None:
    if not any(cards[card_id]["value"] == REMOVED_FIREMAN_VALUE for card_id in AUTUMN_FIREMEN):
        values = ", ".join(str(cards[card_id]["value"]) for card_id in AUTUMN_FIREMEN)
        raise DeckError(
            f'{where}: cards "{AUTUMN_FIREMEN[0]}" to "{AUTUMN_FIREMEN[-1]}", field "value": found {values}, '
            f"one must be {REMOVED_FIREMAN_VALUE}, the autumn fireman that setup takes out"
        )


def _found(card: Mapping[object, object], field: str) -> str:
    return f"found {shown(card[field])}" if field in card else "it is missing"
