"""The shape of a network: what it reads, and how wide its layers are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from speicher_agents.baselines.columns import column_places
from speicher_env.observation import RowFormat, figures_size, observation_size
from speicher_env.rules.actions import N_ACTIONS

__all__ = ["ACTIVATIONS", "STACKS", "Shape"]

ACTIVATIONS = ("relu", "tanh")
"""The activations that a network can have."""

STACKS = ("columns", "shared", "policy", "value")
"""The stacks of layers that a network can have, in the order in which they are computed."""


@dataclass(frozen=True)
class Shape:
    """The shape of a network. Networks of equal shape have equal layers, with other weights.

    An observation, and its figures if there are any, go through the layers for columns: once for each column, which
    read the numbers of this column, then all numbers. Their outputs and all numbers go through the shared layers, and
    from there through policy and value.
    """

    seats: int
    """Seats that the observations have room for, 2..5."""
    policy: tuple[int, ...] = ()
    """Widths of the policy's hidden layers."""
    value: tuple[int, ...] = ()
    """Widths of the value's hidden layers."""
    columns: tuple[int, ...] = ()
    """Widths of the layers that read every column alike; empty for none."""
    shared: tuple[int, ...] = ()
    """Widths of the layers that policy and value share; empty for none."""
    activation: str = "relu"
    """The activation after each layer but the last of policy and value: "relu" or "tanh"."""
    figures: bool = False
    """Whether it also reads the figures of an observation."""
    every_seat: bool = False
    """Whether the value says of every seat how likely it wins and its points; else only the own payoff."""

    @cached_property
    def size(self) -> int:
        """The length of an observation."""
        return observation_size(self.seats)

    @cached_property
    def row_format(self) -> RowFormat:
        """The rows that are read, as float32."""
        return RowFormat(self.seats, self.figures)

    @cached_property
    def numbers(self) -> int:
        """Numbers that are read: the observation with its figures."""
        return self.size + (figures_size(self.seats) if self.figures else 0)

    @cached_property
    def column_numbers(self) -> int:
        """Numbers that describe one column."""
        return int(column_places(self.size, self.figures).shape[1])

    @cached_property
    def inputs(self) -> int:
        """Numbers that reach the shared layers, or policy and value: all that are read, and the columns' outputs."""
        return self.numbers + (self.columns[-1] * (self.seats + 1) if self.columns else 0)

    @cached_property
    def values(self) -> int:
        """Outputs of the value.

        The first is the payoff of the observing seat. With `every_seat`, a logit of the win of each seat follows, then
        the points of each seat, both clockwise from the observing one.
        """
        return 1 + 2 * self.seats if self.every_seat else 1

    def widths(self, stack: str) -> tuple[int, ...]:
        """The inputs of a stack, then the outputs of each of its layers; empty if the network has no such stack."""
        last = self.shared[-1] if self.shared else self.inputs
        return {
            "columns": (self.column_numbers + self.numbers, *self.columns) if self.columns else (),
            "shared": (self.inputs, *self.shared) if self.shared else (),
            "policy": (last, *self.policy, N_ACTIONS),
            "value": (last, *self.value, self.values),
        }[stack]

    def tensors(self) -> dict[str, tuple[int, ...]]:
        """The dimensions of each array of weights by its name in a file: matrices with a row for each output."""
        found: dict[str, tuple[int, ...]] = {}
        for stack in STACKS:
            for place, (inputs, outputs) in enumerate(pairwise(self.widths(stack))):
                found[f"{stack}.{place}.weight"] = (outputs, inputs)
                found[f"{stack}.{place}.bias"] = (outputs,)
        return found

    @property
    def hidden(self) -> dict[str, list[int]]:
        """The widths of the layers as a card lists them; stacks that need not be there are left out."""
        optional = {stack: list(getattr(self, stack)) for stack in ("columns", "shared") if getattr(self, stack)}
        return {"policy": list(self.policy), "value": list(self.value), **optional}

    def __str__(self) -> str:
        layers = ", ".join(f"{stack} {widths}" for stack, widths in self.hidden.items())
        return f"{self.inputs} inputs, layers {layers}, {self.activation}"
