"""The table of the state record's fields, with the meanings that the source states beside them."""

from __future__ import annotations

import inspect
import re

from docs.tables.markdown import code, table
from speicher_env.rules import state
from speicher_env.rules.state import STATE

_COMMENT = re.compile(r"#\s*(.*)")


def meanings() -> dict[str, str]:
    """The comment of each field of STATE in the source."""
    source = inspect.getsource(state)
    _, _, definition = source.partition("STATE = np.dtype(")
    definition, _, _ = definition.partition("N_STATE_BYTES")
    starts = [(definition.index(f'"{name}"'), name) for name in STATE.names or ()]
    ends = [start for start, _ in starts[1:]] + [len(definition)]
    comments = {}
    for (start, name), end in zip(starts, ends, strict=True):
        line = _COMMENT.search(definition, start, end)
        comments[name] = line[1].strip() if line else ""
    return comments


def fields() -> str:
    """Name, type, shape, place and meaning of each field."""
    comments = meanings()
    rows = []
    for name, (dtype, offset, *_) in (STATE.fields or {}).items():
        shape = " × ".join(map(str, dtype.shape)) or "–"
        rows.append((code(name), dtype.base.name, shape, offset, comments[name]))
    return table(("field", "type", "shape", "byte", "meaning"), rows, "lllrl")


TABLES = {"state fields": fields}
