"""Learning from search: what searched games hold, that they are learned from, and that a run resumes there."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.small_networks import TINY, card, network

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from speicher_agents.baselines import read_baseline, write_tensors  # noqa: E402
from speicher_agents.baselines.guided import GuidedByBaseline  # noqa: E402
from speicher_env.errors import ArgumentError  # noqa: E402
from speicher_training.executor import InProcess  # noqa: E402
from speicher_training.train import train  # noqa: E402
from speicher_training.train.learner import make_learner  # noqa: E402
from speicher_training.train.metrics import read_metrics  # noqa: E402
from speicher_training.train.policy import SparsePolicy  # noqa: E402
from speicher_training.train.recipe import Recipe, recipe_from  # noqa: E402
from speicher_training.train.rounds import Part  # noqa: E402
from speicher_training.train.search_learning import SearchLearning, SearchProgress  # noqa: E402
from speicher_training.train.searched_games import (  # noqa: E402
    SearchedPlay,
    SearchedPlayed,
    replayed_targets,
)

SEARCH = {"decisions": 1500, "iterations": 4, "quick_iterations": 2, "games": 4, "window": 600, "batch_size": 64}


def searched(
    players: int = 2, games: int = 3, full_share: float = 0.5, quick: int = 2
) -> tuple[Part, SearchedPlayed, Any]:
    """A part of games that a search has played, with the card of its network."""
    own = network(players, activation="relu", figures=True, columns=(6, 4), shared=(9,), every_seat=True)
    about = card(own, [players])
    content = InProcess().share(write_tensors(own.tensors()))
    part = Part(3, players, np.arange(games, dtype=np.uint64), ("standard",) * games, content)
    play = SearchedPlay(about, 1, 6, quick, full_share, 1.0).begin(lambda doing, seconds: None)
    return part, play(part), about


@pytest.mark.parametrize("players", [2, 4])
def test_targets_are_distributions_over_legal_actions_and_shares_that_sum_to_one(players: int):
    part, played, about = searched(players)
    targets = replayed_targets(part, played, about, search_values=0.5)
    assert len(targets.rows) == played.full.sum() == len(played.values) > 50
    assert (targets.policy[targets.masks == 0] == 0).all()
    np.testing.assert_allclose(targets.policy.sum(axis=1), 255, atol=4)  # rounded to bytes
    np.testing.assert_allclose(targets.shares.sum(axis=1), 1.0, atol=2e-3)


def test_without_the_searchs_values_the_target_is_the_result_clockwise_from_the_deciding_seat():
    part, played, about = searched(3)
    targets = replayed_targets(part, played, about, search_values=0.0)
    best = targets.points[:, :3].max(axis=1)
    won = targets.points[:, 0] == best
    assert (targets.shares[won, 0] > 0).all() and (targets.shares[~won, 0] == 0).all() and won.any() and not won.all()


def test_a_share_of_the_searches_is_full_and_a_decision_takes_at_most_40_bytes():
    _, played, _ = searched(2, games=8, full_share=0.25)
    assert 0.15 < played.full.mean() < 0.35
    _, everything, _ = searched(2, full_share=1.0)
    assert everything.full.all()
    assert len(pickle.dumps(everything)) / len(everything.full) <= 40


def test_without_quick_searches_only_the_decisions_to_learn_from_are_searched(monkeypatch: pytest.MonkeyPatch):
    positions: list[int] = []
    targets = GuidedByBaseline.targets

    def counted(self: GuidedByBaseline, states: np.ndarray, noise: bool = True) -> Any:
        positions.append(len(states))
        return targets(self, states, noise)

    monkeypatch.setattr(GuidedByBaseline, "targets", counted)
    _, played, _ = searched(full_share=0.25, quick=0)
    assert 0 < sum(positions) == played.full.sum() == len(played.values) < len(played.full) / 2
    _, again, _ = searched(full_share=0.25, quick=0)
    np.testing.assert_array_equal(again.moves, played.moves)


def recipe(**search: Any) -> Recipe:
    tables = {**TINY, "network": {**TINY["network"], "every_seat": True}, "search": {**SEARCH, **search}}
    return recipe_from(tables, "searched").changed(ppo={"steps": 384}, run={"checkpoint_steps": 1})


def weights(run: Path) -> bytes:
    return (run / "baseline.safetensors").read_bytes()


class Killed(BaseException):
    """In place of kill -9: nothing catches it."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing interrupted."""
    out = tmp_path_factory.mktemp("runs") / "whole"
    train(recipe(), out, seed=3, plots=False, jobs=1)
    return out


def test_a_run_learns_from_search_and_is_evaluated_against_what_it_was_before(whole: Path):
    lines = read_metrics(whole / "metrics.jsonl")
    rounds = [line for line in lines if line["kind"] == "search"]
    assert len(rounds) >= 2 and rounds[-1]["decisions"] >= SEARCH["decisions"]
    assert all(line["policy_error"] >= 0 for line in rounds)
    assert [line["opponent"] for line in lines if line["kind"] == "evaluation"][-1] == "before"
    assert read_baseline(whole)[0].reward == "outcome"
    assert not any(line["kind"] == "value_finetuning" for line in lines)


def test_a_run_that_is_killed_while_it_learns_from_search_goes_on_to_the_same_weights(whole: Path, tmp_path: Path):
    def watch(line: dict[str, Any]) -> None:
        if line["kind"] == "search" and line["decisions"] > 800:
            raise Killed

    with pytest.raises(Killed):
        train(recipe(), tmp_path / "run", seed=3, plots=False, jobs=1, watch=watch)
    train(recipe(), tmp_path / "run", seed=3, plots=False, jobs=1)
    assert weights(tmp_path / "run") == weights(whole)


def test_another_budget_than_decisions_ends_the_search(whole: Path):
    settings = recipe().search
    learner = make_learner(recipe().shape, recipe().ppo, seed=3)
    assert isinstance(learner.policy, SparsePolicy)
    stage = SearchLearning(
        learner.policy, read_baseline(whole)[0], settings, InProcess(), decks=["standard"], seed=3
    )  # fmt: skip
    rounds: list[SearchProgress] = []
    stage.learn(rounds.append, used=lambda: len(rounds) / 2)
    assert len(rounds) == 2 and 0 < stage.decisions < settings.decisions


def test_two_processes_search_what_one_searches(whole: Path, tmp_path: Path):
    train(recipe(), tmp_path / "run", seed=3, plots=False, jobs=2)
    assert weights(tmp_path / "run") == weights(whole)


def test_a_network_that_answers_for_one_seat_cannot_learn_from_search():
    with pytest.raises(ArgumentError, match=r"network.every_seat=false: must be true where search.decisions is not 0"):
        recipe_from({**TINY, "network": {"every_seat": False}, "search": {"decisions": 100}}, "one")
