"""Checkpoints: everything a run is, in one file that is written whole, so that a run goes on as if never interrupted.

The file is a pickle, as it holds the games that are being played: load only those of your own runs. What is handed to
others is the exported baseline, which holds numbers and nothing else.
"""

from __future__ import annotations

import io
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from speicher_agents.baselines import Baseline, Network
from speicher_training.files import write_file
from speicher_training.train.errors import TrainingError
from speicher_training.train.league import League
from speicher_training.train.league_callback import LeagueCallback

FORMAT = 1


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


def save_checkpoint(path: Path, model: MaskablePPO, seating: LeagueCallback, seconds: float) -> None:
    """Write a checkpoint. To be called between an update and the next rollout.

    Args:
        path: The file.
        model: The learner.
        seating: With the league.
        seconds: That the run has taken so far.
    """
    games = io.BytesIO()
    _Pickler(games, seating.league).dump(model.env)
    whole = {
        "format": FORMAT,
        "steps": model.num_timesteps,
        "seconds": seconds,
        "updates": model._n_updates,
        "policy": model.policy.state_dict(),
        "optimizer": model.policy.optimizer.state_dict(),
        "league": seating.league.state(),
        "seating": seating.state(),
        "games": games.getvalue(),
        "rows": model._last_obs,
        "starts": model._last_episode_starts,
        "streams": {"torch": torch.get_rng_state(), "numpy": np.random.get_state(), "python": random.getstate()},
    }
    write_file(path, pickle.dumps(whole, protocol=pickle.HIGHEST_PROTOCOL))


def read_checkpoint(path: Path) -> dict[str, Any]:
    """What a checkpoint holds."""
    try:
        whole: dict[str, Any] = pickle.loads(path.read_bytes())
        found = whole["format"]
    except Exception as error:  # whatever a pickle of damaged bytes may raise
        reason = getattr(error, "strerror", None) or f"{type(error).__name__}, it is damaged"
        raise TrainingError(f"{path}: the checkpoint cannot be read ({reason})") from None
    if found != FORMAT:
        raise TrainingError(f"{path}: its format is {found}, must be {FORMAT}, that of this version")
    return whole


def games_from(whole: dict[str, Any], league: League) -> VecEnv:
    """The games of a checkpoint, with the league's players in them; the league must have been restored before."""
    env: VecEnv = _Unpickler(io.BytesIO(whole["games"]), league).load()
    return env


def restore_learner(whole: dict[str, Any], model: MaskablePPO) -> None:
    """Weights, optimiser, counts and random streams of a checkpoint; the last thing to do before learning on."""
    model.policy.load_state_dict(whole["policy"])
    model.policy.optimizer.load_state_dict(whole["optimizer"])
    model.num_timesteps = whole["steps"]
    model._n_updates = whole["updates"]
    model._last_obs = whole["rows"]
    model._last_episode_starts = whole["starts"]
    torch.set_rng_state(whole["streams"]["torch"])
    np.random.set_state(whole["streams"]["numpy"])
    random.setstate(whole["streams"]["python"])


def restore_league(whole: dict[str, Any], seating: LeagueCallback, network: Callable[[str], Network]) -> None:
    """The league and who sits where; `network` gives that of a snapshot by its name."""
    seating.league.restore(whole["league"], network)
    seating.restore(whole["seating"])


class CheckpointCallback(BaseCallback):
    """Write a checkpoint between rollouts, every so many decisions and when the run is to stop, and then stop it.

    It comes before `LeagueCallback` in the list of callbacks: what it keeps is the state before anything is drawn.
    """

    def __init__(
        self,
        path: Path,
        steps: int,
        seating: LeagueCallback,
        seconds: Callable[[], float] = lambda: 0.0,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Make ready.

        Args:
            path: The file; the one before is replaced.
            steps: Decisions of the learner between two checkpoints.
            seating: With the league.
            seconds: That the run has taken so far.
            stop: Asked before each rollout; True writes a checkpoint and ends the run.
        """
        super().__init__()
        self.path, self.steps, self.seating, self.seconds, self.stop = path, steps, seating, seconds, stop
        self.stopped = False
        self.last = -1
        """Decisions at the last checkpoint."""

    def _on_rollout_start(self) -> None:
        self.stopped = self.stop()
        if self.stopped or self.last < 0 or self.num_timesteps - self.last >= self.steps:
            self._save()

    def _on_step(self) -> bool:
        return not self.stopped

    def _on_training_end(self) -> None:
        if not self.stopped:
            self._save()

    def _save(self) -> None:
        if self.num_timesteps != self.last:
            save_checkpoint(self.path, self.model, self.seating, self.seconds())  # type: ignore[arg-type]
            self.last = self.num_timesteps
