"""The trials of a sweep: every combination of the values of its settings, each with several seeds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from speicher_env.arguments import check_count
from speicher_env.errors import ArgumentError
from speicher_env.messages import brief, must_be, nearest
from speicher_env.reading import parse_toml
from speicher_training.files import digest_of
from speicher_training.train.recipe import Recipe, recipe_from
from speicher_training.train.settings import SETTINGS

__all__ = ["Combination", "Trial", "named", "parse_settings", "trials_of"]

Combination = Mapping[str, Any]
"""A value for each setting that is varied, by its path such as "ppo.entropy"."""

MOST_TRIALS = 10_000
LONGEST_NAME = 120
"""Letters of a trial's name, which is the name of a folder."""


@dataclass(frozen=True)
class Trial:
    """One training run of a sweep."""

    combination: Combination
    seed: int
    recipe: Recipe
    """With the settings of the combination."""

    @property
    def name(self) -> str:
        """Of its folder, such as "ppo.entropy=0.01,seed=2"."""
        return _folder_name(f"{named(self.combination)},seed={self.seed}".removeprefix(","))


def named(combination: Combination) -> str:
    """A combination in one line, such as "ppo.entropy=0.01,league.past=0.3"; empty for the recipe as it is."""
    return ",".join(f"{path}={json.dumps(value, separators=(',', ':'))}" for path, value in combination.items())


def _folder_name(text: str) -> str:
    """The text as every file system takes it; with a digest where something had to be left out."""
    plain = re.sub(r"[^A-Za-z0-9._,=-]+", "-", text.replace('"', ""))
    if plain == text and len(plain) <= LONGEST_NAME:
        return plain
    return f"{plain[:LONGEST_NAME]}-{digest_of(text.encode())[:8]}"


def parse_settings(texts: Iterable[str]) -> dict[str, list[Any]]:
    """The values of each setting, from texts such as "ppo.entropy=[0.003, 0.01]".

    Raises:
        ArgumentError: For a text of another form, and a setting that is named twice.
    """
    varied: dict[str, list[Any]] = {}
    for text in texts:
        path, sign, values = text.partition("=")
        path = path.strip()
        if not sign or not path:
            raise ArgumentError(must_be("--set", text, "a setting and its values, such as ppo.entropy=[0.003, 0.01]"))
        if path in varied:
            raise ArgumentError(f"--set {brief(path)}: is given twice; list all its values once.")
        try:
            parsed = parse_toml(f"values = {values}", f"--set {brief(path)}", "values in TOML", ArgumentError)
        except ArgumentError:
            allowed = 'values in TOML, such as [0.003, 0.01] or ["margin", "outcome"]'
            raise ArgumentError(must_be(f"--set {brief(path)}", values.strip(), allowed)) from None
        if set(parsed) != {"values"}:
            raise ArgumentError(must_be(f"--set {brief(path)}", values.strip(), "values in one line of TOML"))
        value = parsed["values"]
        varied[path] = value if isinstance(value, list) else [value]
    return varied


def trials_of(recipe: Recipe, varied: Mapping[str, Sequence[Any]], seeds: int) -> list[Trial]:
    """All trials, seed by seed, so that an early end leaves every combination with the same number of seeds.

    Args:
        recipe: What is not varied.
        varied: The values of each setting that is varied, by its path.
        seeds: Seeds 1 to this.

    Raises:
        ArgumentError: For a setting that does not exist, a value that is not allowed or listed twice, or a combination
            that is not a valid recipe.
    """
    check_count("seeds", seeds)
    for path, values in varied.items():
        _check_path(path)
        if not values:
            raise ArgumentError(must_be(f"--set {path}", list(values), "a list of one or more values"))
        for number, value in enumerate(values):
            if value in values[:number]:
                raise ArgumentError(f"--set {path}: lists {json.dumps(value)} twice.")
    count = seeds * prod(len(values) for values in varied.values())
    if count > MOST_TRIALS:
        raise ArgumentError(f"a sweep of {count:,} trials: must be {MOST_TRIALS:,} at most.")
    combinations = [dict(zip(varied, values, strict=True)) for values in product(*varied.values())]
    recipes = [_recipe_of(recipe, combination) for combination in combinations]
    return [
        Trial(combination, seed, changed)
        for seed in range(1, seeds + 1)
        for combination, changed in zip(combinations, recipes, strict=True)
    ]


def _check_path(path: str) -> None:
    """Refuse a path that is not the path of a setting, and name those that are near."""
    table, _, key = path.partition(".")
    if key in SETTINGS.get(table, {}):
        return
    paths = [f"{table}.{key}" for table, keys in SETTINGS.items() for key in keys]
    same = [each for each in paths if each.partition(".")[2] == (key or table)]
    hint = f", did you mean {' or '.join(same)}?" if same else nearest(path, paths)
    raise ArgumentError(f"--set {brief(path)}: there is no such setting{hint}" + "." * (not hint))


def _recipe_of(recipe: Recipe, combination: Combination) -> Recipe:
    """The recipe with the settings of a combination, checked as a whole."""
    tables: dict[str, dict[str, Any]] = {table: dict(keys) for table, keys in recipe.tables.items()}
    for path, value in combination.items():
        table, _, key = path.partition(".")
        setting = SETTINGS[table][key]
        if not setting.check(value):
            allowed = setting.allowed
            if isinstance(setting.default, list) and not isinstance(value, list):
                allowed += f"; in a sweep a list of such lists, as in --set '{path}=[[...], [...]]'"
            raise ArgumentError(must_be(f"--set {path}", value, allowed))
        tables[table][key] = value
    return recipe_from(tables, recipe.name, f"--set {named(combination)}" if combination else "recipe")
