"""From a spec such as ``merchant``, ``mcts:1000`` or ``my_module:MyPlayer`` to a player.

A spec is a name, then perhaps a colon and parameters with commas between them: ``name:key=value,key=value``. The
first parameter may be given without its name. A player of your own is named by its module, or its file, and its
class: ``my_module:MyPlayer``, ``players/mine.py:MyPlayer``; parameters after a second colon go to its constructor.
The path of a trained network's card or weights, ``runs/mine/baseline.json``, is a spec too. Installed packages add
players with entry points, see `registry.installed_kinds`.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Callable, Mapping
from types import ModuleType

import numpy as np

from speicher_agents.agent import Agent, CompiledAgent
from speicher_agents.baselines.files import CARD, WEIGHTS
from speicher_agents.baselines.kinds import KINDS as BASELINES
from speicher_agents.exact import ExactPlayer
from speicher_agents.human import KIND as HUMAN
from speicher_agents.llm.kinds import KINDS as LANGUAGE_MODELS
from speicher_agents.registry import Parameter, PlayerKind, Value, installed_kinds
from speicher_agents.scripted import KINDS as SCRIPTED
from speicher_agents.search.kinds import KINDS as SEARCHES
from speicher_env.errors import ArgumentError
from speicher_env.messages import brief, must_be, nearest, one_of, shown
from speicher_env.thoughts import Thought
from speicher_env.views import CompiledPlayer, Player, Views

__all__ = ["KINDS", "describe_players", "load_agent", "make_player", "parse_named"]

_OWN_CLASS = re.compile(r"(?P<place>[^:]+):(?P<name>[A-Za-z_]\w*)(?::(?P<rest>.*))?")


def make_player(spec: str) -> Player | CompiledPlayer:
    """The player that a spec names: a compiled player where it can run inside a batch.

    Raises:
        ArgumentError: For an unknown name, with the nearest one; an unknown or wrong parameter; a class that cannot
            be found or is not a player.
    """
    text = _checked_text(spec)
    name, _, rest = text.partition(":")
    if name not in KINDS and text.endswith((CARD, WEIGHTS)):
        return KINDS["baseline"].make(baseline=text)
    kinds = _all_kinds() if name not in KINDS else KINDS
    if name in kinds:
        kind = kinds[name]
        if kind.from_spec is not None:
            return kind.from_spec(text)
        return kind.make(**_parameters(text, rest, kind))
    own = _OWN_CLASS.fullmatch(text)
    if own and not _misspelt(name, kinds):
        return _own_player(text, own["place"], own["name"], own["rest"] or "")
    raise ArgumentError(
        must_be(
            "player",
            text,
            f"{', '.join(kinds)}, module:Class for a class of your own, or the path of a baseline's card"
            f"{nearest(name, kinds)}",
        )
    )


def parse_named(spec: str) -> tuple[PlayerKind, dict[str, Value | None]]:
    """The kind and the parameters of a player of this or another installed package; no player is made.

    What passes here runs no code but that of installed packages, so specs that somebody else wrote go through it. The
    parameters of a player of another package are texts, by name; the first may have none and is then called "".

    Raises:
        ArgumentError: For an unknown name, also that of a file or a module; for a player of the command line only; and
            for a parameter that is unknown, wrong or names a class, as in ``mcts:rollout=mine.py:MyPlayer``.
    """
    spec = spec.strip()
    name, _, rest = spec.partition(":")
    kinds = KINDS if name in KINDS else _all_kinds()
    if name not in kinds:
        named = [known for known, kind in kinds.items() if not kind.command_line_only]
        raise ArgumentError(must_be("player", name, one_of(name, named)))
    if kinds[name].command_line_only:
        allowed = f"a player that reads no file; {name} is named on the command line and in Python only"
        raise ArgumentError(must_be("player", spec, allowed))
    if kinds[name].has_base:
        return kinds[name], _parameters_of_base(spec, rest.strip() or BASE)
    if kinds[name].from_spec is not None:
        return kinds[name], {**_pairs(spec, rest, "")}
    values = _parameters(spec, rest, kinds[name])
    for parameter, value in values.items():
        if isinstance(value, str) and _OWN_CLASS.fullmatch(value):
            raise ArgumentError(must_be(parameter, value, "no class of your own", f"player {shown(spec)}"))
    return kinds[name], values


def load_agent(spec: str | Player | CompiledPlayer) -> Agent:
    """The player of a spec, or a player that exists already, as an `Agent`.

    Raises:
        ArgumentError: See `make_player`.
    """
    player = make_player(spec) if isinstance(spec, str) else spec
    if isinstance(player, Agent):
        return player
    if isinstance(player, CompiledPlayer):
        return CompiledAgent(player)
    if not callable(getattr(player, "act", None)):
        raise ArgumentError(must_be("player", player, "a spec or an object with act(views)"))
    return _Wrapped(player)


def _checked_text(spec: object) -> str:
    """The text of a spec, without spaces around it."""
    text = spec.strip() if isinstance(spec, str) else ""
    if not text or not text.isprintable():
        raise ArgumentError(must_be("player", spec, f"a spec such as {shown(next(iter(KINDS)))}"))
    return text


def describe_players() -> list[PlayerKind]:
    """All players that have a name: those of this package, the simplest first, then those of installed packages."""
    return list(_all_kinds().values())


def _all_kinds() -> Mapping[str, PlayerKind]:
    return {**KINDS, **{kind.name: kind for kind in installed_kinds() if kind.name not in KINDS}}


class _Wrapped(Agent):
    """A player that need not have anything but `act`."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.name = getattr(player, "name", "") or type(player).__name__

    def reset(self, seed: int) -> None:
        """See `Agent.reset`."""
        self._call("reset", seed)

    def check_players(self, players: int) -> None:
        """See `Agent.check_players`."""
        self._call("check_players", players)

    def act(self, views: Views) -> np.ndarray:
        """See `Agent.act`."""
        return self._player.act(views)

    def think(self, views: Views) -> list[Thought | None]:
        """See `Agent.think`."""
        think: Callable[[Views], list[Thought | None]] | None = getattr(self._player, "think", None)
        return super().think(views) if think is None else think(views)

    def usage(self) -> dict[str, float]:
        """See `Agent.usage`."""
        usage: Callable[[], dict[str, float]] | None = getattr(self._player, "usage", None)
        return usage() if callable(usage) else {}

    def _call(self, method: str, argument: int) -> None:
        """Call a method that the player may have."""
        function = getattr(self._player, method, None)
        if callable(function):
            function(argument)


