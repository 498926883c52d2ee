"""The loading solver finds the best plan there is: compared with every sequence of legal loading actions."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from speicher_agents.scripted.loading import TASTE, WORK, next_loading, solve
from speicher_env.rules.actions import ACTIONS, DELIVER, SELL
from speicher_env.rules.cards import CONTRACT_POINTS, GOODS, MERCHANT_1, MERCHANTS, N_CONTRACTS, N_GOODS, WAREHOUSE_CARD
from speicher_env.rules.state import EMPTY, WAREHOUSE_SPACE
from speicher_env.rules.turn import step
from tests.support.positions import JIT, legal_ids, player, position, seat

POSITIONS = 400 if JIT else 12
EPSILON = 1e-9


def taste_for(rng: random.Random) -> np.void:
    """A random taste; some numbers are 0, where ties are."""
    taste = np.zeros(1, dtype=TASTE)[0]
    for good in range(N_GOODS):
        taste["chance"][good] = rng.choice([0.0, rng.random(), 1.0])
        taste["wanted"][good] = rng.randrange(3)
    for worth in ("coin", "keep", "shelf"):
        taste[worth] = rng.choice([0.0, rng.random(), 2 * rng.random()])
    return taste


def some_position(rng: random.Random) -> np.ndarray | None:
    """Seat 0 is loading a few cubes and may own contracts, merchants and the warehouse; None if it has no choice."""
    contracts = rng.sample([f"contract_{k + 1}" for k in range(N_CONTRACTS)], rng.randrange(4))
    merchants = rng.sample(MERCHANTS, rng.randrange(3))
    cards = [*contracts, *merchants, *(["warehouse"] if rng.random() < 0.3 else [])]
    aboard = " ".join(rng.choice(GOODS[: rng.choice([2, 3, 5])]) for _ in range(rng.randrange(1, 7)))
    stock = " ".join(rng.choice(GOODS) for _ in range(rng.randrange(5)))
    # Seat 1 has to load as well, so the round goes on behind seat 0 and no income is paid yet.
    loads_after = seat(aboard="coffee coffee", bought=1)
    states = position(seats=[seat(cards=cards, aboard=aboard, bought=1), loads_after], stock=stock, season="D")
    return states if player(states) == 0 else None


def worth_by_hand(game: np.void, taste: np.void) -> float:
    """What a seat has, once nothing more is loaded: contracts, coins and kept cubes, by a taste."""
    worth = taste["coin"] * float(game["coins"][0])
    for contract in range(N_CONTRACTS):
        if game["owner"][contract] == 0:
            size = int(np.sum(game["contract_goods"][contract] != EMPTY))
            lacks = [good for good in range(N_GOODS) for _ in range(game["missing"][contract, good])]
            worth += CONTRACT_POINTS[size] * np.prod([taste["chance"][good] for good in lacks])
    kept = int(game["cubes"][0].sum())
    shelves = WAREHOUSE_SPACE if game["owner"][WAREHOUSE_CARD] == 0 else 0
    return float(worth + taste["keep"] * kept + taste["shelf"] * min(kept, shelves))


def best_by_trying_all(states: np.ndarray, taste: np.void) -> float:
    """The most that any sequence of loading actions leaves seat 0 with, discarding at the end where it must."""
    game = states[0]
    owner = game["owner"].copy()
    room = 5 if owner[WAREHOUSE_CARD] == 0 else 1
    points = {
        contract: int(CONTRACT_POINTS[np.sum(game["contract_goods"][contract] != EMPTY)])
        for contract in range(N_CONTRACTS)
        if owner[contract] == 0
    }
    shelves = WAREHOUSE_SPACE if owner[WAREHOUSE_CARD] == 0 else 0

    @cache
    def best(pool: tuple[int, ...], stock: tuple[int, ...], missing: tuple[tuple[int, ...], ...]) -> float:
        kept = min(sum(pool), room)
        most = taste["keep"] * kept + taste["shelf"] * min(kept, shelves)
        for contract, lacks in zip(points, missing, strict=True):
            most += points[contract] * np.prod([taste["chance"][g] ** lacks[g] for g in range(N_GOODS)])
        for action in ACTIONS[DELIVER:-6]:  # discards and the end aside
            if any(pool[g] < action.gives[g] for g in range(N_GOODS)):
                continue
            left = [pool[g] - action.gives[g] for g in range(N_GOODS)]
            if action.verb == "deliver":
                good = action.gives.index(1)
                at = list(points).index(action.contract) if action.contract in points else -1
                if at < 0 or missing[at][good] == 0:
                    continue
                after = [list(lacks) for lacks in missing]
                after[at][good] -= 1
                most = max(most, best(tuple(left), stock, tuple(map(tuple, after))))
                continue
            if action.verb == "sell" and owner[MERCHANT_1 + action.id - SELL] != 0:
                continue
            full = [stock[g] + action.gives[g] for g in range(N_GOODS)]
            if action.takes is not None:
                if stock[action.takes] == 0:
                    continue
                full[action.takes] -= 1
                left[action.takes] += 1
            coin = 0.0 if action.verb == "convert" else taste["coin"]
            most = max(most, coin + best(tuple(left), tuple(full), missing))
        return float(most)

    start = best(
        tuple(map(int, game["cubes"][0])),
        tuple(map(int, game["stock"])),
        tuple(tuple(map(int, game["missing"][contract])) for contract in points),
    )
    return start + taste["coin"] * float(game["coins"][0])


@pytest.mark.parametrize("seed", range(8))
def test_the_solver_reaches_what_trying_everything_reaches(seed):
    rng = random.Random(seed)
    tried = conversions = 0
    while tried < POSITIONS // 8 + 1:
        states, taste = some_position(rng), taste_for(rng)
        if states is None:
            continue
        tried += 1
        most = best_by_trying_all(states, taste)
        works = np.zeros(1, dtype=WORK)
        claimed = solve(states[0], taste, works[0]) + taste["coin"] * float(states["coins"][0, 0])
        complete = sum(
            int(CONTRACT_POINTS[np.sum(states["contract_goods"][0, contract] != EMPTY)])
            for contract in range(N_CONTRACTS)
            if states["owner"][0, contract] == 0 and not states["missing"][0, contract].any()
        )
        assert claimed + complete == pytest.approx(most, abs=EPSILON)
        # The actions that it then gives, one after the other, bring what the plan promised.
        while player(states) == 0:
            action = next_loading(states[0], taste, works)
            assert action in legal_ids(states)
            conversions += ACTIONS[action].verb == "convert"
            assert step(states, 0, action)
        assert worth_by_hand(states[0], taste) == pytest.approx(most, abs=EPSILON)
    assert tried < 20 or conversions > 0, "no position asked for a conversion"
