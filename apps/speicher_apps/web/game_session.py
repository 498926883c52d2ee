"""One game on the page with its players: their moves, undo, and the log."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from speicher_agents import Agent, seed_for
from speicher_apps.specs import HUMAN
from speicher_apps.web.offered_players import OfferedPlayers, error_text
from speicher_env import ArgumentError, Game, IllegalAction
from speicher_env.messages import must_be
from speicher_env.render.words import seat_name
from speicher_env.rules.actions import ACTION_TEXTS, parse_action
from speicher_env.rules.hidden import conceal_at
from speicher_env.thoughts import Thought

__all__ = ["MAX_HINT_GIVERS", "GameSession", "PlayedMove", "StaleError", "public_state"]

MAX_HINT_GIVERS = 4
"""Hint givers that a session keeps ready."""


class StaleError(Exception):
    """A request about a position that is no longer the current one."""


@dataclass(frozen=True)
class PlayedMove:
    """One move, with the public states in which it was made and to which it led."""

    seat: int
    action: str
    before: np.void
    after: np.void


def public_state(game: Game) -> np.void:
    """The state without the seed and the order of the pile and the bag: all that a page may show."""
    states = game.states_view.copy()
    conceal_at(states, 0)
    state: np.void = states[0]
    return state


class GameSession:
    """A game and its seats. Hold `lock` to read or change it."""

    def __init__(self, id: str, game: Game, seats: Sequence[str], players: OfferedPlayers) -> None:
        """Seat the players and write the log of the moves so far; a player is made at its first turn."""
        self.id = id
        self.lock = threading.Lock()
        self.seats = list(seats)
        self._players = players
        self._agents: dict[int, Agent] = {}
        self._hint_givers: dict[str, Agent] = {}
        self.log: list[PlayedMove] = []
        self.unsaved = ""
        """Why the last change is not on disk, empty if it is."""
        self.game = game
        moves = game.moves or []
        self.game = game.start()
        for action in moves:
            self._play(action)

    @property
    def at(self) -> int:
        """Moves played: a page names the position by it."""
        return len(self.log)

    @property
    def waits_for_person(self) -> bool:
        """Whether a person is to move."""
        return self.game.player is not None and self.seats[self.game.player] == HUMAN

    def record(self) -> dict[str, Any]:
        """The game's record with its seats."""
        return {**self.game.to_record(), "seats": self.seats}

    # Moves. Each names its position, so that a request that is sent twice is carried out once.

    def play(self, at: int, action: str) -> None:
        """A person's move."""
        self._check(at)
        if not self.waits_for_person:
            raise ArgumentError("no person is to move")
        self._play(ACTION_TEXTS[parse_action(action)])

    def advance(self, at: int) -> None:
        """Let the player to move play."""
        self._check(at)
        seat = self.game.player
        if seat is None:
            raise ArgumentError("the game is over")
        spec = self.seats[seat]
        if spec == HUMAN:
            raise ArgumentError(f"{seat_name(seat)} is played by a person")
        if seat not in self._agents:
            agent = self._players.make(spec, seed_for(self.game.seed, seat), self.game.num_players)
            assert agent is not None
            self._agents[seat] = agent
        action, _ = _ask(spec, self._agents[seat], self.game, think=False)
        self._play(ACTION_TEXTS[action])

    def undo(self, at: int) -> None:
        """Return to the last decision of a person, or by one move if no person has decided yet."""
        self._check(at)
        if not self.log:
            raise ArgumentError("no move has been made")
        persons = [number for number, move in enumerate(self.log) if self.seats[move.seat] == HUMAN]
        keep = persons[-1] if persons else len(self.log) - 1
        moves = [move.action for move in self.log[:keep]]
        again = self.game.start()
        for action in moves:
            again.play(action)
        self.game = again
        del self.log[keep:]

    def reseat(self, seats: Sequence[str]) -> None:
        """Change who plays from now on."""
        for seat, spec in enumerate(seats):
            if spec != self.seats[seat]:
                self._agents.pop(seat, None)
        self.seats = list(seats)

    def hint(self, at: int, spec: str) -> tuple[int, Thought | None]:
        """What a player would do for the seat to move, and what it thinks."""
        self._check(at)
        if self.game.player is None:
            raise ArgumentError("the game is over")
        if spec not in self._hint_givers:
            agent = self._players.make(spec, seed_for(self.game.seed, self.game.player), self.game.num_players)
            if agent is None:
                raise ArgumentError(must_be("hint", spec, "a player that decides by itself, such as merchant"))
            if len(self._hint_givers) >= MAX_HINT_GIVERS:
                self._hint_givers.pop(next(iter(self._hint_givers)))
            self._hint_givers[spec] = agent
        return _ask(spec, self._hint_givers[spec], self.game, think=True)

    def _check(self, at: int) -> None:
        if at != self.at:
            raise StaleError("the game has changed: another page or an earlier click has played")

    def _play(self, action: str) -> None:
        before = public_state(self.game)
        seat = self.game.player
        if seat is None or action not in self.game.legal():
            raise IllegalAction(self.game.phase, seat, action, self.game.legal())
        self.game.play(action)
        self.log.append(PlayedMove(seat, action, before, public_state(self.game)))


def _ask(spec: str, agent: Agent, game: Game, *, think: bool) -> tuple[int, Thought | None]:
    try:
        return agent.action_and_thought(game) if think else (agent.action(game), None)
    except ArgumentError:
        raise
    except Exception as error:  # a user's own player may raise anything
        raise ArgumentError(f"player {spec} failed: {error_text(error)}") from error
