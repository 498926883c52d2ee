"""The executor on a cluster: a full object store, lost bytes, tasks that kill their supervisors, another version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ray

from speicher_training.executor import Done, Lost, WorkerError, executor_for, in_order, ray_crew
from tests.cluster.nodes import OBJECT_STORE, Nodes
from tests.cluster.report import Report, wait_for
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


def murderous(folder: Path, report: Report) -> None:
    """A task that ends its supervisor again and again, and not only its process, is given up; others are done."""
    with Nodes(2, folder) as nodes, executor_for(nodes.address) as executor:
        report.counts["nodes"] += 2
        events: list[Any] = []
        with executor.crew(Obedient()) as crew:
            for task in (Task(1, "end parent"), Task(2), Task(3)):
                crew.submit(task)
            wait_for(lambda: events.extend(crew.wait(1)) or len(events) == 3, "a task that ends its supervisor")
        done = sorted(event.task.number for event in events if isinstance(event, Done))
        whys = [event.why for event in events if isinstance(event, Lost)]
        report.expect(done == [2, 3], f"tasks {done} are done")
        report.expect(whys == ["was lost with its node, 5 times"], f"lost because {whys}")


def another_version(folder: Path, report: Report) -> None:
    """Nodes with another version of this package are refused in a sentence."""
    with Nodes(1, folder) as nodes, executor_for(nodes.address) as executor:
        report.counts["nodes"] += 1
        own = ray_crew.version
        ray_crew.version = lambda name: "9.9"
        try:
            with executor.crew(Obedient()) as crew:
                crew.submit(Task(1))
                wait_for(lambda: bool(crew.wait(1)), "the refusal of a version")
        except WorkerError as error:
            report.expect("and this process has 9.9; install the same version on each." in str(error), str(error))
        else:
            report.expect(False, "another version is not refused")
        finally:
            ray_crew.version = own


CASES = {"store": full_store, "bytes": lost_bytes, "murderous": murderous, "version": another_version}
