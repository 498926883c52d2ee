"""`speicher record`: play games and write their records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from speicher_apps.cli.errors import INTERRUPTED, CommandError, say
from speicher_apps.cli.files import STANDARD_STREAM, interruptible, whole_file
from speicher_apps.cli.progress import progress_bar
from speicher_apps.specs import one_for_each, split_specs
from speicher_env import ArgumentError, Game
from speicher_env.arguments import check_players, check_seed, fresh_seed
from speicher_env.record import line_of
from speicher_env.rules.stream import PLAY_STREAM, below, start_stream

if TYPE_CHECKING:
    from speicher_agents import Agent


def record(
    players: Annotated[
        int | None, typer.Option(help="Players, 2 to 5. Unless told: 2, or as many as --with names.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the first game; each further game takes the next. None: a fresh one.")
    ] = None,
    games: Annotated[int, typer.Option(help="How many games.")] = 1,
    deck: Annotated[str, typer.Option(help="[bold]standard[/bold], [bold]sampled[/bold] or a deck file.")] = "standard",
    players_named: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="SPEC,...",
            help="Who plays: a spec for each seat, or one for all. Unless told: at random.",
        ),
    ] = None,
    think: Annotated[
        bool, typer.Option("--think", help="Keep what the players thought of every move, as far as they can tell.")
    ] = False,
    legal: Annotated[bool, typer.Option("--legal", help="List the legal actions with every move.")] = False,
    output: Annotated[
        str, typer.Option("--output", "-o", help="File to write, - for stdout; it appears when all is done.")
    ] = STANDARD_STREAM,
) -> None:
    """Play games and write their records, one JSON object a line.

    Ctrl-C ends the work after the game being played and keeps the finished ones.
    """
    if think and players_named is None:
        raise ArgumentError("--think: players at random think nothing, --with must name others")
    specs = None if players_named is None else split_specs(players_named, "--with")
    count = check_players(max(2, len(specs or ())) if players is None else players, "--players")
    if games < 1:
        raise ArgumentError(f"--games: found {games}, must be a whole number from 1")
    first = fresh_seed() if seed is None else check_seed(seed, "--seed")
    check_seed(first + games - 1, "--seed of the last game")
    Game(count, deck, first)  # a deck that is none is refused before a file is touched
    table = None if specs is None else _Table(one_for_each(specs, count, "--with", "each seat"), count, think=think)
    finished = 0
    failure: CommandError | None = None
    bar = progress_bar(beside_output=output == STANDARD_STREAM)
    with interruptible() as interrupted, whole_file(output) as stream, bar:
        say(f"seed {first}")
        task = bar.add_task("games", total=games)
        while finished < games and not interrupted():
            game = Game(count, deck, first + finished)
            further: dict[str, Any] = {}
            try:
                if table is None:
                    play_at_random(game)
                else:
                    further = table.play(game)
            except CommandError as error:  # a player failed, and the games before are as good as they were
                failure = error
                break
            stream.write(line_of(game.to_record(legal=legal) | further))
            stream.flush()
            finished += 1
            bar.advance(task)
        if not finished:
            if failure is not None:
                raise failure
            say("interrupted before a game was finished, nothing was written")
            raise typer.Exit(INTERRUPTED)  # the file that may be there stays
    where = "stdout" if output == STANDARD_STREAM else output
    seeds = f"seed {first}" if finished == 1 else f"seeds {first}..{first + finished - 1}"
    told = f"{finished} of {games} games" if finished < games else f"{games} game{'s' * (games > 1)}"
    say(f"{told} of {count} players written to {where}, {seeds}")
    if failure is not None:
        raise failure
    if finished < games:
        raise typer.Exit(INTERRUPTED)


def play_at_random(game: Game) -> None:
    """Play a game to its end, every legal action equally likely, by a stream of the game's seed apart from the deal."""
    stream = start_stream(game.seed, PLAY_STREAM)
    while not game.over:
        legal = game.legal_ids()
        choice, stream = below(stream, len(legal))
        game.play(legal[choice])


class _Table:
    """Players by spec who play whole games."""

    def __init__(self, specs: list[str], players: int, *, think: bool) -> None:
        from speicher_agents import load_agent  # loaded here, so that no other command waits for it

        self.specs = specs
        self.think = think
        self.agents: list[Agent] = [load_agent(spec) for spec in specs]
        for agent in self.agents:
            agent.check_players(players)

    def play(self, game: Game) -> dict[str, Any]:
        """Play a game to its end; what its record tells beyond the game: who played, and what they thought."""
        from speicher_agents import seed_for
        from speicher_agents.thought import Thought

        for number, agent in enumerate(self.agents):
            agent.reset(seed_for(game.seed, number))
        thoughts = []
        while (seat := game.player) is not None:
            spec = self.specs[seat]
            try:
                agent = self.agents[seat]
                action, thought = agent.action_and_thought(game) if self.think else (agent.action(game), None)
            except ArgumentError as error:
                raise CommandError(f"seed {game.seed}: {error}") from error
            except Exception as error:  # whatever somebody's own player raises
                failed = f"player {spec} failed with {type(error).__name__}: {error}"
                raise CommandError(f"seed {game.seed}: {failed}") from error
            if self.think:
                thoughts.append((thought or Thought()).entry(spec))
            game.play(action)
        return {"seats": self.specs, **({"think": thoughts} if self.think else {})}
