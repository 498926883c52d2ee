"""How this package compiles: the engine's compiler, with a cache that also knows the files of this package."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from speicher_env._jit import COMPILED, Compiler

PACKAGE = Path(__file__).parent

STREAM = np.dtype([("stream", np.int64, (4,))])
"""A stream of random numbers as the batch hands it to `choose`: a field of a record, drawn from in place."""

SCRIPTED = (Path(__file__), PACKAGE / "player.py", PACKAGE / "scripted")
"""Where the scripted players' compiled code lives."""

WEIGHTS_FILE = PACKAGE / "scripted" / "weights.toml"
"""Tuned weights, which compiled code has built in: another file, other code."""

jit = Compiler(*COMPILED, *SCRIPTED, *([WEIGHTS_FILE] if WEIGHTS_FILE.exists() else []))
