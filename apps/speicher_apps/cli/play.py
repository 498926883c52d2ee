"""`speicher play`: a game of one's own against other players, in the terminal or in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from speicher_apps.cli.errors import CommandError
from speicher_apps.cli.files import STANDARD_STREAM, lines_of
from speicher_apps.specs import HUMAN, check_untrusted, one_for_each, split_specs
from speicher_env import ArgumentError, Game, RecordError
from speicher_env.arguments import check_players, check_seed, fresh_seed
from speicher_env.messages import must_be
from speicher_env.record import read_records

NOBODY = "none"
DEFAULT_PLAYER = "merchant"
LARGEST_NUMBER = 1_000_000
"""Largest parameter of a player that a record names, so that no record keeps the machine busy for hours."""


def play(
    players: Annotated[int | None, typer.Option(help="Players, 2 to 5. Unless told: 2, or as --against says.")] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC,...",
            help="Who sits in the other seats, clockwise from yours: a spec for each, or one for all. Unless told: "
            f"{DEFAULT_PLAYER}; human for a second person.",
        ),
    ] = None,
    seat: Annotated[
        str | None, typer.Option(help="Your seat, 0 to players - 1, or none to watch. Unless told: 0.")
    ] = None,
    deck: Annotated[
        str | None, typer.Option(help="[bold]standard[/bold] (unless told), [bold]sampled[/bold] or a deck file.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the game. Unless told: a fresh one.")] = None,
    record: Annotated[
        str | None, typer.Option(metavar="FILE", help="Where the game is kept. Unless told: a file named by the seed.")
    ] = None,
    resume: Annotated[
        str | None, typer.Option("--continue", metavar="FILE", help="Go on with a game that was stopped.")
    ] = None,
    hints: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            help=f"Who gives hints when no other is named. Unless told: {DEFAULT_PLAYER}; with --web the baseline for "
            "the table.",
        ),
    ] = None,
    web: Annotated[bool, typer.Option("--web", help="Play on a local page in the browser.")] = False,
    host: Annotated[str, typer.Option(help="With --web: the address to listen on.")] = "127.0.0.1",
    port: Annotated[int | None, typer.Option(help="With --web: the port. Unless told: 8421, or a free one.")] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="With --web: open the page.")] = True,
) -> None:
    """Play a game against other players; ? helps.

    Quitting, Ctrl-C or the end of the input lose nothing: the game is kept in a file, and --continue goes on with it.
    """
    if web:
        _refuse("--web", {"--record": record, "--continue": resume})
        named = not (players is None and against is None and seat is None)
        seats = _seats(players, against, seat) if named else None
        if hints is not None:
            _check([hints], len(seats) if seats else None)
        _serve(seats, deck or "standard", seed, host, port, browser, hints)
        return
    from speicher_apps.terminal import TerminalGame  # loaded here, so that no other command waits for it

    if resume is None:
        seats = _seats(players, against, seat)
        number = fresh_seed() if seed is None else check_seed(seed, "--seed")
        game = Game(len(seats), deck or "standard", number)
        path = _free_name(number) if record is None else _new_file(record)
    else:
        _refuse("--continue", {"--players": players, "--deck": deck, "--seed": seed})
        game, seats = _stopped_game(resume, against, seat)
        path = resume if record is None else _new_file(record)
    hint_giver = DEFAULT_PLAYER if hints is None else hints
    _check([hint_giver], game.num_players)
    TerminalGame(game, seats, path, hint_giver).run()


# What was asked for


def _refuse(option: str, others: dict[str, Any]) -> None:
    for name, value in others.items():
        if value is not None:
            raise ArgumentError(f"{name} does not go with {option}, it must be left out")


def _seats(players: int | None, against: str | None, seat: str | None) -> list[str]:
    """The spec of who sits in each seat, "human" for the person."""
    specs = split_specs(DEFAULT_PLAYER if against is None else against, "--against")
    watched = seat == NOBODY
    told = max(2, len(specs) + (not watched)) if players is None else players
    count = check_players(told, "players with --against" if players is None else "--players")
    others = one_for_each(specs, count - (not watched), "--against", "each other seat")
    _check(others, count)
    if watched:
        return others
    own = _own_seat(seat, count)
    return [HUMAN if number == own else others[(number - own - 1) % count] for number in range(count)]


def _check(specs: list[str], players: int | None) -> None:
    """Refuse specs of no player, or of one that does not play at such a table, before anything is played or written."""
    from speicher_agents import load_agent

    for spec in dict.fromkeys(specs):
        player = load_agent(spec)
        if players is not None:
            player.check_players(players)


def _own_seat(seat: str | None, count: int) -> int:
    if seat is None:
        return 0
    if not (seat.isascii() and seat.isdecimal() and int(seat) < count):
        raise ArgumentError(f"--seat: found {seat!r}, must be a seat 0..{count - 1}, or {NOBODY} to watch")
    return int(seat)


def _serve(
    seats: list[str] | None,
    deck: str,
    seed: int | None,
    host: str,
    port: int | None,
    open_browser: bool,
    hints: str | None,
) -> None:
    from speicher_apps.web import ServeError, serve  # needs more packages than the terminal does

    try:
        serve(seats=seats, deck=deck, seed=seed, host=host, port=port, open_browser=open_browser, hints=hints)
    except ServeError as error:
        raise CommandError(str(error)) from error


# Files


def _free_name(seed: int) -> str:
    """A file in the current folder that is not there yet, named by the game's seed."""
    name, number = f"speicherstadt-{seed}.jsonl", 1
    while Path(name).exists():
        number += 1
        name = f"speicherstadt-{seed}-{number}.jsonl"
    return name


def _new_file(path: str) -> str:
    if path == STANDARD_STREAM:
        raise ArgumentError("--record: found -, must be a file, for the table is shown on stdout")
    if Path(path).is_file() and Path(path).stat().st_size:
        raise CommandError(f"{path}: a file is there already; --continue {path} goes on with its game, or name another")
    return path


def _stopped_game(path: str, against: str | None, seat: str | None) -> tuple[Game, list[str]]:
    """The game of a record and who sits where: as the record says, or as the options do."""
    if path == STANDARD_STREAM:
        raise ArgumentError("--continue: found -, must be a file, for the game is kept in it")
    with lines_of(path) as stream:
        records = list(read_records(stream, path))
    if len(records) != 1:
        raise CommandError(f"{path}: found {len(records)} games, must hold one to go on with")
    place, record = records[0]
    try:
        game = Game.from_record(record)
    except RecordError as error:
        raise RecordError(f"{place}: {error}") from None
    if game.over:
        raise CommandError(f"{path}: its game is over; speicher replay {path} shows it")
    seats = record.get("seats")
    if seats is None or against is not None or seat is not None:
        return game, _seats(game.num_players, against, seat)
    if not isinstance(seats, list) or len(seats) != game.num_players:
        raise RecordError(must_be("seats", seats, f"the spec of a player for each of {game.num_players} seats", place))
    specs = [
        check_untrusted(spec, f"{place}: seats[{number}]", largest=LARGEST_NUMBER, trusted_from="with --against")
        for number, spec in enumerate(seats)
    ]
    _check(specs, game.num_players)
    return game, specs
