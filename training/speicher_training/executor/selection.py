"""Which executor does the work: on this machine, or on a Ray cluster."""

from __future__ import annotations

import re
from importlib.util import find_spec

from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be
from speicher_training.executor.in_process import InProcess
from speicher_training.executor.interface import Executor, WorkerError
from speicher_training.executor.processes import Processes
from speicher_training.machine import count_cores

__all__ = ["check_ray", "executor_for"]

_ADDRESS = re.compile(r"[\w.-]+:\d{1,5}|\[[0-9a-fA-F:]+\]:\d{1,5}")


def executor_for(ray: str | None = None, jobs: int | None = None) -> Executor:
    """The executor that the options of a command name.

    Args:
        ray: None for this process (one job) or processes of this machine; for Ray "local", which starts a cluster on
            this machine, "auto", which takes the one that is there, or HOST:PORT.
        jobs: Workers at a time; default: one for each core, of this machine or of the cluster.

    Raises:
        ArgumentError: For another text.
        WorkerError: If Ray is not installed, or there is no such cluster.
    """
    check_ray(ray)
    if ray is None or ray == "local":
        jobs = jobs or count_cores()
    if ray is None:
        return InProcess() if jobs == 1 else Processes(jobs or 1)
    if find_spec("ray") is None:
        raise WorkerError("work on several machines needs the package ray: pip install 'speicher-env[ray]'")
    from speicher_training.executor.on_ray import OnRay

    return OnRay(ray, jobs)


def check_ray(ray: str | None) -> None:
    """Refuse a text that names no cluster."""
    if ray is not None and ray not in ("auto", "local") and not _ADDRESS.fullmatch(ray):
        raise ArgumentError(must_be("ray", ray, "auto, local or the HOST:PORT of a cluster with this machine in it"))
