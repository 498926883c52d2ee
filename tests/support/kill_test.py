"""Runs that are killed and resumed: `python -m tests.support.kill_test --kills 100`.

`speicher train`, `speicher arena` and `speicher record` are ended by SIGKILL or Ctrl-C at random moments and started
again until they finish. Their results must be equal, byte for byte, to those of a run that nothing disturbed. Then the
disk becomes full at a random moment, and two processes are started at once in the same place.

The three commands are tested at the same time, each with its part of the kills. Everything happens in out/kill-test,
where the folder of a run that differs stays.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from speicher_training.files import is_part
from speicher_training.train.recipe import recipe_from
from tests.support import kept
from tests.support.fuzz import EXIT_DIFFERENCE, Progress, at_least
from tests.support.small_networks import TINY
from tests.support.toys import spec

FOLDER = Path(__file__).parents[2] / "out" / "kill-test"
RECIPE = FOLDER / "tiny.toml"
PROGRAM = "python -m tests.support.kill_test"
SPEICHER = (sys.executable, "-c", "from speicher_apps.cli import main; main()")
WRONG_INPUT, INTERRUPTED = 2, 130
PATIENCE = 900.0
"""Seconds that a process may take."""
KILLS_OF_A_RUN = 4
"""The most kills of one run, which then goes on to its end."""
CTRL_C = 0.35
"""The share of the kills that are Ctrl-C."""
DISK = 160 << 20
"""Bytes of the disk that becomes full. Training needs 64 MB of free space to begin."""


class Job(NamedTuple):
    """A command to kill, run in an empty folder."""

    name: str
    arguments: tuple[str, ...]
    resume: tuple[str, ...]
    """Arguments that it needs besides where an interrupted run has left a part of the result."""
    results: Callable[[Path], dict[str, bytes]]
    """What must not depend on how the run went, by name."""


def _trained(folder: Path) -> dict[str, bytes]:
    """The network, its card, the metrics and the league, without times."""
    run = folder / "run"
    card = json.loads((run / "baseline.json").read_bytes())
    del card["training"]["minutes"], card["training"]["curve"]
    lines = map(json.loads, (run / "metrics.jsonl").read_text().splitlines())
    metrics = [{key: value for key, value in line.items() if "seconds" not in key} for line in lines]
    networks = {path.name: path.read_bytes() for path in run.rglob("*.safetensors")}
    return networks | {"card": json.dumps(card).encode(), "metrics": json.dumps(metrics).encode()}


def _played(folder: Path) -> dict[str, bytes]:
    """The deals, tables and records, and the summary without times."""
    run = folder / "run"
    summary = json.loads((run / "results.json").read_bytes())
    del summary["decision_times"], summary["sha256"]
    paths = [run / "run.json", run / "deals.jsonl", *run.glob("*.csv"), *run.glob("chunk-*.jsonl")]
    return {path.name: path.read_bytes() for path in paths} | {"summary": json.dumps(summary).encode()}


def _recorded(folder: Path) -> dict[str, bytes]:
    return {"games.jsonl": (folder / "games.jsonl").read_bytes()}


JOBS = (
    Job(
        "train",
        ("train", str(RECIPE), "--seed", "3", "--no-plots", "-o", "run"),
        (), _trained,
    ),
    Job(
        "arena",
        ("arena", "random", "frugal", spec("Drawing"), "--deals", "60", "--lanes", "36", "--jobs", "2", "--seed", "1",
         "--no-plots", "-o", "run", "--records", "run"),
        (), _played,
    ),
    Job(
        "record",
        ("record", "--games", "40", "--seed", "5", "--with", "merchant,mcts:20", "--think", "-o", "games.jsonl"),
        ("--force",), _recorded,
    ),
)  # fmt: skip


class Undisturbed(NamedTuple):
    """A run that nothing disturbs."""

    results: dict[str, bytes]
    seconds: float


# Processes


class Outcome(NamedTuple):
    """How a process ended."""

    code: int
    stderr: str

    @property
    def is_refusal(self) -> bool:
        """Whether it ended with exit code 2 and one sentence, without a traceback."""
        last = self.stderr.rstrip("\n").rpartition("\n")[2]
        return self.code == WRONG_INPUT and last.startswith("speicher: ") and "Traceback" not in self.stderr

    def __str__(self) -> str:
        return f"exit code {self.code}, {self.stderr[-800:].strip()}"


class Process:
    """A command as a process group."""

    def __init__(self, folder: Path, arguments: Sequence[str]) -> None:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115  # closed in `end`
        self._process = subprocess.Popen(
            [*SPEICHER, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=self._stderr, start_new_session=True,
        )  # fmt: skip

    def wait(self, seconds: float) -> bool:
        """Wait for its end; whether it ended within the time."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self._process.returncode is not None

    def kill(self, number: signal.Signals) -> None:
        """Send Ctrl-C to the whole group, as a terminal does, or kill the process but not its workers."""
        with suppress(ProcessLookupError):
            (os.killpg if number is signal.SIGINT else os.kill)(self._process.pid, number)

    def end(self) -> Outcome:
        """Wait for its end and read what it wrote."""
        if not self.wait(PATIENCE):
            os.killpg(self._process.pid, signal.SIGKILL)
            raise RuntimeError(f"{self._process.args} takes longer than {PATIENCE:g} s")
        self._stderr.seek(0)
        with self._stderr:
            return Outcome(self._process.wait(), self._stderr.read().decode("utf-8", "replace"))


