"""The games that the learner plays: one `SpeicherVecEnv`, or one for each number of players, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from speicher_env.batch.opponents import Opponents
from speicher_env.envs.sb3 import SpeicherVecEnv
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be

__all__ = ["SEEDS", "JoinedVecEnv", "first_seed_of", "make_env", "parts_of", "rows_of"]

SEEDS = 900_000_000
"""The first seeds of games for training are below this, those for evaluations above."""


class JoinedVecEnv(VecEnv):
    """Several environments as one, with their rows one after the other; padded, so that they agree in size."""

    def __init__(self, parts: Sequence[SpeicherVecEnv]) -> None:
        if len({part.observation_space.shape for part in parts}) != 1:
            raise ArgumentError("parts: their observations differ in size; must be padded.")
        self.parts = list(parts)
        self.render_mode = None
        super().__init__(sum(part.num_envs for part in parts), parts[0].observation_space, parts[0].action_space)

    def reset(self) -> np.ndarray:
        """Deal in all parts."""
        return np.concatenate([part.reset() for part in self.parts])

    def step_async(self, actions: np.ndarray) -> None:
        """Hand each part its actions."""
        ends = np.cumsum([part.num_envs for part in self.parts])[:-1]
        for part, of_part in zip(self.parts, np.split(np.asarray(actions), ends), strict=True):
            part.step_async(of_part)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Step all parts."""
        rows, rewards, ended, infos = zip(*(part.step_wait() for part in self.parts), strict=True)
        every_info = [info for of_part in infos for info in of_part]
        return np.concatenate(rows), np.concatenate(rewards), np.concatenate(ended), every_info

    def action_masks(self) -> np.ndarray:
        """(num_envs, 184) int8."""
        return np.concatenate([part.action_masks() for part in self.parts])

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute, row by row."""
        every = [value for part in self.parts for value in part.get_attr(attr_name)]
        return [every[row] for row in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refused: opponents are seated part by part."""
        raise ArgumentError(must_be("set_attr", attr_name, "set in one of the parts"))

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """`action_masks` row by row."""
        if method_name != "action_masks":
            raise ArgumentError(must_be("env_method", method_name, "action_masks, or called in one of the parts"))
        masks = self.action_masks()
        return [masks[row] for row in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """Whether the wrapper is there, row by row."""
        every = [value for part in self.parts for value in part.env_is_wrapped(wrapper_class)]
        return [every[row] for row in self._get_indices(indices)]

    def get_images(self) -> Sequence[np.ndarray | None]:
        """No pictures."""
        return [None] * self.num_envs

    def close(self) -> None:
        """Close all parts."""
        for part in self.parts:
            part.close()


def parts_of(env: VecEnv) -> list[SpeicherVecEnv]:
    """The environments of this project inside an environment that may be wrapped or joined."""
    plain = env.unwrapped
    if isinstance(plain, JoinedVecEnv):
        return plain.parts
    if isinstance(plain, SpeicherVecEnv):
        return [plain]
    raise ArgumentError(must_be("env", plain, "a SpeicherVecEnv or a JoinedVecEnv"))


def make_env(
    games: int,
    players: Sequence[int],
    decks: Sequence[str],
    reward: str,
    padded: bool,
    opponents: Opponents,
    seed: int,
    illegal: str = "raise",
    figures: bool = False,
) -> VecEnv:
    """The games of a run, as evenly as possible shared among the numbers of players.

    Args:
        games: Rows in all.
        players: Numbers of players.
        decks: Dealt from in turn, row by row.
        reward: The payoff at the end.
        padded: Whether observations have room for 5 seats.
        opponents: In the first games.
        seed: Of the run.
        illegal: What an illegal action of the learner does.
        figures: Whether rows hold the figures of an observation, too.
    """
    counts = [len(rows) for rows in np.array_split(np.arange(games), len(players))]
    parts = [
        SpeicherVecEnv(
            count, number, [decks[row % len(decks)] for row in range(count)], "random", opponents, reward, padded,
            illegal, seed=first_seed_of(seed, number), figures=figures,
        )
        for count, number in zip(counts, players, strict=True)
    ]  # fmt: skip
    return parts[0] if len(parts) == 1 else JoinedVecEnv(parts)


def first_seed_of(seed: int, players: int) -> int:
    """The first seed of a run's games with a number of players."""
    return int(np.random.SeedSequence([seed, players]).generate_state(1)[0]) % (SEEDS // 2)


def rows_of(parts: Iterable[SpeicherVecEnv]) -> list[tuple[int, int]]:
    """The first row of each part, and the row after its last."""
    ends = np.cumsum([part.num_envs for part in parts]).tolist()
    return list(zip([0, *ends[:-1]], ends, strict=True))
