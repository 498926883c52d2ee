"""The numbers mean what they say: estimates on games whose truth is known, and intervals that hold it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from speicher_training.arena import arena
from speicher_training.arena.analysis import analyse
from speicher_training.arena.bootstrap import GROUPS, Bootstrap
from speicher_training.arena.plan import make_plan
from speicher_training.arena.rating import SCALE, Fit
from speicher_training.arena.settings import Protocol
from speicher_training.arena.tally import tally
from tests.support.made_results import games, plan_of, points_of_winners
from tests.support.toys import Loser


def player(summary: dict, name: str) -> dict:
    return next(told for told in summary["players"] if told["name"] == name)


# Estimates


def test_a_player_that_is_always_given_the_win_has_all_of_it() -> None:
    results = arena({"random": "random", "loser": Loser()}, deals=30, seed=1, replicates=500)
    random, loser = results.player("random"), results.player("loser")
    assert random["win_share"]["estimate"] == 1 and loser["win_share"]["estimate"] == 0
    assert random["win_share"]["high"] == 1 and 0.85 < random["win_share"]["low"] < 0.95  # 30 deals, not more
    assert loser["rating"]["estimate"] < -400 and loser["rating"]["high"] < -200
    assert random["rating"] == {"estimate": 0, "low": 0, "high": 0}
    assert loser["forfeits"] == loser["games"] == 60 and random["forfeits"] == 0
    pair = results.pair("random", "loser")
    assert pair["ahead"]["estimate"] == 1 and pair["significant"]
    assert "significant at 5 %" in str(results)


def test_numbers_of_a_hand_made_run() -> None:
    """a beats b in both seatings of the first deal, and each wins once in the second."""
    plan = plan_of(2, 2)
    assert plan.schedule.seatings.tolist() == [[0, 1], [1, 0]]
    summary = analyse(plan, games(plan.schedule, np.array([[[9, 2], [1, 5]], [[4, 8], [3, 7]]])), replicates=100)
    a, b = player(summary, "a"), player(summary, "b")
    assert a["win_share"]["estimate"] == 0.75 and b["win_share"]["estimate"] == 0.25
    assert a["points"]["estimate"] == (9 + 5 + 4 + 7) / 4 and b["points"]["estimate"] == (2 + 1 + 8 + 3) / 4
    assert a["margin"]["estimate"] == (7 + 4 - 4 + 4) / 4 == -b["margin"]["estimate"]
    assert summary["pairs"][0]["ahead"]["estimate"] == 0.75 and summary["pairs"][0]["lead"]["estimate"] == 11 / 4
    assert not summary["pairs"][0]["significant"]


def test_numbers_of_one_alone_among_others() -> None:
    """a wins from seat 0, shares the win from seat 1, and the others share it when a sits in seat 2."""
    plan, _ = make_plan({"a": "random", "b": "random"}, Protocol(num_players=3, alone=True), 1)
    found = games(plan.schedule, np.array([[[9, 2, 1], [6, 6, 3], [8, 8, 4]]]))
    summary = analyse(plan, found, replicates=100)
    a, b = player(summary, "a"), player(summary, "b")
    assert a["win_share"]["estimate"] == 0.5 and b["win_share"]["estimate"] == 0.25
    assert a["points"]["estimate"] == pytest.approx((9 + 6 + 4) / 3) and a["games"] == b["games"] == 3
    assert summary["pairs"][0]["ahead"]["estimate"] == pytest.approx((2 + 1.5 + 0) / 6)
    assert summary["ties"] == pytest.approx(2 / 3)
    a_alone, a_and_other, both_others = 0b001, 0b011, 0b110  # bits of the lineup a, b, b
    outcomes = tally(found).outcomes[0, 0]
    assert {won: count for won, count in enumerate(outcomes) if count} == {a_alone: 1, a_and_other: 1, both_others: 1}


def test_margin_and_order_with_three_players() -> None:
    plan = plan_of(3, 3)
    points = np.zeros((1, 6, 3), dtype=np.int64)
    for number, seating in enumerate(plan.schedule.seatings):
        points[0, number] = np.array([10, 7, 7])[seating]  # a wins, b and c tie
    summary = analyse(plan, games(plan.schedule, points), replicates=100)
    assert [told["win_share"]["estimate"] for told in summary["players"]] == [1, 0, 0]
    assert [told["margin"]["estimate"] for told in summary["players"]] == [3, -3, -3]
    assert [told["ahead"]["estimate"] for told in summary["pairs"]] == [1, 1, 0.5]
    assert summary["ties"] == 0


def test_a_shared_win_is_shared() -> None:
    plan = plan_of(3, 3)
    points = np.zeros((1, 6, 3), dtype=np.int64)
    for number, seating in enumerate(plan.schedule.seatings):
        points[0, number] = np.array([10, 10, 7])[seating]
    summary = analyse(plan, games(plan.schedule, points), replicates=100)
    assert [told["win_share"]["estimate"] for told in summary["players"]] == [0.5, 0.5, 0]
    assert summary["ties"] == 1


def test_the_pairwise_table_is_antisymmetric() -> None:
    plan = plan_of(4, 3)
    random = np.random.default_rng(1)
    made = games(plan.schedule, random.integers(0, 5, (30, plan.schedule.games, 3)))
    numbers = tally(made)
    assert np.allclose(numbers.ahead + numbers.ahead.transpose(0, 2, 1), 1)
    assert np.allclose(numbers.lead + numbers.lead.transpose(0, 2, 1), 0)
    results = arena({"a": "random", "b": Loser(), "c": "random"}, deals=5, seed=1, replicates=50)
    there, back = results.pair("a", "b"), results.pair("b", "a")
    for key in ("estimate", "low", "high"):
        other = {"low": "high", "high": "low"}.get(key, key)
        assert there["ahead"][key] == pytest.approx(1 - back["ahead"][other])
        assert there["lead"][key] == pytest.approx(-back["lead"][other])


def test_seats_are_counted_from_the_one_that_begins() -> None:
    """In games against itself the seat behind the beginner always wins, whichever seat begins."""
    plan = plan_of(2, 2, mirrors=True)
    first = np.array([0, 1] * 10)
    points = np.zeros((20, plan.schedule.games, 2), dtype=np.int64)
    points[np.arange(20), :, 1 - first] = 3
    summary = analyse(plan, games(plan.schedule, points, first), replicates=100)
    assert [place["estimate"] for place in summary["seats"][0]["places"]] == [0, 1]
    assert player(summary, "a")["win_share"]["estimate"] == 0.5  # games against itself do not count here


# Ratings


def luce_games(strengths: np.ndarray, seats: int, deals: int, seed: int) -> tuple:
    """Games won with chances in proportion to strengths."""
    plan = plan_of(len(strengths), seats)
    chances = strengths[plan.schedule.seatings]
    edges = (chances / chances.sum(axis=1, keepdims=True)).cumsum(axis=1)
    draws = np.random.default_rng(seed).random((deals, plan.schedule.games, 1))
    seat = (draws > edges[None]).sum(axis=2)
    winners = np.take_along_axis(plan.schedule.seatings[None].repeat(deals, 0), seat[..., None], axis=2)[..., 0]
    return plan, games(plan.schedule, points_of_winners(plan.schedule, winners))


@pytest.mark.parametrize(("players", "seats"), [(4, 2), (4, 3), (5, 5)])
def test_ratings_find_the_strengths_that_made_the_games(players: int, seats: int) -> None:
    strengths = np.array([1, 3, 0.5, 2, 8.0])[:players]
    plan, made = luce_games(strengths, seats, 400, 1)
    summary = analyse(plan, made, replicates=200)
    for told, strength in zip(summary["players"], strengths, strict=True):
        truth = SCALE * np.log(strength / strengths[0])
        assert told["rating"]["estimate"] == pytest.approx(truth, abs=30)
        assert told["rating"]["low"] - 20 < truth < told["rating"]["high"] + 20


def test_equal_players_are_rated_equal() -> None:
    results = arena(["random", "random", "random"], deals=25, seed=1, replicates=200)
    for told in results.summary["players"]:
        assert told["rating"]["estimate"] == pytest.approx(0, abs=1e-6)
        assert told["win_share"]["estimate"] == 0.5
    assert not any(told["significant"] for told in results.summary["pairs"])
    assert "Not significant at 5 % (Holm, 3 pairs): random - random #2" in str(results)


def davidson(wins: float, losses: float, ties: float) -> float:
    """Davidson's rating difference of two players by another road: his likelihood, maximised without derivatives."""

    def loss(at: np.ndarray) -> float:
        strength, tie = np.exp(at)
        total = strength + 1 + tie * np.sqrt(strength)
        chances = np.array([strength, 1, tie * np.sqrt(strength)]) / total
        return float(-np.array([wins, losses, ties]) @ np.log(chances))

    options = {"xatol": 1e-9, "fatol": 1e-9, "maxiter": 5000, "maxfev": 5000}
    return float(optimize.minimize(loss, [0.0, 0.0], method="Nelder-Mead", options=options).x[0])


