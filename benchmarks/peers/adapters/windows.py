"""What every adapter shares: laps in windows of time, a random choice, and the JSON that goes back.

It runs in the peers' own environments, so it uses nothing but the standard library and NumPy.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

SEED = 1


class Windows:
    """Measures what an adapter plays and collects the rows; `python ADAPTER SECONDS ROUNDS`."""

    def __init__(self, *packages: str) -> None:
        self.seconds, self.rounds = float(sys.argv[1]), int(sys.argv[2])
        self.versions = {package: version(package) for package in packages}
        self.rows: list[dict[str, Any]] = []
        self.random = random.Random(SEED)

    def measure(
        self,
        game: str,
        way: str,
        play: Callable[[], int],
        *,
        like: str,
        players: int,
        actions: int,
        observation: int,
        mask: bool,
    ) -> None:
        """Play laps, after a warm-up, for several windows; `play` returns the decisions of agents in its lap.

        Args:
            game: The game's name.
            way: How it is played.
            play: One lap.
            like: Which way to play our game is its counterpart: "batch", "env", "arrays" or "game".
            players: Seats in the game.
            actions: Size of the action space.
            observation: Numbers in an observation, 0 where none is made.
            mask: Whether a mask, or the list of legal actions, is made for every decision.
        """
        self._window(play, self.seconds / 2)
        begun, begun_cpu = time.perf_counter(), time.process_time()
        windows = [self._window(play, self.seconds) for _ in range(self.rounds)]
        cpu = (time.process_time() - begun_cpu) / (time.perf_counter() - begun)
        self.rows.append(
            {
                "game": game,
                "way": way,
                "like": like,
                "players": players,
                "actions": actions,
                "observation": observation,
                "mask": mask,
                "counts": [count for count, _ in windows],
                "seconds": [round(seconds, 6) for _, seconds in windows],
                "cpu": round(cpu, 3),
            }
        )

    @staticmethod
    def _window(play: Callable[[], int], seconds: float) -> tuple[int, float]:
        count, start = 0, time.perf_counter()
        while True:
            count += play()
            spent = time.perf_counter() - start
            if spent >= seconds:
                return count, spent

    def one_of(self, choices: Sequence[int]) -> int:
        """Any of them, each equally likely."""
        return choices[int(self.random.random() * len(choices))]

    def from_mask(self, mask: np.ndarray) -> int:
        """The id of any action that a mask allows, each equally likely."""
        return int(self.one_of(np.flatnonzero(mask)))

    def done(self) -> None:
        """Hand back the rows, as the last line of the output."""
        print(json.dumps({"versions": self.versions, "rows": self.rows}))


def aec_game(env: Any, choose: Callable[[np.ndarray], int]) -> Callable[[], int]:
    """A whole game through PettingZoo's AEC interface; counted are decisions, not dead steps."""

    def play() -> int:
        env.reset()
        count = 0
        while env.agents:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            env.step(choose(observation["action_mask"]))
            count += 1
        return count

    return play


def aec_sizes(env: Any) -> dict[str, int]:
    """Players and the sizes of the spaces of an AEC environment."""
    agent = env.possible_agents[0]
    space = env.observation_space(agent)["observation"]
    return {
        "players": len(env.possible_agents),
        "actions": int(env.action_space(agent).n),
        "observation": int(np.prod(space.shape)),
    }
