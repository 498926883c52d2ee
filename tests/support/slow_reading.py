"""The observation read off a state a second time, in plain Python, piece by piece and by name.

Written from what the pieces mean and not from the encoder: it takes nothing of `speicher_env.observation`, its numbers
are those of the cards and the box, and where a state keeps a sum beside what it sums, it adds up again.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from speicher_env.rules.cards import CARD_IDS

GOODS = ["coffee", "tea", "saffron", "rubber", "carpet"]
MERCHANTS = ["coffee_roaster", "tea_taster", "spice_trader", "vulcanizer", "carpet_trader"]
AUTUMN_BUILDINGS = ["boatsmen_church", "st_michaelis", "chamber_of_commerce", "port"]
BUILDINGS = [*MERCHANTS, "warehouse", "bank", *AUTUMN_BUILDINGS]
KINDS = ["contract", "counting_office", "fireman", *MERCHANTS, "warehouse", "ship", "bank", *AUTUMN_BUILDINGS]
SEASONS_OF = {
    "contract": "AAABBBCCCC",
    "counting_office": "ABDD",
    "fireman": "AABBBCCDDD",
    **dict.fromkeys(MERCHANTS, "A"),
    "warehouse": "A",
    "ship": "BBBBBCCCCCDDDDD",
    "bank": "C",
    **dict.fromkeys(AUTUMN_BUILDINGS, "D"),
    "fire": "BCDE",
}
"""Season of the 1st, 2nd, ... card of each kind."""
ALIKE = [
    (kind, season)
    for kind in ["counting_office", *MERCHANTS, "warehouse", "ship", "bank", *AUTUMN_BUILDINGS]
    for season in sorted(set(SEASONS_OF[kind]))
]
"""Cards that are alike, by kind and season."""
CONTRACT_POINTS = {2: 5, 3: 8, 4: 11}
OFFICE_POINTS = [0, 2, 5, 9, 14]
PHASES = ["demand", "purchase", "loading"]
SPACES = 8
CONTRACTS = [f"contract_{k}" for k in range(1, 11)]


def kind_of(card: str) -> str:
    """The kind of a card id."""
    return card if card in SEASONS_OF else card.rpartition("_")[0]


def number_of(card: str) -> int:
    """Which one of its kind a card is, from 0."""
    return 0 if card in SEASONS_OF else int(card.rpartition("_")[2]) - 1


def season_of(card: str) -> str:
    """The season letter of a card id."""
    return SEASONS_OF[kind_of(card)][number_of(card)]


def by_good(amounts: Any) -> dict[str, int]:
    """Amounts by the name of the good, without the zeros."""
    return {good: int(amount) for good, amount in zip(GOODS, amounts, strict=True) if amount}


class Table:
    """What lies on the table for a seat that looks at a state; seats count from that seat, clockwise."""

    def __init__(self, state: np.void, viewer: int) -> None:
        self.state = state
        self.players = int(state["players"])
        self.turned = [(viewer + place) % self.players for place in range(self.players)]
        pile = [CARD_IDS[card] for card in state["pile"][: state["pile_size"]]]
        self.revealed = pile[: state["pile_next"]]
        self.unseen = pile[state["pile_next"] :]
        self.bag = [GOODS[good] for good in state["bag"][state["bag_next"] :]]
        self.columns = [None if card < 0 else CARD_IDS[card] for card in state["card"][: self.players + 1]]
        self.owners = {
            CARD_IDS[card]: self.turned.index(owner) for card, owner in enumerate(state["owner"].tolist()) if owner >= 0
        }
        on_table = [card for card in self.columns if card is not None]
        self.known_contracts = [
            card for card in CONTRACTS if card in self.unseen or card in on_table or card in self.owners
        ]

    def seat(self, place: int) -> int:
        """The seat number of a place counted from the viewer."""
        return self.turned[place]

    def owned(self, place: int, kind: str) -> list[str]:
        """The cards of a kind that a seat owns."""
        return [card for card, owner in self.owners.items() if owner == place and kind_of(card) == kind]

    def value(self, card: str) -> int:
        """The value of a fireman or fire."""
        return int(self.state[f"{kind_of(card)}_value"][number_of(card)])

    def goods(self, contract: str) -> list[str]:
        """The goods printed on a contract."""
        return [GOODS[good] for good in self.state["contract_goods"][number_of(contract)] if good >= 0]

    def missing(self, contract: str) -> dict[str, int]:
        """The cubes that a contract still needs."""
        return by_good(self.state["missing"][number_of(contract)])

    def queue(self, column: int) -> list[int]:
        """Places of the workers above a column, lowest first."""
        return [self.turned.index(seat) for seat in self.state["queue"][column].tolist() if seat >= 0]

    def cargo(self, column: int) -> dict[str, int]:
        """The cubes on the ship in a column."""
        return dict(Counter(GOODS[good] for good in self.state["cargo"][column] if good >= 0))

    def points(self, place: int) -> int:
        """A seat's points, were the game to end now."""
        seat = self.seat(place)
        complete = [card for card in self.owned(place, "contract") if not self.missing(card)]
        points = int(self.state["fire_points"][seat])
        points += sum(CONTRACT_POINTS[len(self.goods(card))] for card in complete)
        points += OFFICE_POINTS[len(self.owned(place, "counting_office"))]
        points += sum(self.owners.get(merchant) == place for merchant in MERCHANTS)
        if self.owners.get("warehouse") == place:
            points += min(4, int(self.state["cubes"][seat].sum()))
        if self.owners.get("chamber_of_commerce") == place:
            points += int(self.state["coins"][seat])
        if self.owners.get("port") == place:
            points += len(self.owned(place, "ship"))
        if self.owners.get("boatsmen_church") == place:
            points += 3
        if self.owners.get("st_michaelis") == place:
            points += 4
        return points


