"""What the pages of results are made of: tables, where the numbers were measured, what speaks against them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.results import ROOT

DOCS = ROOT / "docs"
MADE = "<!-- Made by `python -m benchmarks.{}` from benchmarks/results. Changes belong there. -->"

Result = dict[str, Any]
Rows = Sequence[Sequence[object]]


def page(*parts: str, by: str = "page") -> str:
    """A page of the documentation, made by a module of this folder: its parts with an empty line between them."""
    title, *rest = parts
    return "\n\n".join([title, MADE.format(by), *(part for part in rest if part)]) + "\n"


def table(header: Sequence[str], rows: Rows, left: int = 1) -> str:
    """A table in Markdown, its first columns aligned left, the others right."""
    rule = ["---" if number < left else "--:" for number in range(len(header))]
    lines = [header, rule, *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def measured_on(result: Result) -> str:
    """Where, when and with which versions."""
    machine = result["machine"]
    found = ", ".join(f"{name} {text}" for name, text in result["versions"].items())
    memory = f", {machine['memory_gib']:.0f} GiB" if machine["memory_gib"] else ""
    return (
        f"Measured on {result['date']} by `{result['command']}` on {machine['processor']}, "
        f"{machine['usable_cores']} cores{memory}, {machine['system']}; {found}."
    )


def counts_of(result: Result) -> list[str]:
    """The numbers of players that a result has."""
    return sorted(result, key=int)


def warnings(sentences: Sequence[str]) -> str:
    """What speaks against the numbers, for everybody to see."""
    return "\n\n".join(f'!!! warning "Not a quiet machine"\n    {sentence}' for sentence in sentences)
