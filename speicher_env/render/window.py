"""A window that shows pictures, one after the other. Needs the extra ``[render]``; imports pygame when it opens."""

from __future__ import annotations

from typing import Any

import numpy as np

from speicher_env.render.extra import WINDOW, require

__all__ = ["Window"]


class Window:
    """Opens with the first picture. Once its user has closed it, it stays closed, and the game goes on unseen."""

    def __init__(self, title: str, pictures_per_second: float) -> None:
        """Remember what to open.

        Args:
            title: The title of the window.
            pictures_per_second: `show` waits so that no more are shown.
        """
        require(WINDOW, 'render_mode="human"')
        self.title = title
        self.pictures_per_second = pictures_per_second
        self._surface: Any = None
        self._clock: Any = None
        self._dismissed = False

    def show(self, picture: np.ndarray) -> None:
        """Show a picture, (height, width, 3) uint8, made smaller where the screen is."""
        if self._dismissed:
            return
        import pygame

        height, width = picture.shape[:2]
        if self._surface is None:
            pygame.display.init()
            screen = pygame.display.Info()
            room = min(1.0, 0.95 * screen.current_w / width, 0.9 * screen.current_h / height)
            if room <= 0:  # the screen's size is not known
                room = 1.0
            self._surface = pygame.display.set_mode((round(width * room), round(height * room)), pygame.RESIZABLE)
            pygame.display.set_caption(self.title)
            self._clock = pygame.time.Clock()
        image = pygame.image.frombuffer(picture.tobytes(), (width, height), "RGB")
        self._surface = pygame.display.get_surface()
        across, down = self._surface.get_size()
        fit = min(across / width, down / height)
        size = (max(1, round(width * fit)), max(1, round(height * fit)))
        self._surface.fill((0, 0, 0))
        scaled = image if size == (width, height) else pygame.transform.smoothscale(image, size)
        self._surface.blit(scaled, ((across - size[0]) // 2, (down - size[1]) // 2))
        pygame.display.flip()
        self._dismissed = any(event.type == pygame.QUIT for event in pygame.event.get())
        if self._dismissed:
            self.close()
        else:
            self._clock.tick(self.pictures_per_second)

    def close(self) -> None:
        """Close the window, if it is open."""
        if self._surface is not None:
            import pygame

            pygame.display.quit()
            self._surface = None

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy has a window of its own, not yet open."""
        return Window, (self.title, self.pictures_per_second)
