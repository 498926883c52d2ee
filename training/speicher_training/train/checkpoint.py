"""Checkpoints: everything a run is, in one file, so that a run resumes as if it had never been interrupted.

The first line of the file has the digest of the rest, which is checked before anything of it is used. The rest is a
pickle, as it holds games in progress and the state of an optimizer; and a pickle can run code when it is loaded. The
digest tells damage, not malice: load only checkpoints of your own runs. What is shared with others is the exported
baseline, which holds numbers and nothing else.
"""

from __future__ import annotations

import io
import pickle
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from speicher_agents.baselines import Baseline, Network
from speicher_env.errors import FileError
from speicher_env.reading import path_shown, read_bytes
from speicher_training.files import digest_of, write_file
from speicher_training.train.league import League
from speicher_training.train.league_callback import LeagueCallback

__all__ = ["CheckpointCallback", "games_of", "read_checkpoint", "restore_league", "restore_learner", "save_checkpoint"]

HEADER = b"speicherstadt-checkpoint/2 "
"""Before the digest in the first line."""
LARGEST_FILE = 1 << 36


class _Pickler(pickle.Pickler):
    """Writes the league's players by name: their weights are kept elsewhere."""

    def __init__(self, stream: io.BytesIO, league: League) -> None:
        super().__init__(stream, protocol=pickle.HIGHEST_PROTOCOL)
        self._names = {id(member.player): member.name for member in league.members if _is_network(member.player)}

    def persistent_id(self, value: Any) -> str | None:
        return self._names.get(id(value))


class _Unpickler(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, league: League) -> None:
        super().__init__(stream)
        self._players = {member.name: member.player for member in league.members}

    def persistent_load(self, name: str) -> Any:
        return self._players[name]


def _is_network(player: object) -> bool:
    return isinstance(player, Baseline)


def save_checkpoint(
    path: Path, model: MaskablePPO, seating: LeagueCallback, extra: Mapping[str, Any] | None = None
) -> None:
    """Write a checkpoint. Call it between an update and the next rollout.

    Args:
        path: The file, which is replaced.
        model: The learner.
        seating: The callback with the league.
        extra: Further values to keep, by name.
    """
    games = io.BytesIO()
    _Pickler(games, seating.league).dump(model.env)
    state = {
        "steps": model.num_timesteps,
        "updates": model._n_updates,
        "policy": model.policy.state_dict(),
        "optimizer": model.policy.optimizer.state_dict(),
        "league": seating.league.state(),
        "seating": seating.state(),
        "games": games.getvalue(),
        "rows": model._last_obs,
        "starts": model._last_episode_starts,
        "episodes": (model.ep_info_buffer, model.ep_success_buffer),
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
    if not first.startswith(HEADER) or first.removeprefix(HEADER) != digest_of(content).encode():
        raise FileError(
            f"{path_shown(path)}: is damaged or was edited (its digest differs); remove the folder to begin again."
        )
    state: dict[str, Any] = pickle.loads(content)
    return state


def games_of(state: Mapping[str, Any], league: League) -> VecEnv:
    """The games of a checkpoint, with the players of a league that was restored before."""
    env: VecEnv = _Unpickler(io.BytesIO(state["games"]), league).load()
    return env


def restore_learner(state: Mapping[str, Any], model: MaskablePPO) -> None:
    """Restore weights, optimizer, counts and random streams; the last thing to do before learning continues."""
    model.policy.load_state_dict(state["policy"])
    model.policy.optimizer.load_state_dict(state["optimizer"])
    model.num_timesteps = state["steps"]
    model._n_updates = state["updates"]
    model._last_obs = state["rows"]
    model._last_episode_starts = state["starts"]
    model.ep_info_buffer, model.ep_success_buffer = state["episodes"]
    torch.set_rng_state(state["streams"]["torch"])
    np.random.set_state(state["streams"]["numpy"])
    random.setstate(state["streams"]["python"])


def restore_league(state: Mapping[str, Any], seating: LeagueCallback, network: Callable[[str], Network]) -> None:
    """Restore the league and the seating; `network` gives the network of a snapshot by its name."""
    seating.league.restore(state["league"], network)
    seating.restore(state["seating"])


class CheckpointCallback(BaseCallback):
    """Writes a checkpoint before a rollout, every so many decisions, and at the end.

    In the list of callbacks it is the first: a checkpoint holds the state before anything is evaluated or drawn.
    """

    def __init__(
        self,
        path: Path,
        steps: int,
        seating: LeagueCallback,
        extra: Callable[[], Mapping[str, Any]] = dict,
    ) -> None:
        """Make the callback.

        Args:
            path: The file, which is replaced by each checkpoint.
            steps: Decisions of the learner between two checkpoints.
            seating: The callback with the league.
            extra: Gives further values to keep, by name.
        """
        super().__init__()
        self.path, self.steps, self.seating, self.extra = path, steps, seating, extra
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
        save_checkpoint(self.path, self.model, self.seating, self.extra())  # type: ignore[arg-type]
        self.last = self.num_timesteps
