"""The page as static files: rules, players and searches run in the browser, and it opens without a network afterwards.

`python -m speicher_apps.web.site FOLDER` writes them. They need any web server, and no program behind it.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

from speicher_agents.baselines.files import read_baseline
from speicher_agents.exact import REACH
from speicher_agents.review import FORMAT, GRADES
from speicher_agents.review.as_json import DIGITS
from speicher_agents.review.judge import LONGEST_LINE
from speicher_agents.review.luck import SUPPLIES
from speicher_agents.review.review import MOST_TURNING_POINTS, SUPPLY_REACH, TURNING_POINT
from speicher_agents.scripted import LADDER
from speicher_apps.wasm import WasmError, build
from speicher_apps.wasm.build import MODULES
from speicher_apps.wasm.networks import descriptions, weights
from speicher_apps.web.files import PAGES, page_files
from speicher_apps.web.offered_players import FAVOURITES

__all__ = ["FIRST_LOAD", "REVIEW_ITERATIONS", "build_site"]

FIRST_LOAD = 10_000_000
"""Bytes that the first visit may load at most."""

REVIEW_ITERATIONS = 200
"""Of the search that judges in a browser."""

_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "worker-src 'self'; base-uri 'none'; form-action 'none'"
)
"""What the server of the other page says in its headers; WebAssembly needs its own word."""
_SERVER_ONLY = ("served.js",)


def build_site(folder: Path, wasm: Path | None = None) -> None:
    """Write the page into a folder.

    Args:
        folder: Where to.
        wasm: A folder in which the WebAssembly module is kept from one build to the next.

    Raises:
        WasmError: If the module cannot be built.
    """
    with tempfile.TemporaryDirectory() as scratch:
        module = wasm or Path(scratch)
        build(module)
        content = _files(module)
    for name, data in content.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def _files(module: Path) -> dict[str, bytes]:
    """The files by their paths."""
    static = {name: data for name, data in page_files().items() if name not in _SERVER_ONLY}
    browser = files("speicher_apps.web").joinpath("browser")
    static |= {file.name: file.read_bytes() for file in browser.iterdir() if file.name.endswith(".js")}
    static |= {name: (module / name).read_bytes() for name in (*MODULES, "speicher.wasm", "speicher.json")}
    networks = descriptions()
    static["networks.json"] = _json(networks)
    static["tables.json"] = _json(json.loads(static["tables.json"]) | {"inBrowser": _players(networks)})
    pages = {name: _in_browser(static.pop(name).decode()).encode() for name in PAGES}
    worker = static.pop("service-worker.js").decode()
    first = {**pages, **{f"static/{name}": data for name, data in static.items()}}
    assert sum(map(len, first.values())) < FIRST_LOAD, "the first visit would load too much"
    later = {f"static/{one['weights']}": weights(read_baseline(name)[1]) for name, one in networks.items()}
    return {**first, **later, "service-worker.js": _service_worker(worker, first | later, ["./", *first])}


def _in_browser(page: str) -> str:
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    return page.replace('data-source="server"', 'data-source="browser"').replace(
        '<meta charset="utf-8">', f'<meta charset="utf-8">\n  {policy}', 1
    )


def _players(networks: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The players that run in a browser."""
    return {
        "scripted": [{"name": player.name, "idea": player.idea} for player in LADDER],
        "favourites": FAVOURITES,
        "networks": [{"name": name, "players": one["players"]} for name, one in networks.items()],
        "review": _review_settings(),
    }


def _review_settings() -> dict[str, Any]:
    """How games are reviewed in a browser: as in Python, with fewer iterations."""
    return {
        "iterations": REVIEW_ITERATIONS,
        "supplies": SUPPLIES,
        "reach": REACH,
        "supplyReach": SUPPLY_REACH,
        "longestLine": LONGEST_LINE,
        "grades": GRADES,
        "turningPoint": TURNING_POINT,
        "mostTurningPoints": MOST_TURNING_POINTS,
        "format": FORMAT,
        "digits": DIGITS,
    }


def _service_worker(source: str, content: dict[str, bytes], kept: list[str]) -> bytes:
    version = hashlib.sha256(b"".join(content.values())).hexdigest()[:16]
    return source.replace("{version}", version).replace("/* files */ []", json.dumps(kept)).encode()


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m speicher_apps.web.site FOLDER")
    try:
        build_site(Path(sys.argv[1]), Path("build", "wasm"))
    except WasmError as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)
