"""Regret: nothing for exact play, what was given away for others, and intervals that hold the mean."""

from __future__ import annotations

import json

import numpy as np
import pytest

from speicher_agents import load_agent, seed_for
from speicher_agents.agent import Agent
from speicher_env import Game
from speicher_env.rules.actions import ACTION_TEXTS
from speicher_env.solve import is_determined
from speicher_env.views import Views
from speicher_training.regret import SEED, measure_regret
from tests.support.command import speicher


class Worst(Agent):
    """Plays at random until the last round, and there what is worst for it."""

    def __init__(self) -> None:
        self.base = load_agent("random")

    def reset(self, seed: int) -> None:
        self.base.reset(seed)

    def act(self, views: Views) -> np.ndarray:
        actions = np.asarray(self.base.act(views)).copy()
        for row in range(len(views)):
            game = Game.from_state(views.states[row])
            if is_determined(game):
                found = game.solve()
                worst = min(found.values, key=lambda action: found.values[action].prospects[found.seat])
                actions[row] = ACTION_TEXTS.index(worst)
        return actions


def test_exact_play_gives_nothing_away() -> None:
    (found,) = measure_regret(["exact:random"], 2, 3, "random")
    assert found.decisions > 10
    assert found.share["estimate"] == found.points["estimate"] == found.wrong["estimate"] == 0


def test_regret_is_the_best_value_less_that_of_the_choice_per_decision() -> None:
    (found,) = measure_regret(["frugal"], 2, 4)
    lost_share = lost_points = decisions = wrong = 0.0
    for seed in range(SEED, SEED + 4):
        agent, game = load_agent("frugal"), Game(2, seed=seed)
        agent.reset(seed_for(seed, 0))
        while not game.over:
            action = agent.action(game)
            if is_determined(game):
                solution = game.solve()
                best = solution.value.prospects[solution.seat]
                chosen = solution.values[ACTION_TEXTS[action]].prospects[solution.seat]
                lost_share += best.share - chosen.share
                lost_points += best.lead - chosen.lead
                wrong += ACTION_TEXTS[action] not in solution.best
                decisions += 1
            game.play(action)
    assert found.decisions == decisions and found.positions_of == "frugal"
    assert found.share["estimate"] == pytest.approx(lost_share / decisions)
    assert found.points["estimate"] == pytest.approx(lost_points / decisions) and lost_points > 0
    assert found.wrong["estimate"] == pytest.approx(wrong / decisions)
    assert found.points["low"] < found.points["estimate"] < found.points["high"]


def test_the_worst_choice_loses_more_than_any_other_in_the_same_positions() -> None:
    worst, random, exact = measure_regret([f"{__file__}:Worst", "random", "exact"], 2, 3, "merchant")
    assert worst.points["estimate"] > random.points["estimate"] > exact.points["estimate"] == 0
    assert worst.decisions == random.decisions == exact.decisions


def test_the_command_prints_what_was_measured(capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = measure_regret(["random"], 2, 2, "frugal")
    assert speicher("regret", "random", "--games", "2", "--positions-of", "frugal", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["share"] == found.share and shown["decisions"] == found.decisions and shown["seed"] == SEED
    assert speicher("regret", "random", "--games", "2", "--positions-of", "frugal") == 0
    out = capsys.readouterr().out
    assert f"{found.decisions} solved decisions in 2 games of 2 players (positions of frugal)" in out
    assert f"{'points lost':20} {found.points['estimate']:6.2f} [" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["human"], "must be a player that decides by itself"),
        (["random", "--games", "0"], "--games=0: must be a whole number, 1 or more."),
        (["random", "--players", "7"], "--players=7: must be 2, 3, 4 or 5."),
        (["baseline:2p", "--players", "3"], "2p"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert speicher("regret", *arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and words in err and err.count("\n") == 1
