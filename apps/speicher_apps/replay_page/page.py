"""The replay page put together."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from speicher_apps.replay_page.chart import chart
from speicher_apps.replay_page.document import document, file_of
from speicher_apps.replay_page.story import story

__all__ = ["page"]


def page(record: Mapping[str, Any]) -> str:
    """A game record as an HTML document.

    Raises:
        RecordError: If the record cannot be played, or its `think` is wrong.
    """
    content = story(record)
    steps = content["steps"]
    return document(
        f"Speicherstadt: {content['title']}",
        file_of("body.html"),
        content,
        scripts={"page.js": file_of("page.js")},
        heading=escape(content["title"]),
        chart=chart([step["points"] for step in steps], [step["round"] for step in steps]),
    )
