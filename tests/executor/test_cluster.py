"""On a Ray cluster a node that dies and one that joins late change no game."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray: pip install 'speicher-env[ray]'")
def test_an_arena_gives_the_same_games_when_a_node_is_killed_and_another_joins() -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "tests.cluster", "--small"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "1 nodes killed" in result.stdout and "0 games lost, 0 games doubled" in result.stdout
