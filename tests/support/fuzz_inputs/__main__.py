"""The command: tries cases, shows progress, keeps the inputs of faults, and ends with a table by form."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from speicher_training.files import JsonLines
from speicher_training.provenance import commit
from tests.support import kept
from tests.support.fuzz import EXIT_DIFFERENCE, EXIT_INTERRUPTED, Interrupt, Progress, at_least, jobs_for
from tests.support.fuzz_inputs.cases import INPUTS, SELFTEST, form_named, form_of, packed, parts_of
from tests.support.fuzz_inputs.forms import FAULTS, OUTCOMES
from tests.support.fuzz_inputs.workers import Done, Task, shared_folder, try_all

CHUNK = 50
"""Cases of a task."""
ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "out" / "fuzz-inputs"
PROGRAM = "python -m tests.support.fuzz_inputs"
MOST_SHOWN = 10
LARGEST_PROGRESS = 1 << 28


class Tally:
    """Outcomes by form, and the numbers of the faults."""

    def __init__(self, forms: Sequence[str]) -> None:
        self.counts: dict[str, Counter[str]] = {name: Counter() for name in forms}
        self.faults: dict[int, tuple[str, str]] = {}

    def add(self, first: int, outcomes: Sequence[str], forms: Sequence[str]) -> None:
        """Count the outcomes of cases that follow each other."""
        for number, outcome in enumerate(outcomes, first):
            form = form_of(number, forms)
            self.counts[form][outcome] += 1
            if outcome in FAULTS:
                self.faults[number] = form, outcome

    @property
    def cases(self) -> int:
        """Cases that were tried."""
        return sum(counts.total() for counts in self.counts.values())

    def table(self) -> str:
        """The counts by form, and their sums."""
        rows = [*self.counts.items(), ("all", sum(self.counts.values(), Counter()))]
        lines = [f"{'form':14s}{'cases':>9s}" + "".join(f"{outcome:>18s}" for outcome in OUTCOMES)]
        for name, counts in rows:
            lines.append(f"{name:14s}{counts.total():9,}" + "".join(f"{counts[outcome]:18,}" for outcome in OUTCOMES))
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """The counts by form."""
        return {
            name: {"cases": counts.total()} | {outcome: counts[outcome] for outcome in OUTCOMES}
            for name, counts in self.counts.items()
        }


class Kept:
    """What a run has done so far, on the disk, so that the same command resumes it."""

    def __init__(self, folder: Path, seed: int, cases: int, forms: Sequence[str]) -> None:
        begun_with = {"seed": seed, "cases": cases, "forms": list(forms), **commit()}
        self._lines = JsonLines(folder / "progress.jsonl", json.dumps(begun_with))
        self.done: dict[int, list[str]] = {}
        try:
            lines = [] if begun_with["changed"] or begun_with["commit"] is None else self._lines.read(LARGEST_PROGRESS)
        except ValueError:  # of another run, or of other code
            lines = []
        for line in lines:
            self.done[line["first"]] = line["outcomes"]
        if not lines:
            folder.mkdir(parents=True, exist_ok=True)
            self._lines.rewrite([])

    def add(self, done: Done) -> None:
        """Keep a task that is done."""
        self._lines.append({"first": done.task.first, "outcomes": done.outcomes})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; returns the exit code."""
    options = _options(arguments)
    in_memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # where no case waits for a disk
    scratch = Path(tempfile.mkdtemp(prefix="speicher-fuzz-", dir=in_memory))
    try:
        return _replay(options, scratch) if options.replay is not None else _try(options, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _try(options: argparse.Namespace, scratch: Path) -> int:
    forms, seed, cases = tuple(options.forms), options.seed, options.cases
    result = kept.begin(f"{PROGRAM} --cases {cases} --seed {seed}")  # before the run: its code is that of this commit
    tally, progress = Tally(forms), Progress(cases, "cases")
    so_far = Kept(options.folder, seed, cases, forms)
    for first, outcomes in so_far.done.items():
        tally.add(first, outcomes, forms)
    tasks = [
        Task(first, min(CHUNK, cases - first), seed, forms)
        for first in range(0, cases, CHUNK)
        if first not in so_far.done
    ]
    with Interrupt() as interrupt, closing(try_all(tasks, options.jobs, scratch)) as running:
        for done in running:
            tally.add(done.task.first, done.outcomes, forms)
            so_far.add(done)
            for number, fault in done.faults.items():
                _keep_fault(options.folder, number, seed, tally.faults[number], fault, scratch)
            progress.say(tally.cases)
            if interrupt.noted:
                break
    progress.close()
    print(tally.table())
    if options.keep and tally.cases == cases:
        counts = sum(tally.counts.values(), Counter())
        result |= {"seed": seed, "cases": cases, "faults": sum(counts[fault] for fault in FAULTS)}
        kept.finish("fuzz_inputs", result | {"forms": tally.as_json()})
    for number, (form, outcome) in sorted(tally.faults.items())[:MOST_SHOWN]:
        print(
            f"case {number}, {form}: {outcome}. To repeat it: {PROGRAM} --replay {_file(options.folder, seed, number)}"
        )
    if tally.faults:
        print(f"{len(tally.faults):,} faults; all are in {options.folder}")
        return EXIT_DIFFERENCE
    if interrupt.noted:
        print("Interrupted: no fault so far; the same command resumes.")
        return EXIT_INTERRUPTED
    print(f"No fault in {cases:,} cases of seed {seed}.")
    return 0


def _file(folder: Path, seed: int, number: int) -> Path:
    return folder / f"{seed}-{number}.json"


def _keep_fault(folder: Path, number: int, seed: int, what: tuple[str, str], fault: str, scratch: Path) -> None:
    """Write the input of a case to a file, with what is wrong."""
    form = form_named(what[0])
    place = scratch / "parts" / form.name
    if not place.exists():
        place.mkdir(parents=True)
        _BASES[form.name] = form.prepare(place, shared_folder(scratch))
    parts = packed(parts_of(number, seed, form, _BASES[form.name]))
    case = {"form": form.name, "seed": seed, "number": number, "outcome": what[1], "fault": fault, "parts": parts}
    _file(folder, seed, number).write_text(json.dumps(case, indent=1))


_BASES: dict[str, Any] = {}
"""What the cases of a form share, made in this process to write down their inputs."""


def _replay(options: argparse.Namespace, scratch: Path) -> int:
    """Try a case that was kept again, in a worker."""
    case = json.loads(options.replay.read_text())
    forms = (case["form"],)
    (done,) = try_all([Task(0, 1, case["seed"], forms, case["parts"])], 1, scratch)
    print(f"{case['form']}, case {case['number']} of seed {case['seed']}: {done.outcomes[0]}")
    print(*done.faults.values(), sep="\n")
    return EXIT_DIFFERENCE if done.faults else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=PROGRAM, description="Damage inputs of every form; each must be refused in one sentence, or be sound."
    )
    parser.add_argument("--cases", type=at_least(1), default=2000, help="how many cases (default: 2000)")
    parser.add_argument("--seed", type=at_least(0), default=0, help="seed of all cases (default: 0)")
    parser.add_argument("--forms", default=",".join(INPUTS), help="forms with commas between them (default: all)")
    parser.add_argument("--jobs", type=at_least(1), help="processes at a time (default: one for each core)")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="try the case of this file again")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where faults are kept (default: out/fuzz-inputs)")
    kept.add_argument(parser)
    options = parser.parse_args(arguments)
    options.forms = [name.strip() for name in options.forms.split(",")]
    for name in options.forms:
        if name not in (*INPUTS, SELFTEST):
            parser.error(f"{name!r}: must be one of {', '.join(INPUTS)}")
    options.jobs = jobs_for(options.jobs, options.cases, CHUNK)
    return options


if __name__ == "__main__":
    sys.exit(main())
