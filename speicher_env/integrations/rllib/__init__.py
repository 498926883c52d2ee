"""RLlib: the game as a `MultiAgentEnv`, a masked `RLModule`, evaluation against named players, and a league.

For RLlib's new API stack, Ray 2.60 or later. Needs RLlib and PyTorch: ``pip install 'ray[rllib]' torch``.
"""

from __future__ import annotations

try:
    import ray.rllib  # noqa: F401
    import torch  # noqa: F401
except ImportError as missing:
    raise ImportError(
        "speicher_env.integrations.rllib needs RLlib and PyTorch: pip install 'ray[rllib]' torch"
    ) from missing

from speicher_env.integrations.rllib.environment import SpeicherMultiAgentEnv
from speicher_env.integrations.rllib.evaluation import WinShare, WinShareCallback, win_share
from speicher_env.integrations.rllib.league import LEARNER, League, LeagueCallback
from speicher_env.integrations.rllib.module import FrozenModule, MaskedModule
from speicher_env.integrations.rllib.player import ModulePlayer, learned_module, network_of
from speicher_env.integrations.rllib.registration import MULTI_AGENT, ONE_SEAT, one_seat_env, register

__all__ = [
    "LEARNER",
    "MULTI_AGENT",
    "ONE_SEAT",
    "FrozenModule",
    "League",
    "LeagueCallback",
    "MaskedModule",
    "ModulePlayer",
    "SpeicherMultiAgentEnv",
    "WinShare",
    "WinShareCallback",
    "learned_module",
    "network_of",
    "one_seat_env",
    "register",
    "win_share",
]