def test_two_players_with_ties_are_rated_by_davidson() -> None:
    outcomes = np.array([[0, 30, 50, 20]])  # nobody, a, b, both
    fit = Fit(np.array([[0, 1]]), 2, 0, outcomes)
    found = fit.best(fit.counts(outcomes, 0.0))
    assert found[0] == pytest.approx(davidson(50, 30, 20), abs=1e-5)
    again = fit.near(fit.counts(outcomes[None].repeat(3, 0), 0.0), np.zeros(2))
    assert np.allclose(again, found, atol=1e-6)


def test_fitted_win_shares_are_those_of_the_games() -> None:
    """What makes the model right for a game that is about winning: it explains the win shares exactly, ties and all."""
    plan = plan_of(4, 3)
    random = np.random.default_rng(3)
    points = random.integers(0, 4, (50, plan.schedule.games, 3)) + (plan.schedule.seatings == 0)
    numbers = tally(games(plan.schedule, points))
    outcomes = numbers.outcomes.sum(axis=0)
    fit = Fit(plan.schedule.lineups, 4, 1, outcomes)
    _, chances = fit._chances(fit.best(fit.counts(outcomes, 0.0))[None])
    fitted = np.zeros(4)
    for lineup, of_sets in zip(plan.schedule.lineups, chances[0], strict=True):
        for won, chance in zip(fit.sets, of_sets, strict=True):
            winners = [player for place, player in enumerate(lineup) if won >> place & 1]
            fitted[winners] += chance / len(winners) / 3  # each player sits in three of the four lineups
    assert numbers.share.mean(axis=0) == pytest.approx(fitted, abs=1e-5)
    assert len(set(fitted.round(3))) > 1 and len(fit.sets) == 7


