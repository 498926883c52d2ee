"""A person sees the whole table, the moves and the prompt in terminals of the sizes people have."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

SECONDS = 120
"""Most that a screen may take to show something, on a busy machine."""


class Terminal:
    """A terminal of a given size in tmux, in which a command runs."""

    def __init__(self, columns: int, lines: int, command: str, folder: Path) -> None:
        self.socket = f"speicher-{uuid.uuid4().hex}"
        self.typed: list[str] = []
        self._tmux(
            "-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(lines), "-c", str(folder), command
        )

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(["tmux", "-L", self.socket, *arguments], capture_output=True, text=True, check=True)
        return done.stdout

    def screen(self) -> list[str]:
        """The lines on the screen, once all that was typed is answered and the prompt stands below it."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            history = self._tmux("capture-pane", "-p", "-S", "-").rstrip().splitlines()
            prompts = [line for line in history if line[:2].strip() == ">" and line[2:] in ("", *self.typed)]
            if len(prompts) > len(self.typed) and history[-1].strip() == ">":
                return self._tmux("capture-pane", "-p").rstrip().splitlines()
            time.sleep(0.1)
        raise AssertionError("\n".join(history))

    def type(self, words: str) -> None:
        self.typed.append(words)
        self._tmux("send-keys", "-l", words)
        self._tmux("send-keys", "Enter")

    def close(self) -> None:
        subprocess.run(["tmux", "-L", self.socket, "kill-server"], capture_output=True, check=False)


@pytest.fixture(params=[(80, 24), (100, 40), (200, 60)], ids=lambda size: "x".join(map(str, size)))
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminal]:
    speicher = Path(sys.executable).parent / "speicher"
    command = f"{speicher} play --players 4 --against random --seed 7 --record game.jsonl; sleep {SECONDS}"
    opened = Terminal(*request.param, command, tmp_path)
    yield opened
    opened.close()


def test_the_table_from_its_title_to_the_prompt_is_on_the_screen(terminal: Terminal) -> None:
    for move in ("0", "1", "2"):
        lines = terminal.screen()
        title = max(number for number, line in enumerate(lines) if line.startswith("══ Round 1 of 10"))
        table = lines[title:]
        assert table[0].endswith("═") and len(table[0]) in (80, 100)
        assert any(line.startswith("── Seats") for line in table)
        assert move == "0" or any(line.startswith("Since your last move: #") for line in table[-4:])
        terminal.type(move)
    lines = terminal.screen()
    assert any("Seat 1 (you)" in line for line in lines)
    terminal.type("place 0")
    assert not any(line[0] in ";,." for line in terminal.screen() if line)  # long messages break between words
    terminal.type("?")
    assert any(line.startswith("  q, quit") for line in terminal.screen())
