"""MaskablePPO as a user of stable-baselines3 would write it, to compare the learner of the recipes with."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from speicher_agents.baselines import Baseline, Card, Network
from speicher_env.deck import edition_of
from speicher_env.envs.sb3 import SpeicherVecEnv
from speicher_training.train import League, LeagueCallback, Recipe, network_of, write_baseline

__all__ = ["LIBRARY_SETTINGS", "LearnedByLibrary", "train_by_library"]

LIBRARY_SETTINGS: dict[str, dict[str, Any]] = {
    "pretraining": {"decisions": 0},
    "network": {
        "figures": False, "every_seat": False, "activation": "tanh", "columns": [], "shared": [], "policy": [64, 64],
        "value": [64, 64],
    },
}  # fmt: skip
"""What a recipe would say of it: the network of `MlpPolicy`, which nobody teaches before it plays."""
ENVS, STEPS, BATCH_SIZE = 256, 64, 1024
"""Games at once, decisions of each between two updates, and decisions in a minibatch, as in the recipe `demo`."""


@dataclass(frozen=True)
class LearnedByLibrary:
    """What has come of it."""

    card: Path
    steps: int
    seconds: float
    complete: bool
    """Whether the budget was used up."""


class UntilStopped(BaseCallback):
    """Ends learning as soon as it is asked to."""

    def __init__(self, stop: Callable[[], bool], watch: Callable[[int], None]) -> None:
        super().__init__()
        self._stop, self._watch = stop, watch

    def _on_step(self) -> bool:
        self._watch(self.num_timesteps)
        return not self._stop()


def train_by_library(
    recipe: Recipe,
    folder: Path,
    *,
    seed: int,
    minutes: float | None,
    watch: Callable[[int], None] = lambda steps: None,
    interrupted: Callable[[], bool] = lambda: False,
) -> LearnedByLibrary:
    """Train sb3-contrib's `MlpPolicy` against the league of a recipe; an interrupted training begins again.

    Args:
        recipe: Says which network, league and reward; the settings of PPO are the library's own, but for those above.
        folder: Where the baseline is written.
        seed: Of the network and the games.
        minutes: Of core time; None for the decisions of the recipe.
        watch: Called with the decisions made so far.
        interrupted: Asked at every step; True ends training.
    """
    began = time.process_time()

    def seconds() -> float:
        return time.process_time() - began

    (players,) = recipe.game.players
    settings, shape = recipe.league, recipe.shape
    env = SpeicherVecEnv(
        ENVS, players, deck=recipe.game.decks[0], seat="random", opponents="random", reward=recipe.game.reward,
        seed=seed,
    )  # fmt: skip
    model = MaskablePPO("MlpPolicy", env, n_steps=STEPS, batch_size=BATCH_SIZE, gamma=1.0, seed=seed, device="cpu")
    edition = edition_of(recipe.game.decks[0])
    card = Card(
        recipe.name, (players,), recipe.game.decks[0], False, recipe.game.reward, shape, "", "", edition=edition
    )
    league = League(
        Baseline((card, Network.zeros(shape)), temperature=1.0, seed=seed),
        shares={kind: getattr(settings, kind) for kind in ("newest", "past", "scripted")},
        anchors=settings.anchors, hardness=settings.hardness, keep=settings.keep, at_once=settings.at_once,
        memory=settings.memory, seed=seed,
    )  # fmt: skip
    limit = UntilStopped(lambda: interrupted() or (minutes is not None and seconds() >= 60 * minutes), watch)
    steps = 2**60 if minutes is not None else recipe.ppo.steps
    model.learn(steps, [LeagueCallback(league, settings.snapshot_steps, settings.snapshot_score), limit])
    folder.mkdir(parents=True, exist_ok=True)
    path = write_baseline(
        network_of(model.policy), folder, recipe.name, players=[players], deck=card.deck, padded=False,
        reward=card.reward, training={"seed": seed, "steps": model.num_timesteps}, edition=edition,
    )  # fmt: skip
    return LearnedByLibrary(path, model.num_timesteps, seconds(), not interrupted())
