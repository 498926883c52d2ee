"""What JavaScript has to know about the packaged networks, see `network.js`."""

from __future__ import annotations

from typing import Any

from speicher_agents.baselines.columns import column_places
from speicher_agents.baselines.files import packaged, read_baseline

__all__ = ["descriptions"]


def descriptions() -> dict[str, dict[str, Any]]:
    """The packaged baselines by name: players, edition of the deck, and the shape of the network."""
    return {name: _description(name) for name in packaged()}


def _description(name: str) -> dict[str, Any]:
    card, network = read_baseline(name)
    shape = network.shape
    places = column_places(shape.size, shape.figures).tolist() if shape.columns else []
    return {
        "players": list(card.players),
        "edition": card.edition,
        "seats": shape.seats,
        "size": shape.size,
        "figures": shape.figures,
        "activation": shape.activation,
        "columnPlaces": places,
        "weights": f"{name}.safetensors",
    }