# Intervals


def clustered(random: np.random.Generator, deals: int, chance: float, alike: float) -> np.ndarray:
    """(deals, 2) wins in the two games of each deal, which go the same way more often than not."""
    wins = random.random((deals, 2)) < chance
    wins[:, 1] = np.where(random.random(deals) < alike, wins[:, 0], wins[:, 1])
    return wins.astype(float)


@pytest.mark.parametrize("deals", [12, 60])
@pytest.mark.parametrize("chance", [0.5, 0.9])
def test_intervals_hold_the_truth_as_often_as_they_say(deals: int, chance: float) -> None:
    random = np.random.default_rng(7)
    runs, held, naive = 500, np.zeros(2), 0
    for run in range(runs):
        wins = clustered(random, deals, chance, alike=0.8)
        bootstrap = Bootstrap(deals, run, 400)
        shares = wins.mean(axis=1, keepdims=True)
        margins = shares * 20 - 10
        low, high = bootstrap.interval(bootstrap.shares(shares), shares.mean(axis=0))[0]
        held[0] += low <= chance <= high
        low, high = bootstrap.interval(bootstrap.means(margins), margins.mean(axis=0))[0]
        held[1] += low <= 20 * chance - 10 <= high
        games_apart = Bootstrap(2 * deals, run, 400)
        every = wins.reshape(-1, 1)
        low, high = games_apart.interval(games_apart.shares(every), every.mean(axis=0))[0]
        naive += low <= chance <= high
    # Of 500 runs at 95 %, fewer than 92 % or more than 98 % would happen once in a thousand times. Few deals that are
    # nearly all won make intervals wider than they need be, never too narrow.
    assert 0.92 <= held[0] / runs <= (0.98 if chance == 0.5 else 0.995)
    if chance == 0.5:  # margins have no unplayed deals: where nearly all deals are won, few deals are too few
        assert 0.92 <= held[1] / runs <= 0.98
        assert naive / runs < 0.91  # intervals that take the games of a deal for independent are too narrow


def test_intervals_of_means_of_many_games_hold_the_truth() -> None:
    """With 24 seatings a deal says far more than one game; its interval must be right, and as narrow as that allows."""
    random = np.random.default_rng(9)
    runs, held, width = 400, 0, []
    for run in range(runs):
        chance = random.beta(0.5, 9.5, size=(30, 1))  # of each deal, 0.05 on average
        shares = random.binomial(24, chance) / 24
        bootstrap = Bootstrap(30, run, 400)
        low, high = bootstrap.interval(bootstrap.shares(shares), shares.mean(axis=0))[0]
        held += low <= 0.05 <= high
        width.append(high - low)
    assert 0.91 <= held / runs <= 0.985
    assert np.mean(width) < 0.075  # 0.055; with unplayed deals of full weight 0.104


def test_rating_intervals_hold_the_truth() -> None:
    strengths = np.array([1, 2, 6.0])
    runs, held = 60, np.zeros(3)
    for run in range(runs):
        plan, made = luce_games(strengths, 2, 40, run)
        for number, told in enumerate(analyse(plan, made, replicates=150)["players"]):
            truth = SCALE * np.log(strengths[number] / strengths[0])
            held[number] += told["rating"]["low"] <= truth <= told["rating"]["high"]
    assert held[0] == runs  # the anchor
    assert (held[1:] >= 0.88 * runs).all()


def test_differences_of_equals_are_rarely_called_significant() -> None:
    """Five players, ten pairs: in all of them together, in at most one run of twenty."""
    runs, wrong = 60, 0
    for run in range(runs):
        plan, made = luce_games(np.ones(5), 2, 40, 1000 + run)
        wrong += any(told["significant"] for told in analyse(plan, made, replicates=100)["pairs"])
    assert wrong <= 9  # 3 expected


def test_many_deals_are_summed_in_groups_without_moving_the_numbers() -> None:
    random = np.random.default_rng(1)
    values = random.random((3 * GROUPS + 7, 2))
    bootstrap = Bootstrap(len(values), 1, 2000)
    drawn = bootstrap.means(values)
    assert drawn.mean(axis=0) == pytest.approx(values.mean(axis=0), abs=1e-3)
    assert drawn.std(axis=0) == pytest.approx(values.std(axis=0) / np.sqrt(len(values)), rel=0.1)
