"""Work that many workers share: what is done, on one machine or on a cluster, behind one interface."""

from speicher_training.executor.in_process import InProcess
from speicher_training.executor.interface import (
    Crew,
    Done,
    Executor,
    Job,
    Lost,
    Report,
    Shared,
    Size,
    WorkerError,
)
from speicher_training.executor.ordered import in_order
from speicher_training.executor.processes import Processes
from speicher_training.executor.selection import check_ray, executor_for
from speicher_training.executor.threads import Threads

__all__ = [
    "Crew",
    "Done",
    "Executor",
    "InProcess",
    "Job",
    "Lost",
    "Processes",
    "Report",
    "Shared",
    "Size",
    "Threads",
    "WorkerError",
    "check_ray",
    "executor_for",
    "in_order",
]
