"""Optional packages: one sentence for those that are missing, with the command that installs them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec

__all__ = ["check_installed", "installed"]


def check_installed(packages: Sequence[str], what: str, extra: str, error: type[Exception]) -> None:
    """Raise an error if a package is missing, without importing any.

    Args:
        packages: The names of the packages.
        what: What needs them, as the beginning of a sentence.
        extra: The extra of speicher-env that brings them.
        error: The error to raise.
    """
    for package in packages:
        if find_spec(package) is None:
            raise error(_missing(package, what, extra))


@contextmanager
def installed(packages: Sequence[str], what: str, extra: str, error: type[Exception]) -> Iterator[None]:
    """Raise an error if an import in the block fails because one of the packages is missing; see `check_installed`."""
    try:
        yield
    except ModuleNotFoundError as fault:
        package = (fault.name or "").partition(".")[0]
        if package not in packages:
            raise
        raise error(_missing(package, what, extra)) from fault


def _missing(package: str, what: str, extra: str) -> str:
    return f"{what} needs the package {package}: pip install 'speicher-env[{extra}]'"
