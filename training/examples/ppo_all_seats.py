"""PPO in one file: one network plays all seats and learns from the decisions of all of them.

In a share of the games it has one seat, against scripted players. One file to read from top to bottom, to copy and to
change. Besides PyTorch and NumPy it uses the vector environment, `gae_by_seat`, and little else. It needs ``[train]``.

    python training/examples/ppo_all_seats.py --players 2 --seed 1 --minutes 3
    python training/examples/ppo_all_seats.py --load runs/ppo_all_seats/checkpoint.pt --steps 0
    tensorboard --logdir runs
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
from torch.utils.tensorboard import SummaryWriter

from speicher_agents.baselines import column_places
from speicher_env.envs.vector import SpeicherVectorEnv
from speicher_env.observation import observation_size
from speicher_env.rules.actions import N_ACTIONS
from speicher_training.returns import gae_by_seat

HELD_OUT = 2**60
"""Seed of the first deal of evaluations; training deals from seeds below 2**53."""
ILLEGAL = -1e8
"""Logit of an illegal action; its probability is 0 in float32."""


def parse_args(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Train one network by PPO on the decisions of all seats.")
    add, switch = parser.add_argument, argparse.BooleanOptionalAction
    # the run
    add("--players", type=int, choices=range(2, 6), default=2, help="players at the table")
    add("--seed", type=int, default=1, help="of the network, of everything that is drawn, and of the games")
    add("--steps", type=int, default=2_000_000, help="decisions to train on, of all seats together")
    add("--minutes", type=float, help="in place of --steps: minutes to train")
    add("--run", type=Path, default=Path("runs/ppo_all_seats"), help="folder for checkpoints and TensorBoard")
    add("--load", type=Path, help="a checkpoint to continue from")
    add("--save-every", type=int, default=50, help="updates between two checkpoints")
    add("--export", type=Path, help="folder for the network as a baseline that plays in `speicher arena`")
    add("--threads", type=int, default=1, help="threads of PyTorch; more rarely pay with a network this small")
    add("--bfloat16", action=switch, default=None, help="hidden layers in bfloat16; by default if the CPU has it")
    # the games
    add("--deck", default="standard", help="standard, sampled or a deck file")
    add("--reward", choices=("outcome", "rank", "margin"), default="margin", help="the payoff at the end of a game")
    add("--figures", action=switch, default=True, help="also observe figures, such as needs and prices")
    add("--num-envs", type=int, default=256, help="games at once")
    add("--num-steps", type=int, default=128, help="decisions in each game between two updates")
    add("--scripted", type=float, default=0.4, help="share of games against scripted players; the rest is self-play")
    scripted = ["merchant", "spoiler", "contractor", "shipper", "frugal"]
    add("--scripted-players", nargs="+", default=scripted, help="which take turns game by game")
    # the network
    add("--hidden", type=int, nargs="+", default=[256, 128], help="widths of the hidden layers")
    add("--columns", type=int, nargs="*", default=[64, 32], help="widths of the layers for columns, if any")
    # PPO
    add("--learning-rate", type=float, default=1e-3, help="of Adam at the beginning")
    add("--learning-rate-end", type=float, default=2e-5, help="of Adam at the end; it falls linearly")
    add("--gamma", type=float, default=1.0, help="discount; the only payoff comes at the end")
    add("--gae-lambda", type=float, default=0.97, help="how far advantages look ahead: 0 one decision, 1 to the end")
    add("--minibatch", type=int, default=1024, help="decisions in a minibatch")
    add("--update-epochs", type=int, default=2, help="passes over the decisions of a rollout")
    add("--clip-coef", type=float, default=0.2, help="the most by which the ratio of probabilities may change")
    add("--ent-coef", type=float, default=0.01, help="weight of the entropy at the beginning")
    add("--ent-coef-end", type=float, default=0.001, help="weight of the entropy at the end; it falls linearly")
    add("--vf-coef", type=float, default=0.5, help="weight of the value's error")
    add("--max-grad-norm", type=float, default=0.5, help="longer gradients are shortened to this")
    add("--norm-adv", action=switch, default=True, help="normalize the advantages of each minibatch")
    add("--target-kl", type=float, help="end an update when the policy has moved this far")
    # evaluation
    add("--eval-every", type=int, default=500_000, help="decisions between two evaluations; there is one at the end")
    add("--eval-deals", type=int, default=200, help="deals of an evaluation, each played from every seat")
    add("--opponents", nargs="*", default=["random", "frugal", "merchant"], help="in all other seats of an evaluation")
    args = parser.parse_args(arguments)
    if args.bfloat16 is None:
        args.bfloat16 = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    return args


def layer(inputs: int, outputs: int, gain: float = 2**0.5) -> nn.Linear:
    """A dense layer with orthogonal weights."""
    linear = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(linear.weight, gain)
    nn.init.zeros_(linear.bias)
    return linear


class Agent(nn.Module):
    """A policy and a value on one trunk.

    Layers for columns read each column alike, so that what is learned about a card holds wherever it lies. They get the
    numbers of their column and all numbers; the trunk gets all numbers and the outputs for every column.
    """

    def __init__(self, players: int, size: int, hidden: list[int], columns: list[int], bfloat16: bool) -> None:
        super().__init__()
        observed = observation_size(players)
        places = torch.from_numpy(column_places(observed, size > observed))
        self.bfloat16 = bfloat16
        self.register_buffer("places", places, persistent=False)
        self.register_buffer("mean", torch.zeros(size))
        self.register_buffer("spread", torch.ones(size))
        widths = [places.shape[1] + size, *columns] if columns else []
        self.columns = nn.ModuleList(layer(*pair) for pair in pairwise(widths))
        widths = [size + len(places) * columns[-1] if columns else size, *hidden]
        self.trunk = nn.ModuleList(layer(*pair) for pair in pairwise(widths))
        self.policy = layer(hidden[-1], N_ACTIONS, 0.01)  # at first all legal actions are about equally likely
        self.value = layer(hidden[-1], 1, 1.0)

    def scale_like(self, rows: torch.Tensor) -> None:
        """Take mean and spread of these observations: a coin is a sixteenth in them and a point a hundredth."""
        self.mean.copy_(rows.mean(0))
        self.spread.copy_(rows.std(0).clamp(min=0.1))
        for numbers in (self.mean, self.spread):
            numbers[self.places] = numbers[self.places].mean(0)  # the same for every column

    def forward(self, rows: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The logits, very low for illegal actions, and the values."""
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
        return self.policy(rows).masked_fill(~masks, ILLEGAL), self.value(rows)[:, 0]


