"""`python -m benchmarks.learner_parts`: what each part of the learner saves, in decisions of a minibatch per second.

Minibatches of the recipe `2p` go forward and backward through its network, as it is and with one part at a time in the
way that PyTorch has for it: dense first layers, logits of all 184 actions, hidden layers in float32, and at last the
policy of sb3-contrib. Rounds are taken in turn, and time is processor time of one core.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from statistics import median
from typing import Any
from unittest import mock

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read by torch when it is loaded

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from benchmarks.results import folder_of, simple_options, write
from speicher_apps.meter.report import header
from speicher_env.batch import Batch
from speicher_training.machine import on_one_core
from speicher_training.train import load_recipe
from speicher_training.train import policy as policy_module
from speicher_training.train.export import policy_arguments
from speicher_training.train.learner import make_learner
from speicher_training.train.policy import FORBIDDEN, SparsePolicy, computes_in_half
from speicher_training.train.recipe import Recipe
from speicher_training.train.sparse import ChosenActions

RECIPE = "2p"
GAMES, STEPS, APART = 256, 16, 8
"""Games that rows are taken from, the steps at which they are taken, and the steps from one of these to the next."""
SECONDS, ROUNDS = 2.0, 7
QUICK_SECONDS, QUICK_ROUNDS = 0.2, 1
WHOLE = "as it is"
DENSE_FIRST, ALL_LOGITS, SINGLE, LIBRARY = (
    "dense first layers", "logits of all actions", "hidden layers in float32", "the policy of sb3-contrib",
)  # fmt: skip


def dense_rows(rows: torch.Tensor, scale: torch.Tensor, offset: torch.Tensor, matrix: torch.Tensor) -> torch.Tensor:
    """`multiply_rows` as a dense product."""
    return ((rows.float() - offset.float()) * scale) @ matrix


def dense_actions(
    latent: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor
) -> ChosenActions:
    """`chosen_actions` by a dense layer and a softmax over all actions."""
    logits = (latent @ weight.T + bias).masked_fill(masks == 0, FORBIDDEN)
    logs = logits.log_softmax(dim=1)
    return ChosenActions(logs.gather(1, actions[:, None])[:, 0], -(logs.exp() * logs).sum(dim=1))


PATCHES: Mapping[str, Mapping[str, Any]] = {
    WHOLE: {},
    DENSE_FIRST: {"multiply_rows": dense_rows},
    ALL_LOGITS: {"chosen_actions": dense_actions},
    SINGLE: {},
    LIBRARY: {},
}
"""What each variant has in place of the policy's own."""


def rows_of_games() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Observations with figures, masks and legal actions of games at random."""
    batch = Batch(GAMES, 2, figures=True, dtype="uint8")
    batch.reset(np.arange(GAMES))
    rng = np.random.default_rng(1)
    seen = []
    for step in range(STEPS * APART):
        masks = batch.action_masks
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        if step % APART == 0:
            seen.append((batch.observations.copy(), masks.copy(), actions))
        batch.step(actions)
    rows, masks, actions = (torch.from_numpy(np.concatenate(arrays)) for arrays in zip(*seen, strict=True))
    return rows, masks, actions


def policy_of(variant: str, recipe: Recipe) -> MaskableActorCriticPolicy:
    """The policy of a variant."""
    made = make_learner(recipe.shape, recipe.ppo, 0).policy
    assert isinstance(made, SparsePolicy)
    made.half_precision = computes_in_half(recipe.run.precision) and variant != SINGLE
    if variant != LIBRARY:
        return made
    return MaskableActorCriticPolicy(
        made.observation_space, made.action_space, lambda _: 3e-4, **policy_arguments(recipe.shape)
    )


def update_of(variant: str, recipe: Recipe) -> Callable[[], int]:
    """An update by a minibatch; it returns its decisions."""
    policy = policy_of(variant, recipe)
    rows, masks, actions = rows_of_games()
    if variant == LIBRARY:
        compact = recipe.shape.row_format._replace(dtype="uint8")
        rows = torch.from_numpy(compact.floats(rows.numpy()))  # it reads no bytes

    def update() -> int:
        with ExitStack() as stack:
            for name, function in PATCHES[variant].items():
                stack.enter_context(mock.patch.object(policy_module, name, function))
            values, logs, entropies = policy.evaluate_actions(rows, actions, masks)
        loss = values.square().mean() - logs.mean() - 0.01 * entropies.mean()
        policy.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(policy.parameters(), recipe.ppo.max_gradient)
        policy.optimizer.step()
        return len(rows)

    return update


def measured(seconds: float, rounds: int) -> dict[str, list[float]]:
    """Decisions per second of processor time, by variant and round."""
    torch.set_num_threads(1)
    recipe = load_recipe(RECIPE)
    updates = {variant: update_of(variant, recipe) for variant in PATCHES}
    for update in updates.values():
        update()
    rates: dict[str, list[float]] = {variant: [] for variant in updates}
    for _ in range(rounds):
        for variant, update in updates.items():
            begun, done = time.process_time(), 0
            while time.process_time() - begun < seconds:
                done += update()
            rates[variant].append(done / (time.process_time() - begun))
    return rates


def main() -> None:
    """Measure and keep."""
    options = simple_options("benchmarks.learner_parts", __doc__)
    with on_one_core():
        rates = measured(*((QUICK_SECONDS, QUICK_ROUNDS) if options.quick else (SECONDS, ROUNDS)))
    for variant, own in rates.items():
        print(f"{variant}: {median(own):,.0f} decisions/s", flush=True)
    about = {"recipe": RECIPE, "minibatch": GAMES * STEPS, "rates": rates}
    write("learner_parts", header("python -m benchmarks.learner_parts") | about, folder_of(options))


if __name__ == "__main__":
    main()
