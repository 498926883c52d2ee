"""Damaged inputs: a short run over the forms, and that the fuzzer finds what it looks for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.fuzz_inputs import __main__ as command
from tests.support.fuzz_inputs.cases import INPUTS, SELFTEST, form_named, form_of, packed, parts_of, result_of, unpacked
from tests.support.fuzz_inputs.forms import ACCEPTED, CRASH, FAULTS, HANG, REFUSED
from tests.support.fuzz_inputs.selftest import EXPECTED
from tests.support.fuzz_inputs.workers import Task, try_all

CASES = {
    "deck": 60, "record": 60, "snapshot": 60, "state": 60, "card": 40, "weights": 40, "recipe": 40, "spec": 20,
    "arena folder": 4,
}  # fmt: skip
"""Cases of a short run. The other forms start processes or train, which takes too long here."""


@pytest.mark.parametrize("name", CASES)
def test_damaged_inputs_are_refused_in_one_sentence_or_sound(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    form, outcomes = form_named(name), []
    base = form.prepare(tmp_path, tmp_path)
    for number in range(CASES[name]):
        place = tmp_path / f"case-{number}"
        place.mkdir()
        result = result_of(parts_of(number, 0, form, base), form, base, place)
        assert result.outcome not in FAULTS, f"case {number}: {result.fault}"
        outcomes.append(result.outcome)
    assert REFUSED in outcomes


def test_a_case_follows_from_its_number_and_the_seed(tmp_path: Path) -> None:
    form = form_named("record")
    base = form.prepare(tmp_path, tmp_path)
    assert parts_of(7, 1, form, base) == parts_of(7, 1, form, base)
    assert len({packed_text(parts_of(number, seed, form, base)) for number in (7, 8) for seed in (1, 2)}) == 4
    assert {form_of(number, INPUTS) for number in range(200)} == set(INPUTS)
    parts = {"a": b"\xff", "b": [{"c": b""}], "d": None}
    assert unpacked(json.loads(json.dumps(packed(parts)))) == parts


def packed_text(parts: dict[str, object]) -> str:
    return json.dumps(packed(parts))


def test_every_kind_of_fault_is_counted_as_what_it_is(tmp_path: Path) -> None:
    kinds = ["two lines", "memory", CRASH, ACCEPTED, "printed", HANG, REFUSED, "wrong acceptance", "traceback"]
    tasks = [Task(number, 1, 0, (SELFTEST,), {"kind": kind}) for number, kind in enumerate(kinds)]
    results = {done.task.first: done for done in try_all(tasks, 1, tmp_path)}
    assert [results[number].outcomes[0] for number in range(len(kinds))] == [EXPECTED[kind] for kind in kinds]
    faults = {kind: "".join(results[number].faults.values()) for number, kind in enumerate(kinds)}
    assert "SIGSEGV" in faults[CRASH] and "selftest.py" in faults[HANG] and "MemoryError" in faults["memory"]
    assert "not one sentence" in faults["two lines"] and "Traceback (most recent" in faults["printed"]
    assert not faults[REFUSED] and not faults[ACCEPTED]


def test_a_fault_is_kept_and_can_be_tried_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--forms", SELFTEST, "--cases", "2", "--jobs", "1", "--folder", str(tmp_path), "--seed", "7"]
    code = command.main(arguments)
    out = capsys.readouterr().out
    kept = sorted(tmp_path.glob("7-*.json"))
    assert code == 1 and f"{len(kept)} faults" in out and out.startswith("form ")
    assert command.main(["--replay", str(kept[0])]) == 1
    again = capsys.readouterr().out
    assert again.startswith(f"{SELFTEST}, case {json.loads(kept[0].read_text())['number']} of seed 7: ")


def test_arguments_out_of_range_end_with_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--cases", "0"], ["--forms", "decks"], ["--seed", "x"]):
        with pytest.raises(SystemExit) as ended:
            command.main(arguments)
        assert ended.value.code == 2
        assert "python -m tests.support.fuzz_inputs: error: " in capsys.readouterr().err