def run(folder: Path, arguments: Sequence[str]) -> Outcome:
    """Run a command to its end."""
    return Process(folder, arguments).end()


# The disturbances


class Report:
    """Counts by job and disturbance, and the faults."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {}
        self.faults: list[str] = []

    def count(self, name: str, *things: str) -> None:
        """Count things."""
        self.counts.setdefault(name, Counter()).update(things)

    def expect(self, holds: bool, name: str, fault: str) -> bool:
        """Note a fault unless the condition holds."""
        if not holds:
            self.faults.append(f"{name}: {fault}")
            self.count(name, "faults")
        return holds

    def finish(self, job: Job, name: str, folder: Path, arguments: Sequence[str], expected: dict[str, bytes]) -> None:
        """Let a run finish, and compare its results with the expected ones."""
        outcome = run(folder, arguments)
        self.count(name, "runs")
        if self.expect(outcome.code == 0, name, f"cannot be resumed in {folder}: {outcome}"):
            results = job.results(folder)
            different = sorted(key for key in {*results, *expected} if results.get(key) != expected.get(key))
            self.expect(not different, name, f"{', '.join(different)} differ in {folder}")
            parts = [path.name for path in folder.rglob("*") if is_part(path)]
            self.expect(not parts, name, f"{', '.join(parts)} left in {folder}")


def kill(job: Job, undisturbed: Undisturbed, kills: int, rng: random.Random, report: Report) -> int:
    """Kill and resume one run, at most `kills` times, and compare its results; returns how many times it was killed."""
    folder = _empty(FOLDER / f"{job.name}-{len(report.faults)}")
    arguments, killed = job.arguments, 0
    while killed < kills:
        process = Process(folder, arguments)
        number = signal.SIGINT if rng.random() < CTRL_C else signal.SIGKILL
        if process.wait(rng.uniform(0.05, 1.0) * undisturbed.seconds):
            break  # it has finished before
        process.kill(number)
        outcome = process.end()
        codes = (INTERRUPTED, -signal.SIGINT) if number is signal.SIGINT else (-signal.SIGKILL,)
        fine = outcome.code in (*codes, 0) and "Traceback" not in outcome.stderr
        report.expect(fine, job.name, f"after {number.name} in {folder}: {outcome}")
        if outcome.code == 0:
            break  # it finished just then
        for path in folder.glob("games.jsonl"):  # of an interrupted recording
            whole, part = undisturbed.results[path.name], path.read_bytes()
            report.expect(whole.startswith(part) and part.endswith(b"\n"), job.name, f"{path} holds no whole games")
        killed += 1
        report.count(job.name, number.name)
        arguments = (*job.arguments, *job.resume)
    report.finish(job, job.name, folder, (*job.arguments, *job.resume), undisturbed.results)
    return killed


def fill(job: Job, undisturbed: Undisturbed, rng: random.Random, report: Report) -> None:
    """Fill the disk at a random moment; a refusal is one sentence, and with room again the run resumes."""
    name = f"{job.name}, full disk"
    with small_disk(FOLDER / f"{job.name}-disk") as disk:
        folder = _empty(disk / "run")
        process = Process(folder, job.arguments)
        process.wait(rng.uniform(0.1, 0.8) * undisturbed.seconds)
        with suppress(OSError), (disk / "filler").open("wb", buffering=0) as filler:
            while True:
                filler.write(bytes(1 << 12))
        outcome = process.end()
        report.expect(outcome.code == 0 or outcome.is_refusal, name, f"no sentence: {outcome}")
        if outcome.code != 0:
            report.count(name, "refused")
        (disk / "filler").unlink()
        report.finish(job, name, folder, (*job.arguments, *job.resume), undisturbed.results)


def two_at_once(job: Job, undisturbed: Undisturbed, rng: random.Random, report: Report) -> None:
    """Start a second process while the first works: one of them is refused, and the results are as of one alone."""
    name = f"{job.name}, two at once"
    folder = _empty(FOLDER / f"{job.name}-{len(report.faults)}")
    first = Process(folder, job.arguments)
    first.wait(rng.uniform(0.0, 0.3) * undisturbed.seconds)
    outcomes = [run(folder, job.arguments), first.end()]
    refusals = [outcome for outcome in outcomes if outcome.is_refusal]
    report.expect(len(refusals) == 1, name, f"not one of them is refused in {folder}: {outcomes[0]}; {outcomes[1]}")
    report.count(name, *["refused"] * len(refusals))
    report.finish(job, name, folder, (*job.arguments, *job.resume), undisturbed.results)


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system of `DISK` bytes in memory."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def can_mount() -> bool:
    """Whether this process may mount; its mounts are seen by nobody else and end with it."""
    clone_newns = 0x00020000
    try:
        if ctypes.CDLL(None).unshare(clone_newns) != 0:
            return False
        subprocess.run(["mount", "--make-rprivate", "/"], check=True, stderr=subprocess.DEVNULL)
    except (OSError, AttributeError, subprocess.SubprocessError):
        return False
    return True


# The command


def _undisturbed(job: Job) -> Undisturbed:
    for _ in range(2):  # the first time may compile
        folder, started = _empty(FOLDER / f"{job.name}-undisturbed"), time.monotonic()
        outcome = run(folder, job.arguments)
        if outcome.code != 0:
            raise RuntimeError(f"{job.name} fails without a disturbance: {outcome}")
    return Undisturbed(job.results(folder), time.monotonic() - started)


def _empty(folder: Path) -> Path:
    """An empty folder in place of one that may be there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


