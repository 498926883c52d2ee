"""`python -m benchmarks.seeds`: how far trainings of one recipe lie apart that differ in their seed alone.

The recipe is trained in full with several seeds, but for the one that the shipped baseline was trained with. Then all
play `merchant` and each other, on deals of the arena's evaluation range.

Runs are in build/seeds. Give the command again after an interruption: finished runs are not repeated, others resume.
What the page shows is kept in results/seeds.json.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

from benchmarks.results import BUILD, RESULTS, write
from benchmarks.runs import MISTAKES, check_two_players, count, show
from speicher_agents.baselines import packaged, read_baseline
from speicher_apps.cli.errors import INTERRUPTED, WRONG_INPUT
from speicher_apps.cli.files import interruptible
from speicher_apps.cli.progress import progress_bar
from speicher_apps.meter.report import header
from speicher_training.arena import arena
from speicher_training.intervals import Interval, mean_interval
from speicher_training.sweep.trial import Interrupted
from speicher_training.train import Recipe, load_recipe, train

RUNS = BUILD / "seeds"
OPPONENT = "merchant"
DEALS = 3000
"""Held-out deals of each pair, from both seats."""
DECISIVE = ("game", "network", "pretraining", "ppo", "league", "value_finetuning")
"""Tables of a recipe that a network depends on; one with learning from search is always trained again."""


def is_shipped(recipe: Recipe, seed: int) -> bool:
    """Whether the packaged baseline of the recipe's name was trained in this very way."""
    if recipe.name not in packaged() or recipe.search.decisions:
        return False
    training = read_baseline(recipe.name)[0].training
    settings, defaults = training.get("settings", {}), Recipe("").tables
    return bool(training.get("seed") == seed and training.get("from") is None) and all(
        {**defaults[table], **settings.get(table, {})} == recipe.tables[table]  # a later setting has its default
        for table in (*DECISIVE, "imitation")
    )


def trained(recipe: Recipe, seed: int, folder: Path, jobs: int | None, interrupted: Interrupted) -> str | None:
    """The player that a seed gives, which is trained if need be; None if interrupted."""
    if is_shipped(recipe, seed):
        return f"baseline:{recipe.name}"
    with progress_bar() as bar:
        made = show(bar, recipe.ppo.steps)
        run = train(
            recipe, folder / f"{recipe.name}-{seed}", seed=seed, jobs=jobs, interrupted=interrupted,
            watch=lambda line: made(f"seed {seed}", int(line["steps"])),
        )  # fmt: skip
    return str(run.card) if run.complete else None


def measured(players: Mapping[int, str], deals: int, interrupted: Interrupted) -> dict[str, Any] | None:
    """The share of each seed against the opponent and of each pair of seeds; None if interrupted."""
    seeds, pairs = [], []
    for seed, player in players.items():
        share = share_of(player, OPPONENT, deals, interrupted)
        if share is None:
            return None
        seeds.append({"seed": seed, "player": Path(player).parent.name or player, "win_share": share})
    for first, second in combinations(players, 2):
        share = share_of(players[first], players[second], deals, interrupted)
        if share is None:
            return None
        pairs.append({"first": first, "second": second, "win_share": share})
    of_seeds = mean_interval([row["win_share"]["estimate"] for row in seeds])
    return {"deals": deals, "opponent": OPPONENT, "seeds": seeds, "pairs": pairs, "mean": of_seeds}


def share_of(player: str, other: str, deals: int, interrupted: Interrupted) -> Interval | None:
    """The win share of a player against another one on held-out deals; None if interrupted."""
    results = arena(
        {"one": player, "other": other}, 2, deals=deals, mirrors=False, plots=False, interrupted=interrupted
    )  # fmt: skip
    share: Interval = results.player("one")["win_share"]
    return {end: share[end] for end in ("estimate", "low", "high")} if results.complete else None


def main(arguments: list[str] | None = None) -> int:
    """Train what is missing, let all play, and keep the result; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.seeds", description=__doc__)
    parser.add_argument("--recipe", default="2p", help="the name of a recipe for two players, or a file")
    parser.add_argument("--seeds", type=count, default=3, help="seeds 1 to this (default: 3)")
    parser.add_argument("--steps", type=count, help="decisions of each training; default: the recipe's")
    parser.add_argument("--deals", type=count, default=DEALS, help=f"of each pair (default: {DEALS})")
    parser.add_argument("--jobs", type=count, help="processes that play games; default: one for each core")
    parser.add_argument("--folder", type=Path, default=RUNS, help="where the runs are")
    parser.add_argument("--into", type=Path, default=RESULTS, help="where the result is kept")
    options = parser.parse_args(arguments)
    try:
        recipe = load_recipe(options.recipe)
        check_two_players(recipe)
        if options.steps:
            recipe = recipe.changed(ppo={"steps": options.steps})
        with interruptible() as interrupted:
            players: dict[int, str] = {}
            for seed in range(1, options.seeds + 1):
                player = trained(recipe, seed, options.folder.absolute(), options.jobs, interrupted)
                if player is None:
                    break
                players[seed] = player
            result = measured(players, options.deals, interrupted) if len(players) == options.seeds else None
    except MISTAKES as error:
        print(error, file=sys.stderr)
        return WRONG_INPUT
    if result is None:
        print("interrupted; the same command resumes from here", file=sys.stderr)
        return INTERRUPTED
    steps = f" --steps {options.steps}" if options.steps else ""
    command = f"python -m benchmarks.seeds --recipe {recipe.name}{steps} --seeds {options.seeds}"
    write("seeds", header(command) | {"recipe": recipe.name, "decisions": recipe.ppo.steps, **result}, options.into)
    return 0


if __name__ == "__main__":
    sys.exit(main())
