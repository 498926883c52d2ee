"""Rewards: paid to all in the last step, by each scheme to the exact value, and the outcome."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from pettingzoo import AECEnv

from speicher_env import ArgumentError, speicherstadt_v0, standard_deck
from speicher_env.rules.actions import parse_action
from tests.support.aec_play import every_form, game_over, play
from tests.support.games import PLAYER_COUNTS, REWARDS
from tests.support.positions import few_or_many, position, seat
from tests.support.rule_events import SOURCES

pytestmark = pytest.mark.nojit


HOT_DECK = replace(standard_deck(), name="hot", fire_values=(6, 6, 6, 6))
"""With three fires carried out, a seat can have -18..18 points from them."""


def one_decision_before_the_end(points: Sequence[int], coins: Sequence[int]) -> Any:
    """A state in which seat 0 discards a cube and the game ends with these points and coins.

    Points are from fires. Every seat has bought, so income brings one coin; without firemen the 4th fire does nothing.
    """
    seats = [
        seat(coins=coin - 1, fire_points=point, bought=1, cubes="coffee tea" if number == 0 else "")
        for number, (point, coin) in enumerate(zip(points, coins, strict=True))
    ]
    return position(len(seats), phase="loading", seats=seats, pile=["fire_4"], deck=HOT_DECK)


def ended(reward: str, points: Sequence[int], coins: Sequence[int] | None = None) -> AECEnv:
    """An environment in which a game has just ended with these points and coins, 3 for each seat if not given."""
    coins = coins or [3] * len(points)
    env = speicherstadt_v0.env(len(points), reward=reward)
    env.reset(options={"state": one_decision_before_the_end(points, coins)})
    assert not game_over(env) and set(env.rewards.values()) == {0.0}
    env.step(env.unwrapped.game.legal_ids()[-1])
    assert [table["total"] for table in env.unwrapped.game.points()] == list(points)
    assert env.unwrapped.game.coins == list(coins)
    return env


def paid(reward: str, points: Sequence[int], coins: Sequence[int] | None = None) -> list[float]:
    """What each seat is paid."""
    return list(ended(reward, points, coins).rewards.values())


# Exact values, worked out by hand

EXACT: dict[str, tuple[str, list[int], list[int] | None, list[Fraction | int]]] = {
    # Three players: the sole winner +1, each of the others -1/2.
    "outcome, a sole winner": ("outcome", [10, 18, 15], None, [Fraction(-1, 2), 1, Fraction(-1, 2)]),
    "outcome, coins break the tie": ("outcome", [18, 18, 5], [2, 3, 9], [Fraction(-1, 2), 1, Fraction(-1, 2)]),
    "outcome, two share": ("outcome", [18, 5, 18], None, [Fraction(1, 4), Fraction(-1, 2), Fraction(1, 4)]),
    "outcome, three share": ("outcome", [7, 7, 7], None, [0, 0, 0]),
    "outcome, all below zero": ("outcome", [-4, -2, -6], None, [Fraction(-1, 2), 1, Fraction(-1, 2)]),
    "outcome, two losers tie": ("outcome", [4, 4, 9], None, [Fraction(-1, 2), Fraction(-1, 2), 1]),
    "outcome of 2": ("outcome", [4, 5], None, [-1, 1]),
    "outcome of 2, shared": ("outcome", [5, 5], None, [0, 0]),
    "outcome of 4": ("outcome", [1, 2, 3, 4], None, [Fraction(-1, 3), Fraction(-1, 3), Fraction(-1, 3), 1]),
    "outcome of 4, three share": (
        "outcome",
        [4, 4, 3, 4],
        None,
        [Fraction(1, 9), Fraction(1, 9), Fraction(-1, 3), Fraction(1, 9)],
    ),
    "outcome of 5, two share": (
        "outcome",
        [9, 1, 2, 9, 3],
        None,
        [Fraction(3, 8), Fraction(-1, 4), Fraction(-1, 4), Fraction(3, 8), Fraction(-1, 4)],
    ),
    # Ranks in equal steps from +1 to -1; who ties shares the places.
    "rank, all apart": ("rank", [10, 18, 15], None, [-1, 1, 0]),
    "rank, coins break the tie": ("rank", [18, 18, 5], [2, 3, 9], [0, 1, -1]),
    "rank, two first": ("rank", [18, 5, 18], None, [Fraction(1, 2), -1, Fraction(1, 2)]),
    "rank, two last": ("rank", [4, 4, 9], None, [Fraction(-1, 2), Fraction(-1, 2), 1]),
    "rank, three tie": ("rank", [7, 7, 7], None, [0, 0, 0]),
    "rank of 2": ("rank", [4, 5], None, [-1, 1]),
    "rank of 4": ("rank", [3, 4, 1, 2], None, [Fraction(1, 3), 1, -1, Fraction(-1, 3)]),
    "rank of 5, the middle ties": (
        "rank",
        [9, 5, 5, 5, 1],
        None,
        [1, 0, 0, 0, -1],
    ),
    # Points ahead of the best other, over 30. Coins do not count.
    "margin": ("margin", [10, 18, 14], None, [Fraction(-8, 30), Fraction(4, 30), Fraction(-4, 30)]),
    "margin, coins count for nothing": ("margin", [18, 18, 5], [2, 3, 9], [0, 0, Fraction(-13, 30)]),
    "margin, just the whole": ("margin", [15, -15], None, [1, -1]),
    "margin, cut off": ("margin", [18, -18], None, [1, -1]),
    "margin, not yet cut off": ("margin", [-11, 18, -12], None, [Fraction(-29, 30), Fraction(29, 30), -1]),
}


@pytest.mark.parametrize("end", EXACT)
def test_the_exact_reward_of(end: str) -> None:
    reward, points, coins, expected = EXACT[end]
    assert paid(reward, points, coins) == pytest.approx([float(share) for share in expected], abs=1e-12)


def test_the_default_reward_is_the_outcome() -> None:
    assert speicherstadt_v0.env().unwrapped.reward == "outcome"


@pytest.mark.parametrize(("reward", "players"), list(product(("outcome", "rank"), PLAYER_COUNTS)))
def test_outcome_and_rank_sum_to_zero_whoever_ties(reward: str, players: int) -> None:
    rng = random.Random(players)
    for _ in range(few_or_many(8, 40)):
        points, coins = rng.choices((3, 4, 5), k=players), rng.choices((3, 4), k=players)
        assert sum(paid(reward, points, coins)) == pytest.approx(0, abs=1e-12)


def test_two_players_margins_sum_to_zero() -> None:
    assert sum(paid("margin", [3, 17])) == 0


# When it is paid


@every_form
@pytest.mark.parametrize(("reward", "players"), list(product(REWARDS, PLAYER_COUNTS)))
def test_only_the_last_step_pays_and_all_agents_end_in_it_with_the_same_flag(
    reward: str, players: int, make: Any
) -> None:
    env = make(players, reward=reward)
    rng = random.Random(players)
    for seed in range(few_or_many(1, 5)):
        env.reset(seed=seed)
        while not env.unwrapped.game.over:
            assert env.agents == env.possible_agents
            assert env.rewards == dict.fromkeys(env.agents, 0.0)
            assert env.terminations == env.truncations == dict.fromkeys(env.agents, False)
            assert env.last()[1:4] == (0.0, False, False)
            play(env, rng, decisions=1)
        assert env.agents == env.possible_agents
        assert env.terminations == dict.fromkeys(env.agents, True)
        assert env.truncations == dict.fromkeys(env.agents, False)
        assert all(type(share) is float for share in env.rewards.values())
        assert any(env.rewards.values()) or len(set(env.unwrapped.game.ranks())) == 1


@every_form
@pytest.mark.parametrize(("reward", "players"), list(product(REWARDS, PLAYER_COUNTS)))
def test_last_gives_each_agent_what_was_paid_since_its_last_step(reward: str, players: int, make: Any) -> None:
    env = make(players, reward=reward)
    env.reset(seed=players)
    rng = random.Random(players)
    since: Counter[str] = Counter()
    paid_out: Counter[str] = Counter()
    payoff: dict[str, float] = {}
    for agent in env.agent_iter():
        _, reward_now, terminated, truncated, info = env.last()
        assert reward_now == since[agent]
        paid_out[agent] += reward_now
        since[agent] = 0
        action = None if terminated or truncated else rng.choice(info["action_mask"].nonzero()[0].tolist())
        env.step(action)
        if action is not None and game_over(env):
            payoff = dict(env.rewards)
        for other, amount in env.rewards.items():
            since[other] += amount
    assert dict(paid_out) == payoff and set(payoff) == set(env.possible_agents)


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_finished_agents_leave_one_by_one_without_further_pay(players: int) -> None:
    env = ended("outcome", list(range(players)))
    for left in range(players, 0, -1):
        assert len(env.agents) == left
        leaving = env.agent_selection
        env.step(None)
        assert leaving not in env.agents
        for by_agent in (env.rewards, env.terminations, env.truncations, env.infos):
            assert list(by_agent) == env.agents
        assert not any(env.rewards.values())
    assert env.agents == []


def test_the_seat_that_ends_the_game_and_the_others_are_paid_alike() -> None:
    env = ended("outcome", [1, 2, 3])
    rewards = {}
    while env.agents:
        rewards[env.agent_selection] = env.last()[1]
        env.step(None)
    assert rewards == {"player_0": -0.5, "player_1": -0.5, "player_2": 1.0}


# Outcomes


@pytest.mark.parametrize("decisions", [None, 0, 50])
def test_there_is_no_outcome_before_the_end(decisions: int | None) -> None:
    env = speicherstadt_v0.raw_env(3)
    if decisions is None:
        with pytest.raises(ArgumentError, match=r"there is no game yet; reset\(\) deals one"):
            env.outcome()
        return
    env.reset(seed=1)
    play(env, random.Random(1), decisions)
    with pytest.raises(ArgumentError, match=r"outcome\(\) was called before the end of the game"):
        env.outcome()


def test_the_outcome_of_a_game_laid_out_by_hand() -> None:
    seats = [
        # A contract of two goods 5, one office 2, a merchant 1. 4 coins and 1 of income.
        seat(
            coins=4,
            cards=["contract_1", "counting_office_1", "tea_taster"],
            filled={"contract_1": "coffee carpet"},
            bought=1,
            cubes="coffee rubber",
        ),
        # Fires -3, four of five cubes 4, St. Michaelis 4. No card bought: 2 coins of income.
        seat(
            coins=0,
            cards=["warehouse", "st_michaelis"],
            cubes="tea saffron carpet carpet carpet",
            fire_points=-3,
        ),
        # Two ships in the port 2, 6 coins in the chamber of commerce 6. 4 coins, 1 of income, 1 of the bank.
        seat(coins=4, cards=["port", "ship_1", "ship_2", "chamber_of_commerce", "bank"], bought=1),
    ]
    env = speicherstadt_v0.env(3)
    env.reset(options={"state": position(3, phase="loading", seats=seats, pile=["fire_4"])})
    env.step(parse_action("discard rubber"))  # the cube left is kept, and the next seat decides
    env.step(parse_action("end"))
    nothing = dict.fromkeys(SOURCES, 0)
    points = [
        {**nothing, "contracts": 5, "counting_offices": 2, "merchants": 1, "total": 8},
        {**nothing, "fire": -3, "warehouse": 4, "st_michaelis": 4, "total": 5},
        {**nothing, "port": 2, "chamber_of_commerce": 6, "total": 8},
    ]
    assert env.unwrapped.outcome()._asdict() == {
        "seed": env.unwrapped.game.seed,
        "points": points,
        "points_total": [8, 5, 8],
        "coins": [5, 2, 6],
        "ranks": [2, 3, 1],
        "winners": [2],
        "rewards": [-0.5, -0.5, 1.0],
        "illegal": [0, 0, 0],
        "forfeited_by": None,
    }
    assert list(env.rewards.values()) == [-0.5, -0.5, 1.0]


@every_form
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_final_points_add_up_and_ranks_follow_points_then_coins(players: int, make: Any) -> None:
    env = make(players)
    for seed in range(few_or_many(1, 10)):
        env.reset(seed=seed)
        play(env, random.Random(seed))
        outcome = env.unwrapped.outcome()
        assert json.loads(json.dumps(outcome._asdict())) == outcome._asdict()
        standing = list(zip(outcome.points_total, outcome.coins, strict=True))
        for points, total in zip(outcome.points, outcome.points_total, strict=True):
            assert set(points) == {*SOURCES, "total"}
            assert points.pop("total") == total == sum(points.values())
        for own, rank in zip(standing, outcome.ranks, strict=True):
            assert rank == 1 + sum(other > own for other in standing)
        assert outcome.winners == env.unwrapped.game.winners()
        assert outcome.seed == seed and outcome.rewards == list(env.rewards.values())


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_the_outcome_stays_while_agents_leave_until_the_next_game(players: int) -> None:
    env = ended("rank", list(range(players)))
    outcome = env.unwrapped.outcome()
    assert outcome.ranks == list(range(players, 0, -1))
    while env.agents:
        assert env.last()[2:4] == (True, False)
        env.step(None)
        assert env.unwrapped.outcome() == outcome
    env.reset()
    with pytest.raises(ArgumentError):
        env.unwrapped.outcome()


@every_form
@pytest.mark.parametrize("reward", ["win", "Outcome", "", None, 0, ["outcome"]])
def test_a_reward_that_there_is_not_is_refused(reward: Any, make: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^reward=.*: must be outcome, rank or margin") as caught:
        make(reward=reward)
    assert "\n" not in str(caught.value)
