"""Setup: what is taken out, the pile, the bag, the first player, what everybody starts with, sampled decks."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from speicher_env.deck import Deck, standard_deck
from speicher_env.rules.cards import CARD_IDS, CARD_NUMBER, SEASON_OF, SEASONS
from speicher_env.rules.stream import MAX_SEED
from tests.support.positions import JIT, bag, coins, deal_game, per_seat, phase, pile, player, table, where

pytestmark = [pytest.mark.nojit, pytest.mark.bounds]

PLAYERS = (2, 3, 4, 5)
SEEDS = range(300 if JIT else 12)


def whole_pile(states: np.ndarray) -> list[str]:
    """The pile as it was shuffled, revealed cards included."""
    return [CARD_IDS[number] for number in states["pile"][0, : states["pile_size"][0]]]


def removed(states: np.ndarray) -> set[str]:
    return {card_id for card_id in CARD_IDS if where(states, card_id) == "removed"}


@pytest.mark.parametrize(
    ("players", "expected"),
    [
        (2, {"port", "fireman_8"}),
        (3, {"boatsmen_church", "fireman_8"}),
        (4, set()),
        (5, {"boatsmen_church", "fireman_8"}),
    ],
)
def test_cards_taken_out_by_number_of_players(players: int, expected: set[str]) -> None:
    states = deal_game(players)
    assert removed(states) == expected
    assert set(whole_pile(states)) == set(CARD_IDS) - expected


def test_the_fireman_taken_out_is_the_autumn_one_of_value_3_wherever_it_stands() -> None:
    standard = standard_deck()
    values = (*standard.fireman_values[:7], 5, 4, 3)
    deck = Deck("own", standard.fire_values, values, standard.contract_goods)
    assert removed(deal_game(2, deck)) == {"port", "fireman_10"}


def test_firemen_of_value_3_of_other_seasons_stay() -> None:
    assert standard_deck().fireman_values[4] == 3  # a spring fireman
    assert where(deal_game(2), "fireman_5") == "pile"


def test_of_several_autumn_firemen_of_value_3_one_is_taken_out() -> None:
    standard = standard_deck()
    deck = Deck("own", standard.fire_values, (*standard.fireman_values[:7], 3, 3, 3), standard.contract_goods)
    for players in (2, 3, 5):
        assert len([card_id for card_id in removed(deal_game(players, deck)) if "fireman" in card_id]) == 1


@pytest.mark.parametrize("players", PLAYERS)
def test_pile_is_winter_spring_summer_autumn_then_the_4th_fire(players: int) -> None:
    for seed in range(5):
        order = whole_pile(deal_game(players, seed=seed))
        seasons = "".join(SEASONS[SEASON_OF[CARD_NUMBER[card_id]]] for card_id in order)
        autumn = 15 if players == 4 else 13
        assert seasons == 12 * "A" + 13 * "B" + 13 * "C" + autumn * "D" + "E"
        assert order[-1] == "fire_4"


@pytest.mark.parametrize(("players", "trade_cards", "rounds"), [(2, 48, 16), (3, 48, 12), (4, 50, 10), (5, 48, 8)])
def test_trade_cards_divide_into_full_rounds(players: int, trade_cards: int, rounds: int) -> None:
    trade = [card_id for card_id in whole_pile(deal_game(players)) if not card_id.startswith("fire_")]
    assert len(trade) == trade_cards == rounds * (players + 1)


def test_each_season_is_shuffled_by_the_seed() -> None:
    orders = [whole_pile(deal_game(4, seed=seed)) for seed in SEEDS]
    for season in SEASONS[:4]:
        in_season = [tuple(c for c in order if SEASONS[SEASON_OF[CARD_NUMBER[c]]] == season) for order in orders]
        assert len(set(in_season)) == len(orders), f"two of {len(orders)} seeds give season {season} the same order"


def test_every_card_of_a_season_comes_first_about_equally_often() -> None:
    firsts = Counter(whole_pile(deal_game(2, seed=seed))[0] for seed in SEEDS)
    if JIT:
        assert len(firsts) == 12
        assert max(firsts.values()) < 3 * min(firsts.values())
    else:
        assert len(firsts) > 3


@pytest.mark.parametrize("players", PLAYERS)
def test_first_player_is_drawn_by_lot_from_the_seed(players: int) -> None:
    firsts = Counter(int(deal_game(players, seed=seed)["first_player"][0]) for seed in SEEDS)
    assert set(firsts) <= set(range(players))
    if JIT:
        assert set(firsts) == set(range(players))
        assert max(firsts.values()) < 2 * min(firsts.values())
    assert player(deal_game(players, seed=3)) == deal_game(players, seed=3)["first_player"][0]


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("deck", ["standard", "sampled"])
def test_naming_the_first_player_changes_nothing_else_of_the_deal(players: int, deck: str) -> None:
    for seed in range(3):
        drawn = deal_game(players, deck, seed)
        for first in range(players):
            named = deal_game(players, deck, seed, first_player=first)
            assert named["first_player"][0] == first
            assert player(named) == first
            for field in ("first_player", "player"):
                named[field] = drawn[field]
            assert named.tobytes() == drawn.tobytes()


@pytest.mark.parametrize("players", PLAYERS)
def test_everybody_starts_with_5_coins_3_workers_and_nothing_else(players: int) -> None:
    states = deal_game(players)
    assert phase(states) == "demand"
    assert states["round"][0] == 1
    assert coins(states) == [5] * players
    assert per_seat(states, "workers") == [3] * players
    for field in ("fire_points", "firemen", "offices", "ships", "contract_points", "bought"):
        assert per_seat(states, field) == [0] * players
    assert not states["cubes"].any()
    assert not states["aboard"].any()
    assert not states["stock"].any()
    assert not any(isinstance(where(states, card_id), int) for card_id in CARD_IDS)


def test_unused_seats_stay_empty() -> None:
    states = deal_game(3)
    assert states["coins"][0].tolist() == [5, 5, 5, 0, 0]
    assert states["workers"][0].tolist() == [3, 3, 3, 0, 0]


def test_bag_has_9_cubes_of_each_good() -> None:
    cubes = bag(deal_game(5))  # winter has no ships, so the bag is still full
    assert Counter(cubes) == {"coffee": 9, "tea": 9, "saffron": 9, "rubber": 9, "carpet": 9}
    assert len(cubes) == 45


def test_bag_is_shuffled_by_the_seed() -> None:
    assert len({tuple(bag(deal_game(2, seed=seed))) for seed in SEEDS}) == len(SEEDS)


def test_one_seed_gives_one_game() -> None:
    for players in PLAYERS:
        assert deal_game(players, "sampled", 11).tobytes() == deal_game(players, "sampled", 11).tobytes()


def test_the_largest_seed_deals() -> None:
    states = deal_game(2, "sampled", MAX_SEED)
    assert states["seed"][0] == MAX_SEED
    assert states.tobytes() != deal_game(2, "sampled", MAX_SEED - 1).tobytes()


def test_a_seed_means_another_pile_for_its_upper_half_too() -> None:
    assert pile(deal_game(2, seed=1)) != pile(deal_game(2, seed=1 + 2**32))


def test_first_round_lays_out_winter_cards() -> None:
    for players in PLAYERS:
        shown = table(deal_game(players))
        assert len(shown) == players + 1
        assert all(SEASON_OF[CARD_NUMBER[card_id]] == 0 for card_id in shown)


# Sampled decks


def sampled(seed: int, players: int = 4) -> np.void:
    return deal_game(players, "sampled", seed)[0]


def test_sampled_fire_values_rise_within_1_to_6() -> None:
    drawn = [sampled(seed)["fire_value"].tolist() for seed in SEEDS]
    assert all(values == sorted(values) and values[0] >= 1 and values[-1] <= 6 for values in drawn)
    if JIT:
        assert {value for values in drawn for value in values} == set(range(1, 7))
        # Four dice in rising order: the first is a 1 unless none is, (1 - (5/6)**4) = 51.8 % of the time.
        assert 0.43 < np.mean([values[0] == 1 for values in drawn]) < 0.61


def test_sampled_fireman_values_are_1_to_5_with_a_3_in_autumn() -> None:
    drawn = [sampled(seed)["fireman_value"].tolist() for seed in SEEDS]
    assert all(1 <= value <= 5 for values in drawn for value in values)
    assert all(3 in values[7:] for values in drawn)
    if JIT:
        for fireman in (0, 1, 2, 3, 4, 5, 6, 8, 9):
            assert {values[fireman] for values in drawn} == {1, 2, 3, 4, 5}


def test_sampled_contracts_keep_their_sizes_and_draw_their_goods() -> None:
    sizes = [2, 2, 3, 2, 3, 4, 3, 3, 4, 4]
    seen: list[set[int]] = [set() for _ in sizes]
    for seed in SEEDS:
        for contract, goods in enumerate(sampled(seed)["contract_goods"]):
            assert (goods >= 0).tolist() == [place < sizes[contract] for place in range(4)]
            seen[contract].update(goods[goods >= 0].tolist())
    if JIT:
        assert all(goods == {0, 1, 2, 3, 4} for goods in seen)


def test_sampled_decks_take_out_one_fireman_of_value_3() -> None:
    for seed in list(SEEDS)[:50]:
        states = deal_game(3, "sampled", seed)
        gone = removed(states) - {"boatsmen_church"}
        assert len(gone) == 1
        number = int(gone.pop().removeprefix("fireman_")) - 1
        assert number in (7, 8, 9)
        assert states["fireman_value"][0, number] == 3


def test_sampled_decks_differ_from_seed_to_seed_and_not_by_player_count() -> None:
    def values(seed: int, players: int) -> bytes:
        game = sampled(seed, players)
        return b"".join(game[field].tobytes() for field in ("fire_value", "fireman_value", "contract_goods"))

    assert len({values(seed, 2) for seed in SEEDS}) == len(SEEDS)
    for seed in range(5):
        assert values(seed, 2) == values(seed, 5)


# The standard deck's numbers


def test_standard_contracts() -> None:
    states = deal_game(4)
    expected = {
        "contract_1": "coffee carpet",
        "contract_2": "tea saffron",
        "contract_3": "rubber rubber coffee",
        "contract_4": "carpet saffron",
        "contract_5": "tea tea carpet",
        "contract_6": "rubber tea coffee carpet",
        "contract_7": "saffron rubber rubber",
        "contract_8": "coffee saffron carpet",
        "contract_9": "coffee coffee tea saffron",
        "contract_10": "carpet rubber saffron tea",
    }
    goods = ("coffee", "tea", "saffron", "rubber", "carpet")
    for number, (contract, wanted) in enumerate(expected.items()):
        row = [goods[good] for good in states["contract_goods"][0, number] if good >= 0]
        assert (contract, " ".join(row)) == (contract, wanted)
        assert states["missing"][0, number].tolist() == [wanted.split().count(good) for good in goods]


def test_standard_firemen_and_fires() -> None:
    states = deal_game(4)
    assert states["fireman_value"][0].tolist() == [1, 2, 1, 2, 3, 4, 5, 3, 4, 5]
    assert states["fire_value"][0].tolist() == [1, 2, 3, 4]
    assert [SEASONS[SEASON_OF[CARD_NUMBER[f"fireman_{k}"]]] for k in range(1, 11)] == list("AABBBCCDDD")
    assert [SEASONS[SEASON_OF[CARD_NUMBER[f"fire_{k}"]]] for k in range(1, 5)] == list("BCDE")


def test_cards_per_kind_and_season() -> None:
    counts = {
        "contract": "3340",
        "counting_office": "1102",
        "fireman": "2323",
        "coffee_roaster": "1000",
        "tea_taster": "1000",
        "spice_trader": "1000",
        "vulcanizer": "1000",
        "carpet_trader": "1000",
        "warehouse": "1000",
        "ship": "0555",
        "bank": "0010",
        "boatsmen_church": "0001",
        "st_michaelis": "0001",
        "chamber_of_commerce": "0001",
        "port": "0001",
        "fire": "0111",
    }
    for kind, per_season in counts.items():
        of_kind = [c for c in CARD_IDS if c == kind or (c.rpartition("_")[0] == kind and c[-1].isdigit())]
        for season, count in zip("ABCD", per_season, strict=True):
            found = [c for c in of_kind if SEASONS[SEASON_OF[CARD_NUMBER[c]]] == season]
            assert len(found) == int(count), f"{kind} in season {season}"
    assert [c for c in CARD_IDS if SEASONS[SEASON_OF[CARD_NUMBER[c]]] == "E"] == ["fire_4"]
    assert len(CARD_IDS) == len(set(CARD_IDS)) == 54
