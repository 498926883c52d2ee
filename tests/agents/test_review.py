"""Reviews: what moves give away and what luck gives, with judges whose opinions can be computed by hand."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from speicher_agents.review import GRADES, Judge, Review, as_json, grade, review_game, schema, summary
from speicher_agents.review.luck import possible_supplies
from speicher_env import ArgumentError, Game, RecordError
from speicher_env.rules.cards import CARD_IDS, GOODS
from speicher_env.solve import is_determined
from tests.support.games import random_game
from tests.support.toy_judges import Even, Richest, Ships, Silent, after_move, most_coins

GAME = random_game(2, seed=1)
RECORD = GAME.to_record()


@pytest.fixture(scope="module")
def even() -> Review:
    return review_game(RECORD, Judge(Even()), supplies=3)


@cache
def positions() -> list[Game]:
    """The game before each move; not to be changed."""
    game, found = GAME.start(), []
    for action in GAME.move_ids or []:
        found.append(game.copy())
        game.play(action)
    return found


def cut(moves: int) -> dict[str, Any]:
    """The record of the game when it had that many moves."""
    return {**RECORD, "moves": RECORD["moves"][:moves], "result": None}


# Moves


def test_a_loss_is_what_the_best_move_is_worth_more_than_the_move_played() -> None:
    """Until the last round the judge counts coins: a twentieth of an outcome for each is a fortieth of the win."""
    found = review_game(RECORD, Judge(Richest()), supplies=2)
    compared = 0
    for decision, game in zip(found.decisions, positions(), strict=True):
        best = most_coins(game.state)
        after = [after_move(game, action) for action in (best, decision.played)]
        if decision.exact or any(is_determined(each) for each in after):
            continue
        seat = decision.seat
        leads = [each.coins[seat] - each.coins[1 - seat] for each in after]
        if max(map(abs, leads)) > 20:
            continue
        gained = leads[0] - leads[1]
        assert decision.loss == pytest.approx(max(0, gained) / 40)
        assert (decision.better is None) == (gained <= 0)
        if decision.better is not None:
            assert decision.line[0] == decision.better == best
        compared += 1
    assert compared > 100


def test_solved_decisions_have_the_values_of_the_solver(even: Review) -> None:
    solved = [decision for decision in even.decisions if decision.exact]
    assert len(solved) > 3
    assert [is_determined(game) for game in positions()] == [decision.exact for decision in even.decisions]
    for decision in solved:
        solution = positions()[decision.move - 1].solve()
        assert decision.before == solution.value.shares
        assert decision.after == solution.values[decision.played].shares
        assert (decision.better is None) == (decision.loss == 0 and decision.lead_lost == 0)
        if decision.better is not None:
            assert decision.better in solution.best and decision.line[0] == decision.better


def test_a_judge_that_finds_all_even_finds_no_mistake_before_the_last_round(even: Review) -> None:
    assert all(decision.loss == 0 and decision.better is None for decision in even.decisions if not decision.exact)


@pytest.mark.parametrize(
    ("loss", "name"),
    [(0, None), (0.0499, None), (0.05, "inaccuracy"), (0.1, "mistake"), (0.3 - 0.1, "blunder"), (1, "blunder")],
)
def test_losses_are_classed_by_size(loss: float, name: str | None) -> None:
    assert grade(loss) == name
    assert list(GRADES.values()) == sorted(GRADES.values(), reverse=True)


# Luck


def test_luck_is_what_came_less_the_mean_of_what_could_have_come() -> None:
    """The judge counts ships: what it expects follows from how likely each card is to appear."""
    found = review_game(cut(60), Judge(Ships()), supplies=150)
    games = positions()
    assert len(found.reveals) > 4
    for reveal in found.reveals[1:]:
        before, after = games[reveal.after_move - 1], games[reveal.after_move]
        assert before.next_supply is not None and after.round == before.round + 1 == reveal.round
        ships = sum(chance for card, chance in before.next_supply.appears().items() if card.startswith("ship"))
        assert abs(reveal.before[0] - (0.5 + float(ships) / 20)) <= 4 * reveal.error[0] + 1e-9
        came = sum(card.startswith("ship") for card in reveal.supply)
        assert reveal.after[0] == pytest.approx(0.5 + came / 20)
        assert reveal.change[0] == pytest.approx(reveal.after[0] - reveal.before[0]) == pytest.approx(-reveal.change[1])


def test_few_supplies_are_all_looked_at_and_leave_no_error() -> None:
    for game in positions():
        following = game.next_supply
        if following is not None and 1 < following.count <= 12:
            supplies = possible_supplies(game, 12)
            assert supplies.complete and len(supplies.before) == following.count
            assert sum(supplies.weights) == pytest.approx(1)
            mean = supplies.mean([(number / 10, 0.0) for number in range(len(supplies.before))])
            assert mean.error == (0.0, 0.0)
            by_hand = sum(
                float(following.probability(_coming(before))) * number / 10
                for number, before in enumerate(supplies.before)
            )
            assert mean.shares[0] == pytest.approx(by_hand)
            return
    raise AssertionError("no supply of the game has few outcomes")


def test_a_sample_of_supplies_is_drawn_by_the_seed_of_the_game_and_its_moves() -> None:
    one, same = (possible_supplies(GAME.start(), 8) for _ in range(2))
    later = possible_supplies(positions()[1], 8)
    assert not one.complete and one.weights == (1 / 8,) * 8
    drawn = [_coming(game) for game in one.before]
    assert len(set(drawn)) == 8 and drawn == [_coming(game) for game in same.before]
    assert drawn != [_coming(game) for game in later.before]
    following = GAME.start().next_supply
    assert following is not None and all(following.probability(supply) for supply in drawn)


def _coming(game: Game) -> tuple[str, ...]:
    """What the next supply brings, read from the hidden order."""
    state, following, drawn = game.state, game.next_supply, list[str]()
    assert following is not None
    card, cube = int(state["pile_next"]), int(state["bag_next"])
    while possible := following.weights(drawn):
        if next(iter(possible)) in GOODS:
            drawn.append(GOODS[state["bag"][cube]])
            cube += 1
        else:
            drawn.append(CARD_IDS[state["pile"][card]])
            card += 1
    return tuple(drawn)


def test_every_supply_that_could_have_been_another_one_is_a_reveal(even: Review) -> None:
    games = [*positions(), GAME]
    rounds = [reveal.round for reveal in even.reveals]
    assert rounds == sorted(set(rounds)) and even.reveals[0].after_move == 0
    for reveal in even.reveals[1:]:
        before, after = games[reveal.after_move - 1], games[reveal.after_move]
        assert after.round == before.round + 1 == reveal.round
        again = before.copy()
        again.play(RECORD["moves"][reveal.after_move - 1]["action"], supply=reveal.supply)
        assert again.redealt(1).state["card"].tolist() == after.state["card"].tolist()
    certain = set(range(2, games[-1].round + 1)) - set(rounds)
    for before, after in pairwise(games):
        if after.round in certain and after.round != before.round:
            assert before.next_supply is not None and before.next_supply.count == 1


# The whole


def test_the_parts_of_a_balance_add_up_to_the_result(even: Review) -> None:
    winners = GAME.winners()
    for seat, balance in enumerate(even.balances):
        assert balance.end == (1 / len(winners) if seat in winners else 0)
        parts = (balance.luck, balance.own, balance.others, balance.judge)
        assert balance.start + sum(parts) == pytest.approx(balance.end)
        assert balance.own <= 0 and balance.start == 0.5


def test_nothing_is_made_of_what_comes_later() -> None:
    """A review of the first moves does not change when the game goes on."""
    whole, part = (review_game(record, Judge(Ships()), supplies=3) for record in (cut(60), cut(40)))
    assert whole.decisions[:39] == part.decisions[:39]
    assert tuple(reveal for reveal in whole.reveals if reveal.after_move <= 40) == part.reveals


def test_a_game_that_still_runs_ends_with_what_is_expected() -> None:
    found = review_game(cut(20), Judge(Even()), supplies=2)
    assert not found.finished and found.end == (0.5, 0.5) and len(found.decisions) == 20
    none = review_game(cut(0), Judge(Even()), supplies=2)
    assert none.decisions == () and none.turning_points == () and len(none.reveals) == 1


def test_turning_points_are_the_largest_changes_in_order(even: Review) -> None:
    found = review_game(RECORD, Judge(Richest()), supplies=2)
    places = [getattr(event, "move", None) or event.after_move for event in found.turning_points]  # type: ignore[union-attr]
    assert places == sorted(places) and 0 < len(places) <= 6
    smallest = min(max(map(abs, event.change)) for event in found.turning_points)
    left_out = [event for event in found.decisions if event not in found.turning_points]
    assert all(max(map(abs, event.change)) <= smallest + 1e-12 for event in left_out)


def test_positions_are_judged_many_at_a_time() -> None:
    player = Even()
    total: list[tuple[int, int]] = []
    review_game(RECORD, Judge(player), supplies=5, progress=lambda done, known: total.append((done, known)))
    assert sum(player.calls) > 250 and len(player.calls) < 15
    assert [done for done, _ in total] == sorted(done for done, _ in total)
    assert total[-1][0] == total[-1][1] >= sum(player.calls)


def test_a_baseline_judges_games_of_every_size() -> None:
    for players in (3, 5):
        record = random_game(players, seed=4, decisions=30).to_record()
        found = review_game(record, Judge("baseline"), supplies=2)
        for decision in found.decisions:
            assert sum(decision.before) == pytest.approx(1) == pytest.approx(sum(decision.after))
            assert len(decision.before) == players and min(decision.before) >= 0


@pytest.mark.parametrize(
    ("judge", "words"),
    [
        (Silent(), 'judge="Silent": must be a player that values positions, such as guided:800'),
        ("baseline:2p", "players=3: must be 2"),
    ],
)
def test_who_cannot_judge_is_refused(judge: Any, words: str) -> None:
    record = random_game(3, seed=4, decisions=3).to_record()
    with pytest.raises(ArgumentError, match=words):
        review_game(record, Judge(judge), supplies=2)


def test_a_record_that_cannot_be_played_is_refused() -> None:
    broken = {**RECORD, "moves": [{"player": 0, "action": "end"}]}
    with pytest.raises(RecordError):
        review_game(broken, Judge(Even()))


# JSON and summaries


def test_json_follows_its_schema_and_says_the_same(even: Review) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    plain = json.loads(json.dumps(as_json(even)))
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(plain, schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**plain, "more": 1}, schema())
    assert [decision["loss"] for decision in plain["decisions"]] == pytest.approx(
        [decision.loss for decision in even.decisions], abs=1e-4
    )
    assert [reveal["luck"][0] for reveal in plain["reveals"]] == pytest.approx(
        [reveal.change[0] for reveal in even.reveals], abs=1e-4
    )
    assert plain["seats"][0]["end"] == even.end[0] and plain["judge"] == "Even"


def test_a_summary_adds_up_what_each_player_lost_by_phase_and_by_season() -> None:
    reviews = []
    for seed, names in ((1, ["ann", "bob"]), (2, ["bob", "ann"])):
        record = {**random_game(2, seed=seed).to_record(), "seats": names}
        reviews.append(as_json(review_game(record, Judge(Richest()), supplies=2)))
    found = summary(reviews)
    assert found["games"] == 2 and [player["name"] for player in found["players"]] == ["ann", "bob"]
    ann = found["players"][0]
    lost = [
        decision["loss"]
        for review, seat in zip(reviews, (0, 1), strict=True)
        for decision in review["decisions"]
        if decision["seat"] == seat
    ]
    assert ann["seats"] == 2 and ann["decisions"] == len(lost)
    assert ann["lost"]["mean"] == pytest.approx(sum(lost) / 2, abs=1e-5)
    assert sum(ann["lost_by_phase"].values()) == pytest.approx(ann["lost"]["mean"], abs=1e-5)
    assert sum(ann["lost_by_season"].values()) == pytest.approx(ann["lost"]["mean"], abs=1e-5)
    assert ann["share"]["mean"] == pytest.approx((reviews[0]["end"][0] + reviews[1]["end"][1]) / 2)
    assert sum(ann["grades"].values()) == pytest.approx(sum(loss >= 0.05 for loss in lost) / 2)
    without_names = [{**review, "names": []} for review in reviews]
    assert [player["name"] for player in summary(without_names)["players"]] == ["seat 1", "seat 2"]
