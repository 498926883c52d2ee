"""The page put together: words and controls as HTML, the game itself as compressed data, one file in all."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping
from html import escape
from importlib import resources
from typing import Any

from speicher_apps.replay_page.chart import chart
from speicher_apps.replay_page.story import story
from speicher_env.render import page_colours
from speicher_env.render.drawing.picture import FONTS

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)
"""What the page may load: nothing."""


def page(record: Mapping[str, Any]) -> str:
    """A game record as an HTML document.

    Raises:
        RecordError: If the record cannot be played, or its `think` is wrong.
    """
    told = story(record)
    steps = told["steps"]
    drawn_chart = chart([step["points"] for step in steps], [step["round"] for step in steps])
    packed = gzip.compress(json.dumps(told, separators=(",", ":")).encode(), 9, mtime=0)
    parts = {
        "title": escape(f"Speicherstadt: {told['title']}"),
        "policy": POLICY,
        "style": f"{page_colours()}body{{font-family:{FONTS}}}\n{_file('page.css')}",
        "heading": escape(told["title"]),
        "chart": drawn_chart,
        "last": str(len(steps) - 1),
        "script": _file("page.js"),
        "data": base64.b64encode(packed).decode(),
    }
    document = _file("page.html")
    for name, part in parts.items():
        document = document.replace(f"<!--{name}-->", part)
    return document


def _file(name: str) -> str:
    return resources.files("speicher_apps.replay_page").joinpath(name).read_text(encoding="utf-8")
