"""Pieces of Markdown that the tables of the documentation are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from speicher_env.render.words import counted
from speicher_env.rules.state import MAX_PLAYERS, MIN_PLAYERS

DOCS = Path(__file__).parents[1]
PLAYER_COUNTS = range(MIN_PLAYERS, MAX_PLAYERS + 1)

Result = dict[str, Any]
"""A file of benchmarks/results."""


def table(header: Sequence[str], rows: Iterable[Sequence[object]], align: str = "") -> str:
    """A table; `align` has a letter for each column, l or r. Default: the first column left, the others right."""
    letters = align or "l" + "r" * (len(header) - 1)
    rule = ["--:" if letter == "r" else "---" for letter in letters]
    lines = [header, rule, *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def code(text: object) -> str:
    """Set as code."""
    return f"`{text}`"


def paragraphs(*parts: str) -> str:
    """Parts with an empty line between them; empty parts are left out."""
    return "\n\n".join(part for part in parts if part)


def bullets(sentences: Iterable[str]) -> str:
    """A list."""
    return "\n".join(f"- {sentence}" for sentence in sentences)


def shell(*lines: str) -> str:
    """A block of shell commands."""
    return "```bash\n" + "\n".join(lines) + "\n```"


def warning(title: str, sentences: Iterable[str]) -> str:
    """An admonition for each sentence."""
    return "\n\n".join(f'!!! warning "{title}"\n    {sentence}' for sentence in sentences)


def not_quiet(sentences: Iterable[str]) -> str:
    """Warnings that the machine was not idle during a measurement."""
    return warning("Not a quiet machine", sentences)


def ranged(numbers: Mapping[str, float], digits: int, scale: float = 1, sign: str = "") -> str:
    """A number with its interval."""
    estimate, low, high = (f"{scale * numbers[key] + 0.0:{sign}.{digits}f}" for key in ("estimate", "low", "high"))
    return f"{estimate} [{low}, {high}]"


def measured_on(result: Result) -> str:
    """Where, when and with which versions a result was measured."""
    machine = result["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    memory = f", {machine['memory_gib']:.0f} GiB" if machine["memory_gib"] else ""
    return (
        f"Measured on {result['date']} by `{result['command']}` on {machine['processor']}, "
        f"{counted(machine['usable_cores'], 'core')}{memory}, {machine['system']}; {versions}."
    )


def counts_of(result: Mapping[str, Any]) -> list[str]:
    """The numbers of players that a result has, ascending."""
    return sorted(result, key=int)
