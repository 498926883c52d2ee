"""PettingZoo's module form of the environment: ``speicherstadt_v0.env()`` and ``speicherstadt_v0.raw_env()``."""

from __future__ import annotations

from speicher_env.envs.aec import env, raw_env

__all__ = ["env", "raw_env"]
