"""What whoever answers for a language model gives back, and how it fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from speicher_agents.llm.prompt import Question

__all__ = ["MOST_BYTES", "Model", "ModelFailure", "Reply"]

MOST_BYTES = 1 << 20
"""Bytes of an answer that are accepted, its thoughts included."""


@dataclass(frozen=True)
class Reply:
    """An answer."""

    text: str
    """What the model wrote; the action is read from it."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    """Dollars, if whoever answers knows them."""


Model = Callable[[Question], Reply | str]
"""Whoever answers: a function from a question to the text of an answer, or to a `Reply`."""


class ModelFailure(Exception):
    """There is no answer this time; another attempt may help. The message is a clause such as "it is busy"."""

    def __init__(self, problem: str, wait: float | None = None) -> None:
        self.wait = wait
        """Seconds after which to try again, if whoever answers has said so."""
        super().__init__(problem)
