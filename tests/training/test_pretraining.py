"""Imitation pretraining: the data of the teacher, and that the learner learns from it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.small_networks import card, network, policy

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from speicher_agents.specs import load_agent  # noqa: E402
from speicher_env.batch import Batch  # noqa: E402
from speicher_env.errors import ArgumentError  # noqa: E402
from speicher_training.train.pretraining import ImitationData, PretrainingProgress, imitation_data, pretrain  # noqa: E402
from speicher_training.train.selfplay import DECISIONS_OF_A_GAME  # noqa: E402


def first_data(players: int = 2, teacher: str = "merchant", games: int = 4) -> ImitationData:
    """The data of the first games."""
    shape = card(network(players), [players])
    decisions = (games - 1) * DECISIONS_OF_A_GAME
    rng = np.random.default_rng(1)
    return next(imitation_data(policy(players), shape, ["standard"], decisions, rng, load_agent(teacher)))


@pytest.mark.parametrize("players", [2, 3])
def test_every_action_to_imitate_is_legal_and_no_decision_is_forced(players: int):
    data = first_data(players)
    assert len(data.actions) > 100
    assert (data.masks[np.arange(len(data.actions)), data.actions] == 1).all()
    assert (data.masks.sum(axis=1) >= 2).all()


def test_payoffs_are_those_of_whole_games():
    """In 2-player games each decision is paid 1, -1 or 0, and both seats are data."""
    data = first_data(games=8)
    assert set(np.unique(data.payoffs)) <= {-1.0, 0.0, 1.0}
    assert {-1.0, 1.0} <= set(np.unique(data.payoffs))


def test_the_actions_to_imitate_are_the_teachers():
    """Asked about the same positions, a teacher that draws nothing says the same again."""
    batch = Batch(1)
    batch.reset([5])
    views = batch.views(np.arange(1))
    assert load_agent("merchant").act(views) == load_agent("merchant").act(views)
    random, merchant = first_data(teacher="random"), first_data(teacher="merchant")
    first = slice(0, 4)  # the same deals, before anything was played
    np.testing.assert_array_equal(random.rows[first], merchant.rows[first])
    assert not np.array_equal(random.actions[:40], merchant.actions[:40])


def test_a_learner_comes_to_agree_with_its_teacher():
    learner, progress = policy(), list[PretrainingProgress]()
    for decisions in (1500, 20_000, 1500):
        pretrain(learner, card(network()), "frugal", decisions, decks=["standard"], batch_size=128,
                 watch=progress.append, learning_rate=0.01)  # fmt: skip
    before, _, after = progress
    assert before.agreement < 0.4 and after.agreement > 0.6
    assert after.value_error < before.value_error


def test_a_learner_without_the_mask_learns_what_is_legal():
    def legal(decisions: int) -> float:
        learner = policy()
        pretrain(learner, card(network()), "frugal", decisions, decks=["standard"], batch_size=128, learning_rate=0.01,
                masked=False)  # fmt: skip
        data = first_data(teacher="frugal")
        with torch.no_grad():
            chances = learner.logits_and_values(torch.as_tensor(data.rows), None)[0].softmax(dim=1).numpy()
        return float((chances * data.masks).sum(axis=1).mean())

    assert legal(300) < 0.2 < 0.35 < legal(20_000)


def test_the_same_seed_teaches_the_same():
    def weights(seed: int) -> np.ndarray:
        learner = policy(seed=3)
        pretrain(learner, card(network()), "merchant", 300, decks=["standard"], seed=seed)
        return torch.nn.utils.parameters_to_vector(learner.parameters()).detach().numpy()

    np.testing.assert_array_equal(weights(1), weights(1))
    assert not np.array_equal(weights(1), weights(2))


def test_an_unknown_teacher_is_named():
    with pytest.raises(ArgumentError, match="merchant"):
        pretrain(policy(), card(network()), "merchnt", 300, decks=["standard"])
