"""A person at a terminal for tests: what they type, and what they are shown."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from itertools import cycle

import numpy as np

from speicher_agents import views_of
from speicher_agents.human import Human
from speicher_env import ACTION_TEXTS, Game


class Typist(io.TextIOBase):
    """Standard input typed line by line; raises what it is given in place of a line, ends when nothing is left."""

    def __init__(self, lines: Iterable[str | BaseException], before: Callable[[], None] = lambda: None) -> None:
        self._lines: Iterator[str | BaseException] = iter(lines)
        self._before = before

    def readline(self, size: int | None = -1) -> str:  # type: ignore[override]
        self._before()
        line = next(self._lines, "")
        if isinstance(line, BaseException):
            raise line
        return f"{line}\n" if line else ""


def endless() -> Iterator[str]:
    """Numbers over and over; each decision accepts one of them, and the rest is answered with a sentence."""
    return cycle(["0", "1", "2", "1"])


def ask(states: np.ndarray | Game, *lines: str | BaseException, **options: bool) -> tuple[str, list[str]]:
    """What a person chooses who types these lines, and the lines shown from the first answer on."""
    action, _, after = look(states, *lines, **options)
    return action, after.splitlines()


def look(states: np.ndarray | Game, *lines: str | BaseException, **options: bool) -> tuple[str, str, str]:
    """What a person chooses who types these lines, what is shown up to the first prompt, and what after it."""
    game = states if isinstance(states, Game) else Game.from_state(states[0])
    shown = io.StringIO()
    prompts: list[int] = []
    person = Human(stdin=Typist(lines, lambda: prompts.append(shown.tell())), stdout=shown)
    action = person.ask(views_of(game), **options)
    return ACTION_TEXTS[action], shown.getvalue()[: prompts[0]], shown.getvalue()[prompts[0] :]
