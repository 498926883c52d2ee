"""`speicher record`: play games and write their records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from speicher_apps.cli.errors import INTERRUPTED, CommandError, say
from speicher_apps.cli.files import STANDARD_STREAM, check_new_file, interruptible, output_file
from speicher_apps.cli.options import DECK, FORCE, option, players_option
from speicher_apps.cli.progress import progress_bar
from speicher_apps.cli.usage import say_usage
from speicher_apps.specs import HUMAN, one_for_each, split_specs
from speicher_env import ArgumentError, Game
from speicher_env.arguments import check_count, check_players, check_seed, fresh_seed
from speicher_env.messages import must_be
from speicher_env.reading import path_shown
from speicher_env.record import line_of
from speicher_env.rules.stream import PLAY_STREAM, below, start_stream

if TYPE_CHECKING:
    from speicher_agents import Agent

__all__ = ["EXAMPLES", "play_at_random", "record"]

EXAMPLES = (
    "speicher record --games 100 --seed 1 -o games.jsonl",
    "speicher record --with merchant,mcts:500 --think -o games.jsonl",
    "speicher record --players 4 --deck sampled | speicher replay -",
)


def record(
    players: Annotated[int | None, players_option("--with")] = None,
    seed: Annotated[
        int | None, option(help="Seed of the first game; each further game has the next seed. Default: a random one.")
    ] = None,
    games: Annotated[int, option(help="Number of games. Default: 1.")] = 1,
    deck: Annotated[str, option(help=DECK)] = "standard",
    players_named: Annotated[
        str | None,
        option(
            "--with", metavar="SPEC,...", help="Players: a spec for each seat, or one for all. Default: random moves."
        ),
    ] = None,
    think: Annotated[
        bool, option("--think", help="Record what the players thought of each move, as far as they can tell.")
    ] = False,
    legal: Annotated[bool, option("--legal", help="Record the legal actions of each move.")] = False,
    output: Annotated[
        str, option("--output", "-o", help="File to write, complete or not at all; - for stdout. Default: -.")
    ] = STANDARD_STREAM,
    force: Annotated[bool, option("--force", help=FORCE)] = False,
) -> None:
    """Play games and write their records, one JSON object a line.

    Ctrl-C ends the command after the current game and keeps the finished ones.
    """
    if think and players_named is None:
        raise ArgumentError("--think: random moves have no thoughts; name players with --with.")
    specs = None if players_named is None else split_specs(players_named, "--with")
    count = check_players(max(2, len(specs or ())) if players is None else players, "--players")
    check_count("--games", games)
    first = fresh_seed() if seed is None else check_seed(seed, "--seed")
    check_seed(first + games - 1, "--seed of the last game")
    if not force:
        check_new_file(output)
    Game(count, deck, first)  # a wrong deck is refused before a file is touched
    table = None if specs is None else _Recorder(one_for_each(specs, count, "--with", "each seat"), count, think=think)
    finished = 0
    failure: CommandError | None = None
    bar = progress_bar(beside_output=output == STANDARD_STREAM)
    with interruptible() as interrupted, output_file(output) as stream, bar:
        say(f"seed {first}")
        task = bar.add_task("games", total=games)
        while finished < games and not interrupted():
            game = Game(count, deck, first + finished)
            extra: dict[str, Any] = {}
            try:
                if table is None:
                    play_at_random(game)
                else:
                    extra = table.play(game)
            except CommandError as error:  # a player failed; the games before are kept
                failure = error
                break
            stream.write(line_of(game.to_record(legal=legal) | extra))
            stream.flush()
            finished += 1
            bar.advance(task)
        if not finished:
            if failure is not None:
                raise failure
            say("interrupted before a game was finished, nothing was written")
            raise typer.Exit(INTERRUPTED)  # a file that exists stays as it is
    where = "stdout" if output == STANDARD_STREAM else path_shown(output)
    seeds = f"seed {first}" if finished == 1 else f"seeds {first}..{first + finished - 1}"
    progress = f"{finished} of {games} games" if finished < games else f"{games} game{'s' * (games > 1)}"
    say(f"{progress} of {count} players written to {where}, {seeds}")
    if table is not None:
        say_usage(table.specs, table.agents)
    if failure is not None:
        raise failure
    if finished < games:
        raise typer.Exit(INTERRUPTED)


def play_at_random(game: Game) -> None:
    """Play a game to its end with uniformly random legal actions, from a stream of the game's seed for play alone."""
    stream = start_stream(np.uint64(game.seed), PLAY_STREAM)
    while not game.over:
        legal = game.legal_ids()
        choice, stream = below(stream, len(legal))
        game.play(legal[choice])


class _Recorder:
    """Players by spec that play whole games."""

    def __init__(self, specs: list[str], players: int, *, think: bool) -> None:
        from speicher_agents import load_agent  # loaded here, so that no other command waits for it

        for spec in specs:
            if spec.partition(":")[0] == HUMAN:
                raise ArgumentError(must_be("--with", spec, "a player that decides by itself"))
        self.specs = specs
        self.think = think
        self.agents: list[Agent] = [load_agent(spec) for spec in specs]
        for agent in self.agents:
            agent.check_players(players)

    def play(self, game: Game) -> dict[str, Any]:
        """Play a game to its end; the keys that its record has besides: the seats and the thoughts."""
        from speicher_agents import seed_for
        from speicher_env.thoughts import Thought

        for number, agent in enumerate(self.agents):
            agent.reset(seed_for(game.seed, number))
        thoughts = []
        while (seat := game.player) is not None:
            spec, agent = self.specs[seat], self.agents[seat]
            try:
                action, thought = agent.action_and_thought(game) if self.think else (agent.action(game), None)
            except ArgumentError as error:
                raise CommandError(f"seed {game.seed}: {error}") from error
            except Exception as error:  # a user's own player may raise anything
                failure = f"player {spec} failed with {type(error).__name__}: {error}"
                raise CommandError(f"seed {game.seed}: {failure}") from error
            if self.think:
                thoughts.append((thought or Thought()).entry(spec))
            game.play(action)
        return {"seats": self.specs, **({"think": thoughts} if self.think else {})}
