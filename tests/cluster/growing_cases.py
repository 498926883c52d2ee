"""A cluster that starts nodes when somebody asks for more cores, and ends them when nobody does."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import ray

from speicher_training.executor import Done, executor_for
from tests.cluster.nodes import MARK, OBJECT_STORE, pids_of
from tests.cluster.report import Report, wait_for
from tests.support.jobs import Obedient, Task

__all__ = ["CASES"]

PORT = 6379
"""The only one at which the nodes of Ray's pretended cloud look for their head."""
IDLE_SECONDS = 6


class PretendedCloud:
    """A head without cores, and nodes of one core that Ray's own autoscaler starts and ends on this machine."""

    def __init__(self, largest: int, folder: Path) -> None:
        """Start the head.

        Args:
            largest: The most nodes beside the head.
            folder: For its files.
        """
        settings: dict[str, Any] = {
            "cluster_name": "growing",
            "provider": {"type": "fake_multinode", "use_node_id_as_ip": True, "disable_node_updaters": True},
            "max_workers": largest,
            "upscaling_speed": 1.0,
            "idle_timeout_minutes": IDLE_SECONDS / 60,
            "head_node_type": "ray.head.default",
            "available_node_types": {
                "ray.head.default": {"resources": {}, "node_config": {}, "max_workers": 0},
                "one core": {"resources": {"CPU": 1}, "node_config": {}, "min_workers": 0, "max_workers": largest},
            },
        }
        settings |= {key: {} for key in ("auth", "file_mounts", "docker")}
        settings |= {f"{kind}_commands": [] for kind in ("initialization", "setup", "head_setup", "worker_setup")}
        settings |= {
            key: [] for key in ("cluster_synced_files", "head_start_ray_commands", "worker_start_ray_commands")
        }
        (folder / "cloud.json").write_text(json.dumps(settings))
        self._mark = secrets.token_hex(8)
        environment = {
            MARK: self._mark, "RAY_FAKE_CLUSTER": "1", "AUTOSCALER_UPDATE_INTERVAL_S": "1",
            "RAY_AUTH_MODE": "disabled",  # even if this machine has a token of an earlier cluster
            "PYTHONPATH": os.pathsep.join(sys.path),
        }  # fmt: skip
        subprocess.run(
            [Path(sys.executable).with_name("ray"), "start", "--head", f"--port={PORT}", "--num-cpus=0",
             f"--object-store-memory={OBJECT_STORE}", "--include-dashboard=false",
             f"--autoscaling-config={folder / 'cloud.json'}"],
            env=os.environ | environment, cwd=folder, check=True, capture_output=True,
        )  # fmt: skip
        self.address = f"127.0.0.1:{PORT}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pid in pids_of(self._mark):
            os.kill(pid, signal.SIGKILL)


def cores() -> int:
    """Of all nodes that live."""
    return sum(int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"])


def growing(folder: Path, report: Report) -> None:
    """A crew that may have two workers makes an empty cluster grow to two cores; afterwards it shrinks again."""
    with PretendedCloud(3, folder) as cloud, executor_for(cloud.address, 2) as executor:
        report.expect(cores() == 0, f"{cores()} cores at the start")
        events = []
        with executor.crew(Obedient()) as crew:
            for number in range(6):
                crew.submit(Task(number))
            wait_for(lambda: events.extend(crew.wait(1)) or len(events) == 6, "tasks of a cluster that grows")
            wait_for(lambda: not crew.wait(1) and crew.size.cores == 2, "the second core")
            report.expect(cores() == 2, f"{cores()} cores for two workers")
        report.counts["nodes"] += 2
        report.expect(all(isinstance(event, Done) for event in events), f"tasks end as {events}")
        wait_for(lambda: cores() == 0, "shrinking")


CASES = {"growing": growing}