# Parameters


def _pairs(spec: str, rest: str, first: str | None) -> dict[str, str]:
    """The texts of the parameters by name; `first` is the name of a first one that is given without."""
    pairs: dict[str, str] = {}
    for place, part in enumerate(rest.split(",") if rest else []):
        key, equals, text = (piece.strip() for piece in part.partition("="))
        if not equals:
            if place > 0 or first is None or not key:
                raise ArgumentError(must_be("parameter", part, "name=value", f"player {shown(spec)}"))
            key, text = first, key
        if key in pairs:
            raise ArgumentError(f"player {shown(spec)}: {brief(key)} is given twice.")
        pairs[key] = text
    return pairs


def _parameters(spec: str, rest: str, kind: PlayerKind) -> dict[str, Value | None]:
    """Every parameter of a kind: from the spec, else its default."""
    known = {parameter.name: parameter for parameter in kind.parameters}
    values: dict[str, Value | None] = {name: parameter.default for name, parameter in known.items()}
    if rest and not known:
        raise ArgumentError(f"player {shown(spec)}: {kind.name} takes no parameters.")
    for name, text in _pairs(spec, rest, next(iter(known), None)).items():
        if name not in known:
            raise ArgumentError(must_be("parameter", name, one_of(name, known), f"player {shown(spec)}"))
        values[name] = _value(spec, known[name], text)
    return values


