"""The pictures of a game's positions in parts: most parts are the same from one position to the next."""

from __future__ import annotations

from typing import Any

import numpy as np

from speicher_env.render.drawing.palette import paint
from speicher_env.render.drawing.table import scene

__all__ = ["Pictures"]

THEME = "page"


class Pictures:
    """The parts of all drawings, each stored once, and the parts of each position, wide and narrow."""

    def __init__(self) -> None:
        """Start with no position."""
        self.parts: list[str] = []
        self._number: dict[str, int] = {}
        self._arrangements: list[list[list[float]]] = []
        self.sizes: dict[str, list[float]] = {}

    def add(self, state: np.void) -> dict[str, list[Any]]:
        """A position's picture: for "wide" and "narrow" the number of its arrangement, and those of its parts."""
        return {"wide": self._laid_out(state, "wide"), "narrow": self._laid_out(state, "narrow")}

    def _laid_out(self, state: np.void, arrangement: str) -> list[Any]:
        table = scene(state, None, narrow=arrangement == "narrow")
        self.sizes[arrangement] = [table.width, table.height]
        places = [[round(panel.x, 2), round(panel.y, 2)] for panel in table.panels]
        if places not in self._arrangements:
            self._arrangements.append(places)
        parts = [self._part(paint(panel.drawing, THEME)) for panel in table.panels]
        return [self._arrangements.index(places), parts]

    def _part(self, drawing: str) -> int:
        number = self._number.setdefault(drawing, len(self.parts))
        if number == len(self.parts):
            self.parts.append(drawing)
        return number

    def data(self) -> dict[str, Any]:
        """All parts and arrangements, which the positions refer to by number, as plain values for JSON."""
        return {"parts": self.parts, "arrangements": self._arrangements, "sizes": self.sizes}
