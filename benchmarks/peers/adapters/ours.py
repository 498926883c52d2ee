"""This project, through the same windows as its peers. Runs in the project's own environment."""

from __future__ import annotations

import numpy as np
from windows import SEED, Windows, aec_game, aec_sizes

from speicher_apps.meter.empty import EmptyEnv, in_standard_wrappers
from speicher_apps.meter.play import choose_and_step, known_games, mean_length, new_batch
from speicher_env import N_ACTIONS, Game, speicherstadt_v0
from speicher_env.observation import observation_size
from speicher_env.observation.encode import observe_at

PLAYERS = (2, 3, 4, 5)
GAMES = 1024


def play_game(windows: Windows, players: int) -> int:
    """A whole game through the handle, by ids."""
    game = Game(players, seed=windows.random.randrange(2**31))
    while not game.over:
        game.play(windows.one_of(game.legal_ids()))
    return len(game.move_ids or [])


def play_arrays(windows: Windows, players: int, row: np.ndarray, mask: np.ndarray) -> int:
    """A whole game through the handle, each decision's observation and mask written into arrays that stay."""
    game = Game(players, seed=windows.random.randrange(2**31))
    seat = game.player
    while seat is not None and seat >= 0:
        observe_at(game.states_view, 0, seat, players, row)
        seat = game.play_masked(windows.one_of(game.legal_ids()), mask)
    return len(game.move_ids or [])


def measure_ours(windows: Windows, players: int) -> None:
    """Every way to play, for a number of players."""
    size = observation_size(players)
    sizes = {"players": players, "actions": N_ACTIONS, "observation": size, "mask": True}
    batch = new_batch(players, GAMES)
    windows.measure("Speicherstadt", f"Batch, {GAMES:,} games", choose_and_step(batch), like="batch", **sizes)
    for way, like, make in (("raw_env", "raw_env", speicherstadt_v0.raw_env), ("env", "env", speicherstadt_v0.env)):
        env = make(players)
        env.reset(seed=SEED)
        windows.measure("Speicherstadt", way, aec_game(env, windows.from_mask), like=like, **sizes)
    row, mask = np.zeros(size, dtype=np.float32), np.zeros(N_ACTIONS, dtype=np.int8)
    way = "Game, into arrays"
    windows.measure("Speicherstadt", way, lambda: play_arrays(windows, players, row, mask), like="arrays", **sizes)
    sizes |= {"observation": 0, "mask": False}
    windows.measure("Speicherstadt", "Game, rules only", lambda: play_game(windows, players), like="game", **sizes)


def main() -> None:
    windows = Windows("speicher-env", "numba", "numpy")
    for players in PLAYERS:
        measure_ours(windows, players)
    empty = EmptyEnv(2, mean_length(known_games(2)))
    for way, env in (("raw", empty), ("three wrappers", in_standard_wrappers(empty))):
        sizes = aec_sizes(empty)
        windows.measure("an empty AEC environment", way, aec_game(env, windows.from_mask), like="", **sizes, mask=True)
    windows.done()


if __name__ == "__main__":
    main()
