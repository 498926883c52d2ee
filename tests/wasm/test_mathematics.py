"""The functions that WebAssembly has no library for are as exact as those of Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

from speicher_apps.wasm.mathematics import exponential, hyperbolic_tangent, logarithm


def test_exponentials_and_logarithms_have_15_exact_digits():
    numbers = np.random.default_rng(1).uniform(-700, 700, 2000)
    for number in numbers.tolist():
        assert exponential(number) == pytest.approx(math.exp(number), rel=1e-15)
        assert logarithm(np.float64(math.exp(number))) == pytest.approx(number, rel=1e-15)
    for number in (
        *np.linspace(0.4, 2.5, 500).tolist(),
        1e-30,
        1.0,
        math.nextafter(1.0, 2.0),
        math.nextafter(1.0, 0.0),
    ):
        assert logarithm(np.float64(number)) == pytest.approx(math.log(number), rel=1e-15, abs=1e-300)


def test_the_ends_of_the_numbers_are_those_of_the_functions():
    assert exponential(-1e9) == 0.0 and exponential(1e9) == math.inf
    assert logarithm(np.float64(0.0)) == -math.inf and logarithm(np.float64(math.inf)) == math.inf
    assert math.isnan(logarithm(np.float64(-1.0)))
    assert hyperbolic_tangent(np.float32(0.0)) == 0.0 and hyperbolic_tangent(np.float32(30.0)) == 1.0
