"""Settings of every test."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

# Whether a test compiles something depends on which ran before; its output must not.
os.environ.setdefault("SPEICHER_QUIET", "1")


@pytest.fixture
def same_torch_threads() -> Iterator[None]:
    """Give PyTorch back the threads that it had before the test."""
    import torch

    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)
