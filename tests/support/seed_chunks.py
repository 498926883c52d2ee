"""Work on many seeds in chunks, shared by processes or the nodes of a cluster."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from speicher_training import executor

__all__ = ["Seeds", "in_chunks"]

LONGEST = 3600.0
"""Seconds that a chunk may take."""


@dataclass(frozen=True)
class Seeds:
    """A job: call a function of a module with the first seed and the number of seeds."""

    module: str
    function: str

    def begin(self, report: executor.Report) -> Callable[[tuple[int, int]], Any]:
        """See `Job.begin`."""
        work = getattr(import_module(self.module), self.function)

        def call(chunk: tuple[int, int]) -> Any:
            report(f"seeds from {chunk[0]}", LONGEST)
            return work(*chunk)

        return call


def in_chunks(job: Seeds, count: int, seed: int, size: int, options: argparse.Namespace) -> Iterator[Any]:
    """The results of a job for `count` seeds from `seed`, in chunks, by the workers that the options name.

    On a Ray cluster the checkout must be at the same place on each node, for this package is not installed.
    """
    chunks = ((first, min(size, seed + count - first)) for first in range(seed, seed + count, size))
    with executor.executor_for(options.ray, options.jobs) as chosen, chosen.crew(job) as crew:
        yield from executor.in_order(crew, chunks, limit=max(2, 4 * (options.jobs or crew.size.cores)))
