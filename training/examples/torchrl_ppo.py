"""Train one network for all seats with TorchRL's PPO, in play against itself.

One file to read from top to bottom and to copy. It needs TorchRL.

    python training/examples/torchrl_ppo.py --players 2 --seed 1 --save agent.pt
"""

from __future__ import annotations

import argparse
import time

import torch
from tensordict import TensorDictBase
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import LazyTensorStorage, ReplayBuffer, SamplerWithoutReplacement
from torchrl.envs.utils import ExplorationType, set_exploration_type
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss

from speicher_env.integrations.torchrl import SpeicherTorchRLEnv
from speicher_env.observation import observation_size
from speicher_env.rules.actions import N_ACTIONS
from speicher_training.returns import gae_by_seat

HELD_OUT = 2**60
"""First seed of the games to be evaluated on; seeds of training stay below 2**53."""


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Train one network for all seats with TorchRL's PPO.")
    parser.add_argument("--players", type=int, choices=range(2, 6), default=2, help="players at the table")
    parser.add_argument("--seed", type=int, default=1, help="of the network, of what it draws, and of the games")
    parser.add_argument("--steps", type=int, default=1_000_000, help="decisions to train on, of all seats together")
    parser.add_argument("--num-envs", type=int, default=256, help="games at once")
    parser.add_argument("--rollout", type=int, default=64, help="decisions in each game between two updates")
    parser.add_argument("--minibatch", type=int, default=2048, help="decisions in a minibatch")
    parser.add_argument("--epochs", type=int, default=4, help="passes over the decisions of a rollout")
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate of Adam at the beginning; falls to 0")
    parser.add_argument("--games", type=int, default=1000, help="games of the evaluation, on seeds never trained on")
    parser.add_argument("--save", help="where to write the weights")
    return parser.parse_args()


def layers(inputs: int, outputs: int, last_gain: float) -> nn.Sequential:
    """Two hidden layers; the last one begins small, so that at first all actions are about alike."""
    network = nn.Sequential(nn.Linear(inputs, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, outputs))
    for layer, gain in zip(network[::2], (2**0.5, 2**0.5, last_gain), strict=True):
        nn.init.orthogonal_(layer.weight, gain)
        nn.init.zeros_(layer.bias)
    return network


def make_actor(players: int) -> ProbabilisticActor:
    """A policy that chooses among the legal actions only."""
    return ProbabilisticActor(
        TensorDictModule(layers(observation_size(players), N_ACTIONS, 0.01), ["observation"], ["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )


def make_critic(players: int) -> ValueOperator:
    """The value of a decision for the seat that makes it."""
    return ValueOperator(layers(observation_size(players), 1, 1.0), in_keys=["observation"])


def add_advantages(data: TensorDictBase, critic: ValueOperator) -> TensorDictBase:
    """The decisions of a rollout (games, steps) whose advantage is known, with their advantages, as one batch.

    TorchRL's GAE takes each row's next decision for the same player's. Here it is often another seat's, so the
    decisions of each seat are chained to its own next one.
    """
    with torch.no_grad():
        critic(data)
    values = data["state_value"][..., 0]
    estimates = gae_by_seat(
        data["next", "rewards"].transpose(0, 1).numpy(),
        data["next", "done"][..., 0].T.numpy(),
        data["seat"].T.numpy(),
        values.T.numpy(),
        gae_lambda=0.95,
    )
    data["advantage"] = torch.as_tensor(estimates.advantages.T)[..., None]
    data["value_target"] = torch.as_tensor(estimates.returns.T)[..., None]
    return data[torch.as_tensor(estimates.known.T.copy())]


def train(arguments: argparse.Namespace) -> ProbabilisticActor:
    """Learn from games against oneself."""
    torch.manual_seed(arguments.seed)
    env = SpeicherTorchRLEnv(arguments.num_envs, arguments.players, seats="all", seed=1_000_000 * arguments.seed)
    actor, critic = make_actor(arguments.players), make_critic(arguments.players)
    loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.01, critic_coeff=0.5, loss_critic_type="l2",
                       normalize_advantage=True)  # fmt: skip
    optimizer = torch.optim.Adam(loss.parameters(), arguments.rate, eps=1e-5)
    frames = arguments.num_envs * arguments.rollout
    updates = max(1, arguments.steps // frames)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, updates)
    collector = Collector(env, actor, frames_per_batch=frames, total_frames=updates * frames)
    buffer = ReplayBuffer(
        storage=LazyTensorStorage(frames), sampler=SamplerWithoutReplacement(), batch_size=arguments.minibatch
    )
    started = time.perf_counter()
    for update, data in enumerate(collector):
        buffer.empty()
        buffer.extend(
            add_advantages(data, critic).select(
                "observation", "action_mask", "action", "action_log_prob", "advantage", "value_target"
            )
        )
        for _ in range(arguments.epochs):
            for minibatch in buffer:
                losses = loss(minibatch)
                total = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
                optimizer.zero_grad()
                total.backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()
        schedule.step()
        if (update + 1) % max(1, updates // 10) == 0:
            rate = (update + 1) * frames / (time.perf_counter() - started)
            print(f"{(update + 1) * frames:>10,} decisions, {rate:,.0f}/s", flush=True)
    collector.shutdown()
    return actor


def win_share(actor: ProbabilisticActor, players: int, games: int) -> float:
    """The mean share of the win against random players: 1 for a win, 1/2 where two share it, 0 for a loss.

    A game for each seed from HELD_OUT on, with the agent's seat drawn from that seed. Random play wins 1 / players.
    """
    env = SpeicherTorchRLEnv(games, players, seats="one", seat="random", opponents="random", seed=HELD_OUT)
    with torch.no_grad(), set_exploration_type(ExplorationType.DETERMINISTIC):
        data = env.rollout(1000, actor, break_when_any_done=False, break_when_all_done=True)
    rewards = data["next", "reward"][:, -1, 0]  # a row that is over keeps its last step
    return float((rewards * (players - 1) + 1).mean() / players)


def main() -> None:
    """Train, evaluate, save."""
    arguments = parse_arguments()
    torch.set_num_threads(1)  # more threads cost more than they bring with a network this small
    actor = train(arguments)
    share = win_share(actor, arguments.players, arguments.games)
    print(f"win share against random players {share:.3f}; random play wins {1 / arguments.players:.3f}")
    if arguments.save:
        torch.save(actor.state_dict(), arguments.save)


if __name__ == "__main__":
    main()
