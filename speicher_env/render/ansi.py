"""Colours for terminals, laid over finished text: seats and goods each have one.

Every coloured word says by itself what the colour says, so nothing is lost without colours or without seeing them.
"""

from __future__ import annotations

import re

from speicher_env.rules.cards import GOODS

__all__ = ["paint"]

SEAT_CODES = ("1;31", "1;34", "1;32", "1;33", "1;35")
"""Bold red, blue, green, yellow and magenta."""
GOOD_CODES = ("38;5;137", "38;5;71", "38;5;214", "38;5;245", "38;5;167")
"""Of the 256 colours: brown for coffee, green for tea, orange for saffron, grey for rubber, red for carpet."""
RESET = "\x1b[0m"

_SEAT, _YOU, _GOOD = r"(?:\bseat |#)(?P<seat>[1-5])(?: \(you\))?", r"(?P<you>\byou\b)", "|".join(GOODS)
_COLOURED = re.compile(rf"{_SEAT}|{_YOU}|\b(?P<good>{_GOOD})\b", re.IGNORECASE)


def paint(plain: str, you: int | None = None) -> str:
    """The same text with colours; without the codes it is `plain` again."""

    def coloured(match: re.Match[str]) -> str:
        if match["good"]:
            code = GOOD_CODES[GOODS.index(match["good"].lower())]
        elif match["seat"]:
            code = SEAT_CODES[int(match["seat"]) - 1]
        else:
            assert you is not None, "'you' stands only in a text drawn for a seat"
            code = SEAT_CODES[you]
        return f"\x1b[{code}m{match[0]}{RESET}"

    return _COLOURED.sub(coloured, plain)
