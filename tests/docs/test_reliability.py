"""The page on reliability names tests that exist, and its long tests counted no fault."""

from __future__ import annotations

import re

import pytest

from benchmarks.results import read
from tests.support.pages import ROOT

PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)(?:::(test_\w+))?`", PAGE)


@pytest.mark.parametrize(("file", "test"), NAMED, ids=lambda name: name.rpartition("/")[2])
def test_every_test_that_holds_a_promise_exists(file: str, test: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    assert not test or f"def {test}(" in text


def test_every_promise_has_a_test_and_the_long_tests_counted_no_fault() -> None:
    promises = [line for line in PAGE.splitlines() if line.startswith("| ") and " | `tests/" in line]
    assert len(promises) >= 15 and len(NAMED) >= len(promises)
    for name in ("fuzz_states", "fuzz_inputs", "kill_test"):
        assert read(name)["faults"] == 0, name
