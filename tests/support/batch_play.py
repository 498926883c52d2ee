"""Playing batches in tests, and the players that sit in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numba
import numpy as np

from speicher_env import Game
from speicher_env.batch import CHOOSE, Batch
from speicher_env.observation.encode import observe_at
from speicher_env.rewards import SCHEMES, write_rewards_at
from speicher_env.views import CompiledPlayer, Views

AUTORESETS = ("disabled", "next_step", "same_step")


def draw_legal(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A legal action for each row, 0 where there is none; row k draws the k-th number whatever the other rows are."""
    return pick_legal(masks, rng.random(len(masks)))


def pick_legal(masks: np.ndarray, where: np.ndarray) -> np.ndarray:
    """The legal action that stands at a place 0..1 among all legal ones of its row."""
    counts = masks.sum(axis=1, dtype=np.int64)
    wanted = (where * counts).astype(np.int64) + 1
    return (np.cumsum(masks, axis=1, dtype=np.int64) >= wanted[:, None]).argmax(axis=1).astype(np.int64) * (counts > 0)


def seen(batch: Batch) -> dict[str, Any]:
    """All that a batch tells its caller now, as plain values that can be compared with ``==``."""
    lanes = batch.arrays.lanes
    ended = batch.ended
    return {
        "states": batch.arrays.states.tobytes(),
        "observations": batch.observations.tobytes(),
        "masks": batch.action_masks.tobytes(),
        "seats": batch.seats.tolist(),
        "rewards": batch.rewards.tolist(),
        "ended": ended.tolist(),
        "outcomes": [batch.outcome(lane) if ended[lane] else None for lane in range(batch.num_games)],
        "final": batch.arrays.final_rows[ended].tobytes() if batch.autoreset == "same_step" else None,
        "length": lanes["length"].tolist(),
        "stream": lanes["stream"].tolist(),
    }


def everything(batch: Batch) -> list[bytes]:
    """Every value in a batch, as bytes; field by field, because copies leave out what lies between fields."""
    return [
        array[field].tobytes() if field else array.tobytes()
        for array in batch.arrays
        for field in (array.dtype.names or (None,))
    ]


def lane_seen(batch: Batch, lane: int) -> tuple[Any, ...]:
    """All that a batch tells of one lane."""
    return (
        batch.arrays.states[lane].tobytes(),
        batch.observations[lane].tobytes(),
        batch.action_masks[lane].tobytes(),
        int(batch.seats[lane]),
        batch.rewards[lane].tolist(),
        batch.outcome(lane) if batch.ended[lane] else None,
        batch.arrays.final_rows[lane].tobytes() if batch.ended[lane] and batch.autoreset == "same_step" else None,
    )


def play(batch: Batch, rng: np.random.Generator, steps: int) -> Iterator[np.ndarray]:
    """Step at random; gives the actions after each step."""
    for _ in range(steps):
        actions = draw_legal(batch.action_masks, rng)
        batch.step(actions)
        yield actions


def observed(game: Game, seat: int, seats_in_view: int, size: int) -> bytes:
    """The observation of a single game, encoded from nothing."""
    row = np.zeros(size, dtype=np.float32)
    observe_at(game.states_view, 0, seat, seats_in_view, row)
    return row.tobytes()


def mask_of(game: Game) -> list[int]:
    """The mask of a single game."""
    legal = set(game.legal_ids())
    return [int(action in legal) for action in range(184)]


def paid(game: Game, reward: str) -> list[float]:
    """What a finished single game pays to each seat."""
    rewards = np.zeros(game.num_players)
    write_rewards_at(game.states_view, 0, SCHEMES.index(reward), rewards)
    return rewards.astype(np.float32).tolist()


# Players


@numba.njit(CHOOSE)
def _choose(state: np.void, code: int, stream: np.ndarray) -> int:
    """The lowest legal action with code 1, the highest with code 2, an illegal one with code 3."""
    if code == 3:
        return -7
    found = -1
    for action in range(184):
        if (state["legal"][action // 64] >> np.uint64(action % 64)) & np.uint64(1):
            found = action
            if code == 1:
                return found
    return found


LOWEST = CompiledPlayer("lowest", _choose, 1)
HIGHEST = CompiledPlayer("highest", _choose, 2)
STRAY = CompiledPlayer("stray", _choose, 3)
"""A player that is in error."""


class Lowest:
    """The twin of LOWEST outside the compiled step."""

    def __init__(self) -> None:
        self.rows: list[int] = []
        """Decisions in each round of questions."""

    def act(self, views: Views) -> np.ndarray:
        self.rows.append(len(views))
        return views.masks.argmax(axis=1)


class Highest:
    """The twin of HIGHEST outside the compiled step."""

    def act(self, views: Views) -> np.ndarray:
        return 183 - views.masks[:, ::-1].argmax(axis=1)


class Watcher:
    """Plays the lowest legal action and keeps all that it was shown."""

    def __init__(self) -> None:
        self.shown: list[Views] = []

    def act(self, views: Views) -> np.ndarray:
        self.shown.append(views)
        return views.masks.argmax(axis=1)


def assert_play_alike(one: Batch, other: Batch, steps: int, seed: int) -> None:
    """Step two batches with the same random actions, and compare all that they show after every step."""
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        actions = draw_legal(one.action_masks, rng)
        one.step(actions)
        other.step(actions)
        assert seen(one) == seen(other)
