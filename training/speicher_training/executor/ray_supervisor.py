"""What runs on a node of a Ray cluster: an actor for each core, which watches a worker process of its own.

A task that hangs or kills its process is noticed and ended on its node, exactly as on one machine. So when Ray says
that an actor has died, it is the node that failed, and not the task.
"""

from __future__ import annotations

from typing import Any

__all__ = ["supervisor_class"]


def supervisor_class() -> type:
    """The class of the actors.

    Ray sends a class that is made in a function by value. So a node without this package can say that it has none, and
    the class may import it in its methods only.
    """

    class Supervisor:
        """Does tasks one after the other, in a process that is replaced when it is lost."""

        def begin(self, wanted: str, job: bytes, shared: dict[str, Any]) -> tuple[str, str]:
            """Take a packed job and references to the shared bytes that it needs, if this node has the right version.

            Returns:
                The node, and the version of speicher-env there, empty without it.
            """
            from importlib.metadata import PackageNotFoundError, version

            import ray

            node = ray.get_runtime_context().get_node_id()
            try:
                here = version("speicher-env")
            except PackageNotFoundError:
                return node, ""
            if here != wanted:
                return node, here
            import os
            import sys
            import tempfile
            import threading
            from functools import partial

            from speicher_training.executor.sharing import Packed, SharedBytes
            from speicher_training.executor.supervision import SupervisedCrew
            from speicher_training.executor.worker_process import WorkerProcess

            vars(sys.modules["__main__"]).pop("__file__", None)  # Ray's program, which a new process would import
            self._folder = tempfile.TemporaryDirectory(prefix="speicher-", ignore_cleanup_errors=True)
            os.environ["TMPDIR"] = self._folder.name  # the process is killed in the end and cleans nothing up
            self._one_at_a_time, self._closed = threading.Lock(), False
            self._shared: dict[str, SharedBytes] = {}
            self._take(shared)
            packed = Packed(job, dict(self._shared))
            self._crew: SupervisedCrew[Packed, bytes] = SupervisedCrew(partial(WorkerProcess, packed), 1)
            return node, here

        def work(self, task: bytes, needed: list[str], added: dict[str, Any], dropped: list[str]) -> tuple[Any, ...]:
            """Do a packed task, after those that came before.

            Args:
                task: The task.
                needed: Digests of the shared bytes that it needs.
                added: References to those that are not here yet, by digest.
                dropped: Digests of those that no task needs any more.

            Returns:
                "done" with the pickled result, "lost" as in `Lost`, "failed" as in `WorkFailed`, or "missing"; then the
                warnings.
            """
            with self._one_at_a_time:
                return ("missing", (), []) if self._closed else self._work(task, needed, added, dropped)

        def close(self) -> None:
            """End the process and remove its files."""
            self._closed = True
            self._crew.close()
            self._folder.cleanup()

        def _work(self, task: bytes, needed: list[str], added: dict[str, Any], dropped: list[str]) -> tuple[Any, ...]:
            import warnings

            import ray

            from speicher_training.executor.interface import Lost
            from speicher_training.executor.sharing import Packed
            from speicher_training.executor.worker_process import WorkFailed

            try:
                self._take(added)
            except ray.exceptions.ObjectLostError:
                return "missing", (), []
            for digest in dropped:
                self._shared.pop(digest, None)
            if any(digest not in self._shared for digest in needed):  # a task has overtaken the one that brought them
                return "missing", (), []
            events: Any = []
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                self._crew.submit(Packed(task, {digest: self._shared[digest] for digest in needed}))
                try:
                    while not events and not self._closed:
                        events = self._crew.wait(1.0)
                except WorkFailed as failure:
                    self._crew.close()
                    return "failed", failure.args, []
            shown = [(str(warning.message), warning.category) for warning in caught]
            if not events:
                return "missing", (), []
            (event,) = events
            if isinstance(event, Lost):
                return "lost", (event.doing, event.why, event.hung), shown
            return "done", (event.result,), shown

        def _take(self, added: dict[str, Any]) -> None:
            """Get shared bytes from Ray."""
            import ray

            from speicher_training.executor.sharing import SharedBytes

            for digest, reference in added.items():
                self._shared[digest] = SharedBytes(ray.get(reference))

    return Supervisor
