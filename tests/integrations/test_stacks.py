"""The stacks that `make stacks` tests: what each of them has, and what they all use to measure."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docs.tables import stacks as tables
from speicher_training.arena.seeds import EVALUATION, RANGES
from tests.stacks import __main__ as runner
from tests.stacks.conftest import Notes
from tests.stacks.held_out import FIRST_DEAL, win_share
from tests.stacks.speed import beside_ours
from tests.stacks.stack import ROOT, Stack, stacks

each_stack = pytest.mark.parametrize("stack", stacks(), ids=lambda stack: stack.name)


@each_stack
def test_a_stack_has_requirements_pins_tests_a_page_and_a_result(stack: Stack) -> None:
    assert stack.packages
    pinned = re.findall(r"^([\w.-]+)==\S+$", stack.constraints.read_text(encoding="utf-8"), re.MULTILINE)
    normal = {name.lower().replace("_", "-") for name in pinned}
    assert {name.lower().replace("_", "-") for name in stack.packages} <= normal
    assert list(stack.folder.glob("test_*.py"))
    page = stack.page.read_text(encoding="utf-8")
    assert f"<!-- table: stack {stack.name} -->" in page
    assert stack.page.relative_to(ROOT / "docs").as_posix() in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    result = json.loads(stack.result.read_text(encoding="utf-8"))
    assert result["schema"] == runner.SCHEMA
    assert {test["outcome"] for test in result["tests"].values()} <= {"passed", "skipped"}


@each_stack
def test_the_result_is_of_the_pinned_versions(stack: Stack) -> None:
    """Whoever raises a pin runs the stack again."""
    pins = dict(re.findall(r"^([\w.-]+)==(\S+)$", stack.constraints.read_text(encoding="utf-8"), re.MULTILINE))
    pinned = {name.lower().replace("_", "-"): version for name, version in pins.items()}
    versions = json.loads(stack.result.read_text(encoding="utf-8"))["versions"]
    assert {name: pinned[name] for name in versions if name in pinned} == {
        name: version for name, version in versions.items() if name in pinned
    }


def test_held_out_deals_are_those_of_the_arena() -> None:
    assert RANGES[EVALUATION].start == FIRST_DEAL


def highest(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    assert observations.dtype == np.float32 and masks.dtype == np.bool_
    return 183 - masks[:, ::-1].argmax(axis=1)


@pytest.mark.parametrize("players", [2, 4])
def test_the_win_share_is_that_of_the_agent(players: int) -> None:
    rng = np.random.default_rng(0)

    def at_random(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return (rng.random(masks.shape) * masks).argmax(axis=1)

    even = win_share(at_random, players, deals=100)
    assert even.low < 1 / players < even.high
    worse = win_share(highest, players, deals=100)
    assert worse == win_share(highest, players, deals=100)
    assert worse.low <= worse.win_share <= worse.high < 1 / players
    assert win_share(highest, players, "merchant", deals=20).win_share < worse.win_share + 0.1


def test_an_agent_that_violates_a_mask_is_refused() -> None:
    with pytest.raises(Exception, match="decides in"):
        win_share(lambda observations, masks: masks.argmin(axis=1), deals=2)


def test_speeds_are_counted_in_decisions() -> None:
    ticks = iter(range(1000))
    rates = beside_ours(lambda: 500, games=2, seconds=10, rounds=1, clock=lambda: float(next(ticks)))
    assert rates == {"decisions_per_second": 500 * 9 / 10, "ours_per_second": 200 * 9 / 10}


def test_figures_are_kept_under_known_names_only() -> None:
    notes = Notes(None)
    notes.figures(win_share=0.987654321, opponent="random")
    notes.figures("all seats", players=3)
    notes.figures(players=2)
    assert notes.examples == {
        "": {"win_share": 0.9877, "opponent": "random", "players": 2.0},
        "all seats": {"players": 3.0},
    }
    with pytest.raises(ValueError, match=r'figure="win_sare": must be .* did you mean "win_share"'):
        notes.figures(win_sare=1)


@pytest.fixture
def made_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A stack with requirements and a page, and a function that gives it a result."""

    class MadeUp(Stack):
        folder = tmp_path
        page = tmp_path / "made-up.md"
        result = tmp_path / "result.json"

    (tmp_path / "requirements.txt").write_text(
        "# extra: train\nGood_RL[all]>=1,<2  # theirs\nother\n", encoding="utf-8"
    )
    (tmp_path / "made-up.md").write_text("# Good RL\n\nText.\n", encoding="utf-8")
    monkeypatch.setattr(tables, "stacks", lambda: [MadeUp("made-up")])
    return MadeUp("made-up")


def test_requirements_name_the_extra_and_the_packages(made_up: Stack) -> None:
    assert made_up.extra == "train"
    assert made_up.packages == ["Good_RL", "other"]


def test_a_table_says_what_has_not_been_measured(made_up: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "| [Good RL](made-up.md) | not measured yet | – |" in tables.comparison()
    assert tables.details(made_up) == "Not measured yet; `make stacks STACK=made-up` does it."
    monkeypatch.setattr(tables, "stacks", list)
    assert tables.comparison() == "No stack has been measured yet."


def test_tables_show_the_figures_of_every_example(made_up: Stack) -> None:
    result = {
        "command": "python -m tests.stacks made-up",
        "date": "2026-01-01",
        "machine": {"processor": "P", "usable_cores": 2, "memory_gib": None, "system": "S"},
        "versions": {"good-rl": "1.5", "python": "3.11"},
        "cpu_seconds": 120,
        "examples": {
            "": {"win_share": 0.95, "low": 0.9, "high": 1.0, "opponent": "random", "players": 2.0, "minutes": 4.04},
            "all seats": {"decisions_per_second": 5e4, "ours_per_second": 2e6, "training_per_second": 3000},
        },
        "tests": {"a": {"outcome": "passed"}, "b": {"outcome": "passed"}, "c": {"outcome": "skipped"}},
    }
    made_up.result.write_text(json.dumps(result), encoding="utf-8")
    rows = tables.comparison().splitlines()[2:]
    assert rows[0] == "| [Good RL](made-up.md) | 1.5 | – | – | – | 2 | 0.950 [0.900, 1.000] | `random` | 4.0 |"
    assert rows[1] == "| [Good RL](made-up.md), all seats | 1.5 | 50.0 k | 2.00 M | 3.00 k | – | – | – | – |"
    page = tables.details(made_up)
    assert "good-rl 1.5, python 3.11." in page and "Tests: 2 passed, 1 skipped, in 2.0 minutes of CPU." in page
    assert "| all seats | 50.0 k | 2.00 M | 3.00 k |" in page
