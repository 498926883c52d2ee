"""PPO from scratch in one file: one network learns from the decisions of all seats at once.

The starting point for an algorithm of your own: nothing but torch, NumPy and the batch of games. It plays against
itself only; `speicher train` adds a league of past selves and scripted players, checkpoints and evaluations. It needs
``pip install 'speicher-env[train]'``.

    python training/examples/own_algorithm.py --players 2 --seed 1 --export out
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from speicher_agents.baselines import Baseline, Layer, Network, Shape
from speicher_env.batch import Batch
from speicher_env.observation import observation_size
from speicher_env.rules.actions import N_ACTIONS
from speicher_training.returns import gae_by_seat
from speicher_training.train import evaluate, write_baseline

FORBIDDEN = -1e9
"""Logit of an illegal action."""


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Train one network by PPO on the decisions of all seats.")
    parser.add_argument("--players", type=int, choices=range(2, 6), default=2, help="players at the table")
    parser.add_argument("--seed", type=int, default=1, help="of the network, of what it draws, and of the games")
    parser.add_argument("--steps", type=int, default=500_000, help="decisions to train on, of all seats together")
    parser.add_argument("--games", type=int, default=256, help="games at once")
    parser.add_argument("--rollout", type=int, default=64, help="decisions in each game between two updates")
    parser.add_argument("--minibatch", type=int, default=2048, help="decisions in a minibatch")
    parser.add_argument("--epochs", type=int, default=4, help="passes over the decisions of a rollout")
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate of Adam at the beginning; falls to 0")
    parser.add_argument("--entropy", type=float, default=0.01, help="weight of the entropy in the loss")
    parser.add_argument("--deals", type=int, default=100, help="development deals of the evaluation at the end")
    parser.add_argument("--export", help="folder to write the trained baseline into")
    return parser.parse_args()


def stack(inputs: int, outputs: int, last_gain: float) -> nn.Sequential:
    """Two hidden layers; the last one begins small, so that at first all actions are about alike."""
    layers = [nn.Linear(inputs, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, outputs)]
    for layer, gain in zip(layers[::2], (2**0.5, 2**0.5, last_gain), strict=True):
        nn.init.orthogonal_(layer.weight, gain)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(*layers)


def distribution(policy: nn.Module, rows: torch.Tensor, masks: torch.Tensor) -> torch.distributions.Categorical:
    """The policy's choice among the legal actions."""
    logits = torch.where(masks, policy(rows), FORBIDDEN)
    return torch.distributions.Categorical(logits=logits, validate_args=False)


def numpy_network(players: int, policy: nn.Sequential, value: nn.Sequential) -> Network:
    """The trained weights as the NumPy network of a baseline."""
    policy_layers, value_layers = (
        tuple(Layer(layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy()) for layer in part[::2])
        for part in (policy, value)
    )
    shape = Shape(players, policy=(128, 128), value=(128, 128), activation="tanh")
    return Network(shape, policy_layers, value_layers)


def main() -> None:
    """Train, evaluate, export."""
    arguments = parse_arguments()
    folder = Path(arguments.export or "out")
    folder.mkdir(parents=True, exist_ok=True)  # or a training could end with nowhere to write to
    torch.manual_seed(arguments.seed)
    torch.set_num_threads(1)  # more threads cost more than they bring with a network this small
    rng = np.random.default_rng(arguments.seed)
    batch = Batch(arguments.games, arguments.players, seat="all")
    batch.reset(np.arange(arguments.games) + 1000 * arguments.seed)
    size = observation_size(arguments.players)
    policy, value = stack(size, N_ACTIONS, 0.01), stack(size, 1, 1.0)
    weights = [*policy.parameters(), *value.parameters()]
    optimizer = torch.optim.Adam(weights, arguments.rate, eps=1e-5)

    shape = (arguments.rollout, arguments.games)
    rows, masks = np.zeros((*shape, size), np.float32), np.zeros((*shape, N_ACTIONS), bool)
    actions, seats, ended = np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape, bool)
    chances, values = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    rewards = np.zeros((*shape, arguments.players), np.float32)
    updates = max(1, arguments.steps // (arguments.rollout * arguments.games))
    started = time.perf_counter()
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = arguments.rate * (1 - update / updates)
        for step in range(arguments.rollout):
            rows[step], masks[step], seats[step] = batch.observations, batch.action_masks, batch.seats
            with torch.no_grad():
                seen = torch.as_tensor(rows[step])
                choice = distribution(policy, seen, torch.as_tensor(masks[step]))
                drawn = choice.sample()
                chances[step], values[step] = choice.log_prob(drawn).numpy(), value(seen)[:, 0].numpy()
            actions[step] = drawn.numpy()
            batch.step(actions[step])
            ended[step], rewards[step] = batch.ended, batch.rewards

        advantages, returns, known = gae_by_seat(rewards, ended, seats, values, gae_lambda=0.95)
        flat = [torch.as_tensor(array[known]) for array in (rows, masks, actions, chances, advantages, returns)]
        for _ in range(arguments.epochs):
            order = torch.as_tensor(rng.permutation(len(flat[0])))
            for part in order.split(arguments.minibatch):
                seen, legal, chosen, before, advantage, target = (array[part] for array in flat)
                choice = distribution(policy, seen, legal)
                ratio = (choice.log_prob(chosen) - before).exp()
                spread = advantage.std(correction=0) + 1e-8  # a single decision has a spread of 0
                advantage = (advantage - advantage.mean()) / spread
                policy_loss = -torch.min(advantage * ratio, advantage * ratio.clamp(0.8, 1.2)).mean()
                value_loss = (value(seen)[:, 0] - target).square().mean()
                loss = policy_loss + 0.5 * value_loss - arguments.entropy * choice.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(weights, 0.5)
                optimizer.step()
        if (update + 1) % max(1, updates // 10) == 0:
            steps = (update + 1) * arguments.rollout * arguments.games
            rate = steps / (time.perf_counter() - started)
            print(f"{steps:>10,} decisions, {rate:,.0f}/s, value loss {value_loss.item():.3f}", flush=True)

    card = write_baseline(
        numpy_network(arguments.players, policy, value), folder, f"own-{arguments.players}p",
        players=[arguments.players], deck="standard", padded=False, reward="outcome",
        training={"steps": arguments.steps, "seed": arguments.seed, "file": Path(__file__).name},
    )  # fmt: skip
    for opponent in ("random", "frugal", "merchant"):
        result = evaluate(Baseline(card), opponent, arguments.players, arguments.deals)
        print(f"win share against {opponent:9s} {result.win_share:.3f} [{result.low:.3f}, {result.high:.3f}]")
    print(f"the baseline is {card}")


if __name__ == "__main__":
    main()
