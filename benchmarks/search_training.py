"""`python -m benchmarks.search_training`: PPO, learning from search, or one after the other, for the same core time.

All begin with the pretraining of the recipe `2p` or `4p`. `ppo` then learns by PPO alone and `search` from searches
alone; `ppo-search-16` learns by PPO for half of the time, which is `ppo-half`, and then from searches of 16 iterations.
What they have learned plays scripted players and `ppo`, on deals of the arena's evaluation range.

Runs are in build/search_training. Give the command again after an interruption: finished runs are not repeated, PPO
resumes, and learning from search begins again. What the page shows is kept in results/search_training.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.results import BUILD, RESULTS
from benchmarks.runs import (
    MISTAKES,
    add_arguments,
    carry_out_and_keep,
    check_names,
    count,
    is_kept,
    minutes_of,
    settings_by_time,
)
from speicher_agents.baselines import read_baseline
from speicher_apps.cli.errors import WRONG_INPUT
from speicher_apps.meter.report import header
from speicher_training.arena import arena
from speicher_training.executor import InProcess
from speicher_training.intervals import Interval
from speicher_training.sweep.trial import Interrupted, Report
from speicher_training.train import Recipe, load_into, load_recipe, network_of, train, write_baseline
from speicher_training.train.learner import make_learner
from speicher_training.train.policy import SparsePolicy, computes_in_half
from speicher_training.train.run_folder import origin
from speicher_training.train.search_learning import SearchLearning
from speicher_training.train.settings import MAX_DECISIONS, SearchSettings

KEPT = RESULTS / "search_training"
RUNS = BUILD / "search_training"
COUNTS = (2, 4)
MINUTES = 60.0
DEALS = 500
"""Held-out deals against each opponent, from every seat."""
PANEL = ("frugal", "merchant")
PPO = "ppo"


@dataclass(frozen=True)
class Course:
    """How the time is used."""

    ppo: float
    """The share of the time for pretraining and PPO; 0 for pretraining and one update of PPO."""
    iterations: int = 0
    """Of the searches that are learned from in the rest of the time."""


COURSES = {
    PPO: Course(1.0),
    "ppo-half": Course(0.5),
    "search": Course(0.0, 16),
    **{f"ppo-search-{iterations}": Course(0.5, iterations) for iterations in (2, 4, 8, 16, 64)},
}
"""By name."""
SHORT: dict[str, dict[str, Any]] = {
    "value_finetuning": {"decisions": 0},
    "run": {
        "evaluation_steps": MAX_DECISIONS, "evaluation_deals": 2, "evaluation_opponents": ["random"],
        "checkpoint_steps": 1_000_000,
    },
}  # fmt: skip
"""What is left out of the recipes, so that all time goes into learning."""


@dataclass(frozen=True)
class Run:
    """One run, by all that its result depends on."""

    course: str
    players: int
    seed: int
    minutes: float
    """Of core time."""
    recipe: Recipe
    deals: int
    folder: Path
    """Of all runs with the same budget."""

    @property
    def name(self) -> str:
        """Of its result."""
        return f"{self.course}-{self.players}p-{self.seed}"

    @property
    def identity(self) -> dict[str, Any]:
        """What a result must agree in to be this run's."""
        return {
            "course": self.course, "players": self.players, "seed": self.seed, "core_minutes": self.minutes,
            "deals": self.deals, "settings": settings_by_time(self.recipe),
        }  # fmt: skip

    def card(self, course: str) -> Path:
        """Of what a course with the same seed has learned."""
        return self.folder / f"{course}-{self.players}p-{self.seed}" / "baseline.json"


def learn_by_ppo(run: Run, report: Report, interrupted: Interrupted) -> tuple[Path, float, int] | None:
    """Pretraining and PPO for the course's share of the time: card, seconds and decisions; None if interrupted.

    The courses that go on with a search share it.
    """
    share = COURSES[run.course].ppo
    named = {0.0: "pretrained", 0.5: "ppo-half", 1.0: PPO}[share]
    budget: dict[str, Any] = {"minutes": share * run.minutes} if share else {"steps": 1}
    trained = train(
        run.recipe, run.card(named).parent, seed=run.seed, plots=False, jobs=1, clock=time.process_time,
        watch=lambda line: report({"steps": int(line["seconds"])}), interrupted=interrupted, **budget,
    )  # fmt: skip
    return (trained.card, trained.seconds, trained.steps) if trained.complete and trained.card else None


