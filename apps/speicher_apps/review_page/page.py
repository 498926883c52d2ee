"""The page of a reviewed game put together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from speicher_agents.review import Review
from speicher_apps.replay_page.document import document, file_of
from speicher_apps.review_page.content import content

__all__ = ["SHARED", "page"]

PACKAGE = "speicher_apps.review_page"
SHARED = ("percent.js", "pen.js", "balance.js", "graph.js", "lists.js", "review_page.js")
"""What shows a review here and on the page to play on: each after those that it imports."""


def page(record: Mapping[str, Any], review: Review) -> str:
    """A reviewed game as an HTML document.

    Args:
        record: The game.
        review: What `speicher_agents.review.review_game` says of it.

    Raises:
        RecordError: If the record cannot be played, or its `think` is wrong.
    """
    shown = content(record, review)
    return document(
        f"Speicherstadt, reviewed: {shown['title']}",
        file_of("body.html", PACKAGE),
        shown,
        styles=[file_of("page.css", PACKAGE)],
        scripts={name: file_of(name, PACKAGE) for name in (*SHARED, "standalone.js")},
        back="",
    )
