"""Parsing of typed moves: the text of an action, its number in the list, or a short form.

A short form has the first letters of the verb and of the goods, in any order of the goods, and omits what is clear:
``d te 4`` is ``deliver tea contract_4``, ``p 2`` is ``place 2``, ``e`` is ``end``.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import permutations

import numpy as np

from speicher_env.messages import listed
from speicher_env.render.legal import legal_actions
from speicher_env.render.why import why_illegal
from speicher_env.rules.actions import ACTION_TEXTS, ACTIONS, VERBS, Action
from speicher_env.rules.cards import GOODS, N_GOODS
from speicher_env.rules.state import DEMAND

__all__ = ["LONGEST", "InvalidMove", "legal_ids", "nearest_legal", "numbered", "read_action", "read_move"]

ANSWERS = {"y": "buy", "yes": "buy", "n": "pass", "no": "pass", "done": "end"}
"""Other words for a verb."""
MOST_LISTED = 6
"""Moves that a message lists at most."""

LONGEST = 60
"""Characters that are read; the longest action has 41."""

N_COLUMNS = sum(action.verb == "place" for action in ACTIONS)
_ID_OF_TEXT = {text: action for action, text in enumerate(ACTION_TEXTS)}
_Goods = frozenset[int]
_PARTS = re.compile(r"[a-z]+|\d+")


class InvalidMove(ValueError):
    """The text is not a legal action; the message is one sentence."""


def legal_ids(state: np.void) -> list[int]:
    """The ids of the legal actions, ascending."""
    return [action.id for action in legal_actions(state)]


def numbered(state: np.void) -> dict[int, int]:
    """The number of each legal action: the column in demand, else from 1 in action order."""
    legal = legal_ids(state)
    return {action: (action if state["phase"] == DEMAND else place) for place, action in enumerate(legal, start=1)}


def read_move(typed: str, state: np.void) -> int:
    """The id of the legal action that a text means.

    Args:
        typed: The text.
        state: The game, a record of dtype `STATE`.

    Raises:
        InvalidMove: If the text means no action, several, or an illegal one; then with the reason.
    """
    words, typed = _words(typed)
    legal = legal_ids(state)
    if words.isdecimal():
        return _by_number(int(words), state)
    meant = _meant(words)
    possible = [action for action in meant if action in legal]
    if len(possible) == 1:
        return possible[0]
    if possible:
        texts = [ACTION_TEXTS[action] for action in possible]
        more = [f"{len(texts) - MOST_LISTED} more"] if len(texts) > MOST_LISTED else []
        raise InvalidMove(f"{typed!r} may mean {listed([*texts[:MOST_LISTED], *more], 'or')}: type a little more")
    if meant:
        raise InvalidMove(_forbidden(typed, meant, state))
    raise InvalidMove(f"{typed!r} is not a move; the nearest legal one is {nearest_legal(words, legal)!r}, ? helps")


def read_action(typed: str, state: np.void) -> int:
    """The id of the one action that a text means, legal or not; `InvalidMove` if there is none or several."""
    words, typed = _words(typed)
    if words.isdecimal():
        return _by_number(int(words), state)
    meant = _meant(words)
    if len(meant) == 1:
        return meant[0]
    if not meant:
        raise InvalidMove(
            f"{typed!r} is not a move; the nearest legal one is {nearest_legal(words, legal_ids(state))!r}"
        )
    texts = listed([repr(ACTION_TEXTS[action]) for action in meant[:2]], "or")
    raise InvalidMove(f"{typed!r} may mean {len(meant)} moves, such as {texts}: type a little more")


def _words(typed: str) -> tuple[str, str]:
    """The text with single spaces, in lower case and as typed, at most `LONGEST` characters."""
    words = " ".join(typed.split())[:LONGEST]
    return words.lower(), words


def nearest_legal(words: str, legal: Iterable[int]) -> str:
    """The text of the legal action that is most similar to what was typed."""
    return max((ACTION_TEXTS[action] for action in legal), key=lambda text: _likeness(words, text))


def _likeness(words: str, text: str) -> tuple[float, float]:
    whole = difflib.SequenceMatcher(None, words, text).ratio()
    verb = difflib.SequenceMatcher(None, words.partition(" ")[0], text.partition(" ")[0]).ratio()
    return whole + verb, whole


def _by_number(number: int, state: np.void) -> int:
    """The legal action with a number."""
    numbers = numbered(state)
    for action, its_number in numbers.items():
        if its_number == number:
            return action
    if state["phase"] == DEMAND and number < N_COLUMNS:
        raise InvalidMove(f"'place {number}' is illegal: {why_illegal(state, number)}")
    last = max(numbers.values())
    raise InvalidMove(f"no move has the number {number}; they go from {min(numbers.values())} to {last}")


def _forbidden(typed: str, meant: Sequence[int], state: np.void) -> str:
    """The message if none of the actions that a text may mean is legal."""
    reasons = Counter(why_illegal(state, action) for action in meant)
    if len(meant) == 1:
        return f"{ACTION_TEXTS[meant[0]]!r} is illegal: {next(iter(reasons))}"
    if len(reasons) == 1:
        return f"{typed!r} is illegal: {next(iter(reasons))}"
    nearest = nearest_legal(typed.lower(), legal_ids(state))
    return f"{typed!r} may mean {len(meant)} moves, all illegal now; the nearest legal one is {nearest!r}"


# Short forms. A good is written by its first letters, so one word may mean several goods.


def _meant(words: str) -> list[int]:
    """The ids of all actions, legal or not, that a text may mean; only the exact one if there is one."""
    if words in _ID_OF_TEXT:
        return [_ID_OF_TEXT[words]]
    parts = _PARTS.findall(words.replace("_", " "))
    if not parts or _PARTS.sub("", words).strip(" _,.:"):
        return []
    first = ANSWERS.get(parts[0], parts[0])
    verbs = [verb for verb in VERBS if verb.startswith(first)]
    return [action.id for verb in verbs for action in ACTIONS if action.verb == verb and _fits(parts[1:], action)]


def _fits(parts: Sequence[str], action: Action) -> bool:
    """Whether the words after a verb can belong to an action."""
    if action.verb == "place":
        return list(parts) in ([], [str(action.column)], ["column", str(action.column)])
    if action.contract is not None:
        numbers = [part for part in parts if part.isdecimal()]
        goods = [part for part in parts if not part.isdecimal()]
        if numbers not in ([], [str(action.contract + 1)]):
            return False
        if numbers:  # "contract" before its number; a single "c" means coffee or carpet
            spare = [word for word in goods if "contract".startswith(word) and (len(goods) > 1 or not _goods(word))]
            if spare:
                goods.remove(spare[-1])
        return _give(goods, action)
    if "to" in parts:
        at = list(parts).index("to")
        taken = _as_goods(parts[at + 1 :])
        return action.takes is not None and len(taken) == 1 and action.takes in taken[0] and _give(parts[:at], action)
    given = _as_goods(parts)
    if action.takes is not None and len(given) == 4:
        return action.takes in given[3] and _give_goods(given[:3], action)
    return _give(parts, action)


def _goods(word: str) -> _Goods:
    """The goods that begin like a word."""
    return frozenset(good for good in range(N_GOODS) if GOODS[good].startswith(word))


def _as_goods(parts: Sequence[str]) -> list[_Goods]:
    """The goods that each word may mean, "2 tea" as two words; an empty set for a word that is no good."""
    goods: list[_Goods] = []
    count = 1
    for part in parts:
        if part.isdecimal():
            count = min(int(part), 5)
            continue
        goods += [_goods(part)] * count
        count = 1
    return goods


def _give(parts: Sequence[str], action: Action) -> bool:
    if parts and parts[-1].isdecimal():
        return False
    return _give_goods(_as_goods(parts), action)


def _give_goods(goods: Sequence[_Goods], action: Action) -> bool:
    """Whether an action gives these goods, and possibly others that were left out."""
    gives = [good for good, amount in enumerate(action.gives) for _ in range(amount)]
    if len(goods) > len(gives):
        return False
    return any(
        all(good in may_be for good, may_be in zip(some, goods, strict=True))
        for some in set(permutations(gives, len(goods)))
    )
