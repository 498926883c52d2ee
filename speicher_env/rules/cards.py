"""The 54 cards by number: what is the same in every deck, and the range of what is not.

Inside the engine a card is a number 0..53; for people it is an id such as ``ship_3``. The cards of a kind are numbered
together, in season order, so that a kind is a range: ``ship_3`` is `SHIP_1` + 2. What differs between decks (values of
firemen and fires, goods of contracts) is part of the game state, see `speicher_env.deck`.
"""

from __future__ import annotations

import numpy as np

__all__ = [
    "AUTUMN", "BANK", "BANK_CARD", "BOATSMEN_CHURCH", "CARD_IDS", "CARD_NUMBER", "CARPET_TRADER", "CHAMBER_CARD",
    "CHAMBER_OF_COMMERCE", "CHURCH_CARD", "COFFEE_ROASTER", "CONTRACT", "CONTRACT_1", "CONTRACT_POINTS",
    "CONTRACT_SIZE_RANGE", "COUNTING_OFFICE", "COUNTING_OFFICE_1", "CUBES_PER_GOOD", "CUBES_PER_SHIP", "FIRE",
    "FIREMAN", "FIREMAN_1", "FIREMAN_RANGE", "FIRE_1", "FIRE_RANGE", "GOODS", "KINDS", "KIND_OF", "KIND_SEASONS",
    "MAX_CONTRACT_SIZE", "MERCHANTS", "MERCHANT_1", "MICHAELIS_CARD", "N_CARDS", "N_CONTRACTS",
    "N_COUNTING_OFFICES", "N_CUBES", "N_FIREMEN", "N_FIRES", "N_GOODS", "N_SHIPS", "PORT", "PORT_CARD", "SEASONS",
    "SEASON_NAMES", "SEASON_OF", "SEASON_ORDER", "SHIP", "SHIP_1", "ST_MICHAELIS", "WAREHOUSE", "WAREHOUSE_CARD",
]  # fmt: skip

GOODS = ("coffee", "tea", "saffron", "rubber", "carpet")
"""The five goods, in the order used everywhere."""
N_GOODS = len(GOODS)
CUBES_PER_GOOD = 9
N_CUBES = N_GOODS * CUBES_PER_GOOD
CUBES_PER_SHIP = 3

SEASONS = ("A", "B", "C", "D", "E")
"""Winter, spring, summer, autumn, and E: the 4th fire alone at the bottom of the pile."""
SEASON_NAMES = ("winter", "spring", "summer", "autumn", "4th fire")

AUTUMN = 3

KIND_SEASONS: dict[str, tuple[int, int, int, int, int]] = {
    "contract": (3, 3, 4, 0, 0),
    "counting_office": (1, 1, 0, 2, 0),
    "fireman": (2, 3, 2, 3, 0),
    "coffee_roaster": (1, 0, 0, 0, 0),
    "tea_taster": (1, 0, 0, 0, 0),
    "spice_trader": (1, 0, 0, 0, 0),
    "vulcanizer": (1, 0, 0, 0, 0),
    "carpet_trader": (1, 0, 0, 0, 0),
    "warehouse": (1, 0, 0, 0, 0),
    "ship": (0, 5, 5, 5, 0),
    "bank": (0, 0, 1, 0, 0),
    "boatsmen_church": (0, 0, 0, 1, 0),
    "st_michaelis": (0, 0, 0, 1, 0),
    "chamber_of_commerce": (0, 0, 0, 1, 0),
    "port": (0, 0, 0, 1, 0),
    "fire": (0, 1, 1, 1, 1),
}
"""Cards of each kind per season A..E. The order of the keys numbers the kinds; merchants are in the order of goods."""

KINDS = tuple(KIND_SEASONS)
(
    CONTRACT, COUNTING_OFFICE, FIREMAN, COFFEE_ROASTER, TEA_TASTER, SPICE_TRADER, VULCANIZER, CARPET_TRADER,
    WAREHOUSE, SHIP, BANK, BOATSMEN_CHURCH, ST_MICHAELIS, CHAMBER_OF_COMMERCE, PORT, FIRE,
) = range(len(KINDS))  # fmt: skip
MERCHANTS = KINDS[COFFEE_ROASTER : CARPET_TRADER + 1]


def _number_the_cards() -> tuple[list[str], list[int], list[int], list[int]]:
    """Ids, kinds and seasons of the 54 cards in card order, and the first card of each kind."""
    ids: list[str] = []
    kinds: list[int] = []
    seasons: list[int] = []
    first: list[int] = []
    for kind, (name, per_season) in enumerate(KIND_SEASONS.items()):
        first.append(len(ids))
        of_kind = [season for season, count in enumerate(per_season) for _ in range(count)]
        for k, season in enumerate(of_kind, start=1):
            ids.append(name if len(of_kind) == 1 else f"{name}_{k}")
            kinds.append(kind)
            seasons.append(season)
    return ids, kinds, seasons, first


_ids, _kinds, _seasons, _first = _number_the_cards()

CARD_IDS = tuple(_ids)
N_CARDS = len(CARD_IDS)
CARD_NUMBER = {card_id: card for card, card_id in enumerate(CARD_IDS)}
KIND_OF = np.array(_kinds, dtype=np.int8)
"""Kind number of each card."""
SEASON_OF = np.array(_seasons, dtype=np.int8)
"""Season number (0 = winter) of each card."""
SEASON_ORDER = np.array(sorted(range(N_CARDS), key=lambda card: (_seasons[card], card)), dtype=np.int8)
"""All cards, winter first: the pile before shuffling."""

# First card number of each kind that the rules ask for by name.
CONTRACT_1 = _first[CONTRACT]
COUNTING_OFFICE_1 = _first[COUNTING_OFFICE]
FIREMAN_1 = _first[FIREMAN]
MERCHANT_1 = _first[COFFEE_ROASTER]
WAREHOUSE_CARD = _first[WAREHOUSE]
SHIP_1 = _first[SHIP]
BANK_CARD = _first[BANK]
CHURCH_CARD = _first[BOATSMEN_CHURCH]
MICHAELIS_CARD = _first[ST_MICHAELIS]
CHAMBER_CARD = _first[CHAMBER_OF_COMMERCE]
PORT_CARD = _first[PORT]
FIRE_1 = _first[FIRE]

assert CONTRACT_1 == 0, "a contract's number (in actions and in the state) is used as its card number"

N_CONTRACTS, N_COUNTING_OFFICES, N_FIREMEN, N_SHIPS, N_FIRES = (
    sum(KIND_SEASONS[KINDS[kind]]) for kind in (CONTRACT, COUNTING_OFFICE, FIREMAN, SHIP, FIRE)
)

# What the numbers of a deck may be, lowest and highest.
FIRE_RANGE = (1, 6)
"""Points gained and lost at a fire."""
FIREMAN_RANGE = (1, 5)
"""What a fireman counts at a fire."""
CONTRACT_SIZE_RANGE = (2, 4)
"""Goods of a contract."""
MAX_CONTRACT_SIZE = CONTRACT_SIZE_RANGE[1]
CONTRACT_POINTS = np.array([0, 0, 5, 8, 11], dtype=np.int8)
"""Points of a complete contract, by its size in goods."""
