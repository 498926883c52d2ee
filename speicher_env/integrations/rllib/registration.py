"""The names of the environments in RLlib and Tune."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from ray.tune import register_env

from speicher_env.envs.solo import SpeicherEnv
from speicher_env.envs.vector import SpeicherVectorEnv
from speicher_env.errors import ArgumentError
from speicher_env.integrations.rllib.environment import SpeicherMultiAgentEnv
from speicher_env.messages import must_be, one_of

__all__ = ["MULTI_AGENT", "ONE_SEAT", "one_seat_env", "register"]

MULTI_AGENT = "speicherstadt"
"""The registered name of `SpeicherMultiAgentEnv`."""
ONE_SEAT = "speicherstadt_one_seat"
"""The registered name of the environment with a learner in one seat, for one game or many at once."""


def register() -> None:
    """Register the environments with Tune: `MULTI_AGENT` and `ONE_SEAT`."""
    register_env(MULTI_AGENT, SpeicherMultiAgentEnv)
    register_env(ONE_SEAT, one_seat_env)


def one_seat_env(config: Mapping[str, Any]) -> SpeicherEnv | SpeicherVectorEnv:
    """The environment with a learner in one seat; observations are dicts of ``observation`` and ``action_mask``.

    For many games in one environment use
    ``config.env_runners(gym_env_vectorize_mode="vector_entry_point", num_envs_per_env_runner=64)``.

    Args:
        config: RLlib's `env_config`: any arguments of `SpeicherEnv` or, for many games, of `SpeicherVectorEnv`.
    """
    kind: type[SpeicherEnv | SpeicherVectorEnv] = SpeicherVectorEnv if "num_envs" in config else SpeicherEnv
    settings = [name for name in inspect.signature(kind).parameters if name not in ("observation", "autoreset_mode")]
    for name in config:
        if name not in settings:
            raise ArgumentError(must_be("setting", name, one_of(name, settings), "env_config"))
    return kind(observation="dict", **config)
