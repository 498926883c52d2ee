"""The progress bar of long work: on stderr, and only if somebody looks at it."""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from speicher_training.executor import Size

__all__ = ["ClusterSpeed", "progress_bar"]


class ClusterSpeed:
    """Says how large a cluster is and how fast it plays."""

    def __init__(self) -> None:
        """Begin to measure with the first call."""
        self._began: tuple[float, int] | None = None

    def __call__(self, size: Size, games: int) -> str:
        """The nodes, the cores and the games per second since the first call.

        Args:
            size: Of the cluster.
            games: Finished games.
        """
        began, before = self._began = self._began or (time.monotonic(), games)
        seconds = time.monotonic() - began
        rate = (games - before) / seconds if seconds else 0.0
        nodes = "1 node" if size.nodes == 1 else f"{size.nodes} nodes"
        return f"deals, {nodes}, {size.cores} cores, {rate:,.0f} games/s"


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
