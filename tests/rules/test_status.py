"""status() names every broken invariant: each is broken by hand in a sound state and must be sentences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from speicher_env.rules.actions import END
from speicher_env.rules.cards import CARD_NUMBER
from speicher_env.rules.state import DISCARDED, EMPTY, IN_PILE, ON_TABLE, REMOVED, STATE, blank_states
from speicher_env.rules.status import status
from tests.support.positions import card, deal_game, offer, play_at_random, position, seat

pytestmark = pytest.mark.nojit

COFFEE, TEA, SAFFRON = 0, 1, 2
Breaker = Callable[[np.void], None]


def sound() -> np.ndarray:
    """Three players in purchase, with something of everything on the table and in front of them."""
    states = position(
        3,
        phase="purchase",
        columns=[
            None,
            card("ship_11", "tea tea carpet", queue=[1, 0]),
            card("fireman_9", queue=[2]),
            card("chamber_of_commerce"),
        ],
        seats=[
            seat(cards=["contract_1", "fireman_6"], filled={"contract_1": "coffee"}, cubes="tea", fire_points=3),
            seat(cards=["warehouse", "counting_office_1", "ship_1"], cubes="tea saffron rubber", fire_points=-2),
            seat(cards=["contract_2"], filled={"contract_2": "tea saffron"}, bought=1),
        ],
        stock="coffee rubber",
    )
    assert offer(states) == (1, "ship_11", 2)
    return states


def test_a_sound_state_has_no_fault() -> None:
    assert status(sound()[0]) == []


def test_every_state_of_a_game_is_sound() -> None:
    for players in (2, 3, 4, 5):
        states = deal_game(players, "sampled", seed=players)
        for decision, _ in enumerate(play_at_random(states, players)):
            if decision % 10 == 0:
                assert status(states[0]) == []
        assert status(states[0]) == []


def put(field: str, value: int, *place: int) -> Breaker:
    """Write one value into a field."""

    def breaker(game: np.void) -> None:
        game[field][place] = value

    return breaker


def put_one(field: str, value: int) -> Breaker:
    """Write a field that has one value."""

    def breaker(game: np.void) -> None:
        game[field] = value

    return breaker


def give_card(card_id: str, to: int) -> Breaker:
    return put("owner", to, CARD_NUMBER[card_id])


def swap_seasons(game: np.void) -> None:
    pile = game["pile"]
    pile[0], pile[game["pile_size"] - 2] = pile[game["pile_size"] - 2], pile[0]


def repeat_a_card(game: np.void) -> None:
    game["pile"][0] = game["pile"][1]


def leave_a_gap_in_a_queue(game: np.void) -> None:
    game["queue"][1, 2], game["queue"][1, 0] = game["queue"][1, 0], EMPTY


def stand_above_nothing(game: np.void) -> None:
    game["queue"][0, 0], game["queue"][2, 0] = game["queue"][2, 0], EMPTY
    game["standing"][0], game["standing"][2] = 1, 0


def unload_the_ship_on_the_table(game: np.void) -> None:
    for good in game["cargo"][1]:
        game["stock"][good] += 1
    game["cargo"][1] = EMPTY


def cubes_on_a_fireman(game: np.void) -> None:
    game["cargo"][2] = TEA
    game["bag_next"] += 3


def keep_too_much(game: np.void) -> None:
    game["stock"][COFFEE] -= 1
    game["cubes"][0, COFFEE] += 1


def fill_an_unowned_contract(game: np.void) -> None:
    game["missing"][CARD_NUMBER["contract_9"], COFFEE] -= 1
    game["stock"][COFFEE] -= 1


def over(game: np.void) -> None:
    game["phase"] = 3
    game["offer"] = EMPTY


def empty_the_bag(game: np.void) -> None:
    for good in game["bag"][game["bag_next"] : 42]:
        game["stock"][good] += 1
    game["bag_next"] = 42


def lose_a_card(game: np.void) -> None:
    game["owner"][game["card"][3]] = DISCARDED
    for good in game["cargo"][3]:
        game["stock"][good] += 1
    game["card"][3], game["cargo"][3] = EMPTY, EMPTY


def another_turn(game: np.void) -> None:
    game["workers"][:2] = 1, 2
    game["queue"][1, 0] = 0


def take_aboard(of_seat: int) -> Breaker:
    """Put the cube of tea in the stock aboard a ship."""

    def breaker(game: np.void) -> None:
        game["stock"][TEA] -= 1
        game["aboard"][of_seat, TEA] += 1

    return breaker


def keep_nothing(game: np.void) -> None:
    game["stock"] += game["cubes"][2]
    game["cubes"][2] = 0
    game["legal"] = 0, 0, 1 << (END - 128)


def leave_a_card(game: np.void) -> None:
    game["owner"][CARD_NUMBER["bank"]] = ON_TABLE
    game["card"][0] = CARD_NUMBER["bank"]


NOT_LEFT = "the cards marked as in the pile are not those left in the pile"
NOT_SHOWN = "the cards marked as on the table are not those in the columns"

FAULTS: list[tuple[str, Breaker, str]] = [
    # the header
    ("version", put_one("version", 2), "the state has version 2; this software reads version 1"),
    ("no players", put_one("players", 0), "players=0: must be 2..5."),
    ("one player", put_one("players", 1), "players=1: must be 2..5."),
    ("six players", put_one("players", 6), "players=6: must be 2..5."),
    ("phase below", put_one("phase", -1), "phase=-1: must be 0..3 (demand, purchase, loading, over)."),
    ("phase above", put_one("phase", 4), "phase=4: must be 0..3 (demand, purchase, loading, over)."),
    # ranges
    ("pile_next", put_one("pile_next", -1), "pile_next=-1: must be 0..54."),
    ("pile_size", put_one("pile_size", 55), "pile_size=55: must be 0..54."),
    ("bag_next", put_one("bag_next", 46), "bag_next=46: must be 0..45."),
    ("pile", put("pile", 54, 3), "pile=54: must be -1..53."),
    ("owner below", put("owner", -5, 3), "owner=-5: must be -4..2 with 3 players."),
    ("owner above", put("owner", 5, 3), "owner=5: must be -4..2 with 3 players."),
    ("bag", put("bag", 5, 44), "bag=5: must be 0..4."),
    ("card", put("card", 54, 0), "card=54: must be -1..53."),
    ("cargo", put("cargo", 5, 1, 2), "cargo=5: must be -1..4."),
    ("queue", put("queue", 5, 0, 0), "queue=5: must be -1..2 with 3 players."),
    ("standing", put("standing", 9, 0), "standing=9: must be 0..8."),
    ("contract_goods", put("contract_goods", 5, 0, 0), "contract_goods=5: must be -1..4."),
    ("fire_value", put("fire_value", 7, 0), "fire_value=7: must be 1..6."),
    ("fireman_value", put("fireman_value", 0, 0), "fireman_value=0: must be 1..5."),
    ("workers", put("workers", 4, 0), "workers=4: must be 0..3."),
    ("bought", put("bought", 7, 0), "bought=7: must be 0..6."),
    ("stock", put("stock", -1, 0), "stock=-1: must be 0..9."),
    ("cubes", put("cubes", -1, 0, 0), "cubes=-1: must be 0..9."),
    ("aboard", put("aboard", -1, 0, 0), "aboard=-1: must be 0..9."),
    ("missing", put("missing", 5, 0, 0), "missing=5: must be 0..4."),
    ("loaded", put_one("loaded", 5), "loaded=5: must be 0..2 with 3 players."),
    ("first player", put_one("first_player", 3), "first_player=3: must be 0..2 with 3 players."),
    ("no first player", put_one("first_player", -1), "first_player=-1: must be 0..2 with 3 players."),
    ("a card of no seat", give_card("st_michaelis", 3), "owner=3: must be -4..2 with 3 players."),
    ("a worker of no seat", put("queue", 4, 1, 1), "queue=4: must be -1..2 with 3 players."),
    # cubes
    ("a cube more in the stock", put("stock", 2, COFFEE), "there are 10 cubes of coffee; there must be 9, 45 in all"),
    ("a cube less in the stock", put("stock", 0, COFFEE), "there are 8 cubes of coffee; there must be 9, 45 in all"),
    ("a cube more of a seat", put("cubes", 2, 1, TEA), "there are 10 cubes of tea"),
    ("a cube more aboard", put("aboard", 1, 0, TEA), "there are 10 cubes of tea"),
    ("another cube on a ship", put("cargo", SAFFRON, 1, 0), "there are 8 cubes of tea"),
    ("a cube drawn too many", put_one("bag_next", 40), "cubes of carpet; there must be 9"),
    ("a delivery undone", put("missing", 1, CARD_NUMBER["contract_1"], COFFEE), "there are 8 cubes of coffee"),
    ("a contract too needy", put("missing", 2, CARD_NUMBER["contract_1"], COFFEE), "contract_1 misses more cubes than"),
    ("a contract filled by nobody", fill_an_unowned_contract, "contract_9 holds cubes and has no owner"),
    # cards
    (
        "nothing taken out",
        give_card("boatsmen_church", DISCARDED),
        "with 3 players the cards taken out cannot be fireman_8.",
    ),
    (
        "too much taken out",
        give_card("st_michaelis", REMOVED),
        "cannot be fireman_8, boatsmen_church and st_michaelis.",
    ),
    (
        "another fireman taken out",
        put("fireman_value", 4, 7),
        "the cards taken out cannot be fireman_8 and boatsmen_church.",
    ),
    ("a card twice in the pile", repeat_a_card, "the pile as shuffled must be the 54 cards less those taken out."),
    ("a shorter pile", put_one("pile_size", 51), "the pile as shuffled must be the 54 cards less those taken out."),
    ("a card behind the pile", put("pile", 7, 53), "the pile has cards after its 52."),
    ("seasons", swap_seasons, "the pile's seasons are not in order"),
    (
        "hidden but discarded",
        give_card("fire_4", DISCARDED),
        NOT_LEFT,
    ),
    (
        "in the pile but seen",
        give_card("st_michaelis", DISCARDED),
        NOT_LEFT,
    ),
    (
        "discarded but in the pile",
        give_card("contract_9", IN_PILE),
        NOT_LEFT,
    ),
    (
        "on the table but owned",
        give_card("fireman_9", 0),
        NOT_SHOWN,
    ),
    (
        "on no column",
        give_card("contract_9", ON_TABLE),
        NOT_SHOWN,
    ),
    (
        "a card in two columns",
        put("card", CARD_NUMBER["fireman_9"], 0),
        NOT_SHOWN,
    ),
    ("an owned fire", give_card("fire_1", 0), "fire_1 is neither in the pile nor discarded"),
    ("a fire on the table", give_card("fire_2", ON_TABLE), "fire_2 is neither in the pile nor discarded"),
    (
        "a ship without cubes",
        unload_the_ship_on_the_table,
        "column 1 has cubes without a ship, or a ship without its 3",
    ),
    ("cubes without a ship", cubes_on_a_fireman, "column 2 has cubes without a ship, or a ship without its 3"),
    # workers
    ("a worker lost", put("workers", 1, 0), "seat 0 has 2 workers; it must have 3"),
    ("a worker gained", put("workers", 3, 2), "seat 2 has 4 workers; it must have 3"),
    ("a worker of an unused seat", put("workers", 1, 4), "workers of a seat that 3 players do not have must be 0."),
    ("a worker of another", put("queue", 2, 1, 0), "seat 1 has 2 workers; it must have 3"),
    ("a gap in a queue", leave_a_gap_in_a_queue, "column 1 does not have its 2 workers on the lowest spaces"),
    ("a wrong price", put("standing", 1, 1), "column 1 does not have its 1 workers on the lowest spaces"),
    ("workers above nothing", stand_above_nothing, "workers stand above column 0, which has no card"),
    # coins and kept cubes
    ("debts", put("coins", -1, 2), "coins=-1: must be 0..128."),
    ("too many cubes kept", keep_too_much, "seat 0 keeps 2 cubes; it has room for 1"),
    # sums
    ("firemen", put("firemen", 5, 0), "firemen of seat 0 is 5; its cards make it 4"),
    ("offices", put("offices", 0, 1), "offices of seat 1 is 0; its cards make it 1"),
    ("ships", put("ships", 2, 1), "ships of seat 1 is 2; its cards make it 1"),
    ("contract points", put("contract_points", 8, 2), "contract_points of seat 2 is 8; its cards make it 5"),
    ("points of an open contract", put("contract_points", 5, 0), "contract_points of seat 0 is 5; its cards make it 0"),
    ("sums of an unused seat", put("ships", 1, 4), "ships of seat 4 is 1; its cards make it 0"),
    # fires
    ("too many fire points", put("fire_points", 6, 0), "seat 0 has 6 points from fires worth 5."),
    ("too many points lost", put("fire_points", -6, 0), "seat 0 has -6 points from fires worth 5."),
    # the decision
    ("nobody decides", put_one("player", EMPTY), "phase is purchase and player is -1"),
    ("no such player", put_one("player", 3), "player=3: must be -1..2 with 3 players."),
    ("over with a player", over, "phase is over and player is 1"),
    ("over with legal actions", over, "the 2 actions marked as legal are not the 0 of the decision."),
    ("a forced move", put("legal", 1 << 6, 0), "the 1 actions marked as legal are not the 2 of the decision."),
    ("no move", put("legal", 0, 0), "the 0 actions marked as legal are not the 2 of the decision."),
    ("an offer outside purchase", put_one("phase", 0), "phase is demand and the column on offer is 1"),
    ("purchase without an offer", put_one("offer", EMPTY), "phase is purchase and the column on offer is -1"),
]


PURCHASE_FAULTS: list[tuple[str, Breaker, str]] = [
    ("a deck byte", put_one("deck", 3), "deck=3: must be 0..2."),
    ("a round of no game", put_one("round", 17), "round=17: must be 1..16."),
    ("another round", put_one("round", 9), "40 trade cards have left the pile; round 9 must have laid out 4 a round."),
    ("bytes between games", put_one("unused", 1), "unused=1: must be 0..0."),
    ("coins that outgrow their field", put("coins", 32767, 1), "coins=32767: must be 0..128."),
    (
        "coins that will outgrow the observation",
        put("coins", 80, 1),
        "coins of seat 1=80: must be 0..76 at this point.",
    ),
    ("coins of an unused seat", put("coins", 1, 3), "coins of a seat that 3 players do not have must be 0."),
    ("cubes of an unused seat", put("cubes", 1, 4, TEA), "cubes of a seat that 3 players do not have must be 0."),
    ("cubes aboard an unused seat", put("aboard", 1, 3, 0), "aboard of a seat that 3 players do not have must be 0."),
    ("purchases of an unused seat", put("bought", 1, 3), "bought of a seat that 3 players do not have must be 0."),
    ("fire points of an unused seat", put("fire_points", 1, 3), "fire_points of a seat that 3 players do not have"),
    ("a card in an unused column", put("card", 3, 4), "card of a column that 3 players do not have must be -1."),
    ("cubes in an unused column", put("cargo", TEA, 5, 0), "cargo of a column that 3 players do not have must be -1."),
    ("a worker in an unused column", put("queue", 0, 4, 0), "queue of a column that 3 players do not have must be -1."),
    (
        "a price in an unused column",
        put("standing", 1, 4),
        "standing of a column that 3 players do not have must be 0.",
    ),
    (
        "a contract of one good",
        put("contract_goods", EMPTY, 3, 1),
        "the goods of contract_4 must be 2 to 4, and -1 after",
    ),
    ("a gap in a contract", put("contract_goods", EMPTY, 5, 1), "the goods of contract_6 must be 2 to 4, and -1 after"),
    ("a place after the pile", put_one("pile_next", 53), "pile_next=53: must be 0..52, the size of the pile."),
    ("a bag filled otherwise", put("bag", SAFFRON, 0), "the bag as filled has 8 cubes of coffee; it must have 9."),
    (
        "a bag too empty for its ships",
        empty_the_bag,
        "3 cubes are left in the bag; the 4 ships in the pile need 3 each.",
    ),
    ("half a cargo", put("cargo", EMPTY, 1, 2), "column 1 has cubes without a ship, or a ship without its 3 cubes."),
    ("an offer below", put_one("offer", -128), "offer=-128: must be -1..3 with 3 players."),
    ("an offer beyond the table", put_one("offer", 4), "offer=4: must be -1..3 with 3 players."),
    ("an offer that is gone", put_one("offer", 0), "the offered column 0 has no card or no worker."),
    ("an offer without workers", put_one("offer", 3), "the offered column 3 has no card or no worker."),
    ("a column passed over", put_one("offer", 2), "a column to the left of the offered column 2 still has its card."),
    ("another seat is asked", put_one("player", 0), "seat 0 decides; the lowest worker is that of seat 1."),
    ("a price beyond the purse", put("coins", 1, 1), "seat 1 has 1 coins and cannot pay the price of 2."),
    (
        "more bought than gone",
        put("bought", 2, 0),
        "3 cards were bought this round; in purchase with 1 gone that cannot be.",
    ),
    ("loading in purchase", put_one("loaded", 1), "phase is purchase and 1 seats have loaded."),
    ("an action of no number", put("legal", 192 + (1 << 63), 0), "the 3 actions marked as legal are not the 2"),
    ("an action after the last", put("legal", 1 << 63, 2), "the 3 actions marked as legal are not the 2"),
]

DEMAND_FAULTS: list[tuple[str, Breaker, str]] = [
    ("a column without a card", lose_a_card, "a column has no card in demand."),
    ("another seat places", put_one("player", 0), "after 4 workers seat 2 places the next, not seat 0."),
    ("a turn too many", another_turn, "after 4 workers seat 0 must have 2 in hand."),
    ("the marker elsewhere", put_one("first_player", 2), "after 4 workers seat 0 places the next, not seat 2."),
    ("an offer in demand", put_one("offer", 0), "phase is demand and the column on offer is 0."),
    ("bought in demand", put("bought", 1, 0), "1 cards were bought this round; in demand with 0 gone that cannot be."),
    ("aboard in demand", take_aboard(2), "seat 2 has cubes aboard its ships; in demand it cannot have any now."),
    ("legal columns", put("legal", 0b111, 0), "the 3 actions marked as legal are not the 4 of the decision."),
]

LOADING_FAULTS: list[tuple[str, Breaker, str]] = [
    ("another seat loads", put_one("player", 0), "after 1 seats it is seat 2 that loads, not seat 0."),
    ("seats that have loaded", put_one("loaded", 2), "after 2 seats it is seat 0 that loads, not seat 2."),
    ("more seats than play", put_one("loaded", 3), "loaded=3: must be 0..2 with 3 players."),
    ("aboard after unloading", take_aboard(1), "seat 1 has cubes aboard its ships; in loading it cannot have any now."),
    ("aboard while unloading", take_aboard(2), "seat 2 has cubes aboard its ships; in loading it cannot have any now."),
    ("nothing to load", keep_nothing, "a decision has 1 legal actions; it must have at least 2."),
    ("a contract that is not there", put("legal", 0, 0), "actions marked as legal are not the"),
    ("a card on the table", leave_a_card, "cards lie on the table; in loading all are gone."),
]

OVER_FAULTS: list[tuple[str, Breaker, str]] = [
    ("a player at the end", put_one("player", 0), "phase is over and player is 0."),
    ("cards at the end", put_one("pile_next", 51), "the game is over and cards are left in the pile."),
    ("aboard at the end", take_aboard(0), "seat 0 has cubes aboard its ships; in over it cannot have any now."),
    ("coins at the end", put("coins", 129, 0), "coins=129: must be 0..128."),
]


def faults_after(states: np.ndarray, breaker: Breaker) -> list[str]:
    breaker(states[0])
    return status(states[0])


def case_ids(rows: list[tuple[str, Breaker, str]]) -> dict[str, list]:
    return {"argvalues": [row[1:] for row in rows], "ids": [row[0] for row in rows]}


@pytest.mark.parametrize(("breaker", "fault"), **case_ids(PURCHASE_FAULTS))
def test_a_purchase_that_cannot_be_played_is_named(breaker: Breaker, fault: str) -> None:
    sentences = faults_after(sound(), breaker)
    assert any(fault in sentence for sentence in sentences), sentences


@pytest.mark.parametrize(("breaker", "fault"), **case_ids(DEMAND_FAULTS))
def test_a_demand_that_cannot_be_played_is_named(breaker: Breaker, fault: str) -> None:
    columns = [card("ship_11"), card("fireman_9", queue=[1, 2]), card("chamber_of_commerce", queue=[0, 1]), "ship_12"]
    states = position(3, phase="demand", columns=columns, first_player=1, player=2, stock="tea")
    sentences = faults_after(states, breaker)
    assert any(fault in sentence for sentence in sentences), sentences


@pytest.mark.parametrize(("breaker", "fault"), **case_ids(LOADING_FAULTS))
def test_a_loading_that_cannot_be_played_is_named(breaker: Breaker, fault: str) -> None:
    seats = [seat(), seat(), seat(cards=["contract_2"], aboard="tea saffron")]
    states = position(3, first_player=1, seats=seats, stock="tea")
    assert (states["player"][0], states["loaded"][0]) == (2, 1)
    sentences = faults_after(states, breaker)
    assert any(fault in sentence for sentence in sentences), sentences


@pytest.mark.parametrize(("breaker", "fault"), **case_ids(OVER_FAULTS))
def test_an_end_that_is_none_is_named(breaker: Breaker, fault: str) -> None:
    sentences = faults_after(position(2, phase="over", seats=[seat()], stock="tea"), breaker)
    assert any(fault in sentence for sentence in sentences), sentences


@pytest.mark.parametrize(("breaker", "fault"), **case_ids(FAULTS))
def test_a_broken_invariant_is_named(breaker: Breaker, fault: str) -> None:
    states = sound()
    breaker(states[0])
    sentences = status(states[0])
    assert any(fault in sentence for sentence in sentences), sentences
    assert all("\n" not in sentence for sentence in sentences)


def test_cubes_over_capacity_are_fine_for_the_player_loading_alone() -> None:
    states = position(2, seats=[seat(aboard="tea tea rubber"), seat(aboard="carpet coffee")])
    assert status(states[0]) == []
    states["player"] = 1
    assert "seat 0 keeps 3 cubes; it has room for 1." in status(states[0])


def test_a_state_of_another_layout_is_named() -> None:
    other = np.dtype([("seed", np.int64)])
    sentences = status(np.zeros(1, dtype=other)[0])
    assert sentences == [f"the state is a record of 8 bytes; this version's layout has {STATE.itemsize}."]


def test_a_state_in_which_no_game_was_dealt_is_named() -> None:
    assert status(blank_states(1)[0]) != []


def test_a_state_has_at_most_512_bytes_and_none_between_its_fields() -> None:
    # NumPy does not copy bytes between fields: copies of one game would differ in them.
    sizes = [STATE.fields[name][0].itemsize for name in STATE.names]
    assert sum(sizes) == STATE.itemsize <= 512
