"""PQN in one file: a Q-network that plays all seats of many games at once, without a replay buffer or target network.

Layer norm keeps it stable. Its targets are lambda returns, for which each decision is linked to the same seat's next
one. One file to read from top to bottom, to copy and to change. It needs ``[train]``. After Gallici and others,
"Simplifying Deep Temporal Difference Learning", 2024.

    python training/examples/pqn.py --players 2 --seed 1 --core-minutes 3
    speicher arena training/examples/pqn.py:Trained:checkpoint=runs/pqn/checkpoint.pt frugal merchant
"""

from __future__ import annotations

import argparse
import json
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from speicher_agents import Agent
from speicher_agents.baselines import column_places
from speicher_env.envs.vector import SpeicherVectorEnv
from speicher_env.observation import RowFormat, observation_size, observe
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.views import Views
from speicher_training.arena import RANGES
from speicher_training.returns import gae_by_seat

DEVELOPMENT = RANGES["development"].start
"""Seed of the first deal of evaluations, which no training uses."""
ILLEGAL = -1e8
"""Q of an illegal action."""


def parse_args(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Train one Q-network by PQN on the decisions of all seats.")
    add, switch = parser.add_argument, argparse.BooleanOptionalAction
    # the run
    add("--players", type=int, choices=range(2, 6), default=2, help="players at the table")
    add("--seed", type=int, default=1, help="of the network, of everything that is drawn, and of the games")
    add("--steps", type=int, default=2_000_000, help="decisions to train on, of all seats together")
    add("--core-minutes", type=float, help="in place of --steps: minutes of processor time to train")
    add("--run", type=Path, default=Path("runs/pqn"), help="folder for the checkpoint and the evaluations")
    add("--threads", type=int, default=1, help="threads of PyTorch; more rarely pay with a network this small")
    add("--bfloat16", action=switch, default=None, help="hidden layers in bfloat16; by default if the CPU has it")
    # the games
    add("--deck", default="standard", help="standard, sampled or a deck file")
    add("--reward", choices=("outcome", "rank", "margin"), default="margin", help="the payoff at the end of a game")
    add("--figures", action=switch, default=True, help="also observe figures, such as needs and prices")
    add("--num-envs", type=int, default=256, help="games at once")
    add("--num-steps", type=int, default=64, help="decisions in each game between two updates")
    # the network
    add("--hidden", type=int, nargs="+", default=[256, 256], help="widths of the hidden layers")
    add("--columns", type=int, nargs="*", default=[64, 32], help="widths of the layers for columns, if any")
    # PQN
    add("--learning-rate", type=float, default=1e-3, help="of RAdam at the beginning")
    add("--learning-rate-end", type=float, default=2e-5, help="of RAdam at the end; it falls linearly")
    add("--gamma", type=float, default=1.0, help="discount; the only payoff comes at the end")
    add("--q-lambda", type=float, default=0.97, help="how far returns look ahead: 0 one decision, 1 to the end")
    add("--minibatch", type=int, default=1024, help="decisions in a minibatch")
    add("--update-epochs", type=int, default=2, help="passes over the decisions of a rollout")
    add("--epsilon", type=float, default=1.0, help="share of random actions at the beginning")
    add("--epsilon-end", type=float, default=0.02, help="share of random actions once it has fallen")
    add("--exploration", type=float, default=0.2, help="part of the run in which it falls, linearly")
    add("--max-grad-norm", type=float, default=10.0, help="longer gradients are shortened to this")
    # evaluation
    add("--evaluations", type=int, default=5, help="evaluations in equal parts of the run, the last one at its end")
    add("--eval-deals", type=int, default=50, help="deals of an evaluation, each played from every seat")
    add("--opponents", nargs="*", default=["random", "frugal", "merchant"], help="in all other seats of an evaluation")
    args = parser.parse_args(arguments)
    if args.bfloat16 is None:
        args.bfloat16 = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    return args


class QNetwork(nn.Module):
    """What each action is worth to the seat that decides, with layer norm before every activation.

    Layers for columns read each column alike, so that what is learned about a card holds wherever it lies. They get the
    numbers of their column and all numbers; the trunk gets all numbers and the outputs for every column.
    """

    def __init__(self, players: int, figures: bool, hidden: list[int], columns: list[int], bfloat16: bool) -> None:
        super().__init__()
        self.size = RowFormat(players, figures).size
        places = torch.from_numpy(column_places(observation_size(players), figures))
        self.bfloat16 = bfloat16
        self.register_buffer("places", places, persistent=False)
        self.register_buffer("mean", torch.zeros(self.size))
        self.register_buffer("spread", torch.ones(self.size))
        widths = [places.shape[1] + self.size, *columns] if columns else []
        self.columns = nn.ModuleList(nn.Linear(*pair) for pair in pairwise(widths))
        self.column_norms = nn.ModuleList(nn.LayerNorm(width) for width in columns)
        widths = [self.size + len(places) * columns[-1] if columns else self.size, *hidden]
        self.trunk = nn.ModuleList(nn.Linear(*pair) for pair in pairwise(widths))
        self.trunk_norms = nn.ModuleList(nn.LayerNorm(width) for width in hidden)
        self.q = nn.Linear(hidden[-1], N_ACTIONS)

    def scale_like(self, rows: torch.Tensor) -> None:
        """Take mean and spread of these observations: a coin is a sixteenth in them and a point a hundredth."""
        self.mean.copy_(rows.mean(0))
        self.spread.copy_(rows.std(0).clamp(min=0.1))
        for numbers in (self.mean, self.spread):
            numbers[self.places] = numbers[self.places].mean(0)  # the same for every column

    def forward(self, rows: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        """Q of every action, very low for illegal ones."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.bfloat16):
            rows = (rows - self.mean) / self.spread
            if self.columns:
                first, *others = self.columns
                own = self.places.shape[1]  # the part of the first layer that reads all numbers is computed once
                shared = functional.linear(rows, first.weight[:, own:], first.bias)
                outputs = functional.linear(rows[:, self.places], first.weight[:, :own]) + shared[:, None]
                for norm, each in zip(self.column_norms, [*others, None], strict=True):
                    outputs = norm(outputs).relu()
                    outputs = outputs if each is None else each(outputs)
                rows = torch.cat([rows, outputs.flatten(1).to(rows.dtype)], 1)
            for each, norm in zip(self.trunk, self.trunk_norms, strict=True):
                rows = norm(each(rows)).relu()
        return self.q(rows.float()).masked_fill(~masks, ILLEGAL)


class Trained(Agent):
    """Plays the action that a trained network values most, in the arena and elsewhere."""

    def __init__(self, checkpoint: str) -> None:
        """Read a checkpoint, which runs no code."""
        saved = torch.load(checkpoint, weights_only=True)
        self.name = f"pqn {Path(checkpoint).parent.name}"
        self.players, self.figures = saved["shape"]["players"], saved["shape"]["figures"]
        self.network = QNetwork(**saved["shape"], bfloat16=False)
        self.network.load_state_dict(saved["network"])

    def check_players(self, players: int) -> None:
        """Refuse other tables than the one it was trained for."""
        if players != self.players:
            raise ValueError(f"{self.name} plays with {self.players} players, not {players}")

    def act(self, views: Views) -> np.ndarray:
        """The action of each row."""
        rows = views.observations
        if rows.shape[1] != self.network.size:
            rows = observe(views.states, views.seats, self.players, figures=self.figures)
        with torch.no_grad():
            q = self.network(torch.from_numpy(rows), torch.from_numpy(views.masks.astype(bool)))
        return q.argmax(1).numpy()


def make_env(args: argparse.Namespace, num_envs: int, **changes: object) -> SpeicherVectorEnv:
    """Games as the network reads them."""
    fixed = {"deck": args.deck, "figures": args.figures, "mask_dtype": "bool", "autoreset_mode": "same_step"}
    return SpeicherVectorEnv(num_envs, args.players, copy=False, **fixed, **changes)


@torch.no_grad()
def win_share(network: QNetwork, args: argparse.Namespace, opponent: str) -> tuple[float, float]:
    """The share of the win against one opponent in all other seats, and half of a 95 % interval over deals.

    1 for a win, 1/k where k seats share it, 0 for a loss; equal players have 1 / players.
    """
    shares = np.zeros((args.players, args.eval_deals))
    for seat in range(args.players):
        env = make_env(args, args.eval_deals, seat=seat, opponents=opponent)
        rows, info = env.reset(seed=DEVELOPMENT)
        running = np.ones(args.eval_deals, bool)
        while running.any():
            q = network(torch.from_numpy(rows), torch.from_numpy(info["action_mask"]))
            rows, rewards, ended, _, info = env.step(q.argmax(1).numpy())
            shares[seat, running & ended] = (rewards[running & ended] * (args.players - 1) + 1) / args.players
            running &= ~ended  # the game that follows in a row is not counted
    return float(shares.mean()), 1.96 * float(shares.mean(0).std(ddof=1)) / args.eval_deals**0.5


def main(arguments: list[str] | None = None) -> None:
    """Train, evaluate and save."""
    args = parse_args(arguments)
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    rng = np.random.default_rng(args.seed)
    args.run.mkdir(parents=True, exist_ok=True)
    (args.run / "args.json").write_text(json.dumps(vars(args), default=str, indent=1) + "\n")
    evaluations = (args.run / "evaluations.jsonl").open("w", encoding="utf-8")

    env = make_env(args, args.num_envs, seats="all", reward=args.reward)
    rows, info = env.reset(seed=int(rng.integers(2**52)))
    network_shape = {name: getattr(args, name) for name in ("players", "figures", "hidden", "columns")}
    network = QNetwork(**network_shape, bfloat16=args.bfloat16)
    optimizer = torch.optim.RAdam(network.parameters(), args.learning_rate)

    # Storage of a rollout. The decisions of all seats follow each other in a row.
    shape = (args.num_steps, args.num_envs)
    observations, masks = torch.zeros(*shape, network.size), torch.zeros(*shape, N_ACTIONS, dtype=torch.bool)
    actions, best = torch.zeros(shape, dtype=torch.int64), torch.zeros(shape)
    seats, ended = np.zeros(shape, np.int64), np.zeros(shape, bool)
    rewards = np.zeros((*shape, args.players), np.float32)

    steps, evaluated, scaled = 0, 0, False
    begun, not_counted = time.process_time(), 0.0  # processor time of all threads; evaluations do not count
    while True:
        seconds = time.process_time() - begun - not_counted
        limit = 60 * args.core_minutes if args.core_minutes else None
        done = min(1.0, seconds / limit if limit else steps / max(args.steps, 1))
        if done * args.evaluations >= evaluated + 1 or (done >= 1.0 and evaluated < args.evaluations):
            evaluated = int(done * args.evaluations)
            since = time.process_time()
            for opponent in args.opponents:
                share, half = win_share(network, args, opponent)
                line = {"steps": steps, "seconds": round(seconds, 3), "opponent": opponent, "win_share": share}
                print(json.dumps(line), file=evaluations, flush=True)
                print(f"{steps:>11,} decisions: win share against {opponent:9s} {share:.3f} ± {half:.3f}", flush=True)
            not_counted += time.process_time() - since
        if done >= 1.0:
            break
        optimizer.param_groups[0]["lr"] = args.learning_rate + done * (args.learning_rate_end - args.learning_rate)
        epsilon = max(args.epsilon_end, args.epsilon - done / args.exploration * (args.epsilon - args.epsilon_end))

        # Play: the action of the highest Q, or one of the legal ones at random.
        for step in range(args.num_steps):
            observations[step], masks[step] = torch.from_numpy(rows), torch.from_numpy(info["action_mask"])
            seats[step] = info["seat"]
            with torch.no_grad():
                best[step], actions[step] = network(observations[step], masks[step]).max(1)
            explore = torch.rand(args.num_envs) < epsilon
            actions[step, explore] = torch.multinomial(masks[step, explore].float(), 1)[:, 0]
            rows, _, ended[step], _, info = env.step(actions[step].numpy())
            rewards[step] = info["rewards"]  # of every seat, also of those that did not act
        if not scaled:  # the first rollout only shows how large the numbers are
            network.scale_like(observations.flatten(0, 1))
            scaled = True
            continue
        steps += args.num_steps * args.num_envs

        # Lambda returns: with the best Q as the value of a decision, those of `gae_by_seat`. Each seat's decisions are
        # linked to its own next one; what is not known yet is left out.
        estimates = gae_by_seat(rewards, ended, seats, best.numpy(), args.q_lambda, args.gamma)
        known = torch.from_numpy(estimates.known)
        returns = torch.from_numpy(estimates.returns)[known]
        batch = observations[known], masks[known], actions[known]

        # Learn.
        for _ in range(args.update_epochs):
            for part in torch.randperm(len(returns)).split(args.minibatch):
                seen, legal, chosen = (array[part] for array in batch)
                q = network(seen, legal).gather(1, chosen[:, None])[:, 0]
                loss = 0.5 * (q - returns[part]).square().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), args.max_grad_norm)
                optimizer.step()

    saved = {"shape": network_shape, "steps": steps, "seconds": seconds, "network": network.state_dict()}
    torch.save(saved, args.run / "checkpoint.pt")
    evaluations.close()
    print(f"{steps:,} decisions in {seconds / 60:.2f} core-minutes; the checkpoint is {args.run / 'checkpoint.pt'}")


if __name__ == "__main__":
    main()
