"""`python -m benchmarks.tune`: tune the weights of the scripted `merchant` by differential evolution.

The weights on trial play one seat and a rival plays the others, on every deal in every seat. All trials of a round play
the same deals, so that luck is shared. The first round starts from neutral weights that were set by hand. Each further
round starts from the best weights so far, with which the rival `merchant` plays too. A round counts only if it raises
the win share on held-out deals. So the log of one run explains the shipped weights.
"""

from __future__ import annotations

import argparse
import json
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import differential_evolution

from benchmarks.results import RESULTS
from speicher_agents._jit import WEIGHTS_FILE, jit
from speicher_agents.scripted.ladder import CODES, MERCHANT, choose_weighted
from speicher_agents.scripted.merchant.weights import N_WEIGHTS, WEIGHTS, as_table, start_set
from speicher_env.deal import template_for
from speicher_env.rules.scoring import points_of, ranking_key
from speicher_env.rules.state import EMPTY, MAX_PLAYERS, MIN_PLAYERS, OVER, blank_states
from speicher_env.rules.stream import PLAY_STREAM, start_stream
from speicher_env.rules.turn import apply, deal
from speicher_training.files import write_file
from speicher_training.intervals import mean_interval


class Rival(NamedTuple):
    """A player that the weights on trial play against, and its share of the score."""

    name: str
    share: float


PANEL = (
    Rival("merchant", 0.4),  # with the weights that the round starts from
    Rival("firechief", 0.25),
    Rival("frugal", 0.15),
    Rival("shipper", 0.1),
    Rival("spoiler", 0.1),
)

MARGIN_SCALE = 5.0
"""Points ahead of the best other seat at which the margin score is 0.75."""
SEEDS = 10**9
"""Tuning uses seeds below this."""
HELD_OUT = 2 * 10**9
"""First seed of the held-out deals: those for choosing between versions of a player."""
SPREAD = 0.2
"""Standard deviation of the first generation around its start, as a share of each weight's range."""


@jit
def play_deals(
    states: np.ndarray,
    templates: np.ndarray,
    trial: np.ndarray,
    incumbent: np.ndarray,
    code: int,
    first_seed: int,
    deals: int,
    out: np.ndarray,
) -> None:
    """Play deals in every seat with the weights on trial; a rival plays the other seats.

    Writes a row for each deal: the win share into out[:, 0], and into out[:, 1] the margin score, which grows with the
    points ahead of the best other seat: 0 far behind, 0.5 even, 1 far ahead.
    """
    players = int(templates[0]["players"])
    stream = np.empty(4, dtype=np.int64)
    for number in range(deals):
        out[number, 0] = 0.0
        out[number, 1] = 0.0
        for seat in range(players):
            deal(states, 0, templates, 0, first_seed + number, EMPTY)
            game = states[0]
            stream[0], stream[1], stream[2], stream[3] = start_stream(first_seed + number, PLAY_STREAM)
            while game["phase"] != OVER:
                on_trial = game["player"] == seat
                weights = trial if on_trial else incumbent
                apply(game, choose_weighted(game, MERCHANT if on_trial else code, stream, weights))
            best = -(10**6)
            best_points = -1000.0
            winners = 1
            for other in range(players):
                if other != seat:
                    best_points = max(best_points, float(points_of(game, other)))
                    key = ranking_key(game, other)
                    if key > best:
                        best = key
                        winners = 1
                    elif key == best:
                        winners += 1
            own = ranking_key(game, seat)
            if own > best:
                out[number, 0] += 1.0 / players
            elif own == best:
                out[number, 0] += 1.0 / (winners + 1.0) / players
            margin = points_of(game, seat) - best_points
            out[number, 1] += (0.5 + 0.5 * margin / (MARGIN_SCALE + abs(margin))) / players


