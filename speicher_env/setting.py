"""Fields of dataclasses that hold settings: each with its default, its meaning, its range and the words for the range.

Recipes and the files of players are read by such fields, and their messages and pages follow from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, fields
from typing import Any

from speicher_env.arguments import is_whole
from speicher_env.messages import listed

__all__ = ["NEEDED", "Check", "Setting", "choice", "is_text", "number", "setting", "settings_of", "switch", "whole"]

Check = Callable[[Any], bool]
NEEDED = ...
"""The default of a setting that has none: it must be given."""


@dataclass(frozen=True)
class Setting:
    """The default, the range and the meaning of one setting."""

    default: Any
    """`NEEDED` if it must be given."""
    meaning: str
    """One line, the comment in a recipe."""
    allowed: str
    """The values that are allowed, as the end of the sentence "must be ..."."""
    check: Check

    def convert(self, value: Any) -> Any:
        """A value that was checked, in the type of the default: a whole number is allowed where a number is."""
        return float(value) if isinstance(self.default, float) else value


def settings_of(kind: type) -> dict[str, Setting]:
    """The settings of a dataclass by name."""
    return {each.name: each.metadata["setting"] for each in fields(kind)}


def setting(default: Any, meaning: str, allowed: str, check: Check) -> Any:
    """The field of a setting with a check of its own."""
    about = {"setting": Setting(default, meaning, allowed, check)}
    return field(metadata=about) if default is NEEDED else field(default_factory=lambda: copy(default), metadata=about)


def whole(default: int, least: int, most: int, meaning: str) -> Any:
    """The field of a whole number."""
    allowed = f"a whole number {least}..{most:,}"
    return setting(default, meaning, allowed, lambda value: is_whole(value) and least <= int(value) <= most)


def number(default: float, least: float, most: float, meaning: str) -> Any:
    """The field of a number."""

    def fits(value: Any) -> bool:
        return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most

    return setting(default, meaning, f"a number {least:g}..{most:,.0f}", fits)


def switch(default: bool, meaning: str) -> Any:
    """The field of a truth value."""
    return setting(default, meaning, "true or false", lambda value: isinstance(value, bool))


def choice(default: str, options: Sequence[str], meaning: str) -> Any:
    """The field of one of several texts."""
    return setting(default, meaning, listed(options, "or"), lambda value: value in options)


def is_text(value: Any) -> bool:
    """Whether a value is a text that says something, in one line."""
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()
