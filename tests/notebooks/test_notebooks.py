"""The notebooks run from top to bottom, and what is kept in them is what they show and reads well anywhere."""

from __future__ import annotations

import base64
import copy
import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("nbclient", reason="the extra [dev] is not installed")

import nbformat
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))
TRAINS = "02_train.ipynb"
"""A training run can be repeated to the last bit on one machine, and not on another."""
MOST_BYTES = 400_000

each_notebook = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def _load_execute() -> ModuleType:
    spec = importlib.util.spec_from_file_location("execute", FOLDER / "execute.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


execute = _load_execute()


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def code(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def told(cell: NotebookNode) -> str:
    """All that a cell shows in words, without how long anything took and how wide that makes a table."""
    texts = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs]
    without_times = re.sub(r"\b[\d.,]+ (?:ns|us|ms|s)\b", "TIME", "\n".join(texts))
    return re.sub(r"[\s─]+", " ", without_times)


SHORTER = {
    "games = 256 ": "games = 32 ",
    "evaluation_steps = 16_384": "evaluation_steps = 2_048",
    "evaluation_deals = 40": "evaluation_deals = 5",
    "steps=131_072, seed=1, watch=watch": "steps=4_096, seed=1, watch=watch, jobs=1",
    'pretraining={\\"decisions\\": 200_000': 'pretraining={\\"decisions\\": 8_000',
    "steps=65_536, seed=1": "steps=2_048, seed=1, jobs=1",
    "deals=50": "deals=5",
}


def with_short_training(path: Path, tmp_path: Path) -> Path:
    """The notebook with two rollouts of an eighth of the games, then one, in one process: they run the same code."""
    text = path.read_text(encoding="utf-8")
    for long, short in SHORTER.items():
        assert text.count(long) == 1, long
        text = text.replace(long, short)
    short = tmp_path / path.name
    short.write_text(text, encoding="utf-8")
    return short


def small(tmp_path: Path, *sources: str) -> Path:
    path = tmp_path / "small.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources]), path)
    return path


def test_there_are_four_notebooks():
    assert [path.stem for path in PATHS] == ["01_quickstart", "02_train", "03_evaluate", "04_your_own_agent"]


@pytest.mark.slow
@each_notebook
def test_a_notebook_runs_and_shows_what_is_kept(path: Path, tmp_path: Path):
    fresh = execute.executed(with_short_training(path, tmp_path) if path.name == TRAINS else path)
    _check_outputs(fresh)
    for now, kept in zip(code(fresh), code(read(path)), strict=True):
        assert [sorted(output.get("data", {})) for output in now.outputs] == [
            sorted(output.get("data", {})) for output in kept.outputs
        ], "make notebooks writes the outputs anew"
        if path.name != TRAINS:
            assert told(now) == told(kept), "make notebooks writes the outputs anew"


def _check_outputs(notebook: NotebookNode) -> None:
    cells = code(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    assert not [output.text for output in outputs if output.get("name") == "stderr"], "warnings or progress bars"
    assert sum("image/png" in output.get("data", {}) for output in outputs) >= 3
    assert sum(bool(cell.outputs) for cell in cells) >= len(cells) / 2


@each_notebook
def test_what_is_kept_is_a_whole_run(path: Path):
    notebook = read(path)
    _check_outputs(notebook)
    assert execute.tidied(copy.deepcopy(notebook)) == notebook, "make notebooks writes it as it should be"
    assert path.stat().st_size < MOST_BYTES


@each_notebook
def test_nothing_in_a_notebook_names_a_place_on_a_machine(path: Path):
    notebook = read(path)
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop("image/png", None)
    text = nbformat.writes(notebook)
    places = {str(ROOT), str(Path.home()), tempfile.gettempdir(), "/tmp", "/home/", "/Users/", "/root", "C:\\"}
    assert not {place for place in places - {"/"} if place in text}


@each_notebook
def test_links_of_a_notebook_lead_somewhere(path: Path):
    text = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    assert links
    for link in links:
        file, _, anchor = link.partition("#")
        target = FOLDER / file
        assert target.is_file(), link
        headings = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
        assert not anchor or anchor in {_anchor(heading) for heading in headings}, link


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def test_the_code_is_formatted():
    for command in (("check",), ("format", "--check")):
        ruff = subprocess.run([sys.executable, "-m", "ruff", *command, FOLDER], capture_output=True, text=True)
        assert ruff.returncode == 0, ruff.stdout


@pytest.mark.slow
def test_a_cell_that_fails_is_an_error(tmp_path: Path):
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        execute.executed(small(tmp_path, "1 / 0"))


@pytest.mark.slow
def test_a_notebook_runs_in_an_empty_folder_and_its_drawings_are_kept_as_png(tmp_path: Path):
    listing = "import os\n\nos.listdir()"
    notebook = execute.executed(small(tmp_path, listing, "from speicher_env import Game\n\nGame(seed=1)"))
    first, second = ([output.data for output in cell.outputs] for cell in code(notebook))
    assert first == [{"text/plain": "[]"}]
    shown: dict[str, Any] = second[0]
    assert sorted(shown) == ["image/png", "text/plain"]
    assert base64.b64decode(shown["image/png"]).startswith(b"\x89PNG")
