"""A page in one file that needs nothing else: its words as HTML, its style and script, its content as packed data."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources
from typing import Any

from speicher_env.render import page_colours
from speicher_env.render.drawing.picture import FONTS

__all__ = ["document", "file_of", "filled_body"]

STYLES = ("page.css",)
"""Files that all pages of a game begin with."""
_IMPORT = re.compile(r'^import (\{.*\}) from "\./(.*)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.MULTILINE)


def document(
    title: str,
    body: str,
    content: Mapping[str, Any],
    *,
    styles: Sequence[str] = (),
    scripts: Mapping[str, str],
    **parts: str,
) -> str:
    """A page that shows a game position by position, as an HTML document.

    Args:
        title: Its title, as text.
        body: The HTML of its body, in which ``<!--NAME-->`` marks the place of a part.
        content: What `stage.js` and the page's own script show, as plain values for JSON.
        styles: The page's own CSS.
        scripts: The page's own modules by their names, each after those that it imports.
        parts: More parts of the body, as HTML.
    """
    packed = gzip.compress(json.dumps(content, separators=(",", ":")).encode(), 9, mtime=0)
    style = "\n".join(("", page_colours(), f"body{{font-family:{FONTS}}}", *map(file_of, STYLES), *styles, ""))
    script = _joined({"stage.js": file_of("stage.js"), **scripts})
    return _filled(
        file_of("document.html"),
        {
            "title": escape(title),
            "policy": _policy(style, script),
            "style": style,
            "body": filled_body(body, **parts),
            "script": script,
            "data": base64.b64encode(packed).decode(),
        },
    )


def filled_body(body: str, **parts: str) -> str:
    """The HTML of a body with its parts, and with those that all pages of a game have."""
    return _filled(body, {"stage": file_of("stage.html"), "keys": file_of("keys.html"), **parts})


def file_of(name: str, package: str = "speicher_apps.replay_page") -> str:
    """The text of a file of a package."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8").removesuffix("\n")


def _joined(modules: Mapping[str, str]) -> str:
    """Modules as one script, which imports nothing: each is a function that returns what it exports."""
    script = "\nconst modules = {};\n"
    for name, source in modules.items():
        exported = ", ".join(_EXPORT.findall(source))
        inside = _EXPORT.sub("", _IMPORT.sub(r'const \1 = modules["\2"];', source))
        script += f'modules["{name}"] = await (async () => {{\n{inside}\nreturn {{ {exported} }};\n}})();\n'
    return script


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
