"""The ladder has the order that the documentation tells: `merchant` beats every other player, all beat `random`.

Few deals, so the bounds are looser than the figures told; a player that has lost its idea falls far below them.
"""

from __future__ import annotations

import numpy as np
import pytest

from speicher_env.batch import Batch
from tests.support.agent_positions import SCRIPTED
from tests.support.positions import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="plays too many games for plain Python")

DEALS = 100
SEEDS = np.arange(2_500_000_000, 2_500_000_000 + DEALS)
"""Among those held out for choosing between versions of a player."""
OTHERS = [name for name in SCRIPTED if name not in ("random", "merchant")]


def win_share(name: str, others: str, players: int, deck: str = "standard") -> float:
    """Of one seat against a table of others, in every seat of every deal."""
    shares = []
    for seat in range(players):
        seats = [others] * players
        seats[seat] = name
        batch = Batch(DEALS, players, seat="none", opponents=seats, deck=deck, autoreset="disabled")
        batch.reset(SEEDS)
        first = batch.arrays.lanes["rank"][:, :players] == 1
        shares.append(first[:, seat] / first.sum(axis=1))
    return float(np.mean(shares))


def test_merchant_wins_99_of_100_against_random():
    assert win_share("merchant", "random", 2) >= 0.99


@pytest.mark.parametrize("deck", ["standard", "sampled"])
@pytest.mark.parametrize("rival", OTHERS)
def test_merchant_beats_every_other_player_of_the_ladder(rival, deck):
    assert win_share("merchant", rival, 2, deck) >= 0.9


@pytest.mark.parametrize("deck", ["standard", "sampled"])
@pytest.mark.parametrize("rival", OTHERS)
@pytest.mark.parametrize("players", [3, 4, 5])
def test_merchant_wins_far_more_than_its_share_at_larger_tables(players, rival, deck):
    assert win_share("merchant", rival, players, deck) >= 0.6


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("name", OTHERS)
def test_no_player_wins_its_share_among_merchants(name, players):
    assert win_share(name, "merchant", players) <= 0.8 / players


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_idea_is_better_than_none(players, name):
    assert win_share(name, "random", players) >= 1.8 / players
