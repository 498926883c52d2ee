"""Behaviour cloning from a Minari dataset: a network learns to choose what a player chose.

One file to read from top to bottom and to copy. It needs the extra ``[data]``, PyTorch, and a dataset:

    speicher dataset --with merchant --games 1000 --seed 1 --minari speicherstadt/merchant-2p-v0
    python training/examples/minari_cloning.py --dataset speicherstadt/merchant-2p-v0 --seed 1
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable

import gymnasium
import minari
import numpy as np
import torch
from torch import nn

FORBIDDEN = -1e9
"""Logit of an illegal action."""
HELD_OUT = 2**60
"""First seed of the games to be evaluated on."""


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Clone the player of a Minari dataset.")
    parser.add_argument("--dataset", required=True, help="id of a Minari dataset that `speicher dataset` has made")
    parser.add_argument("--seed", type=int, default=1, help="of the network, the split and the order of the decisions")
    parser.add_argument("--epochs", type=int, default=8, help="passes over the decisions")
    parser.add_argument("--batch", type=int, default=512, help="decisions in a minibatch")
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate of Adam at the beginning; falls to 0")
    parser.add_argument("--hidden", type=int, default=256, help="width of the two hidden layers")
    parser.add_argument("--evaluate", type=int, default=200, help="games against random players before and after")
    parser.add_argument("--save", help="where to write the trained weights")
    return parser.parse_args()


def decisions(episodes: Iterable[minari.EpisodeData]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Observations, masks and actions of all decisions; the last observation of an episode has none."""
    rows, masks, actions = [], [], []
    for episode in episodes:
        rows.append(episode.observations["observation"][:-1])
        masks.append(episode.observations["action_mask"][:-1])
        actions.append(episode.actions)
    return (
        torch.as_tensor(np.concatenate(rows)),
        torch.as_tensor(np.concatenate(masks)).bool(),
        torch.as_tensor(np.concatenate(actions)),
    )


def make_network(inputs: int, hidden: int, actions: int, scales: np.ndarray | None = None) -> nn.Module:
    """Two hidden layers; rows of uint8 are scaled to 0..1 first."""
    network = nn.Sequential(
        nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, actions)
    )
    network.register_buffer("scales", torch.ones(inputs) if scales is None else torch.as_tensor(scales))
    return network


def logits_of(network: nn.Module, rows: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """The logits of the legal actions."""
    return torch.where(masks, network(rows.float() * network.scales), FORBIDDEN)


def train(network: nn.Module, data: tuple[torch.Tensor, ...], options: argparse.Namespace) -> None:
    """Minimize the cross entropy of the actions that were taken."""
    optimizer = torch.optim.Adam(network.parameters(), options.rate)
    batches = options.epochs * -(-len(data[0]) // options.batch)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, batches)
    for epoch in range(options.epochs):
        loss = torch.zeros(())
        for part in torch.randperm(len(data[0])).split(options.batch):
            rows, masks, actions = (array[part] for array in data)
            loss = nn.functional.cross_entropy(logits_of(network, rows, masks), actions)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        print(f"epoch {epoch + 1}: loss {loss.item():.3f}", flush=True)


def agreement(network: nn.Module, data: tuple[torch.Tensor, ...]) -> float:
    """The share of decisions in which the network chooses what was chosen."""
    rows, masks, actions = data
    with torch.no_grad():
        return (logits_of(network, rows, masks).argmax(dim=1) == actions).float().mean().item()


def chooser(network: nn.Module) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """The most likely legal action for each observation."""

    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            legal = torch.as_tensor(masks).bool()
            actions: np.ndarray = logits_of(network, torch.as_tensor(observations), legal).argmax(dim=1).numpy()
        return actions

    return choose


def win_share(network: nn.Module, env: gymnasium.Env, games: int) -> float:
    """The mean share of the win: 1 for a win, 1/n where n share it."""
    choose, shares = chooser(network), []
    for game in range(games):
        seen, info = env.reset(seed=HELD_OUT + game)
        ended, reward = False, 0.0
        while not ended:
            action = choose(seen["observation"][None], info["action_mask"][None])[0]
            seen, reward, ended, _, info = env.step(action)
        players = env.unwrapped.batch.num_players
        shares.append((float(reward) * (players - 1) + 1) / players)
    return float(np.mean(shares))


def load(path: str) -> nn.Module:
    """The network that was saved."""
    weights = torch.load(path, weights_only=True)
    hidden, inputs = weights["0.weight"].shape
    network = make_network(inputs, hidden, len(weights["4.bias"]))
    network.load_state_dict(weights)
    return network


def main() -> None:
    """Split, train, compare, play, save."""
    options = parse_arguments()
    torch.set_num_threads(1)  # more threads cost more than they bring with a network this small
    torch.manual_seed(options.seed)
    dataset = minari.load_dataset(options.dataset)
    held = dataset.total_episodes // 10
    held_out, data = map(decisions, minari.split_dataset(dataset, [held, dataset.total_episodes - held], options.seed))
    env = dataset.recover_environment(seat="random", opponents="random")
    scales = env.unwrapped.batch.row_format.scales if data[0].dtype == torch.uint8 else None
    network = make_network(data[0].shape[1], options.hidden, int(dataset.action_space.n), scales)
    print(f"{len(data[0]):,} decisions of {dataset.id}; seed {options.seed}")
    print(f"before training: win share {win_share(network, env, options.evaluate):.3f}", flush=True)
    train(network, data, options)
    print(f"it chooses as the player in {agreement(network, held_out):.1%} of the decisions held out")
    print(f"after training: win share {win_share(network, env, options.evaluate):.3f}")
    if options.save:
        torch.save(network.state_dict(), options.save)


if __name__ == "__main__":
    main()
