"""The course of the game: deal, apply an action, play on to the next decision.

Nobody is asked without a choice: whatever has a single legal action plays itself, so every decision that a state
shows has at least two.
"""

from __future__ import annotations

import numpy as np

from speicher_env._jit import jit
from speicher_env.rules.actions import BUY, N_ACTIONS, PASS, PLACE
from speicher_env.rules.demand import begin_demand, demand_decision, place_worker
from speicher_env.rules.income import income
from speicher_env.rules.legal import ZERO, is_legal, write_mask
from speicher_env.rules.loading import begin_loading, load, loading_decision
from speicher_env.rules.purchase import begin_purchase, buy_offer, pass_offer, purchase_decision
from speicher_env.rules.setup import set_up
from speicher_env.rules.state import DEMAND, EMPTY, LEGAL_WORDS, LOADING, OVER, PURCHASE
from speicher_env.rules.stream import Seed
from speicher_env.rules.supply import supply

__all__ = ["ILLEGAL", "apply", "begin_round", "deal", "decide", "play_on", "step"]


@jit
def begin_round(game: np.void) -> None:
    """Supply, then demand; without trade cards the game is over."""
    if supply(game):
        begin_demand(game)
    else:
        game["phase"] = OVER
        game["player"] = EMPTY


@jit
def play_on(game: np.void) -> None:
    """Play everything that leaves no choice, up to the next decision or the end."""
    for word in range(LEGAL_WORDS):
        game["legal"][word] = ZERO
    while True:
        if game["phase"] == DEMAND:
            if demand_decision(game):
                return
            begin_purchase(game)
        if game["phase"] == PURCHASE:
            if purchase_decision(game):
                return
            begin_loading(game)
        if game["phase"] == LOADING:
            if loading_decision(game):
                return
            income(game)
            begin_round(game)
        if game["phase"] == OVER:
            return


@jit
def apply(game: np.void, action: int) -> None:
    """Carry out a legal action of the deciding seat and play on. Legality is the caller's business."""
    if action < BUY:
        place_worker(game, action - PLACE)
    elif action == BUY:
        buy_offer(game)
    elif action == PASS:
        pass_offer(game)
    else:
        load(game, action)
    play_on(game)


@jit
def deal(states: np.ndarray, index: int, templates: np.ndarray, which: int, seed: Seed, first_player: int) -> None:
    """Deal states[index] from templates[which] and play on to the first decision."""
    states[index] = templates[which]
    game = states[index]
    set_up(game, seed, first_player)
    begin_round(game)
    play_on(game)


@jit
def step(states: np.ndarray, index: int, action: int) -> bool:
    """Carry out an action in states[index]; False, and nothing changed, if it is not legal."""
    game = states[index]
    if action < 0 or action >= N_ACTIONS or not is_legal(game, action):
        return False
    apply(game, action)
    return True


ILLEGAL = -2
"""What `decide` returns for an action that is not legal."""


@jit
def decide(states: np.ndarray, index: int, action: int, mask: np.ndarray) -> int:
    """`step`, with the mask of the next decision written (184 bytes); the seat that decides next, EMPTY at the end.

    ILLEGAL, and nothing written, if the action is not legal. One crossing from Python instead of three.
    """
    if not step(states, index, action):
        return ILLEGAL
    write_mask(states[index], mask.view(np.uint64))
    seat: int = states[index]["player"]
    return seat
