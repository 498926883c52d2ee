"""A crew on a Ray cluster: a supervisor on each core of each node, also of nodes that join later."""

from __future__ import annotations

import pickle
import time
import warnings
import weakref
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Generic, TypeVar

import ray
from ray.exceptions import RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from speicher_training.executor.closing import Closing
from speicher_training.executor.interface import Done, Job, Lost, Size, WorkerError
from speicher_training.executor.ray_supervisor import supervisor_class
from speicher_training.executor.sharing import Packed, Sent, SharedBytes, pack
from speicher_training.executor.worker_process import WorkFailed

__all__ = ["CrewOnRay", "References"]

AHEAD = 2
"""Tasks that a supervisor has: while a result travels, its process does the next one."""
LOOK_SECONDS = 3.0
"""Seconds between two looks at the nodes of the cluster."""
LOSSES = 5
"""Times that a task is lost with its node before it is given up, and times that a node fails to start a worker."""
PATIENCE = 30.0
"""Seconds without any worker after which a warning says so."""
FAREWELL = 3.0
"""Seconds that supervisors have to clean up."""

Task = TypeVar("Task")
Result = TypeVar("Result")


class References:
    """The places of shared bytes in Ray's object store, where they can be put again, for this process keeps them."""

    def __init__(self) -> None:
        """Begin with none."""
        self._references: weakref.WeakKeyDictionary[SharedBytes, Any] = weakref.WeakKeyDictionary()

    def of(self, shared: dict[str, SharedBytes]) -> dict[str, Any]:
        """A reference for each, by digest."""
        for each in shared.values():
            if each not in self._references:
                self._references[each] = ray.put(each.get())
        return {digest: self._references[each] for digest, each in shared.items()}

    def forget(self, shared: dict[str, SharedBytes]) -> None:
        """Let bytes be put there again, because they were lost."""
        for each in shared.values():
            self._references.pop(each, None)


@dataclass(eq=False)
class _Ticket(Generic[Task]):
    """A task on its way."""

    task: Task
    packed: Packed
    lost: int = 0
    """Times that a node was lost with it."""


@dataclass(eq=False)
class _Hand(Generic[Task]):
    """A supervisor, and what it is doing."""

    actor: Any
    node: str | None = None
    """None until it has begun on the node that Ray chose."""
    begun: Any = None
    """The reference of its first answer."""
    ready: bool = False
    """Whether that has come."""
    tickets: dict[Any, _Ticket[Task]] = field(default_factory=dict)
    """Its tasks, by the references of its answers."""
    sent: Sent = field(default_factory=Sent)