class _Kills(Progress):
    """The number of kills so far, counted by several threads."""

    def __init__(self, kills: int) -> None:
        super().__init__(kills, "kills")
        self._killed = 0
        self._lock = Lock()

    def add(self, killed: int) -> None:
        """Count kills and show their number."""
        with self._lock:
            self._killed += killed
            self.say(self._killed)


def _try(job: Job, kills: int, options: argparse.Namespace, full_disk: bool, progress: _Kills) -> Report:
    """Kill the runs of a job, then disturb it in the other ways."""
    undisturbed, report, rng = _undisturbed(job), Report(), random.Random(f"{options.seed}/{job.name}")
    killed = 0
    while killed < kills:
        before = killed
        killed += kill(job, undisturbed, min(KILLS_OF_A_RUN, kills - killed), rng, report)
        progress.add(killed - before)
    for _ in range(options.rounds):
        two_at_once(job, undisturbed, rng, report)
        if full_disk:
            fill(job, undisturbed, rng, report)
    return report


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; returns the exit code."""
    options = _options(arguments)
    result = kept.begin(f"{PROGRAM} --kills {options.kills} --rounds {options.rounds} --seed {options.seed}")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # processes inherit that a shell has it ignored
    FOLDER.mkdir(parents=True, exist_ok=True)
    RECIPE.write_text(recipe_from(TINY, "tiny").changed(ppo={"steps": 1536}, run={"evaluation_steps": 768}).text())
    jobs = [job for job in JOBS if job.name in options.jobs]
    shares = [len(range(number, options.kills, len(jobs))) for number in range(len(jobs))]
    full_disk, report, progress = can_mount(), Report(), _Kills(options.kills)
    with ThreadPoolExecutor(len(jobs)) as threads:
        for part in threads.map(lambda job, kills: _try(job, kills, options, full_disk, progress), jobs, shares):
            report.counts |= part.counts
            report.faults += part.faults
    progress.close()
    for name, counts in report.counts.items():
        print(f"{name:24s}" + ", ".join(f"{number} {thing}" for thing, number in counts.items()))
    if not full_disk:
        print("The full disk was left out: this user may not mount one.")
    if options.keep:
        result |= {"seed": options.seed, "kills": options.kills, "full_disk": full_disk, "faults": len(report.faults)}
        kept.finish("kill_test", result | {"jobs": report.counts})
    print(*report.faults, sep="\n")
    return EXIT_DIFFERENCE if report.faults else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Kill and resume training, arenas and recordings; the results must not differ.",
    )
    names = [job.name for job in JOBS]
    parser.add_argument("--kills", type=at_least(1), default=20, help="number of kills (default: 20)")
    parser.add_argument("--rounds", type=at_least(0), default=3, help="full disks and pairs of each job (default: 3)")
    parser.add_argument("--seed", type=at_least(0), default=0, help="seed of the random moments (default: 0)")
    parser.add_argument("--jobs", nargs="+", choices=names, default=names, help="what is killed (default: all)")
    kept.add_argument(parser)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
