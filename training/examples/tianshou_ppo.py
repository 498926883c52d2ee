"""Train an agent with Tianshou's PPO: in one seat against random players, or for all seats against itself.

One file to read from top to bottom and to copy. It needs Tianshou.

    python training/examples/tianshou_ppo.py --seats one --seed 1 --save agent.pt
    python training/examples/tianshou_ppo.py --seats all --seed 1 --save agent.pt
"""

from __future__ import annotations

import argparse
import logging
from typing import Any

import numpy as np
import torch
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory, LRSchedulerFactoryLinear
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.trainer import OnPolicyTrainerParams
from torch import nn

from speicher_env.envs.spaces import action_space
from speicher_env.integrations.tianshou import MaskedActor, SpeicherTianshouEnv
from speicher_env.observation import observation_size
from speicher_env.rules.actions import N_ACTIONS
from speicher_training.returns import gae_by_seat

HELD_OUT = 2**60
"""First seed of the games to be evaluated on; seeds of training stay below 2**53."""


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Train an agent with Tianshou's PPO.")
    parser.add_argument("--seats", choices=("one", "all"), default="one", help="who decides by the network")
    parser.add_argument("--players", type=int, choices=range(2, 6), default=2, help="players at the table")
    parser.add_argument("--seed", type=int, default=1, help="of the network, of what it draws, and of the games")
    parser.add_argument("--steps", type=int, default=400_000, help="decisions to train on")
    parser.add_argument("--num-envs", type=int, default=64, help="games at once")
    parser.add_argument("--rollout", type=int, default=128, help="decisions in each game between two updates")
    parser.add_argument("--minibatch", type=int, default=1024, help="decisions in a minibatch")
    parser.add_argument("--epochs", type=int, default=4, help="passes over the decisions of a rollout")
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate of Adam at the beginning; falls to 0")
    parser.add_argument("--games", type=int, default=500, help="games of the evaluation, on seeds never trained on")
    parser.add_argument("--save", help="where to write the weights")
    return parser.parse_args()


def layers(inputs: int, outputs: int, last_gain: float) -> nn.Sequential:
    """Two hidden layers; the last one begins small, so that at first all actions are about alike."""
    network = nn.Sequential(nn.Linear(inputs, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, outputs))
    for layer, gain in zip(network[::2], (2**0.5, 2**0.5, last_gain), strict=True):
        nn.init.orthogonal_(layer.weight, gain)
        nn.init.zeros_(layer.bias)
    return network


def make_policy(players: int) -> DiscreteActorPolicy:
    """A policy that chooses among the legal actions only."""
    actor = MaskedActor(layers(observation_size(players), N_ACTIONS, 0.01))
    return DiscreteActorPolicy(actor=actor, action_space=action_space(), deterministic_eval=True)


class Critic(nn.Module):
    """The value of a decision for the seat that makes it."""

    def __init__(self, players: int) -> None:
        super().__init__()
        self.network = layers(observation_size(players), 1, 1.0)

    def forward(self, obs: Any, **kwargs: Any) -> torch.Tensor:
        """Values (rows, 1)."""
        values: torch.Tensor = self.network(torch.as_tensor(np.asarray(obs.obs), dtype=torch.float32))
        return values


class SeatPPO(PPO):
    """PPO on the decisions of all seats, each chained to the same seat's next one.

    Tianshou's own estimate takes the next row for the same player's. Here it is often another seat's, and a seat is
    paid at the end of the game, whoever made the last decision.
    """

    def _preprocess_batch(self, batch: Any, buffer: Any, indices: np.ndarray) -> Any:
        """Add advantages, returns and old log-probabilities, and leave out rows whose advantage is not known."""
        rows = (buffer.buffer_num, len(indices) // buffer.buffer_num)  # the buffer has one game after the other
        with torch.no_grad():
            values = self.critic(batch.obs).flatten()
        estimates = gae_by_seat(
            batch.rew.astype(np.float32).reshape(*rows, -1).swapaxes(0, 1),
            batch.done.reshape(rows).T,
            batch.obs.seat.reshape(rows).T,
            values.numpy().reshape(rows).T,
            gae_lambda=self.gae_lambda,
            gamma=self.gamma,
        )
        known = estimates.known.T.ravel()
        learned = Batch(obs=batch.obs[known], act=torch.as_tensor(batch.act[known]), v_s=values[known])
        learned.adv = torch.as_tensor(estimates.advantages.T.ravel()[known])
        learned.returns = torch.as_tensor(estimates.returns.T.ravel()[known])
        with torch.no_grad():
            learned.logp_old = self.policy(Batch(obs=learned.obs, info=Batch())).dist.log_prob(learned.act)
        learned.info = Batch()
        return learned


def train(arguments: argparse.Namespace) -> DiscreteActorPolicy:
    """Learn, and give the policy."""
    np.random.seed(arguments.seed)  # Tianshou shuffles minibatches by NumPy's global stream
    torch.manual_seed(arguments.seed)
    logging.getLogger("tianshou.data.stats").setLevel(logging.ERROR)  # it warns of rewards for several seats
    env = SpeicherTianshouEnv(
        arguments.num_envs,
        arguments.players,
        seats=arguments.seats,
        opponents="random",
        seed=1_000_000 * arguments.seed,
    )
    policy = make_policy(arguments.players)
    frames = arguments.num_envs * arguments.rollout
    updates = max(1, arguments.steps // frames)
    optimizer = AdamOptimizerFactory(lr=arguments.rate, eps=1e-5).with_lr_scheduler_factory(
        LRSchedulerFactoryLinear(updates, frames, frames)
    )
    algorithm = (PPO if arguments.seats == "one" else SeatPPO)(
        policy=policy,
        critic=Critic(arguments.players),
        optim=optimizer,
        gamma=1.0,  # the only reward comes at the end
        gae_lambda=0.95,
        ent_coef=0.01,
        max_grad_norm=0.5,
        max_batchsize=4096,
    )
    collector = Collector(algorithm, env, VectorReplayBuffer(frames, arguments.num_envs), raise_on_nan_in_buffer=False)
    algorithm.run_training(
        OnPolicyTrainerParams(
            training_collector=collector,
            max_epochs=updates,
            epoch_num_steps=frames,
            collection_step_num_env_steps=frames,
            update_step_num_repetitions=arguments.epochs,
            batch_size=arguments.minibatch,
            multi_agent_return_reduction=None if arguments.seats == "one" else lambda returns: returns[:, 0],
            show_progress=False,
            verbose=False,
        )
    )
    return policy


def win_share(policy: DiscreteActorPolicy, players: int, games: int) -> float:
    """The mean share of the win against random players: 1 for a win, 1/2 where two share it, 0 for a loss.

    A game for each seed from HELD_OUT on, with the agent's seat drawn from that seed. Random play wins 1 / players.
    """
    env = SpeicherTianshouEnv(games, players, seats="one", seat="random", opponents="random", seed=HELD_OUT)
    collector = Collector(policy, env, VectorReplayBuffer(200 * games, games))
    returns = collector.collect(n_episode=games, reset_before_collect=True).returns
    return float((np.asarray(returns) * (players - 1) + 1).mean() / players)


def main() -> None:
    """Train, evaluate, save."""
    arguments = parse_arguments()
    torch.set_num_threads(1)  # more threads cost more than they bring with a network this small
    policy = train(arguments)
    share = win_share(policy, arguments.players, arguments.games)
    print(f"win share against random players {share:.3f}; random play wins {1 / arguments.players:.3f}")
    if arguments.save:
        torch.save(policy.state_dict(), arguments.save)


if __name__ == "__main__":
    main()
