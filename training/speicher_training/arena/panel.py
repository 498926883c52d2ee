"""Standard panels: fixed opponents, deals and counts, so that the numbers of two groups can be compared.

A panel is a file `panels/NAME-VERSION.toml` and never changes once it has been released; what would change it is a new
version. `2p` is the newest version of that name, `2p/1` a certain one.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from speicher_env.arguments import check_players, check_seed, is_whole
from speicher_env.errors import ArgumentError
from speicher_env.messages import nearest, shown

_NAME = re.compile(r"(?P<name>[\w-]+)-(?P<version>[1-9]\d*)\.toml")
_FIELDS = ("name", "version", "players", "opponents", "deck", "first_seed", "deals", "mirrors")


@dataclass(frozen=True)
class Panel:
    """A standard protocol."""

    name: str
    version: int
    players: int
    """In a game."""
    opponents: tuple[str, ...]
    """Specs."""
    deck: str
    first_seed: int
    deals: int
    mirrors: bool

    @property
    def label(self) -> str:
        """How it is cited."""
        return f"{self.name}/{self.version}"


def panels() -> list[str]:
    """The labels of the panels that come with this package, in order."""
    return sorted(_files())


def load_panel(name: str) -> Panel:
    """A panel by its name, by name and version, or from a file of one's own."""
    if name.endswith(".toml"):
        try:
            return _panel(Path(name).read_bytes(), name)
        except OSError as error:
            raise ArgumentError(f"panel {name}: the file cannot be read ({error.strerror}), must be a panel") from None
    files = _files()
    versions = sorted((int(label.partition("/")[2]), label) for label in files if label.partition("/")[0] == name)
    label = versions[-1][1] if versions else name
    if label not in files:
        known = sorted({known.partition("/")[0] for known in files} | set(files))
        raise ArgumentError(
            f"panel: found {shown(name)}, must be one of {', '.join(known)} or a file *.toml{nearest(name, known)}"
        )
    return _panel(files[label], label)


def _files() -> dict[str, bytes]:
    folder = resources.files("speicher_training.arena").joinpath("panels")
    found = {}
    for file in folder.iterdir():
        match = _NAME.fullmatch(file.name)
        if match:
            found[f"{match['name']}/{match['version']}"] = file.read_bytes()
    return found


def _panel(content: bytes, where: str) -> Panel:
    try:
        table: dict[str, Any] = tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ArgumentError(f"panel {where}: it is no TOML ({error})") from None
    for key in (*table, *_FIELDS):
        if key not in _FIELDS:
            raise ArgumentError(f"panel {where}: there is no field {shown(key)}{nearest(key, _FIELDS)}")
        if key not in table:
            raise ArgumentError(f"panel {where}: {key} is missing")
    for key in ("version", "deals"):
        if not is_whole(table[key]) or table[key] < 1:
            raise ArgumentError(f"panel {where}: {key} is {shown(table[key])}, must be a whole number, 1 or more")
    for key in ("name", "deck"):
        if not isinstance(table[key], str):
            raise ArgumentError(f"panel {where}: {key} is {shown(table[key])}, must be a text")
    opponents = table["opponents"]
    if not isinstance(opponents, list) or not all(isinstance(spec, str) for spec in opponents):
        raise ArgumentError(f"panel {where}: opponents is {shown(opponents)}, must be a list of specs")
    if not isinstance(table["mirrors"], bool):
        raise ArgumentError(f"panel {where}: mirrors is {shown(table['mirrors'])}, must be true or false")
    return Panel(
        table["name"],
        table["version"],
        check_players(table["players"], f"panel {where}: players"),
        tuple(opponents),
        table["deck"],
        check_seed(table["first_seed"], f"panel {where}: first_seed"),
        table["deals"],
        table["mirrors"],
    )
