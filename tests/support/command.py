"""Tests of the `speicher` command, called as the console script calls it."""

from __future__ import annotations

import pytest

from speicher_apps.cli import main


def speicher(*arguments: str) -> int:
    """Run the command in this process; its exit code."""
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert isinstance(exit_.value.code, int)
    return exit_.value.code
