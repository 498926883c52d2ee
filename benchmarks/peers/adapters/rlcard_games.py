"""RLCard: its environments give an observation and a dict of legal actions with every step."""

from __future__ import annotations

from typing import Any

import numpy as np
import rlcard
from windows import SEED, Windows

GAMES = ("uno", "gin-rummy")


def play_game(env: Any, windows: Windows) -> int:
    """A whole game."""
    state, _ = env.reset()
    count = 0
    while not env.is_over():
        state, _ = env.step(windows.one_of(list(state["legal_actions"])))
        count += 1
    return count


def main() -> None:
    windows = Windows("rlcard", "numpy")
    for name in GAMES:
        env = rlcard.make(name, config={"seed": SEED})
        windows.measure(
            name,
            "environment",
            lambda env=env: play_game(env, windows),
            like="env",
            players=env.num_players,
            actions=env.num_actions,
            observation=int(np.prod(env.state_shape[0])),
            mask=True,
        )
    windows.done()


if __name__ == "__main__":
    main()
