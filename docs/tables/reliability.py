"""Tables of the page on reliability: what the long tests have counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from benchmarks.results import read
from docs.tables.markdown import Result, measured_on, paragraphs, table

STATES = {
    "states": "states", "refused in a sentence": "refused", "accepted and played to the end": "played_to_the_end",
    "faults": "faults",
}  # fmt: skip
INPUTS = {
    "cases": "cases", "refused in a sentence": "sentence", "accepted and sound": "accepted",
    "without effect": "unchanged", "wrong acceptances": "wrong acceptance", "tracebacks": "traceback",
    "crashes": "crash", "hangs": "hang",
}  # fmt: skip
KILLS = {
    "`kill -9`": "SIGKILL", "Ctrl-C": "SIGINT", "results compared": "runs", "refused in a sentence": "refused",
    "faults": "faults",
}  # fmt: skip
"""Headings of the columns, and the keys of their counts."""


def states() -> str:
    """Counts of damaged states."""
    result = read("fuzz_states")
    return paragraphs(table([*STATES], [_row(result, STATES)], "rrrr"), _provenance(result))


def inputs() -> str:
    """Counts of damaged inputs, by form."""
    result = read("fuzz_inputs")
    forms = result["forms"]
    total: Counter[str] = sum(map(Counter, forms.values()), Counter())
    rows = [(name, *_row(counts, INPUTS)) for name, counts in {**forms, "**all**": total}.items()]
    return paragraphs(table(("form", *INPUTS), rows), _provenance(result))


def kills() -> str:
    """Counts of kills, full disks and second processes, by command."""
    result = read("kill_test")
    rows = [(name, *_row(counts, KILLS)) for name, counts in result["jobs"].items()]
    return paragraphs(table(("command", *KILLS), rows), _provenance(result))


def _row(counts: Mapping[str, Any], columns: Mapping[str, str]) -> list[str]:
    return [f"{counts.get(key, 0):,}" for key in columns.values()]


def _provenance(result: Result) -> str:
    """The command, the machine and the commit."""
    changed = ", with changes" if result["changed"] else ""
    return f"{measured_on(result)} Commit `{result['commit'][:10]}`{changed}."


TABLES = {"reliability states": states, "reliability inputs": inputs, "reliability kills": kills}
