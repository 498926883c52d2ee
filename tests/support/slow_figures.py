"""The figures that networks may read, worked out a second time: in plain Python from the state of the game.

Written from what the figures mean: it takes nothing of `speicher_env.observation.figures`, and its numbers are those
of the observation's page.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from speicher_agents.scripted import CODES, choose
from speicher_env.rules.actions import ACTION_TEXTS, BUY
from speicher_env.rules.state import EMPTY
from speicher_env.rules.turn import step
from tests.support.agent_positions import stream_of
from tests.support.positions import deal_game, legal_ids
from tests.support.slow_reading import CONTRACTS, GOODS, KINDS, MERCHANTS, Table, kind_of

NEED, CARGO, LEAD, PURSE, FIREMAN, FIRE, SPACES = 4, 3, 8, 8, 5, 6, 8
"""Natural numbers that are written as 1."""


class Reading:
    """What a player can work out; seats count from the one that looks. A seat that there is not has nothing."""

    def __init__(self, state: np.void, viewer: int, seats: int) -> None:
        self.state, self.seats = state, seats
        self.table = Table(state, viewer)
        self.columns = [*self.table.columns, *[None] * (seats - self.table.players)]
        self.firemen = [min(sum(self._values(place)), 32) for place in range(seats)]
        self.points = [
            min(max(self.table.points(place), -32), 96) if self._there(place) else -32 for place in range(seats)
        ]
        self.need = [self._need(place) for place in range(seats)]
        self.has = [self._cubes(place, "cubes") + self._cubes(place, "aboard") for place in range(seats)]

    def figures(self) -> dict[str, Any]:
        """Every group, in its shape."""
        seats, columns = range(self.seats), range(self.seats + 1)
        fires = sorted(card for card in self.table.unseen if kind_of(card) == "fire")
        by_column = {
            name: [[read(column, place) for place in seats] for column in columns]
            for name, read in (
                ("ship_useful", self.ship_useful), ("ship_sold", self.ship_sold), ("contract_held", self.contract_held),
                ("office_step", self.office_step), ("fireman_lead", self.fireman_lead), ("asked", self.asked),
                ("purse", self.purse),
            )
        }  # fmt: skip
        offer = int(self.state["offer"]) if self.state["phase"] == 1 else None
        return {
            "need": [[self.need[place][good] / NEED for good in GOODS] for place in seats],
            "lack": [[self.lack(place)[good] / NEED for good in GOODS] for place in seats],
            "lead": [self.lead(place) / LEAD for place in seats],
            "lead_low": [(self.firemen[place] - min(self._others(self.firemen, place))) / LEAD for place in seats],
            "points_lead": [(self.points[place] - max(self._others(self.points, place))) / 128 for place in seats],
            "next_fire": self.table.value(fires[0]) / FIRE if fires else 0.0,
            **by_column,
            "ship_for": [[self.ship_for(column, contract) for contract in CONTRACTS] for column in columns],
            "deliverable": [
                [self.deliverable(contract)[good] / NEED for good in GOODS] for contract in CONTRACTS
            ],
            "completable": [float(self.completable(contract)) for contract in CONTRACTS],
            "offered": self.offered(offer),
            "offered_to": [
                [0.0] * self.seats if offer is None else group[offer] for group in by_column.values()
            ],
        }  # fmt: skip

    def lack(self, place: int) -> Counter[str]:
        """Cubes needed beyond those that are there or aboard."""
        return self.need[place] - self.has[place]

    def spare(self, place: int) -> Counter[str]:
        """Cubes there or aboard beyond those needed."""
        return self.has[place] - self.need[place]

    def lead(self, place: int) -> int:
        """Firemen more than the best other seat."""
        return self.firemen[place] - max(self._others(self.firemen, place))

    def ship_useful(self, column: int, place: int) -> float:
        """Cubes of the cargo that are lacking."""
        return (self._cargo(column) & self.lack(place)).total() / CARGO

    def ship_sold(self, column: int, place: int) -> float:
        """Cubes of the cargo that the seat's own merchants take."""
        bought = [good for good, merchant in zip(GOODS, MERCHANTS, strict=True) if self._owner(merchant) == place]
        return sum(self._cargo(column)[good] for good in bought) / CARGO

    def contract_held(self, column: int, place: int) -> float:
        """Cubes to spare that the contract asks for."""
        if self._kind(column) != "contract":
            return 0.0
        return (Counter(self.table.goods(self.columns[column])) & self.spare(place)).total() / NEED

    def office_step(self, column: int, place: int) -> float:
        """Counting offices with this one."""
        if self._kind(column) != "counting_office":
            return 0.0
        return ((len(self.table.owned(place, "counting_office")) if self._there(place) else 0) + 1) / 4

    def fireman_lead(self, column: int, place: int) -> float:
        """Lead with this fireman."""
        return (self.lead(place) + self.table.value(self.columns[column])) / LEAD if self._fireman(column) else 0.0

    def asked(self, column: int, place: int) -> float:
        """Price at which the seat's first worker in the queue comes to the front, all others before having passed."""
        price = self._price(column, place)
        return 0.0 if price is None else price / SPACES

    def purse(self, column: int, place: int) -> float:
        """Coins beyond that price."""
        price = self._price(column, place)
        if price is None:
            return 0.0
        return float(np.clip((int(self.state["coins"][self.table.seat(place)]) - price) / PURSE, -1, 1))

    def ship_for(self, column: int, contract: str) -> float:
        """Cubes of the cargo that one contract of one's own needs."""
        return (self._cargo(column) & self._own_need(contract)).total() / CARGO

    def deliverable(self, contract: str) -> Counter[str]:
        """Cubes at hand that a contract of one's own needs."""
        return self._own_need(contract) & self._cubes(0, "cubes")

    def completable(self, contract: str) -> bool:
        """Whether they are all that it needs."""
        return bool(self._own_need(contract)) and self._own_need(contract) <= self._cubes(0, "cubes")

    def offered(self, offer: int | None) -> list[float]:
        """The card on offer: kind, value, price, goods, cargo."""
        if offer is None:
            return [0.0] * (len(KINDS) + 12)
        card, kind = self.columns[offer], self._kind(offer)
        goods = Counter(self.table.goods(card)) if kind == "contract" else Counter()
        return [
            *(float(kind == one) for one in KINDS),
            self.table.value(card) / FIREMAN if self._fireman(offer) else 0.0,
            len(self.table.queue(offer)) / SPACES,
            *(goods[good] / NEED for good in GOODS),
            *(self._cargo(offer)[good] / CARGO for good in GOODS),
        ]

    def _there(self, place: int) -> bool:
        return place < self.table.players

    def _owner(self, card: str) -> int | None:
        return self.table.owners.get(card)

    def _kind(self, column: int) -> str | None:
        card = self.columns[column]
        return None if card is None else kind_of(card)

    def _fireman(self, column: int) -> bool:
        return self._kind(column) == "fireman"

    def _values(self, place: int) -> list[int]:
        return [self.table.value(card) for card in self.table.owned(place, "fireman")]

    def _cubes(self, place: int, field: str) -> Counter[str]:
        if not self._there(place):
            return Counter()
        return Counter(dict(zip(GOODS, self.state[field][self.table.seat(place)].tolist(), strict=True)))

    def _need(self, place: int) -> Counter[str]:
        found: Counter[str] = Counter()
        for contract in self.table.owned(place, "contract"):
            found.update(self.table.missing(contract))
        return found

    def _own_need(self, contract: str) -> Counter[str]:
        return Counter(self.table.missing(contract)) if self._owner(contract) == 0 else Counter()

    def _cargo(self, column: int) -> Counter[str]:
        return Counter(self.table.cargo(column)) if self._kind(column) == "ship" else Counter()

    def _price(self, column: int, place: int) -> int | None:
        """None for a seat that does not stand above a card there."""
        if self.columns[column] is None or place not in self.table.queue(column):
            return None
        queue = self.table.queue(column)
        return len(queue) - queue.index(place)

    @staticmethod
    def _others(numbers: list[int], place: int) -> list[int]:
        return numbers[:place] + numbers[place + 1 :]


