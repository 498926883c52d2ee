"""Notes down what the tests of a stack measure, and how each of them went."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from speicher_env.messages import must_be, one_of
from tests.stacks.stack import Stack

FIGURES = {
    "players": "players at the table of the example",
    "opponent": "whom the trained agent was evaluated against",
    "win_share": "the share of the win on held-out deals",
    "low": "lower end of the 95 % interval of win_share",
    "high": "upper end of it",
    "minutes": "of one core that the example trained",
    "decisions": "that the example trained on",
    "training_per_second": "decisions that the example trained on per second",
    "decisions_per_second": "of the environment alone in this stack, random legal play",
    "ours_per_second": "of SpeicherVectorEnv in the same process, with as many games, measured in turn",
}
"""What a test can note down of an example."""

Figures = Callable[..., None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--stack", help="name of the stack whose environment this is")
    parser.addoption("--notes", type=Path, help="JSON file to write figures and outcomes to")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--stack"):
        config.pluginmanager.register(Notes(config.getoption("--notes")), "notes")


class Notes:
    """Collects the figures of a session and the outcome and CPU time of each test."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.examples: dict[str, dict[str, Any]] = {}
        self.tests: dict[str, dict[str, Any]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        begun = time.process_time()
        outcome = yield
        self.tests[item.nodeid]["cpu_seconds"] = round(time.process_time() - begun, 1)
        return outcome

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        note = self.tests.setdefault(report.nodeid, {"outcome": "passed"})
        if report.outcome != "passed":
            note["outcome"] = report.outcome
            if report.skipped and isinstance(report.longrepr, tuple):
                note["reason"] = report.longrepr[2]

    def pytest_sessionfinish(self) -> None:
        if self.path is not None:
            notes = {"examples": self.examples, "tests": self.tests}
            self.path.write_text(json.dumps(notes, indent=1) + "\n", encoding="utf-8")

    def figures(self, example: str = "", **numbers: float | str) -> None:
        """Note down figures of the stack's example, or of one of several, by a few words such as "all seats"."""
        for name in numbers:
            if name not in FIGURES:
                raise ValueError(must_be("figure", name, one_of(name, FIGURES)))
        known = self.examples.setdefault(example, {})
        known |= {name: value if isinstance(value, str) else float(f"{value:.4g}") for name, value in numbers.items()}


@pytest.fixture(scope="session")
def figures(request: pytest.FixtureRequest) -> Figures:
    """`figures(example, win_share=..., ...)` notes down numbers for the tables of the documentation."""
    notes: Notes = request.config.pluginmanager.get_plugin("notes") or Notes(None)
    return notes.figures


@pytest.fixture(scope="session")
def stack(request: pytest.FixtureRequest) -> Stack:
    """The stack that is being tested."""
    return Stack(request.config.getoption("--stack"))
