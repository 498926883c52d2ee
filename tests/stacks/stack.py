"""A stack: a folder of this one with the requirements, pinned versions and tests of one framework."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "stacks"
ENVIRONMENTS = ROOT / "build" / "stacks"
PAGES = ROOT / "docs" / "integrations"
EXTRA = "# extra:"
"""How the first line of a requirements.txt begins that names the extra of this project that the tests need."""


@dataclass(frozen=True)
class Stack:
    """A framework to be tested with."""

    name: str

    @property
    def folder(self) -> Path:
        """Of its tests."""
        return HERE / self.name

    @property
    def requirements(self) -> Path:
        """The framework and what its tests need, in ranges."""
        return self.folder / "requirements.txt"

    @property
    def constraints(self) -> Path:
        """One set of versions that the tests pass with."""
        return self.folder / "constraints.txt"

    @property
    def environment(self) -> Path:
        """The virtual environment."""
        return ENVIRONMENTS / self.name

    @property
    def page(self) -> Path:
        """The page of the documentation, whose code the tests run too."""
        return PAGES / f"{self.name}.md"

    @property
    def result(self) -> Path:
        """What the last whole run measured."""
        return RESULTS / f"{self.name}.json"

    @property
    def extra(self) -> str:
        """The extra of this project that the tests need, such as "train"; empty without."""
        first = self.requirements.read_text(encoding="utf-8").partition("\n")[0]
        return first.removeprefix(EXTRA).strip() if first.startswith(EXTRA) else ""

    @property
    def packages(self) -> list[str]:
        """The names of the required packages, in order."""
        lines = self.requirements.read_text(encoding="utf-8").splitlines()
        words = [line.partition("#")[0].strip() for line in lines]
        return [_name(word) for word in words if word]


def _name(requirement: str) -> str:
    """The package of a requirement: "ray" of "ray[rllib]>=2.60"."""
    end = next((at for at, letter in enumerate(requirement) if letter in "[<>=!~; @"), len(requirement))
    return requirement[:end]


def stacks() -> list[Stack]:
    """Every stack there is, by name."""
    return [Stack(path.parent.name) for path in sorted(HERE.glob("*/requirements.txt"))]
