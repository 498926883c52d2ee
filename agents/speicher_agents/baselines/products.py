"""Sums of products in the processor's vector registers, for compiled code; interpreted, the same in NumPy.

What a network reads is mostly zeros, and so is half of what its layers give. A product with such a vector is a sum of a
few rows of a matrix. Numba's loops store the sums after each row; here they stay in registers, which is two to three
times as fast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array

__all__ = ["LANES", "add_scaled_rows", "inner_product"]

LANES = 16
"""Numbers of a vector: 64 bytes of float32, two or four registers on processors with narrower ones."""
MOST_VECTORS = 8
"""Vectors of sums that are kept in registers at a time."""


def add_scaled_rows(
    matrix: np.ndarray,
    start: int,
    width: int,
    rows: np.ndarray,
    factors: np.ndarray,
    first: int,
    count: int,
    sums: np.ndarray,
    place: int,
) -> None:
    """Add rows of a matrix, each times a factor: a product with a sparse vector.

    ``sums[place + j] += factors[k] * matrix[start + rows[k] * width + j]`` for j in 0..width - 1 and k in
    first..first + count - 1. Compiled, the sums stay in registers, so nothing but the matrix is loaded, and that once.

    Args:
        matrix: Flat float32, row after row.
        start: Where the matrix begins.
        width: Numbers in a row, a multiple of 16.
        rows: int32.
        factors: float32.
        first: The first of `rows` and `factors`.
        count: How many of them.
        sums: Flat float32.
        place: Where the sums begin.
    """
    for k in range(first, first + count):
        begin = start + int(rows[k]) * width
        sums[place : place + width] += factors[k] * matrix[begin : begin + width]


def _vectors_of_rows(vectors: int) -> Any:
    """`add_scaled_rows` for the first `vectors` times 16 numbers of each row."""

    @intrinsic  # type: ignore[untyped-decorator]
    def add(
        typing: Any, matrix: types.Array, start: types.Type, width: types.Type, rows: types.Array, factors: types.Array,
        first: types.Type, count: types.Type, sums: types.Array, place: types.Type,
    ) -> tuple[Any, Callable[..., Any]]:  # fmt: skip
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            def pointer(number: int, offset: Any) -> Any:
                array = make_array(signature.args[number])(context, builder, value=arguments[number])
                return builder.gep(array.data, [offset])

            _, start, width, _, _, first, count, _, place = arguments
            _add_vectors(
                builder, vectors, pointer(0, start), width, pointer(3, first), pointer(4, first), count,
                pointer(7, place),
            )  # fmt: skip
            return context.get_dummy_value()

        integer = types.int64
        return types.void(matrix, integer, integer, rows, factors, integer, integer, sums, integer), generate

    return add


def _add_vectors(
    builder: Any, vectors: int, matrix: Any, width: Any, rows: Any, factors: Any, count: Any, sums: Any
) -> None:
    """The loop over the rows; `vectors` sums are carried from turn to turn."""
    vector, index = ir.VectorType(ir.FloatType(), LANES), ir.IntType(64)
    nothing, zero = ir.Constant(vector, ir.Undefined), ir.Constant(ir.IntType(32), 0)
    fused = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(vector, [vector] * 3), f"llvm.fma.v{LANES}f32"
    )

    def vector_at(pointer: Any, number: int) -> Any:
        return builder.bitcast(builder.gep(pointer, [ir.Constant(index, number * LANES)]), vector.as_pointer())

    before = [builder.load(vector_at(sums, number), align=4) for number in range(vectors)]
    entry = builder.block
    loop, end = builder.append_basic_block("rows"), builder.append_basic_block("sums")
    builder.cbranch(builder.icmp_signed(">", count, ir.Constant(index, 0)), loop, end)

    builder.position_at_end(loop)
    turn = builder.phi(index)
    carried = [builder.phi(vector) for _ in before]
    row = builder.sext(builder.load(builder.gep(rows, [turn])), index)
    factor = builder.insert_element(nothing, builder.load(builder.gep(factors, [turn])), zero)
    factor = builder.shuffle_vector(factor, nothing, ir.Constant(ir.VectorType(ir.IntType(32), LANES), None))
    begin = builder.gep(matrix, [builder.mul(row, width)])
    after = [
        builder.call(fused, [factor, builder.load(vector_at(begin, number), align=4), sum_])
        for number, sum_ in enumerate(carried)
    ]
    following = builder.add(turn, ir.Constant(index, 1))
    turn.add_incoming(ir.Constant(index, 0), entry)
    turn.add_incoming(following, loop)
    for phi, old, new in zip(carried, before, after, strict=True):
        phi.add_incoming(old, entry)
        phi.add_incoming(new, loop)
    builder.cbranch(builder.icmp_signed("<", following, count), loop, end)

    builder.position_at_end(end)
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        final = builder.phi(vector)
        final.add_incoming(old, entry)
        final.add_incoming(new, loop)
        before[number] = final
    for number, final in enumerate(before):
        builder.store(final, vector_at(sums, number), align=4)


_add_many, _add_few, _add_one = (_vectors_of_rows(vectors) for vectors in (MOST_VECTORS, 4, 1))


@overload(add_scaled_rows)  # type: ignore[untyped-decorator]
def _add_scaled_rows(
    matrix: np.ndarray, start: int, width: int, rows: np.ndarray, factors: np.ndarray, first: int, count: int,
    sums: np.ndarray, place: int,
) -> Callable[..., None]:  # fmt: skip
    def compiled(
        matrix: np.ndarray, start: int, width: int, rows: np.ndarray, factors: np.ndarray, first: int, count: int,
        sums: np.ndarray, place: int,
    ) -> None:  # fmt: skip
        done = 0
        while done + MOST_VECTORS * LANES <= width:
            _add_many(matrix, start + done, width, rows, factors, first, count, sums, place + done)
            done += MOST_VECTORS * LANES
        while done + 4 * LANES <= width:
            _add_few(matrix, start + done, width, rows, factors, first, count, sums, place + done)
            done += 4 * LANES
        while done < width:
            _add_one(matrix, start + done, width, rows, factors, first, count, sums, place + done)
            done += LANES

    return compiled


def inner_product(matrix: np.ndarray, start: int, width: int, vector: np.ndarray) -> float:
    """The sum of the products of a row of a flat float32 matrix and a float32 vector; `width` is a multiple of 16."""
    return float(matrix[start : start + width] @ vector[:width])


@intrinsic  # type: ignore[untyped-decorator]
def _inner_product(
    typing: Any, matrix: types.Array, start: types.Type, width: types.Type, vector: types.Array
) -> tuple[Any, Callable[..., Any]]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes, index = ir.VectorType(ir.FloatType(), LANES), ir.IntType(64)
        fused = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(lanes, [lanes] * 3), f"llvm.fma.v{LANES}f32"
        )
        left = make_array(signature.args[0])(context, builder, value=arguments[0]).data
        right = make_array(signature.args[3])(context, builder, value=arguments[3]).data
        left = builder.gep(left, [arguments[1]])
        sums = cgutils.alloca_once_value(builder, ir.Constant(lanes, None))
        turns = builder.sdiv(arguments[2], ir.Constant(index, LANES))
        with cgutils.for_range(builder, turns) as turn:
            place = builder.mul(turn.index, ir.Constant(index, LANES))
            pair = [
                builder.load(builder.bitcast(builder.gep(array, [place]), lanes.as_pointer()), align=4)
                for array in (left, right)
            ]
            builder.store(builder.call(fused, [*pair, builder.load(sums)]), sums)
        total, vector = ir.Constant(ir.FloatType(), 0.0), builder.load(sums)
        for lane in range(LANES):
            total = builder.fadd(total, builder.extract_element(vector, ir.Constant(ir.IntType(32), lane)))
        return total

    return types.float32(matrix, types.int64, types.int64, vector), generate


@overload(inner_product)  # type: ignore[untyped-decorator]
def _inner_product_compiled(matrix: np.ndarray, start: int, width: int, vector: np.ndarray) -> Callable[..., float]:
    def compiled(matrix: np.ndarray, start: int, width: int, vector: np.ndarray) -> float:
        total: float = _inner_product(matrix, start, width, vector)
        return total

    return compiled
