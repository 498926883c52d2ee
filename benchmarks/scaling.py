"""`python -m benchmarks.scaling`: how the cost of a decision changes with games, players and threads."""

from __future__ import annotations

import gc
import tracemalloc
from contextlib import nullcontext
from typing import Any

import numpy as np

from benchmarks.results import folder_of, simple_options, write
from speicher_apps.meter import play
from speicher_apps.meter.meter import measure
from speicher_apps.meter.report import header
from speicher_env.batch import Batch
from speicher_training.machine import on_one_core, usable_cores

PLAYERS = (2, 3, 4, 5)
GAMES = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536)
THREADS = (1, 2)
SECONDS, ROUNDS = 0.12, 4
QUICK_SECONDS, QUICK_ROUNDS = 0.02, 2
COUNTED_GAMES = 1000
"""In the batch whose memory is counted."""


def memory_per_game(players: int) -> int:
    """Bytes that a game adds to a batch, as the allocator sees it."""
    Batch(1, players)  # what is kept once for all batches
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    batch = Batch(COUNTED_GAMES, players)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (after - before) // batch.num_games


def main() -> None:
    """Measure and keep."""
    options = simple_options("benchmarks.scaling", __doc__)
    seconds, rounds = (QUICK_SECONDS, QUICK_ROUNDS) if options.quick else (SECONDS, ROUNDS)
    result = header("python -m benchmarks.scaling") | {"seconds": seconds, "rounds": rounds}
    result["memory"] = {str(players): memory_per_game(players) for players in PLAYERS}
    threads = [number for number in THREADS if number <= (len(usable_cores()) or 1)]
    points: list[dict[str, Any]] = []
    for players in PLAYERS:
        for games in GAMES:
            batch = Batch(games, players)
            batch.reset(np.arange(games))
            play.spread_out(batch)
            for number in threads:
                batch.threads = number
                with on_one_core() if number == 1 else nullcontext():
                    rate = measure(play.batch_steps(batch), seconds=seconds, rounds=rounds)
                points.append({"players": players, "games": games, "threads": number, **rate.as_dict()})
        print(f"{players} players measured", flush=True)
    write("scaling", result | {"points": points}, folder_of(options))


if __name__ == "__main__":
    main()
