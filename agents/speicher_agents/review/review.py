"""A game reviewed: what every decision gave away, and what every reveal of cards and cubes gave or took.

A move is worth what the position after it is worth. If the judge would have played another move, the position after
that one is judged in the same way, and the difference is the loss; a move that turns out to be no worse loses nothing.
So both sides of a loss come from searches of the same size. Where a supply comes in between, a move is worth the mean
over supplies that could have come, the same ones for both moves. The luck of a reveal is the value of the position that
came less that mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from speicher_agents.exact import REACH
from speicher_agents.review.grades import grade
from speicher_agents.review.judge import Judge, Opinion, Shares
from speicher_agents.review.luck import SUPPLIES, Expected, Supplies, is_left_to_chance, possible_supplies
from speicher_env import replay
from speicher_env.arguments import check_count
from speicher_env.game import Game
from speicher_env.render.sentences import season_now
from speicher_env.rules.cards import CARD_IDS, GOODS, SEASON_NAMES
from speicher_env.rules.state import STATE

__all__ = [
    "MOST_TURNING_POINTS", "SUPPLY_REACH", "TURNING_POINT", "Balance", "Decision", "Reveal", "Review", "review_game",
]  # fmt: skip

TURNING_POINT = 0.10
"""The smallest change of any seat's win share that makes a move or a reveal a turning point."""
MOST_TURNING_POINTS = 6
SUPPLY_REACH: Mapping[int, int] = {2: REACH[2], 3: 0, 4: 0, 5: 0}
"""For each number of players, the workers in hand from which supplies that did not come are solved exactly: with two
players whole last rounds, as one takes milliseconds; with more it would take seconds for each supply."""


@dataclass(frozen=True)
class Decision:
    """One decision of a game."""

    move: int
    """Its number, from 1."""
    round: int
    season: str
    """Of the card revealed last."""
    phase: str
    """demand, purchase or loading."""
    seat: int
    played: str
    better: str | None
    """The move that was better; None if nothing was lost."""
    line: tuple[str, ...]
    """The better move and what should follow; empty if nothing was lost."""
    before: Shares
    """Win shares if the best move is played."""
    after: Shares
    """Win shares after the move that was played, before any supply."""
    exact: bool
    """Whether both are exact."""
    lead_lost: float | None
    """Points of lead over the best other seat given away; only where `exact`."""

    @property
    def loss(self) -> float:
        """Share of the win that the seat gave away, 0..1."""
        return max(0.0, self.before[self.seat] - self.after[self.seat])

    @property
    def grade(self) -> str | None:
        """The class of the loss, see `grades`."""
        return grade(self.loss)

    @property
    def change(self) -> Shares:
        """What the move changed for each seat."""
        return _less(self.after, self.before)


@dataclass(frozen=True)
class Reveal:
    """Cards and cubes that were revealed, and what they gave to each seat or took from it."""

    after_move: int
    """Number of moves before it, 0 for the deal."""
    round: int
    """The round that begins."""
    season: str
    """Of the card revealed last."""
    supply: tuple[str, ...]
    """What came, in the order drawn: cards, fires included, then cubes."""
    before: Shares
    """Expected win shares before it; equal for all seats before the deal."""
    after: Shares
    error: Shares
    """Standard error of `before` from the draw of the supplies."""
    supplies: int
    """Supplies that `before` is the mean of; 0 for the deal."""

    @property
    def change(self) -> Shares:
        """The luck of each seat."""
        return _less(self.after, self.before)


@dataclass(frozen=True)
class Balance:
    """How a seat came from its first to its last win share: `start` and all the rest but `end` add up to `end`."""

    start: float
    """The same for all seats."""
    luck: float
    """Given or taken by the deal and the reveals."""
    own: float
    """Given away by its own moves: 0 or less."""
    others: float
    """Given by the moves of the others."""
    judge: float
    """The rest: where the judge saw more once the game had gone on."""
    end: float
    """The share of the win; of a game that still runs, the expected one."""
    luck_error: float
    """Standard error of `luck` from the draw of the supplies."""


