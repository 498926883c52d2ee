"""`python -m benchmarks.baselines`: how strong the shipped baselines are, on held-out deals, and how fast they play.

Each run is one `speicher arena` command, which the page of results shows beside its numbers. An interrupted one goes
on from its folder under build/baselines when the command is given again; one that is finished for the weights as they
are is not played again. What the pages show is kept in results/baselines; `make pages` updates them.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when NumPy is loaded, here and in the arena's workers

import numpy as np

from benchmarks.results import BUILD, RESULTS, TRIALS, add_arguments, folder_of, write
from benchmarks.strength import LADDER, Run, play
from speicher_agents.baselines import Baseline, packaged, read_baseline
from speicher_apps.cli.errors import WRONG_INPUT
from speicher_apps.meter.meter import measure, timed
from speicher_apps.meter.report import header
from speicher_env.batch import Batch
from speicher_env.errors import ArgumentError
from speicher_env.messages import listed, must_be, one_of
from speicher_training.arena import load_results
from speicher_training.machine import on_one_core

TWO, UNIVERSAL = "2p", "universal"
COUNTS = (3, 4, 5)
SEARCH = "mcts:1000"
DEALS = 3000
"""Of a run against players that cost next to nothing."""
SEARCH_DEALS = {2: 300, 3: 120, 4: 80, 5: 60}
"""Against search in all other seats; each deal is played from every seat, and takes seconds."""
GUIDED_DEALS = {2: 400, 3: 120, 4: 100, 5: 80}
"""Of `guided:200` against its network; with 800 iterations half as many."""
SPECIALISTS = (TWO, *(f"{count}p" for count in COUNTS))
SMALL = {2: "2p-small", 4: "4p-small"}
"""Networks that play fast, by the number of players."""
NAMES = (*SPECIALISTS, UNIVERSAL, *SMALL.values())
LOOKS = {
    "release-2": (SMALL[4],),
    "release-3": ("2p", "3p", "4p"),
    "release-4": ("5p", UNIVERSAL, SMALL[2]),
}
"""Whose runs are on which held-out deals: the last range that lists one of the run's players.

