"""What lies on the table: cards, cubes, workers, columns, the stock, the players.

A cube is the name of its good. A place for cubes is a list of them.
"""

from __future__ import annotations

from typing import Any

GOODS = ("coffee", "tea", "saffron", "rubber", "carpet")

MERCHANT_BUYS = {
    "coffee_roaster": "coffee",
    "tea_taster": "tea",
    "spice_trader": "saffron",
    "vulcanizer": "rubber",
    "carpet_trader": "carpet",
}

START_COINS = 5
WORKERS_EACH = 3
WAREHOUSE_PLACES = 4
MARKET_HALL_PLACES = 1


def counts(cubes: list[str]) -> dict[str, int]:
    """How many cubes of each good there are: all five goods, zeros included."""
    return {good: cubes.count(good) for good in GOODS}


class Card:
    """A trade card or a fire; `value` is 0 for cards that have none."""

    def __init__(self, card_id: str, kind: str, season: str, value: int = 0) -> None:
        self.id = card_id
        self.kind = kind
        self.season = season
        self.value = value


class Ship(Card):
    """A ship with the cubes that are still aboard."""

    def __init__(self, card_id: str, kind: str, season: str) -> None:
        super().__init__(card_id, kind, season)
        self.cubes: list[str] = []


class Contract(Card):
    """A contract with the goods printed on it and the cubes placed on it so far."""

    def __init__(self, card_id: str, kind: str, season: str, goods: list[str]) -> None:
        super().__init__(card_id, kind, season)
        self.goods = list(goods)
        self.placed: list[str] = []

    def missing(self) -> list[str]:
        """The goods it still needs."""
        still_needed = list(self.goods)
        for cube in self.placed:
            still_needed.remove(cube)
        return still_needed


def make_card(card_id: str, entry: dict[str, Any]) -> Card:
    """A card from its entry in a game record."""
    if entry["kind"] == "ship":
        return Ship(card_id, "ship", entry["season"])
    if entry["kind"] == "contract":
        return Contract(card_id, "contract", entry["season"], entry["goods"])
    return Card(card_id, entry["kind"], entry["season"], entry.get("value", 0))


class Worker:
    """A worker, in its owner's hand or above a card."""

    def __init__(self, owner: Player) -> None:
        self.owner = owner


class Column:
    """A place for a trade card, with the workers above it: the lowest is first in the list."""

    def __init__(self) -> None:
        self.card: Card | None = None
        self.workers: list[Worker] = []


class Player:
    """A player with everything in front of them."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.coins = START_COINS
        self.workers = [Worker(self) for _ in range(WORKERS_EACH)]  # those in hand
        self.fire_points = 0
        self.cards_bought = 0  # this round
        self.cards: list[Card] = []
        self.warehouse: list[str] = []  # stays empty without the warehouse card
        self.market_hall: list[str] = []
        self.quay: list[str] = []  # unloaded or converted cubes, without a place yet; empty but in one's loading

    def number_of(self, kind: str) -> int:
        """How many cards of this kind the player owns."""
        return len([card for card in self.cards if card.kind == kind])

    def ships(self) -> list[Ship]:
        """The player's ships, loaded or not."""
        return [card for card in self.cards if isinstance(card, Ship)]

    def contracts(self) -> list[Contract]:
        """The player's contracts, contract_1 before contract_10."""
        owned = [card for card in self.cards if isinstance(card, Contract)]
        return sorted(owned, key=lambda contract: int(contract.id.split("_")[1]))

    def fire_strength(self) -> int:
        """The sum of the player's firemen."""
        return sum(card.value for card in self.cards if card.kind == "fireman")

    def aboard(self) -> list[str]:
        """The cubes on the player's ships that are not unloaded yet."""
        return [cube for ship in self.ships() for cube in ship.cubes]

    def unload(self) -> None:
        """Put the cubes of all the player's ships on the quay."""
        for ship in self.ships():
            self.quay.extend(ship.cubes)
            ship.cubes.clear()

    def pool(self) -> list[str]:
        """All cubes the player has a say over: kept in the warehouse or the market hall, or on the quay."""
        return self.warehouse + self.market_hall + self.quay

    def warehouse_places(self) -> int:
        """How many cubes the player's warehouse holds."""
        return WAREHOUSE_PLACES if self.number_of("warehouse") else 0

    def capacity(self) -> int:
        """How many cubes the player can keep from one loading to the next."""
        return self.warehouse_places() + MARKET_HALL_PLACES

    def give_up(self, good: str) -> str:
        """Take one cube of the good out of the player's places and hand it over.

        Cubes of one good are alike and may be shifted at will during loading, so it does not matter from
        where: a cube without a place goes first, then the one in the market hall, then one in the warehouse.
        """
        for place in (self.quay, self.market_hall, self.warehouse):
            if good in place:
                place.remove(good)
                return good
        raise ValueError(f"seat {self.seat} has no cube of {good}")

    def store(self) -> None:
        """Put away what is left at the end of a loading: the warehouse first, then the market hall."""
        left = self.pool()
        if len(left) > self.capacity():
            raise ValueError(f"seat {self.seat} has {len(left)} cubes but places for {self.capacity()}")
        self.warehouse = left[: self.warehouse_places()]
        self.market_hall = left[self.warehouse_places() :]
        self.quay = []
