"""How this package compiles: the engine's compiler, with a cache that also knows the files of this package."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from speicher_env._jit import COMPILED, Compiler
from speicher_env.batch.opponents import CHOOSE, by_address

__all__ = ["SCRIPTED", "WEIGHTS_FILE", "address_of", "call_at", "jit"]

PACKAGE = Path(__file__).parent

STREAM = np.dtype([("stream", np.int64, (4,))])
"""A stream of random numbers as the batch hands it to `choose`: a field of a record, drawn from in place."""

SCRIPTED = (Path(__file__), PACKAGE / "agent.py", PACKAGE / "scripted")
"""Where the scripted players' compiled code lives."""

WEIGHTS_FILE = PACKAGE / "scripted" / "merchant" / "weights.toml"
"""Tuned weights, which compiled code has built in: another file, other code."""

jit = Compiler(
    *COMPILED, *SCRIPTED, *([WEIGHTS_FILE] if WEIGHTS_FILE.exists() else []), what="the scripted players", seconds=20
)


def address_of(choose: Any) -> Any:
    """The address of a compiled player's function, for `call_at`; interpreted, the function itself.

    A whole number reaches compiled code 25 us sooner than a function does, which Numba looks at anew in each call.
    """
    return choose if numba.config.DISABLE_JIT else by_address(choose).address


def call_at(address: Any, state: np.void, code: int, stream: np.ndarray) -> int:
    """The action that the compiled player at an address chooses."""
    action: int = address(state, code, stream)
    return action


@intrinsic  # type: ignore[untyped-decorator]
def _call_at(
    typing: Any, address: types.Type, state: types.Type, code: types.Type, stream: types.Type
) -> tuple[Any, Callable[..., Any]]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        takes = [context.get_value_type(kind) for kind in CHOOSE.args]
        function = ir.FunctionType(context.get_value_type(CHOOSE.return_type), takes)
        return builder.call(builder.inttoptr(arguments[0], function.as_pointer()), arguments[1:])

    return CHOOSE.return_type(types.int64, *CHOOSE.args), generate


@overload(call_at)  # type: ignore[untyped-decorator]
def _call_at_compiled(address: int, state: np.void, code: int, stream: np.ndarray) -> Callable[..., int]:
    def compiled(address: int, state: np.void, code: int, stream: np.ndarray) -> int:
        action: int = _call_at(address, state, code, stream)
        return action

    return compiled