def search_stage(start: Path, recipe: Recipe, settings: SearchSettings, seed: int) -> SearchLearning:
    """Learning from search that begins with the network of a card and has no end of its own."""
    card, network = read_baseline(start)
    policy = make_learner(recipe.shape, recipe.ppo, seed).policy
    assert isinstance(policy, SparsePolicy)
    policy.half_precision = computes_in_half(recipe.run.precision)
    load_into(policy, network)
    endless = replace(settings, decisions=MAX_DECISIONS)
    return SearchLearning(
        policy, replace(card, reward="outcome"), endless, InProcess(), decks=recipe.game.decks, seed=seed
    )


def learn_from_search(
    run: Run, start: Path, before: float, report: Report, interrupted: Interrupted
) -> tuple[Path, float, int] | None:
    """Learn from searches for the rest of the time: card, seconds and decisions; None if interrupted."""
    begun, rest = time.process_time(), 60 * run.minutes - before
    settings = replace(run.recipe.search, iterations=COURSES[run.course].iterations)
    stage = search_stage(start, run.recipe, settings, run.seed)

    def seconds() -> float:
        return time.process_time() - begun

    stage.learn(lambda progress: report({"steps": int(before + seconds())}), interrupted, used=lambda: seconds() / rest)
    if seconds() < rest:
        return None
    folder = run.card(run.course).parent
    folder.mkdir(parents=True, exist_ok=True)
    path = write_baseline(
        network_of(stage.policy), folder, run.course, players=[run.players], deck="standard", padded=False,
        reward="outcome", training={"seed": run.seed}, edition=stage.card.edition,
    )  # fmt: skip
    return path, before + seconds(), stage.decisions


def carry_out_run(run: Run, report: Report, interrupted: Interrupted) -> dict[str, Any] | None:
    """Carry out a run to its end and measure what it has learned; None if interrupted."""
    learned = learn_by_ppo(run, report, interrupted)
    if learned is None:
        return None
    card, seconds, steps = learned
    searched = 0
    if COURSES[run.course].iterations:
        after = learn_from_search(run, card, seconds, report, interrupted)
        if after is None:
            return None
        card, seconds, searched = after
    against: dict[str, Interval] = {}
    opponents = dict(zip(PANEL, PANEL, strict=True))
    if run.course != PPO and run.card(PPO).exists():
        opponents[PPO] = str(run.card(PPO))
    for name, opponent in opponents.items():
        results = arena(
            {"learner": str(card), "other": opponent}, run.players, deals=run.deals, alone=run.players > 2,
            mirrors=False, plots=False, interrupted=interrupted,
        )  # fmt: skip
        if not results.complete:
            return None
        share: Interval = results.player("learner")["win_share"]
        against[name] = {end: share[end] for end in ("estimate", "low", "high")}
    command = f"python -m benchmarks.search_training --minutes {run.minutes:g}"
    return header(command) | run.identity | {
        "commit": origin()["commit"], "seconds": round(seconds, 1), "steps": steps, "searched": searched,
        "against": against,
    }  # fmt: skip


def sentence(result: dict[str, Any]) -> str:
    """A finished run in one line."""
    shares = [f"{name} {100 * share['estimate']:.1f} %" for name, share in result["against"].items()]
    return (
        f"{result['course']}-{result['players']}p-{result['seed']}: {result['steps']:,} decisions by PPO and "
        f"{result['searched']:,} of searched games; win share against {', '.join(shares)}"
    )


def planned(options: argparse.Namespace) -> list[Run]:
    """All runs, PPO alone first, because the others play against it."""
    check_names(options.only or [], list(COURSES), "course")
    folder = options.folder.absolute() / f"{options.minutes:g}-minutes"
    return [
        Run(course, players, seed, options.minutes, load_recipe(f"{players}p").changed(**SHORT), options.deals, folder)
        for seed in range(1, options.seeds + 1)
        for players in options.players
        for course in options.only or COURSES
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Carry out the missing runs, and keep their results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search_training", description=__doc__)
    parser.add_argument("--only", action="append", metavar="COURSE", help=f"one of {', '.join(COURSES)}; repeatable")
    parser.add_argument("--players", type=int, nargs="+", choices=COUNTS, default=COUNTS, help="2, 4 or both")
    parser.add_argument(
        "--minutes", type=minutes_of, default=MINUTES, help=f"core time of a run (default: {MINUTES:g})"
    )
    parser.add_argument("--deals", type=count, default=DEALS, help="against each opponent")
    add_arguments(parser, RUNS, KEPT)
    parser.set_defaults(seeds=1)
    options = parser.parse_args(arguments)
    try:
        works = {
            run.name: partial(carry_out_run, run)
            for run in planned(options)
            if not is_kept(options.into / f"{run.name}.json", run.identity)
        }
        carry_out_and_keep(works, round(60 * options.minutes), options, sentence)
    except MISTAKES as error:
        parser.exit(WRONG_INPUT, f"{error}\n")


if __name__ == "__main__":
    main()
