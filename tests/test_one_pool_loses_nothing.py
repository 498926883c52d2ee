"""The ruling that a player's cubes are one pool takes nothing from what cube-by-cube loading can reach."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest

from tests.support.naive.literal_loading import (
    GOODS,
    Cubes,
    Outcome,
    Pool,
    Position,
    literal_outcomes,
    minus,
    plus,
    pool_outcomes,
    serves_as_well,
    tidy,
)
from tests.support.naive.loading import carry_out, legal_steps
from tests.support.naive.things import MERCHANT_BUYS, Card, Contract, Player

MERCHANT_OF = {good: merchant for merchant, good in MERCHANT_BUYS.items()}

# Cubes on ships, places in the warehouse (filled at random), different goods, number of positions.
# Small warehouses are not in the game; they overflow as the real one does, with fewer cubes to try.
SHAPES = [
    pytest.param(3, 0, 5, 75, id="one ship, no warehouse"),
    pytest.param(5, 0, 3, 30, id="five cubes, no warehouse"),
    pytest.param(6, 0, 2, 15, id="two ships, no warehouse"),
    pytest.param(3, 1, 4, 40, id="one ship, one place"),
    pytest.param(3, 2, 3, 30, id="one ship, two places"),
    pytest.param(1, 4, 3, 30, id="one cube, the warehouse"),
    pytest.param(3, 4, 2, 15, id="one ship, the warehouse"),
]


def random_position(rng: random.Random, on_ship: int, warehouse_places: int, number_of_goods: int) -> Position:
    goods = rng.sample(GOODS, number_of_goods)

    def some(at_least: int, at_most: int) -> Cubes:
        return tidy(rng.choices(goods, k=rng.randint(at_least, at_most)))

    return Position(
        ship=some(on_ship, on_ship),
        warehouse=some(0, warehouse_places),
        warehouse_places=warehouse_places,
        market_hall=some(0, 1),
        contracts=tuple(some(0, 3) for _ in range(rng.randint(0, 2))),
        merchants=frozenset(rng.sample(goods, rng.randint(0, 2))),
        stock=some(0, 3),
    )


@pytest.mark.parametrize(("on_ship", "warehouse_places", "number_of_goods", "positions"), SHAPES)
def test_every_literal_outcome_is_matched_or_beaten_by_the_actions(
    on_ship: int, warehouse_places: int, number_of_goods: int, positions: int
) -> None:
    rng = random.Random(f"{on_ship} {warehouse_places} {number_of_goods}")
    for _ in range(positions):
        position = random_position(rng, on_ship, warehouse_places, number_of_goods)
        offered = defaultdict(list)
        for outcome in pool_outcomes(position):
            offered[outcome.contracts].append(outcome)
        for wanted in literal_outcomes(position):
            assert any(serves_as_well(outcome, wanted) for outcome in offered[wanted.contracts]), (
                f"from {position} the actions reach nothing that serves as well as {wanted}"
            )


def where_kept_aside(outcome: Outcome) -> tuple[int, tuple[Cubes, ...], Cubes, Cubes]:
    """The outcome without the places of the kept cubes: literal moves cannot swap two when both are full."""
    return outcome.coins, outcome.contracts, outcome.kept(), outcome.stock


@pytest.mark.parametrize(("on_ship", "warehouse_places", "number_of_goods", "positions"), SHAPES)
def test_every_outcome_of_the_actions_is_reached_cube_by_cube(
    on_ship: int, warehouse_places: int, number_of_goods: int, positions: int
) -> None:
    rng = random.Random(f"{on_ship} {warehouse_places} {number_of_goods}")
    for _ in range(positions // 3):
        position = random_position(rng, on_ship, warehouse_places, number_of_goods)
        literal = {where_kept_aside(outcome) for outcome in literal_outcomes(position)}
        assert {where_kept_aside(outcome) for outcome in pool_outcomes(position)} <= literal, position


def test_the_comparison_notices_what_is_lost() -> None:
    best = Outcome(2, (("tea",),), ("coffee", "tea"), ("tea",), ("carpet",))
    assert serves_as_well(best, best)
    assert serves_as_well(best, best._replace(coins=1, stock=()))
    assert serves_as_well(best, best._replace(market_hall=()))
    assert not serves_as_well(best._replace(coins=1), best)
    assert not serves_as_well(best._replace(contracts=(("tea", "tea"),)), best)
    assert not serves_as_well(best._replace(market_hall=()), best)
    assert not serves_as_well(best._replace(market_hall=("coffee",)), best)
    assert not serves_as_well(best._replace(warehouse=("tea",), market_hall=("coffee", "tea")), best)


def test_outcomes_of_a_position_worked_by_hand() -> None:
    """Two teas on a ship, nothing else: sell both at the market hall, or throw one or both away."""
    position = Position(("tea", "tea"), (), 0, (), (), frozenset(), ())
    keep_one = Outcome(0, (), (), ("tea",), ("tea",))
    sell_both = Outcome(1, (), (), (), ("tea", "tea"))
    throw_both = Outcome(0, (), (), (), ("tea", "tea"))
    assert literal_outcomes(position) == {keep_one, sell_both, throw_both}
    assert pool_outcomes(position) == {keep_one, sell_both}


def twin_outcomes(position: Position) -> set[tuple[int, tuple[Cubes, ...], Cubes, Cubes]]:
    """How every way to play the position ends in the twin: coins, contracts, cubes kept, stock."""
    everything = plus(position.ship, *position.warehouse, *position.market_hall)
    first = Pool(everything, position.contracts, position.stock, position.coins)
    outcomes = set()
    seen = {first}
    open_pools = [first]
    while open_pools:
        pool = open_pools.pop()
        for step in legal_steps(*twin_table(position, pool)):
            player, stock = twin_table(position, pool)
            carry_out(step, player, stock)
            missing = tuple(tidy(contract.missing()) for contract in player.contracts())
            after = Pool(tidy(player.pool()), missing, tidy(stock), player.coins)
            if step == "end":
                outcomes.add((after.coins, after.contracts, after.cubes, after.stock))
            elif after not in seen:
                seen.add(after)
                open_pools.append(after)
    return outcomes


def twin_table(position: Position, pool: Pool) -> tuple[Player, list[str]]:
    """A player of the twin with the cards of the position and the cubes of the pool, and the stock."""
    player = Player(0)
    player.coins = pool.coins
    player.cards = [Card(MERCHANT_OF[good], MERCHANT_OF[good], "A") for good in position.merchants]
    if position.warehouse_places:
        player.cards.append(Card("warehouse", "warehouse", "A"))
    for number, (goods, missing) in enumerate(zip(position.contracts, pool.contracts, strict=True), start=1):
        contract = Contract(f"contract_{number}", "contract", "A", list(goods))
        contract.placed = list(minus(goods, *missing))
        player.cards.append(contract)
    player.quay = list(pool.cubes)
    return player, list(pool.stock)


@pytest.mark.parametrize(("on_ship", "warehouse_places"), [(3, 0), (5, 0), (1, 4), (3, 4)])
def test_the_actions_of_the_twin_are_those_of_the_pool(on_ship: int, warehouse_places: int) -> None:
    rng = random.Random(f"{on_ship} {warehouse_places}")
    for _ in range(15):
        position = random_position(rng, on_ship, warehouse_places, 3)
        expected = {where_kept_aside(outcome) for outcome in pool_outcomes(position)}
        assert twin_outcomes(position) == expected, position
