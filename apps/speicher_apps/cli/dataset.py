"""`speicher dataset`: make a dataset of the decisions of players, or of recorded games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import numpy as np
import typer

from speicher_apps.cli.errors import INTERRUPTED, CommandError, say
from speicher_apps.cli.files import input_file, interruptible
from speicher_apps.cli.options import DECK, option
from speicher_apps.cli.progress import progress_bar
from speicher_apps.record_shards import LICENSE, RecordShards
from speicher_apps.specs import HUMAN, one_for_each, split_specs
from speicher_env import ArgumentError, Game, RecordError, read_records
from speicher_env.arguments import check_count, check_players, check_seed, fresh_seed
from speicher_env.batch import Batch, Failure
from speicher_env.batch.opponents import RANDOM_SPEC
from speicher_env.deal import DeckArgument
from speicher_env.deck import SAMPLED, STANDARD, STANDARD_EDITION, resolve_deck
from speicher_env.messages import must_be
from speicher_env.reading import path_shown
from speicher_env.views import CompiledPlayer

if TYPE_CHECKING:
    from speicher_env.integrations.minari import MinariWriter

__all__ = ["EXAMPLES", "dataset"]

GAMES = 1000
SHARD = 10_000
COMPILED_AT_ONCE, OTHERS_AT_ONCE = 64, 8
"""Games that are played side by side, by players compiled into the step and by others."""
EXAMPLES = (
    "speicher dataset --with merchant --games 2000 --seed 1 --minari speicherstadt/merchant-2p-v0",
    "speicher dataset games.jsonl --seats winners --minari speicherstadt/mine-v0",
    "speicher dataset --with merchant,mcts:200 --games 100000 --records data/merchant-mcts",
)


def dataset(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="RECORDS", help="Files of game records, .jsonl or .jsonl.gz; - for stdin."),
    ] = None,
    players_named: Annotated[
        str | None, option("--with", metavar="SPEC,...", help="Players: a spec for each seat, or one for all.")
    ] = None,
    players: Annotated[
        int | None, option(help="Number of players, 2 to 5. Default: as many as --with names, at least 2.")
    ] = None,
    games: Annotated[int | None, option(help=f"Number of games to play. Default: {GAMES}.")] = None,
    seed: Annotated[
        int | None, option(help="Seed of the first game; each further game has the next seed. Default: a random one.")
    ] = None,
    deck: Annotated[str | None, option(help=DECK)] = None,
    minari: Annotated[
        str | None,
        option(metavar="ID", help="Write a Minari dataset: NAMESPACE/NAME-vNUMBER. Needs the extra data."),
    ] = None,
    seats: Annotated[str, option(help="With --minari: whose episodes, all, winners or a seat. Default: all.")] = "all",
    reward: Annotated[
        str, option(help="With --minari: outcome, rank or margin, paid with the last action. Default: outcome.")
    ] = "outcome",
    dtype: Annotated[
        str,
        option(help="With --minari: of observations, float32 or, in a quarter of the space, uint8. Default: float32."),
    ] = "float32",
    records: Annotated[
        str | None, option(metavar="FOLDER", help="Write game records: compressed files and their description.")
    ] = None,
    shard: Annotated[int, option(help=f"With --records: games in one file. Default: {SHARD}.")] = SHARD,
    author: Annotated[str, option(help="Who makes the dataset.")] = "",
    license: Annotated[str, option(metavar="URL", help="With --records: its licence. Default: MIT.")] = LICENSE,
    url: Annotated[str, option(metavar="URL", help="With --records: where it is published.")] = "",
) -> None:
    """Make a dataset of the decisions of players, or of recorded games.

    A Minari dataset holds what the seats saw and did. Game records hold whole games, in far less space.
    Ctrl-C ends the command after the current games and keeps the finished ones.
    """
    if minari is None and records is None:
        raise ArgumentError("the dataset needs a kind and a name: --minari ID, --records FOLDER or both.")
    check_count("--shard", shard)
    options = {"--with": players_named, "--players": players, "--games": games, "--seed": seed, "--deck": deck}
    source: _Source
    if files:
        for name, value in options.items():
            if value is not None:
                raise ArgumentError(f"{name} cannot be used with files of records, whose games are played already.")
        source = _Recorded(files)
    else:
        source = _Played(players_named, players, games, seed, deck)
    with ExitStack() as stack:
        interrupted = stack.enter_context(interruptible())
        writers: list[MinariWriter | RecordShards] = []
        if minari is not None:
            writers.append(stack.enter_context(_minari(source, minari, seats, reward, dtype, author)))
        if records is not None:
            shards = RecordShards(Path(records), shard, made_by=source.made_by, author=author, license=license, url=url)
            writers.append(stack.enter_context(shards))
        say(source.announcement)
        bar = stack.enter_context(progress_bar())
        task = bar.add_task("games", total=source.total)
        for game in source.games():
            for writer in writers:
                writer.add(game)
            bar.advance(task)
            if interrupted():
                break
    for writer in writers:
        say(_written(writer))
    if interrupted():
        raise typer.Exit(INTERRUPTED)


def _minari(source: _Source, dataset_id: str, seats: str, reward: str, dtype: str, author: str) -> MinariWriter:
    try:
        from speicher_env.integrations.minari import MinariWriter
    except ModuleNotFoundError as error:
        raise CommandError(f"--minari: {error}") from None
    return MinariWriter(
        dataset_id,
        source.players,
        source.deck,
        int(seats) if seats.isascii() and seats.isdecimal() else seats,
        reward,
        dtype=dtype,
        opponents=source.opponents,
        algorithm=source.algorithm,
        author=author,
        description=f"Games of Die Speicherstadt for {source.players} players, {source.made_by}.",
    )


def _written(writer: MinariWriter | RecordShards) -> str:
    games = f"{writer.games} game{'s' * (writer.games != 1)}"
    if not writer.games:
        return "no game was finished, nothing was written"
    if isinstance(writer, RecordShards):
        return f"{games} written to {path_shown(writer.folder)}"
    return f"{writer.episodes} episodes of {games}, {writer.steps} decisions, written to Minari: {writer.dataset_id}"


class _Source(Protocol):
    """Where the games come from."""

    players: int
    total: int | None
    """Games; None where it is not known before."""
    deck: DeckArgument
    opponents: str
    """Who plays the other seats of the environment that belongs to the dataset."""
    algorithm: str
    made_by: str
    """The end of a sentence that begins with "Games of ..."."""
    announcement: str

    def games(self) -> Iterator[Game]:
        """The finished games."""


class _Played:
    """Games that are played now."""

    def __init__(
        self, named: str | None, players: int | None, games: int | None, seed: int | None, deck: str | None
    ) -> None:
        if named is None:
            raise ArgumentError("the games need players or files: --with SPEC,... or files of game records.")
        specs = split_specs(named, "--with")
        self.players = check_players(max(2, len(specs)) if players is None else players, "--players")
        self.total: int | None = check_count("--games", GAMES if games is None else games)
        self.first = fresh_seed() if seed is None else check_seed(seed, "--seed")
        check_seed(self.first + self.total - 1, "--seed of the last game")
        self.deck: DeckArgument = STANDARD if deck is None else deck
        self._deck = resolve_deck(self.deck) or SAMPLED  # read once, and refused before anything is written
        self.specs = one_for_each(specs, self.players, "--with", "each seat")
        self._opponents = [self._player(seat, spec) for seat, spec in enumerate(self.specs)]
        compiled = all(isinstance(player, CompiledPlayer | str) for player in self._opponents)
        self._at_once = COMPILED_AT_ONCE if compiled else OTHERS_AT_ONCE
        alike = len(set(self.specs)) == 1
        self.opponents = self.specs[0] if alike else RANDOM_SPEC
        self.algorithm = self.specs[0] if alike else ", ".join(self.specs)
        self.made_by = f"played by {self.algorithm} from seed {self.first} on"
        self.announcement = f"seed {self.first}"

    def _player(self, seat: int, spec: str) -> Any:
        from speicher_agents import load_agent, make_player, seed_for  # loaded here, so that no other command waits

        if spec == RANDOM_SPEC:
            return spec
        if spec.partition(":")[0] == HUMAN:
            raise ArgumentError(must_be("--with", spec, "a player that decides by itself"))
        player = make_player(spec)
        if isinstance(player, CompiledPlayer):
            return player
        agent = load_agent(player)
        agent.check_players(self.players)
        agent.reset(seed_for(self.first, seat))
        return agent

    def games(self) -> Iterator[Game]:
        """The games, some at once."""
        assert self.total is not None
        for begin in range(0, self.total, self._at_once):
            seeds = [self.first + number for number in range(begin, min(begin + self._at_once, self.total))]
            batch = Batch(
                len(seeds), self.players, self._deck, "none", self._opponents, autoreset="disabled",
                on_failure=_give_up, log_moves=True,
            )  # fmt: skip
            batch.reset(np.array(seeds, dtype=np.uint64))
            for lane, seed in enumerate(seeds):
                game = Game(self.players, self._deck, seed)
                for action in batch.moves(lane).tolist():
                    game.play(action)
                yield game


def _give_up(failure: Failure) -> None:
    raise CommandError(f"player {failure.player}: {failure.reason}") from failure.error


class _Recorded:
    """Games of files."""

    def __init__(self, files: Sequence[str]) -> None:
        self.total: int | None = None
        self._games = self._read(files)
        first = next(self._games, None)
        if first is None:
            raise CommandError(f"{path_shown(files[0])}: holds no games.")
        self._first = first
        self.players = first.num_players
        self.deck: DeckArgument = first.deck
        if first.deck_name == SAMPLED:
            self.deck = SAMPLED
        elif first.deck.edition == STANDARD_EDITION:
            self.deck = STANDARD
        self.opponents = RANDOM_SPEC
        self.algorithm = ""
        self.made_by = "as they were recorded"
        self.announcement = f"reading {', '.join(path_shown(file) for file in files)}"

    def games(self) -> Iterator[Game]:
        """The games, checked; once."""
        yield self._first
        yield from self._games

    def _read(self, files: Sequence[str]) -> Iterator[Game]:
        for file in files:
            where = path_shown(file)
            with input_file(file) as stream:
                for place, record in read_records(stream, where):
                    try:
                        game = Game.from_record(record)
                    except RecordError as error:
                        raise RecordError(f"{place}: {error}") from None
                    if not game.over:
                        raise RecordError(f"{place}: the game is not over; must be a whole game.")
                    yield game
