"""`python -m benchmarks.ablations`: what single settings of training are worth, each over several seeds.

Every variant is one recipe for two players with one thing changed, trained for the same core time, or with --steps for
as many decisions. What the networks are worth is then measured in the arena, on deals of its evaluation range, which no
run has seen.

Runs lie under build/ablations and go on there when the command is given again; a finished one is not run again. What
the page shows is kept in results/ablations, one file for each run, and `make pages` makes it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.library_learner import LIBRARY_SETTINGS, LearnedByLibrary, train_by_library
from benchmarks.results import BUILD, RESULTS
from benchmarks.runs import (
    MISTAKES,
    add_arguments,
    carry_out_and_keep,
    check_names,
    check_two_players,
    count,
    curve,
    is_kept,
    minutes_of,
)
from speicher_agents.baselines import Baseline
from speicher_apps.cli.errors import WRONG_INPUT
from speicher_apps.meter.report import header
from speicher_env.errors import ArgumentError
from speicher_training.arena import ArenaError, arena
from speicher_training.sweep.trial import Interrupted, Report
from speicher_training.train import Recipe, Trained, load_recipe, train
from speicher_training.train.run_folder import origin

if TYPE_CHECKING:
    import numpy as np

    from speicher_env.views import Views

KEPT = RESULTS / "ablations"
RUNS = BUILD / "ablations"
BASE = "base"
OPPONENTS = ("random", "frugal", "shipper", "merchant")
"""From the weakest to the strongest; `shipper`, in the middle of the ladder, is in no recipe's league."""
STANDARD, SAMPLED = "standard", "sampled"
MINUTES = 1.0
"""Core time of a run, evaluations included."""
CURVE_POINTS, CURVE_STEPS = 10, 250_000
"""Evaluations of a run with a given number of decisions, and the decisions between two evaluations of others."""
CURVE_DEALS, DEALS = 50, 500
"""Of each evaluation while a run goes (development deals), and of each arena behind it (evaluation deals)."""

Tables = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Variant:
    """The base with one thing changed."""

    title: str
    """What is changed, as the heading of a section."""
    question: str
    changes: Tables = field(default_factory=dict)
    decks: tuple[str, ...] = (STANDARD,)
    """Of the arenas."""
    blind: bool = False
    """Whether it also plays as it was trained: without the mask, where an illegal action loses the game."""
    library: bool = False
    """Whether stable-baselines3 trains it, with no code of this project but environment and league."""


VARIANTS = {
    BASE: Variant("The base", "", decks=(STANDARD, SAMPLED)),
    "unmasked": Variant(
        "Without the mask",
        "The learner is not told which actions are legal; an illegal one loses the game at once.",
        {"ppo": {"masked": False}},
        blind=True,
    ),
    "outcome": Variant(
        "The outcome as reward",
        "The learner is paid by whether it has won, and no longer by how far it is ahead at the end.",
        {"game": {"reward": "outcome"}},
    ),
    "margin": Variant(
        "The margin as reward",
        "The learner is paid by how far it is ahead at the end, and no longer by whether it is.",
        {"game": {"reward": "margin"}},
    ),
    "latest": Variant(
        "Latest self only",
        "All opponents are the newest policy: no snapshots of the past, no scripted players.",
        {"league": {"newest": 1.0, "past": 0.0, "scripted": 0.0}},
    ),
    "sampled": Variant(
        "Sampled decks",
        "Every game is dealt from a deck of its own, whose fires, firemen and contracts are drawn.",
        {"game": {"decks": [SAMPLED]}},
        decks=(STANDARD, SAMPLED),
    ),
    "untaught": Variant(
        "Without pretraining",
        "Nobody shows the learner anything before its own games begin.",
        {"pretraining": {"decisions": 0}},
    ),
    "plain": Variant(
        "Without figures and columns",
        "The network reads the observation alone: nothing is worked out from it, no layers read every column alike.",
        {"network": {"figures": False, "columns": []}},
    ),
    "apart": Variant(
        "Policy and value apart",
        "Policy and value each have a first layer of their own, so that it is computed twice.",
        {"network": {"shared": [], "policy": [128, 128], "value": [128, 128]}},
    ),
    "own-value": Variant(
        "The own payoff alone",
        "The value predicts the payoff of the player to move, and not who wins and the points of every seat.",
        {"network": {"every_seat": False}},
    ),
    "one-seat": Variant(
        "One seat",
        "The learner learns from the decisions of its own seat, and not from those of opponents that are its newest "
        "policy.",
        {"ppo": {"every_newest": False}},
    ),
    "float32": Variant(
        "Single precision",
        "All layers are computed with 32 bits; else those between the first and the last one are computed in bfloat16.",
        {"run": {"precision": "float32"}},
    ),
    "library": Variant(
        "Plain MaskablePPO",
        "MaskablePPO of sb3-contrib trains its `MlpPolicy` on a `SpeicherVecEnv`, against the same league, without "
        "pretraining.",
        LIBRARY_SETTINGS,
        library=True,
    ),
}
"""By name. Of `outcome` and `margin` the base is one; what else is in a league that is all newest does not matter."""


