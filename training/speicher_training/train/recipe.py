"""A recipe: all settings of a training run, from a TOML file that is checked before anything is trained."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from speicher_env.errors import ArgumentError
from speicher_env.messages import nearest, shown
from speicher_training.train.settings import SETTINGS, Setting

Tables = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Recipe:
    """All settings; `recipe.ppo.games` is setting `games` of table `ppo`."""

    name: str
    tables: Tables
    """By table and name, all of them."""

    def __getattr__(self, table: str) -> SimpleNamespace:
        """The settings of a table."""
        tables = self.__dict__.get("tables", {})
        if table not in tables:
            raise AttributeError(table)
        return SimpleNamespace(**tables[table])

    def changed(self, **changes: Mapping[str, Any]) -> Recipe:
        """A recipe with other settings, table by table, checked as a whole."""
        tables = {name: {**table, **changes.get(name, {})} for name, table in self.tables.items()}
        unknown = {name: told for name, told in changes.items() if name not in tables}
        return recipe_from({**tables, **unknown}, self.name)

    def text(self) -> str:
        """The recipe as TOML, a comment beside every setting."""
        lines: list[str] = []
        for table, settings in SETTINGS.items():
            lines.append(f"[{table}]")
            for name, setting in settings.items():
                lines.append(f"{f'{name} = {_toml(self.tables[table][name])}':40s} # {setting.meaning}")
            lines.append("")
        return "\n".join(lines)


def recipes() -> list[str]:
    """The names of the recipes that come with this package."""
    return sorted(file.name.removesuffix(".toml") for file in _folder().iterdir() if file.name.endswith(".toml"))


def load_recipe(name: str | os.PathLike[str]) -> Recipe:
    """A recipe by its name, or from a file.

    Raises:
        ArgumentError: If there is none, or a setting in it is unknown or wrong.
    """
    text = os.fspath(name)
    known = recipes()
    try:
        if text in known and not isinstance(name, os.PathLike):
            content = (_folder() / f"{text}.toml").read_bytes()
        elif text.endswith(".toml"):
            content = Path(text).read_bytes()
        else:
            raise ArgumentError(
                f"recipe: found {shown(text)}, must be one of {', '.join(known)} or a file *.toml{nearest(text, known)}"
            )
    except OSError as error:
        shipped = Path(text).name.removesuffix(".toml")
        meant = f", {shown(shipped)} without a folder is the one that comes with this package" * (shipped in known)
        raise ArgumentError(
            f"recipe {text}: the file cannot be read ({error.strerror}), must be a recipe{meant}"
        ) from None
    try:
        told = tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ArgumentError(f"recipe {text}: it is no TOML ({error})") from None
    return recipe_from(told, Path(text).name.removesuffix(".toml"), f"recipe {text}")


def recipe_from(told: Mapping[str, Any], name: str, where: str = "recipe") -> Recipe:
    """A recipe from tables of settings; those left out are what they are unless told."""
    for table, values in told.items():
        if table not in SETTINGS:
            raise ArgumentError(f"{where}: there is no table {shown(table)}{nearest(table, SETTINGS) or _home(table)}")
        if not isinstance(values, Mapping):
            raise ArgumentError(f"{where}: {table} is {shown(values)}, must be a table of settings")
        for key in values:
            if key not in SETTINGS[table]:
                raise ArgumentError(f"{where}: [{table}] has no setting {shown(key)}{_meant(table, key)}")
    tables = {
        table: {key: _value(f"{where}: {table}.{key}", setting, told.get(table, {}).get(key, setting.default))
                for key, setting in settings.items()}
        for table, settings in SETTINGS.items()
    }  # fmt: skip
    _check_together(tables, where)
    return Recipe(name, tables)


def _value(where: str, setting: Setting, value: Any) -> Any:
    if not setting.check(value):
        raise ArgumentError(f"{where} is {shown(value)}, must be {setting.right}")
    return setting(value)


def _check_together(tables: Tables, where: str) -> None:
    """What single settings do not tell."""
    game, ppo, league = tables["game"], tables["ppo"], tables["league"]
    if len(set(game["players"])) < len(game["players"]):
        raise ArgumentError(f"{where}: game.players lists a number twice")
    if len(game["players"]) > 1 and not game["padded"]:
        raise ArgumentError(f"{where}: game.padded is false, must be true for several numbers of players")
    if ppo["games"] < len(game["players"]):
        raise ArgumentError(f"{where}: ppo.games is {ppo['games']}, must be at least one for each number of players")
    if ppo["batch_size"] > ppo["games"] * ppo["rollout"]:
        raise ArgumentError(
            f"{where}: ppo.batch_size is {ppo['batch_size']}, must be at most games times rollout, "
            f"{ppo['games'] * ppo['rollout']}"
        )
    if ppo["games"] * ppo["rollout"] % ppo["batch_size"] == 1:
        raise ArgumentError(
            f"{where}: ppo.batch_size is {ppo['batch_size']}, which leaves a single decision of games times rollout, "
            f"{ppo['games'] * ppo['rollout']}, and of one alone nothing can be learned; must be another number"
        )
    if not league["newest"] + league["past"] + league["scripted"] > 0:
        raise ArgumentError(f"{where}: league.newest, past and scripted are 0, one of them must be more")
    if league["scripted"] > 0 and not league["anchors"]:
        raise ArgumentError(f"{where}: league.scripted is {league['scripted']:g}, must be 0 without anchors")
    if len(set(league["anchors"])) < len(league["anchors"]):
        raise ArgumentError(f"{where}: league.anchors lists a player twice")
    _check_players(tables, where)


def _check_players(tables: Tables, where: str) -> None:
    """See that every player that is named can be made, and plays at every table that the recipe asks it to."""
    from speicher_agents.specs import make_player  # with all players behind it

    named = {
        "league.anchors": tables["league"]["anchors"],
        "run.evaluation_opponents": tables["run"]["evaluation_opponents"],
        "imitation.teacher": [tables["imitation"]["teacher"]] * (tables["imitation"]["decisions"] > 0),
    }
    for setting, specs in named.items():
        for spec in specs:
            try:
                check = getattr(make_player(spec), "check_players", None)
                for players in tables["game"]["players"]:
                    if callable(check):
                        check(players)
            except ArgumentError as error:
                raise ArgumentError(f"{where}: {setting}: {error}") from None


def _meant(table: str, key: str) -> str:
    """The nearest setting of the table, or where another table has one of that name."""
    return nearest(key, SETTINGS[table]) or _home(key)


def _home(key: str) -> str:
    """The table that has a setting of this name."""
    tables = [f"[{table}]" for table, settings in SETTINGS.items() if key in settings]
    return f", it belongs to {' or '.join(tables)}" if tables else ""


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    if isinstance(value, int) and value >= 10_000:
        return f"{value:_}"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _folder() -> Any:
    return resources.files("speicher_training") / "recipes"
