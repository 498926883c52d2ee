"""Train one seat against random players with AgileRL's PPO.

One file to read from top to bottom and to copy. It needs AgileRL and peft.

    python training/examples/agilerl_ppo.py --players 2 --seed 1 --save agent.pt
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import torch
from agilerl.algorithms import PPO
from agilerl.components.rollout_buffer import RolloutBuffer
from agilerl.rollouts import collect_rollouts

from speicher_env.envs.vector import SpeicherVectorEnv

HELD_OUT = 2**60
"""First seed of the games to be evaluated on; seeds of training stay below 2**53."""
NETWORK = {
    "latent_dim": 128,
    "encoder_config": {"hidden_size": [128], "activation": "Tanh"},
    "head_config": {"hidden_size": [128], "activation": "Tanh"},
}


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Train one seat against random players with AgileRL's PPO.")
    parser.add_argument("--players", type=int, choices=range(2, 6), default=2, help="all but one play at random")
    parser.add_argument("--seed", type=int, default=1, help="of the network, of what it draws, and of the games")
    parser.add_argument("--steps", type=int, default=400_000, help="decisions of the learner to train on")
    parser.add_argument("--num-envs", type=int, default=128, help="games at once")
    parser.add_argument("--rollout", type=int, default=64, help="decisions in each game between two updates")
    parser.add_argument("--minibatch", type=int, default=1024, help="decisions in a minibatch")
    parser.add_argument("--epochs", type=int, default=4, help="passes over the decisions of a rollout")
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate of Adam")
    parser.add_argument("--games", type=int, default=500, help="games of the evaluation, on seeds never trained on")
    parser.add_argument("--save", help="where to write the weights of the actor")
    return parser.parse_args()


class FixedBuffer(RolloutBuffer):
    """AgileRL's buffer, with advantages that end where a game ends.

    RolloutBuffer takes ``dones[t]`` for the state before step t, but gets the state after it. So the only reward of a
    game reaches its last decision and no other, and the first value of the next game leaks in.
    """

    def compute_returns_and_advantages(self, last_value: Any, last_done: Any) -> None:
        """Move the ends of games to where the method expects them."""
        steps = self.capacity if self.full else self.pos
        after = self.buffer["dones"][:steps].clone()
        self.buffer["dones"][1:steps] = after[:-1]
        super().compute_returns_and_advantages(last_value, after[-1].float())
        self.buffer["dones"][:steps] = after


class FixedPPO(PPO):
    """AgileRL's PPO with `FixedBuffer`."""

    def create_rollout_buffer(self) -> None:
        """Make the buffer a `FixedBuffer`."""
        super().create_rollout_buffer()
        self.rollout_buffer.__class__ = FixedBuffer


def make_agent(players: int, num_envs: int = 1, **options: Any) -> PPO:
    """PPO with a small network."""
    env = SpeicherVectorEnv(1, players)
    return FixedPPO(
        env.single_observation_space,
        env.single_action_space,
        net_config=NETWORK,
        num_envs=num_envs,
        gamma=1.0,  # the only reward comes at the end
        gae_lambda=0.95,
        ent_coef=0.01,
        **options,
    )


def train(arguments: argparse.Namespace) -> PPO:
    """Train an agent."""
    np.random.seed(arguments.seed)  # AgileRL shuffles minibatches by NumPy's global stream
    torch.manual_seed(arguments.seed)
    frames = arguments.num_envs * arguments.rollout
    agent = make_agent(
        arguments.players,
        arguments.num_envs,
        lr=arguments.rate,
        batch_size=arguments.minibatch,
        learn_step=frames,
        update_epochs=arguments.epochs,
    )
    # In same-step mode every row is a decision; in Gymnasium's default mode a game that is over allows no action.
    env = SpeicherVectorEnv(arguments.num_envs, arguments.players, opponents="random", autoreset_mode="same_step")
    observations, info = env.reset(seed=1_000_000 * arguments.seed)
    state: dict[str, Any] = {
        "last_obs": observations,
        "last_done": np.zeros(arguments.num_envs),
        "last_scores": np.zeros(arguments.num_envs),
        "last_info": info,
    }
    updates = max(1, arguments.steps // frames)
    started = time.perf_counter()
    for update in range(updates):
        _, *last = collect_rollouts(agent, env, **state)
        state = dict(zip(state, last, strict=True))
        agent.learn()
        if (update + 1) % max(1, updates // 10) == 0:
            rate = (update + 1) * frames / (time.perf_counter() - started)
            print(f"{(update + 1) * frames:>10,} decisions, {rate:,.0f}/s", flush=True)
    return agent


def choose(agent: PPO, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """The most likely legal action of each row."""
    with torch.no_grad():
        latent = agent.actor.extract_features(agent.preprocess_observation(observations))
        logits = agent.actor.head_net.wrapped(latent)
    actions: np.ndarray = torch.where(torch.as_tensor(masks, dtype=torch.bool), logits, -torch.inf).argmax(-1).numpy()
    return actions


def win_share(agent: PPO, players: int, games: int) -> float:
    """The mean share of the win against random players: 1 for a win, 1/2 where two share it, 0 for a loss.

    A game for each seed from HELD_OUT on, with the agent's seat drawn from that seed. Random play wins 1 / players.
    """
    env = SpeicherVectorEnv(games, players, seat="random", opponents="random", autoreset_mode="same_step")
    observations, info = env.reset(seed=HELD_OUT)
    shares = np.full(games, np.nan)
    while np.isnan(shares).any():
        observations, rewards, ended, _, info = env.step(choose(agent, observations, info["action_mask"]))
        first = ended & np.isnan(shares)  # the game that follows in a row is not counted
        shares[first] = (rewards[first] * (players - 1) + 1) / players
    return float(shares.mean())


def main() -> None:
    """Train, evaluate, save."""
    arguments = parse_arguments()
    torch.set_num_threads(1)  # more threads cost more than they bring with a network this small
    agent = train(arguments)
    share = win_share(agent, arguments.players, arguments.games)
    print(f"win share against random players {share:.3f}; random play wins {1 / arguments.players:.3f}")
    if arguments.save:
        torch.save(agent.actor.state_dict(), arguments.save)


if __name__ == "__main__":
    main()
