"""Why an action is illegal: the right reason for each, in one sentence."""

from __future__ import annotations

import random

import pytest

from speicher_env import ACTION_TEXTS, Game, UnknownAction
from speicher_env.render.why import why_illegal
from tests.support.games import PLAYER_COUNTS
from tests.support.positions import card, position, seat

pytestmark = pytest.mark.nojit

DEMAND = position(
    4,
    phase="demand",
    columns=[card("ship_11", queue=[0, 1, 2, 3, 0, 1, 2, 3]), "ship_12", "ship_13", "ship_14", "ship_15"],
)
PURCHASE = position(2, phase="purchase", columns=[card("ship_11", "tea tea carpet", queue=[1, 0])])
LOADING = position(
    3,
    seats=[
        seat(cards=["contract_3", "spice_trader"], aboard="coffee tea tea", filled={"contract_3": "rubber"}),
        seat(cards=["contract_5", "tea_taster"]),
    ],
    stock="saffron",
)
FITS = position(2, seats=[seat(cards=["contract_1"], aboard="coffee")])

NOT_OWN = "cubes go only to contracts of one's own, and contract"
NOT_NOW = "cubes are used only in loading, when all cards of the round are sold or discarded"


@pytest.mark.parametrize(
    ("states", "action", "reason"),
    [
        (DEMAND, "place 0", "all 8 spaces above column 0 are taken"),
        (DEMAND, "place 5", "with 4 players there are only columns 0 to 4"),
        (DEMAND, "buy", "cards are bought only in purchase, when all workers are placed; now seat 1 places a worker"),
        (DEMAND, "pass", "passing is an answer to an offer, so it belongs to purchase; now seat 1 places a worker"),
        (DEMAND, "end", f"{NOT_NOW}; now seat 1 places a worker"),
        (
            PURCHASE,
            "place 0",
            "workers are placed only in demand, before any card is sold; "
            "now seat 2 is asked whether it buys the ship (tea tea carpet)",
        ),
        (PURCHASE, "trade tea tea", f"{NOT_NOW}; now seat 2 is asked whether it buys the ship (tea tea carpet)"),
        (LOADING, "place 0", "workers are placed only in demand, before any card is sold; now seat 1 is loading"),
        (LOADING, "buy", "cards are bought only in purchase, when all workers are placed; now seat 1 is loading"),
        (
            LOADING,
            "deliver tea contract_5",
            "cubes go only to contracts of one's own, and contract 5 belongs to seat 2",
        ),
        (LOADING, "deliver tea contract_4", f"{NOT_OWN} 4 has no owner"),
        (LOADING, "deliver tea contract_3", "contract 3 does not ask for tea"),
        (LOADING, "deliver rubber contract_3", "seat 1 would need 1 rubber and has 1 coffee, 2 tea"),
        (LOADING, "sell tea", "only the owner of the tea taster sells a cube of tea for 1 coin"),
        (LOADING, "sell saffron", "seat 1 would need 1 saffron and has 1 coffee, 2 tea"),
        (LOADING, "convert tea tea tea to saffron", "seat 1 would need 3 tea and has 1 coffee, 2 tea"),
        (LOADING, "convert coffee tea tea to carpet", "the stock holds no carpet"),
        (LOADING, "trade coffee coffee", "seat 1 would need 2 coffee and has 1 coffee, 2 tea"),
        (LOADING, "discard rubber", "seat 1 would need 1 rubber and has 1 coffee, 2 tea"),
        (LOADING, "end", "seat 1 has 3 cubes and room for 1, so 2 more must be used or thrown away first"),
        (
            FITS,
            "discard coffee",
            "cubes are thrown away only while there is no room for them, and seat 1 has room for 1",
        ),
        (position(2, phase="over"), "end", "the game is over"),
    ],
)
def test_the_reason_for_an_illegal_action(states, action, reason):
    assert why_illegal(states[0], action) == reason


def test_a_contract_that_has_its_goods_takes_no_more():
    states = position(
        2, seats=[seat(cards=["contract_3"], aboard="rubber coffee tea", filled={"contract_3": "rubber rubber"})]
    )
    assert why_illegal(states[0], "deliver rubber contract_3") == "contract 3 has all the rubber it asks for"


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_every_illegal_action_has_a_reason_and_no_legal_one_has(players):
    rng, game = random.Random(players), Game(players, seed=players)
    for _ in range(60):
        if game.over:
            break
        legal = game.legal_ids()
        for action in range(len(ACTION_TEXTS)):
            if action in legal:
                with pytest.raises(ValueError, match="is legal in this state"):
                    why_illegal(game.state, action)
            else:
                reason = why_illegal(game.state, action)
                assert reason and "\n" not in reason and not reason.endswith(".")
        game.play(rng.choice(legal))


def test_what_is_no_action_has_no_reason():
    with pytest.raises(UnknownAction):
        why_illegal(DEMAND[0], "place 9")
