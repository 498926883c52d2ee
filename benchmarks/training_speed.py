"""`python -m benchmarks.training_speed`: decisions per second of `speicher train`, by the number of its workers.

Each recipe learns from scratch for some updates. The first ones, in which workers start and compile, do not count.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read by torch when it is loaded

from benchmarks.results import folder_of, simple_options, write
from speicher_apps.meter.report import header
from speicher_training.machine import count_cores, on_one_core
from speicher_training.train import train
from speicher_training.train.recipe import load_recipe

RECIPES = ("2p", "5p")
WARM_UP, UPDATES = 2, 6
SEED = 1
NEVER = 10**9


def measure_training(name: str, jobs: int, updates: int) -> dict[str, Any]:
    """The speed of a recipe's learning, and what its games took on the way."""
    recipe = load_recipe(name).changed(
        pretraining={"decisions": 0},
        value_finetuning={"decisions": 0},
        run={"evaluation_steps": NEVER, "evaluation_deals": 2, "checkpoint_steps": NEVER},
    )
    lines: list[dict[str, Any]] = []
    steps = recipe.ppo.games * recipe.ppo.rollout * (WARM_UP + updates)
    with tempfile.TemporaryDirectory() as folder:
        train(recipe, Path(folder) / "run", steps=steps, seed=SEED, plots=False, jobs=jobs, watch=lines.append)
    logged = [line for line in lines if line["kind"] == "update"]
    first, last = logged[WARM_UP - 1], logged[-1]
    decisions, counted = last["steps"] - first["steps"], logged[WARM_UP:]

    def total(key: str) -> float:
        return float(sum(line[f"games/{key}"] for line in counted))

    return {
        "recipe": name,
        "jobs": jobs,
        "decisions": decisions,
        "decisions_per_second": round(decisions / (last["seconds"] - first["seconds"])),
        "updates": [
            round((after["steps"] - before["steps"]) / (after["seconds"] - before["seconds"]))
            for before, after in zip(logged[WARM_UP - 1 :], counted, strict=False)
        ],
        "bytes_per_decision": round(total("bytes") / decisions, 2),
        "waiting_share": round(total("waiting_seconds") / (last["seconds"] - first["seconds"]), 3),
        "replaying_microseconds": round(1e6 * total("replaying_seconds") / decisions, 2),
    }


def main() -> None:
    """Measure and keep."""
    options = simple_options("benchmarks.training_speed", __doc__)
    found = []
    for name in RECIPES[:1] if options.quick else RECIPES:
        for jobs in sorted({1, count_cores()}):
            with on_one_core() if jobs == 1 else nullcontext():
                found.append(measure_training(name, jobs, 1 if options.quick else UPDATES))
            print(f"{name}, {jobs} jobs: {found[-1]['decisions_per_second']:,} decisions/s", flush=True)
    write("training_speed", header("python -m benchmarks.training_speed") | {"runs": found}, folder_of(options))


if __name__ == "__main__":
    main()