def _value(spec: str, parameter: Parameter, text: str) -> Value:
    kind = {int: "a whole number", float: "a number", str: "a text"}[parameter.kind]
    try:
        value = parameter.kind(text)
    except ValueError:
        value = None
    least, most = parameter.least, parameter.most
    if value is None or (least is not None and not isinstance(value, str) and not least <= value <= most):
        least_of_all = "" if least is None else f", {least:g} or more"
        allowed = f"{kind}{least_of_all}" if not isinstance(value, int) or value <= most else f"{kind} up to {most}"
        raise ArgumentError(must_be(parameter.name, text if value is None else value, allowed, f"player {shown(spec)}"))
    return value


# Classes of the user's own


def _misspelt(name: str, kinds: Mapping[str, PlayerKind]) -> bool:
    """Whether an unknown name is a misspelt one: it is close to a player's, and there is no such module."""
    if not nearest(name, kinds) or "." in name or os.sep in name:
        return False
    return not os.path.exists(f"{name}.py") and importlib.util.find_spec(name) is None


def _own_player(spec: str, place: str, name: str, rest: str) -> Player | CompiledPlayer:
    module, short = _module(spec, place), brief(name)
    if not hasattr(module, name):
        classes = [known for known, value in vars(module).items() if inspect.isclass(value)]
        raise ArgumentError(f"player {shown(spec)}: {brief(place)} has no class {shown(name)}{nearest(name, classes)}")
    made = getattr(module, name)
    player = made
    if inspect.isclass(made):
        if not callable(getattr(made, "act", None)):
            raise ArgumentError(f"player {shown(spec)}: class {short} has no method act(views), so it is not a player.")
        arguments = {key: _plain(text) for key, text in _pairs(spec, rest, None).items()}
        try:
            inspect.signature(made).bind(**arguments)
        except TypeError as error:
            raise ArgumentError(f"player {shown(spec)}: {short} cannot be made: {brief(error)}") from error
        player = made(**arguments)
    elif rest:
        raise ArgumentError(f"player {shown(spec)}: {short} is not a class, so it takes no parameters.")
    if isinstance(player, CompiledPlayer | Player):
        return player
    raise ArgumentError(must_be(name, player, "a class with act(views) or a CompiledPlayer", f"player {shown(spec)}"))


def _plain(text: str) -> Value:
    """A parameter of the user's own class: a number if it looks like one."""
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
    except Exception as error:  # whatever the user's module raises while it is imported
        known = nearest(place.split(".")[-1], KINDS)
        reason = brief(error) or type(error).__name__
        raise ArgumentError(f"player {shown(spec)}: {brief(place)} cannot be imported: {reason}{known}") from error


def _module_from_file(path: str) -> ModuleType:
    location = importlib.util.spec_from_file_location(os.path.basename(path)[: -len(".py")], path)
    if location is None or location.loader is None or not os.path.isfile(path):
        raise ImportError("no such file")
    module = importlib.util.module_from_spec(location)
    sys.modules[location.name] = module  # so that what it defines can be pickled
    location.loader.exec_module(module)
    return module


# A player with another one as its base


def _parameters_of_base(spec: str, base: str) -> dict[str, Value | None]:
    """The parameters of the base in a spec, see `parse_named`."""
    kind, parameters = parse_named(base)
    _check_base(spec, kind.name)
    return parameters


def _check_base(spec: str, name: str) -> None:
    """Refuse a base that does not decide by itself."""
    if name in (EXACT.name, HUMAN.name):
        raise ArgumentError(must_be("base", name, "another player that decides by itself", f"player {shown(spec)}"))


def _make_exact(spec: str) -> ExactPlayer:
    """The player of a spec such as ``exact:mcts:200``."""
    base = spec.partition(":")[2].strip() or BASE
    _check_base(spec, base.partition(":")[0].strip())
    return ExactPlayer(load_agent(base), f"{EXACT.name}:{base}")


BASE = "merchant"
EXACT = PlayerKind(
    "exact",
    "plays the last round exactly once it is in reach, and all before as its base does",
    ExactPlayer,
    (Parameter("base", str, "the spec of the player of all other positions", BASE),),
    from_spec=_make_exact,
    has_base=True,
)
KINDS: Mapping[str, PlayerKind] = {
    kind.name: kind for kind in (*SCRIPTED, *SEARCHES, *BASELINES, EXACT, *LANGUAGE_MODELS, HUMAN)
}
"""The players of this package by name, the simplest first."""
