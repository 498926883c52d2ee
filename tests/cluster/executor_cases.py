"""Work whose bytes do not fit into the object store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ray

from speicher_training.executor import Done, executor_for, in_order
from tests.cluster.nodes import OBJECT_STORE, Nodes
from tests.cluster.report import Report
from tests.support.jobs import Obedient, Task

__all__ = ["CASES"]

MEGABYTE = 1 << 20
RESULT = 8


def full_store(folder: Path, report: Report) -> None:
    """Tasks are done while others fill the object store, with shared bytes and results that do not fit."""
    with Nodes(2, folder) as nodes, executor_for(nodes.address) as executor:
        report.counts["nodes"] += 2
        filler = [ray.put(bytes(MEGABYTE)) for _ in range(2 * OBJECT_STORE // MEGABYTE)]
        shared = executor.share(bytes(24 * MEGABYTE))
        with executor.crew(Obedient()) as crew:
            tasks = [Task(RESULT * MEGABYTE, "bytes", shared=(shared,)) for _ in range(24)]
            results = list(in_order(crew, tasks, limit=24))
        report.counts["tasks"] += len(results)
        report.expect(len(results) == 24, f"{len(results)} of 24 tasks have a result")
        report.expect({len(result) for result in results} == {RESULT * MEGABYTE}, "results have another size")
        report.expect(len(ray.get(filler[0])) == MEGABYTE, "what others put there is lost")


def lost_bytes(folder: Path, report: Report) -> None:
    """Shared bytes that the object store has lost are put there again."""

    class Owner:
        def put(self, content: bytes) -> list[Any]:
            return [ray.put(content)]

    with Nodes(2, folder) as nodes, executor_for(nodes.address, 1) as executor:
        report.counts["nodes"] += 2
        shared = executor.share(bytes(MEGABYTE))
        owner = ray.remote(Owner).options(num_cpus=1).remote()
        (reference,) = ray.get(owner.put.remote(shared.get()))
        executor._references._references[shared] = reference  # type: ignore[attr-defined]
        ray.kill(owner)
        with executor.crew(Obedient()) as crew:
            crew.submit(Task(3, shared=(shared,)))
            events = crew.wait(60)
        report.expect([isinstance(event, Done) for event in events] == [True], f"a task ended as {events}")
        again = executor._references.of({shared.digest: shared})  # type: ignore[attr-defined]
        report.expect(again[shared.digest] != reference, "the lost bytes are not put again")


CASES = {"store": full_store, "bytes": lost_bytes}
