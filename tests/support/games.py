"""Games for tests of everything around the rules: played at random, reproducibly."""

from __future__ import annotations

import random

import numba

from speicher_env import Deck, Game

PLAYER_COUNTS = (2, 5) if numba.config.DISABLE_JIT else (2, 3, 4, 5)
"""Interpreted tests, which are slow, are content with the fewest and the most."""
REWARDS = ("outcome", "rank", "margin")

OWN_DECK = Deck(
    name="ours",
    fire_values=(1, 1, 6, 6),
    fireman_values=(5, 5, 1, 1, 1, 2, 2, 4, 3, 3),
    contract_goods=(
        ("tea", "tea"),
        ("carpet", "coffee"),
        ("rubber", "saffron", "rubber"),
        ("coffee", "coffee"),
        ("tea", "rubber", "tea"),
        ("carpet", "carpet", "carpet", "carpet"),
        ("saffron", "tea", "coffee"),
        ("rubber", "rubber", "rubber"),
        ("coffee", "tea", "saffron", "rubber"),
        ("carpet", "saffron", "saffron", "tea"),
    ),
)
"""A deck of somebody's own, with two autumn firemen of value 3."""


def play_at_random(game: Game, rng: random.Random, decisions: int | None = None) -> Game:
    """Play on for so many decisions, or to the end."""
    while not game.over and decisions != 0:
        game.play(rng.choice(game.legal_ids()))
        decisions = None if decisions is None else decisions - 1
    return game


def random_game(players: int = 2, seed: int = 0, deck: str | Deck = "standard", decisions: int | None = None) -> Game:
    """A game played at random for so many decisions, or to the end."""
    return play_at_random(Game(players, deck, seed), random.Random(seed), decisions)


def game_in(phase: str, players: int = 2, seed: int = 0) -> Game:
    """A game played at random to the first decision of a phase."""
    game, rng = Game(players, seed=seed), random.Random(seed)
    while game.phase != phase:
        game.play(rng.choice(game.legal_ids()))
    return game
