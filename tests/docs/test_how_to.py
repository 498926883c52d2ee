"""The changes that the how-to pages show apply to the source as it is, touch the files they list, and work."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.howto import HOW_TO, changed_files, copy_source, listed_files, run_how_to, surroundings

PAGES = sorted(HOW_TO.glob("*.md"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_how_to_page_works(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = path.read_text(encoding="utf-8")
    assert changed_files(page, path.name) == listed_files(page)
    copy_source(tmp_path)
    surroundings(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    assert page == run_how_to(page, path.name, tmp_path)
