"""Networks, baselines and recipes that are small enough for tests."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from speicher_agents.baselines import Card, Layer, Network, Shape, write_tensors
from speicher_env.batch import Batch
from speicher_env.views import Views

TINY: dict[str, dict[str, Any]] = {
    "network": {"columns": [10, 6], "shared": [14], "policy": [16], "value": [12]},
    "pretraining": {"decisions": 400},
    "value_finetuning": {"decisions": 400},
    "ppo": {"games": 8, "rollout": 48, "batch_size": 192, "epochs": 2, "steps": 3840},
    "league": {
        "newest": 0.3,
        "past": 0.4,
        "scripted": 0.3,
        "snapshot_steps": 768,
        "anchors": ["random", "merchant"],
        "keep": 3,
    },
    "run": {
        "checkpoint_steps": 384,
        "evaluation_steps": 100_000,
        "evaluation_deals": 2,
        "evaluation_opponents": ["random"],
    },
}
"""Ten updates, about five games in each row, with snapshots, of which some have to go."""


def network(
    seats: int = 2,
    hidden: Sequence[int] = (12, 8),
    activation: str = "tanh",
    seed: int = 0,
    figures: bool = False,
    columns: Sequence[int] = (),
    shared: Sequence[int] = (),
    every_seat: bool = False,
) -> Network:
    """A network with weights drawn from a seed."""
    rng = np.random.default_rng(seed)
    shape = Shape(seats, tuple(hidden), tuple(hidden), tuple(columns), tuple(shared), activation, figures, every_seat)
    stacks = {
        stack: tuple(
            Layer(
                rng.normal(0.0, inputs**-0.5, (inputs, width)).astype(np.float32),
                rng.normal(0.0, 0.1, width).astype(np.float32),
            )
            for inputs, width in pairwise(shape.widths(stack))
        )
        for stack in ("policy", "value", "columns", "shared")
    }
    return Network(shape, **stacks)


def card(network: Network, players: Sequence[int] = (2,), **changes: Any) -> Card:
    """A card for a network."""
    told = Card(
        name="small", players=tuple(players), deck="standard", padded=len(players) > 1, reward="outcome",
        shape=network.shape, weights="small.safetensors",
        sha256=hashlib.sha256(write_tensors(network.tensors())).hexdigest(),
    )  # fmt: skip
    return replace(told, **changes)


def write(folder: Path, network: Network, told: Card | None = None) -> Path:
    """A baseline in a folder; the path of its card."""
    told = told or card(network)
    (folder / "small.safetensors").write_bytes(write_tensors(network.tensors()))
    (folder / "small.json").write_text(told.text())
    return folder / "small.json"


def views(players: int = 2, rows: int = 40, padded: bool = False, decisions: int = 25, figures: bool = False) -> Views:
    """Decisions in the middle of games played at random."""
    batch = Batch(rows, players, padded=padded, figures=figures)
    batch.reset(np.arange(rows))
    rng = np.random.default_rng(1)
    for _ in range(decisions):
        masks = batch.action_masks
        batch.step((rng.random(masks.shape) * masks).argmax(axis=1))
    return batch.views(np.arange(rows))


def policy(players: int = 2, padded: bool = False, seed: int = 0) -> Any:
    """A small policy that has learned nothing."""
    from speicher_training.train.learner import make_learner  # loads torch
    from speicher_training.train.recipe import recipe_from

    recipe = recipe_from({"ppo": {"games": 2, "rollout": 8, "batch_size": 16}}, "small")
    shape = Shape(5 if padded else players, (12, 8), (12, 8), activation="tanh")
    return make_learner(shape, recipe.ppo, seed).policy
