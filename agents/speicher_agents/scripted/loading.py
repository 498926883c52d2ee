"""Loading solved exactly: the best use of all cubes of the seat that loads, by a taste: what things are worth.

A taste gives a contract its points times the chance of every cube it still lacks, and so much for a coin and for a
kept cube. For any such taste some best plan has these properties, so no search over the order of actions is needed:

* Conversions serve deliveries only. Whoever converts three cubes to keep, sell or trade the fourth does at least as
  well to trade two of the three for a coin and to keep the third.
* No good is both given away and converted to. Delivering the cube itself, and trading two of the three, brings as
  much. So conversions take what the stock holds beforehand and never give the good that they take.
* Conversions eat cubes that no merchant of the seat buys as long as there are any, and such cubes are kept first: one
  of them brings half a coin, the others a whole one.

What is left to choose is what each contract gets. The search goes through those deliveries, contract by contract, and
leaves out what cannot reach the best plan found. Equal cubes in such a plan are told apart by which are wanted more.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np

from speicher_agents._jit import jit
from speicher_env.rules.actions import ACTIONS, DELIVER, DISCARD, END, SELL
from speicher_env.rules.cards import MERCHANT_1, N_CONTRACTS, N_GOODS, WAREHOUSE_CARD
from speicher_env.rules.loading import capacity, contract_value
from speicher_env.rules.state import WAREHOUSE_SPACE

__all__ = ["TASTE", "WORK", "next_loading"]

TASTE = np.dtype(
    [
        ("chance", np.float64, (N_GOODS,)),  # 0..1: that a cube of the good still comes when a contract lacks it
        ("wanted", np.float64, (N_GOODS,)),  # a rank among cubes of the same use: the highest is kept
        ("coin", np.float64),  # worth of a coin
        ("keep", np.float64),  # worth of a kept cube
        ("shelf", np.float64),  # worth on top of `keep` of each of the four cubes that the warehouse counts
    ],
    align=True,
)
"""A taste: what things are worth in points, none of them negative."""


def _tables() -> tuple[np.ndarray, np.ndarray]:
    """The actions `trade` by two goods and `convert` by three goods and the good taken, in any order; else -1."""
    trades = np.full((N_GOODS,) * 2, -1, dtype=np.int64)
    converts = np.full((N_GOODS,) * 4, -1, dtype=np.int64)
    for action in ACTIONS:
        given = [good for good, count in enumerate(action.gives) for _ in range(count)]
        for goods in permutations(given):
            if action.verb == "trade":
                trades[goods] = action.id
            elif action.verb == "convert":
                converts[(*goods, action.takes)] = action.id
    return trades, converts


_TRADE_OF, _CONVERT_OF = _tables()

WORK = np.dtype(
    [
        ("pool", np.int64, (N_GOODS,)),  # cubes of the seat
        ("used", np.int64, (N_GOODS,)),  # cubes that the current plan delivers
        ("left", np.int64, (N_GOODS,)),  # cubes that it leaves
        ("contracts", np.int64),  # open contracts of the seat
        ("open", np.int64, (N_CONTRACTS,)),  # their numbers; below, rows are in this order
        ("most", np.int64, (N_CONTRACTS, N_GOODS)),  # the most that the plan can deliver, given the contracts before
        ("plan", np.int64, (N_CONTRACTS, N_GOODS)),  # what the current plan delivers
        ("best", np.int64, (N_CONTRACTS, N_GOODS)),  # what the best plan found delivers
    ],
    align=True,
)
"""The work space of the solver."""


@jit
def next_loading(game: np.void, taste: np.void, works: np.ndarray) -> int:
    """The next action of a best plan for the deciding seat, which must be loading; `works` is an array of one WORK."""
    work = works[0]
    solve(game, taste, work)
    return first_step(game, taste, work)


@jit
def solve(game: np.void, taste: np.void, work: np.void) -> float:
    """Find the best plan for all cubes of the deciding seat; what it is worth, contracts included."""
    cubes = _list_what_there_is(game, work)
    contracts = work["contracts"]
    if contracts == 0:
        return _worth_of_the_rest(game, taste, work)
    worth = np.empty(N_CONTRACTS + 1, dtype=np.float64)  # of the contracts before the k-th, as the plan stands
    worth[0] = 0.0
    best = -1.0
    place = 0
    _deliver_most(game, work, place, cubes)
    while place >= 0:
        # The plan for the contract at `place` is new: go on to the next contract, or value the whole plan.
        if _conversions(game, work) >= 0:
            worth[place + 1] = worth[place] + _worth_of_contract(game, taste, work, place)
            if place + 1 == contracts:
                total = worth[contracts] + _worth_of_the_rest(game, taste, work)
                if total > best:
                    best = total
                    _keep_plan(work)
            elif worth[place + 1] + _at_most(game, taste, work, place + 1) > best:
                place += 1
                _deliver_most(game, work, place, cubes)
                continue
        while place >= 0 and not _deliver_less(work, place):
            place -= 1
    return best


@jit
def _list_what_there_is(game: np.void, work: np.void) -> int:
    """Write the pool and the open contracts of the deciding seat, nothing used; the cubes of the pool."""
    seat = game["player"]
    cubes = 0
    for good in range(N_GOODS):
        work["pool"][good] = game["cubes"][seat, good]
        work["used"][good] = 0
        cubes += work["pool"][good]
    contracts = 0
    for contract in range(N_CONTRACTS):
        if game["owner"][contract] == seat:
            for good in range(N_GOODS):
                if game["missing"][contract, good] > 0:
                    work["open"][contracts] = contract
                    contracts += 1
                    break
    work["contracts"] = contracts
    return cubes


@jit
def _keep_plan(work: np.void) -> None:
    """The plan under way is the best so far."""
    for place in range(work["contracts"]):
        for good in range(N_GOODS):
            work["best"][place, good] = work["plan"][place, good]


@jit
def _deliver_most(game: np.void, work: np.void, place: int, cubes: int) -> None:
    """Plan to deliver to a contract all it lacks, as far as pool and stock have it; each conversion takes 3 cubes."""
    contract = work["open"][place]
    for good in range(N_GOODS):
        most = int(game["missing"][contract, good])
        if most > 0:
            left = max(0, work["pool"][good] - work["used"][good])
            most = min(most, left + min(int(game["stock"][good]), cubes // 3))
        work["most"][place, good] = most
        work["plan"][place, good] = most
        work["used"][good] += most


@jit
def _deliver_less(work: np.void, place: int) -> bool:
    """Turn what a contract gets to the next combination, an odometer running down; False behind nothing at all.

    What the contract gets then is nothing, so that the contract before it can be turned.
    """
    for good in range(N_GOODS):
        if work["plan"][place, good] > 0:
            work["plan"][place, good] -= 1
            work["used"][good] -= 1
            for lower in range(good):
                work["plan"][place, lower] = work["most"][place, lower]
                work["used"][lower] += work["most"][place, lower]
            return True
    return False


@jit
def _worth_of_contract(game: np.void, taste: np.void, work: np.void, place: int) -> float:
    """Points of a contract times the chance that it is filled once it has what is planned."""
    contract = work["open"][place]
    worth = float(contract_value(game, contract))
    for good in range(N_GOODS):
        for _ in range(int(game["missing"][contract, good]) - work["plan"][place, good]):
            worth *= taste["chance"][good]
    return worth


@jit
def _at_most(game: np.void, taste: np.void, work: np.void, place: int) -> float:
    """At least what the contracts from `place` on and the cubes that are left can be worth."""
    dearest = max(taste["coin"], taste["keep"] + taste["shelf"])
    worth = 0.0
    for good in range(N_GOODS):
        worth += dearest * max(0, work["pool"][good] - work["used"][good])
    for later in range(place, work["contracts"]):
        worth += contract_value(game, work["open"][later])
    return worth


@jit
def _conversions(game: np.void, work: np.void) -> int:
    """Conversions that the deliveries in `_USED` need, -1 if stock or pool cannot bear them."""
    needed = 0
    left = 0
    for good in range(N_GOODS):
        over = work["pool"][good] - work["used"][good]
        if over >= 0:
            left += over
        elif -over > game["stock"][good]:
            return -1
        else:
            needed -= over
    return needed if 3 * needed <= left else -1


@jit
def _leave(game: np.void, work: np.void) -> tuple[int, int]:
    """Write what the deliveries leave; how many of those cubes a merchant of the seat buys, and how many others."""
    sellable = 0
    other = 0
    for good in range(N_GOODS):
        left = max(0, work["pool"][good] - work["used"][good])
        work["left"][good] = left
        if game["owner"][MERCHANT_1 + good] == game["player"]:
            sellable += left
        else:
            other += left
    return sellable, other


@jit
def _kept(game: np.void, taste: np.void, sellable: int, other: int) -> tuple[int, float]:
    """How many of the cubes that are left to keep, the others being sold and traded, and what all that is worth."""
    seat = game["player"]
    shelves = WAREHOUSE_SPACE if game["owner"][WAREHOUSE_CARD] == seat else 0
    best = 0
    most = -1.0
    for kept in range(min(capacity(game, seat), sellable + other) + 1):
        of_other = min(kept, other)
        coins = sellable - (kept - of_other) + (other - of_other) // 2
        worth = taste["coin"] * coins + taste["keep"] * kept + taste["shelf"] * min(kept, shelves)
        if worth >= most:
            best, most = kept, worth
    return best, most


@jit
def _worth_of_the_rest(game: np.void, taste: np.void, work: np.void) -> float:
    """What the cubes bring that the plan does not deliver."""
    eaten = 3 * _conversions(game, work)
    sellable, other = _leave(game, work)
    of_other = min(eaten, other)
    _, worth = _kept(game, taste, sellable - (eaten - of_other), other - of_other)
    return worth


@jit
def _take(game: np.void, taste: np.void, work: np.void, sellable: bool) -> int:
    """Take the least wanted cube that is left, of those that a merchant of the seat buys or of the others."""
    least = -1
    for good in range(N_GOODS):
        if (
            work["left"][good] > 0
            and (game["owner"][MERCHANT_1 + good] == game["player"]) == sellable
            and (least < 0 or taste["wanted"][good] < taste["wanted"][least])
        ):
            least = good
    if least >= 0:
        work["left"][least] -= 1
    return least


@jit
def _take_any(game: np.void, taste: np.void, work: np.void) -> int:
    """Take the least wanted cube that no merchant buys; if there is none, one of the others."""
    good = _take(game, taste, work, False)
    return good if good >= 0 else _take(game, taste, work, True)


@jit
def first_step(game: np.void, taste: np.void, work: np.void) -> int:
    """The next action of the plan that `solve` found: deliveries, then conversions, sales, trades and the end."""
    for good in range(N_GOODS):
        work["used"][good] = 0
    for place in range(work["contracts"]):
        for good in range(N_GOODS):
            delivered = work["best"][place, good]
            if delivered > 0 and work["pool"][good] > 0:
                return DELIVER + N_GOODS * work["open"][place] + good
            work["used"][good] += delivered
    sellable, other = _leave(game, work)
    for good in range(N_GOODS):
        if work["used"][good] > work["pool"][good]:
            first = _take_any(game, taste, work)
            second = _take_any(game, taste, work)
            third = _take_any(game, taste, work)
            return _CONVERT_OF[first, second, third, good]
    kept, _ = _kept(game, taste, sellable, other)
    if sellable > max(0, kept - other):
        return SELL + _take(game, taste, work, True)
    if other - min(kept, other) >= 2:
        first = _take(game, taste, work, False)
        second = _take(game, taste, work, False)
        return _TRADE_OF[first, second]
    if sellable + other > capacity(game, game["player"]):
        return DISCARD + _take_any(game, taste, work)
    return END
