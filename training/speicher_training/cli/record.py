"""`speicher record`: play games and write their records."""

from __future__ import annotations

from typing import Annotated

import typer

from speicher_env import ArgumentError, Game
from speicher_env.arguments import check_players, check_seed, fresh_seed
from speicher_env.record import line_of
from speicher_env.rules.stream import PLAY_STREAM, below, start_stream
from speicher_training.cli.errors import INTERRUPTED, say
from speicher_training.cli.files import STANDARD_STREAM, interruptible, whole_file
from speicher_training.cli.progress import progress_bar


def record(
    players: Annotated[int, typer.Option(help="Players, 2 to 5.")] = 2,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the first game; each further game takes the next. None: a fresh one.")
    ] = None,
    games: Annotated[int, typer.Option(help="How many games.")] = 1,
    deck: Annotated[str, typer.Option(help="[bold]standard[/bold], [bold]sampled[/bold] or a deck file.")] = "standard",
    legal: Annotated[bool, typer.Option("--legal", help="List the legal actions with every move.")] = False,
    output: Annotated[
        str, typer.Option("--output", "-o", help="File to write, - for stdout; it appears when all is done.")
    ] = STANDARD_STREAM,
) -> None:
    """Play games with random players and write their records, one JSON object a line.

    Ctrl-C ends the work after the game being played and keeps the finished ones.
    """
    check_players(players, "--players")
    if games < 1:
        raise ArgumentError(f"--games: found {games}, must be a whole number from 1")
    first = fresh_seed() if seed is None else check_seed(seed, "--seed")
    check_seed(first + games - 1, "--seed of the last game")
    Game(players, deck, first)  # a deck that is none is refused before a file is touched
    finished = 0
    bar = progress_bar(beside_output=output == STANDARD_STREAM)
    with interruptible() as interrupted, whole_file(output) as stream, bar:
        say(f"seed {first}")
        task = bar.add_task("games", total=games)
        while finished < games and not interrupted():
            game = Game(players, deck, first + finished)
            play_at_random(game)
            stream.write(line_of(game.to_record(legal=legal)))
            stream.flush()
            finished += 1
            bar.advance(task)
        if not finished:
            say("interrupted before a game was finished, nothing was written")
            raise typer.Exit(INTERRUPTED)  # the file that may be there stays
    where = "stdout" if output == STANDARD_STREAM else output
    seeds = f"seed {first}" if finished == 1 else f"seeds {first}..{first + finished - 1}"
    told = f"{finished} of {games} games" if finished < games else f"{games} game{'s' * (games > 1)}"
    say(f"{told} of {players} players written to {where}, {seeds}")
    if finished < games:
        raise typer.Exit(INTERRUPTED)


def play_at_random(game: Game) -> None:
    """Play a game to its end, every legal action equally likely, by a stream of the game's seed apart from the deal."""
    stream = start_stream(game.seed, PLAY_STREAM)
    while not game.over:
        legal = game.legal_ids()
        choice, stream = below(stream, len(legal))
        game.play(legal[choice])
