"""The folder of `speicher review --all --keep`: a line for each game that was reviewed, so that a run resumes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from speicher_apps.cli.errors import CommandError
from speicher_apps.packages import check_installed
from speicher_training.files import JsonLines, digest_of, locked, make_folder

__all__ = ["KeptReviews"]

KEPT = "reviews.jsonl"
MOST_BYTES = 1 << 30
"""Size of that file."""


class KeptReviews:
    """Reviews by the digest of their game, in memory and, with a folder, on the disk."""

    def __init__(self) -> None:
        """Begin with none, and write none."""
        self._reviews: dict[str, dict[str, Any]] = {}
        self._lines: JsonLines | None = None

    @classmethod
    @contextmanager
    def opened(cls, folder: Path, settings: dict[str, Any]) -> Iterator[KeptReviews]:
        """The reviews of a folder, which is locked meanwhile.

        Args:
            folder: Created if it is missing.
            settings: What a review depends on beside the game. A folder of other settings is refused.
        """
        check_installed(("filelock",), "--keep", "train", CommandError)
        make_folder(folder)
        with locked(folder):
            kept = cls()
            kept._lines = JsonLines(folder / KEPT)
            settings_then, *lines = kept._lines.read(MOST_BYTES) or [{}]
            if not settings_then:
                kept._lines.append(settings)
            elif settings_then != settings:
                raise CommandError(
                    f"{folder}: holds reviews with {_in_words(settings_then)}; must be another folder "
                    f"for {_in_words(settings)}."
                )
            kept._reviews = {line["record"]: line["review"] for line in lines}
            yield kept

    def get(self, record: dict[str, Any]) -> dict[str, Any] | None:
        """The review of a game, or None."""
        return self._reviews.get(_digest(record))

    def add(self, record: dict[str, Any], review: dict[str, Any]) -> None:
        """Keep a review; it is on the disk when this returns."""
        if self._lines is not None:
            self._lines.append({"record": _digest(record), "review": review})
        self._reviews[_digest(record)] = review


def _digest(record: dict[str, Any]) -> str:
    return digest_of(json.dumps(record, sort_keys=True).encode())


def _in_words(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items())
