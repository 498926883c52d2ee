"""A game rebuilt from an observation alone goes on exactly like the one observed.

Only what no seat can know is added: the order of the pile and of the bag. So an agent that looks at an observation
needs neither memory nor anything besides.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from speicher_env import Game
from speicher_env.observation import describe, observation_size, observe
from speicher_env.observation.encode import observe_at
from speicher_env.rules.cards import CARD_IDS, CARD_NUMBER
from speicher_env.rules.scoring import points_of
from speicher_env.rules.state import DEMAND, DISCARDED, EMPTY, IN_PILE, ON_TABLE, PHASES, blank_states
from speicher_env.rules.turn import play_on, step
from tests.support.games import OWN_DECK
from tests.support.positions import JIT, legal_ids
from tests.support.slow_reading import CONTRACT_POINTS, GOODS, kind_of

pytestmark = pytest.mark.nojit

SIZE_OF = {points: size for size, points in CONTRACT_POINTS.items()}


def amounts(by_good: dict[str, int]) -> list[int]:
    """Amounts in the order of the goods."""
    return [by_good.get(good, 0) for good in GOODS]


def rebuilt(seen: dict[str, Any], hidden_pile: list[int], hidden_bag: list[int]) -> np.ndarray:
    """A state made of an observation in words; seat 0 is the one that looked.

    Cards that are alike get any free number, and of owned firemen there is only the sum: neither makes a difference.
    """
    states = blank_states(1)
    game = states[0]
    players = int(seen["players"])
    game["players"] = players
    game["phase"] = PHASES.index(seen["phase"])
    game["round"] = seen["round"]
    game["first_player"] = the_one(seen["seats"], "first_player")
    game["player"] = the_one(seen["seats"], "decides")
    game["offer"] = the_one(seen["columns"], "offer") if seen["phase"] == "purchase" else EMPTY
    game["loaded"] = (game["player"] - game["first_player"]) % players if seen["phase"] == "loading" else 0
    game["stock"] = amounts(seen["stock"])
    game["bag"][: 45 - len(hidden_bag)] = 0  # drawn already, so any good will do
    game["bag"][45 - len(hidden_bag) :] = hidden_bag
    game["bag_next"] = 45 - len(hidden_bag)
    game["pile"][: len(hidden_pile)] = hidden_pile
    game["pile_size"] = len(hidden_pile)
    game["owner"] = DISCARDED
    game["owner"][hidden_pile] = IN_PILE
    for name, value in seen["fires"].items():
        game["fire_value"][CARD_NUMBER[name] - CARD_NUMBER["fire_1"]] = value
    for name, value in seen["unseen_firemen"].items():
        game["fireman_value"][CARD_NUMBER[name] - CARD_NUMBER["fireman_1"]] = value
    for name, contract in seen["contracts"].items():
        game["missing"][CARD_NUMBER[name]] = amounts(contract["missing"])
        if contract["points"]:  # how many goods there are says what it is worth, which they are does not matter
            game["contract_goods"][CARD_NUMBER[name], : SIZE_OF[contract["points"]]] = 0
    for number, seat in enumerate(seen["seats"]):
        sit_down(game, number, seat)
        for name in seat["contracts"]:
            if not seen["contracts"][name]["missing"]:
                game["contract_points"][number] += seen["contracts"][name]["points"]
    lay_columns(game, seen)
    play_on(game)  # sets the legal actions
    return states


def the_one(items: list[dict[str, Any]], flag: str) -> int:
    """The number of the only seat or column that is flagged."""
    (number,) = (number for number, item in enumerate(items) if item[flag])
    return number


def sit_down(game: np.void, number: int, seat: dict[str, Any]) -> None:
    """What a seat has, and its workers above the cards."""
    for name in seat["contracts"] + seat["buildings"]:
        game["owner"][CARD_NUMBER[name]] = number
    for column, space in seat["queue"]:
        game["queue"][column, space] = number
    game["coins"][number] = seat["coins"] + seat["savings"]
    for name in ("workers", "bought", "fire_points", "firemen", "offices", "ships"):
        game[name][number] = seat[name]
    for name in ("cubes", "aboard"):
        game[name][number] = amounts(seat[name])


def lay_columns(game: np.void, seen: dict[str, Any]) -> None:
    """The cards in the columns, by what they are."""
    unowned = {name for name, contract in seen["contracts"].items() if contract["points"] and not contract["unseen"]}
    unowned -= {name for seat in seen["seats"] for name in seat["contracts"]}
    for number, column in enumerate(seen["columns"]):
        game["standing"][number] = column["price"]
        if column["kind"] is None:
            continue
        free = [
            card
            for card, name in enumerate(CARD_IDS)
            if kind_of(name) == column["kind"] and game["owner"][card] == DISCARDED
        ]
        if column["kind"] == "contract":
            free = [
                card
                for card in free
                if CARD_IDS[card] in unowned and seen["contracts"][CARD_IDS[card]]["missing"] == column["goods"]
            ]
        card = free[0]
        game["card"][number] = card
        game["owner"][card] = ON_TABLE
        if column["kind"] == "fireman":
            game["fireman_value"][card - CARD_NUMBER["fireman_1"]] = column["value"]
        cargo = [GOODS.index(good) for good, count in column["cargo"].items() for _ in range(count)]
        game["cargo"][number, : len(cargo)] = cargo


@pytest.mark.parametrize("deck", ["standard", "sampled", OWN_DECK], ids=["standard", "sampled", "own"])
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_game_rebuilt_from_an_observation_goes_on_like_the_one_observed(players: int, deck: Any) -> None:
    row = np.empty(observation_size(players), dtype=np.float32)
    for seed in range(24 if JIT else 3):
        rng = random.Random(seed)
        observed = Game(players, deck, seed).states_view
        for _ in range(rng.randrange(120)):
            if observed["player"][0] == EMPTY:
                break
            assert step(observed, 0, rng.choice(legal_ids(observed)))
        if observed["player"][0] == EMPTY:
            continue
        if observed["phase"][0] == DEMAND:  # coins change nothing of what is legal there; random play leaves few
            observed["coins"][0, :players] += rng.choices(range(40), k=players)
        viewer = rng.randrange(players)
        observe_at(observed, 0, viewer, players, row)
        told = observed[0]
        again = rebuilt(
            describe(row),
            told["pile"][told["pile_next"] : told["pile_size"]].tolist(),
            told["bag"][told["bag_next"] :].tolist(),
        )
        figures = [
            observe(states, np.array([looks]), figures=True) for states, looks in ((observed, viewer), (again, 0))
        ]
        np.testing.assert_array_equal(*figures, err_msg="figures hold what the observation does not")
        turned = [(viewer + place) % players for place in range(players)]
        while True:
            assert legal_ids(again) == legal_ids(observed)
            assert [points_of(again[0], place) for place in range(players)] == [
                points_of(observed[0], seat) for seat in turned
            ]
            assert again["coins"][0, :players].tolist() == observed["coins"][0, turned].tolist()
            if observed["player"][0] == EMPTY:
                break
            assert turned[again["player"][0]] == observed["player"][0]
            action = rng.choice(legal_ids(observed))
            assert step(again, 0, action) and step(observed, 0, action)
        assert again["player"][0] == EMPTY
