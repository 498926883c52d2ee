"""What happened in the games that were played: rare turns of the rules, by name, and the actions that were played."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.support.twin import View

LAST_AUTUMN_FIRE = "the 3rd fire is the last autumn card"
TWO_FIRES = "two fires in one supply"
FIRE_WITHOUT_EFFECT = "a fire with all sums equal"
FIRE_TIED_MOST = "a fire with a tie for the most"
FIRE_TIED_FEWEST = "a fire with a tie for the fewest"
FULL_COLUMN = "a column with no free space"
PRICE_8 = "a card on offer for 8"
PASSED_OVER = "an owner passed over who cannot pay"
LAST_COIN = "the last coin spent on a card"
THREE_BOUGHT = "three cards bought by one seat in a round"
NOTHING_BOUGHT = "a round in which nobody bought"
UNSOLD_SHIP = "an unsold ship"
TOO_MANY_CUBES = "more cubes than places"
TWO_SHIPLOADS = "two shiploads or more in one loading"
ALL_PLACES_TAKEN = "warehouse and market hall full"
MISSING_IN_STOCK = "three cubes to convert and a good that the stock lacks"
COMPLETE = "a contract complete at the end"
INCOMPLETE = "a contract incomplete at the end"
FOUR_OFFICES = "all four counting offices with one seat"
NO_CARD = "a seat without a card at the end"
NEGATIVE = "negative points at the end"
SHARED_WIN = "a shared win"
WIN_BY_COINS = "a win by coins"
SCORED = "points from {}"
"""Filled with each source of points."""

SOURCES = (
    "fire",
    "contracts",
    "counting_offices",
    "merchants",
    "warehouse",
    "chamber_of_commerce",
    "port",
    "boatsmen_church",
    "st_michaelis",
)

EVENTS = (
    LAST_AUTUMN_FIRE,
    TWO_FIRES,
    FIRE_WITHOUT_EFFECT,
    FIRE_TIED_MOST,
    FIRE_TIED_FEWEST,
    FULL_COLUMN,
    PRICE_8,
    PASSED_OVER,
    LAST_COIN,
    THREE_BOUGHT,
    NOTHING_BOUGHT,
    UNSOLD_SHIP,
    TOO_MANY_CUBES,
    TWO_SHIPLOADS,
    ALL_PLACES_TAKEN,
    MISSING_IN_STOCK,
    COMPLETE,
    INCOMPLETE,
    FOUR_OFFICES,
    NO_CARD,
    NEGATIVE,
    SHARED_WIN,
    WIN_BY_COINS,
    *(SCORED.format(source) for source in SOURCES),
)


class Chronicle:
    """Watches one game after another (see `twin.play_both`) and counts the games in which each event happened."""

    def __init__(self) -> None:
        self.games = 0
        self.decisions = 0
        self.actions: set[str] = set()
        self.events: Counter[str] = Counter()
        self._before: View | None = None
        self._action: str | None = None
        self._owned_at_supply = 0
        self._happened: set[str] = set()

    def watch(self, view: View, action: str | None) -> None:
        """Take note of a view and the action chosen in it."""
        if self._before is None:
            self._begin(view)
        else:
            self._behind(self._before, view)
        self._in(view)
        self._before, self._action = view, action
        if action is None:
            self._finish(view)
        else:
            self.decisions += 1
            self.actions.add(action)

    def add(self, other: Chronicle) -> None:
        """Take over what another chronicle noted."""
        self.games += other.games
        self.decisions += other.decisions
        self.actions |= other.actions
        self.events.update(other.events)

    def never(self) -> list[str]:
        """The events that did not happen."""
        return [event for event in EVENTS if not self.events[event]]

    def _note(self, event: str, happened: bool = True) -> None:
        if happened:
            self._happened.add(event)

    def _begin(self, view: View) -> None:
        self._owned_at_supply = 0
        self._note(LAST_AUTUMN_FIRE, view["pile"][-2] == "fire_3")

    def _in(self, view: View) -> None:
        """What one view shows."""
        legal = view["legal"]
        if view["phase"] == "demand":
            self._note(FULL_COLUMN, len(legal) <= view["players"])
        elif view["phase"] == "purchase":
            self._note(PRICE_8, view["offer"]["price"] == 8)
        elif view["phase"] == "loading":
            seat = view["seats"][view["player"]]
            cubes = sum(seat["cubes"].values())
            self._note(TOO_MANY_CUBES, "end" not in legal)
            self._note(ALL_PLACES_TAKEN, cubes == 5 and "end" in legal)
            self._note(MISSING_IN_STOCK, cubes >= 3 and 0 in view["stock"].values())
        if view["phase"] != "over":
            self._note(THREE_BOUGHT, any(seat["cards_bought"] == 3 for seat in view["seats"]))
            self._note(TWO_SHIPLOADS, any(sum(seat["aboard"].values()) >= 6 for seat in view["seats"]))

    def _behind(self, before: View, view: View) -> None:
        """What happened between two views."""
        if self._action == "buy":
            self._note(LAST_COIN, before["seats"][before["player"]]["coins"] == before["offer"]["price"])
        if self._action == "pass" and view["offer"] and view["offer"]["column"] == before["offer"]["column"]:
            self._note(PASSED_OVER, view["offer"]["price"] < before["offer"]["price"] - 1)
        if view["round"] > before["round"] or view["phase"] == "over":
            owned = sum(len(seat["cards"]) for seat in view["seats"])
            self._note(NOTHING_BOUGHT, owned == self._owned_at_supply)
            self._owned_at_supply = owned
            self._fires(before, view)

    def _fires(self, before: View, view: View) -> None:
        fires = sum(card.startswith("fire_") for card in view["discarded"])
        revealed = fires - sum(card.startswith("fire_") for card in before["discarded"])
        self._note(TWO_FIRES, revealed == 2 and view["phase"] != "over")
        if revealed == 1:
            gains = [
                now["fire_points"] - then["fire_points"]
                for now, then in zip(view["seats"], before["seats"], strict=True)
            ]
            self._note(FIRE_WITHOUT_EFFECT, not any(gains))
            self._note(FIRE_TIED_MOST, sum(gain > 0 for gain in gains) > 1)
            self._note(FIRE_TIED_FEWEST, sum(gain < 0 for gain in gains) > 1)

    def _finish(self, view: View) -> None:
        missing: list[Any] = []
        for seat in view["seats"]:
            missing += [any(contract["missing"].values()) for contract in seat["contracts"].values()]
            self._note(FOUR_OFFICES, sum(card.startswith("counting_office") for card in seat["cards"]) == 4)
            self._note(NO_CARD, not seat["cards"])
        self._note(COMPLETE, False in missing)
        self._note(INCOMPLETE, True in missing)
        self._note(UNSOLD_SHIP, any(card.startswith("ship_") for card in view["discarded"]))
        for points in view["points"]:
            for source in SOURCES:
                self._note(SCORED.format(source), points[source] > 0)
        totals = [points["total"] for points in view["points"]]
        self._note(NEGATIVE, min(totals) < 0)
        self._note(SHARED_WIN, len(view["winners"]) > 1)
        self._note(WIN_BY_COINS, totals.count(max(totals)) > len(view["winners"]))
        self.games += 1
        self.events.update(self._happened)
        self._happened.clear()
        self._before = None
