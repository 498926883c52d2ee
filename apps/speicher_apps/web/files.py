"""The files of the page by name: those of this package, and those that are made from the game."""

from __future__ import annotations

import json
from importlib.resources import files

from speicher_apps.replay_page.document import file_of, filled_body
from speicher_apps.review_page.page import SHARED
from speicher_apps.web.tables import page_tables
from speicher_env.render import page_colours

__all__ = ["PAGES", "page_files"]

PAGES = ("index.html", "review.html")
"""The documents; all other files belong to them."""


def page_files() -> dict[str, bytes]:
    """The files that the page consists of, whether a server answers it or not."""
    static = files("speicher_apps.web").joinpath("static")
    contents = {file.name: file.read_bytes() for file in static.iterdir() if file.is_file()}
    contents |= _review_files()
    contents["record.js"] = files("speicher_apps.wasm").joinpath("record.js").read_bytes()
    contents["colours.css"] = page_colours().encode()
    contents["tables.json"] = json.dumps(page_tables(), separators=(",", ":")).encode()
    return contents


def _review_files() -> dict[str, bytes]:
    """The page that shows a review: the same layout and scripts as in the file that `speicher review --html` writes."""
    package = "speicher_apps.review_page"
    scripts = {name: file_of(name, package) for name in SHARED} | {"stage.js": file_of("stage.js")}
    back = '<p><a id="back-to-game" href="./">Back to the game</a></p>'
    body = filled_body(file_of("body.html", package), back=back)
    page = file_of("review.html", "speicher_apps.web").replace("<!--body-->", body)
    style = "\n".join([file_of("page.css"), file_of("page.css", package)])
    contents = {**scripts, "review.html": page, "review.css": style}
    return {name: f"{text}\n".encode() for name, text in contents.items()}
