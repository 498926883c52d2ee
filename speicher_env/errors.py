"""The errors of this package. Each has one sentence that says what is wrong and what is allowed.

All are `ValueError`s. `speicher_env.DeckError` and `speicher_env.UnknownAction` are defined beside their code.
"""

from __future__ import annotations

from collections.abc import Sequence

from speicher_env.messages import listed, must_be, shown

__all__ = ["ArgumentError", "FileError", "IllegalAction", "RecordError", "StateError"]

LISTED_ACTIONS = 12
"""Legal actions that a message names; further ones are counted."""


class ArgumentError(ValueError):
    """An argument of the wrong kind or outside its range."""


class StateError(ValueError):
    """A state that cannot occur in a game, or a snapshot that cannot be read."""


class RecordError(ValueError):
    """A game record that cannot be read, or that does not follow the rules."""


class FileError(ValueError):
    """A file or folder that cannot be read, written or used."""


class IllegalAction(ValueError):
    """An action that is not legal now. The game is not changed.

    Attributes:
        phase: "demand", "purchase", "loading" or "over".
        player: The player to move, None when the game is over.
        action: The text of the action.
        legal: The texts of the legal actions, in action order.
        where: The player and the game, if there are several; else empty.
    """

    def __init__(self, phase: str, player: int | None, action: str, legal: Sequence[str], where: str = "") -> None:
        self.phase = phase
        self.player = player
        self.action = action
        self.legal = tuple(legal)
        self.where = where
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        if self.player is None:
            place = f"{self.where}: " if self.where else ""
            return f"{place}action={shown(self.action)}: the game is over, so no action is legal."
        more = len(self.legal) - LISTED_ACTIONS
        named = [*self.legal[:LISTED_ACTIONS], *([f"{more} more"] if more > 0 else [])]
        return must_be(
            "action", self.action, f"{listed(named, 'or')}, as player_{self.player} decides in {self.phase}", self.where
        )

    def __reduce__(self) -> tuple[type[IllegalAction], tuple[str, int | None, str, tuple[str, ...], str]]:
        """Pickle by its parts, so that the error passes from one process to another."""
        return type(self), (self.phase, self.player, self.action, self.legal, self.where)
