"""A cluster of several nodes on this machine, and the processes that work on it."""

from __future__ import annotations

import logging
import os
import secrets
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

from ray.cluster_utils import Cluster

__all__ = ["MARK", "Nodes", "pids_of", "processes_at_work", "processes_of"]

MARK = "SPEICHER_CLUSTER_TEST"
"""The variable by which the processes of a cluster are known."""
OBJECT_STORE = 80 << 20
"""Bytes of the object store of each node, about the least that Ray allows."""
QUICK_TO_NOTICE = {
    "health_check_initial_delay_ms": 1000,
    "health_check_period_ms": 500,
    "health_check_failure_threshold": 2,
    "health_check_timeout_ms": 1000,
}
"""A node that died is noticed within seconds; by default it takes half a minute."""


class Nodes:
    """A head without cores, and nodes with one core each."""

    def __init__(self, nodes: int, folder: Path) -> None:
        """Start it.

        Args:
            nodes: Nodes at the start.
            folder: An empty folder in which they work, so that no relative path leads to a file of the run.
        """
        logging.getLogger("ray").setLevel(logging.ERROR)
        self._mark = secrets.token_hex(8)
        os.environ[MARK] = self._mark
        before = os.getcwd()
        self._folder = folder
        os.chdir(folder)
        try:
            head = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": OBJECT_STORE}
            self._cluster = Cluster(
                initialize_head=True, head_node_args=head | {"_system_config": QUICK_TO_NOTICE}, shutdown_at_exit=True
            )
        finally:
            os.chdir(before)
        self.nodes: list[Any] = []
        self.count = 0
        """Nodes that there ever were."""
        for _ in range(nodes):
            self.add(wait=False)
        self._cluster.wait_for_nodes()

    @property
    def address(self) -> str:
        """HOST:PORT."""
        return str(self._cluster.address)

    def add(self, wait: bool = True, **variables: str) -> None:
        """Start a node, with these variables in the environment of its workers."""
        before = os.getcwd()
        os.chdir(self._folder)
        try:
            node = self._cluster.add_node(
                wait=wait, num_cpus=1, object_store_memory=OBJECT_STORE, env_vars=variables or None
            )
        finally:
            os.chdir(before)
        self.nodes.append(node)
        self.count += 1

    def kill(self) -> None:
        """Kill all processes of the oldest node."""
        self._cluster.remove_node(self.nodes.pop(0), allow_graceful=False)

    def processes_at_work(self) -> list[str]:
        """The commands of the supervisors and worker processes on the nodes."""
        return processes_at_work(self._mark)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cluster.shutdown()
        del os.environ[MARK]


def pids_of(mark: str) -> list[int]:
    """The numbers of all processes with this mark in their environment."""
    pids = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"{MARK}={mark}".encode() in (path / "environ").read_bytes().split(b"\0"):
                pids.append(int(path.name))
    return pids


def processes_of(mark: str) -> list[str]:
    """Their commands."""
    commands = []
    for pid in pids_of(mark):
        with suppress(OSError):
            commands.append(Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return commands


def processes_at_work(mark: str) -> list[str]:
    """Those that are supervisors or their processes."""
    return [command for command in processes_of(mark) if "spawn_main" in command or "ray::Supervisor" in command]


assert sys.platform != "win32", "Ray's test cluster needs Linux or macOS"
