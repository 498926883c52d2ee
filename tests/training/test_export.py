"""Between stable-baselines3 and NumPy nothing changes by more than 1e-5, in either direction."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.small_networks import network, views

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from sb3_contrib import MaskablePPO  # noqa: E402

from speicher_agents.baselines import Baseline, Network, Shape  # noqa: E402
from speicher_agents.baselines.columns import column_places  # noqa: E402
from speicher_env import ArgumentError  # noqa: E402
from speicher_env.envs.sb3 import SpeicherVecEnv  # noqa: E402
from speicher_training.train import load_into, network_of, policy_arguments, write_baseline  # noqa: E402
from speicher_training.train.features import LEAST_SPREAD  # noqa: E402

CLOSE = 1e-5
READS: dict[str, dict[str, Any]] = {
    "all": {"figures": True, "columns": (9, 7), "shared": (15, 13)},
    "not shared": {"figures": True, "columns": (9, 7)},
    "shared": {"shared": (11,)},
    "figures": {"figures": True},
    "columns": {"columns": (6,)},
    "plain": {},
}
"""Parts of a `Shape`: what the network reads."""
reads = pytest.mark.parametrize("reads", READS.values(), ids=READS)


def model(
    players: int = 2,
    activation: str = "tanh",
    seed: int = 0,
    policy: tuple[int, ...] = (24, 16),
    reads: Mapping[str, Any] = READS["plain"],
) -> MaskablePPO:
    env = SpeicherVecEnv(4, players, seed=1, figures=reads.get("figures", False))
    arguments = policy_arguments(Shape(players, policy, (20,), activation=activation, **reads))
    made = MaskablePPO("MlpPolicy", env, n_steps=4, batch_size=4, policy_kwargs=arguments, seed=seed, device="cpu")
    with torch.no_grad():
        for weights in made.policy.parameters():
            weights.add_(0.1 * torch.randn_like(weights))  # as they are made, biases are 0
    made.policy.features_extractor.fit(
        views(players, decisions=10 + 5 * seed, figures=reads.get("figures", False)).observations
    )
    return made


def figures_of(learner: MaskablePPO) -> bool:
    return learner.policy.features_extractor.shape.figures


def in_torch(learner: MaskablePPO, players: int) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities and values of the policy itself."""
    shown = views(players, figures=figures_of(learner))
    rows = torch.as_tensor(shown.observations)
    with torch.no_grad():
        chances = learner.policy.get_distribution(rows, action_masks=shown.masks).distribution.probs
        return chances.numpy(), learner.policy.predict_values(rows).numpy()[:, 0]


def baseline_of(learner: MaskablePPO, folder: Path, players: int) -> Baseline:
    path = write_baseline(
        network_of(learner.policy), folder, "mine", players=[players], deck="standard", padded=False,
        reward="outcome", training={"seed": 0},
    )  # fmt: skip
    return Baseline(path)


@reads
@pytest.mark.parametrize(("players", "activation"), [(2, "tanh"), (4, "relu")])
def test_the_exported_baseline_computes_what_the_policy_computes(
    tmp_path: Path, players: int, activation: str, reads: Mapping[str, Any]
):
    learner = model(players, activation, reads=reads)
    baseline = baseline_of(learner, tmp_path, players)
    chances, values = in_torch(learner, players)
    np.testing.assert_allclose(baseline.policy(views(players)), chances, atol=CLOSE)
    numbers = views(players, figures=baseline.figures).observations
    np.testing.assert_allclose(baseline.network.values(numbers), values, rtol=CLOSE, atol=CLOSE)
    assert baseline.card.training == {"seed": 0}
    assert baseline.card.shape == Shape(players, (24, 16), (20,), activation=activation, **reads)