END = ACTION_TEXTS.index("end")


def game(players: int, seed: int) -> Iterator[np.ndarray]:
    """A game of players that buy most of what they can pay, keep their cubes for long, or play as merchants."""
    states = deal_game(players, "standard" if seed % 2 else "sampled", seed)
    rng, stream = random.Random(seed), stream_of(seed)
    while states["player"][0] != EMPTY:
        yield states
        legal = legal_ids(states)
        if (int(states["player"][0]) + seed) % 2:
            action = int(choose(states[0], CODES["merchant"], stream))
        elif BUY in legal and rng.random() < 0.8:
            action = BUY
        elif END in legal and rng.random() < 0.5:
            action = END
        else:
            action = rng.choice(legal)
        assert step(states, 0, action)
    yield states


@cache
def positions(players: int) -> np.ndarray:
    """Positions of several games, from beginning to end, and the rare ones with all cubes for a contract at hand."""
    found = [states.copy() for seed in range(6) for states in game(players, seed)]
    rare = [states for states in found if could_complete(states[0])]
    return np.concatenate([*found[:: len(found) // 110], *rare[:: max(len(rare) // 10, 1)], found[-1]])


def could_complete(state: np.void) -> bool:
    """Whether a seat has the cubes that a contract of its own still needs."""
    return any(
        owner >= 0 and missing.any() and (missing <= state["cubes"][owner]).all()
        for owner, missing in zip(state["owner"], state["missing"], strict=False)
    )
