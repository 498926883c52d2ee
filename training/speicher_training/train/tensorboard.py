"""The numbers of a run as event files of TensorBoard."""

from __future__ import annotations

import itertools
import os
import platform
import time
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import KVWriter
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

from speicher_env.errors import FileError
from speicher_env.reading import path_shown, reason
from speicher_training.train.metrics import IMITATION, PRETRAINING, SEARCH, VALUE_FINETUNING, Line

__all__ = ["StageBoards", "TensorBoard"]

_COUNTS = frozenset({"kind", "steps", "seconds", "decisions", "of"})
"""Fields of a line that are not measured."""
_NUMBERS = itertools.count()
"""Numbers for the files of this process, of which several may begin in the same second."""


class TensorBoard(KVWriter):
    """Writes the numbers of the logger. A run that resumes hides what was written after its checkpoint.

    TensorBoard's own writer writes in a thread, where a full disk is a traceback that nothing catches.
    """

    def __init__(self, folder: Path, steps: int) -> None:
        name = f"events.out.tfevents.{int(time.time())}.{platform.node()}.{os.getpid()}.{next(_NUMBERS)}"
        self.path = folder / name
        self._add(Event(file_version="brain.Event:2"))
        if steps:
            self._add(Event(step=steps, session_log=SessionLog(status=SessionLog.START)))

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Add the numbers of an update."""
        values = [
            Summary.Value(tag=key, simple_value=float(value))
            for key, value in key_values.items()
            if isinstance(value, int | float) or hasattr(value, "dtype")
        ]
        self._add(Event(step=step, summary=Summary(value=values)))

    def _add(self, event: Event) -> None:
        event.wall_time = time.time()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as stream:
                RecordWriter(stream).write(event.SerializeToString())
        except OSError as error:
            raise FileError(f"{path_shown(self.path)}: cannot be written: {reason(error)}.") from None

    def close(self) -> None:
        """Nothing is open."""


class StageBoards:
    """The stages before and after learning, each as a run of its own in TensorBoard.

    Their steps are the decisions of the stage. In one folder with those of the learner, a run that resumes would hide
    them as written after its checkpoint.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._boards: dict[str, TensorBoard] = {}

    def add(self, line: Line) -> None:
        """Add the numbers of a line of the metrics, if it is of such a stage."""
        kind = line["kind"]
        if kind not in (PRETRAINING, SEARCH, IMITATION, VALUE_FINETUNING):
            return
        step = line["decisions"]
        if kind not in self._boards:
            self._boards[kind] = TensorBoard(self.folder / kind, step)
        numbers = {f"{kind}/{key}": value for key, value in line.items() if key not in _COUNTS}
        self._boards[kind].write(numbers, {}, step)
