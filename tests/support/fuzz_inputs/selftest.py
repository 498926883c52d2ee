"""A form of faults on purpose: shows that a crash, a hang and all others are counted as what they are."""

from __future__ import annotations

import os
import random
import signal
import sys
from pathlib import Path

from speicher_env import ArgumentError
from tests.support.fuzz_inputs.forms import (
    ACCEPTED,
    CRASH,
    HANG,
    OUTCOMES,
    REFUSED,
    TRACEBACK,
    WRONG,
    Form,
    Parts,
    Wrong,
)


def _drawn(rng: random.Random, base: None) -> Parts:
    kinds = (*OUTCOMES, "killed", "two lines", "memory", "printed", "recursion")
    return {"kind": rng.choice(kinds), "bytes": rng.randbytes(4)}


EXPECTED = {
    **{outcome: outcome for outcome in OUTCOMES},
    "killed": CRASH,
    "two lines": TRACEBACK,
    "memory": TRACEBACK,
    "printed": TRACEBACK,
    "recursion": TRACEBACK,
}
"""The outcome of each kind of case."""


def _carried_out(parts: Parts, base: None, place: Path) -> str:
    kind = parts["kind"]
    if kind == CRASH:
        os.kill(os.getpid(), signal.SIGSEGV)
    elif kind == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif kind == HANG:
        while True:
            pass
    elif kind == WRONG:
        raise Wrong("accepted on purpose")
    elif kind == TRACEBACK:
        raise KeyError("on purpose")
    elif kind == REFUSED:
        raise ArgumentError("x=1: must be something else.")
    elif kind == "two lines":
        raise ArgumentError("x=1: must be\nsomething else.")
    elif kind == "memory":
        bytearray(1 << 33)
    elif kind == "printed":
        print("Traceback (most recent call last):", file=sys.stderr, flush=True)
    elif kind == "recursion":
        _carried_out({"kind": "recursion"}, base, place)
    else:
        return str(kind)
    return ACCEPTED


SELFTEST = Form("selftest", lambda own, shared: None, _drawn, _carried_out, seconds=0.5)
