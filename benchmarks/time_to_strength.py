"""`python -m benchmarks.time_to_strength`: minutes on one core until a learner holds its own against `merchant`.

It has reached that strength at the first evaluation on development deals that gives it AIM of the win, if the next one
does so too: a single lucky one does not count. Then the run stops. The time is the core time of the whole run until
then, with pretraining, checkpoints and evaluations.

Runs lie under build/time_to_strength and go on there when the command is given again; results are kept in
results/time_to_strength, one file for each run. `docs/ablations.md` shows them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.results import BUILD, RESULTS
from benchmarks.runs import (
    MISTAKES,
    add_arguments,
    carry_out_and_keep,
    check_two_players,
    count,
    curve,
    is_kept,
)
from speicher_apps.cli.errors import WRONG_INPUT
from speicher_apps.meter.report import header
from speicher_training.sweep.trial import Interrupted, Report
from speicher_training.train import Recipe, load_recipe, train
from speicher_training.train.metrics import Line
from speicher_training.train.recipe import recipe_from
from speicher_training.train.run_folder import origin

KEPT = RESULTS / "time_to_strength"
RUNS = BUILD / "time_to_strength"
OPPONENT = "merchant"
AIM = 0.6
"""Share of the win."""
UNTAUGHT = "untaught"
"""Ends the name of a recipe whose pretraining is left out."""
EVERY = 100_000
"""Decisions between two evaluations."""
DEALS = 400
"""Of an evaluation, each from both seats: its standard error is 2.4 points at most."""


def watched(recipe: Recipe, every: int, deals: int) -> Recipe:
    """The recipe with evaluations of its own, and nothing at the end; how it plays depends on neither."""
    check_two_players(recipe)
    return recipe.changed(
        value_finetuning={"decisions": 0},
        run={"evaluation_steps": every, "evaluation_deals": deals, "evaluation_opponents": [OPPONENT]},
    )


def reached(evaluations: Sequence[Line], aim: float) -> int | None:
    """The place of the first evaluation that reaches the aim and is borne out by the next, None if there is none."""
    fits = [line["win_share"] >= aim for line in evaluations]
    return next((place for place in range(len(fits) - 1) if fits[place] and fits[place + 1]), None)


def identity(recipe: Recipe, seed: int) -> dict[str, Any]:
    """What a result must agree in to be this run's."""
    return {"recipe": recipe.name, "seed": seed, "opponent": OPPONENT, "aim": AIM, "settings": recipe.tables}


def carry_out_run(
    recipe: Recipe, seed: int, folder: Path, report: Report, interrupted: Interrupted
) -> dict[str, Any] | None:
    """Train until the strength is reached, or to the end of the recipe; None if interrupted."""
    there = reached(curve(folder), AIM) is not None

    def watch(line: Line) -> None:
        nonlocal there
        report({"steps": int(line["steps"])})
        if line["kind"] == "evaluation" and not there:
            there = reached(curve(folder), AIM) is not None

    if not there:
        trained = train(
            recipe, folder, seed=seed, evaluation_deck="standard", plots=False, jobs=1, clock=time.process_time,
            watch=watch, interrupted=lambda: there or interrupted(),
        )  # fmt: skip
        if not there and not trained.complete:
            return None
    found = curve(folder)
    place = reached(found, AIM)
    if place is not None:
        found = found[: place + 2]
    named = recipe.name.removesuffix(f"-{UNTAUGHT}")
    how = "" if named == recipe.name else f" --{UNTAUGHT}"
    command = f"python -m benchmarks.time_to_strength --recipe {named}{how} --steps {recipe.ppo.steps}"
    return header(command) | identity(recipe, seed) | {
        "commit": origin()["commit"],
        "minutes": None if place is None else round(found[place]["seconds"] / 60, 3),
        "steps": None if place is None else found[place]["steps"],
        "curve": found,
    }  # fmt: skip


def sentence(result: dict[str, Any]) -> str:
    """A finished run in one line."""
    name = f"{result['recipe']}-{result['seed']}"
    if result["minutes"] is None:
        return f"{name}: {100 * result['aim']:.0f} % against {result['opponent']} not reached"
    return f"{name}: {result['minutes']:.1f} minutes and {result['steps']:,} decisions until it was reached"


def main(arguments: list[str] | None = None) -> None:
    """Carry out the missing runs, and keep their results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.time_to_strength", description=__doc__)
    parser.add_argument("--recipe", default="2p", help="the name of a recipe for two players, or a file")
    parser.add_argument("--steps", type=count, help="decisions at which to give up; default: the recipe's")
    parser.add_argument(
        "--untaught", action="store_true", help="without pretraining: nobody shows the learner anything"
    )
    parser.add_argument("--every", type=count, default=EVERY, help="decisions between two evaluations")
    parser.add_argument("--deals", type=count, default=DEALS, help="of an evaluation")
    add_arguments(parser, RUNS, KEPT)
    options = parser.parse_args(arguments)
    try:
        recipe = watched(load_recipe(options.recipe), options.every, options.deals)
        if options.untaught:
            recipe = recipe_from(
                recipe.changed(pretraining={"decisions": 0}).tables, f"{recipe.name}-{UNTAUGHT}"
            )  # fmt: skip
        if options.steps:
            recipe = recipe.changed(ppo={"steps": options.steps})
        works = {
            f"{recipe.name}-{seed}": partial(
                carry_out_run, recipe, seed, options.folder.absolute() / f"{recipe.name}-{seed}"
            )
            for seed in range(1, options.seeds + 1)
            if not is_kept(options.into / f"{recipe.name}-{seed}.json", identity(recipe, seed))
        }
        carry_out_and_keep(works, recipe.ppo.steps, options, sentence)
    except MISTAKES as error:
        parser.exit(WRONG_INPUT, f"{error}\n")


if __name__ == "__main__":
    main()