def described(state: np.void, viewer: int, seats: int) -> dict[str, Any]:
    """What `describe` has to say of the observation, in words and natural numbers."""
    table = Table(state, viewer)
    groups = Counter((kind_of(card), season_of(card)) for card in table.unseen)
    trade_cards = sum(kind_of(card) != "fire" for card in table.revealed)
    there = [described_seat(table, place) for place in range(table.players)]
    return {
        "phase": PHASES[state["phase"]] if state["phase"] < 3 else None,
        "stock": by_good(state["stock"]),
        "players": str(table.players),
        "round": trade_cards // (table.players + 1),
        "fires": {card: table.value(card) for card in sorted(table.unseen) if kind_of(card) == "fire"},
        "pile": dict(Counter(season_of(card) for card in table.unseen)),
        "unseen": {
            f"{kind} {season}": round(groups[kind, season] / SEASONS_OF[kind].count(season), 3)
            for kind, season in ALIKE
            if groups[kind, season]
        },
        "unseen_firemen": {card: table.value(card) for card in table.unseen if kind_of(card) == "fireman"},
        "bag": dict(Counter(table.bag)),
        "contracts": {card: described_contract(table, card) for card in CONTRACTS},
        "columns": [described_column(table, column) for column in range(seats + 1)],
        "seats": there + [described_absence(there[0])] * (seats - table.players),
    }


def described_contract(table: Table, card: str) -> dict[str, Any]:
    """A contract, wherever it is."""
    known = card in table.known_contracts
    return {
        "unseen": card in table.unseen,
        "points": CONTRACT_POINTS[len(table.goods(card))] if known else 0,
        "missing": table.missing(card) if known else {},
    }


def described_column(table: Table, column: int) -> dict[str, Any]:
    """A column; one that there is not looks like one without a card."""
    card = table.columns[column] if column < len(table.columns) else None
    kind = None if card is None else kind_of(card)
    return {
        "kind": kind,
        "value": table.value(card) if card is not None and kind == "fireman" else 0,
        "goods": dict(Counter(table.goods(card))) if card is not None and kind == "contract" else {},
        "cargo": table.cargo(column) if kind == "ship" else {},
        "price": 0 if card is None else len(table.queue(column)),
        "offer": bool(table.state["phase"] == 1 and table.state["offer"] == column),
    }


def described_seat(table: Table, place: int) -> dict[str, Any]:
    """A seat counted from the one that looks."""
    state, seat = table.state, table.seat(place)
    coins = int(state["coins"][seat])
    queue = [
        (column, space)
        for column in range(len(table.columns))
        for space, standing in enumerate(table.queue(column))
        if standing == place
    ]
    return {
        "decides": bool(state["player"] == seat),
        "first_player": bool(state["first_player"] == seat),
        "workers": 3 - len(queue),
        "coins": min(coins, 16),
        "savings": coins - min(coins, 16),
        "bought": bool(state["bought"][seat]),
        "points": table.points(place),
        "fire_points": int(state["fire_points"][seat]),
        "firemen": sum(map(table.value, table.owned(place, "fireman"))),
        "offices": len(table.owned(place, "counting_office")),
        "ships": len(table.owned(place, "ship")),
        "cubes": by_good(state["cubes"][seat]),
        "aboard": by_good(state["aboard"][seat]),
        "buildings": [card for card in BUILDINGS if table.owners.get(card) == place],
        "contracts": [card for card in CONTRACTS if table.owners.get(card) == place],
        "queue": queue,
    }


