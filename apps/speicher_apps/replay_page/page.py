"""The page put together: words and controls as HTML, the game itself as compressed data, in one file."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping
from html import escape
from importlib import resources
from typing import Any

from speicher_apps.replay_page.chart import chart
from speicher_apps.replay_page.story import story
from speicher_env.render import page_colours
from speicher_env.render.drawing.picture import FONTS

__all__ = ["page"]


def page(record: Mapping[str, Any]) -> str:
    """A game record as an HTML document.

    Raises:
        RecordError: If the record cannot be played, or its `think` is wrong.
    """
    content = story(record)
    steps = content["steps"]
    packed = gzip.compress(json.dumps(content, separators=(",", ":")).encode(), 9, mtime=0)
    style = f"\n{page_colours()}body{{font-family:{FONTS}}}\n{_file('page.css')}\n"
    script = f"\n{_file('page.js')}\n"
    parts = {
        "title": escape(f"Speicherstadt: {content['title']}"),
        "policy": _policy(style, script),
        "style": style,
        "heading": escape(content["title"]),
        "chart": chart([step["points"] for step in steps], [step["round"] for step in steps]),
        "last": str(len(steps) - 1),
        "script": script,
        "data": base64.b64encode(packed).decode(),
    }
    document = _file("page.html")
    for name, part in parts.items():
        document = document.replace(f"<!--{name}-->", part)
    return document


def _policy(style: str, script: str) -> str:
    """The content security policy: nothing is loaded, and no style or script runs but these two."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _file(name: str) -> str:
    return resources.files("speicher_apps.replay_page").joinpath(name).read_text(encoding="utf-8")
