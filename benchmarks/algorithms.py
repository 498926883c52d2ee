"""`python -m benchmarks.algorithms`: learning algorithms compared on the same budget of core time, without a teacher.

Each algorithm learns from nothing with several seeds, for two and for four players, each run on one core. What it has
learned then plays a panel of scripted players and the other algorithms, on deals of the arena's evaluation range. With
--exploit a best response to each is trained, too.

Runs are in build/algorithms. Give the command again after an interruption: finished runs are not repeated, and others
resume, but for DQN, PQN and a search stage, which start again. What the page shows is kept in results/algorithms.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

from benchmarks.results import BUILD, RESULTS, ROOT, TRIALS, write
from benchmarks.runs import (
    MISTAKES,
    add_arguments,
    carry_out_and_keep,
    check_names,
    is_kept,
    minutes_of,
    settings_by_time,
)
from benchmarks.search_training import search_stage
from speicher_agents.baselines import Baseline, Network, read_baseline, read_tensors
from speicher_apps.cli.errors import INTERRUPTED, WRONG_INPUT
from speicher_apps.cli.files import interruptible
from speicher_apps.meter.report import header
from speicher_env.errors import ArgumentError
from speicher_training.arena import arena
from speicher_training.exploit import exploit
from speicher_training.intervals import Interval
from speicher_training.sweep.trial import Interrupted, Report
from speicher_training.train import Recipe, evaluate, load_recipe, network_of, train, write_baseline
from speicher_training.train.metrics import UPDATE, read_metrics
from speicher_training.train.run_folder import origin
from speicher_training.train.search_learning import SearchProgress
from speicher_training.train.settings import MAX_DECISIONS

KEPT = RESULTS / "algorithms"
RUNS = BUILD / "algorithms"
EXAMPLES = ROOT / "training" / "examples"
COUNTS = (2, 4)
PANEL = ("random", "frugal", "merchant")
"""From the weakest to the strongest; two of them are in the leagues and in the fixed mix."""
MINUTES = 10.0
DEALS, PAIR_DEALS, EXPLOIT_DEALS = 200, 100, 400
"""Held-out deals against each player of the panel, between two algorithms, and of an exploiter; from every seat."""
CURVE_POINTS, CURVE_DEALS = 5, 50
"""Evaluations of a run on development deals; they are not part of its time."""
EXPLOIT_STEPS = 500_000
"""Decisions that an exploiter learns from. It starts from the shipped baseline for the number of players."""
PPO_PART = 0.4
"""Of the budget of expert iteration: PPO self-play before the search."""
TICK = 0.2
"""Seconds between two looks at a training in another process."""

Tables = dict[str, dict[str, Any]]
Curve = list[dict[str, Any]]


@dataclass(frozen=True)
class Algorithm:
    """A learning algorithm: changes of the recipe for the number of players, or an example file."""

    title: str
    changes: Tables = field(default_factory=dict)
    searches: bool = False
    """Whether it goes on with a search after a part of the budget."""
    file: str = ""
    """In training/examples, for those that are no recipe."""
    result: str = "baseline.json"
    """The player that a run leaves behind: a card in its folder, or a class of the file and its parameters."""


ALGORITHMS = {
    "ppo-self-play": Algorithm("PPO, self-play", {"league": {"newest": 1.0, "past": 0.0, "scripted": 0.0}}),
    "ppo-league": Algorithm("PPO, league"),
    "ppo-fixed-mix": Algorithm(
        "PPO, fixed mix of scripted players",
        {
            "league": {
                "newest": 0.0, "past": 0.0, "scripted": 1.0, "hardness": 0.0,
                "anchors": ["merchant", "spoiler", "contractor", "shipper", "frugal"],
            }
        },
    ),
    "fictitious-self-play": Algorithm(
        "PPO, fictitious self-play",
        {"league": {"newest": 0.0, "past": 1.0, "scripted": 0.0, "hardness": 0.0, "keep": 1000}},
    ),
    "expert-iteration": Algorithm(
        "Expert iteration",
        {
            "league": {"newest": 1.0, "past": 0.0, "scripted": 0.0},
            "search": {
                "iterations": 16, "quick_iterations": 4, "full_share": 0.5, "scale": 0.3, "games": 256,
                "window": 200_000, "reuse": 4.0, "batch_size": 1024, "learning_rate": 3e-4,
            },
        },
        searches=True,
    ),
    "psro": Algorithm("PSRO", file="psro.py", result="Mixture:folder={folder}"),
    "dqn": Algorithm("DQN, self-play", file="dqn.py"),
    "pqn": Algorithm("PQN, self-play", file="pqn.py", result="Trained:checkpoint={folder}/checkpoint.pt"),
}  # fmt: skip
"""By name."""

SHORT: Tables = {
    "pretraining": {"decisions": 0},
    "value_finetuning": {"decisions": 0},
    "ppo": {
        name: load_recipe("demo").tables["ppo"][name]
        for name in ("games", "rollout", "batch_size", "gae_lambda", "learning_rate_end")
    },
    "league": {"snapshot_steps": 200_000},
    "run": {
        "checkpoint_steps": 500_000, "evaluation_steps": MAX_DECISIONS, "evaluation_deals": 2,
        "evaluation_opponents": ["random"],
    },
}  # fmt: skip
"""What all recipes here have in common: no teacher, the PPO of the recipe `demo`, and no evaluations in their time."""
TINY: Tables = {
    "network": {"columns": [8, 4], "shared": [16], "policy": [16], "value": [16]},
    "ppo": {"games": 8, "rollout": 32, "batch_size": 128},
    "league": {"snapshot_steps": 256},
    "search": {"games": 4, "batch_size": 64},
}
"""Of --quick: a network and rollouts that are small."""
TINY_EXAMPLE = ("--hidden", "16", "--columns", "8", "4")
TINY_OPTIONS = {
    "dqn.py": (*TINY_EXAMPLE, "--num-envs", "8", "--begin", "64", "--minibatch", "64"),
    "pqn.py": (*TINY_EXAMPLE, "--num-envs", "8", "--num-steps", "32", "--minibatch", "64"),
    "psro.py": ("--members", "2", "--deals", "4"),
}


@dataclass(frozen=True)
class Extent:
    """How long a run learns and how much it is measured."""

    minutes: float | None
    """Of core time."""
    steps: int | None = None
    """In place of minutes: decisions."""
    deals: int = DEALS
    pair_deals: int = PAIR_DEALS
    exploit_steps: int = EXPLOIT_STEPS
    exploit_deals: int = EXPLOIT_DEALS
    curve_deals: int = CURVE_DEALS

    @property
    def tiny(self) -> bool:
        """Whether networks are small and nothing is learned, as it is with --quick and before the first run."""
        return self.steps is not None

    def part(self, share: float) -> dict[str, Any]:
        """A part of the budget, as `train` takes it."""
        if self.steps is not None:
            return {"steps": max(1, round(share * self.steps))}
        assert self.minutes is not None
        return {"minutes": share * self.minutes, "clock": time.process_time}


QUICK = Extent(None, steps=600, deals=4, pair_deals=4, exploit_steps=500, exploit_deals=4, curve_deals=2)


@dataclass(frozen=True)
class Run:
    """One run, by all that its result depends on."""

    algorithm: str
    players: int
    seed: int
    extent: Extent
    folder: Path = field(compare=False)

    @property
    def name(self) -> str:
        """Of its folder and its result."""
        return f"{self.algorithm}-{self.players}p-{self.seed}"

    @property
    def recipe(self) -> Recipe:
        """The settings of an algorithm that is a recipe, or of the first part of it."""
        recipe = load_recipe(f"{self.players}p").changed(**SHORT)
        recipe = recipe.changed(**ALGORITHMS[self.algorithm].changes)
        return recipe.changed(**TINY) if self.extent.tiny else recipe

    @property
    def options(self) -> list[str]:
        """The arguments of an algorithm that is a file, but for its folder."""
        file, extent = ALGORITHMS[self.algorithm].file, self.extent
        budget = ("--steps", str(extent.steps)) if extent.tiny else ("--core-minutes", f"{extent.minutes:g}")
        named = ("--players", str(self.players), "--seed", str(self.seed), *budget)
        return [*named, "--eval-deals", str(extent.curve_deals), *(TINY_OPTIONS[file] if extent.tiny else ())]

    @property
    def identity(self) -> dict[str, Any]:
        """What a result must agree in to be this run's."""
        algorithm = ALGORITHMS[self.algorithm]
        settings: Any = self.options if algorithm.file else settings_by_time(self.recipe)
        if not (algorithm.file or algorithm.searches):
            del settings["search"]
        return {
            "algorithm": self.algorithm, "players": self.players, "seed": self.seed,
            "core_minutes": self.extent.minutes, "quick_steps": self.extent.steps, "deals": self.extent.deals,
            "settings": settings,
        }  # fmt: skip

    @property
    def player(self) -> str:
        """The spec of what was learned."""
        algorithm = ALGORITHMS[self.algorithm]
        if algorithm.result.endswith(".json"):
            return str(self.folder / algorithm.result)
        return f"{EXAMPLES / algorithm.file}:{algorithm.result.format(folder=self.folder)}"


