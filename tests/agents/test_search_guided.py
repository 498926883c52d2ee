"""A guided search asks its evaluator in batches, looks where the priors say, and believes the values."""

from __future__ import annotations

import numpy as np
import pytest

from speicher_agents.search import Evaluator, FlatSearch, GuidedSearch, PlayoutEvaluator, UniformEvaluator
from speicher_env import ArgumentError
from speicher_env.observation import RowFormat, observation_size, observe
from speicher_env.rules.actions import parse_action
from speicher_env.rules.hidden import conceal_at
from speicher_env.rules.scoring import points_of
from speicher_env.views import Views
from tests.support.games import game_in, random_game
from tests.support.positions import card, position, seat
from tests.support.searches import views_of


class Toy:
    """Likes some actions, values every position alike or by points, and notes what it is asked."""

    def __init__(self, likes: dict[str, float] | None = None, values: list[float] | None = None) -> None:
        self.likes = {parse_action(text): weight for text, weight in (likes or {}).items()}
        self.values = values
        self.asked: list[Views] = []

    def evaluate(self, views: Views) -> tuple[np.ndarray, np.ndarray]:
        self.asked.append(views)
        priors = np.zeros(views.masks.shape, dtype=np.float32)
        for action, weight in self.likes.items():
            priors[:, action] = weight
        players = int(views.states["players"][0])
        if self.values is not None:
            return priors, np.tile(np.float32(self.values), (len(views), 1))
        values = [[points_of(state, seat) / 50 for seat in range(players)] for state in views.states]
        return priors, np.array(values)


def test_toys_are_evaluators():
    evaluator: Evaluator = Toy()
    assert callable(evaluator.evaluate)


def test_priors_say_where_to_look():
    game = game_in("demand", 2)
    report = GuidedSearch(Toy({"place 0": 8, "place 1": 1, "place 2": 1}, [0, 0]), 200, root="puct").search(game)
    visits = dict(zip(report.texts, report.visits.tolist(), strict=True))
    assert visits["place 0"] > 140 and min(visits.values()) > 5
    assert report.texts[report.actions.index(report.best)] == "place 0"


def test_priors_of_0_for_all_legal_actions_count_as_equal():
    report = GuidedSearch(Toy({"end": 1.0}, [0, 0]), 90, root="puct").search(game_in("demand", 2))
    assert report.visits.tolist() == [30, 30, 30]


def test_a_higher_temperature_looks_further_about():
    likes = Toy({"place 0": 8, "place 1": 1, "place 2": 1}, [0, 0])
    visits = {
        temperature: GuidedSearch(likes, 200, temperature=temperature, root="puct").search(game_in("demand", 2)).visits
        for temperature in (0.5, 1.0, 2.0, 1000.0)
    }
    most = [told.max() for told in visits.values()]
    assert most == sorted(most, reverse=True) and len(set(most)) == 4
    assert np.ptp(visits[1000.0]) <= 3  # as good as even


def test_a_temperature_of_0_is_refused():
    with pytest.raises(ArgumentError, match=r"temperature=0\.0: must be a number above 0\."):
        GuidedSearch(Toy(), 10, temperature=0.0)


def test_values_are_credited_to_seats_by_number():
    report = GuidedSearch(Toy(values=[0.1, -0.4, 0.3]), 50).search(game_in("demand", 3))
    np.testing.assert_allclose(report.values, [[0.1, -0.4, 0.3]] * 4, atol=1e-6)


def test_each_seat_chooses_by_its_own_value():
    # By points, seat 0 should buy St Michaelis, and if it does not, seat 1 will.
    report = GuidedSearch(Toy(), 300).search(
        position(3, phase="purchase", columns=[card("st_michaelis", queue=[0, 1])],
                 seats=[seat(coins=3), seat(coins=3), seat(coins=3)])
    )  # fmt: skip
    assert report.texts[report.actions.index(report.best)] == "buy"
    passing = report.values[report.texts.index("pass")]
    assert passing[1] > passing[0] and passing[1] > passing[2]


