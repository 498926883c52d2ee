"""The time of the first seconds, each measured in a process of its own, and the memory of a game."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from speicher_env import N_ACTIONS
from speicher_env.batch import Batch
from speicher_env.observation import observation_size
from speicher_env.rules.state import N_STATE_BYTES

__all__ = ["measure_starts", "sizes"]

_IMPORT = """
import time
start = time.perf_counter()
import speicher_env
print(time.perf_counter() - start)
"""

_FIRST = """
import time
from speicher_env import speicherstadt_v0
env = speicherstadt_v0.env()
start = time.perf_counter()
env.reset(seed=1)
mask = env.last()[0]["action_mask"]
print(time.perf_counter() - start)
env.step(int(mask.argmax()))
env.last()
print(time.perf_counter() - start)
"""


def measure_starts(rounds: int, progress: Callable[[str], None] = lambda what: None) -> dict[str, Any]:
    """Seconds of the import, and of the first reset and step with an empty and with a filled compile cache."""
    progress("import")
    imports = [_seconds(_IMPORT) for _ in range(rounds)]
    compiling, loading = [], []
    for number in range(min(rounds, 2)):
        progress(f"first reset, compiling ({number + 1})")
        with tempfile.TemporaryDirectory() as folder:
            compiling.append(_seconds(_FIRST, folder))
            loading += [_seconds(_FIRST, folder) for _ in range(rounds)]
    return {
        "import": _spread([seconds for (seconds,) in imports]),
        "first_reset_cold": _spread([reset for reset, _ in compiling]),
        "first_reset_cached": _spread([reset for reset, _ in loading]),
        "first_step_cold": _spread([step for _, step in compiling]),
        "first_step_cached": _spread([step for _, step in loading]),
    }


def _seconds(code: str, cache: str | None = None) -> list[float]:
    """The numbers that some code prints in a new interpreter, with its own compile cache if one is given."""
    environment = os.environ | ({"NUMBA_CACHE_DIR": cache} if cache else {})
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return [float(line) for line in run.stdout.split()]


def _spread(seconds: Sequence[float]) -> dict[str, Any]:
    return {
        "median": round(median(seconds), 4),
        "low": round(min(seconds), 4),
        "high": round(max(seconds), 4),
        "rounds": [round(second, 4) for second in seconds],
    }


def sizes(players: Sequence[int]) -> dict[str, Any]:
    """Bytes of a state and of a game in a batch, and the sizes of the spaces."""
    return {
        "state_bytes": N_STATE_BYTES,
        "actions": N_ACTIONS,
        "players": {
            str(count): {"observation": observation_size(count), "batch_bytes": Batch(1, count).bytes_per_game}
            for count in players
        },
    }
