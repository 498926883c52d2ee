"""What `render` does in every environment, by its render mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from speicher_env.arguments import check_choice
from speicher_env.errors import ArgumentError
from speicher_env.messages import listed
from speicher_env.render.extra import PICTURES, WINDOW, require
from speicher_env.render.text import text

if TYPE_CHECKING:
    from speicher_env.render.window import Window

__all__ = ["ANSI", "HUMAN", "RENDER_FPS", "RENDER_MODES", "RGB_ARRAY", "Rendered", "Renderer"]

ANSI, HUMAN, RGB_ARRAY = "ansi", "human", "rgb_array"
RENDER_MODES = (ANSI, HUMAN, RGB_ARRAY)
RENDER_FPS = 2
"""Pictures a second in films and in the window: slow enough to follow the game."""

Rendered = str | np.ndarray | None


class Renderer:
    """Shows states in one render mode.

    The libraries for pictures are looked for and imported at the first `render`. So an environment can be made with a
    render mode that it never uses, as stable-baselines3's `make_vec_env` does.
    """

    def __init__(self, mode: str | None, title: str = "Speicherstadt") -> None:
        """Check the mode.

        Raises:
            ArgumentError: For an unknown mode.
        """
        self.mode = check_choice("render_mode", mode, (*RENDER_MODES, None))
        self._title = title
        self._window: Window | None = None
        self._has_packages = False

    def render(self, state: np.void, seat: int | None = None) -> Rendered:
        """The table as text with "ansi", as pixels with "rgb_array"; "human" shows it in the window.

        Raises:
            ArgumentError: Without a render mode.
            ImportError: For "human" and "rgb_array" without the extra ``[render]``.
        """
        if self.mode is None:
            modes = listed([f'"{mode}"' for mode in RENDER_MODES], "or")
            raise ArgumentError(f"render() needs render_mode={modes}, given when the environment is made")
        if self.mode == ANSI:
            return text(state, seat=seat)
        if not self._has_packages:
            require(WINDOW if self.mode == HUMAN else PICTURES, f'render_mode="{self.mode}"')
            self._has_packages = True
        from speicher_env.render.pixels import frame  # needs the extra

        picture = frame(state, seat)
        if self.mode == RGB_ARRAY:
            return picture
        if self._window is None:
            from speicher_env.render.window import Window  # needs the extra

            self._window = Window(self._title, RENDER_FPS)
        self._window.show(picture)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
