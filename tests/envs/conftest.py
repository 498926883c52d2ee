"""Windows without a screen, and without waiting between two pictures."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    monkeypatch.setattr("speicher_env.envs.rendering.RENDER_FPS", 0)
