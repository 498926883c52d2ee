"""What a search must choose: wins that can be forced, races for a fire, small endings that are solved exactly."""

from __future__ import annotations

import random

import numpy as np
import pytest

from speicher_agents.search import FlatSearch, TreeSearch
from speicher_env import Deck, Game
from speicher_env.rules.actions import ACTION_TEXTS
from speicher_env.rules.state import EMPTY
from tests.support.exact_endings import action_values
from tests.support.positions import DECK, card, position, seat
from tests.support.searches import MAKERS, best_text

LAST_ROUND = ("fire_4",)

FORCED = {
    "buy the points that win": (
        position(2, phase="purchase", pile=LAST_ROUND,
                 columns=[card("st_michaelis", queue=[0])],
                 seats=[seat(coins=3), seat(coins=3, fire_points=2)]),
        "buy",
    ),
    "keep the coin that decides a tie": (
        position(2, phase="purchase", pile=LAST_ROUND,
                 columns=[card("ship_15", queue=[0])],
                 seats=[seat(coins=4), seat(coins=3)]),
        "pass",
    ),
    "pass to be asked for a dearer card": (
        position(2, phase="purchase", pile=LAST_ROUND,
                 columns=[card("boatsmen_church", queue=[0]), card("st_michaelis", queue=[0])],
                 seats=[seat(coins=1), seat(coins=1, fire_points=3)]),
        "pass",
    ),
    "complete the contract that wins": (
        position(2, phase="loading", pile=LAST_ROUND,
                 seats=[seat(cards=["contract_1", "contract_4"], aboard="carpet",
                             filled={"contract_1": "coffee"}),
                        seat(fire_points=3)]),
        "deliver carpet contract_1",
    ),
    "win the race for the last fire": (
        position(2, phase="demand", pile=LAST_ROUND, first_player=1, player=0,
                 columns=[card("fireman_9", queue=[1]), card("st_michaelis", queue=[0, 1]),
                          card("boatsmen_church", queue=[0, 1])],
                 seats=[seat(coins=2, cards=["fireman_5"]), seat(coins=1, cards=["fireman_7"])]),
        "place 0",
    ),
    "win the race for the last fire, three seats": (
        position(3, phase="demand", pile=LAST_ROUND, player=2,
                 columns=[card("st_michaelis", queue=[0, 1]), card("chamber_of_commerce", queue=[0, 1]),
                          card("fireman_10", queue=[0]), card("ship_15", queue=[1, 2, 2])],
                 seats=[seat(coins=1, cards=["fireman_7"]), seat(coins=1, cards=["fireman_6"]),
                        seat(coins=4, cards=["fireman_2"])]),
        "place 2",
    ),
}  # fmt: skip
"""Positions in which one action wins, or shares most of a win, and no other does as well."""


@pytest.mark.parametrize("name", FORCED)
@pytest.mark.parametrize("player", MAKERS)
def test_finds_the_only_action_that_wins(name, player):
    states, wanted = FORCED[name]
    assert best_text(MAKERS[player](iterations=400), states) == wanted


@pytest.mark.parametrize("name", FORCED)
def test_the_forced_positions_are_what_they_say(name):
    states, wanted = FORCED[name]
    own = {ACTION_TEXTS[action]: paid[states["player"][0]] for action, paid in action_values(states).items()}
    best = own.pop(wanted)
    assert best == 1.0 and max(own.values()) < 1.0


def ending(players: int, workers: int, seed: int) -> Game:
    """The last round of a game played at random, with so many workers still to be placed; over if it has none such."""
    game, rng = Game(players, DECK, seed), random.Random(seed)
    while not game.over and not _is_ending(game, workers):
        game.play(rng.choice(game.legal_ids()))
    return game


def endings(players: int, workers: int, count: int) -> list[Game]:
    """Last rounds in which the choice matters."""
    found: list[Game] = []
    seed = 0
    while len(found) < count:
        game = ending(players, workers, seed)
        seed += 1
        if not game.over:
            own = [paid[game.player] for paid in action_values(game.states_view).values()]
            if max(own) - min(own) > 0.1:
                found.append(game)
    return found


def _is_ending(game: Game, workers: int) -> bool:
    """Whether a game has come there, without more to load than can be solved in a moment."""
    state = game.state
    return (
        game.phase == "demand"
        and state["pile_next"] == state["pile_size"] - 1
        and int(state["workers"].sum()) == workers
        and (state["cargo"] == EMPTY).all()
        and state["cubes"].sum(axis=1).max() <= 1
    )


