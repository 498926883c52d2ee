"""Carrying out trials: one after the other in this process, or many at a time by Ray Tune."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from speicher_env.arguments import check_count
from speicher_env.errors import ArgumentError, FileError
from speicher_training.executor import WorkerError, check_ray
from speicher_training.machine import count_cores
from speicher_training.sweep.trial import Interrupted, Report

__all__ = ["MISTAKES", "Watch", "Work", "carry_out", "prepared"]

MISTAKES = (ArgumentError, FileError)
"""Errors of a trial whose sentence says enough; others are shown with their traceback."""

Work = Callable[[Report, Interrupted], Any]
"""A trial, from its beginning or from where it was ended; returns its result as plain values, None if interrupted."""


@dataclass(frozen=True)
class Watch:
    """Whom to tell how trials fare; all of it is called in this process, with the name of a trial first."""

    begun: Callable[[str], None] = lambda name: None
    """Called when a trial begins, also when it begins again after its worker was lost."""
    report: Callable[[str, dict[str, Any]], None] = lambda name, report: None
    """Called with what the trial reports."""
    result: Callable[[str, Any], None] = lambda name, result: None
    """Called with the result of a trial."""
    failed: Callable[[str, str], None] = lambda name, why: None
    """Called when a trial has failed, with the reason; the others go on."""
    interrupted: Interrupted = lambda: False
    """Asked often; True makes the trials keep their states, and ends them all."""


@contextmanager
def prepared(*, jobs: int | None = None, ray: str | None = None) -> Iterator[None]:
    """Check the arguments of `carry_out`, and be connected to the cluster for the length of the block.

    Raises:
        ArgumentError: For an argument that is wrong, or if there is no such cluster.
    """
    if jobs is not None:
        check_count("jobs", jobs)
    if ray is None:
        yield
        return
    check_ray(ray)
    from speicher_training.sweep import ray_tune  # Ray takes a second to import, and this must be first to import it

    try:
        with ray_tune.connected(ray, jobs or count_cores()):
            yield
    except WorkerError as error:
        raise ArgumentError(str(error)) from None


def carry_out(works: Mapping[str, Work], watch: Watch, *, jobs: int | None = None, ray: str | None = None) -> None:
    """Carry out trials in their order, until all are done, have failed, or are interrupted.

    Args:
        works: By name. With Ray they are pickled.
        watch: Whom to tell how they fare.
        jobs: The most trials at a time; default: as many as there are cores for. Without Ray it is one at a time.
        ray: "local" for Ray on this machine alone, "auto" for the cluster that this machine is part of, or its
            address HOST:PORT. None for one trial after the other in this process.

    Raises:
        ArgumentError: If there is no such cluster.
    """
    if ray is not None:
        with prepared(jobs=jobs, ray=ray):
            from speicher_training.sweep.ray_tune import carry_out_by_tune

            carry_out_by_tune(works, watch, jobs=jobs)
        return
    for name, work in works.items():
        if watch.interrupted():
            return
        watch.begun(name)
        try:
            result = work(partial(watch.report, name), watch.interrupted)
        except MISTAKES as error:
            watch.failed(name, str(error))
            continue
        if result is not None:
            watch.result(name, result)
