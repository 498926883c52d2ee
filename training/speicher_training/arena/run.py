"""`arena`: play a round robin on shared deals, and tell what came of it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from speicher_env.arguments import is_whole
from speicher_env.deal import DeckArgument
from speicher_env.errors import ArgumentError
from speicher_env.messages import shown
from speicher_training.arena.analysis import analyse
from speicher_training.arena.bootstrap import REPLICATES
from speicher_training.arena.errors import ArenaError
from speicher_training.arena.panel import load_panel
from speicher_training.arena.plan import Plan, Players, PlayerSpec, make_plan
from speicher_training.arena.play import Task
from speicher_training.arena.records import Keep
from speicher_training.arena.results import Results, summary_of
from speicher_training.arena.seeds import first_seed
from speicher_training.arena.sequential import ALPHA, INDIFFERENCE, decisions, pairs_of
from speicher_training.arena.store import Store
from speicher_training.arena.tally import games_of, tally
from speicher_training.arena.timing import decision_times
from speicher_training.arena.workers import play_chunks

DEALS, MOST_DEALS = 100, 20_000
"""Deals played unless told, and the cap of `until_decided` unless told."""
TIMEOUT = 10.0
_UNITS = {"s": 1, "m": 60, "h": 3600}

Progress = Callable[[int, int | None], None]
"""Called with finished deals and how many there are to be (None where only time limits them)."""


@dataclass(frozen=True)
class _Extent:
    """How long to play."""

    deals: int
    seconds: float | None = None
    alpha: float | None = None
    """Set where the run may stop once everything is decided."""
    indifference: float = INDIFFERENCE


def arena(
    players: Players,
    num_players: int | None = None,
    *,
    deals: int | None = None,
    budget: int | str | None = None,
    deck: DeckArgument | None = None,
    seed: int | str | None = None,
    panel: str | None = None,
    until_decided: bool = False,
    alpha: float = ALPHA,
    indifference: float = INDIFFERENCE,
    mirrors: bool | None = None,
    alone: bool = False,
    jobs: int = 1,
    lanes: int | None = None,
    strict: bool = False,
    timeout: float = TIMEOUT,
    output: str | Path | None = None,
    records: str | Path | None = None,
    think: bool = False,
    plots: bool = True,
    isolated: bool = False,
    progress: Progress = lambda done, total: None,
    interrupted: Callable[[], bool] = lambda: False,
    replicates: int = REPLICATES,
) -> Results:
    """Let players play each other: all combinations of them, in all seatings of every deal.

    Args:
        players: Specs or player objects, or a mapping of names to them.
        num_players: Players in a game, 2..5; 2 unless a panel says otherwise.
        deals: How many deals; 100 unless told. With `until_decided` the most there may be, 20,000 unless told.
        budget: What to stop at: a number of games, or a time such as "90s", "10m" or "2h" from now on.
        deck: "standard", "sampled", a deck file or a Deck.
        seed: Seed of the first deal, or a named range: "evaluation" (unless told) or "development".
        panel: A standard panel, such as "2p": its opponents join the players, and it settles the protocol.
        until_decided: Whether to stop as soon as it is decided, for every pair, who is better or that they are equal.
        alpha: With `until_decided`, the chance that any decision is wrong.
        indifference: With `until_decided`, how far from one half a score counts as equal.
        mirrors: Whether each player also plays against itself, for the advantage of the seats; True unless told, or
            one sits alone.
        alone: Whether the first of two players sits alone, in every seat in turn, and the second in all others. With
            more than two seats that is another question than who wins among different players.
        jobs: Workers at a time; results do not depend on it.
        lanes: Games at a time in one worker; part of what a run is. 2048, or 64 where somebody is asked from Python.
        strict: Whether a player's failure stops the run; otherwise it forfeits that game.
        timeout: Seconds a player may take for a decision; a call with several may take as many times as long.
        output: Folder to keep the run in: finished deals as they come, and at the end the report. A run that is
            there goes on.
        records: Folder for the game records.
        think: Whether the records tell what players thought of their moves, as far as they can tell.
        plots: Whether the report in `output` has plots.
        isolated: Whether players asked from Python get a process of their own even with one job, so that they can be
            ended whatever they do. Needs specs.
        progress: Called with finished deals and how many there are to be.
        interrupted: Asked a few times a second; True ends the run and reports what is finished.
        replicates: Of the bootstrap.

    Raises:
        ArgumentError: For an argument that is wrong; nothing has been written then.
        ArenaError: For a folder of another run, or a failure that stops the run; finished deals are kept.
    """
    candidates: Sequence[str] = ()
    label = None
    if panel is not None:
        settled = {"num_players": num_players, "deals": deals, "budget": budget, "deck": deck, "seed": seed}
        settled |= {"mirrors": mirrors, "alone": alone or None, "until_decided": until_decided or None}
        for name, value in settled.items():
            if value is not None:
                raise ArgumentError(f"{name}: a panel settles it, must be left out with panel {panel}")
        standard = load_panel(panel)
        label, num_players, deals, deck = standard.label, standard.players, standard.deals, standard.deck
        seed, mirrors = standard.first_seed, standard.mirrors
        players, candidates = _with_panel(players, standard.opponents)
    count = 2 if num_players is None else num_players
    extent = _extent(deals, budget, until_decided, alpha, indifference)
    first = first_seed("evaluation" if seed is None else seed, extent.deals)
    plan, seated = make_plan(
        players, count, deck="standard" if deck is None else deck, first_seed=first,
        mirrors=not alone if mirrors is None else bool(mirrors), lanes=lanes, panel=label, candidates=candidates,
        alone=alone,
    )  # fmt: skip
    jobs, timeout = _check_jobs(jobs), _check_seconds("timeout", timeout)
    if isinstance(budget, int):
        extent = _Extent(max(1, budget // plan.schedule.games), None, extent.alpha, extent.indifference)
    store = Store(None if output is None else Path(output), plan)
    store.make_room(plan, extent.deals)
    keep = _keep(records, think)
    stop = _Stop(plan, store, extent, interrupted)
    wanted = None if extent.seconds is not None else extent.deals
    progress(min(store.deals, extent.deals), wanted)
    if not stop.decided():
        chunks = play_chunks(
            plan, seated, _tasks(plan, store, extent), jobs=jobs, isolated=isolated, strict=strict, timeout=timeout,
            keep=keep, interrupted=stop.now,
        )  # fmt: skip
        with closing(chunks):
            for chunk in chunks:
                store.add(chunk.line, chunk.asked)
                progress(min(store.deals, extent.deals), wanted)
                if stop.decided():
                    break
    complete = stop.complete()
    games = games_of(store.lines[: stop.chunks], plan.schedule).first(extent.deals)
    if not games.deals:
        raise ArenaError("the run was stopped before a deal was finished")
    times = decision_times(plan, seated, store.times)
    summary = summary_of(plan, analyse(plan, games, replicates=replicates), stop.told(games.deals), times, complete)
    results = Results(summary, plan, games, complete)
    if output is not None:
        results.save(output, plots)
    return results


class _Stop:
    """When a run ends."""

    def __init__(self, plan: Plan, store: Store, extent: _Extent, interrupted: Callable[[], bool]) -> None:
        self.plan, self.store, self.extent = plan, store, extent
        self.until = None if extent.seconds is None else time.monotonic() + extent.seconds
        self.interrupted = interrupted
        self.pairs = pairs_of(plan.names, plan.candidates)
        self.chunks: int | None = None
        """Chunks that count: those up to the one in which all was decided, None for all."""
        self._scores: list[np.ndarray] = []
        self._verdicts: list[Any] = []

    def now(self) -> bool:
        """Whether to stop at once."""
        return self.interrupted() or (self.until is not None and time.monotonic() > self.until)

    def decided(self) -> bool:
        """Whether every pair is decided, by the finished chunks in their order."""
        if self.extent.alpha is None:
            return False
        for line in self.store.lines[len(self._scores) :]:
            from_zero = [{**deal, "deal": place} for place, deal in enumerate(line["deals"])]
            self._scores.append(tally(games_of([{"deals": from_zero}], self.plan.schedule)).ahead)
        if not self._scores:
            return False
        scores = np.concatenate(self._scores)[: self.extent.deals]
        self._verdicts = decisions(scores, self.pairs, self.extent.alpha, self.extent.indifference)
        found = [one.deal for one in self._verdicts if one.deal is not None]
        if len(found) < len(self._verdicts):
            return False
        self.chunks = -(-max(found) // self.plan.deals_per_chunk)  # whatever was played beyond does not count
        return True

    def complete(self) -> bool:
        """Whether the run has come to the end it was meant to have."""
        return self.chunks is not None or self.until is not None or self.store.deals >= self.extent.deals

    def told(self, deals: int) -> dict[str, Any] | None:
        """What the sequential test found."""
        if self.extent.alpha is None:
            return None
        names = self.plan.names
        return {
            "alpha": self.extent.alpha,
            "indifference": self.extent.indifference,
            "deals": deals,
            "pairs": [
                {"first": names[one.first], "second": names[one.second], "verdict": one.verdict, "deal": one.deal}
                for one in self._verdicts
            ],
        }


def _tasks(plan: Plan, store: Store, extent: _Extent) -> Iterator[Task]:
    """The chunks that are still to be played."""
    size = plan.deals_per_chunk
    for chunk in range(len(store.lines), -(-extent.deals // size)):
        yield Task(chunk, min(size, extent.deals - chunk * size))


def _extent(
    deals: int | None, budget: int | str | None, until_decided: bool, alpha: float, indifference: float
) -> _Extent:
    if deals is not None and (not is_whole(deals) or deals < 1):
        raise ArgumentError(f"deals: found {shown(deals)}, must be a whole number, 1 or more")
    if deals is not None and budget is not None:
        raise ArgumentError("budget: deals are given too, must be one or the other")
    if not 0 < alpha < 1:
        raise ArgumentError(f"alpha: found {alpha}, must lie between 0 and 1")
    if not 0 < indifference < 0.5:
        raise ArgumentError(f"indifference: found {indifference}, must lie between 0 and 0.5")
    seconds = None
    if isinstance(budget, str):
        match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", budget.strip())
        if match is None or not float(match[1]):
            raise ArgumentError(
                f"budget: found {shown(budget)}, must be a number of games or a time such as 90s, 10m or 2h"
            )
        seconds = float(match[1]) * _UNITS[match[2]]
    elif budget is not None and (not is_whole(budget) or budget < 1):
        raise ArgumentError(f"budget: found {shown(budget)}, must be a number of games or a time such as 90s")
    most = deals or (1_000_000 if seconds is not None else MOST_DEALS if until_decided else DEALS)
    return _Extent(int(most), seconds, alpha if until_decided else None, indifference)


def _with_panel(players: Players, opponents: Sequence[str]) -> tuple[Players, list[str]]:
    """The players with a panel's opponents behind them; who is one of these already is no candidate."""
    if isinstance(players, dict):
        named: dict[str, PlayerSpec] = dict(players)
    else:
        listed = list(players)
        named = {_name(spec): spec for spec in listed}
        if len(named) < len(listed):
            raise ArgumentError("players: one is listed twice, must be different players where there is a panel")
    candidates = [name for name in named if name not in opponents]
    return {**{name: named[name] for name in candidates}, **{spec: spec for spec in opponents}}, candidates


def _name(spec: PlayerSpec) -> str:
    return spec.strip() if isinstance(spec, str) else str(getattr(spec, "name", "") or type(spec).__name__)


def _keep(records: str | Path | None, think: bool) -> Keep | None:
    if records is None:
        if think:
            raise ArgumentError("think: what players thought goes into the records, for which no folder is named")
        return None
    folder = Path(records)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArenaError(f"{folder}: no records can be kept there ({error.strerror}), must be a folder") from None
    return Keep(folder, think)


def _check_jobs(jobs: object) -> int:
    if not is_whole(jobs) or jobs < 1:
        raise ArgumentError(f"jobs: found {shown(jobs)}, must be a whole number, 1 or more")
    return int(jobs)


def _check_seconds(name: str, seconds: object) -> float:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < float("inf"):
        raise ArgumentError(f"{name}: found {shown(seconds)}, must be a number of seconds above 0")
    return float(seconds)
