"""Dealing a game: from a seed and a `deck` argument, or with a given pile and bag."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise

import numpy as np

from speicher_env.arguments import is_whole
from speicher_env.deck import DECK_VALUES, SAMPLED, STANDARD, Deck, resolve_deck, standard_deck
from speicher_env.errors import ArgumentError
from speicher_env.messages import listed, must_be, nearest
from speicher_env.rules.cards import (
    CARD_IDS,
    CARD_NUMBER,
    CUBES_PER_GOOD,
    GOODS,
    N_CARDS,
    SEASON_OF,
)
from speicher_env.rules.setup import LEAVING_BUILDING, LEAVING_FIREMAN, may_be_taken_out, set_up, template
from speicher_env.rules.state import EMPTY, IN_PILE, OWN_DECK, REMOVED, SAMPLED_DECK, STANDARD_DECK
from speicher_env.rules.turn import begin_round, play_on

__all__ = [
    "DeckArgument", "check_bag", "check_pile", "deck_kind", "deck_values", "lay_out", "lay_out_again", "set_pile",
    "template_for",
]  # fmt: skip

_KINDS = {STANDARD: STANDARD_DECK, SAMPLED: SAMPLED_DECK}

DeckArgument = str | os.PathLike[str] | Deck
"""What every `deck` argument accepts: "standard", "sampled", the path of a deck file, or a Deck."""


def deck_kind(name: str) -> int:
    """The number of a deck of this name in a state (field `deck`)."""
    return _KINDS.get(name, OWN_DECK)


def template_for(num_players: int, deck: DeckArgument) -> tuple[np.ndarray, str]:
    """The state that `speicher_env.rules.turn.deal` copies for every new game, and the name of the deck.

    The template is shared between callers and must not be written to.
    """
    resolved = resolve_deck(deck)
    if resolved is None:
        return _template(num_players, SAMPLED_DECK, standard_deck()), SAMPLED
    # The deck of a sampled game, given again, keeps its numbers: marked as sampled it would be drawn again.
    kind = OWN_DECK if resolved.name == SAMPLED else deck_kind(resolved.name)
    return _template(num_players, kind, resolved), resolved.name


@cache
def _template(num_players: int, kind: int, deck: Deck) -> np.ndarray:
    return template(num_players, kind, deck.values())


def deck_values(states: np.ndarray) -> np.ndarray:
    """The deck's numbers in one state, as an array of one DECK_VALUES entry."""
    values = np.zeros(1, dtype=DECK_VALUES)
    for field in DECK_VALUES.names or ():
        values[field] = states[field]
    return values


def check_pile(pile: object, players: int, fireman_values: np.ndarray) -> list[int]:
    """A whole pile as card numbers, top first.

    Args:
        pile: Card ids or numbers.
        players: 2..5.
        fireman_values: Values of the deck's ten firemen.

    Raises:
        ArgumentError: If setup does not make this pile.
    """
    cards = _numbers("pile", pile, CARD_NUMBER, "card ids")
    missing = sorted(set(range(N_CARDS)) - set(cards))
    if len(cards) + len(missing) != N_CARDS:
        raise ArgumentError(f"pile has {len(cards)} cards: each card can be in it once.")
    if not may_be_taken_out(missing, players, fireman_values):
        names = listed([CARD_IDS[card] for card in missing]) or "nothing"
        building = LEAVING_BUILDING[players]
        out = "no card"
        if building != EMPTY:
            out = f"{CARD_IDS[building]} and an autumn fireman of value {LEAVING_FIREMAN}"
        raise ArgumentError(f"pile lacks {names}: with {players} players setup takes out {out}.")
    if any(SEASON_OF[card] > SEASON_OF[after] for card, after in pairwise(cards)):
        raise ArgumentError("pile has a card below one of a later season: the seasons must be in order, fire_4 last.")
    return cards


def check_bag(bag: object) -> list[int]:
    """A whole bag as goods' numbers, in the order in which the cubes are drawn.

    Raises:
        ArgumentError: If there are not 9 cubes of each good in it.
    """
    cubes = _numbers("bag", bag, {good: number for number, good in enumerate(GOODS)}, "goods")
    for number, good in enumerate(GOODS):
        if cubes.count(number) != CUBES_PER_GOOD:
            raise ArgumentError(f"bag has {cubes.count(number)} cubes of {good}: there must be {CUBES_PER_GOOD}.")
    return cubes


def _numbers(name: str, values: object, numbers: Mapping[str, int], what: str) -> list[int]:
    """Names, or the numbers that they stand for, as numbers."""
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise ArgumentError(must_be(name, values, f"a sequence of {what}"))
    whole = []
    for place, value in enumerate(values):
        number = numbers.get(value) if isinstance(value, str) else value
        if not is_whole(number) or not 0 <= number < len(numbers):
            raise ArgumentError(must_be(f"{name}[{place}]", value, f"one of the {what}{nearest(value, numbers)}"))
        whole.append(int(number))
    return whole


def lay_out(
    states: np.ndarray,
    num_players: int,
    kind: int,
    values: np.ndarray,
    seed: int,
    first_player: int,
    pile: Sequence[int] | np.ndarray,
    bag: Sequence[int] | np.ndarray,
) -> None:
    """Deal states[0] with a given first player, pile and bag, and play on to the first decision.

    Args:
        states: An array of one state.
        num_players: 2..5.
        kind: STANDARD_DECK, SAMPLED_DECK or OWN_DECK.
        values: Anything with the fields of DECK_VALUES.
        seed: The seed that is written into the state.
        first_player: A seat.
        pile: Card numbers, top first. Cards that are not in it were taken out.
        bag: 45 numbers of goods, in the order they are drawn.
    """
    states[:] = template(num_players, OWN_DECK, values)
    game = states[0]
    set_up(game, np.uint64(seed), first_player)  # the pile and bag that it draws are replaced below
    game["deck"] = kind
    set_pile(states, pile)
    game["bag"] = bag
    begin_round(game)
    play_on(game)


def set_pile(states: np.ndarray, pile: Sequence[int] | np.ndarray) -> None:
    """Put a whole pile into states[0], top first; the cards not in it are those taken out."""
    game = states[0]
    game["owner"] = REMOVED
    game["owner"][pile] = IN_PILE
    game["pile"] = EMPTY
    game["pile"][: len(pile)] = pile
    game["pile_size"] = len(pile)


def lay_out_again(states: np.ndarray, played: np.ndarray) -> None:
    """Deal states[0] as the game of played[0] was dealt; a state keeps its whole pile and bag."""
    now = played[0]
    rounds = int(now["round"])
    # The marker moves at each income; the last income comes after the last round.
    moved_on = rounds if now["player"] == EMPTY else rounds - 1
    players = int(now["players"])
    lay_out(
        states,
        players,
        int(now["deck"]),
        played,
        int(now["seed"]),
        (int(now["first_player"]) - moved_on) % players,
        now["pile"][: now["pile_size"]],
        now["bag"],
    )
