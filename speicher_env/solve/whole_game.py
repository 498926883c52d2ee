"""Games small enough to be listed as a whole: every position to the end, chance included, with exact values.

A `WholeGame` is a graph of rounds. Within a round nothing is left to chance, see `graph`; after it every outcome of the
next supply leads to a round of its own, each with its probability from the public chance interface, `Game.next_supply`.
All seats know the same, so a policy is a function of the position. Three questions are answered by one pass over the
graph, last positions first: what the game is worth, what a policy earns, and what the best response to it earns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from speicher_env.arguments import check_choice, check_count, is_whole
from speicher_env.errors import ArgumentError
from speicher_env.game import Game
from speicher_env.messages import must_be
from speicher_env.observation.rows import RowFormat
from speicher_env.rewards import SCHEMES, write_rewards_at
from speicher_env.rules.actions import ACTION_TEXTS, N_ACTIONS
from speicher_env.rules.state import OVER, STATE
from speicher_env.solve._jit import jit
from speicher_env.solve.graph import Round, forget_order, positions_of_round, supplies_after
from speicher_env.views import Player, Views

__all__ = ["BestResponse", "NashConv", "Policy", "TablePlayer", "WholeGame", "uniform"]

LIMIT = 5_000_000
"""Positions of a game unless the caller says otherwise; each takes about 600 bytes."""
NOBODY, EVERYBODY = -1, -2
"""Who chooses what is best for itself, if it is no single seat."""
_SLACK = 1e-6

Policy = Callable[[Views], np.ndarray]
"""The probabilities of all 184 actions for each row of the views: (rows, 184)."""


def uniform(views: Views) -> np.ndarray:
    """The policy that draws from all legal actions alike."""
    chances: np.ndarray = views.masks / views.masks.sum(axis=1, keepdims=True)
    return chances


class Chance(NamedTuple):
    """What the supplies after a round bring: a row for each end and each different round that may follow it."""

    end: np.ndarray
    """(rows,) int64: the number of the end."""
    probability: np.ndarray
    """(rows,) float64: those of an end add up to 1."""
    round: np.ndarray
    """(rows,) int64: the number of the round that follows."""


class NashConv(NamedTuple):
    """How far a policy is from an equilibrium."""

    total: float
    """The sum of all gains: 0 in an equilibrium. With two players, half of it is the exploitability."""
    gains: tuple[float, ...]
    """What each seat gains by a best response if all others keep to the policy."""


class TablePlayer:
    """A player of one game, by a table of its positions; it can be seated like any other."""

    def __init__(self, name: str, actions: Mapping[bytes, int]) -> None:
        """Make the player.

        Args:
            name: Its name in tables.
            actions: The action in each position, by the bytes of the state in the order of `forget_order`.
        """
        self.name = name
        self._actions = actions

    def act(self, views: Views) -> np.ndarray:
        """The action of each row.

        Raises:
            ArgumentError: For a position that is not in the table.
        """
        states = np.array(views.states)
        for row in range(len(states)):
            forget_order(states, row)
        try:
            return np.array([self._actions[state.tobytes()] for state in states], dtype=np.int64)
        except KeyError:
            raise ArgumentError(f"player {self.name}: it knows no position of another game.") from None


@dataclass(frozen=True)
class BestResponse:
    """What a seat can make of the others' policy, exactly."""

    seat: int
    value: float
    """What the seat is paid on average with its best response."""
    policy_value: float
    """What it is paid if it plays the policy of the others itself."""
    player: TablePlayer
    """Plays the best response in the seat; it knows no other seat's decisions."""

    @property
    def gain(self) -> float:
        """What the best response earns beyond the policy itself, 0 or more."""
        return self.value - self.policy_value


