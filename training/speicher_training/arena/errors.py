"""What stops an arena."""

from __future__ import annotations

__all__ = ["ArenaError"]


class ArenaError(RuntimeError):
    """A run that cannot begin, continue or be read; the message is one sentence."""
