"""Standard panels: fixed opponents, deals and counts, so that the numbers of two groups can be compared.

A panel is a file `panels/NAME-VERSION.toml` and never changes once it has been released; what would change it is a new
version. `2p` is the newest version of that name, `2p/1` exactly that one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources
from typing import Any

from speicher_agents.specs import parse_named
from speicher_env.arguments import check_players, check_seed, is_whole
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be, nearest, one_of, shown
from speicher_env.reading import parse_toml, path_shown, read_toml

__all__ = ["Panel", "load_panel", "panels"]

_NAME = re.compile(r"(?P<name>[\w-]+)-(?P<version>[1-9]\d*)\.toml")
MOST_BYTES = 1 << 16
"""Size of a panel file."""
_FIELDS = ("name", "version", "players", "opponents", "deck", "first_seed", "deals", "mirrors")


@dataclass(frozen=True)
class Panel:
    """A standard protocol."""

    name: str
    version: int
    players: int
    """In a game."""
    opponents: tuple[str, ...]
    """Specs of players of installed packages."""
    deck: str
    first_seed: int
    deals: int
    mirrors: bool

    @property
    def label(self) -> str:
        """Name and version, as the panel is cited."""
        return f"{self.name}/{self.version}"


def panels() -> list[str]:
    """The labels of the panels that come with this package, in order."""
    return sorted(_files())


def load_panel(name: str) -> Panel:
    """A panel by name, by name and version, or from a TOML file."""
    if name.endswith(".toml"):
        return _panel(read_toml(name, MOST_BYTES, "a panel", ArgumentError), path_shown(name))
    files = _files()
    versions = sorted((int(label.partition("/")[2]), label) for label in files if label.partition("/")[0] == name)
    label = versions[-1][1] if versions else name
    if label not in files:
        names = [*sorted({known.partition("/")[0] for known in files} | set(files)), "a file *.toml"]
        raise ArgumentError(must_be("panel", name, one_of(name, names)))
    return _panel(parse_toml(files[label].decode("utf-8"), label), label)


def _files() -> dict[str, bytes]:
    folder = resources.files("speicher_training.arena").joinpath("panels")
    files = {}
    for file in folder.iterdir():
        match = _NAME.fullmatch(file.name)
        if match:
            files[f"{match['name']}/{match['version']}"] = file.read_bytes()
    return files


def _panel(table: dict[str, Any], where: str) -> Panel:
    def check(right: bool, key: str, allowed: str) -> None:
        if not right:
            raise ArgumentError(must_be(key, table[key], allowed, f"panel {where}"))

    for key in table:
        if key not in _FIELDS:
            raise ArgumentError(f"panel {where}: there is no field {shown(key)}{nearest(key, _FIELDS)}")
    for key in _FIELDS:
        if key not in table:
            raise ArgumentError(f"panel {where}: the field {key} is missing.")
    for key in ("version", "deals"):
        check(is_whole(table[key]) and table[key] >= 1, key, "a whole number, 1 or more")
    for key in ("name", "deck"):
        check(isinstance(table[key], str), key, "a text")
    opponents = table["opponents"]
    specs = isinstance(opponents, list) and all(isinstance(spec, str) for spec in opponents)
    check(specs, "opponents", "a list of specs")
    for spec in opponents:
        try:
            parse_named(spec)  # a panel that somebody else wrote runs no code
        except ArgumentError as error:
            raise ArgumentError(f"panel {where}: opponents: {error}") from None
    check(isinstance(table["mirrors"], bool), "mirrors", "true or false")
    return Panel(
        name=table["name"],
        version=table["version"],
        players=check_players(table["players"], f"panel {where}: players"),
        opponents=tuple(opponents),
        deck=table["deck"],
        first_seed=check_seed(table["first_seed"], f"panel {where}: first_seed"),
        deals=table["deals"],
        mirrors=table["mirrors"],
    )
