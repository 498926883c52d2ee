"""Random games of the naive twin lose and create nothing, and list legal actions in the order of the rules."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations_with_replacement

import pytest

from tests.support.naive import Deal, NaiveGame, deal
from tests.support.naive.things import GOODS

PLAYER_COUNTS = (2, 3, 4, 5)


def action_table() -> list[str]:
    """The 184 actions in the order of the table of the rules."""
    pairs = list(combinations_with_replacement(GOODS, 2))
    threes = list(combinations_with_replacement(GOODS, 3))
    rows = [
        [f"place {column}" for column in range(6)],
        ["buy"],
        ["pass"],
        [f"deliver {good} contract_{k}" for k in range(1, 11) for good in GOODS],
        [f"sell {good}" for good in GOODS],
        [f"convert {' '.join(three)} to {good}" for three in threes for good in GOODS if good not in three],
        [f"trade {' '.join(pair)}" for pair in pairs],
        [f"discard {good}" for good in GOODS],
        ["end"],
    ]
    assert [len(row) for row in rows] == [6, 1, 1, 50, 5, 100, 15, 5, 1]
    return [text for row in rows for text in row]


ACTION_ORDER = action_table()


def check_invariants(game: NaiveGame, start: Deal) -> None:
    now = game.snapshot()
    seats, columns = now["seats"], now["columns"]

    legal = game.legal()
    if game.player is None:
        assert now["phase"] == "over"
        assert legal == []
    else:
        assert len(legal) >= 2
        assert legal == [text for text in ACTION_ORDER if text in legal]

    cubes = Counter(now["bag"]) + Counter(now["stock"])
    for column in columns:
        cubes += Counter(column["cubes"])
    for seat in seats:
        cubes += Counter(seat["cubes"]) + Counter(seat["aboard"])
        for contract_id, contract in seat["contracts"].items():
            placed = Counter(start.cards[contract_id]["goods"])
            placed.subtract(contract["missing"])
            assert all(count >= 0 for count in placed.values())
            assert all(count >= 0 for count in contract["missing"].values())
            cubes += placed
    assert cubes == dict.fromkeys(GOODS, 9)

    on_table = [column["card"] for column in columns if column["card"]]
    owned = [card_id for seat in seats for card_id in seat["cards"]]
    discarded = [card.id for card in game.discarded]
    assert sorted(now["pile"] + on_table + owned + discarded) == sorted(start.pile)
    assert now["pile"] == start.pile[len(start.pile) - len(now["pile"]) :]
    assert now["bag"] == start.bag[len(start.bag) - len(now["bag"]) :]

    for seat in range(now["players"]):
        standing = sum(column["queue"].count(seat) for column in columns)
        assert seats[seat]["workers"] + standing == 3
        assert seats[seat]["coins"] >= 0
        kept = sum(seats[seat]["cubes"].values())
        if (now["phase"], now["player"]) != ("loading", seat):
            assert kept <= (5 if "warehouse" in seats[seat]["cards"] else 1)
    assert all(points["total"] == sum(points.values()) - points["total"] for points in game.points())


# How a random player weighs the first words of the actions: blind, eager to buy and deliver, or a miser.
TEMPERS = [
    {},
    {"buy": 6, "deliver": 20, "sell": 5, "convert": 0.2, "end": 0.2},
    {"pass": 3, "end": 5, "discard": 5},
]


@pytest.mark.parametrize("deck", ["standard", "sampled"])
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_random_games_lose_and_create_nothing(players: int, deck: str) -> None:
    rounds = {2: 16, 3: 12, 4: 10, 5: 8}[players]
    played = Counter()
    for seed in range(15):
        start = deal(players, seed, deck)
        game = NaiveGame(players, *start)
        rng = random.Random(seed)
        temper = TEMPERS[seed % len(TEMPERS)]
        check_invariants(game, start)
        while game.player is not None:
            legal = game.legal()
            text = rng.choices(legal, [temper.get(text.split()[0], 1) for text in legal])[0]
            played[text.split()[0]] += 1
            game.play(text)
            check_invariants(game, start)
        assert game.round == rounds
        assert game.first_player == (start.first_player + rounds) % players
        assert game.winners()
        with pytest.raises(ValueError, match="not legal in over"):
            game.play("end")
    assert set(played) == {"place", "buy", "pass", "deliver", "sell", "convert", "trade", "discard", "end"}
