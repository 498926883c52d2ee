"""Trained modules as players of this package, and their networks as those of baselines."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.rl_module import RLModule, RLModuleSpec

from speicher_agents import Agent
from speicher_agents.baselines import Layer, Network, Shape
from speicher_agents.baselines.sampling import draw_rows, uniform_rows
from speicher_env.errors import ArgumentError
from speicher_env.integrations.rllib.module import ACTION_MASK, OBSERVATION, MaskedModule, row_format_of
from speicher_env.messages import must_be
from speicher_env.observation import RowFormat, observe
from speicher_env.rules.state import MAX_PLAYERS
from speicher_env.views import Views

__all__ = ["ModulePlayer", "learned_module", "network_of"]


class ModulePlayer(Agent):
    """A player that decides with an RLModule, a `MaskedModule` or any other that takes the same observations."""

    def __init__(self, module: RLModule, temperature: float = 0.0, seed: int = 0, name: str = "rllib") -> None:
        """Check the module's observations.

        Args:
            module: The module, for instance from `learned_module`. It is not copied.
            temperature: 0 plays the most likely action, 1 samples from the module's probabilities, and other values
                sharpen or flatten these first.
            seed: Of the samples. With the same seed, equal positions get the same action.
            name: The player's name in tables.
        """
        if not 0 <= temperature < float("inf"):
            raise ArgumentError(must_be("temperature", temperature, "a number from 0 up"))
        self.module = module
        self.temperature = temperature
        self.name = name
        self._format = row_format_of(module.observation_space)
        self.reset(seed)

    @property
    def padded(self) -> bool:
        """Whether the module's observations have room for 5 seats, whatever the number of players."""
        return self._format.seats == MAX_PLAYERS

    def reset(self, seed: int) -> None:
        """Set the seed of the samples."""
        self._seed = seed

    def check_players(self, players: int) -> None:
        """Refuse a number of players that the observations do not fit."""
        seats = self._format.seats
        if players != seats and not self.padded:
            raise ArgumentError(f"player {self.name}: it plays games of {seats} players; got one of {players}.")

    def row_format(self, players: int) -> RowFormat:
        """See `Agent.row_format`."""
        self.check_players(players)
        return RowFormat(self._format.seats, self._format.figures)

    def act(self, views: Views) -> np.ndarray:
        """The action of each row."""
        logits = self.logits(views)
        if self.temperature == 0:
            return np.asarray(logits.argmax(axis=1))
        logits = (logits - logits.max(axis=1, keepdims=True)) / max(self.temperature, 1e-30)
        chances = np.exp(logits)
        return draw_rows(chances / chances.sum(axis=1, keepdims=True), uniform_rows(views.states, self._seed))

    def logits(self, views: Views) -> np.ndarray:
        """The module's logits, (rows, 184) float64, with minus infinity for illegal actions."""
        if len(views):
            self.check_players(int(views.states["players"][0]))
        batch = {Columns.OBS: {OBSERVATION: self._rows(views), ACTION_MASK: torch.tensor(views.masks)}}
        with torch.no_grad():
            logits = self.module.forward_inference(batch)[Columns.ACTION_DIST_INPUTS].cpu().numpy()
        return np.where(views.masks, logits.astype(np.float64), -np.inf)

    def _rows(self, views: Views) -> torch.Tensor:
        """The observations in the form of the module's observation space."""
        seats, figures, dtype = self._format
        rows = views.observations
        if rows.shape[1] != self._format.size or dtype != rows.dtype:
            rows = observe(views.states, views.seats, seats, figures=figures, dtype=dtype)
        return torch.tensor(rows)


def learned_module(algorithm: Any, module_id: str | None = None) -> RLModule:
    """A copy of a running algorithm's module, with the learner's current weights and the value function.

    Args:
        algorithm: The algorithm.
        module_id: The module's id; default: the first one that is trained.
    """
    chosen = trained_module_id(algorithm.config) if module_id is None else module_id
    state = algorithm.learner_group.get_state(components=f"learner/rl_module/{chosen}")
    spec = RLModuleSpec.from_module(algorithm.get_module(chosen))
    spec.inference_only = False
    with torch.random.fork_rng(devices=[]):  # initial weights must not take random numbers from training
        module = spec.build()
    module.set_state(state["learner"]["rl_module"][chosen])
    return module


def trained_module_id(config: Any) -> str:
    """The id of the first module that an algorithm trains."""
    if not config.is_multi_agent:
        return str(DEFAULT_MODULE_ID)
    trained = config.policies_to_train
    return str(next(iter(config.policies if trained is None or callable(trained) else trained)))


def network_of(module: MaskedModule) -> Network:
    """A NumPy network with copies of a module's weights, as baselines have it.

    Take the module from `learned_module` or ``RLModule.from_checkpoint``. The modules of environment runners have no
    value function, or an untrained one.

    Raises:
        ArgumentError: If the module is not a `MaskedModule` with its value function.
    """
    if not hasattr(module, "value"):
        raise ArgumentError("module: it has no value function; must be a MaskedModule that is not inference_only.")
    hiddens, activation, shared = module.layers
    heads = () if shared else hiddens
    row = module.row_format
    shape = Shape(row.seats, heads, heads, shared=hiddens if shared else (), activation=activation, figures=row.figures)
    return Network(shape, _layers(module.policy), _layers(module.value), shared=_layers(module.shared))


def _layers(stack: torch.nn.Sequential) -> tuple[Layer, ...]:
    linears = [layer for layer in stack if isinstance(layer, torch.nn.Linear)]
    return tuple(
        Layer(
            np.ascontiguousarray(linear.weight.detach().cpu().numpy().T).copy(),
            linear.bias.detach().cpu().numpy().copy(),
        )
        for linear in linears
    )
