"""Train MaskablePPO against random players, and tell what it wins before and after.

One file to read from top to bottom and to copy. It needs the extra ``[train]``.

    python training/examples/maskable_ppo.py --players 2 --seed 1
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from speicher_env.envs.sb3 import SpeicherVecEnv

HELD_OUT = 2**60
"""First seed of the games to be evaluated on; seeds of training stay below 2**53."""


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Train MaskablePPO against random players.")
    parser.add_argument("--players", type=int, choices=range(2, 6), default=2, help="all but one play at random")
    parser.add_argument("--seed", type=int, default=1, help="of the network, of what it draws, and of the games")
    parser.add_argument("--steps", type=int, default=200_000, help="decisions of the learner to train on")
    parser.add_argument("--num-envs", type=int, default=256, help="games at once")
    parser.add_argument("--games", type=int, default=1000, help="games of each evaluation, on seeds never trained on")
    parser.add_argument("--save", help="where to write the trained model, a .zip of stable-baselines3's")
    return parser.parse_args()


def make_model(players: int, num_envs: int, seed: int) -> MaskablePPO:
    """MaskablePPO with a small network on many games at once."""
    env = SpeicherVecEnv(num_envs, players, seat="random", opponents="random", reward="outcome", seed=seed)
    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=1e-3,
        n_steps=32,
        batch_size=2048,
        n_epochs=4,
        gamma=1.0,  # the only reward comes at the end
        gae_lambda=0.95,
        ent_coef=0.01,
        seed=seed,
        device="cpu",  # the network is small
    )


def win_share(model: MaskablePPO, players: int, games: int, illegal: str = "raise") -> float:
    """The mean share of the win against random players: 1 for a win, 1/2 where two share it, 0 for a loss.

    A game for each seed from HELD_OUT on, with the learner's seat drawn from that seed. Random play wins 1 / players.
    """
    env = SpeicherVecEnv(games, players, seat="random", opponents="random", illegal=illegal, seed=HELD_OUT)
    rows = env.reset()
    shares = np.full(games, np.nan)
    while np.isnan(shares).any():
        actions, _ = model.predict(rows, action_masks=env.action_masks(), deterministic=True)
        rows, rewards, ended, _ = env.step(actions)
        first = ended & np.isnan(shares)  # the game that follows in a row is not counted
        shares[first] = (rewards[first] * (players - 1) + 1) / players
    return float(shares.mean())


def main() -> None:
    """Evaluate, train, evaluate."""
    arguments = parse_arguments()
    torch.set_num_threads(1)  # more threads cost more than they bring with a network this small
    model = make_model(arguments.players, arguments.num_envs, arguments.seed)
    print(f"seed {arguments.seed}, {arguments.players} players, random play wins {1 / arguments.players:.3f}")
    print(f"before training: win share {win_share(model, arguments.players, arguments.games):.3f}", flush=True)
    started = time.perf_counter()
    model.learn(arguments.steps)
    seconds = time.perf_counter() - started
    print(f"after {model.num_timesteps} decisions in {seconds:.0f} s:", end=" ")
    print(f"win share {win_share(model, arguments.players, arguments.games):.3f}")
    if arguments.save:
        model.save(arguments.save)


if __name__ == "__main__":
    main()
