"""Where baselines lie, and how one is read: a card and, beside it, its weights."""

from __future__ import annotations

import hashlib
import os
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from speicher_agents.baselines.card import LARGEST_CARD, Card, read_card
from speicher_agents.baselines.network import Network
from speicher_agents.baselines.tensors import BadTensors, read_tensors
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be, nearest
from speicher_env.reading import path_shown, read_bytes, read_stream, reason

__all__ = ["CARD", "WEIGHTS", "files_of", "packaged", "read_baseline"]

CARD, WEIGHTS = ".json", ".safetensors"
LARGEST_WEIGHTS = 1 << 30
"""Bytes."""
Place = Traversable | Path


def packaged() -> list[str]:
    """The names of the baselines that come with this package."""
    folder = _packaged_folder()
    return sorted(file.name.removesuffix(CARD) for file in folder.iterdir() if file.name.endswith(CARD))


def is_path(text: str) -> bool:
    """Whether a text means a file or a folder, and not the name of a packaged baseline."""
    return text.endswith((CARD, WEIGHTS)) or "/" in text or os.sep in text


def read_baseline(name: str | os.PathLike[str]) -> tuple[Card, Network]:
    """A packaged baseline by its name, or any by the path of its card, of its weights, or of its run's folder.

    Raises:
        ArgumentError: If there is none, it does not fit this version, or it is damaged.
    """
    place, where = _place_of(name)
    card = read_card(_read(place, where, "the card of a baseline", LARGEST_CARD), where)
    weights = (place.parent if isinstance(place, Path) else _packaged_folder()) / card.weights
    beside = path_shown(weights) if isinstance(weights, Path) else card.weights
    content = _read(weights, beside, f"the weights that {where} names", LARGEST_WEIGHTS)
    if hashlib.sha256(content).hexdigest() != card.sha256:
        raise ArgumentError(f"{beside}: is damaged, or not the file that {where} describes (its sha256 differs).")
    try:
        return card, Network.from_tensors(card.shape, read_tensors(content))
    except BadTensors as error:
        raise ArgumentError(f"{beside}: {error}") from None


def files_of(path: str) -> tuple[Path, Path] | None:
    """The card and the weights of a baseline by the path of its card, of its weights, or of its run's folder.

    Returns:
        None if that is not the path of a baseline.
    """
    try:
        place, where = _place_of(Path(path))
        card = read_card(_read(place, where, "the card of a baseline", LARGEST_CARD), where)
    except ArgumentError:
        return None
    return (place, place.parent / card.weights) if isinstance(place, Path) else None


def _place_of(name: str | os.PathLike[str]) -> tuple[Place, str]:
    """The card that is meant, and what messages call it."""
    text = os.fspath(name)
    if not text.isprintable():
        raise ArgumentError(must_be("baseline", text, "a name or the path of a card"))
    if not is_path(text) and not isinstance(name, os.PathLike):
        known = packaged()
        if text in known:
            return _packaged_folder() / f"{text}{CARD}", f"baseline {text}"
        names = f"{', '.join(known)} or " if known else ""
        none = "" if known else " (none comes with this package)"
        raise ArgumentError(must_be("baseline", text, f"{names}the path of a card{none}{nearest(text, known)}"))
    path = Path(text)
    if os.path.isdir(text):  # False for a name that the system does not allow, which reading it reports
        cards = sorted(path.glob(f"*{CARD}"))
        path = next((card for card in cards if card.with_suffix(WEIGHTS).is_file()), path / f"baseline{CARD}")
    if path.suffix == WEIGHTS:
        path = path.with_suffix(CARD)
    return path, path_shown(path)


def _read(place: Place, where: str, allowed: str, largest: int) -> bytes:
    """The content of a file of at most `largest` bytes; `allowed` says what it must be."""
    if isinstance(place, Path):
        return read_bytes(place, largest, allowed, ArgumentError)
    try:
        with place.open("rb") as stream:
            return read_stream(stream, largest, where, allowed, ArgumentError)
    except OSError as error:
        raise ArgumentError(f"{where}: cannot be read: {reason(error)}; must be {allowed}.") from None


def _packaged_folder() -> Traversable:
    return resources.files("speicher_agents.baselines") / "weights"
