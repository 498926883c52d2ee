"""Tables of the rules page: cards, players and the numbers of the standard deck."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

from docs.tables.markdown import PLAYER_COUNTS, code, table
from speicher_env import Game
from speicher_env.rules.cards import (
    CARD_IDS,
    CONTRACT_POINTS,
    CUBES_PER_SHIP,
    GOODS,
    KIND_SEASONS,
    MERCHANTS,
    N_FIRES,
    SEASON_NAMES,
    SEASONS,
)
from speicher_env.rules.scoring import CHURCH_POINTS, MICHAELIS_POINTS, OFFICE_POINTS
from speicher_env.rules.state import REMOVED, WAREHOUSE_SPACE


def cards() -> str:
    """Every kind of card, how many there are in each season, and what it does."""
    contracts = ", ".join(f"{size} goods {CONTRACT_POINTS[size]} points" for size in (2, 3, 4))
    offices = ", ".join(f"{points} for {count}" for count, points in enumerate(OFFICE_POINTS) if count)
    does = {
        "contract": f"takes the goods it asks for; scores only if complete at the end: {contracts}",
        "counting_office": f"points at the end by how many you own: {offices}",
        "fireman": "his value counts at every fire",
        "warehouse": f"keeps up to {WAREHOUSE_SPACE} cubes; 1 point for each cube in it at the end",
        "ship": f"brings {CUBES_PER_SHIP} cubes, drawn from the bag; stays with its owner",
        "bank": "1 more coin at every income",
        "boatsmen_church": f"{CHURCH_POINTS} points at the end",
        "st_michaelis": f"{MICHAELIS_POINTS} points at the end",
        "chamber_of_commerce": "1 point for each coin at the end",
        "port": "1 point for each ship owned at the end",
        "fire": "no trade card: carried out when it is revealed",
    }
    for merchant, good in zip(MERCHANTS, GOODS, strict=True):
        does[merchant] = f"buys {good} at 1 coin a cube; 1 point at the end"
    rows = [
        (code(kind), sum(counts), *(count or "" for count in counts), does[kind])
        for kind, counts in KIND_SEASONS.items()
    ]
    total = ["**all**", len(CARD_IDS), *(sum(counts) for counts in zip(*KIND_SEASONS.values(), strict=True)), ""]
    return table(("kind", "cards", *SEASONS, "what it does"), [*rows, total], "lrrrrrrl")


def players() -> str:
    """What is taken out for each number of players, and how many rounds the pile lasts."""
    rows = []
    for count in PLAYER_COUNTS:
        state = Game(count, seed=0).state
        out = [code(card) for card, owner in zip(CARD_IDS, state["owner"], strict=True) if owner == REMOVED]
        trade_cards = int(state["pile_size"]) - N_FIRES
        rounds, rest = divmod(trade_cards, count + 1)
        if rest:
            raise AssertionError(f"{trade_cards} trade cards do not divide into rounds of {count + 1}")
        rows.append((count, " and ".join(out) or "nothing", trade_cards, count + 1, rounds))
    return table(("players", "taken out (standard deck)", "trade cards", "laid out per round", "rounds"), rows, "rlrrr")


def _standard_file() -> dict[str, dict[str, Any]]:
    content = files("speicher_env.deck").joinpath("standard.toml").read_text(encoding="utf-8")
    listed: dict[str, dict[str, Any]] = tomllib.loads(content)["cards"]
    return listed


def _season(letter: str) -> str:
    return f"{letter} {SEASON_NAMES[SEASONS.index(letter)]}"


def _basis(card: dict[str, Any]) -> str:
    """The source of a number, with its reason if there is one."""
    return f"{card['source']}: {card['reason']}" if "reason" in card else str(card["source"])


def _values(kind: str) -> str:
    rows = [
        (code(card_id), _season(card["season"]), card["value"], _basis(card))
        for card_id, card in _standard_file().items()
        if card["kind"] == kind
    ]
    return table(("card", "season", "value", "basis"), rows, "llrl")


def firemen() -> str:
    """Values of the standard deck's firemen."""
    return _values("fireman")


def fires() -> str:
    """Values of the standard deck's fires."""
    return _values("fire")


def contracts() -> str:
    """Goods of the standard deck's contracts."""
    rows = [
        (code(card_id), _season(card["season"]), " ".join(card["goods"]), CONTRACT_POINTS[len(card["goods"])],
         _basis(card))
        for card_id, card in _standard_file().items()
        if card["kind"] == "contract"
    ]  # fmt: skip
    return table(("card", "season", "goods", "points", "basis of the goods"), rows, "lllrl")


TABLES = {
    "cards": cards,
    "players": players,
    "firemen": firemen,
    "fires": fires,
    "contracts": contracts,
}