class WholeGame:
    """Every position of a game from one of them on."""

    def __init__(self, game: Game, reward: str = "outcome", limit: int = LIMIT) -> None:
        """List all positions.

        Args:
            game: A running game, such as one of `speicher_env.mini`; it stays as it is.
            reward: What the seats are paid at the end: "outcome", "rank" or "margin".
            limit: The most positions.

        Raises:
            ArgumentError: If the game is over or has more positions than the limit.
        """
        scheme = SCHEMES.index(check_choice("reward", reward, SCHEMES))
        check_count("limit", limit)
        if game.over:
            raise ArgumentError("the game is over, so it has no positions left.")
        self.players = game.num_players
        self.rounds: list[Round] = []
        """The round of the first position, then those that can follow, in the order of their supplies."""
        self.chances: list[Chance] = []
        """What follows each round."""
        self._payoffs: list[np.ndarray] = []
        start = np.array([game.state])
        forget_order(start, 0)
        waiting = [start[0].tobytes()]
        numbers = {waiting[0]: 0}
        left = limit
        while len(self.rounds) < len(waiting):
            found = positions_of_round(np.frombuffer(waiting[len(self.rounds)], STATE)[0], left)
            if found is None:
                raise ArgumentError(f"limit={limit}: the game has more positions, so it must be a smaller one.")
            left -= len(found.states)
            self.rounds.append(found)
            rows = []
            for end in range(len(found.ends)):
                for following, probability in supplies_after(found, end).items():
                    if following not in numbers:
                        numbers[following] = len(waiting)
                        waiting.append(following)
                    rows.append((end, float(probability), numbers[following]))
            ends, probabilities, rounds = zip(*rows, strict=True) if rows else ((), (), ())
            self.chances.append(Chance(np.array(ends, np.int64), np.array(probabilities), np.array(rounds, np.int64)))
            self._payoffs.append(_payoffs(found.ends, scheme, self.players))

    @property
    def positions(self) -> int:
        """Decisions of the whole game, each position once in its round."""
        return sum(len(found.states) for found in self.rounds)

    # Values

    def value(self) -> tuple[float, ...]:
        """What each of two seats is paid on average if both play as well as can be: the value of the game.

        Raises:
            ArgumentError: With more than two players, who need not have opposite interests.
        """
        return self._first(self._backward(EVERYBODY)[0])

    def values(self) -> list[np.ndarray]:
        """`value` at every position: for each round an array (positions, 2), in the order of its states."""
        return self._backward(EVERYBODY)[0]

    def action_values(self) -> dict[str, tuple[float, ...]]:
        """`value` after each action of the first position, by its text."""
        found, values = self.rounds[0], self.values()
        ends = self._worth_of_ends(0, values)
        edges = range(found.first[-2], found.first[-1])
        targets = [(ACTION_TEXTS[found.actions[edge]], int(found.after[edge])) for edge in edges]
        return {
            action: tuple((values[0][target] if target >= 0 else ends[-1 - target]).tolist())
            for action, target in targets
        }

    def optimal(self) -> TablePlayer:
        """A player that plays as well as can be in both seats, whatever the other does."""
        _, chosen = self._backward(EVERYBODY)
        return self._player("optimal", chosen, range(self.players))

    def policy_value(self, policy: Policy | Player) -> tuple[float, ...]:
        """What each seat is paid on average if all play by a policy.

        Args:
            policy: A function from views to probabilities, or a player, which is taken to play what `act` says.

        Raises:
            ArgumentError: If its answers are no probabilities of legal actions.
        """
        return self._first(self._backward(NOBODY, self._probabilities(policy))[0])

    def best_response(self, policy: Policy | Player, seat: int) -> BestResponse:
        """The best that a seat can do while all others play by a policy, which it knows.

        Args:
            policy: As for `policy_value`.
            seat: The seat that responds.

        Raises:
            ArgumentError: For a wrong seat, or answers that are no probabilities of legal actions.
        """
        if not is_whole(seat) or not 0 <= seat < self.players:
            raise ArgumentError(must_be("seat", seat, f"a whole number 0..{self.players - 1}"))
        return self._best_response(self._probabilities(policy), int(seat))

    def nash_conv(self, policy: Policy | Player) -> NashConv:
        """How much all seats together gain by best responses to a policy, one seat at a time.

        Args:
            policy: As for `policy_value`.
        """
        probabilities = self._probabilities(policy)
        gains = tuple(self._best_response(probabilities, seat).gain for seat in range(self.players))
        return NashConv(sum(gains), gains)

    def losses(self, policy: Policy | Player, rounds: int | None = None) -> list[np.ndarray]:
        """What the seat that decides loses by the policy's choice in each position if both play perfectly after it.

        Args:
            policy: As for `policy_value`.
            rounds: Of how many of `rounds`, from the first; default: all.

        Raises:
            ArgumentError: With more than two players.
        """
        values = self.values()
        count = len(self.rounds) if rounds is None else min(check_count("rounds", rounds), len(self.rounds))
        losses = []
        for number, probabilities in enumerate(self._probabilities(policy, count)):
            found = self.rounds[number]
            rows = np.repeat(np.arange(len(found.states)), np.diff(found.first))
            worth = np.concatenate([values[number], self._worth_of_ends(number, values)[::-1]])[found.after]
            movers = found.states["player"]
            got = np.bincount(rows, probabilities * worth[np.arange(len(rows)), movers[rows]], len(found.states))
            losses.append(np.maximum(values[number][np.arange(len(movers)), movers] - got, 0.0))
        return losses

    def _best_response(self, probabilities: list[np.ndarray], seat: int) -> BestResponse:
        values, chosen = self._backward(seat, probabilities)
        alone = self._first(self._backward(NOBODY, probabilities)[0])
        player = self._player("best response", chosen, [seat])
        return BestResponse(seat, self._first(values)[seat], alone[seat], player)

    # One pass over the graph

    def _backward(
        self, chooser: int, probabilities: list[np.ndarray] | None = None
    ) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The values of all positions, and the number of the action that is chosen in each."""
        if chooser == EVERYBODY and self.players > 2:
            raise ArgumentError(must_be("players", self.players, "2: more need not have opposite interests"))
        values: list[np.ndarray] = [np.empty(0)] * len(self.rounds)
        choices: list[np.ndarray] = [np.empty(0)] * len(self.rounds)
        for number in reversed(range(len(self.rounds))):
            found, ends = self.rounds[number], self._worth_of_ends(number, values)
            values[number] = np.empty((len(found.states), self.players))
            choices[number] = np.zeros(len(found.states), dtype=np.int64)
            chances = np.empty(0) if probabilities is None else probabilities[number]
            movers = np.ascontiguousarray(found.states["player"])
            _induce(found.first, found.after, movers, chances, ends, chooser, values[number], choices[number])
        return values, choices

    def _worth_of_ends(self, number: int, values: list[np.ndarray]) -> np.ndarray:
        """What the ends of a round are worth, from what the rounds that follow are worth."""
        chance, ends = self.chances[number], self._payoffs[number].copy()
        if len(chance.end):
            following = np.array([values[other][-1] for other in chance.round])
            np.add.at(ends, chance.end, chance.probability[:, None] * following)
        return ends

    def _first(self, values: list[np.ndarray]) -> tuple[float, ...]:
        return tuple(values[0][-1].tolist())

    def _probabilities(self, policy: Policy | Player, rounds: int | None = None) -> list[np.ndarray]:
        """The probability of each action of the first rounds, by default of all, under a policy."""
        probabilities = []
        for found in self.rounds[:rounds]:
            chances = _answers(policy, found.states, self.players)
            rows = np.repeat(np.arange(len(found.states)), np.diff(found.first))
            legal = chances[rows, found.actions]
            sums = np.bincount(rows, legal, minlength=len(found.states))
            if not np.all(np.abs(sums - 1.0) <= _SLACK) or legal.min() < 0:
                raise ArgumentError("policy: its probabilities of the legal actions must be 0 or more and add up to 1.")
            probabilities.append(legal / sums[rows])
        return probabilities

    def _player(self, name: str, chosen: list[np.ndarray], seats: range | list[int]) -> TablePlayer:
        actions = {}
        for found, choices in zip(self.rounds, chosen, strict=True):
            for position in np.flatnonzero(np.isin(found.states["player"], seats)):
                edge = found.first[position] + choices[position]
                actions[found.states[position].tobytes()] = int(found.actions[edge])
        return TablePlayer(name, actions)


def _payoffs(ends: np.ndarray, scheme: int, players: int) -> np.ndarray:
    """What each seat is paid at each end; zeros where the game goes on."""
    payoffs = np.zeros((len(ends), players))
    for end in np.flatnonzero(ends["phase"] == OVER).tolist():
        write_rewards_at(ends, end, scheme, payoffs[end])
    return payoffs


def _answers(policy: Policy | Player, states: np.ndarray, players: int) -> np.ndarray:
    """The probabilities (rows, 184) of a policy, or of a player's choices."""
    asked = getattr(policy, "row_format", None)
    views = Views.unchecked(states, np.arange(len(states)), asked(players) if asked else RowFormat(players))
    shape = (len(states), N_ACTIONS)
    if isinstance(policy, Player):
        chosen = np.asarray(policy.act(views))
        chances = np.zeros(shape)
        chances[np.arange(len(states)), chosen] = 1.0
        return chances
    chances = np.asarray(policy(views), dtype=np.float64)
    if chances.shape != shape:
        raise ArgumentError(must_be("policy", chances.shape, f"a function to an array of shape {shape}"))
    return chances