@dataclass(frozen=True)
class Learned:
    """What a run has used and how its strength grew."""

    steps: int
    """Decisions that were learned from."""
    seconds: float
    """Of core time."""
    curve: Curve


# Learning


def learn(run: Run, report: Report, interrupted: Interrupted) -> Learned | None:
    """Carry out a run; None if interrupted."""
    algorithm = ALGORITHMS[run.algorithm]
    if algorithm.file:
        return learn_by_file(run, report, interrupted)
    if algorithm.searches:
        return learn_by_search(run, report, interrupted)
    return learn_by_recipe(run, run.folder, 1.0, report, interrupted)


def learn_by_recipe(run: Run, folder: Path, share: float, report: Report, interrupted: Interrupted) -> Learned | None:
    """Train by the run's recipe for a share of the budget, and evaluate some of the snapshots afterwards."""
    trained = train(
        run.recipe, folder, seed=run.seed, plots=False, jobs=1, interrupted=interrupted,
        watch=lambda line: report({"steps": int(line["seconds"])}), **run.extent.part(share),
    )  # fmt: skip
    if not trained.complete or trained.card is None:
        return None
    updates = [line for line in read_metrics(folder / "metrics.jsonl") if line["kind"] == UPDATE]
    times = {int(line["steps"]): float(line["seconds"]) for line in updates}
    snapshots = {steps: path for path in (folder / "league").glob("steps-*") if (steps := steps_of(path)) in times}
    card, network = read_baseline(trained.card)
    networks = {(trained.steps, trained.seconds): network}
    points = round(share * CURVE_POINTS)
    for point in range(1, points if snapshots else 1):
        wanted = trained.seconds * point / points
        steps = min(snapshots, key=lambda steps: abs(times[steps] - wanted))
        tensors = read_tensors(snapshots[steps].read_bytes())
        networks[steps, times[steps]] = Network.from_tensors(run.recipe.shape, tensors)
    ordered = sorted(networks.items(), key=lambda item: item[0])
    curve = [
        point
        for (steps, seconds), network in ordered
        for point in measured_point(run, Baseline((card, network)), steps, seconds)
    ]
    return Learned(trained.steps, trained.seconds, curve)


