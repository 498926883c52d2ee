"""What the baselines were to reach, and what was measured of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import hypot
from typing import Any

from benchmarks.baselines import COUNTS, SEARCH, SPEED, TWO, UNIVERSAL
from benchmarks.strength import LADDER

Summary = dict[str, Any]
Results = dict[str, Summary]
"""By name of the run; those that are measured."""
Share = dict[str, float]
"""An estimate with the low and the high end of its interval."""

BELOW = 0.04
"""Points of win share by which the universal baseline may be below a specialist."""
RATE = 20_000
"""Decisions per second on one core."""


@dataclass(frozen=True)
class Aim:
    """A share of the win that was to be reached."""

    run: str
    who: str
    against: str
    players: int
    least: float
    opponent: str | None = None
    """Of a run among several players, whom the share is against."""

    @property
    def what(self) -> str:
        """In words."""
        others = "" if self.players == 2 else f" in all other seats, {self.players} players"
        return f"`{self.who}` against `{self.against}`{others}"

    def measured(self, results: Results) -> Share | None:
        """The share, None if it has not been measured."""
        return share(results[self.run], self.opponent) if self.run in results else None


def _aims() -> Iterator[Aim]:
    two = f"baseline:{TWO}"
    for name in LADDER.split():
        yield Aim("2p-ladder", two, name, 2, 0.93 if name == "merchant" else 0.95, name)
    yield Aim("2p-flat", two, "flat:1000", 2, 0.95)
    yield Aim("2p-mcts", two, SEARCH, 2, 0.80)
    yield Aim("2p-mcts-deep", two, "mcts:10000", 2, 0.65)
    yield Aim("2p-guided", "guided:200", two, 2, 0.62)
    yield Aim("2p-guided-800", "guided:800", two, 2, 0.70)
    yield Aim("2p-guided-deep", "guided:200", "mcts:10000", 2, 0.75)
    for count, merchant, search in ((3, 0.66, 0.55), (4, 0.60, 0.48), (5, 0.52, 0.42)):
        own = f"baseline:{count}p"
        yield Aim(f"{count}p-merchant", own, "merchant", count, merchant)
        yield Aim(f"{count}p-mcts", own, SEARCH, count, search)
        yield Aim(f"{count}p-guided", "guided:200", own, count, 1.25 / count)
    yield Aim("universal-sampled", f"baseline:{UNIVERSAL}", "merchant on sampled decks", 2, 0.90, "merchant")


AIMS = tuple(_aims())

PAIRED = {
    (2, "merchant"): ("universal-2p-ladder", "2p-ladder", "merchant"),
    (2, SEARCH): ("universal-2p-mcts", "2p-mcts", None),
    **{
        (count, opponent): (f"universal-{count}p-{kind}", f"{count}p-{kind}", None)
        for count in COUNTS
        for opponent, kind in (("merchant", "merchant"), (SEARCH, "mcts"))
    },
}
"""Where the universal baseline and a specialist have had the same task: the runs of both, and the opponent in them."""


def share(summary: Summary, opponent: str | None = None) -> Share:
    """The win share of the first player of a run; against one of several others, how often it finished ahead of it."""
    if opponent is None:
        found: Share = summary["players"][0]["win_share"]
        return found
    first = summary["players"][0]["name"]
    pair: Summary = next(told for told in summary["pairs"] if (told["first"], told["second"]) == (first, opponent))
    ahead: Share = pair["ahead"]
    return ahead


def difference(one: Share, other: Share) -> Share:
    """Of two shares that do not depend on each other, with an interval from those of both (Newcombe's method)."""
    best = one["estimate"] - other["estimate"]
    low = best - hypot(one["estimate"] - one["low"], other["high"] - other["estimate"])
    high = best + hypot(one["high"] - one["estimate"], other["estimate"] - other["low"])
    return {"estimate": best, "low": low, "high": high}


def verdict(found: Share | None, least: float) -> str:
    """Whether an aim is met, and whether the deals leave a doubt."""
    if found is None:
        return "not measured"
    if found["estimate"] >= least:
        return "met" if found["low"] >= least else "met (within error)"
    return "**missed**" if found["high"] < least else "**missed** (within error)"


def told_rates(results: Results) -> list[Summary]:
    """The speeds, if they are measured."""
    points: list[Summary] = results[SPEED]["points"] if SPEED in results else []
    return points
