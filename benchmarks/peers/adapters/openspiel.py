"""OpenSpiel from Python: tensors through NumPy, masks as arrays; and play without either. Chance is not counted."""

from __future__ import annotations

import numpy as np
import pyspiel
from open_spiel.python.observation import make_observation
from windows import Windows

GAMES = ("backgammon", "crazy_eights(players=4)", "spades")


def play_chance(state: pyspiel.State, windows: Windows) -> None:
    """An outcome by its probability."""
    actions, probabilities = zip(*state.chance_outcomes(), strict=True)
    state.apply_action(windows.random.choices(actions, probabilities)[0])


def play_game(game: pyspiel.Game, windows: Windows, observer: object | None) -> int:
    """A whole game, the mover's observation and mask written before each decision if there is an observer."""
    state = game.new_initial_state()
    mask = np.zeros(game.num_distinct_actions(), dtype=np.int8)
    count = 0
    while not state.is_terminal():
        if state.is_chance_node():
            play_chance(state, windows)
            continue
        legal = state.legal_actions()
        if observer is not None:
            observer.set_from(state, state.current_player())
            mask[:] = 0
            mask[legal] = 1
        state.apply_action(windows.one_of(legal))
        count += 1
    return count


def main() -> None:
    windows = Windows("open_spiel", "numpy")
    for name in GAMES:
        game = pyspiel.load_game(name)
        observer = make_observation(game)
        for way, watching in (("Python, NumPy tensors", observer), ("Python, rules only", None)):
            windows.measure(
                name.partition("(")[0],
                way,
                lambda game=game, watching=watching: play_game(game, windows, watching),
                like="arrays" if watching is not None else "game",
                players=game.num_players(),
                actions=game.num_distinct_actions(),
                observation=observer.tensor.size if watching is not None else 0,
                mask=watching is not None,
            )
    windows.done()


if __name__ == "__main__":
    main()
