"""The progress bar of long work: on stderr, and only if somebody looks at it."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

__all__ = ["progress_bar"]


def progress_bar(*, beside_output: bool = False) -> Progress:
    """A bar that counts whole things; `beside_output` leaves it out where stdout fills the same terminal."""
    console = Console(stderr=True)
    hidden = not console.is_terminal or (beside_output and sys.stdout.isatty())
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=hidden,
        transient=True,
    )
