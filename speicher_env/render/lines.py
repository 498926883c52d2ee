"""Lines of text pictures: rules with headings, wrapped words, and tables of numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

__all__ = ["Headings", "rule", "table_head", "table_row", "unbroken", "wrapped"]

Headings = Sequence[tuple[str, int]]
"""Headings over the cells of a table, and the width of each cell."""
_UNBROKEN = "\N{NO-BREAK SPACE}"
"""Where a line must not end; shown as a plain space."""


def rule(heading: str, width: int, line: str = "─") -> str:
    """A line across the picture with a heading in it."""
    return f"{line * 2} {heading} ".ljust(width, line)


def wrapped(label: str, indent: int, words: str, width: int) -> list[str]:
    """Text with a label in front, its lines starting below each other at `indent`; see `unbroken`."""
    lines = textwrap.wrap(
        words,
        width,
        initial_indent=label.ljust(indent),
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_UNBROKEN, " ") for line in lines]


def unbroken(things: Iterable[str], between: str) -> str:
    """Things in a row, which `wrapped` breaks only between them."""
    return between.join(thing.replace(" ", _UNBROKEN) for thing in things)


def table_head(title: str, label_width: int, headings: Headings, width: int) -> str:
    """A rule with headings of right-aligned cells in it, for rows of `table_row`."""
    cells = "".join(f" {heading} ".rjust(cell, "─") for heading, cell in headings)
    return (f"── {title} ".ljust(label_width, "─") + cells).ljust(width, "─")


def table_row(label: str, label_width: int, values: Iterable[object], headings: Headings) -> str:
    """A label and right-aligned cells."""
    cells = "".join(f"{value} ".rjust(cell) for value, (_, cell) in zip(values, headings, strict=True))
    return label.ljust(label_width) + cells
