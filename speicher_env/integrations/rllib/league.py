"""Self-play with a league: the learner also plays against frozen copies of its past selves."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.utils import force_list
from ray.rllib.utils.metrics import ENV_RUNNER_RESULTS

from speicher_env.arguments import check_count
from speicher_env.errors import ArgumentError
from speicher_env.integrations.rllib.module import FrozenModule, MaskedModule
from speicher_env.messages import must_be

__all__ = ["LEARNER", "League", "LeagueCallback", "module_in_seat"]

LEARNER = "learner"
"""The id of the module that is trained."""
_SEATING = "modules"
"""The key of an episode's custom_data that holds the module of each seat."""


@dataclass(frozen=True)
class League:
    """A league of one learner and frozen copies of it, for 2..5 players.

    A game has the learner either in all seats, or in one random seat with a random copy in each of the others. The
    first copy is the untrained learner. When the league is full, a new copy replaces the oldest.

        league = League(size=6, every=10)
        config = league.applied_to(PPOConfig().environment("speicherstadt"))
    """

    size: int = 6
    """The maximum number of frozen copies."""
    newest: float = 0.5
    """The share of games in which the learner has all seats."""
    every: int | None = 10
    """Iterations between two copies; None adds none by iterations."""
    threshold: float | None = None
    """Also add a copy once the learner's win share in games with the league reaches this multiple of par
    (1 / players), for instance 1.3; None adds none by win share."""
    games: int = 100
    """The minimum number of games with the league for `threshold`; the count restarts with each copy."""

    def __post_init__(self) -> None:
        """Check the settings."""
        check_count("size", self.size)
        check_count("games", self.games)
        if self.every is not None:
            check_count("every", self.every)
        if not 0 <= self.newest <= 1:
            raise ArgumentError(must_be("newest", self.newest, "a share 0..1"))
        if self.threshold is not None and not self.threshold > 0:
            raise ArgumentError(must_be("threshold", self.threshold, "a multiple of par above 0, or None"))

    @property
    def slots(self) -> list[str]:
        """The ids of the frozen modules."""
        return [f"past_{number}" for number in range(self.size)]

    def applied_to(self, config: Any, model_config: Mapping[str, Any] | None = None) -> Any:
        """Add the modules, the mapping and the callback of the league to an algorithm's config; return it.

        Args:
            config: For instance a `PPOConfig`. Callbacks that it has already stay; set none afterwards, as they would
                replace the league's.
            model_config: The `model_config` of all modules, see `MaskedModule`.
        """
        settings = dict(model_config or {})
        specs = {LEARNER: RLModuleSpec(module_class=MaskedModule, model_config=settings)}
        specs |= {slot: RLModuleSpec(module_class=FrozenModule, model_config=settings) for slot in self.slots}
        config.multi_agent(policies=set(specs), policy_mapping_fn=module_in_seat, policies_to_train=[LEARNER])
        config.rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=specs))
        callbacks = [callback for callback in force_list(config.callbacks_class) if callback is not RLlibCallback]
        config.callbacks([*callbacks, partial(LeagueCallback, league=self)])
        return config

    def draw(self, agents: Sequence[str], modules: Mapping[str, Any]) -> dict[str, str]:
        """Draw the module in each seat of a new game, with Python's generator, which RLlib seeds.

        Args:
            agents: The agents of the game.
            modules: The environment runner's modules, by id.
        """
        members = [slot for slot in self.slots if modules[slot].iteration is not None]
        if not members or random.random() < self.newest:
            return dict.fromkeys(agents, LEARNER)
        seating = {agent: random.choice(members) for agent in agents}
        seating[random.choice(list(agents))] = LEARNER
        return seating


def module_in_seat(agent_id: str, episode: Any, **kwargs: Any) -> str:
    """The module that plays for an agent: the league's `policy_mapping_fn`."""
    seating: Mapping[str, str] = episode.custom_data.get(_SEATING, {})
    return seating.get(agent_id, LEARNER)


