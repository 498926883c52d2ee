"""PettingZoo's own games, raw and in the wrappers that their `env()` brings."""

from __future__ import annotations

from pettingzoo.classic import connect_four_v3, gin_rummy_v4
from windows import SEED, Windows, aec_game, aec_sizes


def main() -> None:
    windows = Windows("pettingzoo", "gymnasium", "numpy")
    for module in (connect_four_v3, gin_rummy_v4):
        name = module.__name__.rpartition(".")[2]
        for way, make in (("raw_env", module.raw_env), ("env", module.env)):
            env = make()
            env.reset(seed=SEED)
            windows.measure(name, way, aec_game(env, windows.from_mask), like="env", **aec_sizes(env), mask=True)
    windows.done()


if __name__ == "__main__":
    main()
