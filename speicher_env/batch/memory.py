"""Making the memory of a batch: its arrays, and the templates that its lanes are dealt from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from speicher_env.batch.lane import LANE, MAX_DECISIONS, NOBODY
from speicher_env.batch.step import Arrays
from speicher_env.deal import DeckArgument, template_for
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be
from speicher_env.observation.refresh import SHOWN
from speicher_env.observation.rows import RowFormat
from speicher_env.rules.legal import MASK_WORDS
from speicher_env.rules.state import blank_states

__all__ = ["make_arrays", "templates_of"]


def make_arrays(
    games: int,
    players: int,
    deck: DeckArgument | Sequence[DeckArgument],
    row_format: RowFormat,
    *,
    final: bool,
    log_moves: bool,
) -> Arrays:
    """The memory of a batch in which nothing is dealt yet.

    Args:
        games: Lanes.
        players: In each game.
        deck: A deck for all lanes, or a list with one for each.
        row_format: What a row holds.
        final: Whether there is room for the last row and the moves of a game beside those of the next one.
        log_moves: Whether there is room for moves.
    """
    templates, which = templates_of(games, players, deck)
    ending = games if final else 0
    logged = MAX_DECISIONS if log_moves else 0
    rows = row_format.empty(games)
    rows[:] = 0
    arrays = Arrays(
        states=blank_states(games),
        lanes=np.zeros(games, dtype=LANE),
        templates=templates,
        viewers=np.zeros(games, dtype=np.int8),
        waiting=np.full(games, NOBODY, dtype=np.int32),
        final_rows=np.zeros_like(rows[:ending]),
        shown=np.zeros(games, dtype=SHOWN),
        rows=rows,
        masks=np.zeros((games, MASK_WORDS), dtype=np.uint64),
        moves=np.zeros((games, logged), dtype=np.uint8),
        final_moves=np.zeros((ending, logged), dtype=np.uint8),
    )
    arrays.lanes["template"] = which
    return arrays


def templates_of(
    games: int, players: int, deck: DeckArgument | Sequence[DeckArgument]
) -> tuple[np.ndarray, np.ndarray]:
    """The different templates, and which of them each lane is dealt from."""
    if isinstance(deck, list | tuple):
        if len(deck) != games:
            raise ArgumentError(must_be("deck", deck, f"one deck, or one for each of {games} games"))
        decks = list(deck)
    else:
        decks = [deck]
    places: dict[int, int] = {}
    distinct: list[np.ndarray] = []
    numbers = []
    for each in decks:
        template, _ = template_for(players, each)  # shared between equal decks
        if id(template) not in places:
            places[id(template)] = len(distinct)
            distinct.append(template)
        numbers.append(places[id(template)])
    return np.concatenate(distinct), np.resize(np.array(numbers, dtype=np.int32), games)
