"""From a spec such as ``merchant``, ``mcts:1000`` or ``my_module:MyPlayer`` to a player.

A spec is a name, then perhaps a colon and parameters with commas between them: ``name:key=value,key=value``. The
first parameter may be given without its name. A player of one's own is named by its module, or its file, and its
class: ``my_module:MyPlayer``, ``players/mine.py:MyPlayer``; parameters behind a second colon go to its constructor.
The path of a trained network's card or weights, ``runs/mine/baseline.json``, is a spec as it is.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from speicher_agents.agent import Agent, CompiledAgent
from speicher_agents.baselines.files import CARD, WEIGHTS
from speicher_agents.baselines.kinds import KINDS as BASELINES
from speicher_agents.human import KIND as HUMAN
from speicher_agents.registry import Parameter, PlayerKind, Value
from speicher_agents.scripted import KINDS as SCRIPTED
from speicher_agents.search.kinds import KINDS as SEARCHES
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be, nearest, one_of, shown
from speicher_env.views import CompiledPlayer, Player

KINDS: Mapping[str, PlayerKind] = {kind.name: kind for kind in (*SCRIPTED, *SEARCHES, *BASELINES, HUMAN)}
"""Every player that has a name of its own, weakest ideas first."""

_OWN_CLASS = re.compile(r"(?P<place>[^:]+):(?P<name>[A-Za-z_]\w*)(?::(?P<rest>.*))?")


def make_player(spec: str) -> Player | CompiledPlayer:
    """The player that a spec names, compiled where it can run inside a batch.

    Raises:
        ArgumentError: For an unknown name, with the nearest one; an unknown or wrong parameter; a class that cannot
            be found or is no player.
    """
    if not isinstance(spec, str) or not spec.strip():
        raise ArgumentError(f"player: found {shown(spec)}, must be a spec such as {shown(next(iter(KINDS)))}")
    spec = spec.strip()
    name, _, rest = spec.partition(":")
    if name not in KINDS and spec.endswith((CARD, WEIGHTS)):
        return KINDS["baseline"].make(baseline=spec)
    if name in KINDS:
        kind = KINDS[name]
        return kind.make(**_parameters(spec, rest, kind))
    own = _OWN_CLASS.fullmatch(spec)
    if own and not _misspelt(name):
        return _own_player(spec, own["place"], own["name"], own["rest"] or "")
    raise ArgumentError(
        f"player {shown(spec)}: must be one of {', '.join(KINDS)}, "
        f"module:Class for a class of your own, or the path of a baseline's card{nearest(name, KINDS)}"
    )


def parse_named(spec: str) -> tuple[PlayerKind, dict[str, Value | None]]:
    """The kind and the parameters of a player with a name of its own; nothing is made or imported.

    Raises:
        ArgumentError: For an unknown name, also that of a file or a module, and for an unknown or wrong parameter.
    """
    spec = spec.strip()
    name, _, rest = spec.partition(":")
    if name not in KINDS:
        raise ArgumentError(must_be("player", name, one_of(name, KINDS)))
    return KINDS[name], _parameters(spec, rest, KINDS[name])


def load_agent(spec: str | Player | CompiledPlayer) -> Agent:
    """The player of a spec, or a player that is there already, with a name, `reset(seed)` and `act(views)`."""
    player = make_player(spec) if isinstance(spec, str) else spec
    if isinstance(player, Agent):
        return player
    if isinstance(player, CompiledPlayer):
        return CompiledAgent(player)
    if not callable(getattr(player, "act", None)):
        raise ArgumentError(f"player: found {type(player).__name__}, must be a spec or an object with act(views)")
    return _Wrapped(player)


def describe_players() -> list[PlayerKind]:
    """All players with a name of their own, in the order they are listed."""
    return list(KINDS.values())


class _Wrapped(Agent):
    """A player that need have nothing but `act`."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.name = getattr(player, "name", "") or type(player).__name__
        self.act = player.act  # type: ignore[method-assign]
        if callable(think := getattr(player, "think", None)):
            self.think = think  # type: ignore[method-assign]
        if callable(check := getattr(player, "check_players", None)):
            self.check_players = check

    def reset(self, seed: int) -> None:
        reset = getattr(self._player, "reset", None)
        if callable(reset):
            reset(seed)


# Parameters


