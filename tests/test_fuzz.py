"""The deep comparison: every kind of game gets its turn, and a fault stops it with the command that repeats it."""

from __future__ import annotations

import signal
from itertools import product

import pytest

from tests.support import fuzz, fuzz_states
from tests.support.choosers import CHOOSERS
from tests.support.games import PLAYER_COUNTS
from tests.support.naive import NaiveGame
from tests.support.positions import few_or_many


def test_neighbouring_seeds_go_through_all_player_counts_decks_and_choosers() -> None:
    combinations = set(product(PLAYER_COUNTS, ("standard", "sampled"), CHOOSERS))
    assert {tuple(fuzz.case_of(seed)) for seed in range(500, 500 + len(combinations))} == combinations


def test_a_run_without_differences_ends_well_and_counts_its_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz.main(["--games", "5", "--jobs", "1", "--seed", "8"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("5 games, ")
    assert "No difference between engine and twin, seeds 8 to 12." in out


def test_a_difference_ends_the_run_with_code_1_and_its_command_repeats_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    winners = NaiveGame.winners
    monkeypatch.setattr(NaiveGame, "winners", lambda game: [] if len(game.seats) == 4 else winners(game))
    assert fuzz.main(["--games", "20", "--jobs", "1", "--seed", "0"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("2 games, ")
    command = "python -m tests.support.fuzz --games 1 --seed 2"
    assert out.splitlines()[-1] == f"To repeat it: {command}"
    assert "winners: only the engine has" in out
    assert fuzz.main(command.split()[3:]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == f"To repeat it: {command}"


def test_a_game_that_cannot_even_be_dealt_is_a_fault_with_a_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def breaks(*_: object) -> None:
        raise IndexError("no such card")

    monkeypatch.setattr(fuzz, "play_both", breaks)
    assert fuzz.main(["--games", "3", "--jobs", "1", "--seed", "40"]) == 1
    out = capsys.readouterr().out
    assert "IndexError: no such card" in out
    assert out.splitlines()[-1] == "To repeat it: python -m tests.support.fuzz --games 1 --seed 40"


def test_ctrl_c_prints_the_summary_so_far(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    play = fuzz.play_seeds

    def interrupted_in_the_second_chunk(first: int, count: int) -> fuzz.Report:
        if first >= fuzz.CHUNK:
            signal.raise_signal(signal.SIGINT)
        return play(first, count)

    monkeypatch.setattr(fuzz, "play_seeds", interrupted_in_the_second_chunk)
    assert fuzz.main(["--games", "100", "--jobs", "1"]) == fuzz.EXIT_INTERRUPTED
    out = capsys.readouterr().out
    assert out.startswith(f"{2 * fuzz.CHUNK} games, ")
    assert "Interrupted: no difference between engine and twin so far, seeds from 0." in out


@pytest.mark.parametrize("arguments", [["--games", "0"], ["--jobs", "two"], ["--seed", "-1"], ["--seed", str(2**64)]])
def test_arguments_out_of_range_end_with_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        fuzz.main(arguments)
    assert ended.value.code == 2
    assert "python -m tests.support.fuzz: error: " in capsys.readouterr().err


# Damaged states


@pytest.mark.nojit
@pytest.mark.bounds
def test_damaged_states_are_refused_or_played_to_their_end(capsys: pytest.CaptureFixture[str]) -> None:
    count = few_or_many(150, 2000)
    report = fuzz_states.try_seeds(1, count)
    assert report.fault is None, report.fault
    assert report.counts["refused"] > count // 2
    assert report.counts["accepted"] > count // 20


def test_a_state_that_is_wrongly_accepted_ends_the_run_with_code_1_and_its_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def accepts(seed: int) -> str:
        if seed == 12:
            raise IndexError("index is out of bounds")
        return fuzz_states.REFUSED

    monkeypatch.setattr(fuzz_states, "try_one", accepts)
    monkeypatch.setattr(fuzz_states.config, "BOUNDSCHECK", 1)
    assert fuzz_states.main(["--states", "20", "--jobs", "1", "--seed", "5"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("7 states with checked indices: 7 refused, 0 accepted, 0 unchanged")
    assert out.splitlines()[-1] == "To repeat it: python -m tests.support.fuzz_states --states 1 --seed 12"


def test_states_are_not_tried_without_checked_indices(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fuzz_states.config, "BOUNDSCHECK", None)
    monkeypatch.setattr(fuzz_states.config, "DISABLE_JIT", 0)
    assert fuzz_states.main(["--states", "1"]) == 2
    assert "Set NUMBA_BOUNDSCHECK=1" in capsys.readouterr().err
