"""The one error of this package."""

from __future__ import annotations


class DeckError(ValueError):
    """A deck that the rules do not allow, or that cannot be read; the message is one sentence.

    It says where the fault is (file, card, field), what was found there and what would be right.
    """
