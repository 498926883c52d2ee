"""Self-play and imitation: the teacher's data, and that the learner learns from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.small_networks import card, network, policy, write

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from speicher_agents.specs import load_agent  # noqa: E402
from speicher_env.batch import Batch  # noqa: E402
from speicher_env.errors import ArgumentError  # noqa: E402
from speicher_training.executor import InProcess, Processes  # noqa: E402
from speicher_training.train.imitation import Imitation, ImitationProgress  # noqa: E402
from speicher_training.train.selfplay import DECISIONS_OF_A_GAME, Games, SelfPlay, SelfPlayRounds  # noqa: E402


def first_games(
    players: int = 2,
    teacher: str = "merchant",
    games: int = 4,
    random_moves: float = 0.0,
    decks: Sequence[str] = ("standard",),
    taught: tuple[str, ...] | None = None,
) -> Games:
    """The games of the first round."""
    own = network(players)
    job = SelfPlay(card(own, [players]), 1, teacher, taught, random_moves)
    first = SelfPlayRounds(InProcess(), job, decks, (games - 1) * DECISIONS_OF_A_GAME).games(own)
    assert first is not None
    return first


def imitate(
    learner: Any,
    teacher: str,
    decisions: int,
    watch: Callable[[ImitationProgress], None] = lambda progress: None,
    **settings: Any,
) -> None:
    """Imitation of a teacher in games of two players, on the standard deck unless the settings say otherwise."""
    Imitation(learner, card(network()), teacher, decisions, **({"decks": ["standard"]} | settings)).learn(watch)


@pytest.mark.parametrize("players", [2, 3])
def test_every_action_to_imitate_is_legal_and_no_decision_is_forced(players: int):
    games = first_games(players)
    masks = games.decisions.masks
    assert len(games.policy) > 100
    assert (games.policy[masks == 0] == 0).all() and (games.policy.max(axis=1) == 255).all()
    assert (masks.sum(axis=1) >= 2).all()


def test_the_decisions_of_all_seats_come_with_the_results_of_whole_games():
    seen = first_games(3, games=8).decisions
    assert set(seen.seats.tolist()) == {0, 1, 2} and len(seen.counts) == 8
    np.testing.assert_allclose(seen.shares.sum(axis=1), 1.0, rtol=1e-6)
    np.testing.assert_allclose(seen.rewards, (3 * seen.shares - 1) / 2, atol=1e-6)


def test_the_actions_to_imitate_are_the_teachers():
    """Asked about the same positions, a teacher that draws nothing says the same again."""
    batch = Batch(1)
    batch.reset([5])
    views = batch.views(np.arange(1))
    assert load_agent("merchant").act(views) == load_agent("merchant").act(views)
    random, merchant = first_games(teacher="random"), first_games(teacher="merchant")
    np.testing.assert_array_equal(random.decisions.rows[0], merchant.decisions.rows[0])  # before anything was played
    assert not np.array_equal(random.policy[:40], merchant.policy[:40])


def test_a_teacher_that_is_a_network_teaches_its_probabilities(tmp_path: Path):
    teacher = network(seed=5)
    games = first_games(teacher=f"baseline:{write(tmp_path, teacher)}")
    numbers = teacher.shape.row_format._replace(dtype="uint8").floats(games.decisions.rows)
    logits = torch.as_tensor(teacher.logits(numbers, games.decisions.masks))
    np.testing.assert_allclose(games.policy / 255, logits.softmax(dim=1).numpy(), atol=0.003)
    assert (games.policy.max(axis=1) < 200).mean() > 0.2, "it is in doubt somewhere"


def test_on_decks_that_are_not_taught_nobody_asks_the_teacher():
    games = first_games(games=6, decks=["standard", "sampled"], taught=("sampled",))
    asked = (games.policy > 0).any(axis=1)
    np.testing.assert_array_equal(asked, games.game % 2 == 1)
    everywhere = first_games(games=6, decks=["standard", "sampled"])
    assert (everywhere.policy > 0).any(axis=1).all()


def test_on_decks_that_are_not_taught_the_policy_stays_as_it_was():
    def change(taught: Sequence[str] | None) -> float:
        """How far the policy is from what it was, on sampled decks."""
        learner = policy()
        before = deepcopy(learner)
        decks = ["standard", "sampled"]
        imitate(learner, "frugal", 12_000, decks=decks, batch_size=128, learning_rate=0.01, taught=taught)
        seen = first_games(games=12, decks=["sampled"], teacher="").decisions
        with torch.no_grad():
            now, then = (
                each.logits_and_values(torch.as_tensor(seen.rows), seen.masks)[0].softmax(dim=1)
                for each in (learner, before)
            )
        return float((now - then).abs().sum(dim=1).mean())

    assert change(["standard"]) < 0.7 * change(None)


@pytest.mark.parametrize("players", [2, 4])
def test_moves_are_random_as_often_as_asked_for(players: int):
    assert not first_games(players, teacher="").at_random.any()
    assert 0.2 < first_games(players, teacher="", games=30, random_moves=0.25).at_random.mean() < 0.3


def test_two_processes_play_what_one_plays():
    own = network()
    job = SelfPlay(card(own), 1, "frugal")
    played = []
    with Processes(2) as processes:
        for executor in (InProcess(), processes):
            with closing(SelfPlayRounds(executor, job, ["standard", "sampled"], 600)) as rounds:
                played.append([rounds.games(own) for _ in range(2)])
    for one, other in zip(*played, strict=True):
        assert one is not None and other is not None
        for own_array, wanted in zip(one.decisions, other.decisions, strict=True):
            np.testing.assert_array_equal(own_array, wanted)
        np.testing.assert_array_equal(one.policy, other.policy)


def test_a_learner_comes_to_agree_with_its_teacher():
    learner, progress = policy(), list[ImitationProgress]()
    for decisions in (1500, 20_000, 1500):
        imitate(learner, "frugal", decisions, progress.append, batch_size=128, learning_rate=0.01)
    before, _, after = progress[0], progress[-2], progress[-1]
    assert before.agreement < 0.4 and after.agreement > 0.6
    assert after.value_error < before.value_error


def test_a_learner_without_the_mask_learns_what_is_legal():
    def legal(decisions: int) -> float:
        learner = policy()
        imitate(learner, "frugal", decisions, batch_size=128, learning_rate=0.01, masked=False)
        seen = first_games(teacher="frugal").decisions
        with torch.no_grad():
            chances = learner.logits_and_values(torch.as_tensor(seen.rows), None)[0].softmax(dim=1).numpy()
        return float((chances * seen.masks).sum(axis=1).mean())

    assert legal(300) < 0.2 < 0.35 < legal(20_000)


def test_the_same_seed_teaches_the_same():
    def weights(seed: int) -> np.ndarray:
        learner = policy(seed=3)
        imitate(learner, "merchant", 300, seed=seed)
        return torch.nn.utils.parameters_to_vector(learner.parameters()).detach().numpy()

    np.testing.assert_array_equal(weights(1), weights(1))
    assert not np.array_equal(weights(1), weights(2))


def test_an_unknown_teacher_is_named():
    with pytest.raises(ArgumentError, match="merchant"):
        imitate(policy(), "merchnt", 300)
