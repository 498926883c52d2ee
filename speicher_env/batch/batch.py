"""`Batch`: many games stepped by one compiled call, the engine room of every environment with rows."""

from __future__ import annotations

import os
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
    check_seed,
    is_whole,
)
from speicher_env.batch.lane import (
    ALL_SEATS,
    CALLER,
    DRAWN_SEAT,
    FIXED_SEAT,
    LANE,
    NO_SEAT,
    NOBODY,
    OUTSIDE,
    RANDOM,
    ROTATING_SEAT,
)
from speicher_env.batch.opponents import (
    OpponentSpec,
    Outside,
    by_address,
    check_compiled,
    checked_answer,
    function_kept,
    kept_function,
    player_from_spec,
)
from speicher_env.batch.step import (
    Arrays,
    Options,
    answer_lanes,
    begin_games,
    find_illegal,
    step_all,
    step_all_on_cores,
    write_views,
)
from speicher_env.deal import DeckArgument, template_for
from speicher_env.errors import ArgumentError, IllegalAction
from speicher_env.messages import nearest, shown
from speicher_env.observation import observation_size
from speicher_env.observation.refresh import SHOWN
from speicher_env.rewards import SCHEMES
from speicher_env.rules.actions import ACTION_TEXTS, N_ACTIONS
from speicher_env.rules.legal import MASK_WORDS
from speicher_env.rules.scoring import SOURCES
from speicher_env.rules.state import MAX_PLAYERS, PHASES, STATE, blank_states
from speicher_env.rules.stream import MAX_SEED
from speicher_env.views import CompiledPlayer, Player, Views

AUTORESETS = ("disabled", "next_step", "same_step")
SEAT_RULES = {"all": ALL_SEATS, "rotating": ROTATING_SEAT, "random": DRAWN_SEAT, "none": NO_SEAT}

UNFINISHED = "the last step could not be finished, because a player gave no legal answer; reset() deals all games anew"

Opponents = OpponentSpec | Sequence[OpponentSpec]
"""One player for all other seats, or one for each, clockwise from the caller's."""


