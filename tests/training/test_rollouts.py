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
from speicher_training.train.evaluation import SeatGames, play_seats
from speicher_training.train.handout import MOST_LOSSES
from speicher_training.train.league import League, Snapshots
from speicher_training.train.rollouts import Decisions, Rollouts, advantages
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


def test_evaluations_are_played_by_the_same_workers_and_change_no_rollout():
    plain, own = rollouts()
    other, _ = rollouts(Unreliable(losses=3))
    player = Baseline((other._acting.card, own))
    assert same(plain.next(0, own), other.next(0, own))
    games = [SeatGames(opponent, 2, seat, 8, "standard") for opponent in (player, "merchant") for seat in range(2)]
    shares = np.array(other.play_seats(player, games))
    assert np.array_equal(shares, play_seats(player, games)) and 0 < shares[0].sum() < 8 and not shares[2:].any()
    assert same(plain.next(0, own), other.next(0, own))


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
    _, first, counts = np.unique(decisions.sequences, return_index=True, return_counts=True)
    rewards = decisions.rewards[first]
    games = sum(member.games for member in made.league.members)
    newest = made.league.newest.games
    assert games == made.counts.games
    ahead = sum(member.ahead for member in made.league.members)
    if masked:  # where the newest is the opponent, both seats are learned from, and one of them is ahead of the other
        assert legal.all() and counts.min() > 20 and len(counts) == games + newest and 0 < newest < games
        assert ahead + newest == (rewards > 0).sum() + 0.5 * (rewards == 0).sum() + made.league.newest.ahead
    else:  # a network that has learned nothing soon does something illegal
        assert (decisions.masks == 1).all() and (rewards == -1).all() and counts.max() < 20
        assert len(counts) == games and ahead == 0


def test_results_of_every_seat_come_with_each_decision_clockwise_from_its_own():
    made, own = rollouts(players=[2, 3], decisions=300)
    decisions = made.next(0, own)
    assert decisions is not None
    np.testing.assert_allclose(decisions.shares.sum(axis=1), 1.0, rtol=1e-6)
    present = np.arange(5) < decisions.players[:, None]
    assert (decisions.shares[~present] == 0).all() and (decisions.points[~present] == 0).all()
    others = np.where(present, decisions.points, -1000.0)[:, 1:].max(axis=1)
    margin = np.clip((decisions.points[:, 0] - others) / 30, -1, 1)  # the reward of these rollouts
    np.testing.assert_allclose(decisions.rewards, margin, atol=1e-6)
    best = decisions.points[:, 0] > others
    assert (decisions.shares[best, 0] == 1).all() and (decisions.shares[decisions.points[:, 0] < others, 0] == 0).all()


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
        replay(2, part.decks, part.seeds, moves, played.lengths, played.learned, decisions, made.row_format)

    again(played.moves, len(played.values))
    for moves, decisions in (
        (played.moves[:-1], len(played.values)), (played.moves, len(played.values) - 1),
        (played.moves, len(played.values) + 1), (np.roll(played.moves, 1), len(played.values)),
    ):  # fmt: skip
        with pytest.raises(RecordError, match="not whole games"):
            again(moves, decisions)


def test_advantages_are_those_of_the_textbook_for_each_seat_of_each_game():
    rng = np.random.default_rng(0)
    sequences = np.array([0, 1, 0, 0, 1, 7, 7, 8, 7])  # two seats of a game take turns, then two of another
    rewards = np.select([sequences == 0, sequences == 1, sequences == 7], [1.0, -1.0, 0.5], 0.25).astype(np.float32)
    values = rng.normal(size=9).astype(np.float32)
    nothing = np.zeros((9, 0))
    made = Decisions(nothing, nothing, nothing, nothing, values, sequences, rewards, nothing, nothing, nothing)
    got = advantages(made, gamma=0.9, gae_lambda=0.7)
    for sequence in (0, 1, 7, 8):
        places = np.flatnonzero(sequences == sequence)
        own = values[places]
        errors = np.append(0.9 * own[1:] - own[:-1], rewards[places[0]] - own[-1])
        expected = [sum((0.9 * 0.7) ** k * error for k, error in enumerate(errors[now:])) for now in range(len(places))]
        np.testing.assert_allclose(got[places], expected, rtol=1e-5, atol=1e-6)
