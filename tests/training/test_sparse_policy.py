"""The sparse policy computes what dense layers compute: probabilities, values, entropies and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from speicher_agents.baselines import Shape
from speicher_env.observation import observe
from tests.support.small_networks import views

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy  # noqa: E402

from speicher_env.envs.spaces import action_space, vector_space  # noqa: E402
from speicher_training.train.export import policy_arguments  # noqa: E402
from speicher_training.train.policy import SparsePolicy  # noqa: E402

shapes = pytest.mark.parametrize(
    "shape",
    [
        Shape(3, (16,), (12,), (10, 6), (20, 9), "relu", figures=True),
        Shape(3, (), (), (7,), (20,), "tanh", figures=True),
        Shape(3, (16,), (12,), (), ()),
    ],
    ids=["all stacks", "shared alone", "apart"],
)


def policies(shape: Shape) -> list[Any]:
    """Ours and sb3-contrib's with equal weights, and numbers that are scaled as those of games."""
    torch.manual_seed(3)
    space = vector_space(3, figures=shape.figures)
    made = [
        kind(space, action_space(), lambda remaining: 1e-3, **policy_arguments(shape))
        for kind in (SparsePolicy, MaskableActorCriticPolicy)
    ]
    made[0].features_extractor.fit(views(3, figures=shape.figures).observations)
    with torch.no_grad():
        made[0].action_net.weight.mul_(100)  # otherwise all actions are about alike
    made[1].load_state_dict(made[0].state_dict())
    return made


@shapes
@pytest.mark.parametrize("masked", [True, False])
def test_it_evaluates_and_learns_alike(shape: Shape, masked: bool):
    shown = views(3, figures=shape.figures)
    rows = torch.as_tensor(shown.observations)
    masks = torch.as_tensor(shown.masks, dtype=torch.float32) if masked else None  # as the rollout buffer gives them
    actions = torch.as_tensor(shown.masks.argmax(axis=1))
    found = []
    for policy in policies(shape):
        values, logs, entropy = policy.evaluate_actions(rows, actions, masks)
        (values.sum() + logs.sum() + 0.1 * entropy.sum()).backward()
        gradients = [weights.grad.numpy() for weights in policy.parameters()]
        found.append([values[:, 0].detach().numpy(), logs.detach().numpy(), entropy.detach().numpy(), *gradients])
    assert len(found[0]) == len(found[1]) > 6
    for own, wanted in zip(*found, strict=True):
        np.testing.assert_allclose(own, wanted, rtol=1e-3, atol=1e-3 * max(1.0, np.abs(wanted).max()))


@shapes
def test_it_learns_another_policy_as_dense_layers_do(shape: Shape):
    shown = views(3, figures=shape.figures)
    rows, masks = torch.as_tensor(shown.observations), torch.as_tensor(shown.masks)
    wanted = torch.as_tensor(np.random.default_rng(2).integers(1, 200, shown.masks.shape)).to(torch.uint8) * masks
    sparse, dense = policies(shape)[0], policies(shape)[0]
    logs = sparse.judge(rows, masks, wanted).logs
    logits, _ = dense.logits_and_values(rows, masks)
    shares = wanted / wanted.sum(dim=1, keepdim=True)
    by_hand = (shares * logits.log_softmax(dim=1)).sum(dim=1)
    np.testing.assert_allclose(logs.detach(), by_hand.detach(), rtol=1e-4, atol=1e-4)
    for mean in (logs.mean(), by_hand.mean()):
        mean.backward()
    gradients = [[weights.grad for weights in each.parameters()] for each in (sparse, dense)]
    for own, other in zip(*gradients, strict=True):
        assert (own is None) == (other is None), "only the value's layers have none"
        if own is not None:
            np.testing.assert_allclose(own, other, rtol=1e-3, atol=1e-4)
    assert sum(own is not None for own in gradients[0]) >= 4


@shapes
def test_bytes_are_read_as_the_numbers_that_they_stand_for(shape: Shape):
    shown, policy = views(3, figures=shape.figures), policies(shape)[0]
    read = observe(shown.states, shown.seats, figures=shape.figures, dtype="uint8")
    with torch.no_grad():
        floats = policy.logits_and_values(torch.as_tensor(shown.observations), shown.masks)
        compact = policy.logits_and_values(torch.as_tensor(read), shown.masks)
    for own, wanted in zip(compact, floats, strict=True):
        np.testing.assert_allclose(own, wanted, rtol=1e-4, atol=1e-4)


@shapes
def test_it_draws_alike(shape: Shape):
    shown = views(3, figures=shape.figures)
    rows, drawn = torch.as_tensor(shown.observations), []
    for policy in policies(shape):
        torch.manual_seed(5)
        with torch.no_grad():
            actions, values, logs = policy(rows, action_masks=shown.masks)
            best, _, _ = policy(rows, deterministic=True, action_masks=shown.masks)
        drawn.append([actions.numpy(), values[:, 0].numpy(), logs.numpy(), best.numpy()])
    assert drawn[0][0].shape == (40,) and shown.masks[np.arange(40), drawn[0][0]].all()
    for own, wanted in zip(*drawn, strict=True):
        np.testing.assert_allclose(own, wanted, rtol=1e-3, atol=1e-3)