@jit
def _induce(
    first: np.ndarray,
    after: np.ndarray,
    movers: np.ndarray,
    probabilities: np.ndarray,
    ends: np.ndarray,
    chooser: int,
    values: np.ndarray,
    choices: np.ndarray,
) -> None:
    """Write what each position is worth, from what follows it; see `Round` for the first two arguments.

    Args:
        first: Where the actions of each position begin.
        after: What follows each action.
        movers: The seat that decides in each position.
        probabilities: Of each action; empty if everybody chooses.
        ends: (ends, seats): what the ends are worth.
        chooser: The seat that takes what is best for it, EVERYBODY or NOBODY; the others draw by `probabilities`.
        values: (positions, seats), written.
        choices: (positions,), written: the number of the best action where its seat chooses, the first one of several.
    """
    seats = values.shape[1]
    for position in range(len(movers)):
        mover = movers[position]
        chooses = mover == chooser
        if chooser == EVERYBODY:
            chooses = True
        best = -1
        best_value = 0.0
        for seat in range(seats):
            values[position, seat] = 0.0
        for edge in range(first[position], first[position + 1]):
            target = after[edge]
            row = values[target] if target >= 0 else ends[-1 - target]
            if not chooses:
                for seat in range(seats):
                    values[position, seat] += probabilities[edge] * row[seat]
            elif best < 0 or row[mover] > best_value:
                best = edge - first[position]
                best_value = row[mover]
        if chooses:
            choices[position] = best
            target = after[first[position] + best]
            row = values[target] if target >= 0 else ends[-1 - target]
            for seat in range(seats):
                values[position, seat] = row[seat]