def steps_of(snapshot: Path) -> int:
    """The decisions after which a snapshot was taken."""
    return int(snapshot.stem.removeprefix("steps-"))


def measured_point(run: Run, player: Baseline, steps: int, seconds: float) -> Curve:
    """The win shares of a network against the panel, on development deals."""
    deals = run.extent.curve_deals
    return [
        {"steps": steps, "seconds": round(seconds, 3), "opponent": opponent,
         "win_share": evaluate(player, opponent, run.players, deals).win_share}
        for opponent in PANEL
    ]  # fmt: skip


def learn_by_search(run: Run, report: Report, interrupted: Interrupted) -> Learned | None:
    """PPO self-play, and then learning from search for the rest of the budget; the latter is not resumed."""
    before = learn_by_recipe(run, run.folder / "ppo", PPO_PART, report, interrupted)
    if before is None:
        return None
    stage = search_stage(run.folder / "ppo" / "baseline.json", run.recipe, run.recipe.search, run.seed)
    begun, budget = time.process_time(), run.extent.part(1 - PPO_PART)
    points = round((1 - PPO_PART) * CURVE_POINTS)
    networks: list[tuple[int, float, Network]] = []

    def seconds() -> float:
        return before.seconds + time.process_time() - begun

    def used() -> float:
        if "steps" in budget:
            return stage.decisions / int(budget["steps"])
        return (time.process_time() - begun) / (60 * float(budget["minutes"]))

    def watch(progress: SearchProgress) -> None:
        report({"steps": int(seconds())})
        if used() * points >= len(networks) + 1:
            networks.append((before.steps + stage.decisions, seconds(), network_of(stage.policy)))

    stage.learn(watch, interrupted, used=used)
    if used() < 1.0:
        return None
    last = networks[-1]
    write_baseline(
        last[2], run.folder, run.algorithm, players=[run.players], deck="standard", padded=False, reward="outcome",
        training={"seed": run.seed, "steps": last[0]},
    )  # fmt: skip
    curve = list(before.curve)
    for steps, at, network in networks:
        curve += measured_point(run, Baseline((stage.card, network)), steps, at)
    return Learned(last[0], last[1], curve)


