"""Training whose games are played by nodes that die: the network must be that of a run that nothing disturbed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cluster.nodes import Nodes
from tests.cluster.report import PATIENCE, Report, wait_for

__all__ = ["CASES"]

RECIPE = """
[network]
policy = [64]
value = [32]
[pretraining]
decisions = 0
[value_finetuning]
decisions = 0
[ppo]
games = 256
rollout = 64
batch_size = 2048
steps = 480_000
[league]
anchors = ["random", "frugal"]
snapshot_steps = 100_000
[run]
checkpoint_steps = 16_384
evaluation_steps = 240_000
evaluation_deals = 10
evaluation_opponents = ["random"]
"""
"""Two parts for each rollout, and some thirty rollouts."""


class TrainingProcess:
    """A training run in a process of its own."""

    def __init__(self, folder: Path, name: str, *options: str) -> None:
        """Start it, or resume it.

        Args:
            folder: Holds the recipe.
            name: Of the run's folder in it.
            options: Of the command.
        """
        (folder / "small.toml").write_text(RECIPE)
        self.out = folder / name
        command = (
            sys.executable, "-c", "from speicher_apps.cli import main; main()", "train", "small.toml",
            "-o", name, "--no-plots", *options,
        )  # fmt: skip
        self._printed = (folder / f"{name}.txt").open("w+")
        self._process = subprocess.Popen(command, cwd=folder, stdout=self._printed, stderr=subprocess.STDOUT)

    def updates(self) -> list[dict[str, Any]]:
        """The lines of the metrics on updates."""
        path = self.out / "metrics.jsonl"
        text = path.read_text() if path.exists() else ""
        lines = [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
        return [line for line in lines if "games/lost_parts" in line]

    def wait_for_updates(self, number: int) -> None:
        """Wait until it has made so many updates."""

        def there() -> bool:
            if self._process.poll() is not None:
                raise RuntimeError(f"the run has ended too early: {self.printed()}")
            return len(self.updates()) >= number

        wait_for(there, f"update {number} of a run")

    def kill(self) -> None:
        """Kill it."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(PATIENCE)

    def finish(self) -> bytes:
        """The weights that it has trained.

        Raises:
            RuntimeError: If it fails.
        """
        code = self._process.wait(PATIENCE)
        if code != 0:
            raise RuntimeError(f"exit code {code}: {self.printed()}")
        return (self.out / "baseline.safetensors").read_bytes()

    def printed(self) -> str:
        """The end of what it has printed."""
        self._printed.seek(0)
        return self._printed.read()[-600:].strip()


def nodes_die(folder: Path, report: Report) -> None:
    """A node dies, another joins late, and the driver is killed and resumed."""
    expected = TrainingProcess(folder, "whole", "--jobs", "1").finish()
    empty = folder / "empty"
    empty.mkdir()
    with Nodes(2, empty) as nodes:
        run = TrainingProcess(folder, "disturbed", "--ray", nodes.address)
        run.wait_for_updates(4)
        nodes.kill()
        report.counts["nodes killed"] += 1
        run.wait_for_updates(8)
        nodes.add()
        run.wait_for_updates(14)
        run.kill()
        report.counts["drivers killed"] += 1
        report.counts["nodes"] += nodes.count
        run = TrainingProcess(folder, "disturbed", "--ray", nodes.address)
        report.expect(run.finish() == expected, "the weights are not those of a run that nothing disturbed")
        updates = run.updates()
    games = [line["games/games"] for line in updates]
    whole = json.loads((folder / "whole" / "finished.json").read_text())
    found = json.loads((folder / "disturbed" / "finished.json").read_text())
    report.expect(found["steps"] == whole["steps"], f"{found['steps']} decisions, not {whole['steps']}")
    report.counts["games"] += int(sum(games))


CASES: dict[str, Callable[[Path, Report], None]] = {"training": nodes_die}
