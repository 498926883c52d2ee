"""A whole game as text: every decision, what was legal, what was played, and everything that it changed.

Nothing is left out of the state but what the head of the text gives once: the deck's values, the pile and the bag.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

from speicher_env.deck import standard_deck
from speicher_env.rules.actions import ACTION_TEXTS, ACTIONS
from speicher_env.rules.cards import CARD_IDS, GOODS, N_CONTRACTS, N_FIREMEN, N_FIRES
from speicher_env.rules.scoring import N_SOURCES, SOURCES, points_by_source
from speicher_env.rules.setup import template
from speicher_env.rules.state import (
    DISCARDED,
    EMPTY,
    IN_PILE,
    ON_TABLE,
    PHASES,
    PURCHASE,
    REMOVED,
    SAMPLED_DECK,
    STANDARD_DECK,
)
from speicher_env.rules.turn import deal, step

Seen = dict[str, dict[str, str]]
"""A state by name: part, name in the part, value."""

FOLDER = Path(__file__).parents[1] / "golden"
WIDTH = 110

PLACES = {IN_PILE: "pile", ON_TABLE: "table", DISCARDED: "discarded", REMOVED: "taken out"}
SEAT_FIELDS = {
    "coins": "coins",
    "workers": "workers",
    "bought": "bought",
    "fire_points": "fire points",
    "firemen": "firemen",
    "offices": "offices",
    "ships": "ships",
    "contract_points": "contract points",
}
"""Numbers of a seat and what the text calls them."""


class GoldenGame(NamedTuple):
    """What a golden game is played from."""

    players: int
    deck: str
    seed: int

    @property
    def path(self) -> Path:
        """Where its text is kept."""
        return FOLDER / f"{self.players}_players_{self.deck}.txt"


GAMES = (
    GoldenGame(2, "standard", 1),
    GoldenGame(3, "standard", 2),
    GoldenGame(4, "standard", 3),
    GoldenGame(5, "standard", 4),
    GoldenGame(3, "sampled", 5),
)


def text_of(golden: GoldenGame) -> str:
    """The whole game as text."""
    return "\n".join(line for paragraph in _paragraphs(golden) for line in _wrapped(paragraph)) + "\n"


def _choices(seed: int) -> Iterator[int]:
    """The numbers that choose: a linear congruential generator, simple enough never to change."""
    value = seed
    while True:
        value = (value * 1103515245 + 12345) % 2**31
        yield value >> 16


def _paragraphs(golden: GoldenGame) -> Iterator[str]:
    kind = STANDARD_DECK if golden.deck == "standard" else SAMPLED_DECK
    templates = template(golden.players, kind, standard_deck().values())
    states = np.zeros(1, dtype=templates.dtype)
    deal(states, 0, templates, 0, golden.seed, EMPTY)
    game = states[0]
    yield from _head(golden, game)
    seen = _seen(game)
    yield from _start(seen)
    for number, choice in enumerate(_choices(golden.seed), start=1):
        legal = [action for action in range(len(ACTION_TEXTS)) if _bit(game, action)]
        if not legal:
            break
        # Deliveries more often than not, or random play would hardly ever complete a contract.
        deliveries = [action for action in legal if ACTIONS[action].verb == "deliver"]
        offered = deliveries if deliveries and choice % 4 else legal
        action = offered[choice // 4 % len(offered)]
        yield f"{number} {_situation(game)}: {ACTION_TEXTS[action].upper()} of {_grouped(legal)}"
        assert step(states, 0, action)
        before, seen = seen, _seen(game)
        yield from _changes(before, seen)
    yield from _result(game)


def _head(golden: GoldenGame, game: np.void) -> Iterator[str]:
    yield f"{golden.players} players, {golden.deck} deck, seed {golden.seed}"
    yield "Each step: number, phase, player: ACTION PLAYED of all that was legal; then what changed, before > after."
    yield "firemen: " + _listed(game["fireman_value"][:N_FIREMEN])
    yield "fires: " + _listed(game["fire_value"][:N_FIRES])
    contracts = (" ".join(GOODS[good] for good in row if good != EMPTY) for row in game["contract_goods"])
    yield "contracts: " + "; ".join(contracts)
    yield "pile: " + _listed(CARD_IDS[card] for card in game["pile"][: game["pile_size"]])
    yield "bag: " + _listed(GOODS[good] for good in game["bag"])
    yield ""


def _listed(values: Iterable[object]) -> str:
    return " ".join(str(value) for value in values)


def _bit(game: np.void, action: int) -> bool:
    return bool(int(game["legal"][action // 64]) >> action % 64 & 1)


def _situation(game: np.void) -> str:
    phase = f"{PHASES[game['phase']]}, player {game['player']}"
    if game["phase"] == PURCHASE:
        column = game["offer"]
        phase += f", {CARD_IDS[game['card'][column]]} for {game['standing'][column]}"
    return phase


def _grouped(legal: list[int]) -> str:
    """Legal actions with the words that they begin with said once."""
    parts = []
    for verb, texts in groupby((ACTION_TEXTS[action] for action in legal), key=lambda text: text.split()[0]):
        rest = [text.removeprefix(verb).strip() for text in texts]
        if verb == "convert":
            given = groupby((text.split(" to ") for text in rest), key=lambda pair: pair[0])
            rest = [f"{three} to {'/'.join(pair[1] for pair in pairs)}" for three, pairs in given]
        elif verb == "deliver":
            pairs = groupby((text.split() for text in rest), key=lambda pair: pair[1])
            rest = [f"{'/'.join(pair[0] for pair in goods)} {contract}" for contract, goods in pairs]
        elif verb != "trade":
            rest = [" ".join(rest)]
        parts.append(f"{verb} {', '.join(rest)}".strip())
    return "; ".join(parts)


def _counts(amounts: np.ndarray) -> str:
    return _listed(f"{good} {count}" for good, count in zip(GOODS, amounts, strict=True) if count) or "-"


def _seen(game: np.void) -> Seen:
    """The state by name, part by part."""
    players = int(game["players"])
    seen = {
        "game": {
            "round": str(game["round"]),
            "first player": str(game["first_player"]),
            "seats done": str(game["loaded"]),
            "pile": str(game["pile_size"] - game["pile_next"]),
            "bag": str(len(game["bag"]) - game["bag_next"]),
            "stock": _counts(game["stock"]),
        },
        "table": {},
    }
    for column in range(players + 1):
        cargo = _listed(GOODS[good] for good in game["cargo"][column] if good != EMPTY)
        card = "-" if game["card"][column] == EMPTY else CARD_IDS[game["card"][column]]
        seen["table"][f"card {column}"] = card + (f" with {cargo}" if cargo else "")
        # Lowest first; how many the state counts is the price.
        workers = _listed(seat for seat in game["queue"][column] if seat != EMPTY)
        seen["table"][f"workers {column}"] = f"{workers} = {game['standing'][column]}" if workers else "-"
    for seat in range(players):
        seen[f"seat {seat}"] = {name: str(game[field][seat]) for field, name in SEAT_FIELDS.items()}
        seen[f"seat {seat}"]["cubes"] = _counts(game["cubes"][seat])
        seen[f"seat {seat}"]["aboard"] = _counts(game["aboard"][seat])
    seen["cards"] = {}
    for card, card_id in enumerate(CARD_IDS):
        owner = int(game["owner"][card])
        seen["cards"][card_id] = PLACES.get(owner, f"seat {owner}")
        # Only of an owned contract: the head says what the others need.
        if card < N_CONTRACTS and owner >= 0:
            seen["cards"][f"{card_id} needs"] = _counts(game["missing"][card])
    return seen


def _start(seen: Seen) -> Iterator[str]:
    for part, values in seen.items():
        there = [f"{name} {value}" for name, value in values.items() if value not in ("0", "-", "pile")]
        if there:
            yield f"  {part}: {', '.join(there)}"


def _changes(before: Seen, after: Seen) -> Iterator[str]:
    for part, values in after.items():
        old = {name: before[part].get(name, "-") for name in values}
        changed = [f"{name} {old[name]} > {value}" for name, value in values.items() if old[name] != value]
        if changed:
            yield f"  {part}: {', '.join(changed)}"


def _result(game: np.void) -> Iterator[str]:
    yield ""
    for seat in range(game["players"]):
        points = np.zeros(N_SOURCES, dtype=np.int64)
        total = points_by_source(game, seat, points)
        sources = ", ".join(f"{source} {value}" for source, value in zip(SOURCES, points, strict=True) if value)
        yield f"seat {seat}: {total} points ({sources or 'from nothing'}), {game['coins'][seat]} coins"


def _wrapped(paragraph: str) -> list[str]:
    """The lines of a paragraph, continued deeper than it begins."""
    indent = " " * (len(paragraph) - len(paragraph.lstrip()))
    lines = textwrap.wrap(
        paragraph.lstrip(),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + "    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines or [""]
