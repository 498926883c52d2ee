"""A small dealer for the twin: the 54 cards, what is taken out, the pile, the bag, the first player."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .things import GOODS

SEASONS = ("A", "B", "C", "D")  # winter, spring, summer, autumn; the 4th fire is E
CUBES_PER_GOOD = 9

# The standard deck, as the rules page has it.
FIREMEN = {"A": (1, 2), "B": (1, 2, 3), "C": (4, 5), "D": (3, 4, 5)}
FIRES = {"B": 1, "C": 2, "D": 3, "E": 4}
CONTRACTS = {
    "A": ("coffee carpet", "tea saffron", "rubber rubber coffee"),
    "B": ("carpet saffron", "tea tea carpet", "rubber tea coffee carpet"),
    "C": (
        "saffron rubber rubber",
        "coffee saffron carpet",
        "coffee coffee tea saffron",
        "carpet rubber saffron tea",
    ),
}

# These the rules fix.
COUNTING_OFFICES = {"A": 1, "B": 1, "C": 0, "D": 2}
SHIPS = {"A": 0, "B": 5, "C": 5, "D": 5}
SINGLE_CARDS = {
    "A": ("coffee_roaster", "tea_taster", "spice_trader", "vulcanizer", "carpet_trader", "warehouse"),
    "B": (),
    "C": ("bank",),
    "D": ("boatsmen_church", "st_michaelis", "chamber_of_commerce", "port"),
}
# By number of players; an autumn fireman of value 3 goes with it.
BUILDING_TAKEN_OUT = {2: "port", 3: "boatsmen_church", 5: "boatsmen_church"}


CardEntry = dict[str, Any]


class Deal(NamedTuple):
    """What a game starts from, in the order `NaiveGame` takes it after the number of players."""

    cards: dict[str, CardEntry]
    first_player: int
    pile: list[str]
    bag: list[str]


def standard_cards() -> dict[str, CardEntry]:
    """All 54 cards with the standard numbers."""
    contracts = {season: [goods.split() for goods in rows] for season, rows in CONTRACTS.items()}
    return _all_cards(FIREMEN, FIRES, contracts)


def sampled_cards(rng: random.Random) -> dict[str, CardEntry]:
    """All 54 cards with random numbers within what the rules fix."""
    firemen = {season: [rng.randint(1, 5) for _ in values] for season, values in FIREMEN.items()}
    firemen["D"][rng.randrange(3)] = 3
    fires = dict(zip(FIRES, sorted(rng.randint(1, 6) for _ in FIRES), strict=True))
    contracts = {
        season: [[rng.choice(GOODS) for _ in goods.split()] for goods in rows] for season, rows in CONTRACTS.items()
    }
    return _all_cards(firemen, fires, contracts)


def _all_cards(
    firemen: Mapping[str, Sequence[int]],
    fires: Mapping[str, int],
    contracts: Mapping[str, Sequence[list[str]]],
) -> dict[str, CardEntry]:
    cards: dict[str, CardEntry] = {}

    def add(kind: str, season: str, **more: object) -> None:
        number = 1 + len([card for card in cards.values() if card["kind"] == kind])
        cards[f"{kind}_{number}"] = {"kind": kind, "season": season, **more}

    for season in SEASONS:
        for goods in contracts.get(season, ()):
            add("contract", season, goods=goods)
        for _ in range(COUNTING_OFFICES[season]):
            add("counting_office", season)
        for value in firemen[season]:
            add("fireman", season, value=value)
        for _ in range(SHIPS[season]):
            add("ship", season)
        for kind in SINGLE_CARDS[season]:
            cards[kind] = {"kind": kind, "season": season}
    for season, value in fires.items():
        add("fire", season, value=value)
    return cards


def take_out(cards: dict[str, CardEntry], players: int) -> dict[str, CardEntry]:
    """The cards left after setup has taken out what this number of players does not use.

    If several autumn firemen have the value 3, the first of them goes.
    """
    if players not in BUILDING_TAKEN_OUT:
        return dict(cards)
    autumn_threes = [
        card_id
        for card_id, card in cards.items()
        if card["kind"] == "fireman" and card["season"] == "D" and card["value"] == 3
    ]
    gone = (BUILDING_TAKEN_OUT[players], autumn_threes[0])
    return {card_id: card for card_id, card in cards.items() if card_id not in gone}


def deal(players: int, seed: int, deck: str = "standard") -> Deal:
    """Deal a game for 2 to 5 players with the `standard` or a `sampled` deck."""
    rng = random.Random(seed)
    all_cards = standard_cards() if deck == "standard" else sampled_cards(rng)
    cards = take_out(all_cards, players)
    pile = []
    for season in SEASONS:
        ids = [card_id for card_id, card in cards.items() if card["season"] == season]
        rng.shuffle(ids)
        pile.extend(ids)
    pile.append("fire_4")
    bag = list(GOODS) * CUBES_PER_GOOD
    rng.shuffle(bag)
    return Deal(cards, rng.randrange(players), pile, bag)
