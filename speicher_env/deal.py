"""Dealing a game: from a seed and a `deck` argument, or with the pile and the bag laid out by hand."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache

import numpy as np

from speicher_env.deck import DECK_VALUES, SAMPLED, STANDARD, Deck, resolve_deck, standard_deck
from speicher_env.rules.cards import N_CARDS
from speicher_env.rules.setup import set_up, template
from speicher_env.rules.state import EMPTY, IN_PILE, OWN_DECK, REMOVED, SAMPLED_DECK, STANDARD_DECK
from speicher_env.rules.turn import begin_round, play_on

_KINDS = {STANDARD: STANDARD_DECK, SAMPLED: SAMPLED_DECK}

DeckArgument = str | os.PathLike[str] | Deck
"""What every `deck` argument accepts: "standard", "sampled", the path of a deck file, or a Deck."""


def deck_kind(name: str) -> int:
    """How a state marks a deck of this name."""
    return _KINDS.get(name, OWN_DECK)


def template_for(num_players: int, deck: DeckArgument) -> tuple[np.ndarray, str]:
    """The state that `speicher_env.rules.turn.deal` copies for every new game, and the name of the deck.

    The template is shared between callers and must not be written to.
    """
    resolved = resolve_deck(deck)
    if resolved is None:
        return _template(num_players, SAMPLED_DECK, standard_deck()), SAMPLED
    # A Deck that somebody took from a sampled game comes as it is: marked as sampled it would be drawn again.
    kind = OWN_DECK if resolved.name == SAMPLED else deck_kind(resolved.name)
    return _template(num_players, kind, resolved), resolved.name


@cache
def _template(num_players: int, kind: int, deck: Deck) -> np.ndarray:
    return template(num_players, kind, deck.values())


def deck_values(states: np.ndarray) -> np.ndarray:
    """The deck's numbers out of one state, as an array of one DECK_VALUES entry."""
    values = np.zeros(1, dtype=DECK_VALUES)
    for field in DECK_VALUES.names or ():
        values[field] = states[field]
    return values


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
    """Deal states[0] with everything that chance decides given, and play on to the first decision.

    Args:
        states: An array of one state.
        num_players: 2..5.
        kind: STANDARD_DECK, SAMPLED_DECK or OWN_DECK.
        values: Anything with the fields of DECK_VALUES.
        seed: What the state is to say that it was dealt from.
        first_player: A seat.
        pile: Card numbers, top first; the cards not in it are those taken out.
        bag: 45 good numbers in the order they are drawn.
    """
    states[:] = template(num_players, OWN_DECK, values)
    game = states[0]
    set_up(game, seed, first_player)  # what it drew is written over
    game["deck"] = kind
    game["owner"] = REMOVED
    game["owner"][pile] = IN_PILE
    game["pile"] = np.resize(np.array(pile, dtype=np.int8), N_CARDS)
    game["pile"][len(pile) :] = EMPTY
    game["pile_size"] = len(pile)
    game["bag"] = bag
    begin_round(game)
    play_on(game)


def lay_out_again(states: np.ndarray, played: np.ndarray) -> None:
    """Deal states[0] as the game of played[0] began, from the pile and the bag that a state keeps whole."""
    now = played[0]
    rounds = int(now["round"])
    # The first player moves on at each income; the last one comes after the last round.
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
