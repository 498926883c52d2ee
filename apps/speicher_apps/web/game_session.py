"""One game with those who play it: moves, the players' turns, undo, and all that was told of it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from speicher_agents import Agent, seed_for
from speicher_agents.thought import Thought
from speicher_apps.web.offered_players import HUMAN, said, seated
from speicher_env import ArgumentError, Game, IllegalAction
from speicher_env.render.news import news
from speicher_env.render.words import move_in_words
from speicher_env.rules.actions import ACTION_TEXTS, ACTIONS, parse_action
from speicher_env.rules.hidden import conceal_at

MAX_HINT_GIVERS = 4
"""Players that a session keeps ready for hints."""


class StaleError(Exception):
    """The page asked about a position that is no longer the game's."""


@dataclass(frozen=True)
class Told:
    """One move in words, and what the game did by itself behind it."""

    seat: int
    action: str
    words: str
    news: list[str]
    column: int | None
    """The column that it was about; None in loading."""


def public_state(game: Game) -> np.void:
    """The state with the order of the pile and the bag forgotten, and the seed: all that a page may be shown of it."""
    states = game.states_view.copy()
    conceal_at(states, 0)
    state: np.void = states[0]
    return state


class Session:
    """A game and its seats. Whoever reads or changes it holds `lock`."""

    def __init__(self, id: str, game: Game, seats: Sequence[str]) -> None:
        """Seat players, who are made when they are first asked; the game's own moves are told again."""
        self.id = id
        self.lock = threading.Lock()
        self.seats = list(seats)
        self._agents: dict[int, Agent] = {}
        self._hint_givers: dict[str, Agent] = {}
        self.log: list[Told] = []
        self.unsaved = ""
        """Why the last change is not on disk, empty if it is."""
        self.game = game
        moves = game.moves or []
        self.game = game.start()
        for action in moves:
            self._play(action)

    @property
    def at(self) -> int:
        """Moves played: what a page names the position by."""
        return len(self.log)

    @property
    def waits_for_person(self) -> bool:
        """Whether a person decides."""
        return self.game.player is not None and self.seats[self.game.player] == HUMAN

    def record(self) -> dict[str, Any]:
        """The game's record, with who sits where."""
        return {**self.game.to_record(), "seats": self.seats}

    # Moves. Each names the position it is meant for, so that a request sent twice is carried out once.

    def play(self, at: int, action: str) -> None:
        """A person's move."""
        self._check(at)
        if not self.waits_for_person:
            raise ArgumentError("no person decides now")
        self._play(ACTION_TEXTS[parse_action(action)])

    def advance(self, at: int) -> None:
        """The move of the player whose turn it is."""
        self._check(at)
        seat = self.game.player
        if seat is None:
            raise ArgumentError("the game is over")
        spec = self.seats[seat]
        if spec == HUMAN:
            raise ArgumentError(f"seat {seat} is a person's")
        if seat not in self._agents:
            agent = seated(spec, seed_for(self.game.seed, seat), self.game.num_players)
            assert agent is not None
            self._agents[seat] = agent
        action, _ = _asked(spec, self._agents[seat], self.game, think=False)
        self._play(ACTION_TEXTS[action])

    def undo(self, at: int) -> None:
        """Back to the last decision of a person; with players only, or none of a person's before, by one move."""
        self._check(at)
        if not self.log:
            raise ArgumentError("no move has been made")
        persons = [place for place, told in enumerate(self.log) if self.seats[told.seat] == HUMAN]
        keep = persons[-1] if persons else len(self.log) - 1
        moves = [told.action for told in self.log[:keep]]
        again = self.game.start()
        for action in moves:
            again.play(action)
        self.game = again
        del self.log[keep:]

    def reseat(self, seats: Sequence[str]) -> None:
        """Put others in the seats from now on."""
        for seat, spec in enumerate(seats):
            if spec != self.seats[seat]:
                self._agents.pop(seat, None)
        self.seats = list(seats)

    def hint(self, at: int, spec: str) -> tuple[int, Thought | None]:
        """What a player would do in the seat that decides, and what it thinks."""
        self._check(at)
        if self.game.player is None:
            raise ArgumentError("the game is over")
        if spec not in self._hint_givers:
            agent = seated(spec, seed_for(self.game.seed, self.game.player), self.game.num_players)
            if agent is None:
                raise ArgumentError("hint: must be a player that decides by itself, such as merchant")
            if len(self._hint_givers) >= MAX_HINT_GIVERS:
                self._hint_givers.pop(next(iter(self._hint_givers)))
            self._hint_givers[spec] = agent
        return _asked(spec, self._hint_givers[spec], self.game, think=True)

    def _check(self, at: int) -> None:
        if at != self.at:
            raise StaleError("the game has moved on: another page or an earlier click has played")

    def _play(self, action: str) -> None:
        before = public_state(self.game)
        seat = self.game.player
        if seat is None or action not in self.game.legal():
            raise IllegalAction(self.game.phase, seat, action, self.game.legal())
        words = move_in_words(before, action)
        column = self.game.offer.column if self.game.offer is not None else ACTIONS[parse_action(action)].column
        self.game.play(action)
        self.log.append(Told(seat, action, words, news(before, public_state(self.game)), column))


def _asked(spec: str, agent: Agent, game: Game, *, think: bool) -> tuple[int, Thought | None]:
    try:
        return agent.action_and_thought(game) if think else (agent.action(game), None)
    except ArgumentError:
        raise
    except Exception as error:  # whatever somebody's own player raises
        raise ArgumentError(f"player {spec}: it failed: {said(error)}") from error
