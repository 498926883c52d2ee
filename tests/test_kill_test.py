"""The kill test finds what it looks for. The kills themselves are `make kill-test`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import kill_test
from tests.support.kill_test import Job, Outcome, Report

JOB = Job("copy", (), (), lambda folder: {path.name: path.read_bytes() for path in folder.glob("*.txt")})
EXPECTED = {"a.txt": b"1", "b.txt": b"2"}


@pytest.mark.parametrize(
    ("outcome", "files", "fault"),
    [
        (Outcome(0, ""), EXPECTED, None),
        (Outcome(0, ""), {**EXPECTED, "b.txt": b"3"}, "b.txt differ"),
        (Outcome(0, ""), {"a.txt": b"1"}, "b.txt differ"),
        (Outcome(0, ""), {**EXPECTED, "c.txt": b""}, "c.txt differ"),
        (Outcome(0, ""), {**EXPECTED, ".speicher-0123456789abcdef.part": b"1"}, ".part left"),
        (Outcome(2, "speicher: no."), EXPECTED, "cannot be resumed"),
    ],
)
def test_a_result_that_differs_is_a_fault(
    outcome: Outcome, files: dict[str, bytes], fault: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kill_test, "run", lambda folder, arguments: outcome)
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    report = Report()
    report.finish(JOB, JOB.name, tmp_path, (), EXPECTED)
    assert report.counts["copy"]["runs"] == 1 and report.counts["copy"]["faults"] == len(report.faults)
    assert [fault in text for text in report.faults] == [True] if fault else not report.faults


@pytest.mark.parametrize(
    ("code", "stderr", "refused"),
    [
        (2, "speicher: seed 1\nspeicher: the disk is full.\n", True),
        (0, "speicher: seed 1\n", False),
        (1, "speicher: the disk is full.\n", False),
        (2, "Traceback (most recent call last):\nspeicher: the disk is full.\n", False),
        (2, "", False),
    ],
)
def test_a_refusal_is_exit_code_2_and_one_sentence(code: int, stderr: str, refused: bool) -> None:
    assert Outcome(code, stderr).is_refusal == refused