class LeagueCallback(RLlibCallback):
    """Seats the members of a league, counts the learner's wins against them, and adds frozen copies.

    Every result of `train` has ``league/members``, the number of copies; ``league/newest``, the iteration of the
    newest; and, after the first game with the league, ``league/win_share``, the learner's since the newest copy.

    The state of a module holds the iteration of its copy, so a restored algorithm resumes with the same league.
    """

    def __init__(self, league: League) -> None:
        """Set up the callback of a league."""
        self.league = league
        self._games = 0
        self._wins = 0.0

    def on_algorithm_init(self, *, algorithm: Any, **kwargs: Any) -> None:
        """Add a copy of the untrained learner, unless there are copies already."""
        if not self._members(algorithm):
            self._add_copy(algorithm, 0)

    def on_episode_created(
        self, *, episode: Any, env: Any = None, rl_module: Any = None, env_index: int, **kwargs: Any
    ) -> None:
        """Draw the modules of a new game."""
        agents = env.envs[env_index].unwrapped.possible_agents
        episode.custom_data[_SEATING] = self.league.draw(agents, rl_module)

    def on_episode_end(
        self, *, episode: Any, metrics_logger: Any = None, env: Any = None, env_index: int, **kwargs: Any
    ) -> None:
        """Count the game and the learner's share of the win, if members of the league played in it."""
        seating = episode.custom_data[_SEATING]
        learners = [seat for seat, module in enumerate(seating.values()) if module == LEARNER]
        if len(learners) == len(seating):
            return
        winners = env.envs[env_index].unwrapped.outcome().winners
        metrics_logger.log_value(("league", "games"), 1, reduce="sum")
        metrics_logger.log_value(
            ("league", "wins"), sum(seat in winners for seat in learners) / len(winners), reduce="sum"
        )

    def on_train_result(self, *, algorithm: Any, result: dict[str, Any], **kwargs: Any) -> None:
        """Add a copy if one is due, and report the league."""
        counted = result.get(ENV_RUNNER_RESULTS, {}).get("league", {})
        self._games += int(counted.get("games", 0))
        self._wins += float(counted.get("wins", 0.0))
        report: dict[str, float] = {"win_share": self._wins / self._games} if self._games else {}
        if self._is_due(algorithm):
            self._add_copy(algorithm, algorithm.iteration)
            self._games, self._wins = 0, 0.0
        members = self._members(algorithm)
        result["league"] = {**report, "members": len(members), "newest": max(members.values())}

    def _is_due(self, algorithm: Any) -> bool:
        league = self.league
        newest = max(self._members(algorithm).values())
        if league.every is not None and algorithm.iteration - newest >= league.every:
            return True
        if league.threshold is None or self._games < league.games:
            return False
        players = algorithm.config.env_config.get("num_players", 2)
        return bool(self._wins / self._games * players >= league.threshold)

    def _members(self, algorithm: Any) -> dict[str, int]:
        """The iteration of each copy, by the id of its module."""
        iterations = {slot: algorithm.get_module(slot).iteration for slot in self.league.slots}
        return {slot: iteration for slot, iteration in iterations.items() if iteration is not None}

    def _add_copy(self, algorithm: Any, iteration: int) -> None:
        """Copy the learner into a free slot, or over the oldest copy, and send the copy to all environment runners."""
        members = self._members(algorithm)
        free = [slot for slot in self.league.slots if slot not in members]
        slot = free[0] if free else min(members, key=lambda slot: members[slot])
        algorithm.learner_group.foreach_learner(partial(_freeze, slot=slot, iteration=iteration))
        state = algorithm.learner_group.get_state(components=f"learner/rl_module/{slot}")
        # Runners ignore weights whose number they already have, and only an update of the learner raises the number.
        adopt = partial(_adopt, slot=slot, state=state["learner"]["rl_module"][slot])
        algorithm.env_runner_group.foreach_env_runner(adopt)
        if algorithm.eval_env_runner_group is not None:
            algorithm.eval_env_runner_group.foreach_env_runner(adopt)


def _freeze(learner: Any, slot: str, iteration: int) -> None:
    """On a learner: copy the trained module into a slot."""
    learner.module[slot].unwrapped().freeze(learner.module[LEARNER].unwrapped(), iteration)


def _adopt(env_runner: Any, slot: str, state: Any) -> None:
    """On an environment runner: load the state of a copy."""
    env_runner.module[slot].set_state(state)
