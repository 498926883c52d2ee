"""`arena`: play a round robin on shared deals and report the results."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from speicher_env.errors import ArgumentError
from speicher_training.arena.analysis import analyse
from speicher_training.arena.errors import ArenaError
from speicher_training.arena.plan import Plan, Players, Seated, make_plan, with_opponents
from speicher_training.arena.play import Task
from speicher_training.arena.results import Results, summary_of
from speicher_training.arena.seeds import EVALUATION, first_seed
from speicher_training.arena.sequential import Decision, decisions, pairs_of
from speicher_training.arena.settings import Extent, Output, Settings
from speicher_training.arena.store import Store, claimed, open_store
from speicher_training.arena.tally import games_of, tally
from speicher_training.arena.timing import decision_times, total_usage
from speicher_training.arena.workers import OnActivity, play_chunks
from speicher_training.executor import Size
from speicher_training.files import new_text_file

__all__ = ["arena", "run_arena"]

Progress = Callable[[int, int | None], None]
"""Called with the number of finished deals and of all deals (None if only time limits them)."""
OnCluster = Callable[[Size, int], None]
"""Called a few times a second with the size of the cluster that plays, and the number of finished games."""


def arena(
    players: Players,
    num_players: int | None = None,
    *,
    progress: Progress = lambda done, total: None,
    interrupted: Callable[[], bool] = lambda: False,
    on_cluster: OnCluster = lambda size, games: None,
    on_activity: OnActivity = lambda deals, decisions: None,
    **options: Any,
) -> Results:
    """Let players play each other: all combinations of them, in all seatings of every deal.

    The options are the fields of `Settings`, by name:

    - what is played (`Protocol`): `num_players`, `deck`, `seed`, `panel`, `mirrors`, `alone`, `lanes`;
    - how long (`Extent`): `deals`, `budget`, `until_decided`, `alpha`, `indifference`;
    - what is kept (`Output`): `output`, `records`, `think`, `plots`, `replicates`;
    - who does the work (`Work`): `jobs`, `ray`, `strict`, `timeout`, `isolated`.

    Args:
        players: Specs or player objects, or a mapping of names to them.
        num_players: Players in a game, 2..5; default: 2, or what the panel says.
        progress: Called with the number of finished deals and of all deals.
        interrupted: Asked a few times a second; True ends the run and reports what is finished.
        on_cluster: With `ray`, called a few times a second with the size of the cluster and the finished games.
        on_activity: Called a few times a second while players are asked through Python on this machine: with the deals
            played, fractions included, and the decisions that they were asked for.
        options: Settings by name, such as `deals=200` or `jobs=2`.

    Raises:
        ArgumentError: For an argument that is wrong; nothing has been written then.
        ArenaError: For a folder of another run, or a failure that stops the run; finished deals are kept.
        FileError: For a folder in use, or a file that is damaged, was edited or cannot be written.
    """
    settings = Settings.of(num_players=num_players, **options)
    return run_arena(players, settings, progress, interrupted, on_cluster, on_activity)


def run_arena(
    players: Players,
    settings: Settings,
    progress: Progress = lambda done, total: None,
    interrupted: Callable[[], bool] = lambda: False,
    on_cluster: OnCluster = lambda size, games: None,
    on_activity: OnActivity = lambda deals, decisions: None,
) -> Results:
    """`arena` with its options as one value."""
    plan, seated, settings = prepare(players, settings)
    output, deals = settings.output, settings.extent.most_deals(plan.schedule.games)
    records = None if output.records is None else Path(output.records)
    folder = None if output.output is None else Path(output.output)
    with open_store(folder, plan) as store, _claimed_records(output, plan):
        store.make_room(deals)
        ending = _Ending(plan, store, settings.extent, deals, interrupted)
        total = None if settings.extent.seconds is not None else deals
        progress(min(store.deals, deals), total)
        if not ending.decided():
            tasks = _missing(plan, store, deals)
            chunks = play_chunks(
                plan, seated, tasks, work=settings.work, records=records is not None, think=output.think,
                interrupted=ending.now, on_cluster=lambda size: on_cluster(size, store.deals * plan.schedule.games),
                on_activity=lambda played, decisions: on_activity(min(store.deals + played, deals), decisions),
            )  # fmt: skip
            with closing(chunks):
                for chunk in chunks:
                    if records is not None:
                        with new_text_file(records / f"chunk-{chunk.line['chunk']:06}.jsonl") as stream:
                            stream.write(chunk.records)
                    store.add(chunk.line, chunk.asked, chunk.usage)
                    progress(min(store.deals, deals), total)
                    if ending.decided():
                        break
        results = _results(plan, seated, store, ending, output.replicates)
        if folder is not None:
            results.save(folder, output.plots)
    return results


def prepare(players: Players, settings: Settings) -> tuple[Plan, list[Seated], Settings]:
    """Check everything: the plan with its players, and the settings as a panel settles them."""
    settings, panel = settings.with_panel()
    if panel is not None:
        players = with_opponents(players, panel)
    protocol = settings.protocol
    first = first_seed(EVALUATION if protocol.seed is None else protocol.seed, settings.extent.most_deals())
    plan, seated = make_plan(players, protocol, first, panel)
    if settings.work.ray is not None and not plan.of_specs:
        raise ArgumentError("players: must be specs, with ray; player objects cannot be sent to other machines.")
    return plan, seated, settings


def _claimed_records(output: Output, plan: Plan) -> AbstractContextManager[None]:
    """Hold the folder of the records, unless it is that of the run."""
    if output.records is None:
        return nullcontext()
    folder = Path(output.records)
    if output.output is not None and folder.resolve() == Path(output.output).resolve():
        return nullcontext()
    return claimed(folder, plan)


def _missing(plan: Plan, store: Store, deals: int) -> Iterator[Task]:
    """The chunks that are still to be played."""
    size = plan.deals_per_chunk
    for chunk in range(len(store.lines), -(-deals // size)):
        yield Task(chunk, min(size, deals - chunk * size))


def _results(plan: Plan, seated: list[Seated], store: Store, ending: _Ending, replicates: int) -> Results:
    """The results of the deals that count."""
    games = games_of(store.lines[: ending.chunks], plan.schedule).first(ending.deals)
    if not games.deals:
        raise ArenaError("the run was stopped before a deal was finished.")
    times = decision_times(plan, seated, store.times.values())
    numbers = analyse(plan, games, replicates=replicates)
    complete = ending.complete()
    usage = total_usage(store.usage.values())
    summary = summary_of(plan, numbers, ending.verdicts(games.deals), times, usage, complete)
    return Results(summary, plan, games, complete)


class _Ending:
    """When a run ends."""

    def __init__(self, plan: Plan, store: Store, extent: Extent, deals: int, interrupted: Callable[[], bool]) -> None:
        self.plan, self.store, self.extent, self.deals = plan, store, extent, deals
        self.until = None if extent.seconds is None else time.monotonic() + extent.seconds
        self.interrupted = interrupted
        self.pairs = pairs_of(plan.names, plan.candidates)
        self.chunks: int | None = None
        """Chunks that count: those up to the one in which everything was decided, None for all."""
        self._scores: list[np.ndarray] = []
        self._decisions: list[Decision] = []

    def now(self) -> bool:
        """Whether to stop at once."""
        return self.interrupted() or (self.until is not None and time.monotonic() > self.until)

    def decided(self) -> bool:
        """Whether every pair is decided, by the finished chunks in their order."""
        if not self.extent.until_decided:
            return False
        for line in self.store.lines[len(self._scores) :]:
            self._scores.append(tally(games_of([line], self.plan.schedule)).ahead)
        if not self._scores:
            return False
        scores = np.concatenate(self._scores)[: self.deals]
        self._decisions = decisions(scores, self.pairs, self.extent.alpha, self.extent.indifference)
        last = [decision.deal for decision in self._decisions if decision.deal is not None]
        if len(last) < len(self._decisions):
            return False
        self.chunks = -(-max(last) // self.plan.deals_per_chunk)  # chunks that were played after it do not count
        return True

    def complete(self) -> bool:
        """Whether the run has come to its end."""
        return self.chunks is not None or self.until is not None or self.store.deals >= self.deals

    def verdicts(self, deals: int) -> dict[str, Any] | None:
        """The results of the sequential test, None without one."""
        if not self.extent.until_decided:
            return None
        names = self.plan.names
        return {
            "alpha": self.extent.alpha,
            "indifference": self.extent.indifference,
            "deals": deals,
            "pairs": [
                {"first": names[each.first], "second": names[each.second], "verdict": each.verdict, "deal": each.deal}
                for each in self._decisions
            ],
        }
