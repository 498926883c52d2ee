"""The server as it is started: its address, its folder, and Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

from tests.support.quick_player import SPEC

TESTS = Path(__file__).parents[2]
SERVE = "import sys; from speicher_apps.web import serve; serve(sys.argv[1:] or None, port=0, open_browser=False)"
ADDRESS = r"The table is at (http://127\.0\.0\.1:\d+/[\w-]{22}/)(#[0-9a-f]{16})?\n"


def _started(folder: Path, *seats: str) -> tuple[subprocess.Popen[str], str]:
    environment = {**os.environ, "XDG_STATE_HOME": str(folder), "PYTHONPATH": str(TESTS)}
    server = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", SERVE, *seats],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=folder,
    )  # fmt: skip
    assert server.stdout is not None
    found = re.fullmatch(ADDRESS, server.stdout.readline())
    assert found is not None
    assert bool(found[2]) == bool(seats), "seats of the command line are dealt at once"
    return server, found[1]


def _stopped(server: subprocess.Popen[str]) -> None:
    server.send_signal(signal.SIGINT)
    _, errors = server.communicate(timeout=20)
    assert (server.returncode, errors) == (0, "")


def test_ctrl_c_ends_the_server_quietly_and_the_next_start_finds_the_game_under_a_new_token(tmp_path: Path) -> None:
    server, address = _started(tmp_path, "human", SPEC)
    with urllib.request.urlopen(address, timeout=20) as page:
        assert b"<title>Speicherstadt</title>" in page.read()
    _stopped(server)
    again, other = _started(tmp_path)
    assert other.rpartition("/")[0].rpartition("/")[2] != address.rpartition("/")[0].rpartition("/")[2]
    with urllib.request.urlopen(f"{other}api/lobby", timeout=20) as lobby:
        assert SPEC.encode() in lobby.read(), "the game of the first start is in the list"
    _stopped(again)