What is measured on these deals chooses nothing. So who changes after a look at one range is measured on the next one.
Ranges that are not listed were for players that others have replaced.
"""


def of(run: Run) -> list[str]:
    """The names of the baselines that a run needs."""
    names = re.findall(r"baseline:([\w-]+)", run.arguments)
    return [*dict.fromkeys(names)] or [TWO]  # led search alone: by the one for two players


def _runs() -> dict[str, Run]:
    two, every = f"baseline:{TWO}", f"baseline:{UNIVERSAL}"
    against, guided = f"{SEARCH} --deals {SEARCH_DEALS[2]}", GUIDED_DEALS[2]
    runs = {
        "2p-ladder": Run("Two players: the scripted ladder", f"{two} {LADDER} --deals {DEALS}"),
        "2p-flat": Run("Two players: plain Monte Carlo", f"{two} flat:1000 --deals 300"),
        "2p-mcts": Run("Two players: tree search", f"{two} {against}"),
        "2p-mcts-deep": Run("Two players: deep tree search", f"{two} mcts:10000 --deals 60"),
        "2p-guided": Run("Two players: search led by it", f"guided:200 {two} --deals {guided} --lanes 256"),
        "2p-guided-800": Run("Two players: longer led search", f"guided:800 {two} --deals {guided // 2} --lanes 256"),
        "2p-guided-deep": Run("Two players: led search against tree search", "guided:200 mcts:10000 --deals 40"),
        "universal-2p-ladder": Run(
            "Universal, two players: the scripted ladder", f"{every} {LADDER} --deals {DEALS}"
        ),
        "universal-2p-mcts": Run("Universal, two players: tree search", f"{every} {against}"),
        "universal-sampled": Run(
            "Two players on decks drawn afresh", f"{every} {two} merchant --deck sampled --deals {DEALS}"
        ),
    }  # fmt: skip
    small = f"baseline:{SMALL[2]}"
    runs |= {
        f"{SMALL[2]}-ladder": Run("Small, two players: the scripted ladder", f"{small} {LADDER} --deals {DEALS}"),
        f"{SMALL[2]}-mcts": Run("Small, two players: tree search", f"{small} {against}"),
        f"{SMALL[2]}-large": Run("Small, two players: the large network", f"{small} {two} --deals {DEALS}"),
    }
    runs = {name: replace(run, arguments=f"{run.arguments} --no-mirrors") for name, run in runs.items()}
    words = {3: "Three", 4: "Four", 5: "Five"}
    for count in COUNTS:
        for whose in (f"{count}p", UNIVERSAL, *([SMALL[count]] if count in SMALL else [])):
            kind = {f"{count}p": "", UNIVERSAL: "Universal, "}.get(whose, "Small, ")
            start = f"{kind}{words[count]} players: ".capitalize()
            name = whose if whose != UNIVERSAL else f"{UNIVERSAL}-{count}p"
            seats = f"--players {count} --alone"
            runs[f"{name}-merchant"] = Run(
                f"{start}among merchants", f"baseline:{whose} merchant {seats} --deals {DEALS}"
            )
            runs[f"{name}-mcts"] = Run(
                f"{start}among tree searches", f"baseline:{whose} {SEARCH} {seats} --deals {SEARCH_DEALS[count]}"
            )
            if whose == f"{count}p":
                runs[f"{name}-guided"] = Run(
                    f"{start}search led by it",
                    f"guided:200 baseline:{whose} {seats} --deals {GUIDED_DEALS[count]} --lanes 256",
                )
    return {name: replace(run, arguments=f"{run.arguments} --seed {_range_of(run)}") for name, run in runs.items()}


def _range_of(run: Run) -> str:
    """The held-out deals of a run."""
    return [name for name, listed in LOOKS.items() if {*of(run)} & {*listed}][-1]


RUNS = _runs()
"""What is measured, by the name of its result. Whose strength it is comes first among the players."""
SPEED = "speed"
LANES = 1024
"""Games at a time, and decisions in a batch, where speed is measured."""
SECONDS, ROUNDS = 1.0, 5
QUICK_SECONDS, QUICK_ROUNDS = 0.2, 2
KIND = "baselines"
KEPT, PLAYED = RESULTS / KIND, BUILD / KIND


def quick(run: Run) -> Run:
    """A look at whether it works at all."""
    arguments = re.sub(r"--deals \d+", "--deals 2", run.arguments)
    arguments = re.sub(r"(mcts|flat):\d+", r"\1:50", arguments)
    return Run(run.title, re.sub(r"guided:\d+", "guided:20", arguments))


def with_cards(run: Run, cards: Mapping[str, str]) -> Run:
    """The same with baselines from files in place of packaged ones."""
    words = []
    for word in run.arguments.split():
        if word.startswith("guided:") and TWO in cards:
            word += f",baseline={cards[TWO]}"
        words.append(cards.get(word.removeprefix("baseline:"), word) if word.startswith("baseline:") else word)
    return Run(run.title, " ".join(words))


def measure_strength(
    name: str, run: Run, weights: Mapping[str, str], kept: Path, played: Path, jobs: int | None, ray: str | None = None
) -> None:
    """Play a run and keep its summary, unless that has been done with these weights.

    Args:
        name: Of the result.
        run: What is played.
        weights: The sha256 of each baseline in it.
        kept: Folder of the summaries.
        played: Folder of the arenas.
        jobs: Workers at a time.
        ray: A Ray cluster that plays, None for this machine.
    """
    path = kept / f"{name}.json"
    if path.is_file():
        told = json.loads(path.read_text(encoding="utf-8"))
        if told["complete"] and told["baselines"] == weights and told["arguments"] == run.arguments:
            print(f"== {run.title}: measured already", flush=True)
            return
    own = played / "-".join([name, *(sha[:8] for sha in weights.values())])  # never go on with other weights' games
    play(run, own, jobs, ray)
    write(name, {**load_results(own), "baselines": dict(weights), "arguments": run.arguments}, kept)


def measure_speed(cards: Mapping[str, str], seconds: float, rounds: int) -> dict[str, Any]:
    """Decisions per second of each baseline on one core: of the network alone, and in whole games with the rules."""
    points = []
    with on_one_core():
        for name, spec in cards.items():
            player = Baseline(spec)
            for count in player.card.players:
                views = _middle(player, count)

                def decide(player: Baseline = player, views: Any = views) -> int:
                    return len(player.act(views))

                batch = Batch(LANES, count, "standard", "none", [player] * count, "outcome", player.padded, "disabled")

                def games(batch: Batch = batch) -> int:
                    before = batch.decisions
                    batch.reset(np.arange(LANES))
                    return batch.decisions - before

                found = {
                    "network": measure(timed(decide), seconds=seconds, rounds=rounds).as_dict(),
                    "games": measure(timed(games), seconds=0.0, rounds=rounds).as_dict(),
                }
                points.append({"baseline": name, "sha256": player.card.sha256, "players": count, **found})
                rates = " and ".join(f"{told['median']:,.0f}/s {what}" for what, told in found.items())
                print(f"{name}, {count} players: {rates}", flush=True)
    return {"batch": LANES, "rounds": rounds, "points": points}


def _middle(player: Baseline, count: int) -> Any:
    """Decisions in the middle of games played at random."""
    batch = Batch(LANES, count, padded=player.padded)
    batch.reset(np.arange(LANES))
    rng = np.random.default_rng(1)
    for _ in range(25):
        masks = batch.action_masks
        batch.step((rng.random(masks.shape) * masks).argmax(axis=1))
    return batch.views(np.arange(LANES))


def shas(cards: Mapping[str, str]) -> dict[str, str]:
    """The sha256 of the weights of each baseline."""
    return {name: read_baseline(spec)[0].sha256 for name, spec in cards.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is missing; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.baselines", description=__doc__)
    parser.add_argument("--only", action="append", metavar="NAME", default=[],
                        help=f"one of {', '.join([*RUNS, SPEED])}, or all of a baseline")  # fmt: skip
    parser.add_argument("--baseline", action="append", metavar="NAME=CARD", default=[],
                        help="a card to measure in place of the packaged baseline of that name")  # fmt: skip
    parser.add_argument("--jobs", type=int, help="workers at a time; default: one for each core")
    parser.add_argument("--ray", help="a Ray cluster that plays: auto, local or HOST:PORT")
    add_arguments(parser)
    options = parser.parse_args(arguments)
    try:
        wanted = _wanted(options.only)
        own = _own(options.baseline)
        weights = shas({**{name: name for name in packaged()}, **own})
    except ArgumentError as error:
        print(error, file=sys.stderr)
        return WRONG_INPUT
    trial = bool(options.quick or own)  # not what the pages say, so it goes where they do not look
    folder = (TRIALS if trial and not options.into else folder_of(options)) / KIND
    for name in wanted:
        if name == SPEED:
            continue
        run = RUNS[name]
        needed = of(run)
        if missing := [one for one in needed if one not in weights]:
            print(f"== {run.title}: left out, there is no baseline {' and no '.join(missing)}", flush=True)
            continue
        run = with_cards(quick(run) if options.quick else run, own)
        played = folder / "played" if trial else PLAYED
        measure_strength(name, run, {one: weights[one] for one in needed}, folder, played, options.jobs, options.ray)
    if SPEED in wanted and weights:
        cards = {name: own.get(name, name) for name in NAMES if name in weights}
        span = (QUICK_SECONDS, QUICK_ROUNDS) if options.quick else (SECONDS, ROUNDS)
        write(SPEED, header("python -m benchmarks.baselines --only speed") | measure_speed(cards, *span), folder)
    return 0


def _wanted(only: Sequence[str]) -> list[str]:
    """The runs that are meant, in their order."""
    for name in only:
        if name not in (*RUNS, SPEED, *NAMES):
            raise ArgumentError(must_be("--only", name, one_of(name, [*RUNS, SPEED, *NAMES])))
    return [
        name for name in (*RUNS, SPEED)
        if not only or name in only or (name in RUNS and of(RUNS[name])[0] in only)
    ]  # fmt: skip


def _own(told: Sequence[str]) -> dict[str, str]:
    cards = {}
    for text in told:
        name, _, card = text.partition("=")
        if name not in NAMES or not card:
            raise ArgumentError(must_be("--baseline", text, f"NAME=CARD, with {listed(NAMES, 'or')} as the name"))
        cards[name] = str(Path(card).resolve())
    return cards


if __name__ == "__main__":
    sys.exit(main())
