"""Registers the environments with PettingZoo and Gymnasium."""

from __future__ import annotations

import gymnasium
import pettingzoo

__all__ = ["GYMNASIUM_ID", "PETTINGZOO_ID", "register"]

PETTINGZOO_ID = "speicher/speicherstadt-v0"
GYMNASIUM_ID = "Speicherstadt-v0"


def register() -> None:
    """Register every environment once; PettingZoo has a registry from version 1.27 on."""
    if hasattr(pettingzoo, "register") and PETTINGZOO_ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", id=PETTINGZOO_ID, entry_point="speicher_env.speicherstadt_v0:env")
    if GYMNASIUM_ID not in gymnasium.registry:
        gymnasium.register(
            GYMNASIUM_ID,
            entry_point="speicher_env.envs.solo:SpeicherEnv",
            vector_entry_point="speicher_env.envs.vector:SpeicherVectorEnv",
        )
