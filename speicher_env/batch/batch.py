"""`Batch`: many games stepped by one compiled call. Every environment with many games is built on it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from speicher_env.arguments import (
    ILLEGAL,
    check_choice,
    check_count,
    check_first_player,
    check_flag,
    check_players,
    check_seed,
    is_whole,
)
from speicher_env.batch.lane import (
    ALL_SEATS,
    CALLER,
    DRAWN_SEAT,
    FIXED_SEAT,
    LANE,
    MAX_DECISIONS,
    NO_SEAT,
    NOBODY,
    OUTSIDE,
    RANDOM,
    ROTATING_SEAT,
)
from speicher_env.batch.opponents import (
    OpponentSpec,
    Outside,
    WrongAnswer,
    by_address,
    check_compiled,
    checked_answer,
    function_kept,
    kept_function,
    player_from_spec,
)
from speicher_env.batch.results import Results, results_of
from speicher_env.batch.step import (
    RESET_SAME_STEP,
    Arrays,
    Options,
    answer_lanes,
    begin_games,
    enter_states,
    find_illegal,
    forfeit_lane,
    step_all,
    step_all_on_cores,
)
from speicher_env.deal import DeckArgument, template_for
from speicher_env.errors import ArgumentError, IllegalAction, StateError
from speicher_env.game import Game
from speicher_env.messages import must_be, nearest, shown
from speicher_env.observation.refresh import SHOWN
from speicher_env.observation.rows import row_format
from speicher_env.rewards import SCHEMES
from speicher_env.rules.actions import ACTION_TEXTS, N_ACTIONS
from speicher_env.rules.legal import MASK_WORDS
from speicher_env.rules.state import MAX_PLAYERS, OVER, PHASES, STATE, blank_states
from speicher_env.views import CompiledPlayer, Player, Views

AUTORESETS = ("disabled", "next_step", "same_step")
SEAT_RULES = {"all": ALL_SEATS, "rotating": ROTATING_SEAT, "random": DRAWN_SEAT, "none": NO_SEAT}

UNFINISHED = "the last step could not be finished, because a player failed; reset() deals all games anew"

Opponents = OpponentSpec | Sequence[OpponentSpec]
"""One player for all other seats, or one for each, clockwise from the caller's."""


class Failure(NamedTuple):
    """A decision for which a player gave no legal action."""

    lane: int
    """The lane of the game."""
    seat: int
    """The seat that the player sits in."""
    player: str
    """The name of the player."""
    reason: str
    """What the player did: the end of a sentence that begins with its name."""
    error: BaseException
    """What a batch raises that handles no failures."""


OnFailure = str | Callable[[Failure], None]
"""What happens when a player fails: "raise", "forfeit", or a function that raises or returns to forfeit."""
ON_FAILURE = ("raise", "forfeit")
MOST_DEALT_ANEW = 100
"""Games dealt anew in one lane and step because a player failed before the caller's first decision; then it raises."""


