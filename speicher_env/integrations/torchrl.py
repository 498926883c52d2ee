"""The TorchRL environment: many games at once, a row each, in one `EnvBase`.

Needs TorchRL: ``pip install torchrl`` (on Linux after ``pip install torch`` from PyTorch's index of CPU builds, unless
there is a GPU).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

try:
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import Binary, Bounded, Categorical, Composite, TensorSpec, Unbounded
    from torchrl.envs import EnvBase
except ImportError as missing:
    raise ImportError("speicher_env.integrations.torchrl needs TorchRL: pip install torchrl") from missing

from speicher_env.arguments import check_choice, check_count, check_flag, check_seed, fresh_seed
from speicher_env.batch import Batch
from speicher_env.batch.opponents import Opponents
from speicher_env.deal import DeckArgument
from speicher_env.envs.seat import check_one_seat
from speicher_env.envs.vector import SEATS
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.state import STATE
from speicher_env.rules.stream import next_seed

__all__ = ["SpeicherTorchRLEnv", "random_policy"]

STATE_KEY = "state"
"""Where `reset(..., set_state=True)` finds states to go on from."""


def random_policy(tensordict: TensorDictBase) -> TensorDictBase:
    """Draw a legal action for every row, uniformly, from its ``action_mask``; any action where a game is over."""
    masks = tensordict.get("action_mask")
    draws = torch.rand(masks.shape, device=masks.device).add_(1.0).mul_(masks)  # 1 to 2 where legal, 0 elsewhere
    tensordict.set("action", draws.argmax(-1))  # torch.multinomial takes ten times as long
    return tensordict


class SpeicherTorchRLEnv(EnvBase):
    """Games in rows: a row is one decision, ``batch_size`` is ``[num_envs]``.

    A reset and a step give:

    - ``observation`` (num_envs, size), as the deciding seat sees it,
    - ``action_mask`` (num_envs, 184) bool, True = legal; all False only where a game is over,
    - ``seat`` (num_envs,), whose decision the row is,
    - with ``states=True``, ``state`` (num_envs, 480) uint8: the games themselves, with all that is hidden in them.

    A step also gives ``reward`` (num_envs, 1), that of the seat that has just acted, and with ``seats="all"``
    ``rewards`` (num_envs, num_players), what every seat was paid: the reward of a seat that acted before the last
    decision is only there. ``done`` and ``terminated`` are true at the end of a game, and nothing is ever truncated.

    Where a game is over, the row waits for a reset with ``_reset``, as collectors and rollouts do it by themselves.
    `rand_action` draws legal actions, so that a rollout without a policy plays. Collectors and environments in
    processes draw from the action spec, which knows no masks: give them `random_policy`.

    Attributes:
        batch: The games. `batch.results()` has the results of those that the last step ended.
    """

    _supports_set_state = True

    def __init__(
        self,
        num_envs: int = 1,
        num_players: int = 2,
        deck: DeckArgument | Sequence[DeckArgument] = "standard",
        seats: str = "all",
        seat: int | str = "random",
        opponents: Opponents = "random",
        reward: str = "outcome",
        padded: bool = False,
        illegal: str = "raise",
        first_player: int | None = None,
        threads: int = 1,
        figures: bool = False,
        dtype: str = "float32",
        states: bool = False,
        seed: int | None = None,
        device: Any = "cpu",
    ) -> None:
        """Make room; `reset` deals.

        Args:
            num_envs: Games, a row each.
            num_players: 2..5.
            deck: A deck for all games, or a list with one for each.
            seats: "all" to decide for all seats, or "one" for a learner in one seat, the others being played inside.
            seat: With seats="one" the learner's: 0..num_players-1, "rotating" from game to game, or "random".
            opponents: With seats="one" who plays the other seats: a spec, a player, or one for each, clockwise.
            reward: "outcome", "rank" or "margin".
            padded: Whether observations have room for 5 seats.
            illegal: "raise", or for policies without masks "lose" (the row's game is lost) or "random" (a random legal
                action is played).
            first_player: The seat that begins every game, None to draw it.
            threads: Cores to use.
            figures: Whether the figures follow each observation: what follows from the table, such as needs and leads.
            dtype: Of observations: "float32", or "uint8" for whole numbers in a quarter of the bytes; the scales are in
                `batch.row_format`.
            states: Whether a reset and a step give the states too.
            seed: As for `set_seed`; None takes one from the operating system.
            device: Where the tensors are; the games stay on the CPU.
        """
        self.seats = check_choice("seats", seats, SEATS)
        one_seat = check_one_seat(seat, num_players, '; seats="all" decides for all of them')
        self.batch = Batch(
            check_count("num_envs", num_envs), num_players, deck, "all" if seats == "all" else one_seat, opponents,
            reward, padded, "disabled", illegal, first_player, threads, figures=figures, dtype=dtype,
        )  # fmt: skip
        self.states = check_flag("states", states)
        self._dealt = False
        super().__init__(device=device, batch_size=torch.Size([num_envs]))
        self._make_specs()
        self._set_seed(seed)

    def _make_specs(self) -> None:
        rows = self.batch.num_games
        row_format = self.batch.row_format
        lowest, highest = row_format.bounds
        one_hot = torch.Size([rows, N_ACTIONS])
        observation: dict[str, TensorSpec] = {
            "observation": Bounded(
                torch.tensor(lowest).expand(rows, row_format.size),
                torch.tensor(highest).expand(rows, row_format.size),
                shape=(rows, row_format.size),
                dtype=getattr(torch, row_format.dtype),
                device=self.device,
            ),
            "action_mask": Binary(N_ACTIONS, shape=one_hot, dtype=torch.bool, device=self.device),
            "seat": Categorical(self.batch.num_players, shape=(rows,), dtype=torch.int64, device=self.device),
        }
        if self.states:
            shape = (rows, STATE.itemsize)
            observation[STATE_KEY] = Bounded(0, 255, shape=shape, dtype=torch.uint8, device=self.device)
        self.observation_spec = Composite(observation, shape=self.batch_size, device=self.device)
        self.action_spec = Categorical(N_ACTIONS, shape=(rows,), dtype=torch.int64, device=self.device)
        reward = {"reward": Unbounded((rows, 1), device=self.device)}
        if self.seats == "all":
            reward["rewards"] = Unbounded((rows, self.batch.num_players), device=self.device)
        self.reward_spec = Composite(reward, shape=self.batch_size, device=self.device)
        self.done_spec = Composite(
            {
                name: Categorical(2, shape=(rows, 1), dtype=torch.bool, device=self.device)
                for name in ("done", "terminated")
            },
            shape=self.batch_size,
            device=self.device,
        )

    # Playing

    def _set_seed(self, seed: int | None) -> None:
        """Deal row k from seed + k at its next reset, and then from the seed that follows that of its last game."""
        first = fresh_seed() if seed is None else check_seed(seed)
        check_seed(first + self.batch.num_games - 1)
        self._seeds = np.uint64(first) + np.arange(self.batch.num_games, dtype=np.uint64)
        self._rotate_on = False

    def _reset(self, tensordict: TensorDictBase | None, set_state: bool = False, **kwargs: Any) -> TensorDictBase:
        """Deal in all rows or in those of ``_reset``; with `set_state` go on from the states given."""
        asked = None if tensordict is None else tensordict.get("_reset", None)
        rows = np.arange(self.batch.num_games)
        if asked is not None:
            rows = np.flatnonzero(asked.reshape(-1).cpu().numpy())
        if not (self._dealt or rows.size == self.batch.num_games):
            raise ArgumentError("the first reset must deal in all rows, so without _reset")
        lanes = None if rows.size == self.batch.num_games else rows
        if set_state:
            self.batch.set_states(self._given_states(tensordict)[rows], lanes)
            self._seeds[rows] = [next_seed(seed) for seed in self.batch.arrays.states["seed"][rows]]
        elif rows.size:
            seeds = self._seeds[rows]
            self._seeds[rows] = [next_seed(seed) for seed in seeds]
            self.batch.reset(seeds, lanes, rotate_on=self._rotate_on)
            self._rotate_on = True
        self._dealt = True
        return TensorDict(self._rows(), self.batch_size, device=self.device)

    def _given_states(self, tensordict: TensorDictBase | None) -> np.ndarray:
        """The states in a tensordict as an array of STATE; whether they are games is checked by the batch."""
        given = None if tensordict is None else tensordict.get(STATE_KEY, None)
        shape = (self.batch.num_games, STATE.itemsize)
        if given is None or given.dtype != torch.uint8 or given.shape != shape:
            what = given if given is None else given.cpu().numpy()
            raise ArgumentError(
                must_be(STATE_KEY, what, f"bytes (uint8) with shape {shape}, as states=True gives them")
            )
        states: np.ndarray = np.ascontiguousarray(given.cpu().numpy()).view(STATE)[:, 0]
        return states

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        """Carry out the actions, in all rows or in those of ``_step``.

        Raises:
            IllegalAction: With illegal="raise", for the first row at fault; nothing has been stepped then.
        """
        batch = self.batch
        actions = tensordict.get("action").cpu().numpy()
        partial = tensordict.get("_step", None)
        lanes = None
        if partial is not None:
            lanes = np.flatnonzero(partial.reshape(-1).cpu().numpy())
            actions = actions[lanes]
        acted = batch.seats.astype(np.int64)
        batch.step(actions, lanes)
        rewards = batch.rewards.copy()
        if lanes is not None:
            waited = np.ones(batch.num_games, dtype=np.bool_)
            waited[lanes] = False
            rewards[waited] = 0.0
        result = self._rows()
        result["reward"] = torch.from_numpy(np.take_along_axis(rewards, acted[:, None], 1))
        if self.seats == "all":
            result["rewards"] = torch.from_numpy(rewards)
        return TensorDict(result, self.batch_size, device=self.device)

    def _rows(self) -> dict[str, torch.Tensor]:
        """What the deciding seats see, and which games are over; copies, which the next step leaves as they are."""
        batch = self.batch
        masks = torch.from_numpy(batch.action_masks.astype(np.bool_))
        over = torch.from_numpy(batch.arrays.states["legal"].any(axis=1)).logical_not_()[:, None]
        rows = {
            "observation": torch.from_numpy(batch.observations.copy()),
            "action_mask": masks,
            "seat": torch.from_numpy(batch.seats.astype(np.int64)),
            "done": over,
            "terminated": over.clone(),
        }
        if self.states:
            rows[STATE_KEY] = torch.from_numpy(batch.arrays.states.view(np.uint8).reshape(batch.num_games, -1).copy())
        return rows

    def rand_action(self, tensordict: TensorDictBase | None = None) -> TensorDictBase:
        """Draw a legal action for every row of a tensordict, see `random_policy`."""
        return super().rand_action() if tensordict is None else random_policy(tensordict)

    def set_opponents(self, opponents: Opponents, rows: Sequence[int] | np.ndarray | None = None) -> None:
        """Seat other players, in all rows or in some, from each row's next game on."""
        self.batch.set_opponents(opponents, rows)