@dataclass
class Tuning:
    """One run for one player count.

    Attributes:
        players: 2..5.
        deals: Deals against each rival in a trial; every one is played in all seats.
        seed: Of the optimiser and of the deals.
        deck: "standard", "sampled" or a deck file.
        start: The weights to start from, with which the rival `merchant` plays too; default: the neutral ones.
    """

    players: int
    deals: int
    seed: int
    deck: str = "standard"
    start: np.ndarray = field(default_factory=start_set, repr=False)
    trials: int = 0
    _states: np.ndarray = field(default_factory=lambda: blank_states(1), repr=False)

    def __post_init__(self) -> None:
        self._templates, _ = template_for(self.players, self.deck)
        self.incumbent = _frozen(self.start)

    def measure(self, weights: np.ndarray, rival: str, first_seed: int, deals: int) -> np.ndarray:
        """(deals, 2): win share and margin score against one rival."""
        out = np.empty((deals, 2))
        frozen = _frozen(weights)
        play_deals(self._states, self._templates, frozen, self.incumbent, CODES[rival], first_seed, deals, out)
        return out

    def score(self, weights: np.ndarray) -> float:
        """The score that tuning maximizes: the mean of win share and margin score, over the panel."""
        self.trials += 1
        first = self.seed * self.deals % SEEDS
        return float(sum(rival.share * self.measure(weights, rival.name, first, self.deals).mean() for rival in PANEL))

    def first_generation(self, members: int) -> np.ndarray:
        """The starting weights, and others spread around them."""
        rng = np.random.default_rng(self.seed)
        low, high = _bounds()
        spread = rng.normal(self.incumbent, SPREAD * (high - low), (members, N_WEIGHTS))
        spread[0] = self.incumbent
        return np.clip(spread, low, high)

    def run(self, members: int, generations: int, report: Callable[[dict[str, Any]], None]) -> np.ndarray:
        """Evolve weights; Ctrl-C ends it with the best so far. `report` gets a line of the log for each generation."""
        started = time.monotonic()
        best = self.incumbent
        log_best = self.score(best)
        report({"generation": 0, "trials": self.trials, "score": round(log_best, 5), "seconds": 0.0})
        generation = 0

        def after_generation(intermediate_result: Any) -> None:
            nonlocal generation, best
            generation += 1
            best = np.array(intermediate_result.x)
            report(
                {
                    "generation": generation,
                    "trials": self.trials,
                    "score": round(-float(intermediate_result.fun), 5),
                    "seconds": round(time.monotonic() - started, 1),
                }
            )

        low, high = _bounds()
        try:
            result = differential_evolution(
                lambda weights: -self.score(weights),
                list(zip(low, high, strict=True)),
                strategy="currenttobest1bin",
                maxiter=generations,
                mutation=(0.3, 0.8),
                recombination=0.7,
                init=self.first_generation(members),
                seed=self.seed,
                polish=False,
                tol=0.0,
                callback=after_generation,
            )
            best = np.array(result.x)
        except KeyboardInterrupt:
            pass
        return best


def _frozen(weights: np.ndarray) -> np.ndarray:
    """Read-only weights, of the same type as the tuned ones, so that `play_deals` is compiled only once."""
    frozen = np.array(weights, dtype=np.float64)
    frozen.flags.writeable = False
    return frozen


def _bounds() -> tuple[np.ndarray, np.ndarray]:
    return np.array([weight.low for weight in WEIGHTS]), np.array([weight.high for weight in WEIGHTS])


def compare(tuning: Tuning, weights: np.ndarray, deals: int) -> dict[str, tuple[float, float, float]]:
    """Win share on held-out deals against each rival: before, after, and half the 95 % interval of the change."""
    comparison = {}
    for rival in PANEL:
        before = tuning.measure(tuning.incumbent, rival.name, HELD_OUT, deals)[:, 0]
        after = tuning.measure(weights, rival.name, HELD_OUT, deals)[:, 0]
        change = mean_interval(after - before)
        comparison[rival.name] = (float(before.mean()), float(after.mean()), change["high"] - change["estimate"])
    return comparison


