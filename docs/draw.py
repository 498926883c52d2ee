"""Draws the pictures of the documentation in pixels: `python docs/draw.py` writes them into docs/images.

They show positions that the tests of the drawing use, too. `docs/drawings.py` makes the pictures that are SVG.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from PIL import Image

from speicher_env import Game
from speicher_env.render import frame

HERE = Path(__file__).parent
POSITIONS = HERE.parent / "tests" / "render" / "positions.jsonl"


def main() -> None:
    """Write every picture."""
    records = {record["name"]: record for record in map(json.loads, POSITIONS.read_text(encoding="utf-8").splitlines())}
    table = Game.from_record(records["3_players_purchase"])
    _save(frame(table), "table.png")
    _save(frame(table, theme="dark"), "table-dark.png")
    _save(frame(table, seat=1, width=480), "table-phone.png")
    _save(frame(Game.from_record(records["4_players_over"])), "table-over.png")


def _save(picture: np.ndarray, name: str) -> None:
    few_colours = Image.fromarray(picture).quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few_colours.save(HERE / "images" / name, optimize=True)
    print(name)


if __name__ == "__main__":
    main()