def _pairs(spec: str, rest: str, first: str | None) -> dict[str, str]:
    """The texts of the parameters by name; `first` is what one without a name is called."""
    pairs: dict[str, str] = {}
    for place, part in enumerate(rest.split(",") if rest else []):
        key, equals, text = (piece.strip() for piece in part.partition("="))
        if not equals:
            if place > 0 or first is None or not key:
                raise ArgumentError(f"player {shown(spec)}: found {shown(part)}, must be a parameter as in name=value")
            key, text = first, key
        if key in pairs:
            raise ArgumentError(f"player {shown(spec)}: {key} is given twice")
        pairs[key] = text
    return pairs


def _parameters(spec: str, rest: str, kind: PlayerKind) -> dict[str, Value | None]:
    """Every parameter of a kind: from the spec, else its default."""
    known = {parameter.name: parameter for parameter in kind.parameters}
    values: dict[str, Value | None] = {name: parameter.default for name, parameter in known.items()}
    if rest and not known:
        raise ArgumentError(f"player {shown(spec)}: {kind.name} takes no parameters")
    for name, text in _pairs(spec, rest, next(iter(known), None)).items():
        if name not in known:
            raise ArgumentError(
                f"player {shown(spec)}: {kind.name} has no parameter {shown(name)}{nearest(name, known)}; "
                f"it has {', '.join(known)}"
            )
        values[name] = _value(spec, known[name], text)
    return values


def _value(spec: str, parameter: Parameter, text: str) -> Value:
    wanted = {int: "a whole number", float: "a number", str: "a text"}[parameter.kind]
    at_least = "" if parameter.least is None else f" from {parameter.least:g}"
    try:
        value = parameter.kind(text)
    except ValueError:
        value = None
    if value is None or (
        parameter.least is not None and not isinstance(value, str) and not parameter.least <= value < float("inf")
    ):
        raise ArgumentError(f"player {shown(spec)}: {parameter.name} is {shown(text)}, must be {wanted}{at_least}")
    return value


# Classes of one's own


def _misspelt(name: str) -> bool:
    """Whether a name that no player has is meant as one all the same: it is close to one and no module."""
    if not nearest(name, KINDS) or "." in name or os.sep in name:
        return False
    return not os.path.exists(f"{name}.py") and importlib.util.find_spec(name) is None


def _own_player(spec: str, place: str, name: str, rest: str) -> Player | CompiledPlayer:
    module = _module(spec, place)
    if not hasattr(module, name):
        classes = [known for known, value in vars(module).items() if inspect.isclass(value)]
        raise ArgumentError(f"player {shown(spec)}: {place} has no class {shown(name)}{nearest(name, classes)}")
    made = getattr(module, name)
    player = made
    if inspect.isclass(made):
        if not callable(getattr(made, "act", None)):
            raise ArgumentError(f"player {shown(spec)}: class {name} has no method act(views), so it is no player")
        arguments = {key: _plain(text) for key, text in _pairs(spec, rest, None).items()}
        try:
            inspect.signature(made).bind(**arguments)
        except TypeError as error:
            raise ArgumentError(f"player {shown(spec)}: {name} cannot be made: {error}") from error
        player = made(**arguments)
    elif rest:
        raise ArgumentError(f"player {shown(spec)}: {name} is no class, so it takes no parameters")
    if isinstance(player, CompiledPlayer) or callable(getattr(player, "act", None)):
        return player
    raise ArgumentError(
        f"player {shown(spec)}: {name} is {type(player).__name__}, must be a class with act(views) or a CompiledPlayer"
    )


def _plain(text: str) -> Value:
    """A parameter of somebody's own class: a number where it reads as one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _module(spec: str, place: str) -> ModuleType:
    """A module by name, looked for in the current folder too, or by its file."""
    try:
        if place.endswith(".py"):
            return _module_from_file(place)
        folder = os.getcwd()
        added = folder not in sys.path
        if added:
            sys.path.append(folder)
        try:
            return importlib.import_module(place)
        finally:
            if added:
                sys.path.remove(folder)
    except Exception as error:  # whatever somebody's own module raises while it is imported
        known = nearest(place.split(".")[-1], KINDS)
        reason = str(error) or type(error).__name__
        raise ArgumentError(f"player {shown(spec)}: {place} cannot be imported: {reason}{known}") from error


def _module_from_file(path: str) -> ModuleType:
    found = importlib.util.spec_from_file_location(os.path.basename(path)[: -len(".py")], path)
    if found is None or found.loader is None or not os.path.isfile(path):
        raise ImportError("no such file")
    module: Any = importlib.util.module_from_spec(found)
    sys.modules[found.name] = module  # so that what it defines can be pickled
    found.loader.exec_module(module)
    return module
