"""`python -m benchmarks.layers --against` measures two checkouts in turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.layers import compare, main
from benchmarks.results import ROOT


def test_both_sides_are_measured_and_what_only_one_has_is_left_out() -> None:
    (row,) = compare(ROOT, ["game_copy", "no_such_layer"], [2], seconds=0.001, rounds=2)
    assert row["layer"] == "game_copy" and row["players"] == 2
    assert row["here"] > 0 and row["there"] > 0 and row["low"] <= row["ratio"] <= row["high"]


def test_a_folder_that_is_no_checkout_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["layers", "--against", str(tmp_path)])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert capsys.readouterr().err == f"--against {tmp_path}: must be a checkout, a folder with speicher_env in it\n"
