"""What environments return, in a form that ``==`` compares."""

from __future__ import annotations

from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Arrays as their type and values, within dicts, lists and tuples."""
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return [plain(part) for part in value]
        return str(value.dtype), value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value
