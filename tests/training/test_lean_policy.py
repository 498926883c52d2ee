"""The lean policy computes what sb3-contrib's computes: actions' probabilities, values, entropies and gradients."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.small_networks import views

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy  # noqa: E402

from speicher_env.envs.spaces import action_space, vector_space  # noqa: E402
from speicher_training.train.policy import LeanPolicy  # noqa: E402


def policies():
    torch.manual_seed(3)
    made = [
        kind(vector_space(3), action_space(), lambda remaining: 1e-3, net_arch={"pi": [16], "vf": [16]})
        for kind in (LeanPolicy, MaskableActorCriticPolicy)
    ]
    with torch.no_grad():
        made[0].action_net.weight.mul_(100)  # otherwise all actions are about alike
    made[1].load_state_dict(made[0].state_dict())
    return made


@pytest.mark.parametrize("masked", [True, False])
def test_it_evaluates_and_learns_alike(masked: bool):
    shown = views(3)
    rows = torch.as_tensor(shown.observations)
    masks = torch.as_tensor(shown.masks, dtype=torch.float32) if masked else None  # as the rollout buffer gives them
    actions = torch.as_tensor(shown.masks.argmax(axis=1))
    found = []
    for policy in policies():
        values, logs, entropy = policy.evaluate_actions(rows, actions, masks)
        (values.sum() + logs.sum() + 0.1 * entropy.sum()).backward()
        gradients = [weights.grad.numpy() for weights in policy.parameters()]
        found.append([values.detach().numpy(), logs.detach().numpy(), entropy.detach().numpy(), *gradients])
    for own, wanted in zip(*found, strict=True):
        np.testing.assert_allclose(own, wanted, rtol=1e-4, atol=1e-5)


def test_it_draws_alike():
    shown = views(3)
    rows, drawn = torch.as_tensor(shown.observations), []
    for policy in policies():
        torch.manual_seed(5)
        with torch.no_grad():
            actions, values, logs = policy(rows, action_masks=shown.masks)
            best, _, _ = policy(rows, deterministic=True, action_masks=shown.masks)
        drawn.append([actions.numpy(), values.numpy(), logs.numpy(), best.numpy()])
    assert drawn[0][0].shape == (40,) and shown.masks[np.arange(40), drawn[0][0]].all()
    for own, wanted in zip(*drawn, strict=True):
        np.testing.assert_allclose(own, wanted, rtol=1e-4, atol=1e-5)