class CrewOnRay(Closing, Generic[Task, Result]):
    """Hands out tasks to all cores of a cluster."""

    def __init__(self, job: Job[Task, Result], references: References, jobs: int | None) -> None:
        """Ask for workers on all nodes that there are.

        Args:
            job: The kind of work.
            references: Where shared bytes are.
            jobs: The most workers at a time; None for one on each core of the cluster. More than there are cores wait
                for further nodes, which a cluster that scales itself then starts.
        """
        if type(job).__module__ == "__main__":
            raise WorkerError(f"{type(job).__name__}: a job for a cluster must be in a module that nodes can import.")
        self._job, self._references, self._jobs = pack(job), references, jobs
        self._version = version("speicher-env")
        self._supervisor = ray.remote(num_cpus=1, max_concurrency=AHEAD + 1)(supervisor_class())
        self._hands: list[_Hand[Task]] = []
        self._waiting: deque[_Ticket[Task]] = deque()
        self._failures: Counter[str] = Counter()
        self._refused: dict[str, str] = {}
        """Nodes that are left out, and why."""
        self._looked = self._busy_until = time.monotonic()
        self._warned = False
        self._look()

    @property
    def room(self) -> int:
        """See `Crew.room`; workers that are about to begin count, and without any there is room for one task."""
        free = sum(AHEAD - len(hand.tickets) for hand in self._hands)
        return max(free, not self._hands) - len(self._waiting)

    @property
    def size(self) -> Size:
        """See `Crew.size`."""
        ready = [hand.node for hand in self._hands if hand.ready]
        return Size(len(set(ready)), len(ready))

    @property
    def doing(self) -> list[object]:
        """See `Crew.doing`: what happens on the nodes of a cluster is not reported in between."""
        return []

    def submit(self, task: Task) -> None:
        """See `Crew.submit`."""
        self._waiting.append(_Ticket(task, pack(task)))
        self._hand_out()

    def wait(self, seconds: float) -> Sequence[Done[Task, Result] | Lost[Task]]:
        """See `Crew.wait`."""
        until = time.monotonic() + seconds
        events: list[Done[Task, Result] | Lost[Task]] = []
        while True:
            if time.monotonic() > self._looked + LOOK_SECONDS:
                self._look()
            self._hand_out()
            owed = {answer: hand for hand in self._hands for answer in (hand.tickets if hand.ready else [hand.begun])}
            left = max(0.0, min(until - time.monotonic(), LOOK_SECONDS))
            if not owed:
                time.sleep(left)
            else:
                some, _ = ray.wait(list(owed), num_returns=1, timeout=left)
                if some:
                    some, _ = ray.wait(list(owed), num_returns=len(owed), timeout=0)
                for answer in some:
                    events += self._note(owed[answer], answer)
            if events or time.monotonic() >= until:
                return events

    def close(self) -> None:
        """See `Crew.close`."""
        farewells = []
        for hand in self._hands:
            if hand.ready:
                with suppress(RayError):
                    farewells.append(hand.actor.close.remote())
        if farewells:
            with suppress(RayError):
                ray.wait(farewells, num_returns=len(farewells), timeout=FAREWELL)
        while self._hands:
            _kill(self._hands.pop())
        self._waiting.clear()

    def _look(self) -> None:
        """Ask for a worker on every core that has none, and for those that are wanted beyond these wherever Ray likes.

        Ray counts the latter as demand, for which a cluster that scales itself starts nodes. The demand ends with this
        process, however it ends.
        """
        self._looked = time.monotonic()
        nodes = {node["NodeID"]: int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]}
        for node, cores in nodes.items():
            hands = sum(hand.node == node for hand in self._hands)
            while hands < cores and node not in self._refused and len(self._hands) < (self._jobs or float("inf")):
                self._ask_for_one(node)
                hands += 1
        while self._jobs is not None and len(self._hands) < self._jobs:
            self._ask_for_one()
        if any(hand.ready for hand in self._hands):
            self._busy_until = self._looked
        elif self._refused and not self._hands:
            raise WorkerError(next(iter(self._refused.values())))
        elif self._looked > self._busy_until + PATIENCE and not self._warned:
            self._warned = True
            cores = sum(nodes.values())
            warnings.warn(f"waiting for a free core of the cluster, which has {cores}", stacklevel=4)

    def _ask_for_one(self, node: str | None = None) -> None:
        """Ask for a worker on a node, or wherever a core is free."""
        where = "DEFAULT" if node is None else NodeAffinitySchedulingStrategy(node, False)
        hand: _Hand[Task] = _Hand(self._supervisor.options(scheduling_strategy=where).remote(), node)
        added, _ = hand.sent.update(self._job.shared)
        hand.begun = hand.actor.begin.remote(self._version, self._job.content, self._references.of(added))
        self._hands.append(hand)

    def _hand_out(self) -> None:
        """Give the tasks that wait to those who have least to do."""
        while self._waiting:
            free = [hand for hand in self._hands if hand.ready and len(hand.tickets) < AHEAD]
            if not free:
                return
            self._give(min(free, key=lambda hand: len(hand.tickets)), self._waiting.popleft())

    def _give(self, hand: _Hand[Task], ticket: _Ticket[Task]) -> None:
        shared = ticket.packed.shared
        added, dropped = hand.sent.update(shared)
        references = self._references.of(added)
        hand.tickets[hand.actor.work.remote(ticket.packed.content, list(shared), references, dropped)] = ticket

    def _note(self, hand: _Hand[Task], answer: Any) -> list[Done[Task, Result] | Lost[Task]]:
        """Take an answer that has come."""
        if hand not in self._hands:
            return []  # another answer said that it has died
        try:
            content = ray.get(answer)
        except RayTaskError as error:
            raise WorkerError(f"a worker on a node failed: {' '.join(str(error.cause).split())}") from error
        except RayError:  # the supervisor or its node has died, or the answer was lost on the way
            return self._lose(hand)
        if not hand.ready:
            self._begin(hand, *content)
            return []
        ticket = hand.tickets.pop(answer)
        kind, content, shown = content
        for text, category in shown:
            warnings.warn(text, category, stacklevel=3)
        if kind == "failed":
            raise WorkFailed(*content).original()
        if kind == "missing":
            self._references.forget(ticket.packed.shared)
            hand.sent = Sent()
            return self._again(ticket)
        if kind == "lost":
            return [Lost(ticket.task, *content)]
        return [Done(ticket.task, pickle.loads(content[0]))]

    def _begin(self, hand: _Hand[Task], node: str, found: str) -> None:
        """Take a supervisor into service, or refuse its node because it has another version."""
        hand.node = node
        if found == self._version:
            hand.ready = True
            return
        address = next((each["NodeManagerAddress"] for each in ray.nodes() if each["NodeID"] == node), node)
        there = f"speicher-env {found}" if found else "no speicher-env"
        sentence = (
            f"the node {address} has {there}, and this process has {self._version}; install the same version on each."
        )
        if node not in self._refused:
            self._refused[node] = sentence
            if any(each.node not in self._refused for each in self._hands):
                warnings.warn(sentence, stacklevel=5)
        self._drop(hand)

    def _lose(self, hand: _Hand[Task]) -> list[Done[Task, Result] | Lost[Task]]:
        """Hand out the tasks of a supervisor that is gone again: a node's death is nobody's fault."""
        self._drop(hand)
        if not hand.ready and hand.node is not None:
            self._failures[hand.node] += 1
            if self._failures[hand.node] == LOSSES:
                self._refused[hand.node] = "the nodes of the cluster start no workers."
        return [event for ticket in hand.tickets.values() for event in self._again(ticket)]

    def _again(self, ticket: _Ticket[Task]) -> list[Done[Task, Result] | Lost[Task]]:
        ticket.lost += 1
        if ticket.lost == LOSSES:
            return [Lost(ticket.task, None, f"was lost with its node, {LOSSES} times")]
        self._waiting.appendleft(ticket)
        return []

    def _drop(self, hand: _Hand[Task]) -> None:
        self._hands.remove(hand)
        _kill(hand)


def _kill(hand: _Hand[Any]) -> None:
    with suppress(RayError):
        ray.kill(hand.actor)
