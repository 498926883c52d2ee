"""Packages whose modules are loaded when one of their names is first used."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

__all__ = ["load_name"]


def load_name(package: str, name: str, modules: Mapping[str, str]) -> Any:
    """The value of a public name, for the ``__getattr__`` of a package.

    Args:
        package: The package.
        name: The name that is asked for.
        modules: The module of each public name, relative to the package.

    Raises:
        AttributeError: If the package has no such name.
    """
    if name not in modules:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return getattr(import_module(f"{package}.{modules[name]}"), name)
