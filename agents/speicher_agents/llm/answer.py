"""Reading an answer: the number or the text of a legal action, in whatever a model wrote around it."""

from __future__ import annotations

import re

import numpy as np

from speicher_agents.llm.prompt import ANSWER
from speicher_agents.move_parser import numbered
from speicher_env.messages import shown
from speicher_env.render.why import why_illegal
from speicher_env.rules.actions import ACTION_TEXTS, UnknownAction, parse_action

__all__ = ["BadAnswer", "read_answer"]

LONGEST = 100_000
"""Characters of an answer that are read, from its end."""
_MARKED = re.compile(rf"{ANSWER[:-1]}\W*:\W*(.+)", re.IGNORECASE)
_NUMBERED = re.compile(r"(\d{1,3})\s*[.):\-]\s*(\S.*)")


class BadAnswer(ValueError):
    """No legal action can be read from an answer.

    Attributes:
        illegal: Whether an action was read, and it is not legal; else nothing could be read.
    """

    def __init__(self, problem: str, *, illegal: bool) -> None:
        self.illegal = illegal
        super().__init__(problem)


def read_answer(answer: str, state: np.void) -> int:
    """The id of the legal action that an answer names.

    The last line that begins with "Action:" counts; without one, the last line that is not empty. It must hold the
    number of a legal action or its text, and nothing else but punctuation.

    Args:
        answer: What the model wrote.
        state: The game, a record of dtype `STATE`.

    Raises:
        BadAnswer: If the answer names no legal action; the message says what is wrong, and the model is shown it.
    """
    lines = [line.strip() for line in answer[-LONGEST:].splitlines() if line.strip(" \t*_`#>")]
    marked = [match[1] for line in lines if (match := _MARKED.search(line))]
    if not lines:
        raise BadAnswer("The answer is empty.", illegal=False)
    chosen = (marked or lines)[-1].strip(" \t*_`\"'#>().,:;!").lower()
    parts = _NUMBERED.fullmatch(chosen)
    if parts and " ".join(parts[2].split()) in ACTION_TEXTS:  # "2. buy": the text must be the action of that number
        by_number, by_text = _by_number(int(parts[1]), state), _by_text(parts[2], state)
        if by_number != by_text:
            raise BadAnswer(f"{shown(chosen)} names one action by its number and another by its text.", illegal=False)
        return by_text
    if chosen.isascii() and chosen.isdigit() and len(chosen) <= 9:
        return _by_number(int(chosen), state)
    return _by_text(chosen, state)


def _by_number(number: int, state: np.void) -> int:
    for action, its_number in numbered(state).items():
        if its_number == number:
            return action
    raise BadAnswer(f"No legal action has the number {number}.", illegal=True)


def _by_text(words: str, state: np.void) -> int:
    try:
        action = parse_action(words)
    except UnknownAction:
        raise BadAnswer(f"{shown(words)} is not the number or the text of a legal action.", illegal=False) from None
    if action not in numbered(state):
        raise BadAnswer(f"{ACTION_TEXTS[action]!r} is illegal: {why_illegal(state, action)}.", illegal=True)
    return action
