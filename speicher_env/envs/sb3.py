"""The stable-baselines3 `VecEnv`: a row for each game, around one `Batch`.

Needs stable-baselines3, which the core of this package does not: ``pip install 'speicher-env[train]'``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter
from typing import Any

import numpy as np

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env.base_vec_env import VecEnv
except ImportError as missing:
    raise ImportError(
        "SpeicherVecEnv needs stable-baselines3, which pip install 'speicher-env[train]' brings"
    ) from missing

from speicher_env.arguments import check_choice, check_count, check_seed, following_seed, fresh_seed
from speicher_env.batch import Batch, Results
from speicher_env.batch.opponents import Opponents
from speicher_env.deal import DeckArgument
from speicher_env.envs.seat import check_one_seat
from speicher_env.envs.spaces import action_space, vector_space
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be
from speicher_env.rules.scoring import SOURCES

__all__ = ["SpeicherVecEnv"]

Indices = None | int | Iterable[int]
METHODS = ("action_masks", "set_opponents")
"""What `env_method` answers."""
_SOURCES_AND_TOTAL = (*SOURCES, "total")


class SpeicherVecEnv(VecEnv):
    """Many games at once for stable-baselines3 and sb3-contrib; MaskablePPO finds its masks by itself.

    A new game is dealt in the step in which one ends; the last observation of that one is in
    ``infos[k]["terminal_observation"]`` and its result in ``infos[k]``, with ``infos[k]["episode"]`` for the logger.
    """

    def __init__(
        self,
        num_envs: int = 1,
        num_players: int = 2,
        deck: DeckArgument | Sequence[DeckArgument] = "standard",
        seat: int | str = "random",
        opponents: Opponents = "random",
        reward: str = "outcome",
        padded: bool = False,
        illegal: str = "raise",
        threads: int = 1,
        seed: int | None = None,
        figures: bool = False,
        dtype: str = "float32",
    ) -> None:
        """Make room; `reset` deals.

        Args:
            num_envs: Games, a row each.
            num_players: 2..5.
            deck: A deck for all games, or a list with one for each.
            seat: The learner's: 0..num_players-1, "rotating" from game to game, or "random", drawn for each game.
            opponents: Who plays the other seats: a spec, a player, or a list with one for each seat, clockwise.
            reward: "outcome", "rank" or "margin".
            padded: Whether observations have room for 5 seats.
            illegal: "raise", or for algorithms that know no masks "lose" or "random", see `SpeicherVectorEnv`.
            threads: Cores to use.
            seed: Row k is dealt from seed + k; None takes one from the operating system.
            figures: Whether the figures follow each observation: what follows from the table, such as needs and leads.
            dtype: Of observations: "float32", or "uint8" for whole numbers in a quarter of the bytes, which
                stable-baselines3 makes floats of as they are: scale them by `batch.row_format` in the network.
        """
        seat = check_one_seat(seat, num_players)
        check_count("num_envs", num_envs)
        self.batch = Batch(
            num_envs, num_players, deck, seat, opponents, reward, padded, "same_step", illegal, None, threads,
            figures=figures, dtype=dtype,
        )  # fmt: skip
        self.render_mode = None
        self._opponents = [opponents] * num_envs
        self._seed = fresh_seed() if seed is None else check_seed(seed)
        self._started = np.full(num_envs, perf_counter())
        self._actions: np.ndarray | None = None
        self._closed = False
        super().__init__(num_envs, vector_space(*self.batch.row_format), action_space())

    def reset(self) -> np.ndarray:
        """Deal new games in all rows, from the seed given, or the one after it."""
        self._check_open()
        given = self._seeds[0]
        if given is not None:
            self._seed = check_seed(int(given))
        check_seed(self._seed + self.num_envs - 1)
        self.batch.reset(np.uint64(self._seed) + np.arange(self.num_envs, dtype=np.uint64))
        self._seed = following_seed(self._seed)
        self._started[:] = perf_counter()
        self._reset_seeds()
        self._reset_options()
        return self.batch.observations.copy()

    def step_async(self, actions: np.ndarray) -> None:
        """Take the actions of the step to come."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Carry out the actions.

        Raises:
            IllegalAction: With illegal="raise", for the first row at fault; nothing has been stepped then.
        """
        self._check_open()
        batch = self.batch
        if self._actions is None:
            raise ArgumentError("step_wait() was called before step_async(), which takes the actions")
        actions, self._actions = self._actions, None
        batch.step(actions)
        done = batch.ended.copy()
        rewards = np.zeros(self.num_envs, dtype=np.float32)
        # Rows that go on share one empty dict: thousands of new ones in every step would cost more than the games.
        infos: list[dict[str, Any]] = [{}] * self.num_envs
        if done.any():
            results = batch.results()
            rewards[results.lanes] = results.of_seats(results.rewards, results.seats)
            for row, info in zip(results.lanes.tolist(), self._infos(results), strict=True):
                infos[row] = info
        return batch.observations.copy(), rewards, done, infos

    def _infos(self, results: Results) -> Iterator[dict[str, Any]]:
        """The infos of rows whose games have ended: how it went for the learner.

        Read a field of all rows at a time. A record at a time would take longer than the games.
        """
        now = perf_counter()
        elapsed = (now - self._started[results.lanes]).round(6)
        self._started[results.lanes] = now
        seats = results.seats
        points = results.of_seats(results.points, seats)
        fields = (
            results.seeds.tolist(),
            results.illegal.tolist(),
            results.lost_illegally.tolist(),
            seats.tolist(),
            results.of_seats(results.coins, seats).tolist(),
            results.of_seats(results.ranks, seats).tolist(),
            np.column_stack([points, points.sum(axis=1)]).tolist(),
            results.of_seats(results.rewards, seats).tolist(),
            results.lengths.tolist(),
            elapsed.tolist(),
            self.batch.final_observations[results.lanes],
        )
        for seed, illegal, lost, seat, coins, rank, by_source, reward, length, seconds, last in zip(
            *fields, strict=True
        ):
            yield {
                "seed": seed,
                "illegal": illegal,
                "lost_illegally": lost,
                "seat": seat,
                "points": dict(zip(_SOURCES_AND_TOTAL, by_source, strict=True)),
                "coins": coins,
                "rank": rank,
                "terminal_observation": last,
                "TimeLimit.truncated": False,
                "episode": {"r": reward, "l": length, "t": seconds},
            }

    def action_masks(self) -> np.ndarray:
        """(num_envs, 184) int8, 1 = legal; at least two in every row."""
        return self.batch.action_masks.copy()

    def set_opponents(self, opponents: Opponents, rows: Sequence[int] | np.ndarray | None = None) -> None:
        """Seat other players, in all rows or in some, from each row's next game on."""
        self.batch.set_opponents(opponents, rows)
        for row in range(self.num_envs) if rows is None else rows:
            self._opponents[row] = opponents

    # What VecEnv asks of a set of environments, answered by the one there is.

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute, once for each row asked for."""
        rows = self._rows(indices)
        if attr_name == "opponents":
            return [self._opponents[row] for row in rows]
        return [getattr(self, attr_name)] * len(rows)

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set `opponents`, in all rows or in some, from each row's next game on."""
        if attr_name != "opponents":
            raise ArgumentError(must_be("attr_name", attr_name, '"opponents"; the rest is given when it is made'))
        self.set_opponents(value, self._rows(indices))

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """`action_masks` row by row, or `set_opponents` for the rows asked for."""
        rows = self._rows(indices)
        if check_choice("env_method", method_name, METHODS) == "action_masks":
            return list(self.batch.action_masks[rows])
        method_kwargs["rows"] = rows
        self.set_opponents(*method_args, **method_kwargs)
        return [None] * len(rows)

    def env_is_wrapped(self, wrapper_class: type, indices: Indices = None) -> list[bool]:
        """Whether rows have what a wrapper adds: that of `Monitor`, results of episodes in the infos, they all have.

        So evaluation takes its numbers from there, and does not ask for a Monitor.
        """
        return [wrapper_class is Monitor] * len(self._rows(indices))

    def _rows(self, indices: Indices) -> np.ndarray:
        every = np.arange(self.num_envs)
        return every if indices is None else every[list(self._get_indices(indices))]

    def get_images(self) -> Sequence[np.ndarray | None]:
        """No pictures."""
        return [None] * self.num_envs

    def close(self) -> None:
        """Nothing to release; but no step is taken after it."""
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise ArgumentError("the environment is closed; make a new one")