def test_values_outweigh_priors_in_the_end():
    states = position(
        2, phase="purchase", columns=[card("st_michaelis", queue=[0])], pile=["fire_4"],
        seats=[seat(coins=3), seat(coins=3, fire_points=2)],
    )  # fmt: skip
    report = GuidedSearch(Toy({"pass": 0.99, "buy": 0.01}, [0, 0]), 400).search(states)
    assert report.texts[report.actions.index(report.best)] == "buy"
    np.testing.assert_allclose(report.values, [[1, -1], [-1, 1]])  # ends of the game are not asked about


def test_leaves_of_many_games_are_judged_in_one_call():
    toy = Toy(values=[0, 0])
    games = [random_game(2, seed=seed, decisions=10) for seed in range(7)]
    GuidedSearch(toy, 30).act(views_of(*games))
    assert len(toy.asked) == 31  # the roots, and each iteration
    assert all(len(views) == 7 for views in toy.asked)


def test_the_evaluator_is_shown_what_a_player_is_shown():
    toy = Toy(values=[0, 0, 0])
    GuidedSearch(toy, 80).search(game_in("loading", 3, seed=2))
    assert len({views.states["round"][0] for views in toy.asked}) > 1, "the search must have got past a supply"
    for views in toy.asked:
        assert views.observations.shape == (1, observation_size(3))
        assert (views.seats == views.states["player"]).all() and (views.masks.sum(axis=1) >= 2).all()
        hidden = views.states.copy()
        conceal_at(hidden, 0)
        assert hidden.tobytes() == views.states.tobytes()


def test_padded_observations_for_one_network_over_all_counts():
    toy = Toy(values=[0, 0, 0])
    GuidedSearch(toy, 5, padded=True).search(random_game(3, seed=2, decisions=10))
    assert toy.asked[0].observations.shape == (1, observation_size(5))


def test_an_evaluator_is_given_the_rows_that_it_asks_for():
    class WithFigures(Toy):
        def row_format(self, players: int) -> RowFormat:
            return RowFormat(players + 1, figures=True)

    toy = WithFigures(values=[0, 0, 0])
    GuidedSearch(toy, 5).search(random_game(3, seed=2, decisions=10))
    assert len(toy.asked) == 6
    for views in toy.asked:
        np.testing.assert_array_equal(views.observations, observe(views.states, seats_in_view=4, figures=True))


def test_a_forced_win_is_found_without_any_knowledge():
    states = position(
        2, phase="purchase", columns=[card("st_michaelis", queue=[0])], pile=["fire_4"],
        seats=[seat(coins=3), seat(coins=3, fire_points=2)],
    )  # fmt: skip
    report = GuidedSearch(UniformEvaluator(), 50).search(states)
    assert report.texts[report.actions.index(report.best)] == "buy"


def test_playouts_judge_like_a_plain_search():
    game = random_game(3, seed=12, decisions=90)
    priors, values = PlayoutEvaluator(400).evaluate(views_of(game))
    assert (priors == views_of(game).masks).all()
    np.testing.assert_allclose(values.sum(axis=1), 0, atol=1e-9)
    flat = FlatSearch(1200, margin=0.0).search(game)
    # Casual play does not choose all actions equally often, so the two agree only roughly.
    assert np.abs(values[0] - flat.value).max() < 0.35


@pytest.mark.parametrize(
    ("priors", "values", "fault"),
    [
        ((1, 183), (1, 2), r"priors=an array of float64 with shape \(1, 183\): must be an array of shape \(1, 184\)"),
        ((1, 184), (1, 3), r"values=an array of float64 with shape \(1, 3\): must be an array of shape \(1, 2\)"),
    ],
)
def test_an_answer_of_the_wrong_shape_is_refused(priors, values, fault):
    class Wrong:
        def evaluate(self, views: Views) -> tuple[np.ndarray, np.ndarray]:
            return np.ones(priors), np.zeros(values)

    with pytest.raises(ArgumentError, match=fault):
        GuidedSearch(Wrong(), 5).search(game_in("demand", 2))


@pytest.mark.parametrize("bad", [np.nan, -1.0])
def test_priors_that_are_no_weights_are_refused(bad):
    class Wrong:
        def evaluate(self, views: Views) -> tuple[np.ndarray, np.ndarray]:
            return np.full(views.masks.shape, bad), np.zeros((len(views), 2))

    with pytest.raises(ArgumentError, match="priors must be finite numbers, 0 or more"):
        GuidedSearch(Wrong(), 5).search(game_in("demand", 2))
