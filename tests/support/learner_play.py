"""Playing the environments that have a learner, in tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from speicher_env.envs.solo import SpeicherEnv
from tests.support.plain_loops import plain


def legal_action(mask: np.ndarray, rng: np.random.Generator) -> int:
    """One of the legal actions."""
    return int(rng.choice(np.flatnonzero(mask)))


def play_game(env: SpeicherEnv, rng: np.random.Generator, decisions: int, seed: int | None = None) -> Any:
    """Play at random for that many decisions or to the end of the game; returns all that was returned."""
    observation, info = env.reset(seed=seed)
    steps = [plain([observation, info])]
    ended = False
    while not ended and len(steps) <= decisions:
        *seen, info = env.step(legal_action(info["action_mask"], rng))
        ended = seen[2]
        steps.append(plain([*seen, info]))
    return steps
