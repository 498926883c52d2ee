"""Playing and comparing AEC environments in tests."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from pettingzoo import AECEnv

from speicher_env import speicherstadt_v0
from tests.support.plain_loops import plain

MAKERS = {"raw_env": speicherstadt_v0.raw_env, "env": speicherstadt_v0.env}
"""Both forms of the environment, which must behave alike."""
every_form = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def legal_ids(env: AECEnv) -> list[int]:
    """The ids that the mask of the deciding agent allows."""
    return np.flatnonzero(env.infos[env.agent_selection]["action_mask"]).tolist()


def game_over(env: AECEnv) -> bool:
    """Whether nothing is left to decide."""
    return not env.agents or all(env.terminations.values())


def play(env: AECEnv, rng: random.Random, decisions: int | None = None) -> list[int]:
    """Play at random for that many decisions, or to the end of the game; returns the actions."""
    played: list[int] = []
    while not game_over(env) and decisions != len(played):
        played.append(rng.choice(legal_ids(env)))
        env.step(played[-1])
    return played


def played(env: AECEnv, seed: int, decisions: int | None = None) -> AECEnv:
    """The environment in the game of a seed, after that many random decisions, or at its end."""
    env.reset(seed=seed)
    play(env, random.Random(seed), decisions)
    return env


def seen_by_all(env: AECEnv) -> dict[str, Any]:
    """All that an environment shows its agents now."""
    return plain(
        {
            "turn": env.agent_selection,
            "agents": tuple(env.agents),
            "observations": {agent: env.observe(agent) for agent in env.possible_agents},
            "infos": env.infos,
            "rewards": dict(env.rewards),
            "terminations": dict(env.terminations),
            "truncations": dict(env.truncations),
            "last": dict(enumerate(env.last())) if env.agents else None,
        }
    )


def assert_alike_to_the_end(env: AECEnv, other: AECEnv, rng: random.Random) -> None:
    """Play both with the same actions, dead steps included, and compare all they show at every step."""
    assert seen_by_all(env) == seen_by_all(other)
    while env.agents:
        action = None if env.terminations[env.agent_selection] else rng.choice(legal_ids(env))
        env.step(action)
        other.step(action)
        assert seen_by_all(env) == seen_by_all(other)
