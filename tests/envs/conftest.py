"""Windows without a screen or a wait between two pictures, and a deck as a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.games import OWN_DECK


@pytest.fixture(autouse=True)
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    monkeypatch.setattr("speicher_env.envs.rendering.RENDER_FPS", 0)


@pytest.fixture(scope="module")
def deck_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a deck that is not built in."""
    lines = [
        f"[cards.{card_id}]\n" + "\n".join(f"{field} = {json.dumps(value)}" for field, value in card.items())
        for card_id, card in OWN_DECK.cards().items()
    ]
    file = tmp_path_factory.mktemp("decks") / "ours.toml"
    file.write_text("\n".join(lines))
    return file
