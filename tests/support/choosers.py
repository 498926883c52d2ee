"""Ways to choose moves that lead random games into every corner of the rules.

Each is made for one game from a random stream, so that a game depends on its seed alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import groupby

from speicher_env import ACTION_TEXTS
from tests.support.twin import Chooser, View

TO_LOAD_WITH = ("ship", "contract", "warehouse", "roaster", "taster", "trader", "vulcanizer")
"""Parts of the ids of cards that give something to do in loading."""


def uniform(rng: random.Random) -> Chooser:
    """Any legal action."""
    return lambda view, legal: rng.choice(legal)


def buying(rng: random.Random) -> Chooser:
    """Buys nearly all it can pay: rich tables, empty purses, many owners who cannot pay."""

    def choose(view: View, legal: list[str]) -> str:
        return "buy" if "buy" in legal and rng.random() < 0.9 else rng.choice(legal)

    return choose


def loading(rng: random.Random) -> Chooser:
    """Buys what makes for a long loading and hardly ever ends one early: contracts, sales, conversions."""

    def choose(view: View, legal: list[str]) -> str:
        if view["phase"] == "purchase":
            return _buy_if(_offered(view, TO_LOAD_WITH) or rng.random() < 0.2)
        if view["phase"] == "loading":
            steps = [text for text in legal if text != "end" or rng.random() < 0.03]
            return _by_verb(steps or legal, rng)
        return rng.choice(legal)

    return choose


def hoarding(rng: random.Random) -> Chooser:
    """Buys ships and keeps the cubes: full warehouses and market halls, more cubes than places."""

    def choose(view: View, legal: list[str]) -> str:
        if view["phase"] == "purchase":
            return _buy_if(_offered(view, ("ship", "warehouse")) or rng.random() < 0.3)
        if "end" in legal and rng.random() < 0.7:
            return "end"
        discards = [text for text in legal if text.startswith("discard")]
        return rng.choice(discards or legal)

    return choose


def crowding(rng: random.Random) -> Chooser:
    """All workers above one card, another every round: columns with no free space, prices up to 8."""
    favourites = [rng.randrange(6) for _ in range(20)]  # by round; a game has at most 16

    def choose(view: View, legal: list[str]) -> str:
        favourite = f"place {favourites[view['round']] % (view['players'] + 1)}"
        if favourite in legal and rng.random() < 0.97:
            return favourite
        return rng.choice(legal)

    return choose


def idling(rng: random.Random) -> Chooser:
    """Stands above the two leftmost cards and mostly passes: unsold ships fill the stock, coins pile up."""

    def choose(view: View, legal: list[str]) -> str:
        if view["phase"] == "demand":
            return rng.choice(legal[:2])
        if view["phase"] == "purchase":
            return _buy_if(rng.random() < (0.6 if _offered(view, TO_LOAD_WITH) else 0.15))
        return _by_verb(legal, rng)

    return choose


def wilful(rng: random.Random) -> Chooser:
    """Has an order of liking over all actions, drawn once a game, and mostly follows it: rare actions get played."""
    liking = dict(zip(ACTION_TEXTS, rng.sample(range(len(ACTION_TEXTS)), len(ACTION_TEXTS)), strict=True))
    liking["end"], liking["pass"] = -1, liking["buy"] - 1

    def choose(view: View, legal: list[str]) -> str:
        if view["phase"] != "demand" and rng.random() < 0.8:
            return max(legal, key=liking.__getitem__)
        return rng.choice(legal)

    return choose


def collecting(rng: random.Random) -> Chooser:
    """One seat goes for one kind of card and the others leave it to it: four counting offices, ten firemen."""
    collector = rng.randrange(2)
    wanted = rng.choice(("counting_office", "fireman", "contract", "ship", "trader"))

    def choose(view: View, legal: list[str]) -> str:
        if view["phase"] == "purchase":
            offered = _offered(view, (wanted,))
            return _buy_if(offered if view["player"] == collector else not offered and rng.random() < 0.2)
        if view["phase"] == "demand" and view["player"] == collector:
            columns = [c for c, column in enumerate(view["columns"]) if wanted in column["card"]]
            return rng.choice([text for text in legal if int(text.split()[1]) in columns] or legal)
        return _by_verb(legal, rng)

    return choose


def abstaining(rng: random.Random) -> Chooser:
    """Never buys: no cards, and ever more coins; if all do it, a win that all share."""
    return lambda view, legal: "pass" if "pass" in legal else rng.choice(legal)


def mixed(rng: random.Random) -> Chooser:
    """Every seat in another way."""
    seats = [rng.choice(ONE_WAY)(rng) for _ in range(5)]
    return lambda view, legal: seats[view["player"]](view, legal)


def _offered(view: View, parts: tuple[str, ...]) -> bool:
    card = view["columns"][view["offer"]["column"]]["card"]
    return any(part in card for part in parts)


def _buy_if(wanted: bool) -> str:
    return "buy" if wanted else "pass"


def _by_verb(legal: list[str], rng: random.Random) -> str:
    """Draw the kind of action first, so that a hundred conversions do not crowd out one delivery."""
    return rng.choice(rng.choice([list(texts) for _, texts in groupby(legal, key=lambda text: text.split()[0])]))


ONE_WAY: tuple[Callable[[random.Random], Chooser], ...] = (
    uniform,
    buying,
    loading,
    hoarding,
    crowding,
    idling,
    wilful,
    collecting,
    abstaining,
)
CHOOSERS = (*ONE_WAY, mixed)
