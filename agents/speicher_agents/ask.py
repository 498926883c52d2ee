"""Asking a player about a single game: its view of it, its choice, and what it thought."""

from __future__ import annotations

import hashlib

import numpy as np

from speicher_agents.agent import Agent
from speicher_agents.thought import Thought
from speicher_env import ArgumentError
from speicher_env.batch.opponents import checked_answer
from speicher_env.batch.step import write_views
from speicher_env.game import Game
from speicher_env.observation import observation_size
from speicher_env.rules.actions import ACTION_TEXTS, N_ACTIONS, parse_action
from speicher_env.rules.state import STATE
from speicher_env.views import CompiledPlayer, Player, Views


def views_of(game: Game) -> Views:
    """The pending decision of a game as its seat may see it: one row."""
    if game.over:
        raise ArgumentError("the game is over, so there is no decision to show")
    seats = game.num_players
    views = Views(
        np.empty((1, observation_size(seats)), dtype=np.float32),
        np.empty((1, N_ACTIONS), dtype=np.int8),
        np.empty(1, dtype=STATE),
        np.empty(1, dtype=np.int8),
    )
    write_views(
        game.states_view, np.zeros(1, dtype=np.int64), seats,
        views.observations, views.masks.view(np.uint64), views.states, views.seats,
    )  # fmt: skip
    return views


def check_table(player: Player | CompiledPlayer, players: int) -> None:
    """Refuse a player that does not play games of so many players; who says nothing about it plays all.

    Raises:
        ArgumentError: What its `check_players` says.
    """
    check = getattr(player, "check_players", None)
    if callable(check):
        check(players)


def decide(agent: Agent, views: Views, *, think: bool = True) -> tuple[int, Thought | None]:
    """What a player does in one decision, the id of a legal action, and what it thinks where it can tell.

    A thought with a line is acted on, so that the player is asked once; else `act` is asked.

    Args:
        agent: The player.
        views: One row.
        think: Whether to ask for the thought at all.

    Raises:
        ArgumentError: If the answer is no legal action; it names the player.
    """
    thought = agent.think(views)[0] if think else None
    if thought is not None and thought.line:
        action = parse_action(thought.line[0])
    else:
        action = int(checked_answer(agent.act(views), 1, agent.name)[0])
    if not (0 <= action < N_ACTIONS and views.masks[0, action]):
        named = ACTION_TEXTS[action] if 0 <= action < N_ACTIONS else action
        raise ArgumentError(f"player {agent.name}: it chose {named!r}, which is not legal")
    return action, thought


def decide_all(player: Player, views: Views) -> tuple[np.ndarray, list[Thought | None]]:
    """What a player answers to many decisions, unchecked, and what it thinks of them where it can tell.

    Where every thought has a line the player is not asked again; else `act` is asked for all.
    """
    think = getattr(player, "think", None)
    thoughts: list[Thought | None] = [None] * len(views.states) if think is None else list(think(views))
    if all(thought is not None and thought.line for thought in thoughts):
        first = [parse_action(thought.line[0]) for thought in thoughts if thought is not None and thought.line]
        return np.array(first, dtype=np.int64), thoughts
    return np.asarray(player.act(views)), thoughts


def seed_for(game_seed: int, seat: int) -> int:
    """The seed of a player in a seat, 53 bits that follow from the game's seed and tell nothing about its deal."""
    return int.from_bytes(hashlib.sha256(f"{game_seed} seat {seat}".encode()).digest()[:8], "big") >> 11
