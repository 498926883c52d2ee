"""The executor on a Ray cluster; also the connection to it."""

from __future__ import annotations

import logging
import os
import socket
from typing import Any, TypeVar

import ray
import ray._private.worker as ray_worker

from speicher_env.messages import brief
from speicher_training.executor.closing import Closing
from speicher_training.executor.interface import Job, WorkerError
from speicher_training.executor.ray_crew import CrewOnRay, References
from speicher_training.executor.sharing import SharedBytes

__all__ = ["OnRay"]

OBJECT_STORE = 256 << 20
"""Bytes of the object store of a cluster that is started here. It holds shared bytes and large results."""
CONNECT_SECONDS = 10.0
"""What a cluster may take to accept a connection."""

Task = TypeVar("Task")
Result = TypeVar("Result")


class OnRay(Closing):
    """All cores of a Ray cluster, also of nodes that join later."""

    remote = True

    def __init__(self, address: str, jobs: int | None = None) -> None:
        """Connect to a cluster, or use the connection that this process has.

        Args:
            address: "local" starts a cluster on this machine, "auto" takes the one that is there, or HOST:PORT.
            jobs: The most workers at a time; None for one on each core. For more than there are cores, a cluster that
                scales itself starts nodes.

        Raises:
            WorkerError: If there is no such cluster.
        """
        self._jobs = jobs
        self._references = References()
        self._connected = not ray.is_initialized()
        if self._connected:
            _connect(address, jobs)

    def crew(self, job: Job[Task, Result]) -> CrewOnRay[Task, Result]:
        """Workers for a job, on all nodes."""
        return CrewOnRay(job, self._references, self._jobs)

    def share(self, content: bytes) -> SharedBytes:
        """Make bytes ready to be put into tasks; they travel once to each worker."""
        return SharedBytes(content)

    def close(self) -> None:
        """Leave the cluster; one that was started here ends."""
        if self._connected:
            ray.shutdown()
            self._connected = False


def _connect(address: str, jobs: int | None) -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    logging.getLogger("ray").setLevel(logging.ERROR)
    # Ray prints the death of workers on stdout, where programs read results; the executor deals with it.
    vars(ray_worker)["listen_error_messages"] = lambda *arguments: None
    options: dict[str, Any] = {"log_to_driver": False, "configure_logging": False}
    if address == "local":
        options |= {"num_cpus": jobs, "include_dashboard": False, "object_store_memory": OBJECT_STORE}
    _check_answers(os.environ.get("RAY_ADDRESS", "") if address == "auto" else address)
    try:
        ray.init(address, **options)
    except Exception as error:  # Ray raises several kinds, with texts of many lines
        raise WorkerError(_cannot_connect(address, error)) from error


def _check_answers(address: str) -> None:
    """Refuse a HOST:PORT where nothing listens; Ray would try for minutes."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise WorkerError(f"{brief(address)}: no Ray cluster answers there.") from error


def _cannot_connect(address: str, error: Exception) -> str:
    if address == "local":
        return f"Ray cannot be started on this machine: {brief(error)}"
    if address == "auto":
        return "no Ray cluster is running on this machine; start one with ray start --head, or choose local."
    return (
        f"{brief(address)}: cannot be used: this machine must be a node of the cluster "
        f"(ray start --address={brief(address)}), and RAY_AUTH_MODE must be token if the cluster asks for one."
    )
