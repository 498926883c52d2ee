"""Train RLlib's PPO with action masks by self-play with a league, save it, and export it as a baseline.

One network plays all seats, or one seat against frozen copies of its past selves. One file to read and to copy. It
needs RLlib and PyTorch: ``pip install 'ray[rllib]' torch``.

    python training/examples/rllib_self_play.py --players 3 --steps 600000 --save out/rllib
    python training/examples/rllib_self_play.py --players 3 --restore out/rllib/checkpoint --steps 1200000
"""

from __future__ import annotations

import argparse
import functools
import time
from pathlib import Path

import ray
import torch
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.core.rl_module import RLModule

from speicher_env.integrations.rllib import LEARNER, MULTI_AGENT, League, WinShareCallback, network_of, register
from speicher_training.train import write_baseline


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Train RLlib's PPO by self-play with a league.")
    parser.add_argument("--players", type=int, choices=range(2, 6), default=2, help="players at the table")
    parser.add_argument("--seed", type=int, default=1, help="seed of the network, the actions and the games")
    parser.add_argument("--steps", type=int, default=600_000, help="decisions of all seats to train on")
    parser.add_argument("--games", type=int, default=64, help="games at once per environment runner")
    parser.add_argument(
        "--env-runners", type=int, default=0, help="processes that play games; default: 0, this process plays them"
    )
    parser.add_argument("--league", type=int, default=6, help="maximum number of frozen copies in the league")
    parser.add_argument("--every", type=int, default=10, help="iterations between two copies")
    parser.add_argument(
        "--threshold",
        type=float,
        help="multiple of par (1 / players) at which the learner's win share also adds a copy",
    )
    parser.add_argument("--evaluate", nargs="*", default=["random", "frugal"], help="opponents of the evaluations")
    parser.add_argument("--deals", type=int, default=100, help="deals per evaluation, each played from every seat")
    parser.add_argument("--save", default="out/rllib", help="folder for the checkpoint and the baseline")
    parser.add_argument("--restore", help="checkpoint to resume from; default: start with a new network")
    return parser.parse_args()


def make_config(arguments: argparse.Namespace) -> PPOConfig:
    """PPO with a league of masked modules."""
    config = (
        PPOConfig()
        .environment(MULTI_AGENT, env_config={"num_players": arguments.players})
        .env_runners(
            num_env_runners=arguments.env_runners,
            num_envs_per_env_runner=arguments.games,
            batch_mode="complete_episodes",  # whole games, so that every decision gets its payoff
        )
        .training(
            train_batch_size=128 * arguments.games,
            minibatch_size=16 * arguments.games,
            num_epochs=4,
            lr=1e-3,
            gamma=1.0,  # the only reward comes at the end
            lambda_=0.95,
            entropy_coeff=0.01,
            clip_param=0.2,
            use_kl_loss=False,
            grad_clip=0.5,
        )
        .callbacks(
            functools.partial(WinShareCallback, opponents=arguments.evaluate, deals=arguments.deals, every=10),
        )
        .debugging(seed=arguments.seed, log_level="ERROR")
    )
    league = League(size=arguments.league, every=arguments.every, threshold=arguments.threshold)
    return league.applied_to(config, model_config={"fcnet_hiddens": [128, 128]})


def train(algorithm: PPO, steps: int) -> None:
    """Train until `steps` decisions, counting those before a restored checkpoint; print every evaluation."""
    started = time.process_time()
    decisions = 0
    while decisions < steps:
        result = algorithm.train()
        decisions = int(result["env_runners"]["num_env_steps_sampled_lifetime"])
        if result["win_share_iteration"] == result["training_iteration"]:
            shares = ", ".join(f"{name} {share:.3f}" for name, share in result["win_share"].items())
            members = result["league"]["members"]
            print(f"{decisions:>9,} decisions, {members} in the league, win share against {shares}", flush=True)
    print(f"{decisions:>9,} decisions in {time.process_time() - started:.0f} seconds of CPU")


def main() -> None:
    """Train, save a checkpoint, and export the network."""
    arguments = parse_arguments()
    folder = Path(arguments.save).resolve()
    folder.mkdir(parents=True, exist_ok=True)  # fail now rather than after the training
    torch.set_num_threads(1)  # faster than several threads with a network this small
    ray.init(num_cpus=1 + arguments.env_runners, include_dashboard=False, log_to_driver=False)
    register()
    algorithm = make_config(arguments).build_algo()
    if arguments.restore:
        algorithm.restore_from_path(Path(arguments.restore).resolve())
    train(algorithm, arguments.steps)
    checkpoint = Path(algorithm.save_to_path(folder / "checkpoint"))
    algorithm.stop()
    ray.shutdown()

    # A checkpoint is a pickle: restore only your own. A baseline is not one, and plays without Ray and PyTorch.
    module = RLModule.from_checkpoint(checkpoint / "learner_group" / "learner" / "rl_module" / LEARNER)
    card = write_baseline(
        network_of(module), folder, f"rllib-{arguments.players}p",
        players=[arguments.players], deck="standard", padded=False, reward="outcome",
        training={"file": Path(__file__).name, "seed": arguments.seed, "steps": arguments.steps},
    )  # fmt: skip
    print(f"the checkpoint is {checkpoint}")
    print(f"the baseline is {card}")


if __name__ == "__main__":
    main()
