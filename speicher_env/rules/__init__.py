"""The rulebook: a file for each part, with plain functions on one game record (see `state`)."""

__all__ = [
    "actions",
    "cards",
    "chance",
    "demand",
    "fire",
    "hidden",
    "income",
    "legal",
    "loading",
    "purchase",
    "scoring",
    "setup",
    "state",
    "status",
    "stream",
    "supply",
    "turn",
]