@dataclass(frozen=True)
class Review:
    """A game with everything that the judge says of it."""

    players: int
    names: tuple[str, ...]
    """Who played, seat by seat; empty if the record does not say."""
    deck: str
    edition: str
    seed: int
    judge: str
    supplies: int
    """Supplies drawn for each reveal."""
    decisions: tuple[Decision, ...]
    reveals: tuple[Reveal, ...]
    end: Shares
    """The result; of a game that still runs, what the last position is worth."""
    finished: bool
    points: tuple[int, ...]
    """Points of each seat after the last move."""

    @property
    def balances(self) -> tuple[Balance, ...]:
        """The way of each seat from the first to the last win share."""
        return tuple(self._balance(seat) for seat in range(self.players))

    @property
    def turning_points(self) -> tuple[Decision | Reveal, ...]:
        """The moves and reveals that changed most, in the order of the game, without the deal."""
        events: list[Decision | Reveal] = [*self.decisions, *(event for event in self.reveals if event.after_move)]
        large = [event for event in events if _largest(event) >= TURNING_POINT]
        largest = sorted(large, key=_largest, reverse=True)[:MOST_TURNING_POINTS]
        return tuple(sorted(largest, key=_place))

    def _balance(self, seat: int) -> Balance:
        start = 1 / self.players
        luck = sum(reveal.change[seat] for reveal in self.reveals)
        own = sum(decision.change[seat] for decision in self.decisions if decision.seat == seat)
        others = sum(decision.change[seat] for decision in self.decisions if decision.seat != seat)
        error = float(np.sqrt(sum(reveal.error[seat] ** 2 for reveal in self.reveals)))
        rest = self.end[seat] - start - luck - own - others
        return Balance(start, luck, own, others, rest, self.end[seat], error)


