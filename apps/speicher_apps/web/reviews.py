"""Reviews of finished games on the page: made one after the other in a thread, with progress, and kept in memory."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from speicher_apps.web.game_session import GameSession
from speicher_apps.web.view import line_with_states
from speicher_env import ArgumentError, RecordError, replay

if TYPE_CHECKING:
    from speicher_agents.review import Judge

__all__ = ["MAX_REVIEWS", "GameReviews", "NoReview"]

MAX_REVIEWS = 8
"""Reviews in memory; an older one that is ready makes room."""


class NoReview(Exception):
    """There is no review of this game that could be shown."""


class _Stopped(Exception):
    """The review is no longer wanted."""


@dataclass
class _Job:
    """The review of one game, running or ready."""

    record: Mapping[str, Any]
    stopped: threading.Event = field(default_factory=threading.Event)
    done: int = 0
    """Positions judged."""
    total: int = 0
    """Positions known to be needed; 0 until the review begins."""
    result: Mapping[str, Any] | None = None
    """The review as plain values, and the better lines with their states by the number of the move."""
    error: str = ""

    @property
    def runs(self) -> bool:
        """Whether it runs or waits for another one."""
        return self.result is None and not self.error

    def note(self, done: int, total: int) -> None:
        """Note the progress.

        Raises:
            _Stopped: If the review is no longer wanted.
        """
        self.done, self.total = done, total
        if self.stopped.is_set():
            raise _Stopped


class GameReviews:
    """The reviews by the names of their games. The judge thinks in compiled code, which leaves other threads to run."""

    def __init__(self, judge: Callable[[], Judge] | None = None) -> None:
        """Start with no review; `judge` makes the judge, by default that of `speicher review`."""
        self._judge = judge
        self._lock = threading.Lock()
        self._turn = threading.Lock()
        self._jobs: dict[str, _Job] = {}

    def start(self, session: GameSession) -> None:
        """Begin the review of a finished game, unless it runs or is ready.

        Raises:
            ArgumentError: If the game is not over, or too many reviews wait.
        """
        if not session.game.over:
            raise ArgumentError("the game is not over: only a finished game can be reviewed here")
        with self._lock:
            job = self._jobs.get(session.id)
            if job is not None and not job.error and _is_of(job, session):
                return
            self._drop(session.id)
            self._make_room()
            job = self._jobs[session.id] = _Job(session.record())
        # A thread that ends with the program: nothing is lost but the review.
        name = f"review {session.id}"
        threading.Thread(target=self._run, args=(session.id, job), name=name, daemon=True).start()

    def progress(self, session: GameSession) -> dict[str, Any]:
        """How far the review of a game is: `state` is none, running, ready or failed."""
        with self._lock:
            job = self._jobs.get(session.id)
            if job is None or not _is_of(job, session):
                return {"state": "none"}
            if job.error:
                return {"state": "failed", "error": job.error}
            return {"state": "running" if job.runs else "ready", "done": job.done, "total": job.total}

    def stop(self, id: str) -> None:
        """Forget the review of a game; a running one ends with the positions that it is at."""
        with self._lock:
            self._drop(id)

    def result(self, session: GameSession) -> Mapping[str, Any]:
        """The review of a game as plain values: `review`, and `lines` with the states of the better ones.

        Raises:
            NoReview: If the game has no review, or it is not ready.
        """
        with self._lock:
            job = self._jobs.get(session.id)
            if job is None or job.result is None or not _is_of(job, session):
                raise NoReview
            return job.result

    def _drop(self, id: str) -> None:
        job = self._jobs.pop(id, None)
        if job is not None:
            job.stopped.set()

    def _make_room(self) -> None:
        if len(self._jobs) < MAX_REVIEWS:
            return
        ready = next((id for id, job in self._jobs.items() if not job.runs), None)
        if ready is None:
            raise ArgumentError(f"{MAX_REVIEWS} games are being reviewed: wait for one, or stop it")
        self._drop(ready)

    def _run(self, id: str, job: _Job) -> None:
        with self._turn:
            try:
                job.note(0, 0)
                job.result = self._reviewed(job)
            except _Stopped:
                pass
            except (ArgumentError, RecordError) as error:
                job.error = str(error)
            except Exception:
                traceback.print_exc()
                job.error = "the review failed; the reason is in the terminal of the server"

    def _reviewed(self, job: _Job) -> dict[str, Any]:
        from speicher_agents.review import Judge, as_json, review_game  # loaded here, so that the page opens without it

        review = as_json(review_game(job.record, (self._judge or Judge)(), progress=job.note))
        games = [game.copy() for game, _ in replay(job.record)]
        better = [decision for decision in review["decisions"] if decision["line"]]
        lines = {one["move"]: line_with_states(games[one["move"] - 1], one["line"]) for one in better}
        return {"review": review, "lines": lines}


def _is_of(job: _Job, session: GameSession) -> bool:
    """Whether a review is of the moves that the game has now: they change when a move is undone."""
    return [move["action"] for move in job.record["moves"]] == [move.action for move in session.log]
