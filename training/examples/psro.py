"""PSRO in one file: a population in which each member learned to beat the mixture of those before it.

The mixture is the maximal lottery of the population: no member beats it. Each best response is trained by PPO as
`speicher exploit` does, from the weights of the one before it. An interrupted run resumes. It needs ``[train]``. After
Lanctot and others, "A Unified Game-Theoretic Approach to Multiagent Reinforcement Learning", 2017.

    python training/examples/psro.py --players 2 --seed 1 --core-minutes 3
    speicher arena training/examples/psro.py:Mixture:folder=runs/psro frugal merchant
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from speicher_agents import Agent
from speicher_agents.baselines import Baseline
from speicher_env.views import Views
from speicher_training.arena.lottery import maximal_lottery
from speicher_training.exploit import exploiter_recipe
from speicher_training.files import write_file
from speicher_training.train import Recipe, evaluate, load_recipe, train

POPULATION = "population.json"
FIRST = "random"
"""The player that the first member learns to beat."""


def parse_args(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Train a population of best responses and mix it.")
    add = parser.add_argument
    add("--players", type=int, choices=range(2, 6), default=2, help="players at the table")
    add("--seed", type=int, default=1, help="of the trainings, 1000 apart for two members")
    add("--members", type=int, default=5, help="best responses to train")
    add("--core-minutes", type=float, default=10.0, help="minutes of processor time for all trainings together")
    add("--steps", type=int, help="in place of --core-minutes: decisions to train each member on")
    add("--run", type=Path, default=Path("runs/psro"), help="folder of the population; one that is there is continued")
    add("--recipe", help="settings of the learning; default: those of the number of players, with the PPO of `demo`")
    add("--deals", type=int, default=100, help="deals on which two members are compared, each from every seat")
    add("--eval-deals", type=int, default=50, help="deals of an evaluation, each played from every seat")
    add("--opponents", nargs="*", default=["random", "frugal", "merchant"], help="in all other seats of an evaluation")
    return parser.parse_args(arguments)


class Mixture(Agent):
    """Plays every game as one member of a population, drawn by the weights of the mixture."""

    def __init__(self, folder: str, members: int | None = None) -> None:
        """Read a population.

        Args:
            folder: Of the run.
            members: The first members, and the mixture of these; None for all.
        """
        population = read_population(Path(folder))[:members]
        self.name = f"psro {Path(folder).name}"
        self.weights = np.array(population[-1]["weights"])
        self.members = [Baseline(Path(folder) / member["card"]) for member in population]

    def check_players(self, players: int) -> None:
        """Refuse other tables than the one that the members were trained for."""
        self.members[0].check_players(players)

    def act(self, views: Views) -> np.ndarray:
        """The action of each row, by the member that plays its game."""
        actions = np.empty(len(views), np.int64)
        members = self.drawn(views.states)
        for number in np.unique(members):
            rows = np.flatnonzero(members == number)
            parts = (views.observations, views.masks, views.states, views.seats)
            actions[rows] = self.members[number].act(Views(*(part[rows] for part in parts)))
        return actions

    def drawn(self, states: np.ndarray) -> np.ndarray:
        """The member for each game, the same throughout the game: the cards of the first supply are the lot."""
        cards = int(states["players"][0]) + 1 if len(states) else 0
        numbers = states["pile"][:, :cards].astype(np.uint64)
        lots = np.full(len(states), 0x9E3779B97F4A7C15, np.uint64)
        for column in numbers.T:  # FNV-1a, and a last mixing of the bits
            lots = (lots ^ column) * np.uint64(0x100000001B3)
        lots = (lots ^ (lots >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        uniform = (lots >> np.uint64(32)) / 2.0**32
        return np.searchsorted(np.cumsum(self.weights)[:-1], uniform, side="right")


def read_population(folder: Path) -> list[dict[str, Any]]:
    """The finished members, in the order of their training; each with the mixture of those up to it."""
    path = folder / POPULATION
    members: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return members


def recipe_for(args: argparse.Namespace) -> Recipe:
    """The settings of the learning, without a teacher."""
    if args.recipe:
        return load_recipe(args.recipe)
    ppo = load_recipe("demo").tables["ppo"]  # for short trainings
    names = ("games", "rollout", "batch_size", "gae_lambda", "learning_rate_end")
    return load_recipe(f"{args.players}p").changed(
        pretraining={"decisions": 0}, ppo={name: ppo[name] for name in names}, run={"checkpoint_steps": 100_000}
    )


def best_response(args: argparse.Namespace, population: list[dict[str, Any]]) -> Any:
    """Train a network against the mixture of the population."""
    number = len(population)
    opponent, start = FIRST, None
    if population:
        opponent = f"{Path(__file__).resolve()}:Mixture:folder={args.run.resolve()},members={number}"
        start = str(args.run / population[-1]["card"])
    budget = {"steps": args.steps} if args.steps else {"minutes": args.core_minutes / args.members}
    return train(
        exploiter_recipe(opponent, args.players, recipe_for(args)), args.run / f"member-{number}", **budget,
        clock=time.process_time, jobs=1, seed=args.seed + 1000 * number, start=start, plots=False,
    )  # fmt: skip


def mixed(args: argparse.Namespace, population: list[dict[str, Any]]) -> list[float]:
    """Compare the last member with those before it, and give the weights of the new mixture.

    Two members are compared by what each is paid among copies of the other.
    """
    cards = [args.run / member["card"] for member in population]
    ahead = np.full((len(cards), len(cards)), 0.5)
    for row, member in enumerate(population[:-1]):
        ahead[row, : row + 1] = member["ahead"]
    last = len(cards) - 1
    for other in range(last):
        pairs = [(last, other)] if args.players == 2 else [(last, other), (other, last)]
        results = [evaluate(Baseline(cards[a]), Baseline(cards[b]), args.players, args.deals) for a, b in pairs]
        shares = [result.win_share for result in results]
        paid = [(args.players * share - 1) / (args.players - 1) for share in shares]
        ahead[last, other] = 0.5 + (paid[0] / 2 if len(paid) == 1 else (paid[0] - paid[1]) / 4)
    population[-1]["ahead"] = ahead[last].tolist()
    for row in range(len(cards)):
        ahead[row, row + 1 :] = 1 - ahead[row + 1 :, row]
    return [round(float(weight), 6) for weight in maximal_lottery(ahead).weights]


def main(arguments: list[str] | None = None) -> None:
    """Train the missing members; evaluate the mixture after each."""
    args = parse_args(arguments)
    args.run.mkdir(parents=True, exist_ok=True)
    population = read_population(args.run)
    while len(population) < args.members:
        trained = best_response(args, population)
        since = time.process_time()
        card = str(trained.card.relative_to(args.run))
        population.append({"card": card, "steps": trained.steps})
        population[-1]["weights"] = mixed(args, population)
        population[-1]["seconds"] = trained.seconds + time.process_time() - since  # evaluations do not count
        member = Baseline(args.run / card)
        population[-1]["shares"] = {
            opponent: evaluate(member, opponent, args.players, args.eval_deals).win_share for opponent in args.opponents
        }
        write_file(args.run / POPULATION, json.dumps(population, indent=1) + "\n")
        weights = population[-1]["weights"]
        print(f"{sum(each['steps'] for each in population):>11,} decisions: weights {weights}", flush=True)
        for opponent in args.opponents:
            share = sum(weight * each["shares"][opponent] for weight, each in zip(weights, population, strict=True))
            print(f"            the mixture's win share against {opponent:9s} {share:.3f}", flush=True)
    print(f"the mixture is {Path(__file__)}:Mixture:folder={args.run}")


if __name__ == "__main__":
    main()
