"""The Tianshou vector environment, and an actor that heeds the masks.

Needs Tianshou 2: ``pip install tianshou``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

try:
    import torch
    from tianshou.data import Batch as Rows
    from tianshou.env import BaseVectorEnv
    from tianshou.utils.net.common import AbstractDiscreteActor, ModuleWithVectorOutput
except ImportError as missing:
    raise ImportError("speicher_env.integrations.tianshou needs Tianshou 2: pip install tianshou") from missing

from speicher_env.arguments import check_choice, check_count, check_seed, fresh_seed
from speicher_env.batch import Batch
from speicher_env.batch.opponents import Opponents
from speicher_env.deal import DeckArgument
from speicher_env.envs.rendering import RENDER_FPS
from speicher_env.envs.seat import check_one_seat
from speicher_env.envs.spaces import action_space, vector_space
from speicher_env.envs.vector import SEATS
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.stream import next_seed

__all__ = ["MaskedActor", "SpeicherTianshouEnv"]

FORBIDDEN = -1e9
"""Logit of an illegal action."""


class SpeicherTianshouEnv(BaseVectorEnv):
    """Many games at once, which Tianshou's collectors step and reset by their numbers.

    An observation is a batch with ``obs``, ``mask`` (bool, True = legal) and ``seat``, whose decision it is. The reward
    is the learner's, or with ``seats="all"`` a row with what every seat was paid: Tianshou's form for several agents.
    A game that is over waits for its reset, which collectors send.

    Attributes:
        batch: The games. `batch.results()` has the results of those that the last step ended.
    """

    def __init__(
        self,
        num_envs: int = 1,
        num_players: int = 2,
        deck: DeckArgument | Sequence[DeckArgument] = "standard",
        seats: str = "one",
        seat: int | str = "random",
        opponents: Opponents = "random",
        reward: str = "outcome",
        padded: bool = False,
        illegal: str = "raise",
        first_player: int | None = None,
        threads: int = 1,
        figures: bool = False,
        seed: int | None = None,
    ) -> None:
        """Make room; `reset` deals.

        Args:
            num_envs: Games.
            num_players: 2..5.
            deck: A deck for all games, or a list with one for each.
            seats: "one" for a learner in one seat, the others being played inside, or "all" to decide for all seats.
            seat: With seats="one" the learner's: 0..num_players-1, "rotating" from game to game, or "random".
            opponents: With seats="one" who plays the other seats: a spec, a player, or one for each, clockwise.
            reward: "outcome", "rank" or "margin".
            padded: Whether observations have room for 5 seats.
            illegal: "raise", or for policies without masks "lose" (the game is lost) or "random" (a random legal action
                is played).
            first_player: The seat that begins every game, None to draw it.
            threads: Cores to use.
            figures: Whether the figures follow each observation: what follows from the table, such as needs and leads.
            seed: Game k is dealt from seed + k, and its next one from the seed that follows; None takes a seed from the
                operating system.
        """
        self.seats = check_choice("seats", seats, SEATS)
        one_seat = check_one_seat(seat, num_players, '; seats="all" decides for all of them')
        self.batch = Batch(
            check_count("num_envs", num_envs), num_players, deck, "all" if seats == "all" else one_seat, opponents,
            reward, padded, "disabled", illegal, first_player, threads, figures=figures,
        )  # fmt: skip
        self._attributes = {
            "action_space": action_space(),
            "observation_space": vector_space(*self.batch.row_format),
            "metadata": {"render_modes": [], "render_fps": RENDER_FPS},
            "reward_range": (-np.inf, np.inf),
            "spec": None,
        }
        self.env_num = self.wait_num = self.batch.num_games
        self.timeout = None
        self.is_async = self.is_closed = self._dealt = self._rotate_on = False
        self.workers: list[Any] = []
        self.ready_id = list(range(self.env_num))
        self.waiting_id: list[int] = []
        self.seed(seed)

    # Playing

    def seed(self, seed: int | list[int] | None = None) -> list[int]:
        """Deal game k from seed + k at its next reset, or from the k-th of a list; None takes fresh ones."""
        if isinstance(seed, list | tuple | np.ndarray):
            if len(seed) != self.env_num:
                raise ArgumentError(must_be("seed", seed, f"one seed, or one for each of {self.env_num} games"))
            numbers = [check_seed(each) for each in seed]
        else:
            first = fresh_seed() if seed is None else check_seed(seed)
            check_seed(first + self.env_num - 1)
            numbers = list(range(first, first + self.env_num))
        self._seeds = np.array(numbers, dtype=np.uint64)
        self._rotate_on = False
        return numbers

    def reset(
        self, env_id: int | list[int] | np.ndarray | None = None, *, seed: int | None = None, **kwargs: Any
    ) -> tuple[Rows, np.ndarray]:
        """Deal new games, everywhere or in those named.

        Args:
            env_id: Numbers of games, None for all.
            seed: As for the method `seed`, before games are dealt.
            kwargs: Nothing else is known.
        """
        self._check_open()
        if kwargs:
            raise ArgumentError(must_be("reset option", next(iter(kwargs)), "seed"))
        if seed is not None:
            self.seed(seed)
        games = self._games(env_id)
        everywhere = games.size == self.env_num
        if not (self._dealt or everywhere):
            raise ArgumentError("the first reset must deal all games, so without env_id")
        seeds = self._seeds[games]
        self._seeds[games] = [next_seed(each) for each in seeds]
        self.batch.reset(seeds, games, rotate_on=self._rotate_on)
        self._dealt = self._rotate_on = True
        return self._rows(games), self._infos(games)

    def step(
        self, action: Any, id: int | list[int] | np.ndarray | None = None
    ) -> tuple[Rows, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Carry out actions, everywhere or in the games named.

        Raises:
            IllegalAction: With illegal="raise", for the first game at fault; nothing has been stepped then.
        """
        self._check_open()
        games = self._games(id)
        batch = self.batch
        batch.step(np.asarray(action), games)
        rewards = batch.rewards[games].astype(np.float64)
        if self.seats == "one":
            rewards = rewards[np.arange(games.size), batch.seats[games]]
        return self._rows(games), rewards, batch.ended[games].copy(), np.zeros(games.size, np.bool_), self._infos(games)

    def _games(self, games: int | list[int] | np.ndarray | None) -> np.ndarray:
        return np.arange(self.env_num) if games is None else np.atleast_1d(np.asarray(games, dtype=np.int64))

    def _rows(self, games: np.ndarray) -> Rows:
        batch = self.batch
        return Rows(
            obs=batch.observations[games],
            mask=batch.action_masks[games].astype(np.bool_),
            seat=batch.seats[games].astype(np.int64),
        )

    def _infos(self, games: np.ndarray) -> np.ndarray:
        """Infos as Tianshou has them, an array of dicts."""
        return np.array([{"env_id": game} for game in games.tolist()], dtype=object)

    def set_opponents(self, opponents: Opponents, games: Sequence[int] | np.ndarray | None = None) -> None:
        """Seat other players, in all games or in some, from each one's next game on."""
        self.batch.set_opponents(opponents, games)

    # What BaseVectorEnv asks of a set of environments, answered by the one there is.

    def get_env_attr(self, key: str, id: int | list[int] | np.ndarray | None = None) -> list[Any]:
        """A space or another attribute of Gymnasium's environments, once for each game asked for."""
        return [self._attributes[key]] * self._games(id).size

    def set_env_attr(self, key: str, value: Any, id: int | list[int] | np.ndarray | None = None) -> None:
        """Refused; what can change has a method."""
        raise ArgumentError(f"{key} cannot be set; set_opponents() seats other players")

    def render(self, **kwargs: Any) -> list[Any]:
        """No pictures."""
        return [None] * self.env_num

    def close(self) -> None:
        """Nothing to release; but no step is taken after it."""
        self.is_closed = True

    def _check_open(self) -> None:
        if self.is_closed:
            raise ArgumentError("the environment is closed; make a new one")


class MaskedActor(AbstractDiscreteActor):
    """A network whose logits of illegal actions are so low that they are never chosen.

    It takes the observations of `SpeicherTianshouEnv`, and those of ``observation="dict"`` with ``action_mask``.
    """

    def __init__(self, network: torch.nn.Module) -> None:
        """Put a network, from observations (rows, size) to logits (rows, 184), behind the mask."""
        super().__init__(N_ACTIONS)
        self.network = network

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """The masked logits, and the state as it was."""
        masks = torch.as_tensor(np.asarray(obs.mask if "mask" in obs else obs.action_mask), dtype=torch.bool)
        seen = obs.obs if "obs" in obs else obs.observation
        logits = self.network(torch.as_tensor(np.asarray(seen), dtype=torch.float32))
        return torch.where(masks.to(logits.device), logits, FORBIDDEN), state

    def get_preprocess_net(self) -> ModuleWithVectorOutput:
        """No part of the network is shared."""
        return torch.nn.Identity()
