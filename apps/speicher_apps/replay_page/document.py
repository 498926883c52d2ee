"""A page in one file that needs nothing else: its words as HTML, its style and script, its content as packed data."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources
from typing import Any

from speicher_env.render import page_colours
from speicher_env.render.drawing.picture import FONTS

__all__ = ["document", "file_of"]

STYLES, SCRIPTS = ("page.css",), ("stage.js",)
"""Files that all pages of a game begin with."""


def document(
    title: str,
    body: str,
    content: Mapping[str, Any],
    *,
    styles: Sequence[str] = (),
    scripts: Sequence[str] = (),
    **parts: str,
) -> str:
    """A page that shows a game position by position, as an HTML document.

    Args:
        title: Its title, as text.
        body: The HTML of its body, in which ``<!--NAME-->`` marks the place of a part.
        content: What `stage.js` and the page's own script show, as plain values for JSON.
        styles: The page's own CSS.
        scripts: The page's own scripts.
        parts: More parts of the body, as HTML.
    """
    packed = gzip.compress(json.dumps(content, separators=(",", ":")).encode(), 9, mtime=0)
    style = "\n".join(("", page_colours(), f"body{{font-family:{FONTS}}}", *map(file_of, STYLES), *styles, ""))
    script = "\n".join(("", *map(file_of, SCRIPTS), *scripts, ""))
    return _filled(
        file_of("document.html"),
        {
            "title": escape(title),
            "policy": _policy(style, script),
            "style": style,
            "body": body,
            "stage": file_of("stage.html"),
            "keys": file_of("keys.html"),
            "last": str(len(content["steps"]) - 1),
            **parts,
            "script": script,
            "data": base64.b64encode(packed).decode(),
        },
    )


def file_of(name: str, package: str = "speicher_apps.replay_page") -> str:
    """The text of a file of a package."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8").removesuffix("\n")


def _filled(template: str, parts: Mapping[str, str]) -> str:
    for name, part in parts.items():
        template = template.replace(f"<!--{name}-->", part)
    return template


def _policy(style: str, script: str) -> str:
    """The content security policy: nothing is loaded, and no style or script runs but these two."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
