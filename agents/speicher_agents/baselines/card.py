"""The card of a baseline: what its weights are for, how they were trained, and how strong they are."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from speicher_agents.baselines.shape import ACTIVATIONS, STACKS, Shape
from speicher_env.arguments import is_whole
from speicher_env.deck import SAMPLED, STANDARD, STANDARD_EDITION
from speicher_env.errors import ArgumentError
from speicher_env.messages import field_must_be, must_be, one_of, shown
from speicher_env.observation import FIGURES_VERSION, SCHEMA_VERSION
from speicher_env.reading import parse_json
from speicher_env.rewards import SCHEMES
from speicher_env.rules.actions import ACTION_TEXTS
from speicher_env.rules.state import MAX_PLAYERS, MIN_PLAYERS

__all__ = ["LARGEST_CARD", "Card", "read_card"]

FORMAT = "speicherstadt-baseline/1"

ACTIONS_DIGEST = hashlib.sha256("\n".join(ACTION_TEXTS).encode()).hexdigest()[:16]
"""Changes whenever the text or the number of any action changes."""

HISTORY = ("recipe", "seed", "from", "steps", "minutes", "commit")
"""The fields of each run in `Card.history`; its settings are in the card of that commit."""
WIDEST, MOST_LAYERS = 8192, 64
"""Limits of a network: outputs of a layer, and layers of a stack."""
_THIS_VERSION = "as in this version of speicher-env"
LARGEST_CARD = 4 << 20
"""Bytes."""

_PLAIN_LIST = re.compile(r"""\[\s+([^\[\]{}"]*?)\s+\]""")
"""A list of numbers in JSON, which goes on one line; a learning curve would else be hundreds."""
_FIELDS = (
    "format",
    "name",
    "players",
    "deck",
    "edition",
    "padded",
    "reward",
    "observation",
    "actions",
    "network",
    "weights",
)


@dataclass(frozen=True)
class Card:
    """The content of a card."""

    name: str
    players: tuple[int, ...]
    """The numbers of players it was made for, ascending."""
    deck: str
    """The deck that it was trained on."""
    padded: bool
    """Whether its observations have room for 5 seats."""
    reward: str
    """The payoff of its own seat that its value predicts: "outcome", "rank" or "margin"."""
    shape: Shape
    """Of the network."""
    weights: str
    """Name of the file beside the card."""
    sha256: str
    """Of that file."""
    training: Mapping[str, Any] = field(default_factory=dict)
    """How it was trained: recipe, seed, steps, versions and so on."""
    strength: Mapping[str, Any] = field(default_factory=dict)
    """What was measured, with the command that measures it again."""
    edition: str = STANDARD_EDITION
    """Of the deck it was trained on, see `speicher_env.deck.edition_of`; of several decks, in the order of `deck`."""

    @property
    def history(self) -> list[dict[str, Any]]:
        """The runs that led to the network, the oldest first, its own last; each with the weights that came of it."""
        own = {"name": self.name, "sha256": self.sha256} | {key: self.training.get(key) for key in HISTORY}
        return [*self.training.get("before", []), own]

    @property
    def of_another_edition(self) -> bool:
        """Whether the standard deck has changed since training; never where sampled decks were part of it."""
        return not {SAMPLED, STANDARD_EDITION} & set(self.edition.split(", ")) and self.deck == STANDARD

    def text(self) -> str:
        """The card as JSON."""
        content = {
            "format": FORMAT,
            "name": self.name,
            "players": list(self.players),
            "deck": self.deck,
            "edition": self.edition,
            "padded": self.padded,
            "reward": self.reward,
            "observation": {"schema": SCHEMA_VERSION, "size": self.shape.size},
            "actions": {"digest": ACTIONS_DIGEST, "count": len(ACTION_TEXTS)},
            "network": {
                "activation": self.shape.activation,
                "hidden": self.shape.hidden,
                **({"figures": FIGURES_VERSION} if self.shape.figures else {}),
                **({"every_seat": True} if self.shape.every_seat else {}),
            },
            "weights": {"file": self.weights, "sha256": self.sha256},
            "training": dict(self.training),
            "strength": dict(self.strength),
        }
        text = json.dumps(content, indent=1, ensure_ascii=False)
        return _PLAIN_LIST.sub(lambda match: "[" + re.sub(r",\s+", ", ", match[1]) + "]", text) + "\n"


def read_card(content: bytes, where: str) -> Card:
    """The card in a file, if this version can play by it; `where` is what a message calls the file.

    Raises:
        ArgumentError: If it is not a card, lacks something, or was made for other observations or actions.
    """
    if len(content) > LARGEST_CARD:
        raise ArgumentError(f"{where}: is larger than {LARGEST_CARD >> 20} MB; must be the card of a baseline.")
    card = parse_json(content, where, "the card of a baseline", ArgumentError)
    if card.get("format") != FORMAT:
        raise ArgumentError(field_must_be(card, "format", shown(FORMAT), where))
    for name in _FIELDS:
        if name not in card:
            raise ArgumentError(f"{where}: {name} is missing.")
    _check_texts(card, where)
    _check_schema(card, where)
    _check_players(card, where)
    return Card(
        name=card["name"],
        players=tuple(sorted(card["players"])),
        deck=card["deck"],
        edition=card["edition"],
        padded=card["padded"],
        reward=card["reward"],
        shape=_read_shape(card, where),
        weights=card["weights"]["file"],
        sha256=card["weights"]["sha256"],
        training=_table(card.get("training", {}), "training", where),
        strength=_table(card.get("strength", {}), "strength", where),
    )


def _check_texts(card: dict[str, Any], where: str) -> None:
    """Check name, deck, reward and the name and digest of the weights."""
    weights = _table(card["weights"], "weights", where)
    texts = {name: card[name] for name in ("name", "deck", "edition", "reward")}
    texts |= {f"weights.{name}": weights.get(name) for name in ("file", "sha256")}
    for name, text in texts.items():
        if not isinstance(text, str) or not text or not text.isprintable():
            raise ArgumentError(must_be(name, text, "a text", where))
    if card["reward"] not in SCHEMES:
        raise ArgumentError(must_be("reward", card["reward"], one_of(card["reward"], SCHEMES), where))
    file: str = weights["file"]
    if "/" in file or "\\" in file or not file.endswith(".safetensors"):
        raise ArgumentError(must_be("weights.file", file, "the name of a file *.safetensors beside the card", where))


def _check_schema(card: dict[str, Any], where: str) -> None:
    """Refuse a network that was trained on other observations or actions than those of this version."""
    schema = _table(card["observation"], "observation", where).get("schema")
    digest = _table(card["actions"], "actions", where).get("digest")
    figures = _table(card["network"], "network", where).get("figures", FIGURES_VERSION)
    if schema != SCHEMA_VERSION:
        raise ArgumentError(must_be("observation.schema", schema, f"{SCHEMA_VERSION}, {_THIS_VERSION}", where))
    if digest != ACTIONS_DIGEST:
        raise ArgumentError(must_be("actions.digest", digest, f"{shown(ACTIONS_DIGEST)}, {_THIS_VERSION}", where))
    if figures != FIGURES_VERSION:
        raise ArgumentError(must_be("network.figures", figures, f"{FIGURES_VERSION}, {_THIS_VERSION}", where))


def _check_players(card: dict[str, Any], where: str) -> None:
    players, padded = card["players"], card["padded"]
    counts = range(MIN_PLAYERS, MAX_PLAYERS + 1)
    if not (isinstance(players, list) and players and all(is_whole(count) and count in counts for count in players)):
        allowed = f"a list of numbers of players {counts[0]}..{counts[-1]}"
        raise ArgumentError(must_be("players", players, allowed, where))
    if not isinstance(padded, bool) or (len(players) > 1 and not padded):
        allowed = "true for several numbers of players, else true or false"
        raise ArgumentError(must_be("padded", padded, allowed, where))


def _read_shape(card: dict[str, Any], where: str) -> Shape:
    """The shape of the network that a card describes."""
    network = card["network"]
    hidden = _table(network.get("hidden"), "network.hidden", where)
    for stack, widths in hidden.items():
        if stack not in STACKS:
            raise ArgumentError(must_be("network.hidden", stack, one_of(stack, STACKS), where))
        if (
            not isinstance(widths, list)
            or len(widths) > MOST_LAYERS
            or not all(is_whole(width) and 1 <= width <= WIDEST for width in widths)
        ):
            allowed = f"a list of at most {MOST_LAYERS} widths 1..{WIDEST}"
            raise ArgumentError(must_be(f"network.hidden.{stack}", widths, allowed, where))
    activation = network.get("activation")
    if activation not in ACTIVATIONS:
        raise ArgumentError(must_be("network.activation", activation, one_of(activation, ACTIVATIONS), where))
    every_seat = network.get("every_seat", False)
    if not isinstance(every_seat, bool):
        raise ArgumentError(must_be("network.every_seat", every_seat, "true or false", where))
    return Shape(
        seats=MAX_PLAYERS if card["padded"] else card["players"][0],
        **{stack: tuple(hidden.get(stack, ())) for stack in STACKS},
        activation=activation,
        figures="figures" in network,
        every_seat=every_seat,
    )


def _table(value: object, name: str, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ArgumentError(must_be(name, value, "a table", where))
    return value
