"""The league's callback: payoffs reach the learner whoever ends the game, and results go to who sat there."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.support.small_networks import card, network

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from sb3_contrib import MaskablePPO  # noqa: E402
from stable_baselines3.common.callbacks import BaseCallback, CallbackList  # noqa: E402

from speicher_agents.baselines import Baseline  # noqa: E402
from speicher_env.envs.sb3 import SpeicherVecEnv  # noqa: E402
from speicher_training.train import League, LeagueCallback, policy_arguments  # noqa: E402
from speicher_training.train.league import Member  # noqa: E402


class Notes(BaseCallback):
    """Everything that is paid, and who sits in the games that end."""

    def __init__(self, seating: LeagueCallback) -> None:
        super().__init__()
        self.seating = seating
        self.paid: list[float] = []
        self.wanted: list[float] = []

    def _on_step(self) -> bool:
        rewards, dones, infos = self.locals["rewards"], self.locals["dones"], self.locals["infos"]
        assert (rewards[~dones] == 0).all()
        for row in np.flatnonzero(dones):
            self.paid.append(float(rewards[row]))
            self.wanted.append(infos[row]["rank"])
        return True


def learner(players: int, shares: dict[str, float], anchors: list[str], **changes: object):
    own = network(players)
    newest = Baseline((card(own, [players]), own), 1.0)
    league = League(newest, shares=shares, anchors=anchors, seed=1)
    env = SpeicherVecEnv(16, players, opponents=newest, seed=3)
    seating = LeagueCallback(league, snapshot_steps=1600, seated=league.newest, **changes)  # type: ignore[arg-type]
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=100, batch_size=400, n_epochs=1, seed=0, device="cpu",
        policy_kwargs=policy_arguments(own.shape),
    )  # fmt: skip
    return model, seating


@pytest.mark.parametrize("players", [2, 3])
def test_every_game_pays_the_learner_once_by_its_rank_whoever_ends_it(players: int):
    model, seating = learner(players, {"newest": 0.4, "past": 0.3, "scripted": 0.3}, ["random", "frugal"])
    notes = Notes(seating)
    model.learn(16 * 100 * 4, CallbackList([seating, notes]))
    assert len(notes.paid) > 24
    won = [paid >= 0 for paid in notes.paid]  # 0 is paid where all seats share the win
    assert won == [rank == 1 for rank in notes.wanted]
    assert any(won) and not all(won)
    buffer = model.rollout_buffer
    assert np.count_nonzero(buffer.rewards) > 0
    starts = buffer.episode_starts[1:] > 0
    assert (buffer.rewards[:-1][~starts] == 0).all()
    assert (buffer.rewards[:-1][starts] != 0).all()  # with a sole winner, and without, somebody is paid


def test_results_are_noted_for_who_sat_in_the_game():
    """Each member's games are those in which it sat, and its score is how often the learner was ranked ahead."""
    model, seating = learner(3, {"newest": 0.2, "past": 0.2, "scripted": 0.6}, ["random", "merchant"])
    games: Counter[str] = Counter()
    ahead: Counter[str] = Counter()
    batch = model.get_env().batch
    seated = seating._record
    names = {}

    def note(row: int) -> None:
        lane = batch.arrays.lanes[row]
        own = int(lane["ended_seat"])
        for place, member in enumerate(seating.now[row]):
            games[member.name] += 1
            other = int(lane["rank"][(own + 1 + place) % 3])
            ahead[member.name] += (lane["rank"][own] < other) + 0.5 * (lane["rank"][own] == other)
            names[member.name] = member
        seated(row)

    seating._record = note  # type: ignore[method-assign]
    model.learn(16 * 100 * 3, seating)
    assert {"newest", "random", "merchant"} <= set(games)
    for name, member in names.items():
        assert member.games == games[name]
        assert member.ahead == pytest.approx(ahead[name])


def test_the_opponents_named_for_a_row_are_those_that_are_asked():
    """In the batch each lane has the controllers of the players that the callback believes to sit there."""
    model, seating = learner(3, {"newest": 0.4, "past": 0.2, "scripted": 0.4}, ["random", "merchant"])

    class Compare(BaseCallback):
        checked = 0

        def _on_step(self) -> bool:
            batch = self.training_env.batch
            for row in range(16):
                own = int(batch.arrays.lanes["seat"][row])
                for place, member in enumerate(seating.now[row]):
                    code = int(batch.arrays.lanes["controller"][row][(own + 1 + place) % 3])
                    assert self.name_of(batch, code) == member.name
                    self.checked += 1
            return True

        def name_of(self, batch, code: int) -> str:
            if code >= 0:
                return "random" if code == 0 else batch._players._compiled_names[code]
            player = batch.outside.seated(-2 - code)
            return next(member.name for member in seating.league.members if member.player is player)

    compare = Compare()
    model.learn(16 * 100 * 3, CallbackList([seating, compare]))
    assert compare.checked > 1000


def test_snapshots_come_when_they_are_due_and_good_enough():
    taken: list[str] = []
    model, seating = learner(2, {"newest": 1.0}, [], on_snapshot=lambda name, network: taken.append(name))
    model.learn(16 * 100 * 3, seating)
    assert taken == ["steps-1600", "steps-3200"]
    model, seating = learner(2, {"newest": 1.0}, [], snapshot_score=0.9)
    model.learn(16 * 100 * 3, seating)
    assert len(seating.league.past) == 1  # the first is taken in any case, and half the points are not enough


def test_games_against_somebody_unknown_do_not_count():
    model, seating = learner(2, {"newest": 1.0}, [])
    seating._first = None
    notes = Notes(seating)
    model.learn(16 * 100 * 3, CallbackList([seating, notes]))
    assert isinstance(seating.league.newest, Member)
    assert 0 < seating.league.newest.games <= len(notes.paid) - 16
