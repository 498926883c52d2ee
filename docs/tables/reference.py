"""The API reference: an entry for every public name, the names that the packages list in `__all__`."""

from __future__ import annotations

import importlib
import inspect
from functools import partial
from types import ModuleType

from docs.tables.markdown import paragraphs

PACKAGES: dict[str, tuple[str, ...]] = {
    "speicher_env": (
        "speicher_env",
        "speicher_env.engine",
        "speicher_env.speicherstadt_v0",
        "speicher_env.envs",
        "speicher_env.batch",
        "speicher_env.views",
        "speicher_env.thoughts",
        "speicher_env.observation",
        "speicher_env.deck",
        "speicher_env.solve",
        "speicher_env.mini",
        "speicher_env.render",
    ),
    "speicher_agents": (
        "speicher_agents",
        "speicher_agents.baselines",
        "speicher_agents.search",
        "speicher_agents.scripted",
        "speicher_agents.llm",
        "speicher_agents.review",
    ),
    "speicher_training": (
        "speicher_training.train",
        "speicher_training.sweep",
        "speicher_training.returns",
        "speicher_training.arena",
        "speicher_training.executor",
    ),
    "speicher_apps": (
        "speicher_apps.meter",
        "speicher_apps.replay_page",
        "speicher_apps.review_page",
        "speicher_apps.web",
    ),
}
"""The public modules of each package."""


def public_names(module: ModuleType) -> list[str]:
    """The public names of a module, in the order of the page."""
    return sorted(getattr(module, "__all__", ()), key=lambda name: (not name[:1].isupper(), name.lower()))


def entries(package: str) -> str:
    """A heading for each public module of a package, and an entry for each of its public names."""
    parts = []
    described: dict[int, str] = {}
    for name in PACKAGES[package]:
        module = importlib.import_module(name)
        parts.append(f"## `{name}`")
        parts.append(inspect.cleandoc(module.__doc__ or "").split("\n\n")[0])
        for public in public_names(module):
            value = getattr(module, public)
            if inspect.ismodule(value):
                continue
            shared = isinstance(value, type) or inspect.isfunction(value)
            elsewhere = described.get(id(value)) if shared else None
            if shared and not value.__module__.startswith(package):
                elsewhere = f"{value.__module__}.{value.__qualname__}"
            if elsewhere:
                parts.append(f"### `{public}`\n\nThe same as [`{elsewhere}`][{elsewhere}].")
                continue
            path = f"{name}.{public}"
            if shared:
                described[id(value)] = path
            parts.append(f"::: {path}")
    return paragraphs(*parts)


TABLES = {f"reference {package.replace('_', ' ')}": partial(entries, package) for package in PACKAGES}
