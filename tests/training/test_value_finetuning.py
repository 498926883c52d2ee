"""Value fine-tuning: its targets, and that the value learns who wins while the policy stays as it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support.small_networks import card, network, policy

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from speicher_env.batch.replay import Decisions  # noqa: E402
from speicher_training.executor import InProcess  # noqa: E402
from speicher_training.train import selfplay  # noqa: E402
from speicher_training.train.export import network_of  # noqa: E402
from speicher_training.train.selfplay import Games, SelfPlay, SelfPlayRounds  # noqa: E402
from speicher_training.train.value_finetuning import finetune_value, value_targets  # noqa: E402

WON, LOST = [1.0, 0.0], [0.0, 1.0]


def games(counts: list[int], random_moves: list[int]) -> Games:
    """Games with so many decisions, of which those listed are random moves."""
    count = sum(counts)
    nothing = np.zeros((count, 0))
    shares = np.array([WON, LOST][: len(counts)], dtype=np.float32)
    seen = Decisions(nothing, nothing, nothing, nothing, np.array(counts), nothing, nothing, shares)
    return Games(2, seen, np.zeros(count, np.uint8), np.isin(np.arange(count), random_moves))


def targets(predicted: list[float], counts: list[int], random_moves: list[int], trace: float) -> list[float]:
    """The targets of the first seat's share."""
    played = games(counts, random_moves)
    shares = np.array([[share, 1 - share] for share in predicted], dtype=np.float32)
    found = value_targets(played, played.decisions.shares, shares, trace)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-6)
    return [round(float(share), 6) for share in found[:, 0]]


def test_with_a_full_trace_every_target_is_the_result_of_its_game():
    assert targets([0.3, 0.1, 0.2, 0.9], [3, 1], [], 1.0) == [1.0, 1.0, 1.0, 0.0]


def test_without_a_trace_a_target_is_what_is_predicted_at_the_next_decision():
    assert targets([0.3, 0.1, 0.2, 0.9, 0.4], [3, 2], [], 0.0) == [0.1, 0.2, 1.0, 0.4, 0.0]


def test_between_both_later_predictions_count_less():
    assert targets([0.0, 0.4, 0.8], [3], [], 0.5) == [0.5 * 0.4 + 0.25 * 0.8 + 0.25, 0.9, 1.0]


def test_what_follows_a_random_move_says_nothing_about_the_decisions_before_it():
    found = targets([0.5, 0.25, 0.375, 0.75], [4], [2], 1.0)
    assert [found[0], found[1], found[3]] == [0.375, 0.375, 1.0]


@pytest.mark.parametrize(("random_moves", "trace"), [(0.0, 1.0), (0.05, 0.95)])
def test_the_value_learns_to_predict_who_wins_and_the_policy_stays_as_it_was(
    monkeypatch: pytest.MonkeyPatch, random_moves: float, trace: float
):
    """A policy that knows nothing wins by chance, so nothing can be predicted, and 1 is the least error."""
    monkeypatch.setattr(selfplay, "GAMES", 8)
    learner, paid = policy(), replace(card(network()), reward="margin")
    torch.nn.init.constant_(learner.value_net.bias, 3.0)

    def judged() -> tuple[float, np.ndarray]:
        """The error of the values in games of the policy alone, and its logits there."""
        before = network()
        played = SelfPlayRounds(InProcess(), SelfPlay(card(before), 9), ["standard"], 3_000).games(before)
        assert played is not None
        seen, own = played.decisions, network_of(learner)
        rows = own.shape.row_format._replace(dtype="uint8").floats(seen.rows)
        logits, values = own.logits_and_values(rows, seen.masks)
        logits = np.where(seen.masks == 1, logits, -1e9)
        logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
        payoffs = seen.rewards[played.game, seen.seats]
        return float(np.square(values - payoffs).mean()), np.exp(logits)

    error, chances = judged()
    assert error > 4.0
    tuned = finetune_value(
        learner,
        paid,
        30_000,
        decks=["standard"],
        batch_size=128,
        learning_rate=0.003,
        random_moves=random_moves,
        trace=trace,
    )
    assert tuned.reward == "outcome"
    error, after = judged()
    assert error < 1.1
    assert np.abs(after - chances).sum(axis=1).mean() < 0.1
