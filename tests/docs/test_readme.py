"""The README is short, its examples need nothing from each other, and its tables follow the cards."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from dataclasses import replace

import pytest

from benchmarks.baselines import SPEED
from docs import drawings
from docs.tables import baselines
from speicher_env.deck import STANDARD_EDITION
from tests.support.pages import ROOT, blocks_of

README = (ROOT / "README.md").read_text(encoding="utf-8")
LINES = README.splitlines()
EXAMPLES = [
    "\n".join(LINES[block.start : block.stop]) for block in blocks_of(LINES, "README.md") if block.language == "python"
]
LONGEST = 200
"""Lines of the README."""


def test_the_readme_is_short() -> None:
    assert len(LINES) <= LONGEST


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_uses_only_names_that_it_defines(example: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F821", "-"],
        input=example, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_the_readme_loads_no_picture_from_elsewhere() -> None:
    assert "](http" not in "".join(line for line in LINES if "![" in line) and 'src="http' not in README


def test_the_badges_say_what_the_project_is_set_to() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    facts = drawings.facts()
    assert facts["version"] == project["version"] and f"version = {{{project['version']}}}" in README
    assert project["requires-python"] == f">={facts['Python'].split()[0]}"
    assert facts["licence"] == project["license"] == "MIT" and (ROOT / "LICENSE").read_text().startswith("MIT")


def test_pages_warn_of_other_decks_and_other_weights() -> None:
    found, results = baselines.packaged_baselines(), baselines.kept_results()
    name, (card, network) = next(iter(found.items()))
    measured = {run: result for run, result in results.items() if run != SPEED and name in result["baselines"]}
    run, result = next(iter(measured.items()))
    current = {name: (replace(card, edition=STANDARD_EDITION), network)}
    fitting = {run: {**result, "baselines": {name: card.sha256}}}
    assert baselines.outdated(current, fitting) == "" == baselines.another_edition(current)
    old = {name: (replace(card, edition="00000000"), network)}
    assert f"became edition {STANDARD_EDITION}: `baseline:{name}`." in baselines.outdated(old, fitting)
    assert f"edition {STANDARD_EDITION}: `baseline:{name}`." in baselines.another_edition(old)
    other = {run: {**result, "baselines": {name: "0" * 64}}}
    assert f"other weights than the package has now: `baseline:{name}`." in baselines.outdated(current, other)
