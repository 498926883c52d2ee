"""Loading taken at its word, cube by cube and place by place, beside the one-pool form of the actions.

The rulebook has a player carry single cubes from a ship, a warehouse and a market hall. The game as
implemented sees one pool of cubes, lets a player discard only while there are too many, and never has the
market hall give back one of the goods it took. Both forms are spelled out here from scratch, for small
positions, so that a test can list every outcome of both and compare them.

How outcomes are compared. An outcome *serves as well* as another if

- each contract still misses the same goods,
- it gained at least as many coins,
- the cubes kept include all cubes kept in the other,
- no fewer of them lie in the warehouse, where they score.

That is all the player loading can want of it: whatever is possible later from the other outcome remains
possible, because an additional cube can be left unused and thrown away when its place is needed. The stock
needs no clause of its own. Loading neither adds nor removes cubes, so with the contracts equal, the cubes
kept and the stock together are the same in both outcomes: the stock lacks exactly the additional cubes kept.
Only somebody who converts could miss them there; the other players' loss is not the player's, and to the
player a cube kept is worth more than its like in the stock, which would cost three.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

GOODS = ("coffee", "tea", "saffron", "rubber", "carpet")

Cubes = tuple[str, ...]  # sorted by name, so that equal piles are equal tuples


@dataclass(frozen=True)
class Position:
    """A player's position during loading, together with the stock.

    `warehouse_places` is 0 without the warehouse and 4 with it; the enumeration takes any number, since a
    small warehouse overflows with few cubes.
    """

    ship: Cubes
    warehouse: Cubes
    warehouse_places: int
    market_hall: Cubes  # one cube or none
    contracts: tuple[Cubes, ...]  # what each owned contract still misses
    merchants: frozenset[str]  # the goods they buy
    stock: Cubes
    coins: int = 0  # gained so far


class Outcome(NamedTuple):
    """How a loading ended, with every place by itself."""

    coins: int
    contracts: tuple[Cubes, ...]
    warehouse: Cubes
    market_hall: Cubes
    stock: Cubes

    def kept(self) -> Cubes:
        """The cubes kept, wherever they lie."""
        return tidy([*self.warehouse, *self.market_hall])


def tidy(cubes: list[str]) -> Cubes:
    """A pile as a tuple in order."""
    return tuple(sorted(cubes))


def plus(cubes: Cubes, *more: str) -> Cubes:
    """The pile with more cubes."""
    return tidy([*cubes, *more])


def minus(cubes: Cubes, *fewer: str) -> Cubes:
    """The pile with these cubes taken out."""
    left = list(cubes)
    for cube in fewer:
        left.remove(cube)
    return tuple(left)


def includes(cubes: Cubes, others: Cubes) -> bool:
    """Whether the cubes include all the others."""
    return all(cubes.count(good) >= others.count(good) for good in set(others))


def serves_as_well(one: Outcome, other: Outcome) -> bool:
    """Whether the player can do with the one whatever the other is good for (see the module's text)."""
    return (
        one.contracts == other.contracts
        and one.coins >= other.coins
        and includes(one.kept(), other.kept())
        and len(one.warehouse) >= len(other.warehouse)
    )


# Cube by cube

PLACES = ("ship", "warehouse", "market_hall")


def literal_outcomes(start: Position) -> set[Outcome]:
    """Every outcome of literal moves; loading may end whenever the ship is empty.

    The rulebook is read as freely as it can be: anything may be thrown away at any time, the market hall may
    give back a good it was just given, and what it gives lies with the ship's cubes until carried somewhere.
    """
    outcomes = set()
    seen = {start}
    open_positions = [start]
    while open_positions:
        position = open_positions.pop()
        if not position.ship:
            outcomes.add(
                Outcome(
                    position.coins,
                    position.contracts,
                    position.warehouse,
                    position.market_hall,
                    position.stock,
                )
            )
        for after in literal_moves(position):
            if after not in seen:
                seen.add(after)
                open_positions.append(after)
    return outcomes


def literal_moves(position: Position) -> Iterator[Position]:
    """The positions one literal move away."""
    cubes = [(place, good) for place in PLACES for good in getattr(position, place)]

    for place, good in sorted(set(cubes)):
        without = taken_from(position, (place, good))
        in_stock = replace(without, stock=plus(without.stock, good))
        for number, missing in enumerate(position.contracts):
            if good in missing:
                yield replace(without, contracts=delivered(position.contracts, number, good))
        if good in position.merchants:
            yield replace(in_stock, coins=position.coins + 1)
        yield in_stock  # thrown away
        if place != "warehouse" and len(position.warehouse) < position.warehouse_places:
            yield replace(without, warehouse=plus(position.warehouse, good))
        if place != "market_hall" and not position.market_hall:
            yield replace(without, market_hall=(good,))

    for pair in sorted(set(combinations(cubes, 2))):
        without = taken_from(position, *pair)
        yield replace(
            without,
            stock=plus(without.stock, *[good for _, good in pair]),
            coins=position.coins + 1,
        )

    for three in sorted(set(combinations(cubes, 3))):
        without = taken_from(position, *three)
        stock = plus(without.stock, *[good for _, good in three])
        for good in sorted(set(stock)):
            yield replace(without, stock=minus(stock, good), ship=plus(without.ship, good))


def taken_from(position: Position, *cubes: tuple[str, str]) -> Position:
    """The position without these cubes, each given by its place and good."""
    piles = {place: getattr(position, place) for place in PLACES}
    for place, good in cubes:
        piles[place] = minus(piles[place], good)
    return replace(position, **piles)


def delivered(contracts: tuple[Cubes, ...], number: int, good: str) -> tuple[Cubes, ...]:
    """What the contracts miss after the numbered one got a cube of the good."""
    return tuple(minus(missing, good) if n == number else missing for n, missing in enumerate(contracts))


# One pool


class Pool(NamedTuple):
    """A position in which it makes no difference where a cube lies."""

    cubes: Cubes
    contracts: tuple[Cubes, ...]
    stock: Cubes
    coins: int


def pool_outcomes(start: Position) -> set[Outcome]:
    """Every outcome of the actions of loading: deliver, sell, convert, trade, discard, end."""
    everything = plus(start.ship, *start.warehouse, *start.market_hall)
    first = Pool(everything, start.contracts, start.stock, start.coins)
    capacity = start.warehouse_places + 1
    outcomes = set()
    seen = {first}
    open_pools = [first]
    while open_pools:
        pool = open_pools.pop()
        if len(pool.cubes) <= capacity:
            outcomes.add(stored(pool, start.warehouse_places))
        for after in pool_moves(pool, start.merchants, capacity):
            if after not in seen:
                seen.add(after)
                open_pools.append(after)
    return outcomes


def pool_moves(pool: Pool, merchants: frozenset[str], capacity: int) -> Iterator[Pool]:
    """The pools one action away."""
    cubes, contracts, stock, coins = pool

    for good in sorted(set(cubes)):
        without = minus(cubes, good)
        for number, missing in enumerate(contracts):
            if good in missing:
                yield Pool(without, delivered(contracts, number, good), stock, coins)
        if good in merchants:
            yield Pool(without, contracts, plus(stock, good), coins + 1)
        if len(cubes) > capacity:
            yield Pool(without, contracts, plus(stock, good), coins)

    for pair in sorted(set(combinations(cubes, 2))):
        yield Pool(minus(cubes, *pair), contracts, plus(stock, *pair), coins + 1)

    for three in sorted(set(combinations(cubes, 3))):
        for wanted in sorted(set(stock) - set(three)):
            yield Pool(plus(minus(cubes, *three), wanted), contracts, minus(plus(stock, *three), wanted), coins)


def stored(pool: Pool, warehouse_places: int) -> Outcome:
    """The outcome of `end`: the warehouse is filled first, it does not matter with which cubes."""
    warehouse, market_hall = pool.cubes[:warehouse_places], pool.cubes[warehouse_places:]
    return Outcome(pool.coins, pool.contracts, warehouse, market_hall, pool.stock)