def learn_by_file(run: Run, report: Report, interrupted: Interrupted) -> Learned | None:
    """Run an example file in another process, which is ended if interrupted."""
    algorithm, finished = ALGORITHMS[run.algorithm], run.folder / "finished.json"
    if not is_kept(finished, run.identity):
        resumes = (run.folder / "population.json").exists()
        if run.folder.exists() and not resumes:
            print(f"{run.name} was interrupted and starts again", flush=True)
            shutil.rmtree(run.folder)
        run.folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, str(EXAMPLES / algorithm.file), *run.options, "--run", str(run.folder)]
        with (run.folder / "output.txt").open("a", encoding="utf-8") as output:
            process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
            while process.poll() is None:
                if interrupted():
                    process.terminate()
                    process.wait()
                    return None
                time.sleep(TICK)
                report({"steps": int(max((point["seconds"] for point in points_of(run)), default=0))})
        if process.returncode:
            lines = (run.folder / "output.txt").read_text(encoding="utf-8").splitlines()
            raise ArgumentError(f"{algorithm.file} failed: {lines[-1] if lines else 'without a message'}")
        finished.write_text(json.dumps(run.identity), encoding="utf-8")
    curve = points_of(run)
    return Learned(max(point["steps"] for point in curve), max(point["seconds"] for point in curve), curve)


def points_of(run: Run) -> Curve:
    """The evaluations that an example file has written so far."""
    evaluations, population = run.folder / "evaluations.jsonl", run.folder / "population.json"
    if evaluations.exists():
        lines = evaluations.read_text(encoding="utf-8").splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith("\n")]
    if not population.exists():
        return []
    members = json.loads(population.read_text(encoding="utf-8"))
    points, steps, seconds = [], 0, 0.0
    for count, member in enumerate(members, start=1):
        steps, seconds = steps + member["steps"], seconds + member["seconds"]
        for opponent in member["shares"]:
            parts = zip(member["weights"], members[:count], strict=True)
            share = sum(weight * each["shares"][opponent] for weight, each in parts)
            points.append({"steps": steps, "seconds": round(seconds, 3), "opponent": opponent, "win_share": share})
    return points


# Measuring


def carry_out_run(run: Run, report: Report, interrupted: Interrupted) -> dict[str, Any] | None:
    """Carry out a run to its end and measure what it has learned; None if interrupted."""
    run.folder.parent.mkdir(parents=True, exist_ok=True)
    learned = learn(run, report, interrupted)
    if learned is None:
        return None
    panel = []
    for opponent in PANEL:
        share = held_out_share(run.player, opponent, run.players, run.extent.deals, interrupted)
        if share is None:
            return None
        panel.append({"opponent": opponent, "win_share": share})
    return about(run.extent) | run.identity | {
        "steps": learned.steps, "seconds": round(learned.seconds, 3), "curve": learned.curve, "panel": panel,
        "digest": digest_of(run),
    }  # fmt: skip


