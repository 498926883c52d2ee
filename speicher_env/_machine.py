"""What compiled code can have of the processor that Python has no name for; interpreted, the same in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array, populate_array

__all__ = ["borrow", "count_bits", "move_values", "stack_like"]


def count_bits(word: np.uint64) -> int:
    """How many bits of a 64-bit word are set; compiled, one instruction."""
    return int(word).bit_count()


@intrinsic  # type: ignore[untyped-decorator]
def _population_count(typing: Any, word: types.Type) -> tuple[Any, Callable[..., Any]]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@overload(count_bits)  # type: ignore[untyped-decorator]
def _count_bits(word: np.uint64) -> Callable[[np.uint64], int]:
    def compiled(word: np.uint64) -> int:
        count: int = _population_count(word)
        return count

    return compiled


def stack_like(array: np.ndarray, size: int) -> np.ndarray:
    """Room for `size` values, a constant, of the type of an array's, with arbitrary contents.

    Compiled, it lies on the stack of the calling function: it costs nothing, no two threads share it, and it must not
    be kept beyond the call.
    """
    return np.empty(size, dtype=array.dtype)


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def _stack_of(typing: Any, array: types.Array, size: types.IntegerLiteral) -> tuple[Any, Callable[..., Any]]:
    array_type = types.Array(array.dtype, 1, "C")
    count = size.literal_value

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value_type = context.get_data_type(array.dtype)
        values = cgutils.alloca_once(builder, value_type, size=count)
        room = make_array(array_type)(context, builder)
        shape = context.get_constant(types.intp, count)
        item = context.get_constant(types.intp, context.get_abi_sizeof(value_type))
        populate_array(room, data=values, shape=[shape], strides=[item], itemsize=item, meminfo=None)
        return room._getvalue()

    return array_type(array, size), generate


# Inlined, as otherwise the stack would be that of this function.
@overload(stack_like, inline="always", prefer_literal=True)  # type: ignore[untyped-decorator]
def _stack_like(array: np.ndarray, size: int) -> Callable[[np.ndarray, int], np.ndarray]:
    def compiled(array: np.ndarray, size: int) -> np.ndarray:
        room: np.ndarray = _stack_of(array, size)
        return room

    return compiled


def move_values(source: np.ndarray, target: np.ndarray) -> None:
    """Copy all values of one array into another of the same length and type; the two may overlap.

    Compiled, one call of the C library for values of one byte, of which a loop would move the last few dozen one by
    one; for others a loop from first to last, so that where they overlap they may only move towards the beginning.
    """
    target[:] = source.copy()


@intrinsic  # type: ignore[untyped-decorator]
def _move(typing: Any, source: types.Array, target: types.Array) -> tuple[Any, Callable[..., Any]]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        origin = make_array(signature.args[0])(context, builder, value=arguments[0])
        goal = make_array(signature.args[1])(context, builder, value=arguments[1])
        cgutils.raw_memmove(builder, goal.data, origin.data, goal.nitems, goal.itemsize)
        return context.get_dummy_value()

    return types.void(source, target), generate


@overload(move_values, jit_options={"forceinline": True})  # type: ignore[untyped-decorator]
def _move_values(source: np.ndarray, target: np.ndarray) -> Callable[[np.ndarray, np.ndarray], None]:
    def move_bytes(source: np.ndarray, target: np.ndarray) -> None:
        _move(source, target)

    def move_each(source: np.ndarray, target: np.ndarray) -> None:
        for index in range(target.size):
            target[index] = source[index]

    return move_bytes if target.dtype.bitwidth == 8 else move_each  # type: ignore[attr-defined]


def borrow(array: np.ndarray) -> np.ndarray:
    """The same array without its reference count.

    Compiled, every slice of an array counts a reference up and down again, each an atomic operation that costs as much
    as a rule. A borrowed array must not be kept beyond the call, and its owner must live as long.
    """
    return array


@intrinsic  # type: ignore[untyped-decorator]
def _without_owner(typing: Any, array: types.Array) -> tuple[Any, Callable[..., Any]]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = make_array(signature.args[0])(context, builder, value=arguments[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        view.parent = cgutils.get_null_value(view.parent.type)
        return view._getvalue()

    return array(array), generate


@overload(borrow)  # type: ignore[untyped-decorator]
def _borrow(array: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    def compiled(array: np.ndarray) -> np.ndarray:
        borrowed: np.ndarray = _without_owner(array)
        return borrowed

    return compiled
