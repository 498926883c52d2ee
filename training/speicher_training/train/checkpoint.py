"""Checkpoints: everything a run is, in one file, so that a run resumes as if it had never been interrupted.

Games that workers are playing are kept as descriptions, from which they are played again. The first line of the file
has the digest of the rest, which is checked before anything of it is used. The rest is a pickle, as it holds the state
of an optimizer and random streams; and a pickle can run code when it is loaded. The digest tells damage, not malice:
load only checkpoints of your own runs. What is shared with others is the exported baseline, which holds numbers and
nothing else.
"""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback

from speicher_agents.baselines import Network
from speicher_env.errors import FileError
from speicher_env.reading import path_shown, read_bytes
from speicher_training.files import digest_of, write_file
from speicher_training.train.learner import Learner

__all__ = ["CheckpointCallback", "read_checkpoint", "restore_learner", "save_checkpoint"]

KIND = b"speicherstadt-checkpoint/"
HEADER = KIND + b"4 "
"""Before the digest in the first line."""
LARGEST_FILE = 1 << 36


def save_checkpoint(path: Path, model: Learner, extra: Mapping[str, Any] | None = None) -> None:
    """Write a checkpoint. Call it between an update and the next rollout.

    Args:
        path: The file, which is replaced.
        model: The learner.
        extra: Further values to keep, by name.
    """
    state = {
        "steps": model.num_timesteps,
        "updates": model._n_updates,
        "policy": model.policy.state_dict(),
        "optimizer": model.policy.optimizer.state_dict(),
        "league": model.rollouts.league.state(),
        "rollouts": model.rollouts.state(),
        "streams": {"torch": torch.get_rng_state(), "numpy": np.random.get_state(), "python": random.getstate()},
        **(extra or {}),
    }
    content = pickle.dumps(state, protocol=pickle.HIGHEST_PROTOCOL)
    write_file(path, HEADER + digest_of(content).encode() + b"\n" + content)


def read_checkpoint(path: Path) -> dict[str, Any]:
    """The content of a checkpoint, whose digest is checked before it is unpickled.

    Raises:
        FileError: If it cannot be read or is damaged.
    """
    first, _, content = read_bytes(path, LARGEST_FILE, "a checkpoint").partition(b"\n")
    if first.startswith(KIND) and not first.startswith(HEADER):
        raise FileError(
            f"{path_shown(path)}: is of another version of this package; finish the run with that one, or remove the "
            "folder to begin again."
        )
    if not first.startswith(HEADER) or first.removeprefix(HEADER) != digest_of(content).encode():
        raise FileError(
            f"{path_shown(path)}: is damaged or was edited (its digest differs); remove the folder to begin again."
        )
    state: dict[str, Any] = pickle.loads(content)
    return state


def restore_learner(state: Mapping[str, Any], model: Learner, network: Callable[[str], Network]) -> None:
    """Restore weights, optimizer, league, games, counts and random streams; the last thing before learning continues.

    Args:
        state: A checkpoint's.
        model: The learner, with its rollouts.
        network: Gives the network of a snapshot by its name.
    """
    model.policy.load_state_dict(state["policy"])
    model.policy.optimizer.load_state_dict(state["optimizer"])
    model.num_timesteps = state["steps"]
    model._n_updates = state["updates"]
    model.rollouts.league.restore(state["league"], network)
    model.rollouts.restore(state["rollouts"])
    torch.set_rng_state(state["streams"]["torch"])
    np.random.set_state(state["streams"]["numpy"])
    random.setstate(state["streams"]["python"])


class CheckpointCallback(BaseCallback):
    """Writes a checkpoint before a rollout, every so many decisions, and at the end.

    In the list of callbacks it is the first: a checkpoint holds the state before anything is evaluated or drawn.
    """

    def __init__(
        self,
        path: Path,
        steps: int,
        extra: Callable[[], Mapping[str, Any]] = dict,
    ) -> None:
        """Make the callback.

        Args:
            path: The file, which is replaced by each checkpoint.
            steps: Decisions of the learner between two checkpoints.
            extra: Gives further values to keep, by name.
        """
        super().__init__()
        self.path, self.steps, self.extra = path, steps, extra
        self.last = -1
        """Decisions of the learner at the last checkpoint."""

    def _on_rollout_start(self) -> None:
        if self.last < 0 or self.num_timesteps - self.last >= self.steps:
            self.save()

    def _on_step(self) -> bool:
        return True

    def _on_training_end(self) -> None:
        if self.num_timesteps != self.last:
            self.save()

    def save(self) -> None:
        """Write a checkpoint now."""
        save_checkpoint(self.path, self.model, self.extra())  # type: ignore[arg-type]
        self.last = self.num_timesteps
