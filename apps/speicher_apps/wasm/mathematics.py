"""What WebAssembly has no instruction for and no library: functions on numbers that networks and searches call."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types

__all__ = ["MATHEMATICS", "exponential", "hyperbolic_tangent", "logarithm"]

LEAST, MOST = -708.0, 709.0
"""Below the first the exponential is taken for 0, above the second for infinite."""
_LOG2_E = 1.4426950408889634
# The logarithm of 2 in two parts: the first has few enough bits that its product with a small whole number is exact.
_LN_2_HIGH, _LN_2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10
_EXPONENT_BIAS, _FRACTION_BITS = 1023, 52
_TERMS = 13
"""Of the series: the next one is below the rounding for arguments up to half the logarithm of 2."""
_ROOT_OF_HALF = 0.5**0.5
_TERMS_OF_LOGARITHM = 11
"""Of its series: the next one is below the rounding for numbers up to the root of 2."""


def exponential(x: float) -> Any:
    """The exponential of a float64, within two units in the last place."""
    if x < LEAST:
        return 0.0
    if x > MOST:
        return np.inf
    whole = np.floor(x * _LOG2_E + 0.5)
    rest = (x - whole * _LN_2_HIGH) - whole * _LN_2_LOW
    power = 1.0
    for term in range(_TERMS, 0, -1):
        power = 1.0 + power * rest / term
    bits = (np.int64(whole) + _EXPONENT_BIAS) << _FRACTION_BITS
    return power * np.int64(bits).view(np.float64)


def logarithm(x: float) -> Any:
    """The natural logarithm of a float64 that is 0 or a normal number, to 16 digits."""
    if x <= 0.0:
        return -np.inf if x == 0.0 else np.nan
    if x == np.inf:
        return np.inf
    bits = np.float64(x).view(np.int64)
    whole = (bits >> _FRACTION_BITS) - _EXPONENT_BIAS
    bits = (bits & ((1 << _FRACTION_BITS) - 1)) | (_EXPONENT_BIAS << _FRACTION_BITS)
    rest = np.int64(bits).view(np.float64)  # 1 <= rest < 2
    if rest > 2.0 * _ROOT_OF_HALF:
        rest *= 0.5
        whole += 1
    ratio = (rest - 1.0) / (rest + 1.0)
    square = ratio * ratio
    series = 0.0
    for term in range(_TERMS_OF_LOGARITHM, -1, -1):
        series = series * square + 1.0 / (2.0 * term + 1.0)
    return whole * _LN_2_HIGH + (2.0 * ratio * series + whole * _LN_2_LOW)


def hyperbolic_tangent(x: Any) -> Any:
    """The hyperbolic tangent of a float32."""
    return np.float32(1.0 - 2.0 / (math.exp(2.0 * float(x)) + 1.0))


MATHEMATICS: dict[Callable[..., Any], types.Type] = {
    exponential: types.float64, logarithm: types.float64, hyperbolic_tangent: types.float32,
}  # fmt: skip
"""The functions, each with the type of its argument and of its result."""
