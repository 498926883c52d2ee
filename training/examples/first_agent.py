"""Your first agent, part of the tutorial: train it with this file, then seat it as ``first_agent.py:FirstAgent``.

It needs the extra ``[train]``.

    python first_agent.py
    speicher arena first_agent.py:FirstAgent frugal
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from speicher_agents import Agent
from speicher_env.envs.sb3 import SpeicherVecEnv
from speicher_env.views import Views

MODEL = Path(__file__).with_name("first_agent.zip")


class FirstAgent(Agent):
    """Plays what the trained network thinks best."""

    name = "first"

    def __init__(self) -> None:
        """Load the network."""
        self.model = MaskablePPO.load(MODEL, device="cpu")

    def act(self, views: Views) -> np.ndarray:
        """One action for each row of observations."""
        actions, _ = self.model.predict(views.observations, action_masks=views.masks, deterministic=True)
        return actions


def train(decisions: int, seed: int) -> MaskablePPO:
    """Learn by playing against `frugal`; the reward is how far ahead of it the game ends, in units of 30 points."""
    env = SpeicherVecEnv(256, num_players=2, opponents="frugal", reward="margin", seed=seed)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=32,  # 256 games of 32 decisions each, then an update
        batch_size=2048,
        n_epochs=4,
        learning_rate=1e-3,
        ent_coef=0.01,
        gamma=1.0,  # the only reward comes at the end of a game
        policy_kwargs={"net_arch": [128, 128]},
        seed=seed,
        device="cpu",
    )
    began = time.perf_counter()
    while model.num_timesteps < decisions:
        model.learn(min(100_000, decisions - model.num_timesteps), reset_num_timesteps=False)
        reward = np.mean([game["r"] for game in model.ep_info_buffer])
        print(f"{model.num_timesteps:9,} decisions, {time.perf_counter() - began:4.0f} s, mean reward {reward:+.2f}")
    return model


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Train a first agent against frugal.")
    parser.add_argument("--decisions", type=int, default=1_000_000, help="to learn from")
    parser.add_argument("--seed", type=int, default=1, help="of the network, of what it draws, and of the games")
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # more threads cost more than they bring with a network this small
    train(arguments.decisions, arguments.seed).save(MODEL)
    print(f"The agent is in {MODEL.name}.")
