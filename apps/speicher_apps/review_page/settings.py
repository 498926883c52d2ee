"""What the scripts that show a review have to know of reviews."""

from __future__ import annotations

from typing import Any

from speicher_agents.review.grades import GRADES, SIGNS
from speicher_agents.review.summary import PHASES
from speicher_env.render.drawing import icons
from speicher_env.render.drawing.palette import paint
from speicher_env.rules.state import MAX_PLAYERS

__all__ = ["shown_settings", "tokens"]


def shown_settings() -> dict[str, Any]:
    """Classes of losses with their signs, and what a player does in each phase, ready for JSON."""
    return {"grades": GRADES, "signs": SIGNS, "phases": PHASES}


def tokens() -> list[str]:
    """The sign of each seat as SVG, in the colours of the page."""
    drawings = [icons.token(seat) for seat in range(MAX_PLAYERS)]
    return [paint(f'<svg viewBox="0 0 24 24" aria-hidden="true">{drawing}</svg>', "page") for drawing in drawings]
