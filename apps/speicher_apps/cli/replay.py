"""`speicher replay`: show recorded games move by move, or check them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Annotated, Any, BinaryIO

import typer

from speicher_apps.cli.errors import CommandError, say
from speicher_apps.cli.files import STANDARD_STREAM, lines_of, whole_file
from speicher_apps.cli.progress import progress_bar
from speicher_apps.replay_page import page
from speicher_env import Game, RecordError, check_record
from speicher_env import replay as positions
from speicher_env.record import numbered_lines, parse_line
from speicher_env.render.text import text
from speicher_env.render.words import move_in_words

FAULTS_FOUND = 1


def replay(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="Game records, one a line; - for stdin.")],
    check: Annotated[
        bool, typer.Option("--check", help="Verify deal, moves, legal lists and result; exit 1 on a fault.")
    ] = False,
    game: Annotated[
        int | None,
        typer.Option(metavar="K", help="The game to show or check, 1 the first. [dim]Shown: the first.[/dim]"),
    ] = None,
    move: Annotated[
        int | None, typer.Option(metavar="M", help="Show only the table after M moves, 0 the deal.")
    ] = None,
    html: Annotated[
        str | None, typer.Option("--html", metavar="OUT", help="Write the game as one HTML page to step through.")
    ] = None,
) -> None:
    """Show a recorded game move by move, make a page of it, or check the records of a file.

    In a terminal Enter shows the next move and q stops; otherwise all moves are printed.
    """
    if game is not None and game < 1:
        raise CommandError(f"--game: found {game}, must be a whole number from 1")
    if move is not None and move < 0:
        raise CommandError(f"--move: found {move}, must be a whole number from 0, the deal")
    if check and move is not None:
        raise CommandError("--check looks at all moves, so --move must be left out beside it")
    if html is not None and (check or move is not None):
        beside = "--check" if check else "--move"
        raise CommandError(f"--html makes a page of a whole game, so {beside} must be left out beside it")
    where = "stdin" if file == STANDARD_STREAM else file
    with lines_of(file) as stream:
        if check:
            _check(stream, where, game)
        elif html is not None:
            _write_page(stream, where, 1 if game is None else game, html)
        else:
            _show(stream, where, 1 if game is None else game, move, ask=file != STANDARD_STREAM)


# Checking


def _check(stream: BinaryIO, where: str, wanted: int | None) -> None:
    checked = faults = faulty = 0
    with progress_bar(beside_output=True) as bar:
        task = bar.add_task("games checked", total=None)
        for number, (place, line) in enumerate(numbered_lines(stream, where), start=1):
            if wanted is not None and number != wanted:
                continue
            found = _faults(line, place)
            for fault in found:
                print(fault)
            checked += 1
            faults += len(found)
            faulty += bool(found)
            bar.advance(task)
    if not checked:
        print(_no_such_game(where, wanted))
        raise typer.Exit(FAULTS_FOUND)
    games = f"{checked} game{'s' * (checked != 1)} checked"
    if not faults:
        print(f"{games}, no faults")
        return
    print(f"{games}, {faults} fault{'s' * (faults != 1)} in {faulty} of them")
    raise typer.Exit(FAULTS_FOUND)


def _faults(line: str | bytes, place: str) -> list[str]:
    try:
        record = parse_line(line, place)
    except RecordError as error:
        return [str(error)]
    return [f"{place}: {fault}" for fault in check_record(record)]


def _no_such_game(where: str, wanted: int | None) -> str:
    if wanted is None or wanted == 1:
        return f"{where}: it holds no game, must hold one game record a line"
    return f"{where}: it holds fewer than {wanted} games, --game must be one of them"


# Showing


def _show(stream: BinaryIO, where: str, wanted: int, move: int | None, *, ask: bool) -> None:
    lines = numbered_lines(stream, where)
    place, record = _record(lines, where, wanted)
    try:
        if move is not None:
            _show_one(record, place, move)
        else:
            _show_all(record, place, ask=ask and sys.stdin.isatty() and sys.stdout.isatty())
    except RecordError as error:
        raise RecordError(f"{place}: {error}") from None
    further = sum(1 for _ in lines)
    if further and move is None:
        print(f"\n{where} holds {wanted + further} games; --game shows another than {wanted}.")


def _write_page(stream: BinaryIO, where: str, wanted: int, target: str) -> None:
    lines = numbered_lines(stream, where)
    place, record = _record(lines, where, wanted)
    try:
        document = page(record)
    except RecordError as error:
        raise RecordError(f"{place}: {error}") from None
    with whole_file(target) as file:
        file.write(document)
    further = sum(1 for _ in lines)
    other = f"; {where} holds {wanted + further} games, --game chooses another" if further else ""
    shown = "stdout" if target == STANDARD_STREAM else target
    say(f"{len(record['moves'])} moves written to {shown}{other}")


def _record(lines: Iterator[tuple[str, str | bytes]], where: str, wanted: int) -> tuple[str, dict[str, Any]]:
    for number, (place, line) in enumerate(lines, start=1):
        if number == wanted:
            return place, parse_line(line, place)
    raise CommandError(_no_such_game(where, wanted))


def _show_one(record: dict[str, Any], place: str, move: int) -> None:
    played = 0
    for played, (game, _) in enumerate(positions(record)):
        if played == move:
            _print_table(game)
            return
    raise CommandError(f"{place}: it has {played} moves, --move must be 0..{played}")


def _show_all(record: dict[str, Any], place: str, *, ask: bool) -> None:
    for number, (game, action) in enumerate(positions(record)):
        if number == 0:
            print(f"{place}: {game.num_players} players, {game.deck_name} deck, seed {game.seed}\n")
        _print_table(game)
        if action is None:
            print(f"\n{game!r}")
            return
        if ask and _stops():
            return
        print(f"\nMove {number + 1}: {move_in_words(game.state, action)} ({action})\n")


def _print_table(game: Game) -> None:
    print(text(game.state, color=sys.stdout.isatty() and not os.environ.get("NO_COLOR")))


def _stops() -> bool:
    try:
        return input("\nEnter: next move, q: stop ").strip().lower().startswith("q")
    except EOFError:
        return True
