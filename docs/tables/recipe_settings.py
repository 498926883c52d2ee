"""Tables of the settings of a recipe."""

from __future__ import annotations

from functools import partial

from docs.tables.markdown import code, table
from speicher_training.train.recipe import toml
from speicher_training.train.settings import SETTINGS


def settings_of(name: str) -> str:
    """The default, the range and the meaning of each setting of one table of a recipe."""
    rows = [
        (code(f"{name}.{key}"), code(toml(setting.default)), setting.allowed, setting.meaning)
        for key, setting in SETTINGS[name].items()
    ]
    return table(("setting", "default", "must be", "meaning"), rows, "llll")


TABLES = {f"{name.replace('_', ' ')} settings": partial(settings_of, name) for name in SETTINGS}
