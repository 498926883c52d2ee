"""Games as datasets of Minari: one episode for each seat of a game.

An episode holds what a seat saw and did: its observation with its mask at each of its decisions and at the end, its
actions, and its rewards, all 0 but the last. It is what an agent in `Speicherstadt-v0` goes through.
"""

from __future__ import annotations

import copy
import importlib.metadata
import os
import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import gymnasium
import numpy as np

from speicher_env.arguments import check_choice, check_flag, check_players, is_whole
from speicher_env.deal import DeckArgument
from speicher_env.deck import SAMPLED, STANDARD, Deck, resolve_deck
from speicher_env.envs.registration import GYMNASIUM_ID
from speicher_env.envs.spaces import action_space, masked_space, seats_in_view
from speicher_env.errors import ArgumentError
from speicher_env.game import Game
from speicher_env.messages import must_be, nearest
from speicher_env.observation.rows import RowFormat, row_at, row_format
from speicher_env.rewards import SCHEMES, write_rewards_at
from speicher_env.rules.actions import N_ACTIONS

try:
    import h5py  # noqa: F401  # Minari says what is missing only when it writes
    import PIL  # noqa: F401
    from minari.data_collector.episode_buffer import EpisodeBuffer
    from minari.dataset.minari_dataset import parse_dataset_id
    from minari.dataset.minari_storage import MinariStorage
    from minari.namespace import create_namespace, list_local_namespaces
    from minari.storage import get_dataset_path
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in ("h5py", "PIL", "minari"):
        raise
    raise ModuleNotFoundError(
        f"speicher_env.integrations.minari needs {error.name}: pip install 'speicher-env[data]'", name=error.name
    ) from None

__all__ = ["SEATS", "MinariWriter", "check_dataset_id", "check_seats", "game_episodes"]

SEATS = ("all", "winners")
"""Whose episodes a dataset can hold, besides those of a seat by its number."""
WRITTEN_AT_ONCE = 64
"""Episodes that are collected in memory before they are written."""


def check_dataset_id(dataset_id: object) -> str:
    """The id of a Minari dataset that can be written: well-formed, with a version, and not there yet.

    Raises:
        ArgumentError: If it is not.
    """
    allowed = "(NAMESPACE/)NAME-vNUMBER, such as speicherstadt/merchant-2p-v0"
    try:
        _, _, version = parse_dataset_id(str(dataset_id))
    except (TypeError, ValueError):
        version = None
    if not isinstance(dataset_id, str) or version is None:
        raise ArgumentError(must_be("dataset_id", dataset_id, allowed))
    if get_dataset_path(dataset_id).exists():
        raise ArgumentError(f"the Minari dataset {dataset_id} exists; give the new one another name or version.")
    return dataset_id


def check_seats(seats: object, num_players: int) -> int | str:
    """The checked argument `seats`: "all", "winners" or the number of a seat."""
    if isinstance(seats, str) and seats in SEATS:
        return seats
    if is_whole(seats) and 0 <= seats < num_players:
        return int(seats)
    raise ArgumentError(must_be("seats", seats, f"all, winners or a seat 0..{num_players - 1}{nearest(seats, SEATS)}"))


def game_episodes(
    game: Game, seats: int | str = "all", reward: str = "outcome", row_format: RowFormat | None = None
) -> dict[int, EpisodeBuffer]:
    """The episodes of a finished game, by seat.

    Args:
        game: A game whose moves are known.
        seats: "all", "winners", or a seat.
        reward: "outcome", "rank" or "margin".
        row_format: Of the observations; default: float32 without figures.

    Raises:
        ArgumentError: If the game is not over, or was set from a bare state.
    """
    moves = game.move_ids
    if not game.over or moves is None:
        raise ArgumentError("an episode is made of a game that is over and whose moves are known.")
    chosen = check_seats(seats, game.num_players)
    rows = row_format or RowFormat(game.num_players)
    scheme = SCHEMES.index(str(check_choice("reward", reward, SCHEMES)))
    recorded_seats = {"all": range(game.num_players), "winners": game.winners()}.get(str(chosen), [chosen])
    figures = True if rows.figures else None
    replay = game.start()
    mask = np.zeros(N_ACTIONS, np.int8)
    mask[replay.legal_ids()] = 1
    seen: dict[int, list[np.ndarray]] = {int(seat): [] for seat in recorded_seats}
    masks: dict[int, list[np.ndarray]] = {seat: [] for seat in seen}
    actions: dict[int, list[int]] = {seat: [] for seat in seen}
    for action in moves:
        seat = int(replay.states_view["player"][0])
        if seat in seen:
            seen[seat].append(_row(replay, seat, rows, figures))
            masks[seat].append(mask.copy())
            actions[seat].append(action)
        replay.play_masked(action, mask)
    paid = np.zeros(game.num_players)
    write_rewards_at(replay.states_view, 0, scheme, paid)
    episodes = {}
    for seat, taken in actions.items():
        if not taken:
            continue
        last = np.arange(len(taken)) == len(taken) - 1
        episodes[seat] = EpisodeBuffer(
            seed=game.seed,
            observations={
                "observation": np.array([*seen[seat], _row(replay, seat, rows, figures)]),
                "action_mask": np.array([*masks[seat], np.zeros(N_ACTIONS, np.int8)]),
            },
            actions=np.array(taken, np.int64),
            rewards=np.where(last, paid[seat], 0.0),
            terminations=last,
            truncations=np.zeros(len(taken), bool),
            infos={},
        )
    return episodes


def _row(game: Game, seat: int, rows: RowFormat, figures: bool | None) -> np.ndarray:
    row: np.ndarray = rows.empty(1)[0]
    row_at(game.states_view, 0, seat, rows.seats, figures, row)
    return row


