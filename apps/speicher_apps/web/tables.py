"""What the page has to know beforehand as one table: the game's own tables, names of things, pictures and levels.

The page draws and speaks from a position and this table. Both the served page and the one without a server read it.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from speicher_apps.levels import LEVELS, NAMES
from speicher_apps.review_page.settings import shown_settings, tokens
from speicher_apps.wasm.tables import tables
from speicher_env import Game
from speicher_env.render.drawing import icons
from speicher_env.render.drawing.palette import paint
from speicher_env.render.words import EFFECTS, KIND_NAMES, source_name
from speicher_env.rules.cards import GOODS, KINDS, MERCHANTS
from speicher_env.rules.hidden import conceal_at
from speicher_env.rules.scoring import SOURCES
from speicher_env.rules.state import MARKET_HALL_SPACE, MAX_PLAYERS, WAREHOUSE_SPACE

__all__ = ["page_tables"]


def page_tables() -> dict[str, Any]:
    """The table, ready for JSON."""
    return {
        **{name: value for name, value in tables().items() if name not in _OF_THE_MODULE},
        "kindNames": dict(zip(KINDS, KIND_NAMES, strict=True)),
        "effects": EFFECTS,
        "merchants": dict(zip(MERCHANTS, GOODS, strict=True)),
        "sourceNames": [*map(source_name, SOURCES), "total"],
        "room": {"without": MARKET_HALL_SPACE, "with": MARKET_HALL_SPACE + WAREHOUSE_SPACE},
        "icons": _icons(),
        "levels": [level._asdict() for level in LEVELS],
        "names": NAMES,
        "examples": _examples(),
        "review": shown_settings(),
    }


_OF_THE_MODULE = ("templates", "rowSizes", "observationSizes", "scripted", "search", "solver", "chance")
"""What only the WebAssembly module reads."""


_EXAMPLE_SEED = 9
"""A game in which a ship brings goods for contracts early."""


def _examples() -> dict[str, str]:
    """A position of each phase in one round, for the pictures of the rules: the bytes of its public state in base64.

    The loading seat can deliver; in demand one worker is still to be placed.
    """
    game = Game(2, seed=_EXAMPLE_SEED)
    examples: dict[str, np.ndarray] = {}
    while not any(action.startswith("deliver") for action in game.legal()):
        state = game.states_view
        begins = game.phase == "purchase" and game.legal() and state["offer"][0] == 0
        if begins or (game.phase == "demand" and state["workers"][0].sum() == 1):
            examples[game.phase] = state.copy()
        legal = game.legal()
        game.play("buy" if "buy" in legal else legal[len(game.moves or ()) % len(legal)])
    examples["loading"] = game.states_view.copy()
    for states in examples.values():
        conceal_at(states, 0)
    return {phase: base64.b64encode(states.tobytes()).decode() for phase, states in examples.items()}


def _icons() -> dict[str, Any]:
    """Pictures as SVG, each in a square of 24, in the colours of `page_colours`."""
    return {
        "cube": {good: _svg(icons.cube(number, 24)) for number, good in enumerate(GOODS)},
        "socket": {good: _svg(icons.open_socket(number, 24)) for number, good in enumerate(GOODS)},
        "kind": {kind: _svg(icons.kind(number, 24)) for number, kind in enumerate(KINDS[:-1])},
        "token": tokens(),
        "emptyToken": [_svg(icons.empty_token(seat, 24)) for seat in range(MAX_PLAYERS)],
        "flame": _svg(icons.flame("", 24)),
        "ash": _svg(icons.flame("", 24, burnt=True)),
        "coin": _svg(icons.coin("", 24)),
        "tick": _svg(icons.tick(24)),
        "marker": _svg(icons.marker(24)),
    }


def _svg(drawing: str) -> str:
    return paint(f'<svg viewBox="0 0 24 24" aria-hidden="true">{drawing}</svg>', "page")