def about(extent: Extent) -> dict[str, Any]:
    """The command, the machine and the commit of a result."""
    budget = "--quick" if extent.tiny else f"--minutes {extent.minutes:g}"
    command = f"python -m benchmarks.algorithms {budget}"
    return header(command) | {"commit": origin()["commit"]}


def held_out_share(
    player: str, others: str, players: int, deals: int, interrupted: Interrupted = lambda: False
) -> Interval | None:
    """The win share of a player with others of one kind in all other seats, on held-out deals; None if interrupted."""
    results = arena(
        {"learner": player, "other": others}, players, deals=deals, alone=players > 2, mirrors=False, plots=False,
        interrupted=interrupted,
    )  # fmt: skip
    if not results.complete:
        return None
    share: Interval = results.player("learner")["win_share"]
    return {end: share[end] for end in ("estimate", "low", "high")}


def digest_of(run: Run) -> str:
    """Of the weights that a run has left behind."""
    files = sorted(path for path in run.folder.rglob("*") if path.name in ("baseline.safetensors", "checkpoint.pt"))
    whole = hashlib.sha256()
    for path in files:
        whole.update(path.read_bytes())
    return whole.hexdigest()[:16]


def finished_runs(runs: Sequence[Run], into: Path) -> dict[Run, str]:
    """The digests of the runs whose results are kept and whose weights are there."""
    digests = {}
    for run in runs:
        if is_kept(into / f"{run.name}.json", run.identity) and run.folder.exists():
            digests[run] = digest_of(run)
    return digests


def play_pairs(runs: Sequence[Run], into: Path, interrupted: Interrupted) -> bool:
    """Let what the algorithms have learned with the same seed play each other; False if interrupted.

    With two players a pair is played once; with more, one plays among copies of the other, and the other way round.
    """
    digests = finished_runs(runs, into)
    for players in sorted({run.players for run in digests}):
        extent = runs[0].extent
        path = into / f"pairs-{players}p.json"
        fixed = {"players": players, "core_minutes": extent.minutes, "deals": extent.pair_deals}
        rows = json.loads(path.read_text(encoding="utf-8"))["rows"] if is_kept(path, fixed) else []
        kept = {(row["seed"], row["row"], row["column"]): row for row in rows}
        for run, other in permutations((run for run in digests if run.players == players), 2):
            first = list(ALGORITHMS).index(run.algorithm) < list(ALGORITHMS).index(other.algorithm)
            if run.seed != other.seed or (players == 2 and not first):
                continue
            key, both = (run.seed, run.algorithm, other.algorithm), [digests[run], digests[other]]
            if key in kept and kept[key]["digests"] == both:
                continue
            share = held_out_share(run.player, other.player, players, extent.pair_deals, interrupted)
            if share is None:
                return False
            kept[key] = dict(zip(("seed", "row", "column"), key, strict=True)) | {"win_share": share, "digests": both}
            write(path.stem, about(extent) | fixed | {"rows": list(kept.values())}, into)
    return True


def exploit_runs(runs: Sequence[Run], into: Path, interrupted: Interrupted) -> bool:
    """Train a best response to what each algorithm has learned with the first seed; False if interrupted."""
    for run, digest in finished_runs([run for run in runs if run.seed == 1], into).items():
        extent, name = run.extent, f"deviation-{run.algorithm}-{run.players}p"
        fixed = {
            "algorithm": run.algorithm, "players": run.players, "seed": run.seed, "core_minutes": extent.minutes,
            "steps": extent.exploit_steps, "deals": extent.exploit_deals, "digest": digest,
        }  # fmt: skip
        if is_kept(into / f"{name}.json", fixed):
            continue
        start = {"base": run.recipe} if extent.tiny else {"start": f"baseline:{run.players}p"}
        result = exploit(
            run.player, run.players, run.folder.with_name(f"deviation-{run.name}-{digest}"), jobs=1,
            steps=extent.exploit_steps, deals=extent.exploit_deals, interrupted=interrupted, **start,
        )  # fmt: skip
        if result is None:
            return False
        write(name, about(extent) | fixed | {"gain": result.gain, "learned_from": result.steps}, into)
    return True


