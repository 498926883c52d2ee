"""Between stable-baselines3 and NumPy nothing changes by more than 1e-5, in either direction."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small import network, views

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from sb3_contrib import MaskablePPO  # noqa: E402

from speicher_agents.baselines import Baseline  # noqa: E402
from speicher_env import ArgumentError  # noqa: E402
from speicher_env.envs.sb3 import SpeicherVecEnv  # noqa: E402
from speicher_training.train import load_into, network_of, policy_arguments, write_baseline  # noqa: E402
from speicher_training.train.scaling import LEAST_SPREAD  # noqa: E402

CLOSE = 1e-5


def model(players: int = 2, activation: str = "tanh", seed: int = 0, policy: tuple[int, ...] = (24, 16)) -> MaskablePPO:
    env = SpeicherVecEnv(4, players, seed=1)
    arguments = policy_arguments(policy, [20], activation)
    made = MaskablePPO("MlpPolicy", env, n_steps=4, batch_size=4, policy_kwargs=arguments, seed=seed, device="cpu")
    with torch.no_grad():
        for weights in made.policy.parameters():
            weights.add_(0.1 * torch.randn_like(weights))  # as they are made, biases are 0
    made.policy.features_extractor.fit(views(players, decisions=10 + 5 * seed).observations)
    return made


def in_torch(learner: MaskablePPO, players: int) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities and values of the policy itself."""
    shown = views(players)
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


@pytest.mark.parametrize(("players", "activation"), [(2, "tanh"), (4, "relu")])
def test_the_exported_baseline_computes_what_the_policy_computes(tmp_path: Path, players: int, activation: str):
    learner = model(players, activation)
    baseline = baseline_of(learner, tmp_path, players)
    chances, values = in_torch(learner, players)
    np.testing.assert_allclose(baseline.policy(views(players)), chances, atol=CLOSE)
    np.testing.assert_allclose(baseline.network.values(views(players).observations), values, atol=CLOSE)
    assert baseline.card.training == {"seed": 0}


def test_a_baseline_goes_back_into_a_policy(tmp_path: Path):
    learner, other = model(seed=1), model(seed=2)
    before = in_torch(other, 2)
    load_into(other.policy, baseline_of(learner, tmp_path, 2).network)
    for own, wanted, old in zip(in_torch(other, 2), in_torch(learner, 2), before, strict=True):
        np.testing.assert_allclose(own, wanted, atol=CLOSE)
        assert np.abs(old - wanted).max() > 100 * CLOSE


def test_observations_are_scaled_to_be_alike_and_constants_are_left_alone():
    shown = views().observations
    scaled = model().policy.extract_features(torch.as_tensor(shown)).numpy()
    fitted = model().policy.extract_features(torch.as_tensor(views(decisions=10).observations)).numpy()
    assert np.abs(fitted.mean(axis=0)).max() < 1e-4
    wide = views(decisions=10).observations.std(axis=0) > LEAST_SPREAD
    assert wide.sum() > 50
    np.testing.assert_allclose(fitted[:, wide].std(axis=0), 1.0, atol=1e-3)
    assert np.abs(scaled).max() <= 1 / LEAST_SPREAD + 1e-3


def test_what_is_exported_does_not_change_while_the_policy_learns():
    learner = model()
    exported = network_of(learner.policy)
    before = exported.policy[0].weight.copy()
    learner.learn(16)
    assert np.array_equal(exported.policy[0].weight, before)
    assert not np.array_equal(network_of(learner.policy).policy[0].weight, before)


def test_weights_of_another_shape_are_refused():
    with pytest.raises(
        ArgumentError, match=r"340 inputs, layers \[12, 8\] and \[12, 8\], tanh, must have .*\[24, 16\]"
    ):
        load_into(model().policy, network())


def test_a_policy_with_another_activation_is_refused():
    learner = MaskablePPO(
        "MlpPolicy", SpeicherVecEnv(2), n_steps=4, batch_size=4, policy_kwargs={"activation_fn": torch.nn.ELU}
    )
    with pytest.raises(ArgumentError, match="dense layers only"):
        network_of(learner.policy)
