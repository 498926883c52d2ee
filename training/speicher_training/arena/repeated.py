"""A player against itself, each deal played again and again: what the deal decides, and what its own choices do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from speicher_agents import Agent, load_agent, seed_for
from speicher_env.engine import step
from speicher_env.game import Game
from speicher_env.rules.scoring import ranking_key
from speicher_env.rules.state import OVER, STATE
from speicher_env.views import Views

__all__ = ["play_again"]


def play_again(
    spec: str,
    players: int,
    first_seed: int,
    deals: int,
    times: int,
    progress: Callable[[], None] = lambda: None,
) -> np.ndarray:
    """Play every deal several times with one player in all seats; only its own random choices differ.

    Args:
        spec: The player.
        players: Seats of a game, 2..5.
        first_seed: Of the deals.
        deals: How many.
        times: Games on each deal.
        progress: Called after each round of games.

    Returns:
        (deals, times, places) the share of the win of each place after the seat that begins.

    Raises:
        ArgumentError: For a wrong spec, or a player that does not play games of that many.
    """
    agent = load_agent(spec)
    agent.check_players(players)
    starts = np.zeros(deals, dtype=STATE)
    for deal in range(deals):
        starts[deal] = Game(players, seed=first_seed + deal).state
    results = np.empty((deals, times, players))
    for again in range(times):
        agent.reset(seed_for(first_seed + again, 0))
        states = starts.copy()
        _play_out(states, agent)
        for deal in range(deals):
            results[deal, again] = _shares(states[deal], int(starts["first_player"][deal]))
        progress()
    return results


def _play_out(states: np.ndarray, agent: Agent) -> None:
    """Play games to their ends, side by side."""
    format_ = agent.row_format(int(states["players"][0]))
    while (running := np.flatnonzero(states["phase"] != OVER)).size:
        actions = agent.act(Views.of(states, running, format_.seats, figures=format_.figures))
        for row, action in zip(running.tolist(), np.asarray(actions).tolist(), strict=True):
            step(states, row, action)


def _shares(state: np.void, first: int) -> np.ndarray:
    """The shares of the win by place."""
    players = int(state["players"])
    keys = np.array([ranking_key(state, (first + place) % players) for place in range(players)])
    won = keys == keys.max()
    shares: np.ndarray = won / won.sum()
    return shares
