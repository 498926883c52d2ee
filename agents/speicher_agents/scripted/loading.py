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

# Places in a taste, an array of floats, all worths in points and not negative.
CHANCE = 0
"""For each good, the chance 0..1 that a cube of it still comes when a contract lacks it."""
WANTED = CHANCE + N_GOODS
"""For each good, a rank among cubes of the same use: the one with the highest is kept."""
COIN = WANTED + N_GOODS
"""Worth of a coin."""
KEEP = COIN + 1
"""Worth of a kept cube."""
SHELF = KEEP + 1
"""Worth on top of KEEP of each of the four cubes that the warehouse counts, for its owner."""
TASTE_SIZE = SHELF + 1


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

# Rows of a work space, an array (WORK_ROWS, N_GOODS) of integers.
_POOL, _USED, _LEFT = 0, 1, 2
"""Cubes of the seat; what the plan under way delivers in all; what it leaves."""
_COUNT = 3
"""How many contracts of the seat are open, in column 0."""
_OPEN = 4
"""The number of the k-th open contract, in column 0."""
_MOST = _OPEN + N_CONTRACTS
"""The most that the plan under way can deliver to the k-th open contract, given those before."""
_PLAN = _MOST + N_CONTRACTS
"""What the plan under way delivers to it."""
_BEST = _PLAN + N_CONTRACTS
"""The same in the best plan found."""
WORK_ROWS = _BEST + N_CONTRACTS


@jit
def next_loading(game: np.void, taste: np.ndarray) -> int:
    """The next action of a best plan for the deciding seat, which must be loading."""
    work = np.empty((WORK_ROWS, N_GOODS), dtype=np.int64)
    solve(game, taste, work)
    return first_step(game, taste, work)


@jit
def solve(game: np.void, taste: np.ndarray, work: np.ndarray) -> float:
    """Find the best plan for all cubes of the deciding seat; what it is worth, contracts included."""
    cubes = _list_what_there_is(game, work)
    contracts = work[_COUNT, 0]
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
def _list_what_there_is(game: np.void, work: np.ndarray) -> int:
    """Write the pool and the open contracts of the deciding seat, nothing used; the cubes of the pool."""
    seat = game["player"]
    cubes = 0
    for good in range(N_GOODS):
        work[_POOL, good] = game["cubes"][seat, good]
        work[_USED, good] = 0
        cubes += work[_POOL, good]
    contracts = 0
    for contract in range(N_CONTRACTS):
        if game["owner"][contract] == seat:
            for good in range(N_GOODS):
                if game["missing"][contract, good] > 0:
                    work[_OPEN + contracts, 0] = contract
                    contracts += 1
                    break
    work[_COUNT, 0] = contracts
    return cubes


@jit
def _keep_plan(work: np.ndarray) -> None:
    """The plan under way is the best so far."""
    for place in range(work[_COUNT, 0]):
        for good in range(N_GOODS):
            work[_BEST + place, good] = work[_PLAN + place, good]


