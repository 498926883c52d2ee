"""Recipes: all settings of a training run, read from a TOML file and checked before anything is trained.

A recipe file lists what differs from the defaults in `speicher_training.train.settings`, and nothing else.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib import resources
from importlib.resources.abc import Traversable
from math import prod
from pathlib import Path
from typing import Any

from speicher_agents.baselines import Shape
from speicher_env.errors import ArgumentError
from speicher_env.messages import listed, must_be, nearest, one_of, shown
from speicher_env.reading import parse_toml, path_shown, read_text
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.state import MAX_PLAYERS
from speicher_training.train.settings import (
    SETTINGS,
    TABLES,
    GameSettings,
    ImitationSettings,
    LeagueSettings,
    NetworkSettings,
    PPOSettings,
    PretrainingSettings,
    RunSettings,
    SearchSettings,
    ValueFinetuningSettings,
)

__all__ = ["Recipe", "check_memory", "load_recipe", "recipe_from", "recipes", "toml"]

Tables = dict[str, dict[str, Any]]

LARGEST_FILE = 64 << 10
"""Bytes of a recipe file. With all settings and their meaning it has about 5,000."""
BASE_MEMORY = 512 << 20
"""Bytes that a run needs for the libraries and for the games that it collects before and after learning."""
NUMBERS_OF_A_DECISION = 8
"""In the rollout buffer, beside observation and mask: action, reward, value, advantage and so on."""
COPIES_OF_WEIGHTS = 8
"""Gradients, the two means of Adam, the newest opponent, and copies for a short time."""


@dataclass(frozen=True)
class Recipe:
    """All settings of a run: `recipe.ppo.games` is the setting `games` of the table `[ppo]`."""

    name: str
    game: GameSettings = field(default_factory=GameSettings)
    network: NetworkSettings = field(default_factory=NetworkSettings)
    pretraining: PretrainingSettings = field(default_factory=PretrainingSettings)
    ppo: PPOSettings = field(default_factory=PPOSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    imitation: ImitationSettings = field(default_factory=ImitationSettings)
    value_finetuning: ValueFinetuningSettings = field(default_factory=ValueFinetuningSettings)
    league: LeagueSettings = field(default_factory=LeagueSettings)
    run: RunSettings = field(default_factory=RunSettings)

    @property
    def tables(self) -> Tables:
        """All settings by table and name, as plain values."""
        return {table: asdict(getattr(self, table)) for table in TABLES}

    @property
    def shape(self) -> Shape:
        """The shape of the network."""
        game, network = self.game, self.network
        return Shape(
            seats=MAX_PLAYERS if game.padded else game.players[0],
            policy=tuple(network.policy), value=tuple(network.value), columns=tuple(network.columns),
            shared=tuple(network.shared), activation=network.activation, figures=network.figures,
            every_seat=network.every_seat,
        )  # fmt: skip

    def changed(self, *, own_players: bool = False, **changes: Mapping[str, Any]) -> Recipe:
        """A recipe with other settings, table by table, checked as a whole; see `recipe_from` for `own_players`."""
        tables: dict[str, Mapping[str, Any]] = dict(self.tables)
        for table, settings in changes.items():
            tables[table] = {**tables.get(table, {}), **settings}
        return recipe_from(tables, self.name, own_players=own_players)

    def text(self) -> str:
        """The recipe as TOML with every setting and its meaning."""
        lines: list[str] = []
        for table, values in self.tables.items():
            lines.append(f"[{table}]")
            for name, value in values.items():
                lines.append(f"{f'{name} = {toml(value)}':40s} # {SETTINGS[table][name].meaning}")
            lines.append("")
        return "\n".join(lines)


def recipes() -> list[str]:
    """The names of the recipes that come with this package."""
    return sorted(file.name.removesuffix(".toml") for file in _folder().iterdir() if file.name.endswith(".toml"))


def load_recipe(name: str | os.PathLike[str]) -> Recipe:
    """A recipe that comes with this package, by its name, or one from a file, which runs no code.

    Raises:
        ArgumentError: If there is none, or a setting in it is unknown or wrong.
    """
    text = os.fspath(name)
    known = recipes()
    if text in known and not isinstance(name, os.PathLike):
        content = (_folder() / f"{text}.toml").read_text(encoding="utf-8")
    elif text.endswith(".toml"):
        shipped = Path(text).name.removesuffix(".toml")
        hint = f"; the recipe of this package is {shown(shipped)}, without a folder" * (shipped in known)
        content = read_text(text, LARGEST_FILE, f"a recipe{hint}", ArgumentError)
    else:
        raise ArgumentError(must_be("recipe", text, f"a file *.toml, or {one_of(text, known)}"))
    where = f"recipe {path_shown(text)}"
    tables = parse_toml(content, where, "a recipe", ArgumentError)
    return recipe_from(tables, Path(text).name.removesuffix(".toml"), where)


def recipe_from(tables: Mapping[str, Any], name: str, where: str = "recipe", *, own_players: bool = False) -> Recipe:
    """A recipe from tables of settings, with the defaults for those left out.

    Args:
        tables: Settings by table and name.
        name: Of the recipe.
        where: How messages begin.
        own_players: Whether players may be classes or files, whose code then runs; else only players of installed
            packages are accepted, so that a recipe which somebody else wrote is harmless.

    Raises:
        ArgumentError: For a table or a setting that is unknown, or a value that is not allowed.
    """
    for table, values in tables.items():
        if table not in SETTINGS:
            raise ArgumentError(_unknown(f"{where}: there is no table {shown(table)}", table, SETTINGS))
        if not isinstance(values, Mapping):
            raise ArgumentError(must_be(table, values, "a table of settings", where))
        for key in values:
            if key not in SETTINGS[table]:
                raise ArgumentError(_unknown(f"{where}: [{table}] has no setting {shown(key)}", key, SETTINGS[table]))
    checked = {
        table: kind(**{key: _checked(table, key, value, where) for key, value in tables.get(table, {}).items()})
        for table, kind in TABLES.items()
    }
    recipe = Recipe(name, **checked)
    _check_together(recipe, where)
    _check_players(recipe, where, own_players)
    return recipe


def _checked(table: str, key: str, value: Any, where: str) -> Any:
    setting = SETTINGS[table][key]
    if not setting.check(value):
        raise ArgumentError(must_be(f"{table}.{key}", value, setting.allowed, where))
    return setting.convert(value)


def _check_together(recipe: Recipe, where: str) -> None:
    """Check what depends on several settings."""
    game, ppo, league = recipe.game, recipe.ppo, recipe.league
    if not recipe.network.shared and not (recipe.network.policy and recipe.network.value):
        raise ArgumentError(f"{where}: network.policy and network.value must not be empty where network.shared is.")
    if recipe.search.decisions and not recipe.network.every_seat:
        raise ArgumentError(must_be("network.every_seat", False, "true where search.decisions is not 0", where))
    if len(set(game.players)) < len(game.players):
        raise ArgumentError(f"{where}: game.players lists a number twice.")
    if len(game.players) > 1 and not game.padded:
        raise ArgumentError(must_be("game.padded", False, "true for several numbers of players", where))
    imitated = recipe.imitation.decks if recipe.imitation.decisions else []
    for setting, decks in (("ppo.decks", ppo.decks), ("imitation.decks", imitated)):
        for deck in decks:
            if deck not in game.decks:
                raise ArgumentError(must_be(setting, deck, f"among game.decks: {listed(game.decks)}", where))
    if ppo.games < len(game.players):
        raise ArgumentError(must_be("ppo.games", ppo.games, "at least 1 for each number of players", where))
    decisions = ppo.games * ppo.rollout
    if ppo.batch_size > decisions:
        raise ArgumentError(
            must_be("ppo.batch_size", ppo.batch_size, f"at most ppo.games * ppo.rollout, which is {decisions}", where)
        )
    if decisions % ppo.batch_size == 1:
        reason = f"a number that does not leave a minibatch of 1: ppo.games * ppo.rollout is {decisions}"
        raise ArgumentError(must_be("ppo.batch_size", ppo.batch_size, reason, where))
    if not league.newest + league.past + league.scripted > 0:
        raise ArgumentError(f"{where}: league.newest, league.past and league.scripted are all 0; one must be more.")
    if league.scripted > 0 and not league.anchors:
        raise ArgumentError(must_be("league.scripted", league.scripted, "0 if league.anchors is empty", where))
    if len(set(league.anchors)) < len(league.anchors):
        raise ArgumentError(f"{where}: league.anchors lists a player twice.")


def _check_players(recipe: Recipe, where: str, own_players: bool) -> None:
    """Check that every player of the recipe can be made, is no person, and plays with these numbers of players."""
    from speicher_agents.human import Human
    from speicher_agents.specs import make_player  # imports all players

    taught = recipe.pretraining.decisions > 0 or recipe.imitation.decisions > 0
    specs = {
        "league.anchors": recipe.league.anchors,
        "run.evaluation_opponents": recipe.run.evaluation_opponents,
        "pretraining.teacher": [recipe.pretraining.teacher] * taught,
    }
    for setting, listed_specs in specs.items():
        for spec in listed_specs:
            try:
                if not own_players:
                    _check_named(spec)
                player = make_player(spec)
                check = getattr(player, "check_players", None)
                for players in recipe.game.players:
                    if callable(check):
                        check(players)
            except ArgumentError as error:
                raise ArgumentError(f"{where}: {setting}: {error}") from None
            if isinstance(player, Human):
                raise ArgumentError(must_be(setting, spec, "a player that needs nobody at the keyboard", where))


def _check_named(spec: str) -> None:
    """Refuse a spec that could run code of others than installed packages."""
    from speicher_agents.specs import parse_named

    try:
        parse_named(spec)
    except ArgumentError as error:
        message = str(error)
        if not message.endswith("?"):  # not a misspelt name
            message = f"{message.rstrip('.')}; players of your own are named on the command line."
        raise ArgumentError(message) from None


def check_memory(recipe: Recipe) -> None:
    """Refuse a recipe that needs more memory than this machine has."""
    needed, present = memory_needed(recipe), _memory()
    if present is not None and needed > present:
        raise ArgumentError(
            f"recipe {recipe.name}: needs about {_gigabytes(needed)} GB of memory, and this machine has "
            f"{_gigabytes(present)} GB; take fewer ppo.games, a shorter ppo.rollout, "
            "a smaller search.window or a smaller network."
        )


def memory_needed(recipe: Recipe) -> int:
    """About how many bytes of memory a run needs."""
    network, ppo = recipe.network, recipe.ppo
    row, seats = recipe.shape.numbers, recipe.shape.seats
    weights = sum(prod(dimensions) for dimensions in recipe.shape.tensors().values())
    buffer = ppo.games * ppo.rollout * (2 * (row + N_ACTIONS) + 4 * NUMBERS_OF_A_DECISION)  # bytes, copied once
    hidden = sum(network.policy) + sum(network.value) + (seats + 1) * sum(network.columns)
    minibatch = 3 * ppo.batch_size * (row + hidden)
    copies = COPIES_OF_WEIGHTS + recipe.league.keep
    window = recipe.search.window * (row + 2 * N_ACTIONS + 8 * seats) if recipe.search.decisions else 0
    return BASE_MEMORY + buffer + window + 4 * (minibatch + copies * weights)


def _memory() -> int | None:
    """Bytes of memory of this machine; None if the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:,.0f}" if size >= 10e9 else f"{size / 1e9:.1f}"


def _unknown(message: str, name: str, options: Mapping[str, Any]) -> str:
    """The message with the nearest of the options, or with the table that has a setting of this name."""
    suggestion = nearest(name, options)
    if suggestion:
        return message + suggestion
    tables = [f"[{table}]" for table, settings in SETTINGS.items() if name in settings]
    return f"{message}, it belongs to {' or '.join(tables)}." if tables else f"{message}."


def toml(value: Any) -> str:
    """A value of a setting as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    if isinstance(value, int) and value >= 10_000:
        return f"{value:_}"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _folder() -> Traversable:
    return resources.files("speicher_training") / "recipes"