def review_game(
    record: Mapping[str, Any],
    judge: Judge | None = None,
    supplies: int = SUPPLIES,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Review:
    """Review a recorded game, finished or not.

    Args:
        record: A `speicherstadt-record/1`.
        judge: Who judges positions; default: `guided:800`.
        supplies: Supplies that are drawn for each reveal, where more could have come.
        progress: Called with the positions judged so far and those known to be needed.

    Raises:
        RecordError: If the record cannot be played.
        ArgumentError: If the judge does not value positions, or does not play games of that many players.
    """
    check_count("supplies", supplies)
    judge = Judge() if judge is None else judge
    games: list[Game] = []
    actions: list[str] = []
    for game, action in replay(record):
        if not games:
            judge.check_players(game.num_players)
        games.append(game.copy())
        if action is not None:
            actions.append(action)
    counter = _Counter(progress, len(games))
    path = judge.opinions(games, progress=counter)
    decided = [
        _Decided(games[number], games[number + 1], action, *path[number : number + 2])
        for number, action in enumerate(actions)
    ]
    for one in decided:
        one.look_ahead(supplies)
    _judge([move for one in decided for move in one.moves], judge, counter)
    decisions, reveals = [], [_deal(games[0], path[0])]
    for number, one in enumerate(decided, start=1):
        decisions.append(one.decision(number, judge))
        if one.reveals:
            reveals.append(one.reveal(number))
    last = games[-1]
    return Review(
        players=last.num_players,
        names=_names(record, last.num_players),
        deck=last.deck_name,
        edition=last.deck.edition,
        seed=last.seed,
        judge=judge.name,
        supplies=supplies,
        decisions=tuple(decisions),
        reveals=tuple(reveals),
        end=path[-1].shares,
        finished=last.over,
        points=tuple(points["total"] for points in last.points()),
    )


class _Counter:
    """Adds up the positions that have been judged."""

    def __init__(self, progress: Callable[[int, int], None], total: int) -> None:
        self._progress, self._done, self.total = progress, 0, total

    def __call__(self, positions: int) -> None:
        self._done += positions
        self._progress(self._done, self.total)


@dataclass
class _Move:
    """A move that is judged by what follows it: one position, or one with each supply that may come."""

    after: list[Game]
    supplies: Supplies | None = None
    shares: list[Shares] = field(default_factory=list)
    """What each position is worth; empty until it is judged."""

    def worth(self) -> Expected:
        """What the move is worth to each seat."""
        if self.supplies is None:
            return Expected(self.shares[0], (0.0,) * len(self.shares[0]))
        return self.supplies.mean(self.shares)


def _judge(moves: list[_Move], judge: Judge, counter: _Counter) -> None:
    """Judge all moves that are not: together, because a player judges many positions faster than one by one."""
    for by_chance, reach in ((False, REACH), (True, SUPPLY_REACH)):
        open_ = [move for move in moves if not move.shares and (move.supplies is not None) == by_chance]
        games = [game for move in open_ for game in move.after]
        counter.total += len(games)
        opinions = iter(judge.opinions(games, reach, counter))
        for move in open_:
            move.shares = [next(opinions).shares for _ in move.after]


class _Decided:
    """One decision of the game while it is reviewed."""

    def __init__(self, game: Game, after: Game, action: str, opinion: Opinion, opinion_after: Opinion) -> None:
        self._game, self._after, self._action = game, after, action
        self._opinion, self._opinion_after = opinion, opinion_after
        self._best_action = opinion.line[0]
        self._played = _Move([after], shares=[opinion_after.shares])
        self._best: _Move | None = None
        self._supplies: Supplies | None = None
        self.reveals = is_left_to_chance(game, after)
        """Whether a supply followed that could have been another one."""

    @property
    def moves(self) -> list[_Move]:
        """What has to be judged."""
        return [self._played] if self._best is None else [self._played, self._best]

    def look_ahead(self, supplies: int) -> None:
        """Find the positions that have to be judged: after the best move, and with other supplies."""
        if self.reveals:
            self._played = self._with_supplies(self._action, supplies)
        if self._opinion.solution is None and self._best_action != self._action:
            twin = self._game.copy()
            twin.play(self._best_action)
            by_chance = is_left_to_chance(self._game, twin)
            self._best = self._with_supplies(self._best_action, supplies) if by_chance else _Move([twin])

    def _with_supplies(self, action: str, count: int) -> _Move:
        """A move with each supply that may come; both moves of a decision meet the same ones."""
        if self._supplies is None:
            self._supplies = possible_supplies(self._game, count)
        after = [game.copy() for game in self._supplies.before]
        for game in after:
            game.play(action)
        return _Move(after, self._supplies)

    def decision(self, number: int, judge: Judge) -> Decision:
        """The decision, once its moves are judged; `number` is its number from 1."""
        game, solution, seat = self._game, self._opinion.solution, self._game.player
        assert seat is not None, "a game that is over has no decision"
        before = after = self._played.worth().shares
        line: tuple[str, ...] = ()
        lead_lost = None
        if solution is not None:
            played = solution.values[self._action]
            before, after = solution.value.shares, played.shares
            lead_lost = solution.value.prospects[seat].lead - played.prospects[seat].lead
            if before[seat] > after[seat] or lead_lost > 0:
                line = judge.exact_line(game, self._best_action)
        elif self._best is not None and self._best.worth().shares[seat] > after[seat]:
            before, line = self._best.worth().shares, self._opinion.line
        return Decision(
            move=number,
            round=game.round,
            season=_season(game),
            phase=game.phase,
            seat=seat,
            played=self._action,
            better=line[0] if line else None,
            line=line,
            before=before,
            after=after,
            exact=solution is not None,
            lead_lost=lead_lost,
        )

    def reveal(self, number: int) -> Reveal:
        """The reveal after the move, once the move is judged; `number` is the number of the move."""
        expected, supplies = self._played.worth(), self._played.supplies
        assert supplies is not None, "chance had a part in it"
        return Reveal(
            after_move=number,
            round=self._after.round,
            season=_season(self._after),
            supply=_supply(self._game.state, self._after.state),
            before=expected.shares,
            after=self._opinion_after.shares,
            error=expected.error,
            supplies=len(supplies.before),
        )


def _deal(game: Game, opinion: Opinion) -> Reveal:
    """The first reveal: until then all seats are alike."""
    even = (1 / game.num_players,) * game.num_players
    state = game.state
    start = np.zeros(1, dtype=STATE)[0]
    return Reveal(0, 1, _season(game), _supply(start, state), even, opinion.shares, (0.0,) * game.num_players, 0)


def _supply(before: np.void, after: np.void) -> tuple[str, ...]:
    """What was revealed between two states."""
    cards = after["pile"][before["pile_next"] : after["pile_next"]].tolist()
    cubes = after["bag"][before["bag_next"] : after["bag_next"]].tolist()
    return (*(CARD_IDS[card] for card in cards), *(GOODS[good] for good in cubes))


def _season(game: Game) -> str:
    return SEASON_NAMES[season_now(game.state)]


def _names(record: Mapping[str, Any], players: int) -> tuple[str, ...]:
    seats = record.get("seats")
    return tuple(map(str, seats)) if isinstance(seats, list) and len(seats) == players else ()


def _less(left: Shares, right: Shares) -> Shares:
    return tuple(a - b for a, b in zip(left, right, strict=True))


def _largest(event: Decision | Reveal) -> float:
    return max(abs(change) for change in event.change)


def _place(event: Decision | Reveal) -> float:
    """Where in the game it is: a reveal comes after its move."""
    return event.move if isinstance(event, Decision) else event.after_move + 0.5
