"""Ten telling positions look as they did.

`positions.jsonl` holds a game record for each, with its name and, under `picture`, the arguments of its picture; the
pictures lie under pictures/. A change is shown as three pictures in the test's own folder, named in its message. After
a wanted change write them anew with `REGENERATE_GOLDEN=1 pytest tests/render` and look at every one of them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from speicher_env import Game
from speicher_env.render import frame

FOLDER = Path(__file__).parent
PICTURES = FOLDER / "pictures"
POSITIONS: dict[str, dict[str, Any]] = {
    record["name"]: record for record in map(json.loads, (FOLDER / "positions.jsonl").read_text().splitlines())
}
VISIBLE = 24
"""Of 255: differences below come from how machines round, and nobody sees them."""
STRAY_PIXELS = 20
"""So many pixels may differ more, at the edges of shapes."""


def differing(expected: np.ndarray, actual: np.ndarray) -> np.ndarray:
    """The pixels that anybody would see to differ, (height, width) bool."""
    apart = np.abs(expected.astype(np.int16) - actual.astype(np.int16)).max(axis=2)
    return apart > VISIBLE


def show_difference(expected: np.ndarray, actual: np.ndarray, folder: Path, name: str) -> str:
    """Write both pictures and one that marks in red where they differ; says how much that is and where they lie."""
    Image.fromarray(expected).save(folder / f"{name}.expected.png")
    Image.fromarray(actual).save(folder / f"{name}.actual.png")
    if expected.shape != actual.shape:
        return f"{name}: the picture is {actual.shape[:2]}, was {expected.shape[:2]}; see {folder}"
    where = differing(expected, actual)
    marked = (255 - (255 - actual) // 4).astype(np.uint8)
    marked[where] = (220, 0, 0)
    Image.fromarray(marked).save(folder / f"{name}.difference.png")
    rows, columns = np.nonzero(where)
    box = f"between ({columns.min()}, {rows.min()}) and ({columns.max()}, {rows.max()})"
    return (
        f"{name}: {where.sum()} pixels differ {box}; see {folder / name}.difference.png, .expected.png and .actual.png"
    )


def same(expected: np.ndarray, actual: np.ndarray) -> bool:
    return expected.shape == actual.shape and int(differing(expected, actual).sum()) <= STRAY_PIXELS


@pytest.mark.parametrize("name", POSITIONS)
def test_a_telling_position_looks_as_it_did(name: str, tmp_path: Path) -> None:
    record = POSITIONS[name]
    actual = frame(Game.from_record(record), **record["picture"])
    file = PICTURES / f"{name}.png"
    if os.environ.get("REGENERATE_GOLDEN"):
        few_colours = Image.fromarray(actual).quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        few_colours.save(file, optimize=True)  # a third of the size; no colour is more than 13 off
    expected = np.asarray(Image.open(file).convert("RGB"))
    if not same(expected, actual):
        pytest.fail(show_difference(expected, actual, tmp_path, name))


def test_there_is_a_picture_for_each_position_and_no_other() -> None:
    assert len(POSITIONS) == 10
    assert {file.stem for file in PICTURES.glob("*.png")} == set(POSITIONS)


def test_the_positions_tell_of_all_phases_player_counts_themes_and_sizes() -> None:
    games = {name: Game.from_record(record) for name, record in POSITIONS.items()}
    pictures = [record["picture"] for record in POSITIONS.values()]
    assert {game.phase for game in games.values()} == {"demand", "purchase", "loading", "over"}
    assert {game.num_players for game in games.values()} == {2, 3, 4, 5}
    assert {picture.get("theme", "light") for picture in pictures} == {"light", "dark"}
    assert {picture.get("width", 960) for picture in pictures} == {480, 960, 1920}


def test_a_difference_is_written_down_as_a_picture(tmp_path: Path) -> None:
    expected = np.full((40, 60, 3), 255, dtype=np.uint8)
    actual = expected.copy()
    actual[5:15, 20:30] = (0, 0, 200)
    assert same(expected, expected) and not same(expected, actual)
    told = show_difference(expected, actual, tmp_path, "moved")
    assert "100 pixels differ between (20, 5) and (29, 14)" in told and str(tmp_path) in told
    marked = np.asarray(Image.open(tmp_path / "moved.difference.png"))
    assert (marked[5:15, 20:30] == (220, 0, 0)).all() and (marked[:5] == 255).all()
    assert {file.name for file in tmp_path.iterdir()} == {
        f"moved.{kind}.png" for kind in ("expected", "actual", "difference")
    }
