"""How far a game of OpenSpiel has come: at a decision, over, or in the middle of a draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyspiel

from speicher_env.arguments import is_whole
from speicher_env.chance import NextSupply
from speicher_env.deck import Deck
from speicher_env.errors import ArgumentError
from speicher_env.game import Game
from speicher_env.integrations.openspiel.events import (
    FIRST_SEAT,
    MOST_CHANCE_NODES,
    N_OUTCOMES,
    OUTCOME_NUMBER,
    chance_name,
)
from speicher_env.messages import must_be, one_of
from speicher_env.rewards import write_rewards_at
from speicher_env.rules.actions import ACTION_TEXTS, N_ACTIONS, parse_action

__all__ = ["CHANCE", "TERMINAL", "Pickled", "Progress", "Setup"]

CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)


@dataclass(frozen=True)
class Setup:
    """What all states of one game share."""

    players: int
    deck: str | Deck
    scheme: int
    """Of rewards, a place in `speicher_env.rewards.SCHEMES`."""
    start: Game | None
    """The position in which the game begins; None for the beginning of a game."""
    first_supply: NextSupply
    most_decisions: int

    @property
    def most_events(self) -> int:
        """No history is longer than this."""
        return self.most_decisions + MOST_CHANCE_NODES


class Progress:
    """Where a game is.

    `game` is None until the first supply is complete. While a later supply is drawn, `game` is still at the decision
    before it, and `action` is what was decided there. No `Game` is ever changed, so copies share it. `start` is the
    position in which the history of this state begins, None if it begins where the game of OpenSpiel does.
    """

    def __init__(self, setup: Setup, start: Game | None = None) -> None:
        self.setup = setup
        self.start = start
        self.game: Game | None = None
        self.action: int | None = None
        self.player = CHANCE
        self.first_player: int | None = None
        self.supply: NextSupply | None = None
        """While a supply is drawn: what it can bring."""
        self.drawn: tuple[str, ...] = ()
        self.weights: dict[str, int] = {chance_name(FIRST_SEAT + seat): 1 for seat in range(setup.players)}
        """At a chance node: the names of its outcomes, with whole numbers in proportion to their probabilities."""
        self.events = bytearray()
        position = setup.start if start is None else start
        if position is not None:
            self._continue_with(position)

    def __deepcopy__(self, memo: dict[int, Any]) -> Progress:
        twin = object.__new__(Progress)
        twin.__dict__.update(self.__dict__)
        twin.events = self.events[:]  # all else is replaced, never changed
        return twin

    def __reduce__(self) -> tuple[type[Pickled], tuple[Game | None]]:
        return Pickled, (self.start,)

    def outcomes(self) -> dict[int, float]:
        """The outcomes of a chance node with their probabilities, ascending."""
        total = sum(self.weights.values())
        return {self._outcome(name): weight / total for name, weight in self.weights.items()}

    def _outcome(self, name: str) -> int:
        return FIRST_SEAT + list(self.weights).index(name) if self.supply is None else OUTCOME_NUMBER[name]

    def event_named(self, name: Any) -> int:
        """The legal action, or the possible outcome, with this name."""
        if self.player >= 0:
            return parse_action(name)
        return self._outcome(self._possible(name))

    def _possible(self, name: object) -> str:
        if self.player == TERMINAL:
            raise ArgumentError("the game is over, so nothing can happen any more.")
        if not isinstance(name, str) or name not in self.weights:
            raise ArgumentError(must_be("outcome", name, one_of(name, self.weights)))
        return name

    def apply(self, event: int) -> None:
        """Play an action of the deciding seat, or an outcome of a chance node."""
        if self.player >= 0:
            self._play(event)
            self.events.append(event)
            return
        name = self._possible(chance_name(event) if is_whole(event) and 0 <= event < N_OUTCOMES else event)
        if self.supply is None:
            self.first_player = event - FIRST_SEAT
            self._begin_supply(self.setup.first_supply)
        else:
            self.drawn += (name,)
            self._draw()
        self.events.append(N_ACTIONS + event)

    def _play(self, action: int) -> None:
        assert self.game is not None
        after = self.game.copy()
        after.play(action)
        if after.round == self.game.round and not after.over:
            self._continue_with(after)
            return
        supply = self.game.next_supply
        assert supply is not None
        self.action = action
        self._begin_supply(supply)

    def _begin_supply(self, supply: NextSupply) -> None:
        self.supply = supply
        self.drawn = ()
        self.player = CHANCE
        self._draw()

    def _draw(self) -> None:
        """Draw what has no alternative, up to the next chance node or the end of the supply."""
        assert self.supply is not None
        while len(weights := self.supply.weights(self.drawn, sorted_loads=True)) == 1:
            self.drawn += tuple(weights)
        if weights:
            self.weights = weights
        elif self.game is None:
            players, deck = self.setup.players, self.setup.deck
            self._continue_with(Game.deal(players, deck, first_player=self.first_player, supply=self.drawn))
        else:
            assert self.action is not None
            after = self.game.copy()
            after.play(self.action, supply=self.drawn)
            self._continue_with(after)

    def _continue_with(self, game: Game) -> None:
        self.game = game
        self.supply = self.action = None
        self.drawn, self.weights = (), {}
        self.player = TERMINAL if game.player is None else game.player

    def returns(self) -> list[float]:
        """The payoff of each seat; zeros before the end."""
        payoffs = np.zeros(self.setup.players)
        if self.player == TERMINAL:
            assert self.game is not None
            write_rewards_at(self.game.states_view, 0, self.setup.scheme, payoffs)
        returns: list[float] = payoffs.tolist()
        return returns

    def text(self) -> str:
        """The game in words, with what has been drawn of a supply."""
        if self.player != CHANCE:
            return str(self.game)
        if self.supply is None:
            return f"A game for {self.setup.players} players. The first player is being drawn."
        supply = f"The supply is being drawn. So far: {', '.join(self.drawn) or 'nothing'}."
        if self.game is None or self.action is None:
            return f"A game for {self.setup.players} players. Seat {self.first_player} begins.\n{supply}"
        return f"{self.game}\n\nSeat {self.game.player}: {ACTION_TEXTS[self.action]}. The round is over.\n{supply}"


@dataclass(frozen=True)
class Pickled:
    """What a pickle holds in place of a `Progress`.

    OpenSpiel saves the history of a state beside its attributes, and the history is enough to restore the rest.
    """

    start: Game | None
