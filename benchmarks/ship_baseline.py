"""`python -m benchmarks.ship_baseline RUN NAME`: put the baseline of a finished run into the package.

Its weights are rounded to half precision. The card keeps what it says of the training, and of its strength only what
was seen on development deals: `python -m benchmarks.baselines` measures the rest.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from speicher_agents.baselines import read_baseline
from speicher_apps.cli.errors import WRONG_INPUT
from speicher_env.errors import ArgumentError
from speicher_training.train import write_baseline

PACKAGED = Path(__file__).parents[1] / "agents" / "speicher_agents" / "baselines" / "weights"


def ship(run: Path, name: str, into: Path = PACKAGED) -> Path:
    """Write the baseline of a run as one of the package; the path of its card.

    Raises:
        ArgumentError: If the run has no baseline, or was made by code that no commit holds.
    """
    card, network = read_baseline(run)
    training = card.training
    if training.get("commit") is None or training.get("changed"):
        raise ArgumentError(f"{run}: was trained by code that is in no commit, so nobody could train it again.")
    seen = {deals: result for deals, result in card.strength.items() if deals == "development"}
    return write_baseline(
        network, into, name, players=card.players, deck=card.deck, edition=card.edition, padded=card.padded,
        reward=card.reward, training=training, strength=seen, file=name,
        half=True,
    )  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Ship a baseline; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ship_baseline", description=__doc__)
    parser.add_argument("run", type=Path, metavar="RUN", help="the folder of the run")
    parser.add_argument("name", metavar="NAME", help="of the baseline, such as 2p")
    parser.add_argument("--into", type=Path, default=PACKAGED, help="where the baselines are")
    options = parser.parse_args(arguments)
    try:
        path = ship(options.run, options.name, options.into)
    except ArgumentError as error:
        print(error, file=sys.stderr)
        return WRONG_INPUT
    print(f"{path}: measure it with python -m benchmarks.baselines --only {options.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
