"""The page of a stack does what it says, in the environment of that stack."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stacks.stack import Stack
from tests.support.pages import run_page


def test_the_page_shows_what_its_code_prints(stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = stack.page.read_text(encoding="utf-8")
    assert run_page(page, stack.page.name, tmp_path, warnings_are_errors=False) == page
