"""Tables of the page on reviews."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.results import read
from docs.tables.markdown import code, measured_on, paragraphs, table
from speicher_agents.review import GRADES, schema
from speicher_agents.review.grades import SIGNS


def grades() -> str:
    """The classes of mistakes."""
    rows = [(name, code(SIGNS[name]), f"{100 * least:.0f} %") for name, least in reversed(list(GRADES.items()))]
    return table(("class", "sign", "gives away at least"), rows, "llr")


def fields() -> str:
    """Every field of the JSON, from its schema."""
    whole = schema()
    parts = [_fields(whole)]
    for name in ("seat", "turning_point", "decision", "reveal"):
        part = whole["$defs"][name]
        parts += [f"Each entry of `{_LISTS[name]}`. {part['description']}", _fields(part)]
    return paragraphs(*parts)


def speed() -> str:
    """How long reviews take, and how sure their luck is."""
    result = read("review")
    rows = [
        (
            row["players"],
            f"{row['decisions']:.0f}",
            f"{row['positions']:.0f}",
            f"{row['seconds']:.1f}",
            f"{100 * row['luck_error']:.0f}",
        )
        for row in result["rows"]
    ]
    header = ("players", "decisions", "positions judged", "seconds", "error of the luck, %")
    return paragraphs(table(header, rows, "r" * len(header)), measured_on(result))


_LISTS = {"seat": "seats", "turning_point": "turning_points", "decision": "decisions", "reveal": "reveals"}


def _fields(part: dict[str, Any]) -> str:
    return table(("field", "type", "meaning"), _rows(part), "lll")


def _rows(part: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for name, field in part["properties"].items():
        yield code(name), _type(field), field["description"]


def _type(field: dict[str, Any]) -> str:
    if "$ref" in field:
        return {"shares": "a share for each seat", "changes": "a change for each seat"}[field["$ref"].split("/")[-1]]
    if "const" in field:
        return code(field["const"])
    if "enum" in field:
        return " or ".join("null" if value is None else code(value) for value in field["enum"])
    kinds = field["type"] if isinstance(field["type"], list) else [field["type"]]
    names = {"integer": "whole number", "string": "text", "array": "list", "object": "table"}
    return " or ".join(names.get(kind, kind) for kind in kinds)


TABLES = {"review grades": grades, "review schema": fields, "review speed": speed}
