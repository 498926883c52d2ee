"""The card of a baseline: what its weights are for, how they came about, and how strong they were measured to be."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from speicher_agents.baselines.figures import VERSION as FIGURES
from speicher_env.arguments import is_whole
from speicher_env.deck import SAMPLED, STANDARD, STANDARD_EDITION
from speicher_env.errors import ArgumentError
from speicher_env.messages import shown
from speicher_env.observation import SCHEMA_VERSION, observation_size
from speicher_env.rewards import SCHEMES
from speicher_env.rules.actions import ACTION_TEXTS
from speicher_env.rules.state import MAX_PLAYERS, MIN_PLAYERS

FORMAT = "speicherstadt-baseline/1"

ACTIONS_DIGEST = hashlib.sha256("\n".join(ACTION_TEXTS).encode()).hexdigest()[:16]
"""Changes whenever the text or the number of any action changes."""

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
    """What a card says."""

    name: str
    players: tuple[int, ...]
    """The numbers of players it was made for, ascending."""
    deck: str
    """That it was trained on."""
    padded: bool
    """Whether its observations have room for 5 seats."""
    reward: str
    """What its value expects: "outcome", "rank" or "margin"."""
    activation: str
    hidden: Mapping[str, list[int]]
    """Widths of the hidden layers of policy and value, and of those that read columns, if there are any."""
    weights: str
    """Name of the file beside the card."""
    sha256: str
    """Of that file."""
    training: Mapping[str, Any] = field(default_factory=dict)
    """Recipe, seed, steps, versions and whatever else says how it came about."""
    figures: bool = False
    """Whether the network also reads the figures of an observation, see `figures`."""
    strength: Mapping[str, Any] = field(default_factory=dict)
    """What was measured, with the command that measures it again."""
    edition: str = STANDARD_EDITION
    """Of the deck it was trained on, see `speicher_env.deck.edition_of`; of several decks, in the order of `deck`."""

    @property
    def size(self) -> int:
        """Length of its observations."""
        return observation_size(MAX_PLAYERS if self.padded else self.players[0])

    @property
    def of_another_edition(self) -> bool:
        """Whether the standard deck has changed since training; never where sampled decks were part of it."""
        return not {SAMPLED, STANDARD_EDITION} & set(self.edition.split(", ")) and self.deck == STANDARD

    def text(self) -> str:
        """The card as JSON."""
        told = {
            "format": FORMAT,
            "name": self.name,
            "players": list(self.players),
            "deck": self.deck,
            "edition": self.edition,
            "padded": self.padded,
            "reward": self.reward,
            "observation": {"schema": SCHEMA_VERSION, "size": self.size},
            "actions": {"digest": ACTIONS_DIGEST, "count": len(ACTION_TEXTS)},
            "network": {
                "activation": self.activation,
                "hidden": dict(self.hidden),
                **({"figures": FIGURES} if self.figures else {}),
            },
            "weights": {"file": self.weights, "sha256": self.sha256},
            "training": dict(self.training),
            "strength": dict(self.strength),
        }
        text = json.dumps(told, indent=1, ensure_ascii=False)
        return _PLAIN_LIST.sub(lambda found: "[" + re.sub(r",\s+", ", ", found[1]) + "]", text) + "\n"


def read_card(content: bytes, where: str) -> Card:
    """The card in a file, if this version can play by it; `where` is what a message calls the file.

    Raises:
        ArgumentError: If it is no card, lacks something, or was made for other observations or actions.
    """
    try:
        told = json.loads(content)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise ArgumentError(f"{where}: it is no JSON, must be the card of a baseline") from None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        found = shown(told.get("format")) if isinstance(told, dict) else "a list or a number"
        raise ArgumentError(f"{where}: its format is {found}, must be {shown(FORMAT)}")
    for name in _FIELDS:
        if name not in told:
            raise ArgumentError(f"{where}: {name} is missing")
    _check_schema(told, where)
    try:
        card = Card(
            name=told["name"],
            players=tuple(told["players"]),
            deck=told["deck"],
            edition=told["edition"],
            padded=told["padded"],
            reward=told["reward"],
            activation=told["network"]["activation"],
            hidden=told["network"]["hidden"],
            weights=told["weights"]["file"],
            sha256=told["weights"]["sha256"],
            figures="figures" in told["network"],
            training=dict(told.get("training", {})),
            strength=dict(told.get("strength", {})),
        )
    except (TypeError, KeyError, ValueError, AttributeError):
        raise ArgumentError(f"{where}: a field has not the form that a card gives it, it is damaged") from None
    _check_fields(card, where)
    return card


def _check_schema(told: dict[str, Any], where: str) -> None:
    """Refuse what was trained on other observations or actions than these."""
    try:
        name, schema, digest = told["name"], told["observation"]["schema"], told["actions"]["digest"]
    except (TypeError, KeyError):
        raise ArgumentError(
            f"{where}: it does not say which observations and actions it is for, it is damaged"
        ) from None
    if schema != SCHEMA_VERSION:
        raise ArgumentError(
            f"{where}: baseline {name} was trained on observations of schema {schema}, must be {SCHEMA_VERSION}, "
            "which this version of speicher-env gives"
        )
    if digest != ACTIONS_DIGEST:
        raise ArgumentError(
            f"{where}: baseline {name} was trained with other actions (digest {digest}), must be {ACTIONS_DIGEST}, "
            "those of this version of speicher-env"
        )
    network = told["network"] if isinstance(told["network"], dict) else {}
    if network.get("figures", FIGURES) != FIGURES:
        raise ArgumentError(
            f"{where}: baseline {name} was trained on figures of version {network['figures']}, must be {FIGURES}, "
            "which this version of speicher-env works out"
        )


def _check_fields(card: Card, where: str) -> None:
    counts = range(MIN_PLAYERS, MAX_PLAYERS + 1)
    if not card.players or not all(is_whole(count) and count in counts for count in card.players):
        raise ArgumentError(f"{where}: players is {list(card.players)}, must be numbers {counts[0]}..{counts[-1]}")
    if card.padded not in (True, False) or (len(card.players) > 1 and not card.padded):
        raise ArgumentError(f"{where}: padded is {shown(card.padded)}, must be true for several numbers of players")
    if card.reward not in SCHEMES:
        raise ArgumentError(f"{where}: reward is {shown(card.reward)}, must be one of {', '.join(SCHEMES)}")
    texts = (card.name, card.deck, card.edition, card.activation, card.weights, card.sha256)
    if not all(isinstance(text, str) for text in texts) or not card.name:
        raise ArgumentError(f"{where}: name, deck, edition, activation, weights file and sha256 must be texts")
    if "/" in card.weights or "\\" in card.weights or not card.weights.endswith(".safetensors"):
        raise ArgumentError(f"{where}: its weights lie in {shown(card.weights)}, must be *.safetensors beside it")
