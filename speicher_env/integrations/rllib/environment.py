"""RLlib's `MultiAgentEnv` for the game: one agent for each seat, one decision at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from ray.rllib.env.multi_agent_env import MultiAgentEnv

from speicher_env.arguments import following_seed
from speicher_env.envs.aec import raw_env
from speicher_env.envs.outcome import Outcome
from speicher_env.envs.rendering import Rendered
from speicher_env.errors import ArgumentError
from speicher_env.game import Game
from speicher_env.messages import listed, must_be, one_of
from speicher_env.rules.actions import N_ACTIONS

__all__ = ["SETTINGS", "SpeicherMultiAgentEnv"]

SETTINGS = (
    "num_players",
    "deck",
    "reward",
    "padded",
    "illegal",
    "mask_dtype",
    "figures",
    "dtype",
    "render_mode",
)
"""The keys of `env_config`."""

AgentDict = dict[str, Any]


class SpeicherMultiAgentEnv(MultiAgentEnv):
    """Speicherstadt for 2..5 agents, ``player_0`` .. ``player_4``, clockwise.

    An observation is a dict of ``observation`` and ``action_mask``, as in the other environments of this package. Only
    the agent to move gets one, with the reward 0.0; the same agent may move several times in a row. At the end all
    agents get an observation, and their payoffs as rewards.

    RLlib checks an environment with ``get_action_space(agent).sample()``, and some algorithms explore with it. It
    ignores masks, so `get_action_space` returns a space whose samples are legal actions.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        """Set up the spaces; `reset` deals a game.

        Args:
            config: RLlib's `env_config`: any of ``num_players`` (2..5), ``deck``, ``reward``, ``padded``, ``illegal``,
                ``mask_dtype``, ``figures``, ``dtype`` and ``render_mode``, as in the PettingZoo environment.
        """
        self._env = raw_env(**_checked(config))
        self._runner = int(getattr(config, "worker_index", None) or 0)
        self._seeded = False
        self.num_players = self._env.num_players
        self.possible_agents = self._env.possible_agents[:]
        self.agents = self.possible_agents[:]
        self.observation_spaces = dict(self._env.observation_spaces)
        self.action_spaces = dict(self._env.action_spaces)
        self.render_mode = self._env.render_mode
        self.metadata = dict(raw_env.metadata)  # RLlib writes to it
        super().__init__()

    def get_action_space(self, agent_id: str) -> spaces.Discrete:
        """The 184 actions; `sample` without a mask returns one that is legal now."""
        if agent_id not in self.action_spaces:
            raise ArgumentError(must_be("agent_id", agent_id, one_of(agent_id, self.possible_agents)))
        return _LegalActions(self)

    # Playing

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[AgentDict, AgentDict]:
        """Deal a game; return the observation of the agent to move, and empty infos.

        Args:
            seed: 0..2**64-1, decides the game alone. None takes the seed that follows the last game's, or, the first
                time, one from the operating system. RLlib passes the one of ``config.debugging(seed=...)``.
            options: As for the PettingZoo environment, for instance {"first_player": 0}.
        """
        super().reset(seed=seed)  # seeds the samples of the action spaces
        seeded = seed is not None
        if seed is None and self._seeded:
            # RLlib seeds game k of environment runner r with seed + r + k, so runners begin with each other's deals.
            # Their later games are dealt from seeds of their own.
            seed = following_seed(self._env.game.seed ^ (self._runner << 40))
        self._seeded = seeded
        self._env.reset(seed, options)
        agent = self._env.agent_selection
        return {agent: self._env.observe(agent)}, {}

    def step(self, action_dict: Mapping[str, Any]) -> tuple[AgentDict, AgentDict, AgentDict, AgentDict, AgentDict]:
        """Play the action of the agent to move.

        Returns:
            Observations, rewards, terminateds, truncateds (always false) and infos (empty), each by agent.

        Raises:
            ArgumentError: Unless there is exactly one action, of the agent to move.
            IllegalAction: If the mask forbids it and illegal="raise"; the game is as it was.
        """
        env = self._env
        agent = env.current_player
        if agent is None:
            raise ArgumentError("step() was called with no game in progress; reset() deals one")
        if len(action_dict) != 1 or agent not in action_dict:
            agents = listed(list(action_dict)) or "no agent"
            raise ArgumentError(f"action_dict has actions of {agents}: must have one, of {agent}, the agent to move.")
        env.step(int(action_dict[agent]))
        agent = env.current_player
        if agent is not None:
            # The reward is there because RLlib refuses a second observation of an agent that acted without one.
            return {agent: env.observe(agent)}, {agent: 0.0}, {"__all__": False}, {"__all__": False}, {}
        observations = {agent: env.observe(agent) for agent in self.possible_agents}
        terminateds = dict.fromkeys([*self.possible_agents, "__all__"], True)
        return observations, dict(env.rewards), terminateds, dict.fromkeys(terminateds, False), {}

    # Looking

    @property
    def game(self) -> Game:
        """The game being played, itself and not a copy: play through `step`, look through this."""
        return self._env.game

    def outcome(self) -> Outcome:
        """The result of the finished game, until the next `reset`.

        Raises:
            ArgumentError: Before the end.
        """
        return self._env.outcome()

    def render(self) -> Rendered:
        """The table, as `render_mode` says."""
        return self._env.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self._env.close()

    def _legal_ids(self) -> list[int]:
        """The legal actions of the agent to move; empty when no game is in progress."""
        return [] if self._env.current_player is None else self._env.game.legal_ids()


class _LegalActions(spaces.Discrete):
    """An action space whose samples are legal in an environment's game. Its copies and pickles are plain `Discrete`.

    Samples are drawn with the environment's generator, which `reset` seeds.
    """

    def __init__(self, env: SpeicherMultiAgentEnv) -> None:
        super().__init__(N_ACTIONS)
        self._env = env

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """A random legal action; with a mask or probabilities as Gymnasium defines it."""
        legal = self._env._legal_ids()
        if mask is not None or probability is not None or not legal:
            return super().sample(mask, probability)
        return np.int64(self._env.np_random.choice(legal))

    def __reduce__(self) -> tuple[type[spaces.Discrete], tuple[int]]:
        return spaces.Discrete, (N_ACTIONS,)


def _checked(config: Mapping[str, Any] | None) -> dict[str, Any]:
    """The arguments of `raw_env` in an `env_config`."""
    settings = {} if config is None else dict(config)
    for name in settings:
        if name == "seed":
            raise ArgumentError(
                'env_config has a "seed", from which every environment would deal the same games: '
                "use config.debugging(seed=...), which gives each environment its own."
            )
        if name not in SETTINGS:
            raise ArgumentError(must_be("setting", name, one_of(name, SETTINGS), "env_config"))
    return settings
