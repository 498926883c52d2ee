"""A head start: what the learner is shown, and that it learns it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support.small_networks import card, network

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from speicher_agents.baselines import Shape  # noqa: E402
from speicher_agents.specs import load_agent  # noqa: E402
from speicher_env.batch import Batch  # noqa: E402
from speicher_env.envs.sb3 import SpeicherVecEnv  # noqa: E402
from speicher_env.errors import ArgumentError  # noqa: E402
from speicher_training.train import policy_arguments, selfplay  # noqa: E402
from speicher_training.train.learner import make_learner  # noqa: E402
from speicher_training.train.pretraining import Imitation, imitate  # noqa: E402
from speicher_training.train.recipe import recipe_from  # noqa: E402
from speicher_training.train.selfplay import DECISIONS_OF_A_GAME, lessons_of  # noqa: E402
from speicher_training.train.value_finetuning import learn_to_judge  # noqa: E402


def policy(players: int = 2, padded: bool = False, seed: int = 0) -> torch.nn.Module:
    """A small policy that knows nothing."""
    recipe = recipe_from({"ppo": {"games": 2, "rollout": 8, "batch_size": 16}}, "small")
    env = SpeicherVecEnv(2, players, padded=padded)
    shape = Shape(5 if padded else players, (12, 8), (12, 8), activation="tanh")
    return make_learner(env, recipe.ppo, policy_arguments(shape), seed).policy


def lesson(players: int = 2, teacher: str = "merchant", games: int = 4):
    """The first lesson."""
    told = card(network(players), [players])
    decisions = (games - 1) * DECISIONS_OF_A_GAME
    rng = np.random.default_rng(1)
    return next(lessons_of(policy(players), told, ["standard"], decisions, rng, load_agent(teacher)))


@pytest.mark.parametrize("players", [2, 3])
def test_every_answer_is_legal_and_no_decision_is_forced(players: int):
    shown = lesson(players)
    assert len(shown.answers) > 100
    assert (shown.masks[np.arange(len(shown.answers)), shown.answers] == 1).all()
    assert (shown.masks.sum(axis=1) >= 2).all()


def test_payoffs_are_those_of_whole_games():
    """In 2-player games each decision is paid 1, -1 or 0, and both seats are shown."""
    shown = lesson(games=8)
    assert set(np.unique(shown.payoffs)) <= {-1.0, 0.0, 1.0}
    assert {-1.0, 1.0} <= set(np.unique(shown.payoffs))


def test_the_answers_are_the_teachers():
    """Asked about the same positions, a teacher that draws nothing says the same again."""
    batch = Batch(1)
    batch.reset([5])
    views = batch.views(np.arange(1))
    assert load_agent("merchant").act(views) == load_agent("merchant").act(views)
    random, merchant = lesson(teacher="random"), lesson(teacher="merchant")
    first = slice(0, 4)  # the same deals, before anything was played
    np.testing.assert_array_equal(random.rows[first], merchant.rows[first])
    assert not np.array_equal(random.answers[:40], merchant.answers[:40])


def test_a_learner_comes_to_agree_with_its_teacher():
    learner, told = policy(), list[Imitation]()
    for decisions in (300, 20_000, 300):
        imitate(learner, card(network()), "frugal", decisions, decks=["standard"], batch_size=128, watch=told.append,
                learning_rate=0.01)  # fmt: skip
    before, _, after = told
    assert before.agreement < 0.4 and after.agreement > 0.6
    assert after.value_error < before.value_error


def test_a_learner_without_the_mask_learns_what_is_legal():
    def legal(decisions: int) -> float:
        learner = policy()
        imitate(learner, card(network()), "frugal", decisions, decks=["standard"], batch_size=128, learning_rate=0.01,
                masked=False)  # fmt: skip
        shown = lesson(teacher="frugal")
        with torch.no_grad():
            chances = learner._run(torch.as_tensor(shown.rows), None)[0].softmax(dim=1).numpy()
        return float((chances * shown.masks).sum(axis=1).mean())

    assert legal(300) < 0.2 < 0.35 < legal(20_000)


def test_the_same_seed_teaches_the_same():
    def weights(seed: int) -> np.ndarray:
        learner = policy(seed=3)
        imitate(learner, card(network()), "merchant", 300, decks=["standard"], seed=seed)
        return torch.nn.utils.parameters_to_vector(learner.parameters()).detach().numpy()

    np.testing.assert_array_equal(weights(1), weights(1))
    assert not np.array_equal(weights(1), weights(2))


def test_an_unknown_teacher_is_named():
    with pytest.raises(ArgumentError, match="merchant"):
        imitate(policy(), card(network()), "merchnt", 300, decks=["standard"])


@pytest.mark.parametrize(("astray", "trace"), [(0.0, 1.0), (0.05, 0.95)])
def test_judgement_changes_the_value_alone_and_comes_to_expect_who_wins(
    monkeypatch: pytest.MonkeyPatch, astray: float, trace: float
):
    """A policy that knows nothing wins by chance, so nothing can be expected, and 1 is the least error."""
    monkeypatch.setattr(selfplay, "GAMES", 8)
    learner, paid = policy(), replace(card(network()), reward="margin")
    torch.nn.init.constant_(learner.value_net.bias, 3.0)
    before = {name: array.clone() for name, array in learner.state_dict().items()}

    def error() -> float:
        """Of the values in games that go as the policy wants."""
        shown = next(lessons_of(learner, card(network()), ["standard"], 3_000, np.random.default_rng(9)))
        with torch.no_grad():
            values = learner.predict_values(torch.as_tensor(shown.rows))[:, 0].numpy()
        return float(np.square(values - shown.payoffs).mean())

    assert error() > 4.0
    judged = learn_to_judge(
        learner, paid, 30_000, decks=["standard"], batch_size=128, learning_rate=0.003, astray=astray, trace=trace
    )
    changed = {name for name, array in learner.state_dict().items() if not torch.equal(array, before[name])}
    assert changed and all("value" in name for name in changed)
    assert judged.reward == "outcome"
    assert error() < 1.1


def test_judgement_learns_from_what_its_settings_say(monkeypatch: pytest.MonkeyPatch):
    """Going astray and looking less far ahead both change what is learned; the same settings learn the same."""

    monkeypatch.setattr(selfplay, "GAMES", 2)  # so that 600 decisions take several lessons

    def values(**settings: float) -> np.ndarray:
        learner = policy(seed=3)
        learn_to_judge(learner, card(network()), 600, decks=["standard"], batch_size=128, seed=1, **settings)
        return torch.nn.utils.parameters_to_vector(learner.parameters()).detach().numpy()

    plain = values(astray=0.0, trace=1.0)
    np.testing.assert_array_equal(plain, values(astray=0.0, trace=1.0))
    assert not np.array_equal(plain, values(astray=0.5, trace=1.0))
    assert not np.array_equal(plain, values(astray=0.0, trace=0.2))