@reads
def test_a_baseline_goes_back_into_a_policy(tmp_path: Path, reads: Mapping[str, Any]):
    learner, other = model(seed=1, reads=reads), model(seed=2, reads=reads)
    before = in_torch(other, 2)
    load_into(other.policy, baseline_of(learner, tmp_path, 2).network)
    for own, wanted, old in zip(in_torch(other, 2), in_torch(learner, 2), before, strict=True):
        np.testing.assert_allclose(own, wanted, rtol=CLOSE, atol=CLOSE)
        assert np.abs(old - wanted).max() > 100 * CLOSE


@reads
def test_a_network_that_has_learned_nothing_fits_the_policy(reads: Mapping[str, Any]):
    own = network_of(model(reads=reads).policy)
    blank = Network.zeros(own.shape)
    assert {name: array.shape for name, array in blank.tensors().items()} == {
        name: array.shape for name, array in own.tensors().items()
    }


@reads
def test_what_is_read_is_scaled_to_be_alike_and_constants_are_left_alone(reads: Mapping[str, Any]):
    learner = model(reads=reads)
    figures = figures_of(learner)
    shown = views(decisions=10, figures=figures).observations, views(figures=figures).observations
    numbers, others = shown
    features = learner.policy.features_extractor
    fitted, scaled = (features.scaled(torch.as_tensor(rows)).numpy() for rows in shown)
    mean, spread = numbers.mean(axis=0), numbers.std(axis=0)
    assert np.abs(fitted.mean(axis=0)).max() < 1e-4
    assert (spread > LEAST_SPREAD).sum() > 50
    np.testing.assert_allclose(fitted[:, spread > LEAST_SPREAD].std(axis=0), 1.0, atol=1e-3)
    np.testing.assert_allclose(scaled, (others - mean) / np.maximum(spread, LEAST_SPREAD), atol=1e-4)


def test_all_columns_are_scaled_alike():
    numbers = views(decisions=10, figures=True).observations
    reader = model(reads=READS["all"]).policy.features_extractor
    told = numbers[:, column_places(reader.shape.size, True)].reshape(-1, len(reader.column_mean))
    np.testing.assert_allclose(reader.column_mean.numpy(), told.mean(axis=0), atol=CLOSE)
    np.testing.assert_allclose(reader.column_spread.numpy(), np.maximum(told.std(axis=0), LEAST_SPREAD), atol=CLOSE)


def test_an_environment_without_the_numbers_that_a_network_reads_is_refused():
    arguments = policy_arguments(Shape(2, (8,), (8,), figures=True))
    with pytest.raises(ArgumentError, match=r"observation size=340: must be \d+: make the environment with figures"):
        MaskablePPO("MlpPolicy", SpeicherVecEnv(2), n_steps=4, batch_size=4, policy_kwargs=arguments)


def test_what_is_exported_does_not_change_while_the_policy_learns():
    learner = model()
    exported = network_of(learner.policy)
    before = exported.policy[0].weight.copy()
    learner.learn(16)
    assert np.array_equal(exported.policy[0].weight, before)
    assert not np.array_equal(network_of(learner.policy).policy[0].weight, before)


def test_weights_of_another_shape_are_refused():
    with pytest.raises(
        ArgumentError, match=r"340 inputs, layers policy \[12, 8\], value \[12, 8\], tanh, must have .*\[24, 16\]"
    ):
        load_into(model().policy, network())


def test_weights_that_read_otherwise_are_refused():
    for reads in READS.values():
        if reads != READS["all"]:
            with pytest.raises(ArgumentError, match=r"weights: their network has \d+ inputs, layers .* must have"):
                load_into(model(reads=READS["all"]).policy, network_of(model(reads=reads).policy))


def test_a_policy_with_another_activation_is_refused():
    learner = MaskablePPO(
        "MlpPolicy", SpeicherVecEnv(2), n_steps=4, batch_size=4, policy_kwargs={"activation_fn": torch.nn.ELU}
    )
    with pytest.raises(ArgumentError, match="dense layers only"):
        network_of(learner.policy)
