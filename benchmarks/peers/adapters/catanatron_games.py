"""Catanatron: its Gym environment against a random player, and the game alone. The decisions of all players count."""

from __future__ import annotations

import random

from catanatron import Color, Game, RandomPlayer
from catanatron_gym.envs.catanatron_env import ACTION_SPACE_SIZE, CatanatronEnv
from windows import SEED, Windows

TURNS = 1000
"""After so many a game that nobody has won is left, as the environment itself does."""


def play_env(env: CatanatronEnv, windows: Windows) -> int:
    """A whole game through the environment."""
    _, info = env.reset()
    over = False
    while not over:
        _, _, won, left, info = env.step(windows.one_of(info["valid_actions"]))
        over = won or left
    return len(env.game.state.actions)


def play_game(players: int, windows: Windows) -> int:
    """A whole game without observations."""
    game = Game([RandomPlayer(color) for color in list(Color)[:players]])
    while game.winning_color() is None and game.state.num_turns < TURNS:
        game.execute(windows.one_of(game.state.playable_actions), validate_action=False)
    return len(game.state.actions)


def main() -> None:
    random.seed(SEED)
    windows = Windows("catanatron", "catanatron_gym", "numpy")
    sizes = {"players": 2, "actions": ACTION_SPACE_SIZE}
    env = CatanatronEnv()
    windows.measure(
        "Catan",
        "Gym environment",
        lambda: play_env(env, windows),
        like="env",
        **sizes,
        observation=env.observation_space.shape[0],
        mask=True,
    )
    windows.measure(
        "Catan", "game only", lambda: play_game(2, windows), like="game", **sizes, observation=0, mask=False
    )
    windows.done()


if __name__ == "__main__":
    main()
