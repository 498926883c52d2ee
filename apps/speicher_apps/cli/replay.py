"""`speicher replay`: show recorded games move by move, make a page of one, or check them."""

from __future__ import annotations

import json
import os
import sys
from typing import Annotated, Any, BinaryIO

import typer

from speicher_apps.cli.errors import say
from speicher_apps.cli.files import STANDARD_STREAM, check_page, input_file, output_file
from speicher_apps.cli.options import FORCE, JSON, option
from speicher_apps.cli.progress import progress_bar
from speicher_apps.cli.recorded import check_numbers, no_such_game, position_after, record_at
from speicher_apps.cli.streams import print_text
from speicher_env import ArgumentError, Game, RecordError, check_record
from speicher_env import replay as positions
from speicher_env.reading import path_shown
from speicher_env.record import numbered_lines, parse_line
from speicher_env.render.text import text
from speicher_env.render.words import move_in_words

__all__ = ["EXAMPLES", "FAULTS_FOUND", "replay"]

FAULTS_FOUND = 1
"""Exit code of --check if a record is wrong."""
EXAMPLES = (
    "speicher replay games.jsonl --game 3",
    "speicher replay games.jsonl --html game.html",
    "speicher replay games.jsonl --check --json",
)


def replay(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Game records, one a line; - for stdin.")],
    check: Annotated[
        bool, option("--check", help="Verify deals, moves, legal actions and results; exit code 1 on a fault.")
    ] = False,
    game: Annotated[
        int | None,
        option(metavar="K", help="The game to show or check, from 1. Default: the first; with --check all."),
    ] = None,
    move: Annotated[int | None, option(metavar="M", help="Show only the table after M moves, 0 for the deal.")] = None,
    html: Annotated[
        str | None, option("--html", metavar="OUT", help="Write the game as one HTML page to step through.")
    ] = None,
    force: Annotated[bool, option("--force", help=FORCE)] = False,
    as_json: Annotated[bool, option("--json", help=f"With --check: {JSON[0].lower()}{JSON[1:]}")] = False,
) -> None:
    """Show a recorded game move by move, make a page of it, or check the records of a file.

    In a terminal Enter shows the next move and q stops; otherwise all moves are printed.
    """
    check_numbers(game, move)
    _check_together(check, move, html, force, as_json)
    where = "stdin" if file == STANDARD_STREAM else path_shown(file)
    with input_file(file) as stream:
        if check:
            _check(stream, where, game, as_json)
        elif html is not None:
            check_page(html, file, force)
            _write_page(stream, where, 1 if game is None else game, html)
        else:
            _show(stream, where, 1 if game is None else game, move, ask=file != STANDARD_STREAM)


def _check_together(check: bool, move: int | None, html: str | None, force: bool, as_json: bool) -> None:
    """Refuse options that exclude each other."""
    if check and move is not None:
        raise ArgumentError("--move cannot be used with --check, which looks at all moves.")
    if html is not None and (check or move is not None):
        raise ArgumentError(f"{'--check' if check else '--move'} cannot be used with --html, which shows a whole game.")
    if force and html is None:
        raise ArgumentError("--force can only be used with --html.")
    if as_json and not check:
        raise ArgumentError("--json can only be used with --check.")


# Checking


def _check(stream: BinaryIO, where: str, only: int | None, as_json: bool) -> None:
    faults: list[dict[str, str]] = []
    checked = faulty = 0
    with progress_bar(beside_output=True) as bar:
        task = bar.add_task("games checked", total=None)
        for number, (place, line) in enumerate(numbered_lines(stream, where), start=1):
            if only is not None and number != only:
                continue
            messages = _faults(line, place)
            faults += [{"place": place, "fault": message} for message in messages]
            if not as_json:
                for message in messages:
                    print_text(f"{place}: {message}")
            checked += 1
            faulty += bool(messages)
            bar.advance(task)
    if not checked:
        fault = no_such_game(where, only)
        faults.append({"place": where, "fault": fault})
        if not as_json:
            print_text(fault)
    if as_json:
        print(json.dumps({"games": checked, "faulty": faulty, "faults": faults}, indent=1))
    elif checked:
        games = f"{checked} game{'s' * (checked != 1)} checked"
        counts = f"{len(faults)} fault{'s' * (len(faults) != 1)} in {faulty} of them"
        print(f"{games}, {counts if faults else 'no faults'}")
    if faults:
        raise typer.Exit(FAULTS_FOUND)


def _faults(line: str | bytes, place: str) -> list[str]:
    try:
        record = parse_line(line, place)
    except RecordError as error:
        return [str(error).removeprefix(f"{place}: ")]
    return check_record(record)


# Showing


def _show(stream: BinaryIO, where: str, number: int, move: int | None, *, ask: bool) -> None:
    lines = numbered_lines(stream, where)
    place, record = record_at(lines, where, number)
    try:
        if move is not None:
            _print_table(position_after(record, place, move))
        else:
            _show_all(record, place, ask=ask and sys.stdin.isatty() and sys.stdout.isatty())
    except RecordError as error:
        raise RecordError(f"{place}: {error}") from None
    further = 0 if move is not None else sum(1 for _ in lines)
    if further:
        print_text(f"\n{where} has {number + further} games; --game shows another than {number}.")


def _write_page(stream: BinaryIO, where: str, number: int, target: str) -> None:
    from speicher_apps.replay_page import page  # drawing is loaded only here

    lines = numbered_lines(stream, where)
    place, record = record_at(lines, where, number)
    try:
        document = page(record)
    except RecordError as error:
        raise RecordError(f"{place}: {error}") from None
    with output_file(target) as file:
        file.write(document)
    further = sum(1 for _ in lines)
    other = f"; {where} has {number + further} games, --game chooses another" if further else ""
    shown = "stdout" if target == STANDARD_STREAM else path_shown(target)
    say(f"{len(record['moves'])} moves written to {shown}{other}")


def _show_all(record: dict[str, Any], place: str, *, ask: bool) -> None:
    for number, (game, action) in enumerate(positions(record)):
        if number == 0:
            print_text(f"{place}: {game.num_players} players, {game.deck_name} deck, seed {game.seed}\n")
        _print_table(game)
        if action is None:
            print_text(f"\n{game!r}")
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
