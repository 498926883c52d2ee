"""What `render` does in every environment, by its render mode."""

from __future__ import annotations

import numpy as np

from speicher_env.arguments import check_choice
from speicher_env.errors import ArgumentError
from speicher_env.render.extra import PICTURES, require
from speicher_env.render.text import text

ANSI, HUMAN, RGB_ARRAY = "ansi", "human", "rgb_array"
RENDER_MODES = (ANSI, HUMAN, RGB_ARRAY)
RENDER_FPS = 2
"""Pictures a second of films and of the window: slow enough to follow the game."""

Rendered = str | np.ndarray | None


class Renderer:
    """Shows states in one render mode; the libraries for pictures are imported with the first of them."""

    def __init__(self, mode: str | None, title: str = "Speicherstadt") -> None:
        """Check the mode, and that what it needs is installed.

        Raises:
            ArgumentError: For an unknown mode.
            ImportError: For "human" and "rgb_array" without the extra ``[render]``.
        """
        self.mode = check_choice("render_mode", mode, (*RENDER_MODES, None))
        self._window = None
        if mode == RGB_ARRAY:
            require(PICTURES, 'render_mode="rgb_array"')
        elif mode == HUMAN:
            from speicher_env.render.window import Window  # only for who wants one

            self._window = Window(title, RENDER_FPS)

    def render(self, state: np.void, seat: int | None = None) -> Rendered:
        """The table as text with "ansi", as pixels with "rgb_array"; "human" shows it in the window."""
        if self.mode is None:
            listed = ", ".join(f'"{mode}"' for mode in RENDER_MODES[:-1])
            raise ArgumentError(
                f'render() needs render_mode={listed} or "{RENDER_MODES[-1]}", given when the environment is made'
            )
        if self.mode == ANSI:
            return text(state, seat=seat)
        from speicher_env.render.pixels import frame  # only for who wants pictures

        picture = frame(state, seat)
        if self._window is None:
            return picture
        self._window.show(picture)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
