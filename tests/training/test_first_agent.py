"""The program of the tutorial trains, and what it has trained plays in the arena by the command that it names."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sb3_contrib", reason="the extra [train] is not installed")

EXAMPLE = Path(__file__).parents[2] / "training" / "examples" / "first_agent.py"


def test_it_trains_and_plays_in_the_arena(tmp_path: Path) -> None:
    shutil.copy(EXAMPLE, tmp_path)

    def run(*command: str) -> str:
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    told = run(sys.executable, "first_agent.py", "--decisions", "24576").splitlines()
    assert told[0].strip().startswith("24,576 decisions") and "mean reward -" in told[0]
    assert told[1] == "The agent is in first_agent.zip."
    speicher = str(Path(sys.executable).parent / "speicher")
    report = run(
        speicher, "arena", "first_agent.py:FirstAgent", "random", "--deals", "2", "--no-mirrors", "--jobs", "1"
    )
    assert "2 deals" in report and "first_agent.py:FirstAge" in report and "forfeit" not in report
