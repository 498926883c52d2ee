"""The one error of this package."""

from __future__ import annotations

__all__ = ["DeckError"]


class DeckError(ValueError):
    """A deck that the rules do not allow, or that cannot be read.

    The message is one sentence: the place of the fault (file, card, field), the value, and what is allowed.
    """