def described_absence(seat: dict[str, Any]) -> dict[str, Any]:
    """A seat that there is not, in the form of one that there is: the zeros of its values, in words."""
    zeros = {name: type(value)() for name, value in seat.items()}
    return {**zeros, "points": -32, "fire_points": -24}


def encoded(state: np.void, viewer: int, seats: int) -> dict[str, Any]:
    """The values of every piece, as nested lists of numbers between 0 and 1, in the order of the vector.

    Pieces of contracts, columns and seats are lists with one entry for each; what there is not is zeros.
    """
    table, said = Table(state, viewer), described(state, viewer, seats)
    contracts, columns = list(said["contracts"].values()), said["columns"]
    there = said["seats"][: table.players]

    def shares(amounts: dict[str, int], labels: list[str], full: int) -> list[float]:
        return [amounts.get(label, 0) / full for label in labels]

    def flags(marked: list[Any], labels: list[Any]) -> list[float]:
        return [float(label in marked) for label in labels]

    def of_seats(read: Any) -> list[Any]:
        empty = np.zeros_like(read(there[0])).tolist()
        return [read(seat) for seat in there] + [empty] * (seats - table.players)

    spaces = [(column, space) for column in range(seats + 1) for space in range(SPACES)]
    return {
        "phase": [float(said["phase"] == phase) for phase in PHASES],
        "stock": shares(said["stock"], GOODS, 9),
        "players": [float(table.players == count) for count in (2, 3, 4, 5)],
        "round": said["round"] / 16,
        "fires": shares(said["fires"], [f"fire_{k}" for k in range(1, 5)], 6),
        "pile": shares(said["pile"], ["A", "B", "C", "D", "E"], 15),
        "unseen": [
            sum((kind_of(card), season_of(card)) == group for card in table.unseen)
            / SEASONS_OF[group[0]].count(group[1])
            for group in ALIKE
        ],
        "unseen_firemen": shares(said["unseen_firemen"], [f"fireman_{k}" for k in range(1, 11)], 5),
        "bag": [table.bag.count(good) / 9 for good in GOODS],
        "contract_unseen": [float(contract["unseen"]) for contract in contracts],
        "contract_points": [contract["points"] / 11 for contract in contracts],
        "contract_missing": [shares(contract["missing"], GOODS, 4) for contract in contracts],
        "column_kind": [[float(column["kind"] == kind) for kind in KINDS] for column in columns],
        "column_value": [column["value"] / 5 for column in columns],
        "column_goods": [shares(column["goods"], GOODS, 4) for column in columns],
        "column_cargo": [shares(column["cargo"], GOODS, 3) for column in columns],
        "column_price": [column["price"] / 8 for column in columns],
        "column_offer": [float(column["offer"]) for column in columns],
        "decides": of_seats(lambda seat: float(seat["decides"])),
        "first_player": of_seats(lambda seat: float(seat["first_player"])),
        "workers": of_seats(lambda seat: seat["workers"] / 3),
        "coins": of_seats(lambda seat: seat["coins"] / 16),
        "savings": of_seats(lambda seat: seat["savings"] / 112),
        "bought": of_seats(lambda seat: float(seat["bought"])),
        "points": of_seats(lambda seat: min(max((seat["points"] + 32) / 128, 0.0), 1.0)),
        "fire_points": of_seats(lambda seat: (seat["fire_points"] + 24) / 48),
        "firemen": of_seats(lambda seat: min(seat["firemen"] / 32, 1.0)),
        "offices": of_seats(lambda seat: seat["offices"] / 4),
        "ships": of_seats(lambda seat: seat["ships"] / 15),
        "cubes": of_seats(lambda seat: shares(seat["cubes"], GOODS, 9)),
        "aboard": of_seats(lambda seat: shares(seat["aboard"], GOODS, 9)),
        "buildings": of_seats(lambda seat: flags(seat["buildings"], BUILDINGS)),
        "contracts": of_seats(lambda seat: flags(seat["contracts"], CONTRACTS)),
        "queue": of_seats(lambda seat: np.reshape(flags(seat["queue"], spaces), (seats + 1, SPACES)).tolist()),
    }
