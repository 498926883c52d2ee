"""Settings of every test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

# Whether a test compiles something depends on which ran before; its output must not.
os.environ.setdefault("SPEICHER_QUIET", "1")
# Read when NumPy and PyTorch are loaded: with networks this small, further threads burn what other tests could use. So
# do threads of compiled code that look for work over and over, where each core has a test of its own.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `-m nojit` and `-m bounds`, leave files unread that never name the mark: most load PyTorch, for seconds."""
    mark = config.option.markexpr
    if mark not in ("nojit", "bounds") or not collection_path.match("test_*.py"):
        return None
    return mark not in collection_path.read_text(encoding="utf-8") or None


@pytest.fixture
def same_torch_threads() -> Iterator[None]:
    """Give PyTorch back the threads that it had before the test."""
    import torch

    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)