class Batch:
    """Games in lanes, each waiting for a decision of the caller, or over.

    A lane's game depends on its seed and on the actions alone: not on the other lanes, their number or the cores.

    Attributes:
        arrays: The memory, see `Arrays`. What the properties return are views of it, written over by the next step.
        outside: The players that are asked through Python.
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
    ) -> None:
        """Make room; `reset` deals.

        Args:
            num_games: Lanes, 1 or more.
            num_players: 2..5, the same in all lanes.
            deck: A deck for all lanes, or a list with one for each.
            seat: "all" asks the caller for every decision; a seat 0..num_players-1, "rotating" or "random" (drawn from
                the seed of each game) for one seat only, the others being played by `opponents`; "none" leaves all
                seats to `opponents`, one for each from seat 0 on, and `reset` plays whole games.
            opponents: A player for all other seats or one for each, clockwise from the caller's.
            reward: "outcome", "rank" or "margin".
            padded: Whether observations have room for 5 seats.
            autoreset: What a lane does whose game is over: "disabled" waits for `reset`, "next_step" deals in the next
                step and ignores its action, "same_step" deals at once and keeps the last observation in `final_rows`.
            illegal: "raise" refuses the whole step, "lose" loses the lane's game, "random" plays a random legal action.
            first_player: The seat that begins every game, None to draw it.
            threads: Cores to use, 1..the number there are.
        """
        self.num_games = check_count("num_games", num_games)
        self.num_players = check_players(num_players)
        self.padded = check_flag("padded", padded)
        self.reward = check_choice("reward", reward, SCHEMES)
        self.autoreset = check_choice("autoreset", autoreset, AUTORESETS)
        self.illegal = check_choice("illegal", illegal, ILLEGAL)
        self.threads = _check_threads(threads)
        self.seats_in_view = MAX_PLAYERS if self.padded else self.num_players
        self._options = Options(
            SCHEMES.index(self.reward),
            AUTORESETS.index(self.autoreset),
            ILLEGAL.index(self.illegal),
            self.seats_in_view,
        )
        templates, which = self._templates(deck)
        self.arrays = self._allocate(templates)
        self._every = np.arange(self.num_games)
        self._choose: Any = None
        self._compiled_names: dict[int, str] = {}
        self.outside = Outside()
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
                raise ArgumentError(
                    f"deck: found a list of {len(deck)}, must be one deck, or one for each of {self.num_games} games"
                )
            decks = list(deck)
        else:
            decks = [deck]
        found: dict[int, int] = {}
        distinct: list[np.ndarray] = []
        numbers = []
        for one in decks:
            template, _ = template_for(self.num_players, one)  # shared between equal decks
            if id(template) not in found:
                found[id(template)] = len(distinct)
                distinct.append(template)
            numbers.append(found[id(template)])
        return np.concatenate(distinct), np.resize(np.array(numbers, dtype=np.int32), self.num_games)

    def _allocate(self, templates: np.ndarray) -> Arrays:
        games, size = self.num_games, observation_size(self.seats_in_view)
        return Arrays(
            states=blank_states(games),
            lanes=np.zeros(games, dtype=LANE),
            templates=templates,
            viewers=np.zeros(games, dtype=np.int8),
            waiting=np.full(games, NOBODY, dtype=np.int32),
            final_rows=np.zeros((games, size), dtype=np.float32),
            shown=np.zeros(games, dtype=SHOWN),
            rows=np.zeros((games, size), dtype=np.float32),
            masks=np.zeros((games, MASK_WORDS), dtype=np.uint64),
        )

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_choose": None if self._choose is None else kept_function(self._choose)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._choose = function_kept(self._choose)

    # Players

    def set_opponents(self, opponents: Opponents, lanes: np.ndarray | Sequence[int] | None = None) -> None:
        """Seat other players, in all lanes or in some, from each lane's next game on."""
        others = self.num_players - (self.arrays.lanes["seat_rule"][0] != NO_SEAT)
        if isinstance(opponents, list | tuple):
            if len(opponents) != others:
                raise ArgumentError(
                    f"opponents: found {len(opponents)}, must be one player for all other seats, "
                    f"or one for each of {others}"
                )
            specs = list(opponents)
        else:
            specs = [opponents] * others
        chosen = self._chosen(lanes)
        players = [player_from_spec(spec) for spec in specs]
        self._forget_past_players()
        codes = [self._code(player, spec) for player, spec in zip(players, specs, strict=True)]
        self.arrays.lanes["opponents"][np.ix_(chosen, np.arange(others))] = codes

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

    def _chosen(self, lanes: np.ndarray | Sequence[int] | None) -> np.ndarray:
        """Lanes named by a caller, all for None."""
        if lanes is None:
            return self._every
        chosen = np.asarray(lanes)
        whole = chosen.ndim == 1 and chosen.size and chosen.dtype.kind in "iu"
        if not whole or chosen.min() < 0 or chosen.max() >= self.num_games:
            raise ArgumentError(
                f"games: found {chosen.dtype} of shape {chosen.shape}, "
                f"must be a list of numbers of games, 0..{self.num_games - 1}"
            )
        return chosen.astype(np.int64)

    # Playing

    def reset(
        self,
        seeds: np.ndarray | Sequence[int],
        lanes: np.ndarray | Sequence[int] | None = None,
        rotate_on: bool = False,
    ) -> None:
        """Deal new games.

        Args:
            seeds: One for each lane to deal in, 0..2**63-1.
            lanes: Where to deal, None for everywhere.
            rotate_on: Whether a rotating seat goes on from where it was. Otherwise lane k begins again in seat k.
        """
        chosen = self._chosen(lanes)
        if self._unfinished and lanes is not None:
            raise ArgumentError(UNFINISHED)
        numbers = np.asarray(seeds)
        if numbers.shape != chosen.shape or numbers.dtype.kind not in "iu":
            raise ArgumentError(
                f"seeds: found {numbers.dtype} of shape {numbers.shape}, must be {chosen.size} whole numbers"
            )
        if numbers.size and (numbers.min() < 0 or numbers.max() > MAX_SEED):
            check_seed(int(numbers.min() if numbers.min() < 0 else numbers.max()))
        rule = self.arrays.lanes["seat_rule"][0]
        if rule == FIXED_SEAT:
            self.arrays.lanes["seat"][chosen] = self._fixed_seat
        elif rule == ROTATING_SEAT and not (rotate_on and self._dealt):  # each deal moves on by one
            self.arrays.lanes["seat"][chosen] = (chosen - 1) % self.num_players
        self._unfinished = True
        begin_games(self.arrays, self._options, chosen, numbers.astype(np.int64), self._compiled)
        self._dealt = True
        self._ask_players()

    def step(self, actions: np.ndarray) -> None:
        """Carry out one action in every lane and play on to the caller's next decision.

        Raises:
            ArgumentError: For actions that are not one whole number for each lane, or before the first reset.
            IllegalAction: With illegal="raise", naming the first lane at fault; no lane has been stepped then.
        """
        if not self._dealt:
            raise ArgumentError("step() was called before reset(), which deals the first games")
        if self._unfinished:
            raise ArgumentError(UNFINISHED)
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_games,) or chosen.dtype.kind not in "iu":
            raise ArgumentError(
                f"actions: found {chosen.dtype} of shape {chosen.shape}, "
                f"must be one action id for each of {self.num_games} games"
            )
        if chosen.dtype != np.int64:
            chosen = chosen.astype(np.int64)
        arrays = self.arrays
        if self.autoreset == "disabled" and arrays.waiting.min() == NOBODY:
            lane = int(arrays.waiting.argmin())
            raise ArgumentError(f"game {lane} is over; reset() must deal the next one before step()")
        self._unfinished = True
        if self.threads > 1:
            fault = step_all_on_cores(arrays, self._options, self._every, chosen, self._compiled, self.threads)
        else:
            fault = step_all(arrays, self._options, self._every, chosen, self._compiled)
        if fault >= 0:
            self._unfinished = False
            raise self._illegal(fault, int(chosen[fault]))
        self._ask_players()

    def _ask_players(self) -> None:
        """Finish what a reset or a step has begun: no lane waits for anybody but the caller.

        Whatever a player makes of it, an error or an illegal action, leaves the games unfinished.
        """
        self._check_compiled_answers()
        if self.outside.players:
            self._ask_outside()
        self._unfinished = False

    def _check_compiled_answers(self) -> None:
        """Refuse an illegal action of a compiled player, at which its lane has stopped."""
        waiting = self.arrays.waiting
        if self._choose is not None and waiting.max() >= RANDOM:
            lane = int(waiting.argmax())
            name = self._compiled_names[int(waiting[lane])]
            raise self._illegal(lane, int(self.arrays.lanes["refused"][lane]), name)

    def _ask_outside(self) -> None:
        """Ask the players outside, each with all its pending decisions at once, until every lane is the caller's."""
        arrays = self.arrays
        while True:
            pending = np.flatnonzero((arrays.waiting < CALLER) & (arrays.waiting != NOBODY))
            if not pending.size:
                return
            codes = arrays.waiting[pending]
            for code in np.unique(codes):
                lanes = pending[codes == code]
                name = self.outside.names[OUTSIDE - code]
                answer = self.outside.seated(OUTSIDE - code).act(self.views(lanes))
                actions = checked_answer(answer, len(lanes), name)
                fault = find_illegal(arrays.states, arrays.waiting, lanes, actions)
                if fault >= 0:
                    raise self._illegal(int(lanes[fault]), int(actions[fault]), name)
                answer_lanes(arrays, self._options, lanes, actions, self._compiled)
                self._check_compiled_answers()

    def views(self, lanes: np.ndarray) -> Views:
        """The pending decisions of some lanes as their deciding seats may see them."""
        rows = len(lanes)
        views = Views(
            np.empty((rows, self.arrays.rows.shape[1]), dtype=np.float32),
            np.empty((rows, N_ACTIONS), dtype=np.int8),
            np.empty(rows, dtype=STATE),
            np.empty(rows, dtype=np.int8),
        )
        write_views(
            self.arrays.states,
            lanes,
            self.seats_in_view,
            views.observations,
            views.masks.view(np.uint64),
            views.states,
            views.seats,
        )
        return views

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
        """(games, size) float32: each as `seats` sees it."""
        return self.arrays.rows

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

    def outcome(self, lane: int) -> dict[str, Any]:
        """How the game that the last step ended in a lane went for the caller's seat, or for all with seat="all"."""
        row = self.arrays.lanes[lane]
        told = [self._outcome_of(row, seat) for seat in range(self.num_players)]
        found: dict[str, Any] = {"seed": int(row["ended_seed"]), "illegal": int(row["ended_illegal"])}
        found["lost_illegally"] = bool(row["lost_illegally"])
        if row["seat_rule"] == ALL_SEATS:
            return found | {"seats": told}
        return found | {"seat": int(row["ended_seat"]), **told[row["ended_seat"]], "seats": told}

    @staticmethod
    def _outcome_of(row: np.void, seat: int) -> dict[str, Any]:
        points = dict(zip(SOURCES, row["points"][seat].tolist(), strict=True))
        points["total"] = sum(points.values())
        return {"points": points, "coins": int(row["coins"][seat]), "rank": int(row["rank"][seat])}

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
        return sum(array[:1].nbytes for array in self.arrays if len(array) == self.num_games)


def _legal_bits(state: np.void) -> np.ndarray:
    return np.unpackbits(state["legal"].view(np.uint8), bitorder="little")


def _check_threads(threads: object) -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not is_whole(threads) or not 1 <= threads <= cores:
        raise ArgumentError(f"threads: found {shown(threads)}, must be a whole number 1..{cores}, the cores there are")
    return int(threads)


def _seat_rule(seat: int | str, players: int) -> tuple[int, int]:
    """The code of a seat argument, and the seat where it is a fixed one."""
    if is_whole(seat) and 0 <= seat < players:
        return FIXED_SEAT, int(seat)
    if isinstance(seat, str) and seat in SEAT_RULES:
        return SEAT_RULES[seat], 0
    raise ArgumentError(
        f"seat: found {shown(seat)}, must be a seat 0..{players - 1}, "
        f"or one of {', '.join(map(shown, SEAT_RULES))}{nearest(seat, SEAT_RULES)}"
    )
