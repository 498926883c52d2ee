"""Players that do odd things on some nodes or in some chunks. Copied beside a run, and named as `odd.py:Slow`."""

from __future__ import annotations

import os
import time

import numpy as np

from speicher_env.views import Views


class Slow:
    """The first legal action, after a rest, so that a run takes long enough to be disturbed."""

    name = "slow"

    def act(self, views: Views) -> np.ndarray:
        time.sleep(0.002)
        return views.masks.argmax(axis=1)


class _Sometimes(Slow):
    """Does something odd in a late chunk, which its seed decides: a first call may take a minute longer."""

    def reset(self, seed: int) -> None:
        self.odd = seed % 6 == 3


class Hangs(_Sometimes):
    def act(self, views: Views) -> np.ndarray:
        if self.odd:
            time.sleep(3600)
        return super().act(views)


class Leaves(_Sometimes):
    def act(self, views: Views) -> np.ndarray:
        if self.odd:
            os._exit(3)
        return super().act(views)


class RaisesOnOneNode(Slow):
    def act(self, views: Views) -> np.ndarray:
        if os.environ.get("SPEICHER_ODD_NODE"):
            raise ValueError("not on this node")
        return super().act(views)
