"""What a player has used: decisions, requests, tokens and dollars of a language model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

__all__ = ["Counter", "usage_in_words"]


class Counter:
    """Counts that several threads add to."""

    def __init__(self) -> None:
        self._counts: dict[str, float] = {}
        self._lock = threading.Lock()

    def add(self, **amounts: float) -> None:
        """Add to some counts."""
        with self._lock:
            for key, amount in amounts.items():
                if amount:
                    self._counts[key] = self._counts.get(key, 0) + amount

    def counts(self) -> dict[str, float]:
        """All counts that are not 0."""
        with self._lock:
            return {key: self._counts[key] for key in _NAMES if key in self._counts}

    def __getstate__(self) -> dict[str, float]:
        return self.counts()

    def __setstate__(self, counts: dict[str, float]) -> None:
        self.__init__()  # type: ignore[misc]
        self._counts = dict(counts)


def usage_in_words(usage: Mapping[str, float]) -> str:
    """Counts in one line; those that are 0 are left out, and unknown ones come last, under their names.

    >>> usage_in_words({"decisions": 12, "requests": 13, "input_tokens": 9000, "output_tokens": 60, "illegal": 1})
    '12 decisions, 13 requests, 9,000 tokens in, 60 tokens out, 1 illegal answer'
    """
    words = [_NAMES[key](usage[key]) for key in _NAMES if usage.get(key)]
    return ", ".join(words + [f"{amount:,.6g} {key}" for key, amount in usage.items() if amount and key not in _NAMES])


def _counted(noun: str, after: str = "") -> Callable[[float], str]:
    return lambda count: f"{count:,.0f} {noun}{'s' * (count != 1)}{after}"


_NAMES: Mapping[str, Callable[[float], str]] = {
    "decisions": _counted("decision"),
    "requests": _counted("request"),
    "input_tokens": _counted("token", " in"),
    "output_tokens": _counted("token", " out"),
    "cost": lambda dollars: f"${dollars:.4f}",
    "failed": _counted("failed request"),
    "unreadable": _counted("unreadable answer"),
    "illegal": _counted("illegal answer"),
    "fallbacks": _counted("decision", " without a usable answer"),
}
"""What is counted, in the order in which it is shown."""
