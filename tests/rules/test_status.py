"""status() names every broken invariant: each is broken by hand in a sound state and must be found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

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
            seat(cards=["contract_1", "fireman_6"], filled={"contract_1": "coffee"}, cubes="tea", fire_points=5),
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


NOT_LEFT = "the cards marked as in the pile are not those left in the pile"
NOT_SHOWN = "the cards marked as on the table are not those in the columns"

FAULTS: list[tuple[str, Breaker, str]] = [
    # the header
    ("version", put_one("version", 2), "the state has version 2; this software reads version 1"),
    ("no players", put_one("players", 0), "players is 0; it must be 2..5"),
    ("one player", put_one("players", 1), "players is 1; it must be 2..5"),
    ("six players", put_one("players", 6), "players is 6; it must be 2..5"),
    ("phase below", put_one("phase", -1), "phase is -1; it must be one of 0..3"),
    ("phase above", put_one("phase", 4), "phase is 4; it must be one of 0..3"),
    # ranges
    ("pile_next", put_one("pile_next", -1), "pile_next has a value outside 0..54"),
    ("pile_size", put_one("pile_size", 55), "pile_size has a value outside 0..54"),
    ("bag_next", put_one("bag_next", 46), "bag_next has a value outside 0..45"),
    ("pile", put("pile", 54, 3), "pile has a value outside -1..53"),
    ("owner below", put("owner", -5, 3), "owner has a value outside -4..4"),
    ("owner above", put("owner", 5, 3), "owner has a value outside -4..4"),
    ("bag", put("bag", 5, 44), "bag has a value outside 0..4"),
    ("card", put("card", 54, 0), "card has a value outside -1..53"),
    ("cargo", put("cargo", 5, 1, 2), "cargo has a value outside -1..4"),
    ("queue", put("queue", 5, 0, 0), "queue has a value outside -1..4"),
    ("standing", put("standing", 9, 0), "standing has a value outside 0..8"),
    ("contract_goods", put("contract_goods", 5, 0, 0), "contract_goods has a value outside -1..4"),
    ("fire_value", put("fire_value", 7, 0), "fire_value has a value outside 1..6"),
    ("fireman_value", put("fireman_value", 0, 0), "fireman_value has a value outside 1..5"),
    ("workers", put("workers", 4, 0), "workers has a value outside 0..3"),
    ("bought", put("bought", 7, 0), "bought has a value outside 0..6"),
    ("stock", put("stock", -1, 0), "stock has a value outside 0..45"),
    ("cubes", put("cubes", -1, 0, 0), "cubes has a value outside 0..45"),
    ("aboard", put("aboard", -1, 0, 0), "aboard has a value outside 0..45"),
    ("missing", put("missing", 5, 0, 0), "missing has a value outside 0..4"),
    ("loaded", put_one("loaded", 5), "loaded has a value outside 0..4"),
    ("seed", put_one("seed", -1), "seed has a value outside 0..9223372036854775807"),
    ("first player", put_one("first_player", 3), "first_player is 3; with 3 players it must be 0..2"),
    ("no first player", put_one("first_player", -1), "first_player is -1; with 3 players it must be 0..2"),
    ("a card of no seat", give_card("st_michaelis", 3), "belongs to a seat that 3 players do not have"),
    ("a worker of no seat", put("queue", 4, 1, 1), "belongs to a seat that 3 players do not have"),
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
        "fireman_8 was taken out; with 3 players that is wrong",
    ),
    ("too much taken out", give_card("st_michaelis", REMOVED), "was taken out; with 3 players that is wrong"),
    (
        "another fireman taken out",
        put("fireman_value", 4, 7),
        "fireman_8, boatsmen_church was taken out; with 3 players",
    ),
    ("a card twice in the pile", repeat_a_card, "the pile as shuffled is not the 54 cards less those taken out"),
    ("a shorter pile", put_one("pile_size", 51), "the pile as shuffled is not the 54 cards less those taken out"),
    ("a card behind the pile", put("pile", 7, 53), "the pile has cards behind its 52"),
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
    ("a worker of an unused seat", put("workers", 1, 4), "seat 4 has 1 workers; it must have 0"),
    ("a worker of another", put("queue", 2, 1, 0), "seat 1 has 2 workers; it must have 3"),
    ("a gap in a queue", leave_a_gap_in_a_queue, "column 1 does not have its 2 workers on the lowest spaces"),
    ("a wrong price", put("standing", 1, 1), "column 1 does not have its 1 workers on the lowest spaces"),
    ("workers above nothing", stand_above_nothing, "workers stand above column 0, which has no card"),
    # coins and kept cubes
    ("debts", put("coins", -1, 2), "seat 2 has -1 coins; coins are never below 0"),
    ("too many cubes kept", keep_too_much, "seat 0 keeps 2 cubes; it has room for 1"),
    # sums
    ("firemen", put("firemen", 5, 0), "firemen of seat 0 is 5; its cards make it 4"),
    ("offices", put("offices", 0, 1), "offices of seat 1 is 0; its cards make it 1"),
    ("ships", put("ships", 2, 1), "ships of seat 1 is 2; its cards make it 1"),
    ("contract points", put("contract_points", 8, 2), "contract_points of seat 2 is 8; its cards make it 5"),
    ("points of an open contract", put("contract_points", 5, 0), "contract_points of seat 0 is 5; its cards make it 0"),
    ("sums of an unused seat", put("ships", 1, 4), "ships of seat 4 is 1; its cards make it 0"),
    # fires
    ("too many fire points", put("fire_points", 6, 0), "seat 0 has 6 points from fires worth 5"),
    ("too many points lost", put("fire_points", -6, 0), "seat 0 has -6 points from fires worth 5"),
    # the decision
    ("nobody decides", put_one("player", EMPTY), "phase is purchase and player is -1"),
    ("no such player", put_one("player", 3), "player is 3; it must be a seat 0..2"),
    ("over with a player", over, "phase is over and player is 1"),
    ("over with legal actions", over, "the game is over and 2 actions are marked legal"),
    ("a forced move", put("legal", 1 << 6, 0), "a decision has 1 legal actions; it must have at least 2"),
    ("no move", put("legal", 0, 0), "a decision has 0 legal actions; it must have at least 2"),
    ("an offer outside purchase", put_one("phase", 0), "phase is demand and the column on offer is 1"),
    ("purchase without an offer", put_one("offer", EMPTY), "phase is purchase and the column on offer is -1"),
]


@pytest.mark.parametrize(("breaker", "fault"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
def test_a_broken_invariant_is_named(breaker: Breaker, fault: str) -> None:
    states = sound()
    breaker(states[0])
    found = status(states[0])
    assert any(fault in sentence for sentence in found), found
    assert all("\n" not in sentence for sentence in found)


def test_cubes_over_capacity_are_fine_for_the_player_loading_alone() -> None:
    states = position(2, seats=[seat(aboard="tea tea rubber"), seat(aboard="carpet coffee")])
    assert status(states[0]) == []
    states["player"] = 1
    assert "seat 0 keeps 3 cubes; it has room for 1" in status(states[0])


def test_a_state_of_another_layout_is_named() -> None:
    other = np.dtype([("seed", np.int64)])
    found = status(np.zeros(1, dtype=other)[0])
    assert found == [f"the state is a record of 8 bytes; this version's layout has {STATE.itemsize}"]


def test_a_state_in_which_no_game_was_dealt_is_named() -> None:
    assert status(blank_states(1)[0]) != []


def test_a_state_has_at_most_512_bytes_and_none_between_its_fields() -> None:
    # NumPy does not copy bytes between fields: copies of one game would differ in them.
    sizes = [STATE.fields[name][0].itemsize for name in STATE.names]
    assert sum(sizes) == STATE.itemsize <= 512
