"""PufferLib's games in C: a batch of them in shared arrays. They make no mask: any action is played, legal or not."""

from __future__ import annotations

import numpy as np
from pufferlib.ocean.environment import env_creator
from windows import SEED, Windows

GAMES = ("puffer_connect4", "puffer_go", "puffer_checkers")
BATCH = 1024
STEPS = 16
"""In a lap; as many sets of actions are drawn beforehand."""


def measure_game(windows: Windows, name: str) -> None:
    """One game, its opponent's decisions made inside and not counted."""
    env = env_creator(name)(num_envs=BATCH)
    env.reset(seed=SEED)
    actions = np.random.default_rng(SEED).integers(
        env.single_action_space.n, size=(STEPS, BATCH), dtype=env.actions.dtype
    )

    def lap() -> int:
        for chosen in actions:
            env.step(chosen)
        return STEPS * BATCH

    windows.measure(
        name.removeprefix("puffer_"),
        f"batch of {BATCH:,}, in C",
        lap,
        like="batch",
        players=2,
        actions=int(env.single_action_space.n),
        observation=int(np.prod(env.single_observation_space.shape)),
        mask=False,
    )


def main() -> None:
    windows = Windows("pufferlib", "numpy")
    for name in GAMES:
        measure_game(windows, name)
    windows.done()


if __name__ == "__main__":
    main()
