"""`python -m benchmarks.strength`: measure the strength of the players in the arena, on held-out deals.

Each run is one `speicher arena` command, which the page on strength shows beside its table. To resume an interrupted
run from its folder under build/strength, run the command again. The page shows the results in results/strength.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.results import BUILD, RESULTS
from speicher_env.messages import must_be, one_of
from speicher_training.arena import arena
from speicher_training.files import write_file

LADDER = "random frugal firechief contractor shipper spoiler merchant"


@dataclass(frozen=True)
class Run:
    """One arena."""

    title: str
    arguments: str
    """The arguments of `speicher arena`, without the folder."""


RUNS = {
    "2p": Run("Two players: the scripted ladder", "--panel 2p"),
    "2p-search": Run("Two players: search", "merchant flat:1000 mcts:1000 --deals 200 --no-mirrors"),
    "2p-deep": Run("Two players: ten times the iterations", "mcts:1000 mcts:10000 --deals 80 --no-mirrors"),
    "3p": Run("Three players: the scripted ladder", f"{LADDER} --players 3 --deals 100"),
    "3p-search": Run(
        "Three players: search", "random merchant flat:1000 mcts:1000 --players 3 --deals 20 --no-mirrors"
    ),
    "4p": Run("Four players: the scripted ladder", f"{LADDER} --players 4 --deals 40"),
    "4p-search": Run("Four players: search", "random merchant flat:1000 mcts:1000 --players 4 --deals 12 --no-mirrors"),
    "5p": Run("Five players: the scripted ladder", f"{LADDER} --players 5 --deals 20"),
    "5p-search": Run(
        "Five players: search", "random firechief shipper merchant mcts:1000 --players 5 --deals 10 --no-mirrors"
    ),
}
"""What is measured, by the name of its result."""

KEPT = RESULTS / "strength"
PLAYED = BUILD / "strength"


def main() -> None:
    """Play the missing runs, and keep the summaries of all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.strength", description=__doc__)
    parser.add_argument("runs", nargs="*", help=f"some of {', '.join(RUNS)}; default: all")
    parser.add_argument("--jobs", type=int, help="workers at a time; default: one for each core")
    parser.add_argument("--ray", help="a Ray cluster that plays: auto, local or HOST:PORT")
    options = parser.parse_args()
    for name in options.runs or RUNS:
        if name not in RUNS:
            parser.exit(2, f"{must_be('run', name, one_of(name, RUNS))}\n")
        play(RUNS[name], PLAYED / name, options.jobs, options.ray)
        keep(PLAYED / name, KEPT / f"{name}.json")


def play(run: Run, folder: Path, jobs: int | None = None, ray: str | None = None) -> None:
    """Play an arena in a folder; one that has begun there is resumed."""
    command = [str(Path(sys.executable).with_name("speicher")), "arena", *run.arguments.split()]
    command += ["--output", str(folder), *(["--jobs", str(jobs)] if jobs else []), *(["--ray", ray] if ray else [])]
    print(f"== {run.title}: speicher arena {run.arguments}", flush=True)
    subprocess.run(command, check=True)


def win_share(player: str, others: str, players: int, deals: int, deck: str = "standard") -> dict[str, float]:
    """The win share of one player, in every seat in turn, among others of one kind, on development deals."""
    results = arena(
        [player, others], players, deals=deals, deck=deck, seed="development", alone=players > 2, mirrors=False,
        plots=False,
    )  # fmt: skip
    share: dict[str, float] = results.summary["players"][0]["win_share"]
    return share


def keep(folder: Path, path: Path) -> None:
    """Copy the summary of a run to the results that the page shows, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, (folder / "results.json").read_bytes())


if __name__ == "__main__":
    main()