def make_env(args: argparse.Namespace, num_envs: int, **changes: object) -> SpeicherVectorEnv:
    """Games as the network reads them."""
    fixed = {"deck": args.deck, "figures": args.figures, "mask_dtype": "bool", "autoreset_mode": "same_step"}
    return SpeicherVectorEnv(num_envs, args.players, copy=False, **fixed, **changes)


def make_training_envs(args: argparse.Namespace) -> list[SpeicherVectorEnv]:
    """Games in which the network has all seats, and games in which it has one."""
    scripted = round(args.scripted * args.num_envs)
    envs = [make_env(args, args.num_envs - scripted, seats="all", reward=args.reward)]
    for number, player in enumerate(args.scripted_players):
        rows = len(range(number, scripted, len(args.scripted_players)))
        envs += [make_env(args, rows, opponents=player, reward=args.reward)] if rows else []
    return envs


@torch.no_grad()
def win_share(agent: Agent, args: argparse.Namespace, opponent: str) -> tuple[float, float]:
    """The share of the win against one opponent in all other seats, and half of a 95 % interval over deals.

    1 for a win, 1/k where k seats share it, 0 for a loss; equal players have 1 / players.
    """
    shares = np.zeros((args.players, args.eval_deals))
    for seat in range(args.players):
        env = make_env(args, args.eval_deals, seat=seat, opponents=opponent)
        rows, info = env.reset(seed=HELD_OUT)
        running = np.ones(args.eval_deals, bool)
        while running.any():
            masks = torch.from_numpy(info["action_mask"])
            logits, _ = agent(torch.from_numpy(rows), masks)
            rows, rewards, ended, _, info = env.step(logits.argmax(1).numpy())
            shares[seat, running & ended] = (rewards[running & ended] * (args.players - 1) + 1) / args.players
            running &= ~ended  # the game that follows in a row is not counted
    return float(shares.mean()), 1.96 * float(shares.mean(0).std(ddof=1)) / args.eval_deals**0.5


