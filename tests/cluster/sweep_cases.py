"""Sweeps whose workers, nodes and drivers die: the table must be that of a sweep that nothing disturbed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cluster.nodes import Nodes
from tests.cluster.report import PATIENCE, Report, wait_for

__all__ = ["CASES"]

RECIPE = """
[network]
policy = [16]
value = [8]
[pretraining]
decisions = 0
[value_finetuning]
decisions = 0
[ppo]
games = 8
rollout = 48
batch_size = 192
steps = 30_720
[league]
anchors = ["random"]
[run]
checkpoint_steps = 384
evaluation_steps = 15_360
evaluation_deals = 2
evaluation_opponents = ["random"]
"""
INTERRUPTED = 130
TRIALS = ("ppo.entropy=0.003,seed=1", "ppo.entropy=0.03,seed=1")


class SweepProcess:
    """A sweep of two trials in a process of its own."""

    def __init__(self, folder: Path, name: str, ray: str) -> None:
        """Start it.

        Args:
            folder: Holds the recipe.
            name: Of the sweep's folder in it.
            ray: As for the command.
        """
        (folder / "small.toml").write_text(RECIPE)
        self.out = folder / name
        command = (
            sys.executable, "-c", "from speicher_apps.cli import main; main()", "sweep", "small.toml",
            "--set", "ppo.entropy=[0.003, 0.03]", "--seeds", "1", "-o", name, "--ray", ray, "--json",
        )  # fmt: skip
        self._errors = (folder / f"{name}.txt").open("w+")
        self._printed = (folder / f"{name}.out").open("w+")
        self._began = time.time()
        self._process = subprocess.Popen(command, cwd=folder, stdout=self._printed, stderr=self._errors)

    def wait_for_checkpoints(self, trials: int = 1) -> None:
        """Wait until so many trials have written a checkpoint since the start and are not finished."""

        def there() -> bool:
            if self._process.poll() is not None:
                raise RuntimeError(f"the sweep has ended too early: {self.errors()}")
            written = self.out.glob("trials/*/checkpoint.pickle")
            begun = {path.parent for path in written if path.stat().st_mtime > self._began}
            return len(begun - {path.parent for path in self.out.glob("trials/*/finished.json")}) >= trials

        wait_for(there, "the first checkpoint of a trial")

    def end(self, how: signal.Signals) -> int:
        """Kill or interrupt it; returns the exit code."""
        self._process.send_signal(how)
        return self._process.wait(PATIENCE)

    def finish(self) -> dict[str, Any]:
        """What it prints when it has ended: the means of each combination.

        Raises:
            RuntimeError: If it fails.
        """
        code = self._process.wait(PATIENCE)
        self._printed.seek(0)
        if code != 0:
            raise RuntimeError(f"exit code {code}: {self.errors()}")
        printed: dict[str, Any] = json.load(self._printed)  # fails if Ray has printed anything in between
        return printed

    def errors(self) -> str:
        """The end of what it wrote to stderr."""
        self._errors.seek(0)
        return self._errors.read()[-600:].strip()


def workers() -> list[int]:
    """The processes of this user that carry out trials."""
    lines = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [int(line.split()[0]) for line in lines if "ray::ResourceTrainable" in line]


def local(folder: Path, report: Report) -> None:
    """On this machine alone, a worker, then the process of the sweep is killed; Ctrl-C then keeps what was done."""
    expected = SweepProcess(folder, "whole", "local").finish()
    sweep = SweepProcess(folder, "disturbed", "local")
    sweep.wait_for_checkpoints()
    os.kill(workers()[0], signal.SIGKILL)
    report.counts["workers killed"] += 1
    sweep.wait_for_checkpoints()
    sweep.end(signal.SIGKILL)
    report.counts["drivers killed"] += 1
    wait_for(lambda: not workers(), "the end of the workers of a killed sweep")
    sweep = SweepProcess(folder, "disturbed", "local")
    sweep.wait_for_checkpoints()
    code = sweep.end(signal.SIGINT)
    report.expect(code == INTERRUPTED, f"Ctrl-C ends a sweep with exit code {code}: {sweep.errors()}")
    report.counts["drivers interrupted"] += 1
    _compare(expected, SweepProcess(folder, "disturbed", "local"), folder, report)


def nodes_die(folder: Path, report: Report) -> None:
    """A node dies with its trial, another joins, and the trial resumes there."""
    expected = SweepProcess(folder, "whole", "local").finish()
    empty = folder / "empty"
    empty.mkdir()
    with Nodes(2, empty) as nodes:
        sweep = SweepProcess(folder, "disturbed", nodes.address)
        sweep.wait_for_checkpoints(2)
        nodes.kill()
        report.counts["nodes killed"] += 1
        nodes.add()
        report.counts["nodes"] += 3
        _compare(expected, sweep, folder, report)


def _compare(expected: dict[str, Any], sweep: SweepProcess, folder: Path, report: Report) -> None:
    found = sweep.finish()
    for one, other in zip(expected["combinations"], found["combinations"], strict=True):
        for key in ("settings", "seeds", "win_shares", "decisions"):
            report.expect(one[key] == other[key], f"{key} of {one['settings']} are {other[key]}, not {one[key]}")
    for trial in TRIALS:
        weights = [folder / name / "trials" / trial / "baseline.safetensors" for name in ("whole", "disturbed")]
        report.expect(weights[0].read_bytes() == weights[1].read_bytes(), f"the weights of {trial} differ")


CASES: dict[str, Callable[[Path, Report], None]] = {"sweep": local, "sweep-nodes": nodes_die}
