"""`Batch`: many games stepped by one compiled call. Every environment with many games is built on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from speicher_env.arguments import (
    ILLEGAL,
    check_choice,
    check_count,
    check_first_player,
    check_flag,
    check_players,
)
from speicher_env.batch.arguments import (
    AUTORESETS,
    check_lanes,
    check_seat_rule,
    check_seeds,
    check_states,
    check_threads,
)
from speicher_env.batch.failures import OnFailure, check_on_failure, illegal_action
from speicher_env.batch.lane import ALL_SEATS, FIXED_SEAT, NO_SEAT, NOBODY, ROTATING_SEAT
from speicher_env.batch.memory import make_arrays
from speicher_env.batch.opponents import Opponents, OpponentSpec, Outside
from speicher_env.batch.results import Results, results_of
from speicher_env.batch.seated import SeatedPlayers
from speicher_env.batch.step import (
    RESET_SAME_STEP,
    Options,
    begin_games,
    enter_states,
    step_all,
    step_all_on_cores,
)
from speicher_env.cores import on_cores
from speicher_env.deal import DeckArgument
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be
from speicher_env.observation.rows import row_format
from speicher_env.rewards import SCHEMES
from speicher_env.rules.state import MAX_PLAYERS
from speicher_env.views import Views

__all__ = ["Batch", "Opponents"]

UNFINISHED = "the last step could not be finished, because a player failed; reset() deals all games again."


class Batch:
    """Games in lanes, each waiting for a decision of the caller, or over.

    A lane's game depends on its seed and on the actions alone: not on the other lanes, their number or the cores.

    Attributes:
        row_format: What `observations` hold: their size and scales.
        arrays: The memory, see `Arrays`. What the properties return are views of it, written over by the next step.
    """

    def __init__(
        self,
        num_games: int,
        num_players: int = 2,
        deck: DeckArgument | Sequence[DeckArgument] = "standard",
        seat: int | str = "all",
        opponents: Opponents = "random",
        reward: str = "outcome",
        padded: bool = False,
        autoreset: str = "same_step",
        illegal: str = "raise",
        first_player: int | None = None,
        threads: int = 1,
        on_failure: OnFailure = "raise",
        log_moves: bool = False,
        figures: bool = False,
        dtype: str = "float32",
    ) -> None:
        """Make room; `reset` deals.

        Args:
            num_games: Lanes, 1 or more.
            num_players: 2..5, the same in all lanes.
            deck: A deck for all lanes, or a list with one for each.
            seat: "all" asks the caller for every decision; a seat 0..num_players-1, "rotating" or "random" (drawn from
                the seed of each game) for one seat only, the others being played by `opponents`; "none" leaves all
                seats to `opponents`, one for each from seat 0 on, and `reset` plays whole games: no lane deals its next
                game in the same step then.
            opponents: A player for all other seats or one for each, clockwise from the caller's.
            reward: "outcome", "rank" or "margin".
            padded: Whether observations have room for 5 seats.
            autoreset: What a lane does whose game is over: "disabled" waits for `reset`, "next_step" deals in the next
                step and ignores its action, "same_step" deals at once and keeps the last observation in `final_rows`.
            illegal: "raise" refuses the whole step, "lose" loses the lane's game, "random" plays a random legal action.
            first_player: The seat that begins every game, None to draw it.
            threads: Cores to use, 1..the number there are.
            on_failure: What happens when one of `opponents` raises an error or gives no legal action. "raise" raises
                and leaves the games unfinished. "forfeit" ends the lane's game, and the player's seat ranks last; the
                other lanes play on. A function is called with the `Failure` and raises, or returns to forfeit. With
                "same_step", a game that is forfeited in the step in which it was dealt is dealt again.
            log_moves: Whether each lane keeps the actions of all its seats, see `moves` (840 bytes more for each lane,
                twice that where lanes deal in the same step).
            figures: Whether each observation is followed by its figures, see `speicher_env.observation.figures`.
            dtype: "float32", or "uint8" for the same rows as whole numbers in a quarter of the bytes; `row_format` has
                their scales.
        """
        self.num_games = check_count("num_games", num_games)
        self.num_players = check_players(num_players)
        self.padded = check_flag("padded", padded)
        self.reward = check_choice("reward", reward, SCHEMES)
        self.autoreset = check_choice("autoreset", autoreset, AUTORESETS)
        self.illegal = check_choice("illegal", illegal, ILLEGAL)
        self.threads = check_threads(threads)
        self.on_failure = check_on_failure(on_failure)
        self.log_moves = check_flag("log_moves", log_moves)
        self.seats_in_view = MAX_PLAYERS if self.padded else self.num_players
        self.row_format = row_format(self.seats_in_view, figures, dtype)
        self._options = Options(
            SCHEMES.index(self.reward),
            AUTORESETS.index(self.autoreset),
            ILLEGAL.index(self.illegal),
            self.seats_in_view,
            True if self.row_format.figures else None,
        )
        self.arrays = make_arrays(
            self.num_games,
            self.num_players,
            deck,
            self.row_format,
            final=self.autoreset == "same_step",
            log_moves=self.log_moves,
        )
        self._every = np.arange(self.num_games)
        self._players = SeatedPlayers(self.arrays, self._options, self.row_format.figures, self.on_failure)
        self._dealt = False
        self._unfinished = False
        lanes = self.arrays.lanes
        lanes["first_player"] = check_first_player(first_player, self.num_players)
        lanes["seat_rule"], self._fixed_seat = check_seat_rule(seat, self.num_players)
        self.set_opponents(opponents)

    # Players

    def set_opponents(
        self,
        opponents: Opponents | Sequence[OpponentSpec | None],
        lanes: np.ndarray | Sequence[int] | None = None,
        seating: np.ndarray | Sequence[Sequence[int]] | None = None,
    ) -> None:
        """Seat other players, from each lane's next game on.

        Args:
            opponents: A player for all other seats, or one for each, clockwise from the caller's. With `seating`, the
                players that it names, in any number. None in the list leaves a seat to the caller, too: `views` shows
                whose decision is pending, where `observations` are always those of the caller's first seat.
            lanes: Where, None for everywhere.
            seating: (lanes, other seats) places in `opponents`: who sits where in each of the lanes.
        """
        self._players.seat(opponents, self._chosen(lanes, distinct=True), seating, self.num_players)

    @property
    def outside(self) -> Outside:
        """The players that are asked through Python."""
        return self._players.outside

    @property
    def asked_lanes(self) -> np.ndarray:
        """The lanes that such a player is being asked for, one for each row of its views."""
        return self._players.asked_lanes

    def _chosen(
        self, lanes: np.ndarray | Sequence[int] | None, *, distinct: bool = False, empty: bool = False
    ) -> np.ndarray:
        """The lanes that a caller names, all for None; see `check_lanes`."""
        return check_lanes(lanes, self._every, distinct=distinct, empty=empty)

    # Playing

    def reset(
        self,
        seeds: np.ndarray | Sequence[int],
        lanes: np.ndarray | Sequence[int] | None = None,
        rotate_on: bool = False,
    ) -> None:
        """Deal new games.

        Args:
            seeds: One for each lane to deal in, 0..2**64-1.
            lanes: Where to deal, None for everywhere.
            rotate_on: Whether a rotating seat goes on from where it was. Otherwise lane k begins again in seat k.
        """
        chosen = self._chosen(lanes, distinct=True)
        if self._unfinished and lanes is not None:
            raise ArgumentError(UNFINISHED)
        numbers = check_seeds(seeds, chosen.size)
        rule = self.arrays.lanes["seat_rule"][0]
        if rule == FIXED_SEAT:
            self.arrays.lanes["seat"][chosen] = self._fixed_seat
        elif rule == ROTATING_SEAT and not (rotate_on and self._dealt):  # each deal moves on by one
            self.arrays.lanes["seat"][chosen] = (chosen - 1) % self.num_players
        self._unfinished = True
        begin_games(self.arrays, self._options, chosen, numbers, self._players.compiled)
        self._dealt = True
        self._finish()

    def set_states(
        self,
        states: np.ndarray,
        lanes: np.ndarray | Sequence[int] | None = None,
        seeds: np.ndarray | Sequence[int] | None = None,
    ) -> None:
        """Go on from given positions. Each state is checked as `Game.set_state` does, which takes about a millisecond.

        A rotating seat stays where it is. Logs of moves begin here, and a lane's next game is dealt as usual.

        Args:
            states: One record of dtype STATE for each lane: a running game of `num_players`.
            lanes: Where, None for everywhere.
            seeds: What compiled players draw follows from these; None takes the seeds of the states.

        Raises:
            StateError: If no game can be in one of the states; no lane is changed then.
        """
        chosen = self._chosen(lanes, distinct=True)
        if self._unfinished and lanes is not None:
            raise ArgumentError(UNFINISHED)
        records = check_states(states, chosen.size, self.num_players)
        numbers = records["seed"] if seeds is None else check_seeds(seeds, chosen.size)
        if self.arrays.lanes["seat_rule"][0] == FIXED_SEAT:
            self.arrays.lanes["seat"][chosen] = self._fixed_seat
        self._unfinished = True
        numbers = np.ascontiguousarray(numbers)
        enter_states(self.arrays, self._options, chosen, records, numbers, self._players.compiled)
        self._dealt = True
        self._finish()

    def step(self, actions: np.ndarray, lanes: np.ndarray | Sequence[int] | None = None) -> None:
        """Carry out one action in every lane, or in some, and play on to the caller's next decision.

        Args:
            actions: An action id for each of those lanes.
            lanes: Where, None for everywhere. The other lanes stay as they are, also what they ended with.

        Raises:
            ArgumentError: For actions that are not one whole number for each lane, or before the first reset.
            IllegalAction: With illegal="raise", naming the first lane at fault; no lane has been stepped then.
        """
        if not self._dealt:
            raise ArgumentError("step() was called before reset(), which deals the first games")
        if self._unfinished:
            raise ArgumentError(UNFINISHED)
        where = self._chosen(lanes, distinct=True, empty=True)
        chosen = np.asarray(actions)
        if chosen.shape != where.shape or chosen.dtype.kind not in "iu":
            raise ArgumentError(must_be("actions", chosen, f"one action id for each of {where.size} games"))
        chosen = np.ascontiguousarray(chosen, dtype=np.int64)
        arrays = self.arrays
        waiting = arrays.waiting if lanes is None else arrays.waiting[where]
        if self.autoreset == "disabled" and waiting.size and waiting.min() == NOBODY:
            lane = int(where[waiting.argmin()])
            raise ArgumentError(f"game {lane} is over; reset() must deal the next one before step()")
        self._unfinished = True
        if self.threads > 1:
            fault = on_cores(
                step_all_on_cores, arrays, self._options, where, chosen, self._players.compiled, self.threads
            )
        else:
            fault = step_all(arrays, self._options, where, chosen, self._players.compiled)
        if fault >= 0:
            self._unfinished = False
            raise illegal_action(arrays.states, int(where[fault]), int(chosen[fault]))
        self._finish()

    def _finish(self) -> None:
        """Let the other players finish what a reset or a step has begun; if one of them fails, it stays unfinished."""
        self._players.finish()
        self._unfinished = False

    def views(self, lanes: np.ndarray | Sequence[int] | None = None) -> Views:
        """The pending decisions of some lanes, or of all, as their deciding seats may see them.

        Their observations are float32, with figures where the batch has them.
        """
        return self._players.views(self._chosen(lanes, empty=True))

    # Looking

    @property
    def observations(self) -> np.ndarray:
        """(games, size): each as `seats` sees it, in `row_format`."""
        return self.arrays.rows

    @property
    def final_observations(self) -> np.ndarray:
        """(games, size): with "same_step" the last observation of each game that the last step ended."""
        return self.arrays.final_rows

    @property
    def action_masks(self) -> np.ndarray:
        """(games, 184) int8, 1 = legal; zeros only where a game is over."""
        return self.arrays.masks.view(np.int8)

    @property
    def seats(self) -> np.ndarray:
        """(games,) int8: the seat that decides, or, with one seat for the caller, that seat."""
        return self.arrays.viewers

    @property
    def ended(self) -> np.ndarray:
        """(games,) bool: whether the last step ended the lane's game."""
        return self.arrays.lanes["ended"]

    def results(self, lanes: np.ndarray | Sequence[int] | None = None) -> Results:
        """How the games went that the last step or reset ended, in all lanes or in some that ended.

        A lane that is over keeps its result until its next step or reset.
        """
        ended = self.arrays.lanes["ended"]
        if lanes is None:
            chosen = np.flatnonzero(ended)
        else:
            chosen = self._chosen(lanes, empty=True)
            if not ended[chosen].all():
                lane = int(chosen[~ended[chosen]][0])
                raise ArgumentError(f"game {lane} did not end in the last step, so it has no result.")
        return results_of(self.arrays.lanes, chosen, self.num_players, self._logs(chosen))

    def _logs(self, ended: np.ndarray) -> tuple[np.ndarray, ...]:
        """The moves of the games that have ended in these lanes."""
        if not self.log_moves:
            return ()
        dealt_again = self._options.autoreset == RESET_SAME_STEP and self.arrays.lanes["seat_rule"][0] != NO_SEAT
        log = self.arrays.final_moves if dealt_again else self.arrays.moves
        counts = self.arrays.lanes["ended_moves"]
        return tuple(log[lane, : counts[lane]].copy() for lane in ended.tolist())

    def moves(self, lane: int) -> np.ndarray:
        """(decisions,) uint8: the actions of all seats in a lane's game so far. Needs `log_moves`."""
        if not self.log_moves:
            raise ArgumentError("moves() needs a batch that was made with log_moves=True.")
        (place,) = self._chosen([lane])
        return self.arrays.moves[place, : self.arrays.lanes["moves"][place]].copy()

    def outcome(self, lane: int) -> dict[str, Any]:
        """How the game that the last step ended in a lane went for the caller's seat, or for all with seat="all"."""
        return self.results([lane]).outcome(0, of_caller=self.arrays.lanes["seat_rule"][0] != ALL_SEATS)

    @property
    def rewards(self) -> np.ndarray:
        """(games, players) float32: what the last step paid to each seat."""
        return self.arrays.lanes["reward"][:, : self.num_players]

    @property
    def decisions(self) -> int:
        """Decisions played so far by all seats of all lanes; what plays itself is not counted."""
        return int(self.arrays.lanes["decisions"].sum())

    @property
    def bytes_per_game(self) -> int:
        """Memory of one lane."""
        return sum(array[:1].nbytes for array in self.arrays if array is not self.arrays.templates)