def base_of(recipe: Recipe, steps: int | None) -> Recipe:
    """The base: a recipe with this budget, evaluations that fit it, and nothing at the end that no play depends on.

    Without steps, a time is the budget.
    """
    check_two_players(recipe)
    return recipe.changed(
        ppo={} if steps is None else {"steps": steps},
        value_finetuning={"decisions": 0},
        run={
            "evaluation_steps": CURVE_STEPS if steps is None else max(1, steps // CURVE_POINTS),
            "evaluation_deals": CURVE_DEALS,
            "evaluation_opponents": list(OPPONENTS),
        },
    )


def variants_of(base: Recipe) -> list[str]:
    """The base, and the variants that differ from it."""
    return [
        name
        for name, variant in VARIANTS.items()
        if name == BASE or base.changed(**variant.changes).tables != base.tables
    ]


def recipe_of(variant: str, base: Recipe) -> Recipe:
    """The recipe of a variant.

    Raises:
        ArgumentError: If the base is like that already, so that there would be nothing to compare.
    """
    recipe = base.changed(**VARIANTS[variant].changes)
    if variant != BASE and recipe.tables == base.tables:
        raise ArgumentError(f"variant {variant}: equals the base; leave it out, or name another --recipe.")
    return recipe


class Blind(Baseline):
    """A network that may choose any action, legal or not."""

    def act(self, views: Views) -> np.ndarray:
        """The action of each row."""
        everything = views.masks | True
        return self.network.logits(self._seen(views), everything).argmax(axis=1)


@dataclass(frozen=True)
class Run:
    """One run, by all that its result depends on."""

    variant: str
    seed: int
    recipe: Recipe
    deals: int
    """Of each arena."""
    minutes: float | None = None
    """Of core time; None for the decisions of the recipe."""

    @property
    def name(self) -> str:
        """Of its folder and its result."""
        return f"{self.variant}-{self.seed}"

    @property
    def identity(self) -> dict[str, Any]:
        """What a result must agree in to be this run's."""
        return {
            "variant": self.variant,
            "recipe": self.recipe.name,
            "changes": VARIANTS[self.variant].changes,
            "seed": self.seed,
            "core_minutes": self.minutes,
            "settings": self.recipe.tables,
            "deals": self.deals,
        }


def carry_out_run(run: Run, folder: Path, report: Report, interrupted: Interrupted) -> dict[str, Any] | None:
    """Train a run to its end and measure what it has come to; None if interrupted."""
    before = time.monotonic(), time.process_time()
    watch = partial(_report_extent, run, report)
    learned: LearnedByLibrary | Trained
    if VARIANTS[run.variant].library:
        learned = train_by_library(
            run.recipe, folder, seed=run.seed, minutes=run.minutes, interrupted=interrupted,
            watch=lambda steps: watch(steps, time.process_time() - before[1]),
        )  # fmt: skip
    else:
        budget: dict[str, Any] = {} if run.minutes is None else {"minutes": run.minutes, "clock": time.process_time}
        learned = train(
            run.recipe, folder, seed=run.seed, evaluation_deck=STANDARD, plots=False, jobs=1,
            watch=lambda line: watch(int(line["steps"]), line["seconds"]), interrupted=interrupted, **budget,
        )  # fmt: skip
    cpu = (time.process_time() - before[1]) / (time.monotonic() - before[0])
    evaluation = evaluate(run, learned.card, interrupted) if learned.complete and learned.card is not None else None
    if evaluation is None:
        return None
    extent = f"--steps {run.recipe.ppo.steps}" if run.minutes is None else f"--minutes {run.minutes:g}"
    command = f"python -m benchmarks.ablations --recipe {run.recipe.name} {extent}"
    return header(command) | run.identity | {
        "commit": origin()["commit"],
        "steps": learned.steps,
        "minutes": round(learned.seconds / 60, 3),
        "cpu": 1.0 if run.minutes else round(cpu, 3),
        "curve": [] if VARIANTS[run.variant].library else curve(folder),
        "evaluation": evaluation,
    }  # fmt: skip


def _report_extent(run: Run, report: Report, steps: int, seconds: float) -> None:
    """Say how far a run is: in decisions, or in seconds of a run that core time limits."""
    report({"steps": steps if run.minutes is None else int(seconds)})


def evaluate(run: Run, card: Path, interrupted: Interrupted) -> list[dict[str, Any]] | None:
    """The arenas of a run: one for each deck and opponent; None if interrupted."""
    variant = VARIANTS[run.variant]
    kinds: list[tuple[str, type[Baseline]]] = [(deck, Baseline) for deck in variant.decks]
    kinds += [(STANDARD, Blind)] if variant.blind else []
    found = []
    for deck, player in kinds:
        for opponent in OPPONENTS:
            try:
                results = arena(
                    {"learner": player(card), opponent: opponent}, deals=run.deals, deck=deck, mirrors=False,
                    interrupted=interrupted,
                )  # fmt: skip
            except ArenaError:
                if interrupted():
                    return None
                raise
            if not results.complete:
                return None
            learner = results.player("learner")
            found.append(
                {
                    "opponent": opponent,
                    "deck": deck,
                    "masked": player is Baseline,
                    "games": results.summary["games"],
                    "win_share": {end: learner["win_share"][end] for end in ("estimate", "low", "high")},
                    "forfeits": learner["forfeits"],
                }
            )
    return found


def sentence(result: Mapping[str, Any]) -> str:
    """A finished run in one line."""
    shares = [
        f"{one['opponent']} {100 * one['win_share']['estimate']:.1f} %"
        for one in result["evaluation"]
        if one["deck"] == STANDARD and one["masked"]
    ]
    return (
        f"{result['variant']}-{result['seed']}: {result['steps']:,} decisions in {result['minutes']:.1f} minutes; "
        f"win share against {', '.join(shares)}"
    )


def main(arguments: list[str] | None = None) -> None:
    """Carry out the missing runs, and keep their results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablations", description=__doc__)
    parser.add_argument("--only", action="append", metavar="VARIANT", help=f"one of {', '.join(VARIANTS)}; repeatable")
    parser.add_argument("--minutes", type=minutes_of, default=MINUTES, help=f"core time of a run (default: {MINUTES})")
    parser.add_argument("--steps", type=count, help="in place of minutes: decisions of each run")
    parser.add_argument("--recipe", default="demo", help="the base: the name of a recipe, or a file")
    parser.add_argument("--deals", type=count, default=DEALS, help="of each arena behind a run")
    add_arguments(parser, RUNS, KEPT)
    options = parser.parse_args(arguments)
    try:
        missing = plan(options)
        works = {run.name: partial(carry_out_run, run, place(run, options.folder.absolute())) for run in missing}
        carry_out_and_keep(works, options.steps or round(60 * options.minutes), options, sentence)
    except MISTAKES as error:
        parser.exit(WRONG_INPUT, f"{error}\n")


def plan(options: argparse.Namespace) -> list[Run]:
    """The missing runs, seed by seed, so that an early end leaves all variants with the same number."""
    check_names(options.only or [], list(VARIANTS), "variant")
    recipe = load_recipe(options.recipe)
    base = base_of(recipe, options.steps)
    minutes = None if options.steps else options.minutes
    variants = options.only or variants_of(base)
    recipes = {variant: recipe_of(variant, base) for variant in variants}
    runs = [
        Run(variant, seed, recipes[variant], options.deals, minutes)
        for seed in range(1, options.seeds + 1)
        for variant in variants
    ]
    return [run for run in runs if not is_kept(options.into / f"{run.name}.json", run.identity)]


def place(run: Run, folder: Path) -> Path:
    """The folder of a run; other budgets are other runs, as the learning rate falls with them."""
    extent = run.recipe.ppo.steps if run.minutes is None else f"{run.minutes:g}-minutes"
    return folder / f"{run.recipe.name}-{extent}" / run.name


if __name__ == "__main__":
    main()
