"""The command as a whole: version, help, and one sentence instead of a traceback."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from typing import Any

import pytest
import typer

from speicher_apps.cli import main
from speicher_apps.cli.app import COMMANDS, app
from tests.support.command import speicher


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert speicher("--version") == 0
    assert capsys.readouterr().out == f"speicher-env {importlib.metadata.version('speicher-env')}\n"


@pytest.mark.parametrize("arguments", [[], ["--help"], ["record", "--help"], ["replay", "--help"]])
def test_help(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert speicher(*arguments) == 0
    out = capsys.readouterr().out
    assert "Usage: speicher" in out
    assert "completion" not in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["frobnicate"], "'frobnicate', see speicher --help"),
        (["record", "--zzz"], "--zzz, see speicher record --help"),
        (["record", "--players", "two"], '--players="two": must be a whole number.'),
        (["record", "--seed=one"], '--seed="one": must be a whole number.'),
        (["arena", "random", "--timeout", "long"], '--timeout="long": must be a number.'),
        (["arena", "random", "frugal", "--seed", "-1"], '--seed="-1": must be a whole number 0..2**64-1, evaluation'),
        (["record", "--players", "6"], "--players=6: must be 2, 3, 4 or 5"),
        (["record", "--seed", "-1"], "--seed=-1: must be a whole number 0..2**64-1"),
        (["record", "--games", "2", "--seed", str(2**64 - 1)], "--seed of the last game=18446744073709551616"),
        (["record", "--games", "0"], "--games=0: must be a whole number, 1 or more"),
        (["record", "--deck", "standart"], 'did you mean "standard"?'),
        (["record", "-o", "{folder}"], "is a directory; must be a file to write, or - for stdout."),
        (["record", "-o", "{folder}/none/games.jsonl"], "there is no directory"),
        (["replay"], "see speicher replay --help"),
        (["replay", "{folder}/none.jsonl"], "there is no such file; must be a file of game records, or - for stdin."),
        (["replay", "{folder}"], "it is a folder; must be a file of game records"),
        (["replay", "x", "--game", "0"], "--game=0: must be a whole number from 1"),
        (["replay", "x", "--move", "-1"], "--move=-1: must be a whole number from 0"),
        (["replay", "x", "--check", "--move", "1"], "--move cannot be used with --check"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(
    arguments: list[str], words: str, tmp_path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert speicher(*(argument.format(folder=tmp_path) for argument in arguments)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("speicher: ") and err.count("\n") == 1
    assert words in err


def test_every_command_has_examples_and_texts_that_the_terminal_shows_whole() -> None:
    group: Any = typer.main.get_command(app)
    assert set(group.commands) == set(COMMANDS)
    for name, command in group.commands.items():
        assert f"speicher {name}" in command.epilog, name
        assert all("\n" not in paragraph for paragraph in command.help.split("\n\n")), f"{name} breaks lines by itself"
        for parameter in command.params:
            assert parameter.help, f"{name} {parameter.name}"
            assert "[" not in parameter.help, f"{name} {parameter.name}: the terminal takes brackets for markup"


@pytest.mark.parametrize("package", ["typer", "rich"])
def test_without_its_packages_the_command_names_the_extra(
    package: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith("speicher_apps.cli.")]:
        monkeypatch.delitem(sys.modules, name)
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    assert speicher("--version") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1 and "pip install 'speicher-env[cli]'" in err


def test_a_fault_of_our_own_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "speicher_apps.cli.app", raising=False)
    monkeypatch.setitem(sys.modules, "speicher_env.record", None)
    for name in ("speicher_apps.cli.record", "speicher_apps.cli.replay"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(ModuleNotFoundError):
        main(["--version"])


def test_the_console_script_is_installed() -> None:
    run = subprocess.run(
        [sys.executable, "-c", "from speicher_apps.cli import main; main()", "--version"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    (script,) = importlib.metadata.entry_points(group="console_scripts", name="speicher")
    assert script.load() is main
