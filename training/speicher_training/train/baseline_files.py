"""Writing baselines: a network of any training code as weights and the card that names them. Needs NumPy alone."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from speicher_agents.baselines import Card, Network, write_tensors
from speicher_agents.baselines.files import CARD, WEIGHTS
from speicher_agents.baselines.tensors import halved
from speicher_env.deck import edition_of
from speicher_training.files import write_files

__all__ = ["write_baseline"]


def write_baseline(
    network: Network,
    folder: Path,
    name: str,
    *,
    players: Sequence[int],
    deck: str,
    edition: str | None = None,
    padded: bool,
    reward: str,
    training: Mapping[str, Any],
    strength: Mapping[str, Any] | None = None,
    file: str = "baseline",
    half: bool = False,
) -> Path:
    """Write a baseline into a folder: its weights, and the card that names them. Return the path of the card.

    With `half` the weights are rounded to half precision, which halves the file and changes hardly a decision.
    """
    tensors = network.tensors()
    content = write_tensors(halved(tensors) if half else tensors)
    weights = f"{file}{WEIGHTS}"
    card = Card(
        name=name,
        players=tuple(sorted(players)),
        deck=deck,
        edition=edition_of(deck) if edition is None else edition,
        padded=padded,
        reward=reward,
        shape=network.shape,
        weights=weights,
        sha256=hashlib.sha256(content).hexdigest(),
        training=training,
        strength=strength or {},
    )
    path = folder / f"{file}{CARD}"
    write_files({folder / weights: content, path: card.text()})
    return path
