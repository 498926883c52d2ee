"""The errors of this package. Each has one sentence that says what is wrong and what is allowed.

All are `ValueError`s. `speicher_env.DeckError` and `speicher_env.UnknownAction` are defined beside their code.
"""

from __future__ import annotations

from collections.abc import Sequence

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
        where: The game, as the beginning of the sentence, if there are several; else empty.
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
            return f"{self.where}'{self.action}' cannot be played: the game is over"
        named = ", ".join(self.legal[:LISTED_ACTIONS])
        more = len(self.legal) - LISTED_ACTIONS
        if more > 0:
            named += f", … {more} more"
        return (
            f"{self.where}'{self.action}' is illegal in {self.phase}: seat {self.player} decides and may choose {named}"
        )

    def __reduce__(self) -> tuple[type[IllegalAction], tuple[str, int | None, str, tuple[str, ...], str]]:
        """Pickle by its parts, so that the error passes from one process to another."""
        return type(self), (self.phase, self.player, self.action, self.legal, self.where)
