"""What a form of input is, and what every form is checked for."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from filelock import FileLock

from speicher_env import ArgumentError, DeckError, Game, IllegalAction, RecordError, StateError, UnknownAction
from speicher_env.errors import FileError
from speicher_training.arena import ArenaError

Parts = dict[str, Any]
"""An input: values of JSON, and bytes, by name."""

REFUSED, ACCEPTED, UNCHANGED = "sentence", "accepted", "unchanged"
"""Outcomes without a fault; UNCHANGED where the damage made no difference."""
WRONG, TRACEBACK, CRASH, HANG = "wrong acceptance", "traceback", "crash", "hang"
FAULTS = (WRONG, TRACEBACK, CRASH, HANG)
OUTCOMES = (REFUSED, ACCEPTED, UNCHANGED, *FAULTS)

KNOWN = (ArenaError, ArgumentError, DeckError, FileError, IllegalAction, RecordError, StateError, UnknownAction)
"""Errors whose message is the sentence for the user."""
LONGEST_SENTENCE = 1500


class Wrong(AssertionError):
    """A wrong acceptance: what was accepted does not hold what it promises."""


class Unclear(AssertionError):
    """A refusal that is not one clear sentence."""


class Form(NamedTuple):
    """A form of input.

    `prepare` makes what the cases of a worker share, in a folder of the worker and one of all workers; `make` draws the
    input of a case; `read` hands it to the code under test, with an empty folder as the current one, and gives the
    outcome. A sentence that is raised as one of `KNOWN` counts as REFUSED.
    """

    name: str
    prepare: Callable[[Path, Path], Any]
    make: Callable[[random.Random, Any], Parts]
    read: Callable[[Parts, Any, Path], str]
    seconds: float = 5.0
    """Of processor time that a case may take."""


def check_sentence(message: str) -> None:
    """Raise `Unclear` unless a message is one line that can be printed."""
    if not message.strip() or "\n" in message.strip() or len(message) > LONGEST_SENTENCE:
        raise Unclear(f"not one sentence: {message[:2000]!r}")
    if "Traceback" in message:
        raise Unclear(f"speaks of a traceback: {message[:2000]!r}")


def expect(right: bool, what: str) -> None:
    """Raise `Wrong` unless it is right."""
    if not right:
        raise Wrong(what)


def play_to_the_end(game: Game, seed: int) -> None:
    """Play random legal actions to the end, and look at the result."""
    from tests.support.fuzz_states import LONGEST_GAME
    from tests.support.fuzz_states import play_to_the_end as play

    twin = game.copy()
    play(twin.states_view, seed, LONGEST_GAME)
    expect(twin.over, "an accepted game does not come to its end")
    expect(len(twin.points()) == len(twin.ranks()) == twin.num_players, "an accepted game has no result")


def legal(actions: np.ndarray, masks: np.ndarray) -> bool:
    """Whether every action is legal."""
    return bool(np.take_along_axis(masks, np.asarray(actions)[:, None], axis=1).all())


def made_once(folder: Path, make: Callable[[Path], object]) -> Path:
    """A folder that one of several processes makes."""
    with FileLock(folder.with_suffix(".lock")):
        if not folder.exists():
            half = folder.with_suffix(".half")
            make(half)
            half.rename(folder)
    return folder


def content_of(folder: Path) -> dict[str, bytes | None]:
    """Everything in a folder by its path, files with their content; the lock is left out."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if path.name != ".lock"
    }
