"""What positions are worth: exactly where they are solved, by a player's opinion everywhere else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from speicher_agents.agent import Agent
from speicher_agents.exact import REACH, is_in_reach
from speicher_agents.specs import load_agent
from speicher_env.errors import ArgumentError
from speicher_env.game import Game
from speicher_env.messages import must_be
from speicher_env.rules.state import STATE
from speicher_env.solve import Solution, Solver
from speicher_env.thoughts import Thought
from speicher_env.views import Views

__all__ = ["JUDGE", "LONGEST_LINE", "Judge", "Opinion", "Shares"]

JUDGE = "guided:800"
"""The spec of the player that judges by default."""
BATCH = 64
"""Positions that the player is asked about in one call. A search keeps a tree for each, and more are no faster."""
LONGEST_LINE = 8
"""Moves of a line."""
_NO_LIMIT = 2**62
_SEED = 0
_VALUES_NEEDED = "a player that values positions, such as guided:800, baseline or mcts:1000,margin=0"

Shares = tuple[float, ...]
"""The share of the win of each seat, seat 0 first; they add up to 1."""


@dataclass(frozen=True)
class Opinion:
    """What one position is worth."""

    shares: Shares
    """What each seat may expect: its result where the game is over."""
    line: tuple[str, ...]
    """The best action and what should follow, as texts; empty where the game is over."""
    solution: Solution | None = None
    """The exact values of all legal actions, where the position is solved."""


class Judge:
    """Says what positions are worth, many at once."""

    def __init__(self, player: str | Agent = JUDGE) -> None:
        """Make ready.

        Args:
            player: Who judges what is not solved: a spec, or a player that exists already. Its thoughts must have
                values, see `Thought`.

        Raises:
            ArgumentError: For a wrong spec.
        """
        self._agent = load_agent(player)
        self.name = player if isinstance(player, str) else player.name
        """What reviews call it: the spec if there is one."""
        self._solver = Solver(_NO_LIMIT)

    def check_players(self, players: int) -> None:
        """Raise `ArgumentError` if it does not judge games of that many players."""
        self._agent.check_players(players)

    def opinions(
        self,
        games: Sequence[Game],
        reach: Mapping[int, int] = REACH,
        progress: Callable[[int], None] = lambda positions: None,
    ) -> list[Opinion]:
        """What each of some positions is worth.

        Args:
            games: Positions of games with the same number of players.
            reach: Which positions are solved, see `speicher_agents.exact.is_in_reach`.
            progress: Called with the number of positions that were judged since the last call.

        Raises:
            ArgumentError: If the player does not value positions.
        """
        opinions: dict[int, Opinion] = {}
        asked = []
        for number, game in enumerate(games):
            if game.over:
                opinions[number] = Opinion(_result(game), ())
            elif is_in_reach(game.states_view, 0, reach):
                solution = self._solver.solve(game)
                opinions[number] = Opinion(solution.value.shares, (solution.best[0],), solution)
            else:
                asked.append(number)
        progress(len(games) - len(asked))
        self._agent.reset(_SEED)
        for start in range(0, len(asked), BATCH):
            part = asked[start : start + BATCH]
            for number, thought in zip(part, self._think([games[number] for number in part]), strict=True):
                opinions[number] = self._opinion(thought, games[number].num_players)
            progress(len(part))
        return [opinions[number] for number in range(len(games))]

    def exact_line(self, game: Game, first: str) -> tuple[str, ...]:
        """An action of a solved position and what follows if every seat plays its best, as texts."""
        twin, line = game.copy(), [first]
        twin.play(first)
        while not twin.over and len(line) < LONGEST_LINE:
            line.append(self._solver.solve(twin).best[0])
            twin.play(line[-1])
        return tuple(line)

    def _think(self, games: Sequence[Game]) -> list[Thought | None]:
        """What the player thinks of some positions, asked in one call."""
        states = np.empty(len(games), dtype=STATE)
        for number, game in enumerate(games):
            states[number] = game.states_view[0]
        format_ = self._agent.row_format(games[0].num_players)
        return list(self._agent.think(Views.of(states, seats_in_view=format_.seats, figures=format_.figures)))

    def _opinion(self, thought: Thought | None, players: int) -> Opinion:
        if thought is None or thought.values is None or not thought.line:
            raise ArgumentError(must_be("judge", self.name, _VALUES_NEEDED))
        return Opinion(_shares(thought.values, players), tuple(thought.line[:LONGEST_LINE]))


def _shares(values: Sequence[float], players: int) -> Shares:
    """Shares of the win from outcomes -1..1. Judgements may be a little off, so they are made to add up to 1."""
    outcomes = np.asarray(values, dtype=float)
    shares = np.clip(((players - 1) * outcomes + 1) / players, 1e-9, 1.0)
    return tuple((shares / shares.sum()).tolist())


def _result(game: Game) -> Shares:
    winners = game.winners()
    return tuple(1 / len(winners) if seat in winners else 0.0 for seat in range(game.num_players))