def gain(comparison: dict[str, tuple[float, float, float]]) -> float:
    """The rise of the panel's mean win share."""
    return sum(rival.share * (comparison[rival.name][1] - comparison[rival.name][0]) for rival in PANEL)


def write_weights(players: int, weights: np.ndarray, how: str, path: Path = WEIGHTS_FILE) -> None:
    """Write the weights for one player count into a weights file; those for other counts stay as they are."""
    sections: dict[str, dict[str, float]] = {}
    descriptions: dict[str, str] = {}
    if path.exists():
        read = tomllib.loads(path.read_text(encoding="utf-8"))
        descriptions = read.pop("tuned", {})
        sections = read
    sections[f"{players}_players"] = {name: round(value, 4) for name, value in as_table(weights).items()}
    descriptions[f"{players}_players"] = how
    lines = [
        "# Weights of `merchant`, written by `python -m benchmarks.tune`. weights.py has their meanings.",
        "",
        "[tuned]",
    ]
    names = [f"{count}_players" for count in range(MIN_PLAYERS, MAX_PLAYERS + 1)]
    lines += [f"{name} = {json.dumps(descriptions[name])}" for name in names if name in descriptions]
    for name in names:
        if name in sections:
            lines += ["", f"[{name}]", *(f"{weight} = {value}" for weight, value in sections[name].items())]
    write_file(path, "\n".join(lines) + "\n")


def tune(options: argparse.Namespace) -> None:
    """Tune for one player count: log each generation, and write the weights if any round raised the win share."""
    best = start_set()
    rises: list[str] = []
    for number in range(1, options.rounds + 1):
        tuning = Tuning(options.players, options.deals, options.seed + number - 1, options.deck, best)
        named = {"players": options.players, "round": number}
        trial = tuning.run(
            options.members, options.generations, lambda line, named=named: log(options.log, named | line)
        )
        comparison = compare(tuning, trial, options.check)
        rise = gain(comparison)
        shares = {rival: [round(number, 4) for number in row] for rival, row in comparison.items()}
        log(options.log, named | {"gain": round(rise, 4), "held_out": shares})
        if rise > 0:
            best = trial
            rises.append(f"{rise:+.3f}")
    if rises:
        how = (
            f"from neutral weights in {options.rounds} rounds of {options.generations} generations of "
            f"{options.members}, {options.deals} deals, {options.deck} deck, seed {options.seed}; "
            f"win share {', then '.join(rises)}"
        )
        write_weights(options.players, best, how, options.output)
        print(f"{options.players} players: weights written to {options.output}", flush=True)
    else:
        print(f"{options.players} players: no round raised the win share, nothing written", flush=True)


def log(path: Path, line: dict[str, Any]) -> None:
    """Print a line and append it to the log."""
    text = json.dumps(line)
    print(text, flush=True)
    with path.open("a", encoding="utf-8") as stream:
        stream.write(text + "\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options and tune."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tune", description=__doc__)
    parser.add_argument("--players", type=int, choices=range(MIN_PLAYERS, MAX_PLAYERS + 1), default=2)
    parser.add_argument("--rounds", type=int, default=2, help="default: %(default)s")
    parser.add_argument("--generations", type=int, default=16, help="of each round (default: %(default)s)")
    parser.add_argument("--members", type=int, default=26, help="of a generation (default: %(default)s)")
    parser.add_argument("--deals", type=int, default=64, help="against each rival in a trial (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the optimiser and the deals (default: %(default)s)")
    parser.add_argument("--deck", default="standard", help="default: %(default)s")
    parser.add_argument("--check", type=int, default=1500, help="held-out deals for a result (default: %(default)s)")
    parser.add_argument("--output", "-o", type=Path, default=WEIGHTS_FILE, help="weights file to update")
    parser.add_argument("--log", type=Path, default=RESULTS / "tuning.jsonl", help="default: %(default)s")
    tune(parser.parse_args(arguments))


if __name__ == "__main__":
    main()
