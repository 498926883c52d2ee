"""An AEC environment that does nothing: what PettingZoo's own calls cost with spaces like those of this package."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from speicher_env.envs.spaces import action_space, masked_space
from speicher_env.observation import observation_size
from speicher_env.rules.actions import N_ACTIONS

__all__ = ["EmptyEnv", "in_standard_wrappers"]


class EmptyEnv(AECEnv):
    """Agents take turns for a fixed number of steps. Every action is legal, and nothing is computed."""

    metadata: dict[str, Any] = {"name": "empty_v0", "render_modes": []}  # noqa: RUF012  # PettingZoo's interface

    def __init__(self, num_players: int = 2, length: int = 100) -> None:
        super().__init__()
        self.possible_agents = [f"player_{seat}" for seat in range(num_players)]
        self.length = length
        self._observation_space = masked_space(num_players)
        self._action_space = action_space()
        self._row = np.zeros(observation_size(num_players), dtype=np.float32)
        self._mask = np.ones(N_ACTIONS, dtype=np.int8)
        self.render_mode = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same for all agents."""
        return self._observation_space

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same for all agents."""
        return self._action_space

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start again."""
        self.agents = self.possible_agents[:]
        self.agent_selection = self.agents[0]
        self.steps = 0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": self._mask} for agent in self.agents}
        self._skip_agent_selection = None

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Copies, as of an environment whose observations can be kept."""
        return {"observation": self._row.copy(), "action_mask": self._mask.copy()}

    def step(self, action: int | None) -> None:
        """Pass the turn on, with the bookkeeping of PettingZoo's environments."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.steps += 1
        self.agent_selection = self.possible_agents[self.steps % len(self.possible_agents)]
        if self.steps == self.length:
            self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()

    def close(self) -> None:
        """Nothing to release."""


def in_standard_wrappers(env: AECEnv, illegal_reward: float = -1.0) -> AECEnv:
    """The environment in the three wrappers of PettingZoo's own board and card games."""
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(env, illegal_reward=illegal_reward)))
