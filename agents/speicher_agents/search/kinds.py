"""The searches that a spec can name."""

from __future__ import annotations

from speicher_agents.registry import SEED, Parameter, PlayerKind
from speicher_agents.search.flat import FlatSearch
from speicher_agents.search.mcts import EXPLORATION, ITERATIONS, MARGIN, PRIOR, ROLLOUT, TRUST, TreeSearch

__all__ = ["KINDS"]

_BUDGET = (
    Parameter("iterations", int, f"playouts for each decision, {ITERATIONS} unless ms is given", least=1),
    Parameter("ms", float, "milliseconds for each decision, in place of iterations", least=0.001),
)
_PAYOFF = (
    Parameter("margin", float, "part 0..1 of points ahead in a payoff, the rest is the outcome", MARGIN, least=0),
    Parameter("rollout", str, "who plays the playouts: casual, random or a scripted player", ROLLOUT),
)
KINDS = (
    PlayerKind(
        "flat", "plain Monte Carlo: plays each action out equally often", FlatSearch, (*_BUDGET, *_PAYOFF, SEED)
    ),
    PlayerKind(
        "mcts",
        "Monte Carlo tree search: looks ahead where it pays, for every seat and over chance",
        TreeSearch,
        (
            *_BUDGET,
            Parameter("c", float, "exploration", EXPLORATION, least=0),
            *_PAYOFF,
            Parameter("prior", str, "whose choice is looked at first: a scripted player, or none", PRIOR),
            Parameter("trust", float, "prior 0..1 of that choice, the rest is shared by all", TRUST, least=0),
            SEED,
        ),
    ),
)
