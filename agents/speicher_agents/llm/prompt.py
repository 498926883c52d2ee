"""What a language model is asked: a position in words, the legal actions with their numbers, and how to answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from speicher_agents.llm.rules import rules_in_short
from speicher_agents.move_parser import numbered
from speicher_env.observation import describe
from speicher_env.render.text import text
from speicher_env.render.words import move_in_words, seat_name
from speicher_env.rules.actions import ACTION_TEXTS
from speicher_env.rules.state import PHASES

__all__ = ["ANSWER", "Choice", "Question", "as_text", "choices", "choices_in_words"]

Message = dict[str, str]
"""A message of a chat: its `role` and its `content`."""

ANSWER = "Action:"
"""The beginning of the line that holds the answer."""
HOW_TO_ANSWER = (
    f'End your answer with a line "{ANSWER} N", where N is the number of the legal action that you choose. '
    "Nothing may follow that line."
)


@dataclass(frozen=True)
class Choice:
    """A legal action."""

    number: int
    """Its number in the list: the column in demand, else from 1."""
    action: str
    """Its text, such as "place 2"."""
    effect: str
    """What it does now, in words."""


def choices(state: np.void) -> list[Choice]:
    """The legal actions of the seat to move, in action order, with their numbers and effects."""
    you = f"{seat_name(int(state['player']))} "
    return [
        Choice(number, ACTION_TEXTS[action], move_in_words(state, action).removeprefix(you))
        for action, number in numbered(state).items()
    ]


def choices_in_words(state: np.void) -> str:
    """The legal actions, one a line."""
    return "\n".join(f"{choice.number:4}. {choice.action} - {choice.effect}" for choice in choices(state))


class Question:
    """One decision as a model is asked for it."""

    def __init__(self, state: np.void, observation: np.ndarray, *, rules: bool = True, instructions: str = "") -> None:
        """Word the decision of the seat to move.

        Args:
            state: The game as this seat sees it, a row of `Views.states`.
            observation: Its row of `Views.observations`.
            rules: Whether the system's message explains the rules.
            instructions: More text for the system's message.
        """
        self.state, self.observation = state, observation
        self.seat = int(state["player"])
        parts = [
            "You are a player of the board game Die Speicherstadt, and you play to win.",
            rules_in_short() if rules else "",
            instructions.strip(),
            HOW_TO_ANSWER,
        ]
        self.system = "\n\n".join(part for part in parts if part)
        self.prompt = (
            f"You are {seat_name(self.seat)} of {int(state['players'])} players.\n\n{text(state, self.seat)}\n\n"
            f"Your legal actions:\n{choices_in_words(state)}\n\n{HOW_TO_ANSWER}"
        )
        self.messages: list[Message] = [
            {"role": "system", "content": self.system},
            {"role": "user", "content": self.prompt},
        ]
        """The whole chat: the question, and after a wrong answer that answer and what was wrong with it."""

    @cached_property
    def choices(self) -> list[Choice]:
        """The legal actions."""
        return choices(self.state)

    def object_to(self, answer: str, problem: str) -> None:
        """Add a wrong answer to the chat, and what was wrong with it."""
        self.messages += [
            {"role": "assistant", "content": answer},
            {"role": "user", "content": f"{problem} {HOW_TO_ANSWER}"},
        ]

    def as_json(self) -> dict[str, Any]:
        """The question as plain values, for programs."""
        return {
            "seat": self.seat,
            "players": int(self.state["players"]),
            "phase": PHASES[self.state["phase"]],
            "legal": [vars(choice) for choice in self.choices],
            "position": describe(self.observation),
            "messages": self.messages,
        }


def as_text(messages: Sequence[Message]) -> str:
    """A chat as one text, for programs that take a prompt."""
    return "\n\n".join(message["content"] for message in messages)