class MinariWriter:
    """Writes games into a new Minari dataset, which appears when the block ends.

    A block that ends with an exception, or without a game, leaves nothing.

        with MinariWriter("speicherstadt/mine-v0") as writer:
            writer.add(game)
    """

    def __init__(
        self,
        dataset_id: str,
        num_players: int = 2,
        deck: DeckArgument = STANDARD,
        seats: int | str = "all",
        reward: str = "outcome",
        padded: bool = False,
        figures: bool = False,
        dtype: str = "float32",
        opponents: str | Sequence[str] = "random",
        algorithm: str = "",
        author: str = "",
        description: str = "",
    ) -> None:
        """Check the arguments.

        Args:
            dataset_id: (NAMESPACE/)NAME-vNUMBER, not there yet.
            num_players: 2..5, the same in all games.
            deck: "standard", "sampled", the path of a deck file, or a Deck: that of the games, and of the environment
                that `MinariDataset.recover_environment` makes. It makes none with a Deck.
            seats: Whose episodes: "all", "winners", or a seat.
            reward: "outcome", "rank" or "margin".
            padded: Whether observations have room for 5 seats.
            figures: Whether the figures follow each observation.
            dtype: Of observations: "float32", or "uint8" in a quarter of the space.
            opponents: Who plays the other seats in the recovered environment, see `SpeicherEnv`.
            algorithm: Who made the decisions, such as the spec of a player.
            author: Who made the dataset.
            description: What it is.

        Raises:
            ArgumentError: For an id or an argument that is not allowed.
        """
        self.dataset_id = check_dataset_id(dataset_id)
        self.num_players = check_players(num_players)
        self.seats = check_seats(seats, self.num_players)
        self.reward = check_choice("reward", reward, SCHEMES)
        view = seats_in_view(self.num_players, check_flag("padded", padded))
        self.row_format = row_format(view, figures, dtype)
        self.deck = deck
        resolved = resolve_deck(deck)
        self.edition = SAMPLED if resolved is None else resolved.edition
        """The edition of the deck; "sampled" where each game has its own."""
        self.episodes = 0
        self.steps = 0
        self.games = 0
        self._padded = padded
        self._opponents = opponents if isinstance(opponents, str) else list(opponents)
        texts = {"algorithm_name": algorithm, "description": description}
        self._metadata: dict[str, Any] = {name: text for name, text in texts.items() if text}
        if author:
            self._metadata["author"] = {author}
        self._waiting: list[tuple[EpisodeBuffer, dict[str, Any]]] = []
        self._folder: Path | None = None
        self._storage: Any = None

    def __enter__(self) -> MinariWriter:
        self._folder = Path(get_dataset_path()) / f".speicher-{secrets.token_hex(8)}"  # hidden, so Minari overlooks it
        self._folder.mkdir()
        self._storage = MinariStorage.new(
            self._folder / "data",
            observation_space=masked_space(
                self.row_format.seats, "int8", self.row_format.figures, self.row_format.dtype
            ),
            action_space=action_space(),
            env_spec=self._env_spec(),
        )
        package = f"speicher-env>={importlib.metadata.version('speicher-env')}"
        self._storage.update_metadata(
            {
                "dataset_id": self.dataset_id,
                "minari_version": importlib.metadata.version("minari"),
                "requirements": [package],
                **self._metadata,
            }
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._folder is not None
        try:
            if kind is None and self.games:
                self._write()
                self._storage.update_metadata({"games": self.games, "edition": self.edition})
                target = get_dataset_path(check_dataset_id(self.dataset_id))
                namespace = parse_dataset_id(self.dataset_id)[0]
                if namespace is not None and namespace not in list_local_namespaces():
                    create_namespace(namespace)
                os.rename(self._folder, target)
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def add(self, game: Game) -> None:
        """Add the episodes of a finished game.

        Raises:
            ArgumentError: If it is not over, or has other players or another deck than the games before.
        """
        if game.num_players != self.num_players:
            raise ArgumentError(must_be("players", game.num_players, f"{self.num_players}, as in the whole dataset"))
        self._check_deck(game)
        outcome = {"points": [points["total"] for points in game.points()], "ranks": game.ranks()}
        for seat, episode in game_episodes(game, self.seats, self.reward, self.row_format).items():
            note = {"seat": seat, "rank": outcome["ranks"][seat], "points": outcome["points"][seat], "game": self.games}
            self._waiting.append((episode, note))
            self.episodes += 1
            self.steps += len(episode)
        self.games += 1
        if len(self._waiting) >= WRITTEN_AT_ONCE:
            self._write()

    def _check_deck(self, game: Game) -> None:
        edition = SAMPLED if game.deck_name == SAMPLED else game.deck.edition
        if edition != self.edition:
            raise ArgumentError(must_be("edition", edition, f"{self.edition}, as in the whole dataset"))

    def _write(self) -> None:
        first = self.episodes - len(self._waiting)
        self._storage.update_episodes([episode for episode, _ in self._waiting])
        self._storage.update_episode_metadata(
            [note for _, note in self._waiting], range(first, first + len(self._waiting))
        )
        self._waiting = []

    def _env_spec(self) -> Any:
        """What `MinariDataset.recover_environment` makes: the environment in which these decisions come up."""
        if isinstance(self.deck, Deck):
            return None
        spec = copy.deepcopy(gymnasium.spec(GYMNASIUM_ID))
        spec.kwargs = {
            "num_players": self.num_players,
            "deck": os.fspath(self.deck),
            "seat": self.seats if is_whole(self.seats) else "random",
            "opponents": self._opponents,
            "reward": self.reward,
            "padded": self._padded,
            "observation": "dict",
            "figures": self.row_format.figures,
            "dtype": self.row_format.dtype,
        }
        return spec
