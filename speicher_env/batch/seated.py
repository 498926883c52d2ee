"""The players in the seats of a batch that are not the caller's: who they are, and how they are asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from speicher_env.batch.arguments import check_seating
from speicher_env.batch.failures import Failure, OnFailure, illegal_action, reason_of
from speicher_env.batch.lane import CALLER, NO_SEAT, NOBODY, OUTSIDE, RANDOM
from speicher_env.batch.opponents import (
    Opponents,
    OpponentSpec,
    Outside,
    by_address,
    check_compiled,
    checked_answer,
    function_kept,
    kept_function,
    player_from_spec,
)
from speicher_env.batch.step import Arrays, Options, answer_lanes, find_illegal, forfeit_lane
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be
from speicher_env.observation.rows import RowFormat
from speicher_env.views import CompiledPlayer, Player, Views

__all__ = ["SeatedPlayers"]

MOST_DEALT_AGAIN = 100
"""Games dealt again in one lane and step because a player failed before the caller's first decision; then it raises."""


class SeatedPlayers:
    """The players of a batch: compiled ones that share a function, and others that are asked through Python.

    Attributes:
        outside: The players that are asked through Python.
        asked_lanes: The lanes that such a player is being asked for, one for each row of its views.
    """

    def __init__(self, arrays: Arrays, options: Options, figures: bool, on_failure: OnFailure) -> None:
        """Seat nobody yet.

        Args:
            arrays: The memory of the batch.
            options: The options of its step.
            figures: Whether players are shown figures.
            on_failure: What happens when a player fails.
        """
        self._arrays, self._options, self._on_failure = arrays, options, on_failure
        self._format = RowFormat(options.seats, figures)
        self._choose: Any = None
        self._compiled_names: dict[int, str] = {}
        self.outside = Outside()
        self.asked_lanes = np.empty(0, dtype=np.int64)
        self._dealt_again: Counter[int] = Counter()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_choose": None if self._choose is None else kept_function(self._choose)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._choose = function_kept(self._choose)

    @property
    def compiled(self) -> Any:
        """What the compiled step calls for compiled players, None without any."""
        return None if self._choose is None else by_address(self._choose)

    def views(self, lanes: np.ndarray) -> Views:
        """The pending decisions of some lanes."""
        return Views.unchecked(self._arrays.states, lanes, self._format)

    # Who sits where

    def seat(
        self, opponents: Opponents | Sequence[OpponentSpec | None], chosen: np.ndarray, seating: object, players: int
    ) -> None:
        """Seat other players, from each lane's next game on.

        Args:
            opponents: See `Batch.set_opponents`.
            chosen: The lanes.
            seating: See `Batch.set_opponents`.
            players: In each game.
        """
        others = players - int(self._arrays.lanes["seat_rule"][0] != NO_SEAT)
        several = isinstance(opponents, list | tuple)
        specs: list[Any] = list(opponents) if isinstance(opponents, list | tuple) else [opponents] * others
        if seating is not None:
            places = check_seating(seating, (len(chosen), others), len(specs))
        elif several and len(specs) != others:
            allowed = f"one player for all other seats, or one for each of {others}"
            raise ArgumentError(must_be("opponents", opponents, allowed))
        else:
            places = np.arange(others)
        seats_left = several and others < players  # None leaves a seat to the caller, who must have one
        seated = [None if spec is None and seats_left else player_from_spec(spec) for spec in specs]
        self._forget_past_players()
        codes = [
            CALLER if spec is None else self._code(player, spec) for player, spec in zip(seated, specs, strict=True)
        ]
        self._arrays.lanes["opponents"][chosen, :others] = np.array(codes)[places]

    def _code(self, player: Player | CompiledPlayer | None, spec: OpponentSpec) -> int:
        if player is None:
            return RANDOM
        if isinstance(player, CompiledPlayer):
            check_compiled(player)
            if self._choose is not None and self._choose is not player.choose:
                seated = ", ".join(self._compiled_names.values())
                raise ArgumentError(
                    f"opponents: player {player.name} has a function of its own, must share that of the compiled "
                    f"players seated here before ({seated}) and have a code of its own"
                )
            by_address(player.choose)  # a function that does not compile is refused here
            self._choose = player.choose
            self._compiled_names[player.code] = player.name
            return player.code
        return OUTSIDE - self.outside.number(player, spec if isinstance(spec, str) else type(spec).__name__)

    def _forget_past_players(self) -> None:
        """Let go of players outside that sit in no game and in no next one."""
        if self.outside.players:
            lanes = self._arrays.lanes
            codes = np.union1d(lanes["opponents"], lanes["controller"])
            self.outside.keep(OUTSIDE - int(code) for code in codes if code <= OUTSIDE)

    # Asking them

    def finish(self) -> None:
        """Finish what a reset or a step has begun, so that no lane waits for anybody but the caller.

        If it raises, for a player's failure or in a player's own code, the games stay unfinished.
        """
        self._dealt_again.clear()
        if self._choose is not None:
            self._check_compiled_answers()
        if self.outside.players:
            self._ask_outside()

    def _ask_outside(self) -> None:
        """Ask the players outside until no lane waits for one of them."""
        waiting = self._arrays.waiting
        while True:
            (pending,) = ((waiting < CALLER) & (waiting != NOBODY)).nonzero()
            if not pending.size:
                return
            codes = waiting[pending]
            if (codes == codes[0]).all():  # one player, as a rule: spare the sorting
                self._ask(OUTSIDE - int(codes[0]), pending)
            else:
                for code in np.unique(codes):
                    self._ask(OUTSIDE - int(code), pending[codes == code])

    def _check_compiled_answers(self) -> None:
        """Deal with the illegal actions of compiled players, at which their lanes have stopped."""
        waiting = self._arrays.waiting
        while self._choose is not None and waiting.max() >= RANDOM:
            lane = int(waiting.argmax())
            name = self._compiled_names[int(waiting[lane])]
            action = int(self._arrays.lanes["refused"][lane])
            self._fail(lane, name, illegal_action(self._arrays.states, lane, action, name))

    def _ask(self, number: int, lanes: np.ndarray) -> None:
        """Ask a player outside for its decisions in some lanes, and carry out those that are legal.

        If it raises with many lanes, and failures are handled, it is asked for each of them alone, so that the game of
        every other lane goes on.
        """
        arrays, name = self._arrays, self.outside.names[number]
        self.asked_lanes = lanes
        try:
            views = self.views(lanes)
            actions = checked_answer(self.outside.seated(number).act(views), len(lanes), name)
        except (Exception, SystemExit) as error:  # a player may raise anything
            if self._on_failure == "raise":
                raise
            if len(lanes) == 1:
                self._fail(int(lanes[0]), name, error)
                self._check_compiled_answers()
            else:
                for place in range(len(lanes)):
                    self._ask(number, lanes[place : place + 1])
            return
        while (fault := find_illegal(arrays.states, arrays.waiting, lanes, actions)) >= 0:
            lane = int(lanes[fault])
            self._fail(lane, name, illegal_action(arrays.states, lane, int(actions[fault]), name))
            lanes, actions = np.delete(lanes, fault), np.delete(actions, fault)
        answer_lanes(arrays, self._options, lanes, actions, self.compiled)
        self._check_compiled_answers()

    def _fail(self, lane: int, player: str, error: BaseException) -> None:
        """Forfeit a lane's game for a player's failure, or raise."""
        if self._on_failure == "raise":
            raise error
        if callable(self._on_failure):
            seat = int(self._arrays.states["player"][lane])
            self._on_failure(Failure(lane, seat, player, reason_of(error), error))
        if self._arrays.lanes["ended"][lane]:
            self._dealt_again[lane] += 1
            if self._dealt_again[lane] > MOST_DEALT_AGAIN:
                raise error
        forfeit_lane(self._arrays, self._options, lane, self.compiled)