class Batch:
    """Games in lanes, each waiting for a decision of the caller, or over.

    A lane's game depends on its seed and on the actions alone: not on the other lanes, their number or the cores.

    Attributes:
        row_format: What `observations` hold: their size and scales.
        arrays: The memory, see `Arrays`. What the properties return are views of it, written over by the next step.
        outside: The players that are asked through Python.
        asked_lanes: The lanes that such a player is being asked for, one for each row of its views.
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
                "same_step", a game that is forfeited in the step in which it was dealt is dealt anew.
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
        self.threads = _check_threads(threads)
        self.on_failure: OnFailure = on_failure if callable(on_failure) else _check_on_failure(on_failure)
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
        templates, which = self._templates(deck)
        self.arrays = self._allocate(templates)
        self._every = np.arange(self.num_games)
        self._choose: Any = None
        self._compiled_names: dict[int, str] = {}
        self.outside = Outside()
        self.asked_lanes = self._every[:0]
        self._dealt_anew: Counter[int] = Counter()
        self._dealt = False
        self._unfinished = False
        lanes = self.arrays.lanes
        lanes["template"] = which
        lanes["first_player"] = check_first_player(first_player, self.num_players)
        lanes["seat_rule"], self._fixed_seat = _seat_rule(seat, self.num_players)
        self.set_opponents(opponents)

    def _templates(self, deck: DeckArgument | Sequence[DeckArgument]) -> tuple[np.ndarray, np.ndarray]:
        """The different templates, and which of them each lane is dealt from."""
        if isinstance(deck, list | tuple):
            if len(deck) != self.num_games:
                raise ArgumentError(must_be("deck", deck, f"one deck, or one for each of {self.num_games} games"))
            decks = list(deck)
        else:
            decks = [deck]
        places: dict[int, int] = {}
        distinct: list[np.ndarray] = []
        numbers = []
        for each in decks:
            template, _ = template_for(self.num_players, each)  # shared between equal decks
            if id(template) not in places:
                places[id(template)] = len(distinct)
                distinct.append(template)
            numbers.append(places[id(template)])
        return np.concatenate(distinct), np.resize(np.array(numbers, dtype=np.int32), self.num_games)

    def _allocate(self, templates: np.ndarray) -> Arrays:
        games = self.num_games
        ending = games if self.autoreset == "same_step" else 0
        logged = MAX_DECISIONS if self.log_moves else 0
        rows = self.row_format.empty(games)
        rows[:] = 0
        return Arrays(
            states=blank_states(games),
            lanes=np.zeros(games, dtype=LANE),
            templates=templates,
            viewers=np.zeros(games, dtype=np.int8),
            waiting=np.full(games, NOBODY, dtype=np.int32),
            final_rows=np.zeros_like(rows[:ending]),
            shown=np.zeros(games, dtype=SHOWN),
            rows=rows,
            masks=np.zeros((games, MASK_WORDS), dtype=np.uint64),
            moves=np.zeros((games, logged), dtype=np.uint8),
            final_moves=np.zeros((ending, logged), dtype=np.uint8),
        )

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_choose": None if self._choose is None else kept_function(self._choose)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._choose = function_kept(self._choose)

    # Players

    def set_opponents(
        self,
        opponents: Opponents,
        lanes: np.ndarray | Sequence[int] | None = None,
        seating: np.ndarray | Sequence[Sequence[int]] | None = None,
    ) -> None:
        """Seat other players, from each lane's next game on.

        Args:
            opponents: A player for all other seats, or one for each, clockwise from the caller's. With `seating`, the
                players that it names, in any number.
            lanes: Where, None for everywhere.
            seating: (lanes, other seats) places in `opponents`: who sits where in each of the lanes.
        """
        others = self.num_players - int(self.arrays.lanes["seat_rule"][0] != NO_SEAT)
        chosen = self._chosen(lanes, distinct=True)
        several = isinstance(opponents, list | tuple)
        specs: list[Any] = list(opponents) if isinstance(opponents, list | tuple) else [opponents] * others
        if seating is not None:
            places = _check_seating(seating, (len(chosen), others), len(specs))
        elif several and len(specs) != others:
            allowed = f"one player for all other seats, or one for each of {others}"
            raise ArgumentError(must_be("opponents", opponents, allowed))
        else:
            places = np.arange(others)
        players = [player_from_spec(spec) for spec in specs]
        self._forget_past_players()
        codes = [self._code(player, spec) for player, spec in zip(players, specs, strict=True)]
        self.arrays.lanes["opponents"][chosen, :others] = np.array(codes)[places]

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
            lanes = self.arrays.lanes
            codes = np.union1d(lanes["opponents"], lanes["controller"])
            self.outside.keep(OUTSIDE - int(code) for code in codes if code <= OUTSIDE)

    @property
    def _compiled(self) -> Any:
        """What the compiled step calls for compiled players, None without any."""
        return None if self._choose is None else by_address(self._choose)

    def _chosen(
        self, lanes: np.ndarray | Sequence[int] | None, *, distinct: bool = False, empty: bool = False
    ) -> np.ndarray:
        """The lanes that a caller names as an array, all for None.

        Args:
            lanes: What the caller gave.
            distinct: Whether no lane may be named twice.
            empty: Whether the list may be empty.
        """
        if lanes is None:
            return self._every
        chosen = np.asarray(lanes)
        if empty and chosen.shape == (0,):
            return self._every[:0]
        allowed = f"numbers of games, 0..{self.num_games - 1}"
        if chosen.ndim != 1 or not chosen.size or chosen.dtype.kind not in "iu":
            raise ArgumentError(must_be("lanes", lanes, f"a list of {allowed}"))
        if chosen.min() < 0 or chosen.max() >= self.num_games:
            wrong = chosen[(chosen < 0) | (chosen >= self.num_games)][0]
            raise ArgumentError(must_be("lanes", int(wrong), allowed))
        if distinct and np.unique(chosen).size < chosen.size:
            raise ArgumentError(must_be("lanes", lanes, f"{allowed}, none of them twice"))
        return np.ascontiguousarray(chosen, dtype=np.int64)

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
        numbers = _check_seeds(seeds, chosen.size)
        rule = self.arrays.lanes["seat_rule"][0]
        if rule == FIXED_SEAT:
            self.arrays.lanes["seat"][chosen] = self._fixed_seat
        elif rule == ROTATING_SEAT and not (rotate_on and self._dealt):  # each deal moves on by one
            self.arrays.lanes["seat"][chosen] = (chosen - 1) % self.num_players
        self._unfinished = True
        begin_games(self.arrays, self._options, chosen, numbers, self._compiled)
        self._dealt = True
        self._ask_players()

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
        records = _check_states(states, chosen.size, self.num_players)
        numbers = records["seed"] if seeds is None else _check_seeds(seeds, chosen.size)
        if self.arrays.lanes["seat_rule"][0] == FIXED_SEAT:
            self.arrays.lanes["seat"][chosen] = self._fixed_seat
        self._unfinished = True
        numbers = np.ascontiguousarray(numbers)
        enter_states(self.arrays, self._options, chosen, records, numbers, self._compiled)
        self._dealt = True
        self._ask_players()

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
            fault = step_all_on_cores(arrays, self._options, where, chosen, self._compiled, self.threads)
        else:
            fault = step_all(arrays, self._options, where, chosen, self._compiled)
        if fault >= 0:
            self._unfinished = False
            raise self._illegal(int(where[fault]), int(chosen[fault]))
        self._ask_players()

    def _ask_players(self) -> None:
        """Finish what a reset or a step has begun, so that no lane waits for anybody but the caller.

        If it raises, for a player's failure or in a player's own code, the games stay unfinished.
        """
        self._dealt_anew.clear()
        self._check_compiled_answers()
        waiting = self.arrays.waiting
        while self.outside.players:
            pending = np.flatnonzero((waiting < CALLER) & (waiting != NOBODY))
            if not pending.size:
                break
            codes = waiting[pending]
            for code in np.unique(codes):
                self._ask(OUTSIDE - int(code), pending[codes == code])
        self._unfinished = False

    def _check_compiled_answers(self) -> None:
        """Deal with the illegal actions of compiled players, at which their lanes have stopped."""
        waiting = self.arrays.waiting
        while self._choose is not None and waiting.max() >= RANDOM:
            lane = int(waiting.argmax())
            name = self._compiled_names[int(waiting[lane])]
            self._fail(lane, name, self._illegal(lane, int(self.arrays.lanes["refused"][lane]), name))

    def _ask(self, number: int, lanes: np.ndarray) -> None:
        """Ask a player outside for its decisions in some lanes, and carry out those that are legal.

        If it raises with many lanes, and failures are handled, it is asked for each of them alone, so that the game of
        every other lane goes on.
        """
        name = self.outside.names[number]
        self.asked_lanes = lanes
        try:
            views = self._views(lanes)
            actions = checked_answer(self.outside.seated(number).act(views), len(lanes), name)
        except (Exception, SystemExit) as error:  # a player may raise anything
            if self.on_failure == "raise":
                raise
            if len(lanes) == 1:
                self._fail(int(lanes[0]), name, error)
                self._check_compiled_answers()
            else:
                for place in range(len(lanes)):
                    self._ask(number, lanes[place : place + 1])
            return
        while (fault := find_illegal(self.arrays.states, self.arrays.waiting, lanes, actions)) >= 0:
            lane = int(lanes[fault])
            self._fail(lane, name, self._illegal(lane, int(actions[fault]), name))
            lanes, actions = np.delete(lanes, fault), np.delete(actions, fault)
        answer_lanes(self.arrays, self._options, lanes, actions, self._compiled)
        self._check_compiled_answers()

    def _fail(self, lane: int, player: str, error: BaseException) -> None:
        """Forfeit a lane's game for a player's failure, or raise."""
        if self.on_failure == "raise":
            raise error
        if callable(self.on_failure):
            self.on_failure(Failure(lane, int(self.arrays.states["player"][lane]), player, _reason(error), error))
        if self.arrays.lanes["ended"][lane]:
            self._dealt_anew[lane] += 1
            if self._dealt_anew[lane] > MOST_DEALT_ANEW:
                raise error
        forfeit_lane(self.arrays, self._options, lane, self._compiled)

    def views(self, lanes: np.ndarray | Sequence[int] | None = None) -> Views:
        """The pending decisions of some lanes, or of all, as their deciding seats may see them.

        Their observations are float32, with figures where the batch has them.
        """
        return self._views(self._chosen(lanes, empty=True))

    def _views(self, lanes: np.ndarray) -> Views:
        return Views.of(self.arrays.states, lanes, self.seats_in_view, figures=self.row_format.figures)

    def _illegal(self, lane: int, action: int, player: str = "") -> IllegalAction:
        """An illegal action of a player by name, or of the caller, in a lane."""
        state = self.arrays.states[lane]
        legal = [text for text, allowed in zip(ACTION_TEXTS, _legal_bits(state), strict=False) if allowed]
        text = ACTION_TEXTS[action] if 0 <= action < N_ACTIONS else str(action)
        where = ", ".join([f"player {player}"] * bool(player) + [f"game {lane}"] * (self.num_games > 1))
        return IllegalAction(PHASES[state["phase"]], int(state["player"]), text, legal, where and f"{where}: ")

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


def _legal_bits(state: np.void) -> np.ndarray:
    return np.unpackbits(state["legal"].view(np.uint8), bitorder="little")


def _reason(error: BaseException) -> str:
    """What a player did, as the end of a sentence that begins with its name."""
    if isinstance(error, WrongAnswer):
        return error.reason
    if isinstance(error, IllegalAction):
        return f"chose '{error.action}', which is illegal in {error.phase}"
    text = " ".join(str(error).split())
    return f"raised {type(error).__name__}" + (f": {text[:200]}" if text else "")


def _check_on_failure(on_failure: object) -> str:
    if not isinstance(on_failure, str):
        raise ArgumentError(must_be("on_failure", on_failure, '"raise", "forfeit" or a function'))
    return check_choice("on_failure", on_failure, ON_FAILURE)


def _check_seeds(seeds: np.ndarray | Sequence[int], count: int) -> np.ndarray:
    """Seeds of `count` games as an array."""
    numbers = np.asarray(seeds)
    if numbers.shape != (count,):
        raise ArgumentError(must_be("seeds", numbers, f"{count} whole numbers"))
    if numbers.dtype.kind != "u" and (numbers.dtype.kind != "i" or np.any(numbers < 0)):
        # Each by itself: NumPy has no type for 0 and 2**64-1 in one list, or for what is refused here.
        numbers = np.array([check_seed(seed) for seed in seeds], dtype=np.uint64)
    return np.ascontiguousarray(numbers, dtype=np.uint64)


def _check_seating(seating: object, shape: tuple[int, int], players: int) -> np.ndarray:
    """Who sits where, as an array of places in a list of players."""
    places = np.asarray(seating)
    if places.shape != shape or places.dtype.kind not in "iu":
        raise ArgumentError(must_be("seating", places, f"an array of whole numbers with shape {shape}"))
    if places.size and (places.min() < 0 or places.max() >= players):
        wrong = int(places.min() if places.min() < 0 else places.max())
        raise ArgumentError(must_be("seating", wrong, f"places in the list of opponents, 0..{players - 1}"))
    return places


def _check_states(states: object, count: int, players: int) -> np.ndarray:
    """States of `count` running games as an array."""
    if not isinstance(states, np.ndarray) or states.dtype != STATE or states.shape != (count,):
        raise ArgumentError(must_be("states", states, f"an array of {count} records of dtype STATE"))
    for place in range(count):
        try:
            Game.from_state(states[place])
        except StateError as error:
            raise StateError(f"states[{place}]: {error}") from None
        if states["players"][place] != players:
            raise ArgumentError(must_be(f"states[{place}]['players']", states["players"][place], f"{players}"))
        if states["phase"][place] == OVER:
            raise ArgumentError(f"states[{place}] is a game that is over: must be a running game.")
    records = blank_states(count)
    records[:] = states
    return records


def _check_threads(threads: object) -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not is_whole(threads) or not 1 <= threads <= cores:
        raise ArgumentError(must_be("threads", threads, f"a whole number 1..{cores}, the cores there are"))
    return int(threads)


def _seat_rule(seat: int | str, players: int) -> tuple[int, int]:
    """The code of a seat argument, and the seat where it is a fixed one."""
    if is_whole(seat) and 0 <= seat < players:
        return FIXED_SEAT, int(seat)
    if isinstance(seat, str) and seat in SEAT_RULES:
        return SEAT_RULES[seat], 0
    allowed = f"a seat 0..{players - 1}, {', '.join(map(shown, SEAT_RULES))}{nearest(seat, SEAT_RULES)}"
    raise ArgumentError(must_be("seat", seat, allowed))
