"""The files of the page by name: those of this package, and those that are made from the game."""

from __future__ import annotations

import json
from importlib.resources import files

from speicher_apps.web.tables import page_tables
from speicher_env.render import page_colours

__all__ = ["page_files"]


def page_files() -> dict[str, bytes]:
    """The files that the page consists of, whether a server answers it or not."""
    static = files("speicher_apps.web").joinpath("static")
    contents = {file.name: file.read_bytes() for file in static.iterdir() if file.is_file()}
    contents["record.js"] = files("speicher_apps.wasm").joinpath("record.js").read_bytes()
    contents["colours.css"] = page_colours().encode()
    contents["tables.json"] = json.dumps(page_tables(), separators=(",", ":")).encode()
    return contents