@pytest.mark.parametrize(("players", "workers"), [(2, 3), (3, 2)])
def test_finds_the_values_of_endings_solved_exactly(players, workers):
    search = TreeSearch(20_000, margin=0.0)
    for game in endings(players, workers, 5):
        exact = action_values(game.states_view)
        report = search.search(game)
        assert exact[report.best][game.player] == max(paid[game.player] for paid in exact.values())
        if players == 2:  # with more, seats that do not care may choose otherwise
            row = report.actions.index(report.best)
            np.testing.assert_allclose(report.values[row], exact[report.best], atol=0.1)


def test_finds_an_answer_that_plain_monte_carlo_overlooks():
    # Plain Monte Carlo values an action by careless replies to it, which here promise more from the wrong ones.
    game = ending(3, 3, seed=231)
    own = {action: paid[game.player] for action, paid in action_values(game.states_view).items()}
    won = [action for action, paid in own.items() if paid == 1.0]
    assert len(won) == 1 and len(own) > 2
    assert TreeSearch(20_000).search(game).best == won[0] != FlatSearch(20_000).search(game).best


def test_every_payoff_goes_to_its_seat():
    # Seat 0 cannot win. If it buys St Michaelis, seat 2 has won; if it passes, seat 1 buys it and wins.
    states = position(
        3, phase="purchase", pile=LAST_ROUND,
        columns=[card("st_michaelis", queue=[0, 1])],
        seats=[seat(coins=2), seat(coins=3, fire_points=3), seat(coins=3, fire_points=5)],
    )  # fmt: skip
    report = TreeSearch(1000, margin=0.0).search(states)
    values = dict(zip(report.texts, report.values, strict=True))
    np.testing.assert_allclose(values["buy"], [-0.5, -0.5, 1.0])
    np.testing.assert_allclose(values["pass"], [-0.5, 1.0, -0.5], atol=0.05)


def test_each_seat_plays_for_itself():
    # What seat 0 does not buy, seat 1 does, though seat 0 would like it to be left.
    states = position(
        3, phase="purchase", pile=LAST_ROUND,
        columns=[card("st_michaelis", queue=[0, 1])],
        seats=[seat(coins=2, fire_points=1), seat(coins=3), seat(coins=3)],
    )  # fmt: skip
    report = TreeSearch(2000, margin=0.0).search(states)
    passing = report.values[report.texts.index("pass")]
    assert report.texts[report.actions.index(report.best)] == "buy"
    assert passing[1] > 0.6 and passing[0] < -0.2  # from few visits, the first of them careless


TEA_IS_RARE = Deck(
    name="tea is rare",
    fire_values=(2, 3, 4, 5),
    fireman_values=(1, 2, 1, 2, 3, 4, 5, 3, 4, 5),
    contract_goods=(
        ("coffee", "carpet"), ("saffron", "saffron"), ("rubber", "rubber", "coffee"),
        ("carpet", "tea"), ("rubber", "rubber", "carpet"), ("rubber", "saffron", "coffee", "carpet"),
        ("saffron", "saffron", "rubber"), ("coffee", "rubber", "carpet"),
        ("tea", "tea", "tea", "tea"), ("tea", "tea", "tea", "tea"),
    ),
)  # fmt: skip


@pytest.mark.parametrize("players", [2, 3])
def test_counts_on_what_is_likely_to_be_drawn(players):
    # The carpet may go to the contract that then lacks coffee, of which the last ship is sure to bring some, or to the
    # one that then lacks tea, of which there is one cube among ten; or it is kept and delivered later, which is as
    # good as the first. Seat 0 needs one of the contracts to win, and can pay for the ship.
    tea = "tea tea tea tea"
    states = position(
        players, phase="loading", deck=TEA_IS_RARE,
        seats=[seat(coins=9, cards=["contract_1", "contract_4"], aboard="carpet", fire_points=9),
               seat(coins=0, cards=["contract_9", "contract_10"], fire_points=-9,
                    filled={"contract_9": tea, "contract_10": tea}),
               *[seat(coins=0)] * (players - 2)],
        stock=" ".join(["saffron"] * 9 + ["rubber"] * 9 + ["carpet"] * 8),
        pile=[*["ship_15", "st_michaelis", "counting_office_4"], *["counting_office_3"] * (players - 2), "fire_4"],
        bag="coffee coffee coffee coffee coffee coffee coffee coffee coffee tea",
    )  # fmt: skip
    report = TreeSearch(20_000, margin=0.0).search(states)
    own = dict(zip(report.texts, report.values[:, 0], strict=True))
    assert own["deliver carpet contract_1"] > own["deliver carpet contract_4"] + 0.1
    assert ACTION_TEXTS[report.best] in ("deliver carpet contract_1", "end")