@jit
def _deliver_most(game: np.void, work: np.ndarray, place: int, cubes: int) -> None:
    """Plan to deliver to a contract all it lacks, as far as pool and stock have it; each conversion takes 3 cubes."""
    contract = work[_OPEN + place, 0]
    for good in range(N_GOODS):
        most = int(game["missing"][contract, good])
        if most > 0:
            left = max(0, work[_POOL, good] - work[_USED, good])
            most = min(most, left + min(int(game["stock"][good]), cubes // 3))
        work[_MOST + place, good] = most
        work[_PLAN + place, good] = most
        work[_USED, good] += most


@jit
def _deliver_less(work: np.ndarray, place: int) -> bool:
    """Turn what a contract gets to the next combination, an odometer running down; False behind nothing at all.

    What the contract gets then is nothing, so that the contract before it can be turned.
    """
    for good in range(N_GOODS):
        if work[_PLAN + place, good] > 0:
            work[_PLAN + place, good] -= 1
            work[_USED, good] -= 1
            for lower in range(good):
                work[_PLAN + place, lower] = work[_MOST + place, lower]
                work[_USED, lower] += work[_MOST + place, lower]
            return True
    return False


@jit
def _worth_of_contract(game: np.void, taste: np.ndarray, work: np.ndarray, place: int) -> float:
    """Points of a contract times the chance that it is filled once it has what is planned."""
    contract = work[_OPEN + place, 0]
    worth = float(contract_value(game, contract))
    for good in range(N_GOODS):
        for _ in range(int(game["missing"][contract, good]) - work[_PLAN + place, good]):
            worth *= taste[CHANCE + good]
    return worth


@jit
def _at_most(game: np.void, taste: np.ndarray, work: np.ndarray, place: int) -> float:
    """At least what the contracts from `place` on and the cubes that are left can be worth."""
    dearest = max(taste[COIN], taste[KEEP] + taste[SHELF])
    worth = 0.0
    for good in range(N_GOODS):
        worth += dearest * max(0, work[_POOL, good] - work[_USED, good])
    for later in range(place, work[_COUNT, 0]):
        worth += contract_value(game, work[_OPEN + later, 0])
    return worth


@jit
def _conversions(game: np.void, work: np.ndarray) -> int:
    """Conversions that the deliveries in `_USED` need, -1 if stock or pool cannot bear them."""
    needed = 0
    left = 0
    for good in range(N_GOODS):
        over = work[_POOL, good] - work[_USED, good]
        if over >= 0:
            left += over
        elif -over > game["stock"][good]:
            return -1
        else:
            needed -= over
    return needed if 3 * needed <= left else -1


@jit
def _leave(game: np.void, work: np.ndarray) -> tuple[int, int]:
    """Write what the deliveries leave; how many of those cubes a merchant of the seat buys, and how many others."""
    sellable = 0
    other = 0
    for good in range(N_GOODS):
        left = max(0, work[_POOL, good] - work[_USED, good])
        work[_LEFT, good] = left
        if game["owner"][MERCHANT_1 + good] == game["player"]:
            sellable += left
        else:
            other += left
    return sellable, other


@jit
def _kept(game: np.void, taste: np.ndarray, sellable: int, other: int) -> tuple[int, float]:
    """How many of the cubes that are left to keep, the others being sold and traded, and what all that is worth."""
    seat = game["player"]
    shelves = WAREHOUSE_SPACE if game["owner"][WAREHOUSE_CARD] == seat else 0
    best = 0
    most = -1.0
    for kept in range(min(capacity(game, seat), sellable + other) + 1):
        of_other = min(kept, other)
        coins = sellable - (kept - of_other) + (other - of_other) // 2
        worth = taste[COIN] * coins + taste[KEEP] * kept + taste[SHELF] * min(kept, shelves)
        if worth >= most:
            best, most = kept, worth
    return best, most


@jit
def _worth_of_the_rest(game: np.void, taste: np.ndarray, work: np.ndarray) -> float:
    """What the cubes bring that the plan does not deliver."""
    eaten = 3 * _conversions(game, work)
    sellable, other = _leave(game, work)
    of_other = min(eaten, other)
    _, worth = _kept(game, taste, sellable - (eaten - of_other), other - of_other)
    return worth


@jit
def _take(game: np.void, taste: np.ndarray, work: np.ndarray, sellable: bool) -> int:
    """Take the least wanted cube that is left, of those that a merchant of the seat buys or of the others."""
    least = -1
    for good in range(N_GOODS):
        if (
            work[_LEFT, good] > 0
            and (game["owner"][MERCHANT_1 + good] == game["player"]) == sellable
            and (least < 0 or taste[WANTED + good] < taste[WANTED + least])
        ):
            least = good
    if least >= 0:
        work[_LEFT, least] -= 1
    return least


@jit
def _take_any(game: np.void, taste: np.ndarray, work: np.ndarray) -> int:
    """Take the least wanted cube that no merchant buys; if there is none, one of the others."""
    good = _take(game, taste, work, False)
    return good if good >= 0 else _take(game, taste, work, True)


@jit
def first_step(game: np.void, taste: np.ndarray, work: np.ndarray) -> int:
    """The next action of the plan that `solve` found: deliveries, then conversions, sales, trades and the end."""
    for good in range(N_GOODS):
        work[_USED, good] = 0
    for place in range(work[_COUNT, 0]):
        for good in range(N_GOODS):
            delivered = work[_BEST + place, good]
            if delivered > 0 and work[_POOL, good] > 0:
                return DELIVER + N_GOODS * work[_OPEN + place, 0] + good
            work[_USED, good] += delivered
    sellable, other = _leave(game, work)
    for good in range(N_GOODS):
        if work[_USED, good] > work[_POOL, good]:
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
