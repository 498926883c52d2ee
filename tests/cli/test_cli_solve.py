"""`speicher solve`: what it says of a position is what `Game.solve` found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from speicher_env import Game
from speicher_env.record import line_of
from speicher_env.solve import is_before_last, is_determined
from tests.support.command import speicher
from tests.support.games import random_game

GAMES = [random_game(2, seed=4), random_game(2, seed=3, decisions=4)]


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "games.jsonl"
    path.write_text("".join(line_of(game.to_record()) for game in GAMES))
    return str(path)


def last_round() -> Game:
    """The first game where its last round begins."""
    game = GAMES[0].start()
    for action in GAMES[0].move_ids or []:
        if is_determined(game):
            break
        game.play(action)
    return game


def after(moves: int) -> Game:
    """The first game after a number of its moves."""
    game = GAMES[0].start()
    for action in (GAMES[0].move_ids or [])[:moves]:
        game.play(action)
    return game


def test_the_last_round_is_solved_and_the_best_action_comes_first(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert speicher("solve", file) == 0
    out = capsys.readouterr().out
    game = last_round()
    found = game.solve()
    assert out.startswith(str(game))
    assert f"After {len(game.moves or [])} moves, seat {game.player + 1} to move. Solved exactly," in out
    rows = out.splitlines()[-len(found.values) :]
    assert rows[0].startswith(f"> {found.best[0]} ")
    assert [row.startswith(">") for row in rows].count(True) == len(found.best)
    for action, value in found.values.items():
        (row,) = [row for row in rows if f" {action} " in row]
        prospect = value.prospects[found.seat]
        assert ("wins" if prospect.share == 1 else "shares" if prospect.share else "loses") in row
        assert f"points {value.points[0]}, {value.points[1]}" in row
        assert f"by {abs(prospect.lead)} " in row or prospect.lead == 0


def test_json_has_the_values_of_every_seat(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    game = last_round()
    game.play(game.solve().best[0])
    moves = len(game.moves or [])
    path = Path(file)
    path.write_text(line_of(game.to_record()))
    assert speicher("solve", file, "--move", str(moves), "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    found = game.solve()
    assert (shown["move"], shown["seat"], shown["exact"]) == (moves, game.player, True)
    assert shown["best"] == list(found.best) and list(shown["values"]) == game.legal()
    for action, value in found.values.items():
        assert shown["values"][action]["points"] == list(value.points)
        assert shown["values"][action]["shares"] == list(value.shares)
        assert shown["values"][action]["worst"][0] == {"share": value.worst[0].share, "lead": value.worst[0].lead}


def test_the_round_before_the_last_is_shown_as_means_over_its_supplies(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    moves = GAMES[0].move_ids or []
    last = max(number for number in range(len(moves)) if is_before_last(after(number)))
    game = after(last)
    found = game.solve()
    assert found.exact and found.supplies > 1
    assert speicher("solve", file, "--move", str(last)) == 0
    out = capsys.readouterr().out
    assert f", means over {found.supplies} different supplies." in out
    for action, value in found.values.items():
        share, lead = value.prospects[found.seat]
        (row,) = [row for row in out.splitlines() if f" {action} " in row and "wins" in row]
        assert f"wins {100 * share:.1f} %, lead {lead:+.2f}" in row
    assert speicher("solve", file, "--move", str(last), "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["supplies"] == found.supplies
    assert shown["values"][found.best[0]]["points"] == list(found.value.points)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--game", "2"], "cards are left to be drawn, it is not one of the last two rounds."),
        (["--move", "0"], "cards are left to be drawn"),
        (["--limit", "3"], "it takes more than 3 positions."),
    ],
)
def test_what_is_not_solved_is_said_with_exit_code_1(
    options: list[str], reason: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert speicher("solve", file, *options) == 1
    assert f"Not solved: {reason}" in capsys.readouterr().out
    assert speicher("solve", file, *options, "--json") == 1
    assert json.loads(capsys.readouterr().out)["exact"] is False


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--game", "3"], "has fewer than 3 games; --game must be one of them."),
        (["--move", "999"], "--move=999: must be 0.."),
        (["--move", "-1"], "--move=-1: must be a whole number from 0"),
        (["--limit", "0"], "limit=0: must be a whole number, 1 or more."),
    ],
)
def test_a_position_that_is_not_there_is_refused(
    options: list[str], words: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert speicher("solve", file, *options) == 2
    out, err = capsys.readouterr()
    assert out == "" and words in err and err.count("\n") == 1


def test_a_finished_game_has_no_decision_to_solve(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert speicher("solve", file, "--move", str(len(GAMES[0].moves or []))) == 2
    assert "the game is over, so there is no decision to solve." in capsys.readouterr().err
