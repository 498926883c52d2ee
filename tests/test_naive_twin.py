"""The naive twin keeps the rules, in cases worked by hand."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.support.naive import Deal, NaiveGame, deal
from tests.support.naive.deal import standard_cards
from tests.support.naive.loading import carry_out, legal_steps
from tests.support.naive.things import GOODS, Card, Contract, Player, make_card
from tests.support.rule_events import SOURCES

MERCHANTS = ("coffee_roaster", "tea_taster", "spice_trader", "vulcanizer", "carpet_trader")


def stacked(players: int, top: list[str], first_player: int = 0, bag: list[str] | None = None) -> NaiveGame:
    """A standard game with these cards on top of the pile and these cubes first in the bag."""
    cards, _, pile, cubes = deal(players, seed=1)
    pile = top + [card_id for card_id in pile if card_id not in top]
    for cube in bag or []:
        cubes.remove(cube)
    return NaiveGame(players, cards, first_player, pile, (bag or []) + cubes)


def play_all(game: NaiveGame, *texts: str) -> None:
    for text in texts:
        game.play(text)


def place(game: NaiveGame, *columns: int) -> None:
    play_all(game, *[f"place {column}" for column in columns])


def idle_round(game: NaiveGame) -> None:
    """Play on into the next round, or to the end, with nobody buying anything."""
    now = game.round
    while game.round == now and game.player is not None:
        game.play(game.legal()[0] if game.phase == "demand" else "pass")


def give(game: NaiveGame, seat: int, *card_ids: str) -> list[Card]:
    """Put cards in front of a player, out of nowhere."""
    cards = [make_card(card_id, standard_cards()[card_id]) for card_id in card_ids]
    game.seats[seat].cards.extend(cards)
    return cards


# Material and setup


def test_the_cards_are_54_by_kind_and_season() -> None:
    table = {
        "contract": (3, 3, 4, 0, 0),
        "counting_office": (1, 1, 0, 2, 0),
        "fireman": (2, 3, 2, 3, 0),
        "coffee_roaster": (1, 0, 0, 0, 0),
        "tea_taster": (1, 0, 0, 0, 0),
        "spice_trader": (1, 0, 0, 0, 0),
        "vulcanizer": (1, 0, 0, 0, 0),
        "carpet_trader": (1, 0, 0, 0, 0),
        "warehouse": (1, 0, 0, 0, 0),
        "ship": (0, 5, 5, 5, 0),
        "bank": (0, 0, 1, 0, 0),
        "boatsmen_church": (0, 0, 0, 1, 0),
        "st_michaelis": (0, 0, 0, 1, 0),
        "chamber_of_commerce": (0, 0, 0, 1, 0),
        "port": (0, 0, 0, 1, 0),
        "fire": (0, 1, 1, 1, 1),
    }
    cards = standard_cards()
    assert len(cards) == 54
    counted = Counter((card["kind"], card["season"]) for card in cards.values())
    assert counted == Counter(
        {(kind, season): n for kind, row in table.items() for season, n in zip("ABCDE", row, strict=True) if n}
    )


@pytest.mark.parametrize(
    ("players", "trade_cards", "gone"),
    [
        (2, 48, {"port", "fireman_8"}),
        (3, 48, {"boatsmen_church", "fireman_8"}),
        (4, 50, set()),
        (5, 48, {"boatsmen_church", "fireman_8"}),
    ],
)
def test_setup_takes_out_cards_by_number_of_players(players: int, trade_cards: int, gone: set[str]) -> None:
    cards, _, pile, bag = deal(players, seed=3)
    assert set(standard_cards()) - set(pile) == gone
    assert set(cards) == set(pile)
    assert len([card_id for card_id in pile if not card_id.startswith("fire_")]) == trade_cards
    assert trade_cards % (players + 1) == 0
    assert [cards[card_id]["season"] for card_id in pile] == sorted(cards[card_id]["season"] for card_id in pile)
    assert pile[-1] == "fire_4"
    assert Counter(bag) == dict.fromkeys(GOODS, 9)


@pytest.mark.parametrize("seed", range(20))
def test_sampled_decks_keep_what_the_rules_fix(seed: int) -> None:
    cards, _, pile, _ = deal(4, seed, "sampled")
    fires = [cards[f"fire_{k}"]["value"] for k in (1, 2, 3, 4)]
    firemen = [cards[f"fireman_{k}"]["value"] for k in range(1, 11)]
    assert fires == sorted(fires)
    assert all(1 <= value <= 6 for value in fires)
    assert all(1 <= value <= 5 for value in firemen)
    assert 3 in firemen[7:]
    assert [len(cards[f"contract_{k}"]["goods"]) for k in range(1, 11)] == [2, 2, 3, 2, 3, 4, 3, 3, 4, 4]
    assert len(pile) == 54


def test_a_game_starts_with_the_first_supply_on_the_table() -> None:
    game = stacked(2, ["ship_1", "warehouse", "ship_2"], first_player=1, bag=["tea"] * 3 + ["coffee"] * 3)
    now = game.snapshot()
    assert (now["phase"], now["player"], now["round"], now["first_player"]) == ("demand", 1, 1, 1)
    assert [column["card"] for column in now["columns"]] == ["ship_1", "warehouse", "ship_2"]
    assert [column["cubes"]["tea"] for column in now["columns"]] == [3, 0, 0]
    assert [column["cubes"]["coffee"] for column in now["columns"]] == [0, 0, 3]
    assert len(now["bag"]) == 39
    assert [(seat["coins"], seat["workers"], seat["fire_points"]) for seat in now["seats"]] == [(5, 3, 0)] * 2


def test_a_pile_that_leaves_an_unfinished_supply_is_refused() -> None:
    cards, first_player, pile, bag = deal(2, seed=1)
    game = NaiveGame(2, cards, first_player, pile[1:], bag)
    with pytest.raises(ValueError, match="full supplies"):
        while game.player is not None:
            idle_round(game)
    with pytest.raises(ValueError, match="fire_4"):
        NaiveGame(2, cards, first_player, pile[:-1], bag)


# Demand


def test_workers_are_placed_one_at_a_time_clockwise_three_times_around() -> None:
    game = stacked(3, ["contract_1", "contract_2", "contract_3", "warehouse"], first_player=1)
    asked = []
    while game.phase == "demand":
        asked.append(game.player)
        assert game.legal() == ["place 0", "place 1", "place 2", "place 3"]
        game.play("place 3" if len(asked) % 2 else "place 0")
    assert asked == [1, 2, 0] * 3
    assert [column["queue"] for column in game.snapshot()["columns"]] == [
        [2, 1, 0, 2],
        [],
        [],
        [1, 0, 2, 1, 0],
    ]


def test_no_more_than_eight_workers_stand_above_a_card() -> None:
    game = stacked(3, ["contract_1", "contract_2", "contract_3", "warehouse"])
    place(game, *[2] * 7)
    assert "place 2" in game.legal()
    place(game, 2)
    assert game.legal() == ["place 0", "place 1", "place 3"]


# Purchase


def test_the_price_is_the_number_of_workers_and_falls_with_each_who_leaves() -> None:
    game = stacked(2, ["coffee_roaster", "tea_taster", "warehouse"])
    place(game, 0, 0, 0, 0, 1, 1)
    prices = []
    for answer in ["pass", "pass", "pass", "buy"]:
        assert game.legal() == ["buy", "pass"]
        prices.append((game.player, game.snapshot()["offer"], game.snapshot()["columns"][0]["queue"]))
        game.play(answer)
    assert prices == [
        (0, {"column": 0, "price": 4}, [0, 1, 0, 1]),
        (1, {"column": 0, "price": 3}, [1, 0, 1]),
        (0, {"column": 0, "price": 2}, [0, 1]),
        (1, {"column": 0, "price": 1}, [1]),
    ]
    now = game.snapshot()
    assert now["columns"][0] == {"card": None, "cubes": dict.fromkeys(GOODS, 0), "queue": []}
    assert (now["player"], now["offer"]) == (0, {"column": 1, "price": 2})
    assert [seat["coins"] for seat in now["seats"]] == [5, 4]
    assert now["seats"][1]["cards"] == ["coffee_roaster"]
    assert [seat["workers"] for seat in now["seats"]] == [2, 2]


def test_after_a_purchase_all_workers_leave() -> None:
    game = stacked(2, ["coffee_roaster", "tea_taster", "warehouse"])
    place(game, 0, 0, 0, 1, 1, 0)
    game.play("buy")
    now = game.snapshot()
    assert [seat["coins"] for seat in now["seats"]] == [1, 5]
    assert [seat["workers"] for seat in now["seats"]] == [2, 2]
    assert [column["queue"] for column in now["columns"]] == [[], [1, 0], []]


def test_an_owner_who_cannot_pay_is_passed_over_without_being_asked() -> None:
    game = stacked(2, ["coffee_roaster", "tea_taster", "warehouse"])
    place(game, 0, 0, 0, 0, 1, 0)
    assert (game.player, game.snapshot()["offer"]) == (0, {"column": 0, "price": 5})
    game.play("buy")  # leaves seat 0 without a coin for the tea taster, and nobody else wants anything
    now = game.snapshot()
    assert (now["round"], now["phase"], now["player"]) == (2, "demand", 1)
    assert [card.id for card in game.discarded] == ["tea_taster", "warehouse"]
    assert [seat["coins"] for seat in now["seats"]] == [1, 7]


def test_the_cubes_of_a_ship_nobody_buys_go_to_the_stock() -> None:
    game = stacked(2, ["ship_1", "warehouse", "ship_2"], bag=["tea", "tea", "carpet", "coffee", "rubber", "rubber"])
    place(game, 0, 1, 1, 1, 1, 1)
    assert game.player == 0
    game.play("pass")
    assert game.snapshot()["stock"] == {"coffee": 0, "tea": 2, "saffron": 0, "rubber": 0, "carpet": 1}
    while game.phase == "purchase":
        game.play("pass")
    assert game.snapshot()["stock"] == {"coffee": 1, "tea": 2, "saffron": 0, "rubber": 2, "carpet": 1}
    assert [card.id for card in game.discarded] == ["ship_1", "warehouse", "ship_2"]


# Loading


def test_a_ship_is_unloaded_in_its_owners_loading_and_not_before() -> None:
    game = stacked(2, ["ship_1", "ship_2", "warehouse"], first_player=1, bag=["tea"] * 3 + ["carpet"] * 3)
    place(game, 0, 1, 0, 1, 2, 2)
    game.play("buy")  # seat 1, ship_1
    now = game.snapshot()
    assert now["phase"] == "purchase"
    assert now["seats"][1]["aboard"]["tea"] == 3
    assert now["seats"][1]["cubes"]["tea"] == 0
    play_all(game, "buy", "pass", "pass")  # seat 0, ship_2
    now = game.snapshot()
    assert (now["phase"], now["player"]) == ("loading", 1)
    assert (now["seats"][1]["aboard"]["tea"], now["seats"][1]["cubes"]["tea"]) == (0, 3)
    assert (now["seats"][0]["aboard"]["carpet"], now["seats"][0]["cubes"]["carpet"]) == (3, 0)
    assert game.legal() == ["trade tea tea", "discard tea"]
    game.play("discard tea")
    assert game.legal() == ["trade tea tea", "discard tea"]
    game.play("discard tea")  # a single cube fits the market hall: nothing left to decide
    assert game.player == 0
    assert game.snapshot()["seats"][0]["cubes"]["carpet"] == 3
    assert game.legal() == ["convert carpet carpet carpet to tea", "trade carpet carpet", "discard carpet"]
    game.play("trade carpet carpet")
    now = game.snapshot()
    assert (now["phase"], now["round"], now["first_player"]) == ("demand", 2, 0)
    assert [seat["cubes"]["tea"] + seat["cubes"]["carpet"] for seat in now["seats"]] == [1, 1]
    assert now["stock"] == {"coffee": 0, "tea": 2, "saffron": 0, "rubber": 0, "carpet": 2}
    assert [seat["coins"] for seat in now["seats"]] == [5 - 2 + 1 + 1, 5 - 2 + 1]
    assert [seat.market_hall for seat in game.seats] == [["carpet"], ["tea"]]


def loader(cubes: list[str], *card_ids: str) -> Player:
    player = Player(0)
    player.quay = cubes
    player.cards = [make_card(card_id, standard_cards()[card_id]) for card_id in card_ids]
    return player


def test_the_legal_steps_of_a_loading_come_in_action_order() -> None:
    player = loader(["tea", "coffee", "coffee"], "tea_taster", "contract_10", "vulcanizer", "contract_9", "contract_1")
    assert legal_steps(player, stock=["carpet", "rubber", "coffee", "rubber"]) == [
        "deliver coffee contract_1",
        "deliver coffee contract_9",
        "deliver tea contract_9",
        "deliver tea contract_10",
        "sell tea",
        "convert coffee coffee tea to rubber",
        "convert coffee coffee tea to carpet",
        "trade coffee coffee",
        "trade coffee tea",
        "discard coffee",
        "discard tea",
    ]


def test_a_contract_takes_no_more_of_a_good_than_it_needs() -> None:
    player = loader(["coffee", "coffee", "tea"], "contract_1", "warehouse")
    assert "deliver coffee contract_1" in legal_steps(player, [])
    carry_out("deliver coffee contract_1", player, [])
    assert player.contracts()[0].missing() == ["carpet"]
    assert player.pool() == ["coffee", "tea"]
    assert not [step for step in legal_steps(player, []) if step.startswith("deliver")]


def test_the_market_hall_gives_one_good_of_the_stock_for_three_others() -> None:
    player, stock = loader(["coffee", "tea", "saffron", "tea"], "contract_3"), ["rubber"]
    carry_out("convert coffee tea saffron to rubber", player, stock)
    assert sorted(player.pool()) == ["rubber", "tea"]
    assert sorted(stock) == ["coffee", "saffron", "tea"]
    assert player.coins == 5
    carry_out("deliver rubber contract_3", player, stock)
    assert player.contracts()[0].missing() == ["rubber", "coffee"]


def test_a_merchant_pays_for_one_cube_and_the_market_hall_for_two() -> None:
    player, stock = loader(["rubber", "rubber", "tea", "carpet"], "vulcanizer"), []
    carry_out("sell rubber", player, stock)
    assert (player.coins, stock) == (6, ["rubber"])
    carry_out("trade tea carpet", player, stock)
    assert (player.coins, stock, player.pool()) == (7, ["rubber", "tea", "carpet"], ["rubber"])


@pytest.mark.parametrize(("building", "capacity"), [("bank", 1), ("warehouse", 5)])
def test_loading_ends_only_with_cubes_that_fit_and_discards_only_while_they_do_not(
    building: str, capacity: int
) -> None:
    player = loader(["tea"] * (capacity + 1), building)
    steps = legal_steps(player, [])
    assert "discard tea" in steps
    assert "end" not in steps
    carry_out("discard tea", player, [])
    steps = legal_steps(player, [])
    assert "discard tea" not in steps
    assert "end" in steps
    carry_out("end", player, [])
    assert (len(player.warehouse), len(player.market_hall), player.quay) == (capacity - 1, 1, [])


def test_kept_cubes_fill_the_warehouse_first() -> None:
    player = loader(["tea", "coffee"], "warehouse")
    player.market_hall = ["carpet"]
    carry_out("end", player, [])
    assert sorted(player.warehouse) == ["carpet", "coffee", "tea"]
    assert player.market_hall == []


# Income


def test_income_is_one_and_one_more_without_a_purchase_and_one_more_with_the_bank() -> None:
    game = stacked(3, ["bank", "contract_1", "contract_2", "contract_3"])
    place(game, 0, 1, 2, 0, 1, 3, 0, 1, 3)
    play_all(game, "pass", "pass", "buy")  # seat 0 has the bank for 1 coin
    play_all(game, "pass", "buy")  # seat 1 has contract_1 for 2 coins
    while game.round == 1:
        game.play("pass")
    assert [player.coins for player in game.seats] == [5 - 1 + 2, 5 - 2 + 1, 5 + 2]
    assert game.first_player == 1
    idle_round(game)
    assert [player.coins for player in game.seats] == [6 + 3, 4 + 2, 7 + 2]
    assert game.first_player == 2


# Fire


@pytest.mark.parametrize(
    ("firemen", "points"),
    [
        ([[], [], []], [0, 0, 0]),
        ([["fireman_2"], ["fireman_4"], ["fireman_2"]], [0, 0, 0]),
        ([["fireman_1"], [], []], [1, -1, -1]),
        ([["fireman_1"], ["fireman_1"], []], [1, 1, -1]),
        ([["fireman_3"], ["fireman_2"], ["fireman_10"]], [-1, 0, 1]),
        ([["fireman_2", "fireman_3"], ["fireman_8"], ["fireman_2"]], [1, 1, -1]),
    ],
)
def test_a_fire_rewards_all_with_most_firemen_and_costs_all_with_least(
    firemen: list[list[str]], points: list[int]
) -> None:
    replaced_by = ["spice_trader", "vulcanizer", "coffee_roaster", "tea_taster"]
    game = stacked(3, ["contract_1", "contract_2", "contract_3", "warehouse", "fire_1", *replaced_by])
    for seat, card_ids in enumerate(firemen):
        give(game, seat, *card_ids)
    idle_round(game)
    assert [player.fire_points for player in game.seats] == points
    assert [column["card"] for column in game.snapshot()["columns"]] == replaced_by
    assert game.discarded[-1].id == "fire_1"


def test_a_fire_amid_a_supply_is_replaced_by_the_next_card() -> None:
    game = stacked(2, ["contract_1", "fire_1", "ship_1", "contract_2"], bag=["tea"] * 3)
    assert [column["card"] for column in game.snapshot()["columns"]] == ["contract_1", "ship_1", "contract_2"]
    assert game.snapshot()["columns"][1]["cubes"]["tea"] == 3
    assert game.round == 1


# The end


def with_fire_3_last_in_autumn(players: int) -> Deal:
    cards, first_player, pile, bag = deal(players, seed=5)
    pile.remove("fire_3")
    return Deal(cards, first_player, [*pile[:-1], "fire_3", "fire_4"], bag)


def with_fire_3_first_in_autumn(players: int) -> Deal:
    cards, first_player, pile, bag = deal(players, seed=5)
    pile.remove("fire_3")
    autumn = next(place for place, card_id in enumerate(pile) if cards[card_id]["season"] == "D")
    return Deal(cards, first_player, [*pile[:autumn], "fire_3", *pile[autumn:]], bag)


every_last_round = pytest.mark.parametrize(("players", "rounds"), [(2, 16), (3, 12), (4, 10), (5, 8)])


def at_last_round(start: Deal, players: int, rounds: int) -> NaiveGame:
    """A game before its last round, in which nothing was bought; seat 1 has a fireman."""
    game = NaiveGame(players, *start)
    give(game, 1, "fireman_1")
    for _ in range(rounds - 1):
        idle_round(game)
    assert game.round == rounds
    return game


@every_last_round
def test_the_fourth_fire_comes_after_the_income_of_the_last_round(players: int, rounds: int) -> None:
    start = with_fire_3_first_in_autumn(players)
    game = at_last_round(start, players, rounds)
    assert game.snapshot()["pile"] == ["fire_4"]
    assert game.seats[1].fire_points == 1 + 2 + 3
    idle_round(game)
    assert (game.phase, game.player, game.legal(), game.round) == ("over", None, [], rounds)
    assert game.seats[1].fire_points == 1 + 2 + 3 + 4
    assert game.seats[0].fire_points == -10
    assert [player.coins for player in game.seats] == [5 + 2 * rounds] * players
    assert game.first_player == (start.first_player + rounds) % players
    assert game.snapshot()["pile"] == []
    assert all(column["card"] is None for column in game.snapshot()["columns"])


@every_last_round
def test_a_third_fire_that_is_the_last_autumn_card_brings_the_fourth_with_it(players: int, rounds: int) -> None:
    start = with_fire_3_last_in_autumn(players)
    game = at_last_round(start, players, rounds)
    assert game.snapshot()["pile"] == ["fire_3", "fire_4"]
    assert game.seats[1].fire_points == 1 + 2
    idle_round(game)
    assert (game.phase, game.player, game.round) == ("over", None, rounds)
    assert game.seats[1].fire_points == 1 + 2 + 3 + 4
    assert [player.coins for player in game.seats] == [5 + 2 * rounds] * players
    assert game.first_player == (start.first_player + rounds) % players
    assert [card.id for card in game.discarded[-2:]] == ["fire_3", "fire_4"]


def test_a_fireman_bought_in_the_last_round_counts_at_the_fourth_fire() -> None:
    cards, first_player, pile, bag = with_fire_3_first_in_autumn(5)
    pile.remove("fireman_9")
    pile.insert(-1, "fireman_9")
    game = NaiveGame(5, cards, first_player, pile, bag)
    for _ in range(7):
        idle_round(game)
    place(game, *[5] * 8, *[4] * 7)
    while game.snapshot()["offer"]["column"] != 5:
        game.play("pass")
    assert game.snapshot()["offer"]["price"] == 8
    assert [player.fire_points for player in game.seats] == [0] * 5
    buyer = game.player
    game.play("buy")
    assert game.phase == "over"
    assert [player.fire_points for player in game.seats] == [4 if seat == buyer else -4 for seat in range(5)]


# Scoring


def breakdown(**sources: int) -> dict[str, int]:
    return {name: sources.get(name, 0) for name in SOURCES} | {"total": sum(sources.values())}


@pytest.mark.parametrize(
    ("card_ids", "expected"),
    [
        ([], breakdown()),
        (["counting_office_1"], breakdown(counting_offices=2)),
        (["counting_office_1", "counting_office_4"], breakdown(counting_offices=5)),
        (["counting_office_1", "counting_office_2", "counting_office_3"], breakdown(counting_offices=9)),
        ([f"counting_office_{k}" for k in (1, 2, 3, 4)], breakdown(counting_offices=14)),
        (list(MERCHANTS), breakdown(merchants=5)),
        (["tea_taster", "bank", "fireman_7"], breakdown(merchants=1)),
        (["chamber_of_commerce"], breakdown(chamber_of_commerce=5)),
        (["port"], breakdown()),
        (["ship_1", "ship_2", "ship_12"], breakdown()),
        (["port", "ship_1", "ship_2", "ship_12"], breakdown(port=3)),
        (["boatsmen_church", "st_michaelis"], breakdown(boatsmen_church=3, st_michaelis=4)),
        (["warehouse"], breakdown()),
    ],
)
def test_buildings_merchants_and_offices_score(card_ids: list[str], expected: dict[str, int]) -> None:
    game = stacked(2, [])
    give(game, 1, *card_ids)
    assert game.points() == [breakdown(), expected]


@pytest.mark.parametrize(("contract_id", "points"), [("contract_1", 5), ("contract_3", 8), ("contract_6", 11)])
def test_only_complete_contracts_score_by_their_size(contract_id: str, points: int) -> None:
    game = stacked(2, [])
    (contract,) = give(game, 0, contract_id)
    assert isinstance(contract, Contract)
    contract.placed = contract.goods[:-1]
    assert game.points()[0] == breakdown()
    contract.placed = contract.goods[:]
    assert game.points()[0] == breakdown(contracts=points)


@pytest.mark.parametrize(("cubes", "with_warehouse", "without"), [(0, 0, 0), (1, 1, 0), (4, 4, 0), (5, 4, 0)])
def test_the_warehouse_scores_up_to_four_cubes(cubes: int, with_warehouse: int, without: int) -> None:
    game = stacked(2, [])
    give(game, 0, "warehouse")
    for player in game.seats:
        player.quay = ["tea"] * cubes
    assert [points["warehouse"] for points in game.points()] == [with_warehouse, without]


def test_most_points_win_then_most_coins_else_the_win_is_shared() -> None:
    game = stacked(4, [])
    for player, fire_points, coins in zip(game.seats, (3, 7, 7, 7), (20, 2, 4, 4), strict=True):
        player.fire_points, player.coins = fire_points, coins
    assert game.winners() == [2, 3]
    game.seats[1].coins = 5
    assert game.winners() == [1]
    game.seats[0].fire_points = 8
    assert game.winners() == [0]


# Actions


@pytest.mark.parametrize("text", ["place 3", "place -1", "place", "buy", "pass", "end", "", "Place 0"])
def test_an_illegal_text_is_refused_and_changes_nothing(text: str) -> None:
    game = stacked(2, [])
    before = game.snapshot()
    with pytest.raises(ValueError, match="not legal in demand"):
        game.play(text)
    assert game.snapshot() == before
    game.play("place 0")
