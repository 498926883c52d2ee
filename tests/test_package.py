"""What `import speicher_env` offers, and what it costs."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import pytest

import speicher_env

pytestmark = pytest.mark.nojit


def test_every_public_name_is_there() -> None:
    assert sorted(set(speicher_env.__all__)) == sorted(speicher_env.__all__)
    assert all(hasattr(speicher_env, name) for name in speicher_env.__all__)


def test_the_version_is_that_of_the_distribution() -> None:
    assert speicher_env.__version__ == importlib.metadata.version("speicher-env")


def test_the_core_needs_nothing_of_players_training_or_the_command() -> None:
    code = (
        "import sys, speicher_env; from speicher_env import speicherstadt_v0; str(speicher_env.Game(seed=1)); "
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"speicher_agents", "speicher_training", "torch", "typer", "rich", "matplotlib"} & set(loaded)
