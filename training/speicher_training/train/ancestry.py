"""What a network that another run went on from had behind it, for the card of what comes of that run."""

from __future__ import annotations

from typing import Any

from speicher_agents.baselines import Card

KEPT = ("recipe", "seed", "from", "steps", "minutes", "commit")
"""What a card tells of each run before; its settings are in the card of that commit."""


def ancestry(card: Card) -> list[dict[str, Any]]:
    """The runs behind a baseline, the oldest first, its own last; each with the weights that came of it."""
    own = {"name": card.name, "sha256": card.sha256} | {key: card.training.get(key) for key in KEPT}
    return [*card.training.get("before", []), own]
