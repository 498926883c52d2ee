"""The packaged networks for JavaScript: what it has to know of each, and its weights as the module reads them."""

from __future__ import annotations

from typing import Any

from speicher_agents.baselines import Card, Network
from speicher_agents.baselines.files import packaged, read_baseline
from speicher_env.observation import RowFormat, places

__all__ = ["description", "descriptions", "weights"]


def descriptions() -> dict[str, dict[str, Any]]:
    """The packaged baselines by name; the weights of each are in a file NAME.weights."""
    return {name: {**description(*read_baseline(name)), "weights": f"{name}.weights"} for name in packaged()}


def description(card: Card, network: Network) -> dict[str, Any]:
    """The players of a network, the edition of the deck that it knows, and its shape."""
    shape, plan = network.shape, network.weights
    return {
        "players": list(card.players),
        "edition": card.edition,
        "seats": shape.seats,
        "rowSize": RowFormat(shape.seats, True).size,
        "reads": shape.numbers,
        "relu": plan.relu,
        "everySeat": shape.every_seat,
        "sumsToZero": card.reward != "margin",
        "decides": places("decides", shape.seats).tolist(),
        "layers": plan.layers.tolist(),
        "stacks": plan.stacks.tolist(),
        "places": plan.places.tolist(),
    }


def weights(network: Network) -> bytes:
    """All numbers of a network as little-endian float32, laid out as `description` says."""
    return network.weights.numbers.astype("<f4").tobytes()