# The command


def sentence(result: Mapping[str, Any]) -> str:
    """A finished run in one line."""
    shares = [f"{row['opponent']} {100 * row['win_share']['estimate']:.1f} %" for row in result["panel"]]
    return (
        f"{result['algorithm']}-{result['players']}p-{result['seed']}: {result['steps']:,} decisions in "
        f"{result['seconds'] / 60:.2f} core-minutes; win share against {', '.join(shares)}"
    )


def planned(options: argparse.Namespace) -> list[Run]:
    """All runs, seed by seed, so that an early end leaves all algorithms with the same number."""
    check_names(options.algorithm or [], list(ALGORITHMS), "algorithm")
    extent = QUICK if options.quick else Extent(options.minutes)
    folder = options.folder.absolute() / ("quick" if extent.tiny else f"{extent.minutes:g}-minutes")
    runs = [
        Run(algorithm, players, seed, extent, folder)
        for seed in range(1, options.seeds + 1)
        for players in options.players
        for algorithm in options.algorithm or ALGORITHMS
    ]
    return [replace(run, folder=folder / run.name) for run in runs]


def warm_up(runs: Sequence[Run]) -> None:
    """Learn a little with each algorithm and number of players, so that no run's time goes into compiling."""
    for algorithm, players in dict.fromkeys((run.algorithm, run.players) for run in runs):
        print(f"warming up: {algorithm}, {players} players", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            learn(Run(algorithm, players, 1, QUICK, Path(folder) / "run"), lambda report: None, lambda: False)


def carry_out_stage(stage: Callable[[Sequence[Run], Path, Interrupted], bool], runs: Sequence[Run], into: Path) -> None:
    """Carry out what follows the runs; exit if interrupted."""
    with interruptible() as interrupted:
        if not stage(runs, into, interrupted):
            print("interrupted; the same command resumes from here", file=sys.stderr)
            sys.exit(INTERRUPTED)


def main(arguments: list[str] | None = None) -> None:
    """Carry out the missing runs, let their results play each other, and keep what comes of it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.algorithms", description=__doc__)
    parser.add_argument("--algorithm", nargs="+", metavar="NAME", help=f"some of {', '.join(ALGORITHMS)}; default: all")
    parser.add_argument("--players", type=int, nargs="+", choices=range(2, 6), default=list(COUNTS))
    parser.add_argument(
        "--minutes", type=minutes_of, default=MINUTES, help=f"of core time for each run; default: {MINUTES:g}"
    )
    parser.add_argument("--exploit", action="store_true", help="also train a best response to the result of seed 1")
    parser.add_argument("--quick", action="store_true", help="tiny runs of one seed, only to see that all works")
    add_arguments(parser, RUNS, KEPT)
    options = parser.parse_args(arguments)
    if options.quick:
        options.seeds = 1
        options.folder = TRIALS / "algorithms-runs" if options.folder == RUNS else options.folder
        options.into = TRIALS / "algorithms" if options.into == KEPT else options.into
    try:
        runs = planned(options)
        missing = [run for run in runs if not is_kept(options.into / f"{run.name}.json", run.identity)]
        if not options.quick:
            warm_up(missing)
        for seed in range(1, options.seeds + 1):
            works = {run.name: partial(carry_out_run, run) for run in missing if run.seed == seed}
            if works:
                carry_out_and_keep(works, round(60 * options.minutes), options, sentence)
            carry_out_stage(play_pairs, [run for run in runs if run.seed == seed], options.into)
        if options.exploit:
            carry_out_stage(exploit_runs, runs, options.into)
    except MISTAKES as error:
        parser.exit(WRONG_INPUT, f"{error}\n")


if __name__ == "__main__":
    main()
