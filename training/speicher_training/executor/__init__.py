"""Work that many workers share: what is done, on one machine or on a cluster, behind one interface."""

from speicher_training.executor.in_process import InProcess
from speicher_training.executor.interface import Crew, Done, Executor, Job, Lost, Report, Shared
from speicher_training.executor.ordered import in_order

__all__ = ["Crew", "Done", "Executor", "InProcess", "Job", "Lost", "Report", "Shared", "in_order"]