def save(path: Path, agent: Agent, optimizer: torch.optim.Optimizer, args: argparse.Namespace, steps: int) -> None:
    """Write a checkpoint: tensors and plain values, which `torch.load` reads with weights_only=True."""
    shape = {name: getattr(args, name) for name in ("players", "figures", "hidden", "columns")}
    checkpoint = {"shape": shape, "steps": steps, "agent": agent.state_dict(), "optimizer": optimizer.state_dict()}
    part = path.with_suffix(".part")
    torch.save(checkpoint, part)
    part.replace(path)  # so that there is a whole checkpoint at every moment


def load(path: Path, agent: Agent, optimizer: torch.optim.Optimizer, args: argparse.Namespace) -> int:
    """Read a checkpoint; return the decisions that it was trained on."""
    checkpoint = torch.load(path, weights_only=True)  # a checkpoint from elsewhere runs no code
    for name, value in checkpoint["shape"].items():
        if getattr(args, name) != value:
            raise SystemExit(f"{path} was trained with {name}={value}, not {getattr(args, name)}")
    agent.load_state_dict(checkpoint["agent"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    return checkpoint["steps"]


def export(agent: Agent, args: argparse.Namespace, steps: int) -> Path:
    """Write the network as a baseline: weights and a card. NumPy suffices to play it, in the arena and elsewhere."""
    from speicher_agents.baselines import Layer, Network, Shape
    from speicher_training.train import write_baseline

    stacks = {"columns": agent.columns, "shared": agent.trunk, "policy": [agent.policy], "value": [agent.value]}
    arrays = {
        name: [[each.detach().numpy().copy() for each in (linear.weight.T, linear.bias)] for linear in stack]
        for name, stack in stacks.items()
    }
    mean, spread, own = agent.mean.numpy(), agent.spread.numpy(), agent.places[0].numpy()
    for name, places in (("columns", np.r_[own, : len(mean)]), ("shared", np.r_[: len(mean)])):
        if arrays[name]:  # the scaling becomes part of the first layers
            weight, bias = arrays[name][0]
            weight[: len(places)] /= spread[places, None]
            bias -= mean[places] @ weight[: len(places)]
    shape = Shape(args.players, (), (), tuple(args.columns), tuple(args.hidden), "relu", args.figures)
    layers = {name: tuple(Layer(*pair) for pair in stack) for name, stack in arrays.items()}
    return write_baseline(
        Network(shape, layers["policy"], layers["value"], layers["columns"], layers["shared"]),
        args.export, f"ppo-all-seats-{args.players}p", players=[args.players], deck=args.deck, padded=False,
        reward=args.reward, training={"steps": steps, "seed": args.seed, "file": Path(__file__).name},
    )  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    """Train, evaluate and save."""
    args = parse_args(arguments)
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    rng = np.random.default_rng(args.seed)
    for folder in (args.run, args.export):
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
    (args.run / "args.json").write_text(json.dumps(vars(args), default=str, indent=1) + "\n")
    writer = SummaryWriter(str(args.run))

    envs = make_training_envs(args)
    ends = np.cumsum([env.num_envs for env in envs])
    rows, infos = zip(*(env.reset(seed=int(rng.integers(2**52))) for env in envs), strict=True)
    size = rows[0].shape[1]
    agent = Agent(args.players, size, args.hidden, args.columns, args.bfloat16)
    optimizer = torch.optim.Adam(agent.parameters(), args.learning_rate, eps=1e-5)
    steps = loaded = load(args.load, agent, optimizer, args) if args.load else 0

    # Storage of a rollout. In self-play, the decisions of all seats follow each other in a row.
    shape = (args.num_steps, args.num_envs)
    observations, masks = torch.zeros(*shape, size), torch.zeros(*shape, N_ACTIONS, dtype=torch.bool)
    actions, logprobs, values = torch.zeros(shape, dtype=torch.int64), torch.zeros(shape), torch.zeros(shape)
    seats, ended = np.zeros(shape, np.int64), np.zeros(shape, bool)
    rewards = np.zeros((*shape, args.players), np.float32)

    scaled = bool(args.load)
    update, started, evaluated = 0, time.monotonic(), steps
    while True:
        minutes = (time.monotonic() - started) / 60
        done = min(1.0, minutes / args.minutes if args.minutes else steps / max(args.steps, 1))
        if done >= 1.0 or steps - evaluated >= args.eval_every:
            evaluated = steps
            for opponent in args.opponents:
                share, half = win_share(agent, args, opponent)
                writer.add_scalar(f"evaluation/{opponent}", share, steps)
                words = f"win share against {opponent:9s} {share:.3f} ± {half:.3f}"
                print(f"{steps:>11,} decisions: {words}", flush=True)
        if done >= 1.0:
            break
        optimizer.param_groups[0]["lr"] = args.learning_rate + done * (args.learning_rate_end - args.learning_rate)
        ent_coef = args.ent_coef + done * (args.ent_coef_end - args.ent_coef)

        # Play.
        for step in range(args.num_steps):
            observations[step] = torch.from_numpy(np.concatenate(rows))
            masks[step] = torch.from_numpy(np.concatenate([info["action_mask"] for info in infos]))
            seats[step] = np.concatenate([info["seat"] for info in infos])
            with torch.no_grad():
                logits, values[step] = agent(observations[step], masks[step])
                actions[step] = torch.multinomial(logits.softmax(1), 1)[:, 0]
                logprobs[step] = logits.log_softmax(1).gather(1, actions[step, :, None])[:, 0]
            parts = np.split(actions[step].numpy(), ends[:-1])
            results = [env.step(part) for env, part in zip(envs, parts, strict=True)]
            rows, paid, over, _, infos = zip(*results, strict=True)
            ended[step] = np.concatenate(over)
            rewards[step, np.arange(args.num_envs), seats[step]] = np.concatenate(paid)
            rewards[step, : ends[0]] = infos[0]["rewards"]  # in self-play of every seat, also of those that did not act
        if not scaled:  # the first rollout only shows how large the numbers are
            agent.scale_like(observations.flatten(0, 1))
            scaled = True
            continue
        steps += args.num_steps * args.num_envs

        # Advantages. Each seat's decisions are chained to its own next one; what is not known yet is left out.
        estimates = gae_by_seat(rewards, ended, seats, values.numpy(), args.gae_lambda, args.gamma)
        known = torch.from_numpy(estimates.known)
        advantages, returns = torch.from_numpy(estimates.advantages)[known], torch.from_numpy(estimates.returns)[known]
        batch = observations[known], masks[known], actions[known], logprobs[known]

        # Learn.
        update += 1
        kl, clipped = torch.zeros(()), []
        for _ in range(args.update_epochs):
            for part in torch.randperm(len(advantages)).split(args.minibatch):
                seen, legal, chosen, before = (array[part] for array in batch)
                logits, value = agent(seen, legal)
                logs = logits.log_softmax(1)
                logratio = logs.gather(1, chosen[:, None])[:, 0] - before
                ratio = logratio.exp()
                advantage = advantages[part]
                if args.norm_adv:
                    advantage = (advantage - advantage.mean()) / (advantage.std(correction=0) + 1e-8)
                clip = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
                policy_loss = -torch.min(advantage * ratio, advantage * clip).mean()
                value_loss = 0.5 * (value - returns[part]).square().mean()
                entropy = -(logits.softmax(1) * logs).sum(1).mean()
                loss = policy_loss + args.vf_coef * value_loss - ent_coef * entropy
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()
                with torch.no_grad():
                    kl = ((ratio - 1) - logratio).mean()
                    clipped.append(((ratio - 1).abs() > args.clip_coef).float().mean().item())
            if args.target_kl is not None and kl > args.target_kl:
                break

        # Report.
        speed = (steps - loaded) / (time.monotonic() - started)
        explained = 1 - (returns - values[known]).var() / returns.var()
        for name, number in {
            "charts/learning_rate": optimizer.param_groups[0]["lr"], "charts/decisions_per_second": speed,
            "losses/policy": policy_loss.item(), "losses/value": value_loss.item(), "losses/entropy": entropy.item(),
            "losses/approx_kl": kl.item(), "losses/clipfrac": float(np.mean(clipped)),
            "losses/explained_variance": explained.item(),
        }.items():  # fmt: skip
            writer.add_scalar(name, number, steps)
        if update % 10 == 0:
            print(
                f"{steps:>11,} decisions: {speed:,.0f}/s, entropy {entropy.item():.3f}, "
                f"value loss {value_loss.item():.4f}, explained variance {explained.item():.3f}",
                flush=True,
            )
        if update % args.save_every == 0:
            save(args.run / "checkpoint.pt", agent, optimizer, args, steps)

    save(args.run / "checkpoint.pt", agent, optimizer, args, steps)
    writer.close()
    print(f"the checkpoint is {args.run / 'checkpoint.pt'}")
    if args.export:
        print(f"the baseline is {export(agent, args, steps)}")


if __name__ == "__main__":
    main()
