"""DQN in one file: one Q-network plays all seats and learns from a replay buffer of the decisions of all of them.

With double and dueling Q-learning and returns over several decisions. In the buffer each decision is linked to the next
one of the same seat. One file to read from top to bottom, to copy and to change. It needs ``[train]``.

    python training/examples/dqn.py --players 2 --seed 1 --core-minutes 3
    speicher arena runs/dqn/baseline.json frugal merchant
"""

from __future__ import annotations

import argparse
import copy
import json
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from speicher_agents.baselines import Layer, Network, Shape, column_places
from speicher_env.envs.vector import SpeicherVectorEnv
from speicher_env.observation import RowFormat, observation_size
from speicher_env.rules.actions import N_ACTIONS
from speicher_training.arena import RANGES
from speicher_training.train import write_baseline

DEVELOPMENT = RANGES["development"].start
"""Seed of the first deal of evaluations, which no training uses."""
ILLEGAL = -1e8
"""Q of an illegal action."""
NONE = -1
"""In place of the slot of a decision that there is not."""


def parse_args(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Train one Q-network by DQN on the decisions of all seats.")
    add, switch = parser.add_argument, argparse.BooleanOptionalAction
    # the run
    add("--players", type=int, choices=range(2, 6), default=2, help="players at the table")
    add("--seed", type=int, default=1, help="of the network, of everything that is drawn, and of the games")
    add("--steps", type=int, default=2_000_000, help="decisions to play, of all seats together")
    add("--core-minutes", type=float, help="in place of --steps: minutes of processor time to train")
    add("--run", type=Path, default=Path("runs/dqn"), help="folder for the baseline and the evaluations")
    add("--threads", type=int, default=1, help="threads of PyTorch; more rarely pay with a network this small")
    add("--bfloat16", action=switch, default=None, help="hidden layers in bfloat16; by default if the CPU has it")
    # the games
    add("--deck", default="standard", help="standard, sampled or a deck file")
    add("--reward", choices=("outcome", "rank", "margin"), default="margin", help="the payoff at the end of a game")
    add("--figures", action=switch, default=True, help="also observe figures, such as needs and prices")
    add("--num-envs", type=int, default=128, help="games at once")
    # the network
    add("--hidden", type=int, nargs="+", default=[256, 256], help="widths of the hidden layers")
    add("--columns", type=int, nargs="*", default=[64, 32], help="widths of the layers for columns, if any")
    # DQN
    add("--learning-rate", type=float, default=5e-4, help="of Adam at the beginning")
    add("--learning-rate-end", type=float, default=2e-5, help="of Adam at the end; it falls linearly")
    add("--gamma", type=float, default=1.0, help="discount; the only payoff comes at the end")
    add("--n-step", type=int, default=20, help="decisions of a seat that a return looks ahead")
    add("--buffer", type=int, default=200_000, help="decisions in the replay buffer")
    add("--begin", type=int, default=20_000, help="decisions in the buffer before learning begins")
    add("--train-every", type=int, default=4, help="decisions in each game between two minibatches")
    add("--minibatch", type=int, default=1024, help="decisions in a minibatch")
    add("--target-every", type=int, default=30, help="minibatches between two copies to the target network")
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
    """What each action is worth to the seat that decides: what the best one is worth, less what the action gives up.

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
        widths = [self.size + len(places) * columns[-1] if columns else self.size, *hidden]
        self.trunk = nn.ModuleList(nn.Linear(*pair) for pair in pairwise(widths))
        self.advantage = nn.Linear(hidden[-1], N_ACTIONS)
        self.value = nn.Linear(hidden[-1], 1)

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
                for each in others:
                    outputs = each(outputs.relu())
                rows = torch.cat([rows, outputs.relu().flatten(1).to(rows.dtype)], 1)
            for each in self.trunk:
                rows = each(rows).relu()
        rows = rows.float()
        advantages = self.advantage(rows).masked_fill(~masks, ILLEGAL)
        return self.value(rows) + advantages - advantages.max(1, keepdim=True).values


class Replay:
    """The last decisions of all seats, each in a slot, linked to the slot of the same seat's next one."""

    def __init__(self, capacity: int, size: int, num_envs: int, players: int) -> None:
        self.observations = torch.zeros(capacity, size, dtype=torch.float16)
        self.masks = torch.zeros(capacity, N_ACTIONS, dtype=torch.bool)
        self.actions = torch.zeros(capacity, dtype=torch.int64)
        self.paid = np.zeros(capacity, np.float32)  # to the seat, until its next decision or the end
        self.following = np.full(capacity, NONE)  # the slot of its next decision; none at the end of the game
        self.known = np.zeros(capacity, bool)  # whether it is known what followed
        self.last = np.full((num_envs, players), NONE)  # the slot of each seat's last decision in the running game
        self.size, self._next = 0, 0

    def add(self, rows: np.ndarray, masks: np.ndarray, actions: torch.Tensor, seats: np.ndarray) -> None:
        """Keep a decision of each game, in place of the oldest ones."""
        games = np.arange(len(rows))
        slots = (self._next + games) % len(self.known)
        self._next, self.size = int(slots[-1]) + 1, min(self.size + len(rows), len(self.known))
        self.observations[slots] = torch.from_numpy(rows).half()
        self.masks[slots], self.actions[slots] = torch.from_numpy(masks), actions
        self.paid[slots], self.known[slots] = 0.0, False
        before = self.last[games, seats]
        self.following[before[before != NONE]] = slots[before != NONE]
        self.known[before[before != NONE]] = True
        self.last[games, seats] = slots

    def pay(self, rewards: np.ndarray, ended: np.ndarray) -> None:
        """Note what each seat of each game was paid, and which games ended."""
        self.paid[self.last[self.last != NONE]] += rewards[self.last != NONE]
        final = self.last[ended][self.last[ended] != NONE]
        self.following[final], self.known[final] = NONE, True
        self.last[ended] = NONE

    def look_ahead(self, slots: np.ndarray, steps: int, gamma: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What the seats were paid over the next decisions, the slots that follow, and their discounts.

        It is less far to the end of a game, where the discount is 0, and to a decision whose next one is not known yet.
        """
        paid, discounts = np.zeros(len(slots), np.float32), np.ones(len(slots), np.float32)
        running = np.ones(len(slots), bool)
        for _ in range(steps):
            paid[running] += discounts[running] * self.paid[slots[running]]
            following = self.following[slots]
            over = running & (following == NONE)
            discounts[running] *= gamma
            discounts[over] = 0.0
            slots = np.where(running & ~over, following, slots)
            running &= ~over & self.known[slots]
        return paid, slots, discounts


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


def export(network: QNetwork, args: argparse.Namespace, steps: int, seconds: float) -> Path:
    """Write the network as a baseline, whose likeliest action is that of the highest Q and whose value is that Q."""
    stacks = {"columns": network.columns, "shared": network.trunk, "policy": [network.advantage],
              "value": [network.value]}  # fmt: skip
    arrays = {
        name: [[each.detach().numpy().copy() for each in (linear.weight.T, linear.bias)] for linear in stack]
        for name, stack in stacks.items()
    }
    mean, spread, own = network.mean.numpy(), network.spread.numpy(), network.places[0].numpy()
    for name, places in (("columns", np.r_[own, : len(mean)]), ("shared", np.r_[: len(mean)])):
        if arrays[name]:  # the scaling becomes part of the first layers
            weight, bias = arrays[name][0]
            weight[: len(places)] /= spread[places, None]
            bias -= mean[places] @ weight[: len(places)]
    shape = Shape(args.players, (), (), tuple(args.columns), tuple(args.hidden), "relu", args.figures)
    layers = {name: tuple(Layer(*pair) for pair in stack) for name, stack in arrays.items()}
    return write_baseline(
        Network(shape, layers["policy"], layers["value"], layers["columns"], layers["shared"]),
        args.run, f"dqn-{args.players}p", players=[args.players], deck=args.deck, padded=False, reward=args.reward,
        training={"steps": steps, "seconds": round(seconds, 3), "seed": args.seed, "file": Path(__file__).name},
    )  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    """Train, evaluate and export."""
    args = parse_args(arguments)
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    rng = np.random.default_rng(args.seed)
    args.run.mkdir(parents=True, exist_ok=True)
    (args.run / "args.json").write_text(json.dumps(vars(args), default=str, indent=1) + "\n")
    evaluations = (args.run / "evaluations.jsonl").open("w", encoding="utf-8")

    env = make_env(args, args.num_envs, seats="all", reward=args.reward)
    rows, info = env.reset(seed=int(rng.integers(2**52)))
    network = QNetwork(args.players, args.figures, args.hidden, args.columns, args.bfloat16)
    target = copy.deepcopy(network)
    optimizer = torch.optim.Adam(network.parameters(), args.learning_rate, eps=1e-5)
    replay = Replay(args.buffer, network.size, args.num_envs, args.players)

    steps, played, updates, evaluated = 0, 0, 0, 0
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

        # Play: the action of the highest Q, or one of the legal ones at random.
        epsilon = max(args.epsilon_end, args.epsilon - done / args.exploration * (args.epsilon - args.epsilon_end))
        masks = torch.from_numpy(info["action_mask"])
        explore = torch.rand(args.num_envs) < epsilon
        actions = torch.multinomial(masks.float(), 1)[:, 0]
        if not explore.all():
            with torch.no_grad():
                actions[~explore] = network(torch.from_numpy(rows)[~explore], masks[~explore]).argmax(1)
        replay.add(rows, info["action_mask"], actions, info["seat"])
        rows, _, ended, _, info = env.step(actions.numpy())
        replay.pay(info["rewards"], ended)  # every seat, also those that did not act
        steps, played = steps + args.num_envs, played + 1
        if steps < args.begin or played % args.train_every:
            continue
        if not updates:  # the first games show how large the numbers are
            network.scale_like(replay.observations[: replay.size].float())
            target.load_state_dict(network.state_dict())

        # Learn: what a decision is worth is what follows, as far as returns look ahead, and then the target network's Q
        # of the action that this network would choose.
        optimizer.param_groups[0]["lr"] = args.learning_rate + done * (args.learning_rate_end - args.learning_rate)
        slots = rng.integers(replay.size, size=args.minibatch)
        slots = slots[replay.known[slots]]
        paid, after, discounts = replay.look_ahead(slots, args.n_step, args.gamma)
        with torch.no_grad():
            seen, legal = replay.observations[after].float(), replay.masks[after]
            chosen = network(seen, legal).argmax(1, keepdim=True)
            follows = target(seen, legal).gather(1, chosen)[:, 0]
            returns = torch.from_numpy(paid) + torch.from_numpy(discounts) * follows
        q = network(replay.observations[slots].float(), replay.masks[slots])
        loss = functional.smooth_l1_loss(q.gather(1, replay.actions[slots, None])[:, 0], returns)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), args.max_grad_norm)
        optimizer.step()
        updates += 1
        if updates % args.target_every == 0:
            target.load_state_dict(network.state_dict())

    evaluations.close()
    card = export(network, args, steps, seconds)
    print(f"{steps:,} decisions in {seconds / 60:.2f} core-minutes; the baseline is {card}")


if __name__ == "__main__":
    main()
