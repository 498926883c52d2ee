"""`speicher play`: play a game against other players, in the terminal or in the browser."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from speicher_apps.cli.errors import CommandError
from speicher_apps.cli.files import STANDARD_STREAM, check_new_file, input_file
from speicher_apps.cli.options import DECK, option, players_option
from speicher_apps.specs import HUMAN, check_untrusted, one_for_each, split_specs
from speicher_env import ArgumentError, Game, RecordError
from speicher_env.arguments import check_players, check_seed, fresh_seed
from speicher_env.messages import must_be
from speicher_env.reading import path_shown
from speicher_env.record import read_records

__all__ = ["EXAMPLES", "play"]

NOBODY = "none"
DEFAULT_PLAYER = "merchant"
LARGEST_NUMBER = 1_000_000
"""Largest parameter of a player that a record names, so that no record keeps the machine busy for hours."""
EXAMPLES = (
    "speicher play",
    "speicher play --players 3 --against merchant,mcts:1000",
    "speicher play --web --against baseline",
    "speicher play --continue game.jsonl",
)


def play(
    players: Annotated[int | None, players_option("--against")] = None,
    against: Annotated[
        str | None,
        option(
            metavar="SPEC,...",
            help="Players in the other seats, clockwise from yours: a spec for each, or one for all; human for a "
            f"second person. Default: {DEFAULT_PLAYER}.",
        ),
    ] = None,
    seat: Annotated[str | None, option(help="Your seat, from 1, or none to watch. Default: 1.")] = None,
    deck: Annotated[str | None, option(help=DECK)] = None,
    seed: Annotated[int | None, option(help="Seed of the game. Default: a random one.")] = None,
    record: Annotated[
        str | None, option(metavar="FILE", help="A new file for the game. Default: named after the seed.")
    ] = None,
    resume: Annotated[str | None, option("--continue", metavar="FILE", help="Resume a game that was stopped.")] = None,
    hints: Annotated[
        str | None,
        option(
            metavar="SPEC",
            help=f"The player that gives hints. Default: {DEFAULT_PLAYER}; with --web the baseline for the number of "
            "players.",
        ),
    ] = None,
    web: Annotated[bool, option("--web", help="Play on a local page in the browser.")] = False,
    host: Annotated[
        str, option(help="With --web: the address to listen on. Default: 127.0.0.1, this machine alone.")
    ] = "127.0.0.1",
    port: Annotated[int | None, option(help="With --web: the port. Default: 8421, or any free one.")] = None,
    browser: Annotated[
        bool, option("--browser/--no-browser", help="With --web: open the page. Default: open it.")
    ] = True,
) -> None:
    """Play a game against other players; ? helps.

    Quitting, Ctrl-C or the end of the input lose nothing: the game is in a file, and --continue resumes it.
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


# Options


def _refuse(with_option: str, others: dict[str, Any]) -> None:
    for name, value in others.items():
        if value is not None:
            raise ArgumentError(f"{name} cannot be used with {with_option}.")


def _seats(players: int | None, against: str | None, seat: str | None) -> list[str]:
    """The spec of the player in each seat, "human" for the person."""
    specs = split_specs(DEFAULT_PLAYER if against is None else against, "--against")
    watched = seat == NOBODY
    number = max(2, len(specs) + (not watched)) if players is None else players
    count = check_players(number, "players with --against" if players is None else "--players")
    others = one_for_each(specs, count - (not watched), "--against", "each other seat")
    _check(others, count)
    if watched:
        return others
    person = _seat_of_person(seat, count)
    return [HUMAN if number == person else others[(number - person - 1) % count] for number in range(count)]


def _check(specs: list[str], players: int | None) -> None:
    """Refuse specs of no player, or of one that does not play with that many, before anything is played or written."""
    from speicher_agents import load_agent

    for spec in dict.fromkeys(specs):
        player = load_agent(spec)
        if players is not None:
            player.check_players(players)


def _seat_of_person(seat: str | None, count: int) -> int:
    if seat is None:
        return 0
    if seat not in map(str, range(1, count + 1)):
        raise ArgumentError(must_be("--seat", seat, f"a seat 1..{count}, or {NOBODY} to watch"))
    return int(seat) - 1


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
    """A new file in the current folder, named after the game's seed."""
    name, number = f"speicherstadt-{seed}.jsonl", 1
    while Path(name).exists():
        number += 1
        name = f"speicherstadt-{seed}-{number}.jsonl"
    return name


def _new_file(path: str) -> str:
    if path == STANDARD_STREAM:
        raise ArgumentError(must_be("--record", path, "a file, for the table is shown on stdout"))
    check_new_file(path, f"--continue {path_shown(path)} resumes its game")
    return path


def _stopped_game(path: str, against: str | None, seat: str | None) -> tuple[Game, list[str]]:
    """The game of a record and the spec of each seat, from the record or from the options."""
    if path == STANDARD_STREAM:
        raise ArgumentError(must_be("--continue", path, "a file, for the game is stored in it"))
    with input_file(path) as stream:
        records = list(islice(read_records(stream, path_shown(path)), 2))
    if len(records) != 1:
        raise CommandError(f"{path_shown(path)}: has {'several games' if records else 'no game'}; must have one game.")
    place, record = records[0]
    try:
        game = Game.from_record(record)
    except RecordError as error:
        raise RecordError(f"{place}: {error}") from None
    if game.over:
        raise CommandError(f"{path_shown(path)}: the game is over; speicher replay {path_shown(path)} shows it.")
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
