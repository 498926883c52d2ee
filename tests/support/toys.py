"""Players that do one simple or one wrong thing. Named in specs by this file: `toys.py:First`."""

from __future__ import annotations

import os
import threading
import warnings
from pathlib import Path

import numpy as np

from speicher_env.views import Views

RELEASE = threading.Event()
"""Lets `Hangs` go on, so that no thread outlives the tests."""


def spec(name: str) -> str:
    """The spec of a class in this file."""
    return f"{Path(__file__)}:{name}"


class First:
    """The first legal action, always."""

    name = "first"

    def act(self, views: Views) -> np.ndarray:
        return views.masks.argmax(axis=1)


class Drawing:
    """Draws from one stream for all rows, so what it does depends on everything it was asked before."""

    name = "drawing"

    def reset(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def act(self, views: Views) -> np.ndarray:
        return (self.random.random(views.masks.shape) * views.masks).argmax(axis=1)


class Warns:
    """The first legal action, with a warning."""

    name = "warns"

    def act(self, views: Views) -> np.ndarray:
        warnings.warn("this toy is old", UserWarning, stacklevel=1)
        return views.masks.argmax(axis=1)


class Loser:
    """Chooses what is never legal at the start, so every game is given to the others."""

    name = "loser"

    def act(self, views: Views) -> np.ndarray:
        return np.full(len(views), 183)


class Raises:
    """Raises in the first round only where its seat is 1, and so spoils a batch with other rows in it."""

    name = "raises"

    def act(self, views: Views) -> np.ndarray:
        if (views.seats == 1).any():
            raise ValueError("no idea\nof this seat")
        return views.masks.argmax(axis=1)


class Misshapen:
    name = "misshapen"

    def act(self, views: Views) -> np.ndarray:
        return np.zeros((len(views), 2))


class Hangs:
    name = "hangs"

    def act(self, views: Views) -> np.ndarray:
        RELEASE.wait()
        return views.masks.argmax(axis=1)


class Leaves:
    """Ends the whole process it plays in."""

    name = "leaves"

    def act(self, views: Views) -> np.ndarray:
        os._exit(3)


class Unmakeable:
    def __init__(self) -> None:
        raise RuntimeError("no weights")

    def act(self, views: Views) -> np.ndarray:
        return views.masks.argmax(axis=1)
