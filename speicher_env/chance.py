"""What the next supply can bring and how likely, from what every seat can see.

A supply draws one name after the other. First come trade cards and fires from the pile, until one trade card more than
there are players lies on the table; then three cubes from the bag for each ship among them, left to right. So a supply
is a tuple of names in the order drawn, such as ``("bank", "ship_6", "contract_8", "tea", "tea", "rubber")``. A search
may treat a supply as one chance event, or each draw as an event of its own.

>>> from speicher_env import Game
>>> following = Game(num_players=2, seed=7).next_supply
>>> len(following.draws()), following.columns
(9, 3)
>>> supply = following.sample(seed=1)
>>> following.probability(supply)
Fraction(1, 504)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from hashlib import blake2b
from itertools import combinations_with_replacement
from math import comb, prod

import numpy as np

from speicher_env.arguments import check_seed
from speicher_env.errors import ArgumentError
from speicher_env.messages import listed, must_be, one_of
from speicher_env.rules.cards import (
    CARD_IDS,
    CARD_NUMBER,
    CUBES_PER_SHIP,
    FIRE,
    GOODS,
    KIND_OF,
    N_GOODS,
    SEASON_OF,
    SEASONS,
    SHIP,
)
from speicher_env.rules.chance import arrange_supply_at
from speicher_env.rules.state import IN_PILE, OVER, REMOVED
from speicher_env.rules.stream import SUPPLY_STREAM, below, start_stream

__all__ = ["NextSupply", "arrange", "first_supply_of", "next_supply_of"]

_IS_FIRE = frozenset(card for number, card in enumerate(CARD_IDS) if KIND_OF[number] == FIRE)
_IS_SHIP = frozenset(card for number, card in enumerate(CARD_IDS) if KIND_OF[number] == SHIP)
_SEASON_CARDS = tuple(
    tuple((card, name) for card, name in enumerate(CARD_IDS) if SEASON_OF[card] == season)
    for season in range(len(SEASONS))
)
"""Number and id of the cards of each season."""
SHIPS, OTHERS, FIRES = range(3)

Counts = tuple[int, ...]
"""Cubes of each good, or cards of each of these three kinds."""

_SHIPLOADS = tuple(
    tuple(goods.count(good) for good in range(N_GOODS))
    for goods in combinations_with_replacement(range(N_GOODS), CUBES_PER_SHIP)
)
"""What one ship can carry."""


@dataclass(frozen=True)
class NextSupply:
    """What the next supply of a game can bring; see `Game.next_supply`.

    Probabilities are exact fractions; ``float()`` rounds them.
    """

    columns: int
    """Trade cards that it lays out."""
    pile: tuple[tuple[str, ...], ...]
    """The cards left in the pile, season by season, the season on top first; in card order, not in that of the pile."""
    bag: tuple[str, ...]
    """The cubes left in the bag, in the order of the goods."""

    # One draw at a time

    def draws(self, drawn: Sequence[str] = (), *, sorted_loads: bool = False) -> dict[str, Fraction]:
        """The names that can be drawn after those of `drawn`, with their probabilities; empty when it is complete.

        Args:
            drawn: The names drawn so far.
            sorted_loads: Whether the three cubes of a ship are drawn in the order of the goods. There is one way to
                draw each load then, as likely as all its orders together, and a search meets it once.

        Raises:
            ArgumentError: If the supply cannot begin with `drawn`.
        """
        possible = self.weights(drawn, sorted_loads=sorted_loads)
        total = sum(possible.values())
        return {name: Fraction(weight, total) for name, weight in possible.items()}

    def weights(self, drawn: Sequence[str] = (), *, sorted_loads: bool = False) -> dict[str, int]:
        """`draws`, with whole numbers in proportion to the probabilities, which takes less time."""
        drawing = _Drawing(self, sorted_loads)
        possible = drawing.possible()
        for place, name in enumerate(drawn):
            if not _is_text(name) or name not in possible:
                raise ArgumentError(_impossible(name, place, possible))
            drawing.draw(name)
            possible = drawing.possible()
        return possible

    # Whole supplies

    def check(self, supply: Sequence[str]) -> tuple[str, ...]:
        """The supply as a tuple.

        Raises:
            ArgumentError: If the supply cannot be this one.
        """
        if isinstance(supply, str) or not isinstance(supply, Sequence):
            raise ArgumentError(must_be("supply", supply, "a sequence of card ids and then of goods"))
        rest = self.draws(supply)
        if rest:
            raise ArgumentError(f"supply has {len(supply)} draws: the next one must be {listed(list(rest), 'or')}.")
        return tuple(supply)

    def probability(self, supply: Sequence[str]) -> Fraction:
        """The probability of a whole supply, whatever the order of the three cubes on each ship.

        That order makes no difference to the game. 0 for a supply that cannot be.
        """
        try:
            names = self.check(supply)
        except ArgumentError:
            return Fraction(0)
        cards = [name for name in names if name in CARD_NUMBER]
        chance = prod((self.draws(names[:place])[name] for place, name in enumerate(cards)), start=Fraction(1))
        left = _counts(self.bag)
        for first in range(len(cards), len(names), CUBES_PER_SHIP):
            load = _counts(names[first : first + CUBES_PER_SHIP])
            chance *= _load_chance(left, load)
            left = _less(left, load)
        return chance

    def sample(self, seed: int) -> tuple[str, ...]:
        """Draw a supply from a seed; each comes with its probability.

        Args:
            seed: A seed as for `Game`.
        """
        stream = start_stream(np.uint64(check_seed(seed)), SUPPLY_STREAM)
        drawing = _Drawing(self)
        drawn: list[str] = []
        while possible := drawing.possible():
            pick, stream = below(stream, sum(possible.values()))
            for name, number in possible.items():
                if pick < number:
                    drawing.draw(name)
                    drawn.append(name)
                    break
                pick -= number
        return tuple(drawn)

    @property
    def count(self) -> int:
        """The number of `outcomes`: from 1, late in a game, to more than can be listed."""
        seasons = tuple(_kinds_in(season) for season in self.pile)
        left = _counts(self.bag)
        return sum(orders * _count_loads(left, ships) for ships, orders in _count_orders(seasons, self.columns).items())

    def outcomes(self) -> Iterator[tuple[tuple[str, ...], Fraction]]:
        """Every supply that there can be, with its probability; they add up to 1.

        The cubes on each ship are in the order of the goods. Look at `count` first: late in a game there are few
        outcomes, early in it so many that `sample` or `draws` is the way.
        """
        yield from self._outcomes((), Fraction(1))

    def _outcomes(self, cards: tuple[str, ...], chance: Fraction) -> Iterator[tuple[tuple[str, ...], Fraction]]:
        possible = self.weights(cards)
        if not possible or next(iter(possible)) in GOODS:
            ships = sum(card in _IS_SHIP for card in cards)
            for loads, of_loads in _loads(_counts(self.bag), ships):
                yield cards + loads, chance * of_loads
            return
        for card in possible:
            yield from self._outcomes((*cards, card), chance / len(possible))

    def appears(self) -> dict[str, Fraction]:
        """For each card that may come, the probability that it does."""
        chances = {}
        columns = self.columns
        for season in self.pile:
            trade_cards = sum(card not in _IS_FIRE for card in season)
            taken = min(columns, trade_cards)
            for card in season:
                if card not in _IS_FIRE:
                    chances[card] = Fraction(taken, trade_cards)
                else:  # a fire comes before the last card that is taken, or when the supply goes on below it
                    chances[card] = Fraction(1) if columns > trade_cards else Fraction(taken, trade_cards + 1)
            columns -= taken
            if columns == 0:
                break
        return chances


class _Drawing:
    """A supply while it is drawn, name by name."""

    def __init__(self, supply: NextSupply, sorted_loads: bool = False) -> None:
        self._seasons = iter(supply.pile)
        self._cards: dict[str, int] = {}
        self._columns = supply.columns
        self._next_season()
        self._bag = _counts(supply.bag)
        self._cubes = 0
        self._load: list[int] = []
        self._sorted = sorted_loads

    def _next_season(self) -> None:
        while not self._cards and (season := next(self._seasons, None)) is not None:
            self._cards = dict.fromkeys(season, 1)

    def possible(self) -> dict[str, int]:
        """What can be drawn now, with whole numbers in proportion to the probabilities."""
        if self._columns and self._cards:
            return self._cards
        if not self._cubes:
            return {}
        weights = _weights_in_order(self._bag, self._load) if self._sorted else self._bag
        return {good: weight for good, weight in zip(GOODS, weights, strict=True) if weight}

    def draw(self, name: str) -> None:
        """Draw one of `possible`."""
        if name in CARD_NUMBER:
            del self._cards[name]
            self._columns -= name not in _IS_FIRE
            self._cubes += CUBES_PER_SHIP * (name in _IS_SHIP)
            self._next_season()
            return
        self._cubes -= 1
        self._load.append(GOODS.index(name))
        if not self._sorted or len(self._load) == CUBES_PER_SHIP:
            self._bag = _less(self._bag, tuple(map(self._load.count, range(N_GOODS))))
            self._load = []


def next_supply_of(state: np.void) -> NextSupply | None:
    """What the next supply of a state can bring; None when the game is over."""
    if state["phase"] == OVER:
        return None
    hidden = [owner == IN_PILE for owner in state["owner"].tolist()]
    return _next_supply(int(state["players"]), hidden, state["bag"][state["bag_next"] :].tolist())


def first_supply_of(start: np.void) -> NextSupply:
    """What the first supply of a game could bring, from the state in which the game begins."""
    hidden = [owner != REMOVED for owner in start["owner"].tolist()]
    return _next_supply(int(start["players"]), hidden, start["bag"].tolist())


def _next_supply(players: int, hidden: list[bool], cubes: list[int]) -> NextSupply:
    """What can come from the cards that are hidden and from these cubes, in any order."""
    seasons = [tuple(name for card, name in season if hidden[card]) for season in _SEASON_CARDS]
    bag = tuple(name for good, name in enumerate(GOODS) for _ in range(cubes.count(good)))
    return NextSupply(players + 1, tuple(filter(None, seasons)), bag)


def arrange(states: np.ndarray, supply: Sequence[str]) -> None:
    """Let the next supply of states[0] bring what is given, which must be possible.

    Which of several cubes of one good changes places follows from the hidden order itself, so that equal games stay
    equal.
    """
    cards = [CARD_NUMBER[name] for name in supply if name in CARD_NUMBER]
    cubes = [GOODS.index(name) for name in supply if name in GOODS]
    order = blake2b(states.tobytes(), digest_size=7).digest()
    arranged = arrange_supply_at(
        states, 0, np.array(cards, np.int8), np.array(cubes, np.int8), int.from_bytes(order, "little")
    )
    assert arranged, "the supply was checked and does not fit"


def _is_text(name: object) -> bool:
    return isinstance(name, str)


def _impossible(name: object, place: int, possible: dict[str, int]) -> str:
    if not possible:
        return f"supply has more than the {place} draws that complete it."
    return must_be(f"supply[{place}]", name, one_of(name, possible))


# Counting and weighing


def _weights_in_order(left: Counts, load: Sequence[int]) -> Counts:
    """For each good the number of loads in which it comes next, if the cubes of a load are in the order of the goods.

    Args:
        left: The cubes in the bag before this load.
        load: The goods of the load so far, in order.
    """
    last = load[-1] if load else -1
    free = CUBES_PER_SHIP - len(load)
    weights = []
    for good in range(N_GOODS):
        above = sum(left[good + 1 :])
        before = load.count(good)
        exactly = 1 if good == last or not load else comb(left[last], load.count(last))
        ways = sum(comb(left[good], before + more) * comb(above, free - more) for more in range(1, free + 1))
        weights.append(exactly * ways if good >= last else 0)
    return tuple(weights)


def _kinds_in(season: Sequence[str]) -> Counts:
    """Ships, other trade cards and fires."""
    ships, fires = sum(card in _IS_SHIP for card in season), sum(card in _IS_FIRE for card in season)
    return ships, len(season) - ships - fires, fires


@lru_cache(maxsize=4096)
def _count_orders(seasons: tuple[Counts, ...], columns: int) -> dict[int, int]:
    """In how many orders the cards of a supply can come, by the number of ships among them."""
    if columns == 0 or not seasons:
        return {0: 1}
    kinds, below_it = seasons[0], seasons[1:]
    if not any(kinds):
        return _count_orders(below_it, columns)
    orders: Counter[int] = Counter()
    for kind, number in enumerate(kinds):
        if number:
            left = tuple(count - (other == kind) for other, count in enumerate(kinds))
            for ships, ways in _count_orders((left, *below_it), columns - (kind != FIRES)).items():
                orders[ships + (kind == SHIPS)] += number * ways
    return orders


@lru_cache(maxsize=65536)
def _count_loads(left: Counts, ships: int) -> int:
    """In how many ways so many ships can be loaded from the cubes left."""
    if ships == 0:
        return 1
    return sum(_count_loads(_less(left, load), ships - 1) for load in _SHIPLOADS if _load_chance(left, load))


def _loads(left: Counts, ships: int) -> Iterator[tuple[tuple[str, ...], Fraction]]:
    """Every way to load so many ships, with its probability."""
    if ships == 0:
        yield (), Fraction(1)
        return
    for load in _SHIPLOADS:
        chance = _load_chance(left, load)
        if chance:
            names = tuple(GOODS[good] for good, number in enumerate(load) for _ in range(number))
            for others, of_others in _loads(_less(left, load), ships - 1):
                yield names + others, chance * of_others


def _load_chance(left: Counts, load: Counts) -> Fraction:
    """The probability of one ship's three cubes, in whatever order."""
    ways = prod(comb(cubes, taken) for cubes, taken in zip(left, load, strict=True))
    return Fraction(ways, comb(sum(left), CUBES_PER_SHIP)) if ways else Fraction(0)


def _counts(cubes: Sequence[str]) -> Counts:
    return tuple(cubes.count(good) for good in GOODS)


def _less(left: Counts, load: Counts) -> Counts:
    return tuple(cubes - taken for cubes, taken in zip(left, load, strict=True))
