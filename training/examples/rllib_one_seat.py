"""Train RLlib's PPO with action masks in one seat, save it, and export it as a baseline that plays without Ray.

One file to read and to copy. It needs RLlib and PyTorch: ``pip install 'ray[rllib]' torch``.

    python training/examples/rllib_one_seat.py --players 2 --steps 400000 --save out/rllib
    python training/examples/rllib_one_seat.py --restore out/rllib/checkpoint --steps 800000
"""

from __future__ import annotations

import argparse
import functools
import time
from pathlib import Path

import ray
import torch
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.rl_module import RLModule
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from speicher_env.integrations.rllib import ONE_SEAT, MaskedModule, WinShareCallback, network_of, register
from speicher_training.train import write_baseline


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Train RLlib's PPO in one seat.")
    parser.add_argument("--players", type=int, choices=range(2, 6), default=2, help="players at the table")
    parser.add_argument("--seed", type=int, default=1, help="seed of the network, the actions and the games")
    parser.add_argument("--steps", type=int, default=400_000, help="decisions of the learner to train on")
    parser.add_argument("--games", type=int, default=64, help="games at once")
    parser.add_argument("--opponents", default="random", help="the player in all other seats")
    parser.add_argument("--evaluate", nargs="*", default=["random", "frugal"], help="opponents of the evaluations")
    parser.add_argument("--deals", type=int, default=100, help="deals per evaluation, each played from every seat")
    parser.add_argument("--save", default="out/rllib", help="folder for the checkpoint and the baseline")
    parser.add_argument("--restore", help="checkpoint to resume from; default: start with a new network")
    return parser.parse_args()


def make_config(arguments: argparse.Namespace) -> PPOConfig:
    """PPO with a masked module, on many games in one environment."""
    return (
        PPOConfig()
        .environment(ONE_SEAT, env_config={"num_players": arguments.players, "opponents": arguments.opponents})
        .env_runners(
            num_env_runners=0,  # games run in this process; N > 0 starts N processes
            gym_env_vectorize_mode="vector_entry_point",  # one compiled step for all games
            num_envs_per_env_runner=arguments.games,
        )
        .rl_module(
            rl_module_spec=RLModuleSpec(module_class=MaskedModule, model_config={"fcnet_hiddens": [128, 128]}),
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


def train(algorithm: PPO, steps: int) -> None:
    """Train until `steps` decisions, counting those before a restored checkpoint; print every evaluation."""
    started = time.process_time()
    decisions = 0
    while decisions < steps:
        result = algorithm.train()
        decisions = int(result["env_runners"]["num_env_steps_sampled_lifetime"])
        if result["win_share_iteration"] == result["training_iteration"]:
            shares = ", ".join(f"{name} {share:.3f}" for name, share in result["win_share"].items())
            print(f"{decisions:>9,} decisions, win share against {shares}", flush=True)
    print(f"{decisions:>9,} decisions in {time.process_time() - started:.0f} seconds of CPU")


def main() -> None:
    """Train, save a checkpoint, and export the network."""
    arguments = parse_arguments()
    folder = Path(arguments.save).resolve()
    folder.mkdir(parents=True, exist_ok=True)  # fail now rather than after the training
    torch.set_num_threads(1)  # faster than several threads with a network this small
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    register()
    algorithm = make_config(arguments).build_algo()
    if arguments.restore:
        algorithm.restore_from_path(Path(arguments.restore).resolve())
    train(algorithm, arguments.steps)
    checkpoint = Path(algorithm.save_to_path(folder / "checkpoint"))
    algorithm.stop()
    ray.shutdown()

    # A checkpoint is a pickle: restore only your own. A baseline is not one, and plays without Ray and PyTorch.
    module = RLModule.from_checkpoint(checkpoint / "learner_group" / "learner" / "rl_module" / DEFAULT_MODULE_ID)
    card = write_baseline(
        network_of(module), folder, f"rllib-{arguments.players}p",
        players=[arguments.players], deck="standard", padded=False, reward="outcome",
        training={"file": Path(__file__).name, "seed": arguments.seed, "steps": arguments.steps},
    )  # fmt: skip
    print(f"the checkpoint is {checkpoint}")
    print(f"the baseline is {card}")


if __name__ == "__main__":
    main()
