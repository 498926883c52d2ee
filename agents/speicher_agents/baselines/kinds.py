"""The players with trained networks that a spec can name."""

from __future__ import annotations

from typing import Any

from speicher_agents.agent import Agent
from speicher_agents.baselines.guided import EXPLORATION, TEMPERATURE, GuidedByBaseline
from speicher_agents.baselines.player import Baseline, Suited
from speicher_agents.registry import SEED, Parameter, PlayerKind
from speicher_agents.search.guided import CONSIDERED, ITERATIONS, ROOTS, SCALE

__all__ = ["KINDS"]


def make_baseline(baseline: str | None = None, temperature: float = 0.0, seed: int = 0) -> Agent:
    """The baseline of that name or path; without one, the packaged one for the number of players."""
    return Baseline(baseline, temperature, seed) if baseline else Suited(temperature, seed)


def make_guided(baseline: str | None = None, **options: Any) -> GuidedByBaseline:
    """A tree search guided by the baseline of that name or path; see `make_baseline`."""
    return GuidedByBaseline(Baseline(baseline) if baseline else Suited(), **options)


_DEFAULT = "default: the packaged one for the number of players"

KINDS = (
    PlayerKind(
        "baseline",
        "a trained network: plays what it has learned, without looking ahead",
        make_baseline,
        (
            Parameter("baseline", str, f"a packaged one such as 2p, or the path of a card; {_DEFAULT}"),
            Parameter("temperature", float, "0 plays the likeliest action, 1 draws by probabilities", 0.0, least=0),
            SEED,
        ),
    ),
    PlayerKind(
        "guided",
        "tree search guided by a trained network: its policy says where to look, its value judges positions",
        make_guided,
        (
            Parameter("iterations", int, f"leaves for each decision, {ITERATIONS} unless ms is given", least=1),
            Parameter("ms", float, "milliseconds for each decision, in place of iterations", least=0.001),
            Parameter("baseline", str, f"whose network; {_DEFAULT}"),
            Parameter("c", float, "exploration", EXPLORATION, least=0),
            Parameter(
                "temperature",
                float,
                "of the prior: 1 as the network says, more explores more",
                TEMPERATURE,
                least=0.01,
            ),
            Parameter("root", str, "how the root chooses: puct, or halving for sequential halving", ROOTS[0]),
            Parameter("considered", int, "actions that halving considers at first", CONSIDERED, least=1),
            Parameter("scale", float, "how much payoffs count against priors in halving", SCALE, least=0),
            Parameter("futures", int, "supplies that all actions share, 0 for another one each time", 0, least=0),
            SEED,
        ),
    ),
)
