"""`Game.solve`: exact in every small position, the same from any start, and honest where it does not know."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from speicher_env import ArgumentError, Game, mini
from speicher_env.rules.state import STATE
from speicher_env.solve import Prospect, Solver, before_last, is_before_last, is_determined, solution
from speicher_env.solve.memory import (
    GAINS_FULL,
    LOADINGS_FULL,
    POSITIONS_FULL,
    Search,
    make_search,
    with_larger_table,
)
from speicher_env.solve.payoffs import aim_of, choose, write_aims
from speicher_env.solve.table import find, grown, has_room, make_table, put
from tests.support import solve_check
from tests.support.endings import laid_out, laid_out_loading, last_round
from tests.support.games import PLAYER_COUNTS
from tests.support.positions import card, few_or_many, position, seat

IN_EACH_OTHERS_WAY = (42, 82, 40)
"""Seeds of `laid_out_loading` with four players in which the stock matters to several seats, one after the other."""
SMALL = {
    (2, "demand"): (640, 584, 1040, 308, 532, 1136),
    (2, "purchase"): (1424, 332, 208, 608, 212, 1012),
    (2, "loading"): (1308, 588, 1332, 1360, 1420, 912),
    (3, "demand"): (1373, 581),
    (3, "purchase"): (1385, 1253, 801, 1017, 333, 81),
    (3, "loading"): (733, 829, 1197, 1165, 97, 1489),
    (4, "demand"): (198,),
    (4, "purchase"): (150, 1110, 1186, 1222, 766, 234),
    (4, "loading"): (978, 910, 446, 1010, 1294, 578),
    (5, "purchase"): (1351, 439, 467, 455, 863, 1139),
    (5, "loading"): (1291, 883, 1071, 359, 431, 903),
}
"""Seeds of `solve_check.ending` with few positions after them, by players and phase."""


def searched(game: Game) -> Search:
    """The memory of a search after the position is solved."""
    search = make_search(game.num_players)
    search.counts[1] = 10**6
    search.cards[:] = game.state["card"]
    while (outcome := solution.evaluate_actions(search, game.states_view, 0)) != solution.SOLVED:
        search = with_larger_table(search, outcome)
    return search


def without_count(found: solution.Solution) -> solution.Solution:
    """The solution without the number of positions: what is forgotten while a table is full is looked at again."""
    return replace(found, positions=0)


@pytest.mark.nojit
@pytest.mark.parametrize(("players", "phase"), SMALL)
def test_values_and_bounds_are_those_of_plain_python(players: int, phase: str) -> None:
    for seed in SMALL[players, phase][: few_or_many(2, 6)]:
        game = solve_check.ending(seed)
        assert game is not None and (game.num_players, game.phase) == (players, phase)
        solve_check.compare(game)


@pytest.mark.nojit
@pytest.mark.parametrize("seed", IN_EACH_OTHERS_WAY[: few_or_many(1, 3)])
def test_seats_that_leave_each_other_a_stock_in_turn_are_solved_action_by_action(seed: int) -> None:
    game = laid_out_loading(4, seed)
    assert searched(game).loadings.used[0] > 0
    solve_check.compare(game, most=3000)


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_best_play_by_all_seats_ends_as_the_value_says(players: int) -> None:
    for seed in range(6):
        game = laid_out(players, seed)
        while not game.over:
            found = game.solve(limit=5_000 if players > 2 else 100_000)
            if found.exact:
                break
            game.play(game.legal()[seed % len(game.legal())])
        value = game.solve().value if not game.over else None
        while not game.over:
            game.play(game.solve().best[0])
        assert value is None or (list(value.points), list(value.coins)) == (
            [points["total"] for points in game.points()],
            game.coins,
        )


def test_the_value_of_a_position_is_that_of_its_best_action_and_no_other_is_better() -> None:
    for seed in range(20):
        game = last_round(2, seed)
        if game is None:
            continue
        found = game.solve()
        for action, value in found.values.items():
            after = game.copy()
            after.play(action)
            assert value.prospects[found.seat] <= found.value.prospects[found.seat]
            assert (value.prospects[found.seat] == found.value.prospects[found.seat]) or action not in found.best
            assert after.over or after.solve().value == value
        assert found.value.unique, "two players have opposite interests"
        assert sum(found.value.shares) == 1


@pytest.mark.nojit
def test_a_seat_prefers_the_win_to_a_larger_lead_and_coins_break_its_ties() -> None:
    columns = [card("st_michaelis", queue=[0, 1])]
    lone = Game.from_state(
        position(columns=columns, seats=[seat(coins=2), seat(coins=3)], phase="purchase", pile=["fire_4"])
    )
    found = lone.solve()
    assert found.best == ("buy",)
    assert found.value.points == (4, 0) and found.value.prospects == (Prospect(1.0, 4), Prospect(0.0, -4))
    assert found.values["pass"].points == (0, 4)
    # Neither card gives the seat a point that decides anything: it keeps its coins and shares the win no more.
    useless = [card("contract_1", queue=[0])]
    even = Game.from_state(
        position(columns=useless, seats=[seat(coins=3), seat(coins=3)], phase="purchase", pile=["fire_4"])
    )
    found = even.solve()
    assert found.best == ("pass",) and found.value.shares == (0.5, 0.5)
    assert found.values["buy"].shares == (0.0, 1.0)


@pytest.mark.nojit
def test_a_share_of_the_win_is_better_the_fewer_have_it_and_any_lead_is_better_than_a_share() -> None:
    results = ([9, 5, 5], [6, 5, 5], [5, 5, 3], [5, 5, 5], [5, 6, 6], [5, 9, 0])
    aims = [int(aim_of(np.array(result), 3, 0)) for result in results]
    assert aims == sorted(set(aims), reverse=True)
    assert aims[3] > 0 > aims[4]


@pytest.mark.nojit
@pytest.mark.parametrize("aboard", ["", "rubber", "coffee rubber"])
def test_cubes_that_are_kept_count_as_far_as_the_warehouse_holds_them(aboard: str) -> None:
    keeper = seat(cards=["warehouse", "ship_1"], cubes="tea tea tea rubber", aboard=aboard, bought=1 if aboard else 0)
    contract = seat(cards=["contract_5", "ship_2"], aboard="tea rubber rubber", bought=1)
    game = Game.from_state(position(seats=[keeper, contract], stock="carpet", pile=["fire_4"]))
    found = solve_check.compare(game)
    assert max(value.points[0] for value in found.values.values()) == 4


@pytest.mark.nojit
def test_an_indifferent_seat_favours_the_seat_on_its_left_and_the_bounds_say_what_else_it_may_do() -> None:
    # Seat 2 loads first and trades two of its three cubes for a coin; which ones is the same to it. Out of the stock,
    # carpet completes the contract of seat 0 and saffron that of seat 1. A single saffron, seat 0 would take away.
    seats = [
        seat(cards=["contract_1", "ship_1"], filled={"contract_1": "coffee"}, aboard="rubber rubber rubber", bought=1),
        seat(cards=["contract_2", "ship_2"], filled={"contract_2": "tea"}, aboard="rubber rubber rubber", bought=1),
        seat(cards=["ship_3"], aboard="carpet saffron saffron", bought=1),
    ]
    game = Game.from_state(position(3, seats=seats, pile=["fire_4"], first_player=2))
    found = game.solve()
    assert found.best[0] == "trade saffron carpet" and "trade saffron saffron" in found.best
    assert found.values["trade saffron carpet"].shares == (0.5, 0.5, 0.0)
    assert found.values["trade saffron saffron"].shares == (0.0, 1.0, 0.0)
    _, least, most = searched(game).worth[0].reshape(-1, 3)[:3].tolist()
    assert least[0] < 0 < most[0] and least[1] < most[1] and least[2] == most[2]


@pytest.mark.nojit
def test_the_order_of_what_is_hidden_changes_nothing() -> None:
    game = laid_out_loading(4, IN_EACH_OTHERS_WAY[0])
    assert game.redealt(1).solve() == game.redealt(2).solve() == game.solve()


@pytest.mark.nojit
def test_the_round_before_the_last_is_worth_its_mean_over_every_supply() -> None:
    # Seat 0 loads last: it delivers a cube, which completes a contract, or keeps it. Both end the round.
    seats = [
        seat(coins=0, cards=["contract_4", "ship_1"], filled={"contract_4": "carpet"}, aboard="saffron", bought=1),
        seat(coins=0, cards=["fireman_7"]),
    ]
    pile = ["st_michaelis", "boatsmen_church", "fireman_10", "fire_4"]
    game = Game.from_state(position(seats=seats, pile=pile, first_player=1))
    assert is_before_last(game) and not is_determined(game)
    found = game.solve()
    assert found.exact and found.supplies == 6 and found.seat == 0
    supply = game.next_supply
    assert supply is not None and all(game.ends_round(action) for action in game.legal())
    for action in game.legal()[: few_or_many(1, 2)]:
        means = [Fraction(0)] * 4
        for names, probability in supply.outcomes():
            drawn = game.copy()
            drawn.play(action, supply=names)
            value = drawn.solve().value
            share, lead = value.prospects[0]
            parts = (Fraction(share), Fraction(lead), Fraction(value.points[1]), Fraction(value.coins[1]))
            means = [mean + probability * part for mean, part in zip(means, parts, strict=True)]
        value = found.values[action]
        assert [*value.prospects[0], value.points[1], value.coins[1]] == [float(mean) for mean in means]
    assert found.best == tuple(game.legal()), "a cube that is kept can be delivered in the last round"


@pytest.mark.nojit
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_means_are_compared_as_single_results_are(players: int) -> None:
    rng = np.random.default_rng(players)
    for _ in range(few_or_many(40, 400)):
        count, chooser = int(rng.integers(1, 5)), int(rng.integers(players))
        branches = np.zeros((count, 3 * players), dtype=np.int32)
        branches[:, :players] = 1024 * rng.integers(0, 3, (count, players)) + rng.integers(0, 3, (count, players))
        for branch in branches:
            write_aims(branch, players)
            spread = 8 * rng.integers(0, 2, players)
            branch[players : 2 * players] -= spread
            branch[2 * players :] += np.where(branch[2 * players :] % 8 == 0, spread, 0)
            low = branch[players : 2 * players]
            low[low % 8 != 0] += spread[low % 8 != 0]
        worth = np.zeros(3 * players, dtype=np.int32)
        choose(branches, count, players, chooser, worth)
        rows = np.array([before_last.row_of(branch.tolist(), players) for branch in branches])
        row = np.zeros_like(rows[0])
        before_last.choose_mean(rows, chooser, row)
        assert np.array_equal(row, before_last.row_of(worth.tolist(), players))


@pytest.mark.nojit
def test_a_position_with_cards_to_come_is_not_solved_and_says_so() -> None:
    found = Game(num_players=2, seed=1).solve()
    assert not found.exact and found.values == {} and found.best == () and found.positions == 0
    assert found.reason == "cards are left to be drawn, it is not one of the last two rounds."
    with pytest.raises(ArgumentError, match="the position has no exact value: cards are left to be drawn"):
        _ = found.value


@pytest.mark.nojit
def test_only_the_two_last_rounds_are_solved_and_the_next_supply_must_not_be_too_large() -> None:
    game = Game.from_state(
        position(phase="demand", columns=["bank", "ship_1", "ship_2"], pile=["ship_11", "ship_12", "ship_13", "fire_4"])
    )
    assert is_before_last(game) and not is_before_last(Game(2, seed=1))
    found = game.solve(limit=1000)
    assert not found.exact and found.reason == "the next supply has more than 1000 outcomes."
    smaller = mini.deal("mini")
    assert smaller.solve(limit=18).reason == "it takes more than 18 positions."
    assert smaller.solve(limit=2000).reason == "it takes more than 2000 positions."


@pytest.mark.nojit
def test_a_search_that_reaches_its_limit_says_so() -> None:
    game = laid_out(2, 1)
    assert is_determined(game)
    found = game.solve(limit=5)
    assert not found.exact and found.values == {}
    assert found.reason == "it takes more than 5 positions."


@pytest.mark.nojit
def test_wrong_arguments_and_finished_games_are_refused() -> None:
    with pytest.raises(ArgumentError, match="limit=0: must be a whole number, 1 or more"):
        Game(seed=1).solve(limit=0)
    over = Game.from_state(position(phase="over"))
    assert not is_determined(over)
    with pytest.raises(ArgumentError, match="the game is over"):
        over.solve()


@pytest.mark.nojit
def test_tables_that_grow_on_the_way_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    full = set()

    def grow(search: Search, outcome: int) -> Search:
        full.add(outcome)
        return with_larger_table(search, outcome)

    games = [laid_out_loading(4, 104), solve_check.ending(SMALL[3, "demand"][1])]
    before = [without_count(game.solve()) for game in games if game]
    monkeypatch.setattr("speicher_env.solve.memory.make_table", lambda words, width: make_table(words, width, 4))
    monkeypatch.setattr(solution, "with_larger_table", grow)
    assert [without_count(game.solve()) for game in games if game] == before
    assert full == {POSITIONS_FULL, LOADINGS_FULL, GAINS_FULL}


@pytest.mark.nojit
def test_a_grown_table_holds_what_it_held_and_tells_every_key_apart() -> None:
    table = make_table(4, 1, slots=8)
    keys = np.array([[(1 << 61) | (n % 2), n, n << 40, 0] for n in range(6)], dtype=np.int64)
    for n, key in enumerate(keys):
        assert has_room(table)
        put(table, find(table, key), key, np.array([n], dtype=np.int32))
    assert not has_room(table)
    larger = grown(table)
    assert has_room(larger) and larger.used[0] == 6
    assert [int(larger.values[find(larger, key), 0]) for key in keys] == list(range(6))


@pytest.mark.nojit
def test_a_solver_that_remembers_says_the_same_as_one_that_does_not_and_looks_at_less() -> None:
    solver = Solver()
    remembered = 0
    for seed in (*SMALL[3, "demand"], *SMALL[2, "demand"][: few_or_many(1, 3)]):
        game = solve_check.ending(seed)
        assert game is not None
        while not game.over:
            found = solver.solve(game)
            alone = game.solve()
            assert without_count(found) == without_count(alone)
            remembered += alone.positions - found.positions
            game.play(found.best[-1])
    assert remembered > 50


@pytest.mark.nojit
@pytest.mark.parametrize("field", ["fire_points", "cubes", "missing", "stock", "owner", "bought", "cargo", "aboard"])
def test_a_solver_does_not_take_one_round_for_another(field: str) -> None:
    game = solve_check.ending(SMALL[3, "demand"][0])
    assert game is not None
    root = game.state
    assert solution._can_follow(root, root)
    other = game.state
    other[field].flat[0] += 1
    assert not solution._can_follow(root, other)
    while game.phase in ("demand", "purchase"):
        assert solution._can_follow(root, game.state)
        game.play(game.legal()[0])


def test_solving_leaves_the_game_as_it_was() -> None:
    game = laid_out(3, 2)
    before = game.get_state()
    game.solve(limit=2000)
    assert game.get_state() == before
    assert game.states_view.dtype == STATE


def test_a_difference_ends_the_comparison_with_code_1_and_its_command_repeats_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def differ(game: Game) -> solution.Solution:
        raise AssertionError("a difference")

    assert solve_check.main(["--positions", "3", "--seed", "4"], differ) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[-1].startswith("To repeat it: python -m tests.support.solve_check --positions 1 --seed ")
    assert solve_check.main(["--positions", "2", "--seed", "4"]) == 0
    assert "No difference between the solver and brute force" in capsys.readouterr().out
