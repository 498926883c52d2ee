"""Rollouts: what the learner gets is what the workers saw, whoever played, in any order and after losses."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from speicher_agents.baselines import Baseline, Network
from speicher_env.batch.replay import replay
from speicher_env.errors import RecordError
from speicher_training.executor import Done, InProcess, Job, Lost, Processes, Size, WorkerError
from speicher_training.executor.luggage import Luggage
from speicher_training.train.acting import Acting, Played
from speicher_training.train.league import League, Snapshots
from speicher_training.train.rollouts import MOST_LOSSES, Decisions, Rollouts, advantages
from tests.support.small_networks import card, network

SHARES = {"newest": 0.4, "past": 0.3, "scripted": 0.3}


class Unreliable(InProcess):
    """Two workers that do the last task first, lose some, and share nothing with the caller but bytes."""

    def __init__(self, losses: int = 0) -> None:
        self.losses = losses

    def crew(self, job: Job[Any, Any]) -> Any:
        return _UnreliableCrew(pickle.loads(pickle.dumps(job)), self)


class _UnreliableCrew:
    size = Size(1, 2)

    def __init__(self, job: Job[Any, Any], executor: Unreliable) -> None:
        self.work: Callable[[Any], Any] = job.begin(lambda doing, seconds: None)
        self.executor = executor
        self.tasks: deque[Any] = deque()

    @property
    def room(self) -> int:
        return 2 - len(self.tasks)

    def submit(self, task: Any) -> None:
        assert self.room > 0
        self.tasks.append(task)

    def wait(self, seconds: float) -> Sequence[Done[Any, Any] | Lost[Any]]:
        if not self.tasks:
            return []
        task = self.tasks.pop()
        if self.executor.losses > 0:
            self.executor.losses -= 1
            return [Lost(task, None, "ended its process (exit code -9)")]
        return [Done(task, pickle.loads(pickle.dumps(self.work(pickle.loads(pickle.dumps(task))))))]

    def close(self) -> None:
        self.tasks.clear()


def rollouts(
    executor: Any = None,
    players: Sequence[int] = (2,),
    *,
    masked: bool = True,
    decisions: int = 600,
    figures: bool = True,
) -> tuple[Rollouts, Network]:
    """Rollouts of a league with a snapshot, and the newest network."""
    own = network(5 if len(players) > 1 else players[0], figures=figures, columns=(6, 4) if figures else ())
    about = card(own, players, reward="margin")
    league = League(Baseline((about, own), 1.0), shares=SHARES, anchors=["random", "merchant"], seed=4)
    league.add_snapshot("steps-1", network(own.shape.seats, figures=figures, columns=own.shape.columns, seed=7))
    acting = Acting(about, 3, Luggage({}), masked)
    made = Rollouts(
        executor or InProcess(), acting, league, Snapshots(league, 10**9), players=players,
        decks=["standard", "sampled"], decisions=decisions,
    )  # fmt: skip
    return made, own


def same(one: Decisions | None, other: Decisions | None) -> bool:
    assert one is not None and other is not None
    return all(np.array_equal(first, second) for first, second in zip(one, other, strict=True))


@pytest.mark.parametrize("players", [[2], [2, 3]])
def test_rollouts_do_not_depend_on_who_plays_them_in_which_order_or_on_losses(players: list[int]):
    plain, own = rollouts(players=players)
    other, _ = rollouts(Unreliable(losses=3), players)
    for _ in range(2):
        assert same(plain.next(0, own), other.next(0, own))
    assert plain.league.state() == other.league.state()
    assert plain.counts.lost_parts == 0


def test_two_processes_play_what_one_plays():
    plain, own = rollouts(figures=False)
    with Processes(2) as processes:
        other, _ = rollouts(processes, figures=False)
        assert same(plain.next(0, own), other.next(0, own))
        other.close()


def test_lost_parts_are_counted_and_a_part_that_is_lost_again_and_again_ends_the_run():
    made, own = rollouts(Unreliable(losses=2))
    made.next(0, own)
    assert made.counts.lost_parts == 2
    made, own = rollouts(Unreliable(losses=MOST_LOSSES))
    with pytest.raises(WorkerError, match=r"lost with its worker 5 times; the last one ended its process"):
        made.next(0, own)


def test_a_rollout_is_played_by_the_network_before_the_update_with_the_one_before_it():
    made, own = rollouts()
    later = network(figures=True, columns=(6, 4), seed=9)
    first, second, third = made.next(0, own), made.next(0, later), made.next(0, own)
    assert first is not None and second is not None and third is not None
    for decisions, played_by in ((first, own), (second, own), (third, later)):
        rows = made.row_format.floats(decisions.rows)
        logits, values = played_by.logits_and_values(rows, decisions.masks)
        logs = logits - np.log(np.exp(logits - logits.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True))
        logs -= logits.max(axis=1, keepdims=True)
        chosen = logs[np.arange(len(rows)), decisions.actions]
        np.testing.assert_allclose(decisions.log_probs, chosen, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(decisions.values, values, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("players", [2, 5])
def test_a_decision_takes_at_most_12_bytes(players: int):
    made, own = rollouts(players=[players], decisions=2000, figures=False)
    sizes = []
    collected = made._record

    def note(parts: Any, results: Sequence[Played]) -> None:
        sizes.append(sum(len(pickle.dumps(each)) for each in results) / sum(len(each.values) for each in results))
        collected(parts, results)

    made._record = note  # type: ignore[method-assign]
    made.next(0, own)
    assert 6 < sizes[0] <= 12


@pytest.mark.parametrize("masked", [True, False])
def test_results_reach_the_league_and_an_illegal_action_loses(masked: bool):
    made, own = rollouts(masked=masked, decisions=300)
    decisions = made.next(0, own)
    assert decisions is not None
    legal = decisions.masks[np.arange(len(decisions.actions)), decisions.actions]
    games = sum(member.games for member in made.league.members)
    assert games == len(decisions.counts) == made.counts.games
    if masked:
        assert legal.all() and decisions.counts.min() > 20
    else:  # a network that has learned nothing soon does something illegal
        assert (decisions.masks == 1).all() and (decisions.rewards == -1).all() and decisions.counts.max() < 20
    ahead = sum(member.ahead for member in made.league.members)
    assert ahead == (decisions.rewards > 0).sum() + 0.5 * (decisions.rewards == 0).sum() if masked else ahead == 0


def test_a_state_brings_back_what_is_being_played():
    made, own = rollouts()
    snapshot = made.league.past[0].player.network  # type: ignore[union-attr]
    later = network(figures=True, columns=(6, 4), seed=9)
    made.next(0, own)
    made.next(600, later)
    league, state = made.league.state(), pickle.loads(pickle.dumps(made.state()))
    again, _ = rollouts()
    again.league.restore(league, lambda name: snapshot)
    again.restore(state)
    for _ in range(2):
        assert same(made.next(1200, own), again.next(1200, own))


def test_moves_that_are_no_whole_games_are_refused():
    made, own = rollouts(decisions=100)
    seen: list[Any] = []
    collected = made._record
    made._record = lambda parts, results: (seen.append((parts[0], results[0])), collected(parts, results))[1]  # type: ignore[method-assign]
    made.next(0, own)
    part, played = seen[0]

    def again(moves: np.ndarray, decisions: int) -> None:
        replay(2, part.decks, part.seeds, moves, played.lengths, played.seats, decisions, made.row_format)

    again(played.moves, len(played.values))
    for moves, decisions in (
        (played.moves[:-1], len(played.values)), (played.moves, len(played.values) - 1),
        (played.moves, len(played.values) + 1), (np.roll(played.moves, 1), len(played.values)),
    ):  # fmt: skip
        with pytest.raises(RecordError, match="not whole games"):
            again(moves, decisions)


def test_advantages_are_those_of_the_textbook_game_by_game():
    rng = np.random.default_rng(0)
    counts, rewards = np.array([3, 1, 4]), np.array([1.0, -1.0, 0.5], dtype=np.float32)
    values = rng.normal(size=8).astype(np.float32)
    empty = np.zeros((8, 0))
    got = advantages(Decisions(empty, empty, empty, empty, values, counts, rewards), gamma=0.9, gae_lambda=0.7)
    expected, start = [], 0
    for count, reward in zip(counts, rewards, strict=True):
        own = values[start : start + count]
        errors = np.append(0.9 * own[1:] - own[:-1], reward - own[-1])
        expected += [sum((0.9 * 0.7) ** k * error for k, error in enumerate(errors[now:])) for now in range(count)]
        start += count
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)
