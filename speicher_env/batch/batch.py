"""`Batch`: many games stepped by one compiled call, the engine room of every environment with rows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from speicher_env.arguments import check_choice, check_first_player, check_flag, check_players, check_seed, is_whole
from speicher_env.batch.lane import (
    ALL_SEATS,
    CALLER,
    DRAWN_SEAT,
    FIXED_SEAT,
    LANE,
    NOBODY,
    OUTSIDE,
    RANDOM,
    ROTATING_SEAT,
)
from speicher_env.batch.opponents import OpponentSpec, Outside, checked_answer, player_from_spec
from speicher_env.batch.step import (
    Arrays,
    Options,
    answer_lanes,
    begin_games,
    find_illegal,
    step_lanes,
    step_lanes_on_cores,
    write_views,
)
from speicher_env.deal import DeckArgument, template_for
from speicher_env.errors import ArgumentError, IllegalAction
from speicher_env.observation import observation_size
from speicher_env.observation.encode import seat_width
from speicher_env.rewards import SCHEMES
from speicher_env.rules.actions import ACTION_TEXTS, N_ACTIONS
from speicher_env.rules.legal import MASK_WORDS
from speicher_env.rules.scoring import SOURCES
from speicher_env.rules.state import MAX_PLAYERS, PHASES, STATE, blank_states
from speicher_env.rules.stream import MAX_SEED
from speicher_env.views import CompiledPlayer, Views

AUTORESETS = ("disabled", "next_step", "same_step")
ON_ILLEGAL = ("raise", "lose", "random")
SEAT_RULES = {"all": ALL_SEATS, "rotating": ROTATING_SEAT, "random": DRAWN_SEAT}

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
                the seed of each game) for one seat only, the others being played by `opponents`.
            opponents: A player for all other seats or one for each, clockwise from the caller's.
            reward: "outcome", "rank" or "margin".
            padded: Whether observations have room for 5 seats.
            autoreset: What a lane does whose game is over: "disabled" waits for `reset`, "next_step" deals in the next
                step and ignores its action, "same_step" deals at once and keeps the last observation in `final_rows`.
            illegal: "raise" refuses the whole step, "lose" loses the lane's game, "random" plays a random legal action.
            first_player: The seat that begins every game, None to draw it.
            threads: Cores to use, 1..the number there are.
        """
        self.num_games = _check_count("num_games", num_games)
        self.num_players = check_players(num_players)
        self.padded = check_flag("padded", padded)
        self.reward = check_choice("reward", reward, SCHEMES)
        self.autoreset = check_choice("autoreset", autoreset, AUTORESETS)
        self.illegal = check_choice("illegal", illegal, ON_ILLEGAL)
        self.threads = _check_threads(threads)
        self.seats_in_view = MAX_PLAYERS if self.padded else self.num_players
        self._options = Options(
            SCHEMES.index(self.reward),
            AUTORESETS.index(self.autoreset),
            ON_ILLEGAL.index(self.illegal),
            self.seats_in_view,
        )
        templates, which = self._templates(deck)
        self.arrays = self._allocate(templates)
        self._every = np.arange(self.num_games)
        self._choose: Any = None
        self.outside = Outside()
        self._dealt = False
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
            shown=blank_states(games),
            showing=np.zeros(games, dtype=np.bool_),
            rows=np.zeros((games, size), dtype=np.float32),
            pictures=np.zeros((games, self.seats_in_view * seat_width(self.seats_in_view)), dtype=np.float32),
            masks=np.zeros((games, MASK_WORDS), dtype=np.uint64),
        )

    # Players

    def set_opponents(self, opponents: Opponents, lanes: np.ndarray | Sequence[int] | None = None) -> None:
        """Seat other players, in all lanes or in some, from each lane's next game on."""
        others = self.num_players - 1
        if isinstance(opponents, list | tuple):
            if len(opponents) != others:
                raise ArgumentError(
                    f"opponents: found {len(opponents)}, must be one player for all other seats, "
                    f"or one for each of {others}"
                )
            specs = list(opponents)
        else:
            specs = [opponents] * others
        codes = [self._code(spec) for spec in specs]
        chosen = self._every if lanes is None else np.asarray(lanes)
        self.arrays.lanes["opponents"][np.ix_(chosen, np.arange(others))] = codes

    def _code(self, spec: OpponentSpec) -> int:
        player = player_from_spec(spec)
        if player is None:
            return RANDOM
        if isinstance(player, CompiledPlayer):
            if self._choose is not None and self._choose is not player.choose:
                raise ArgumentError(
                    f"opponents: {player.name!r} is compiled apart from the players already seated here"
                )
            self._choose = player.choose
            return player.code
        return OUTSIDE - self.outside.number(player, spec if isinstance(spec, str) else type(spec).__name__)

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
        chosen = self._every if lanes is None else np.asarray(lanes, dtype=np.int64)
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
        begin_games(self.arrays, self._options, chosen, numbers.astype(np.int64), self._choose)
        self._dealt = True
        self._ask_outside()

    def step(self, actions: np.ndarray) -> None:
        """Carry out one action in every lane and play on to the caller's next decision.

        Raises:
            ArgumentError: For actions that are not one whole number for each lane, or before the first reset.
            IllegalAction: With illegal="raise", naming the first lane at fault; no lane has been stepped then.
        """
        if not self._dealt:
            raise ArgumentError("step() was called before reset(), which deals the first games")
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_games,) or chosen.dtype.kind not in "iu":
            raise ArgumentError(
                f"actions: found {chosen.dtype} of shape {chosen.shape}, "
                f"must be one action id for each of {self.num_games} games"
            )
        if chosen.dtype != np.int64:
            chosen = chosen.astype(np.int64)
        arrays = self.arrays
        if self.autoreset == "disabled" and (arrays.waiting == NOBODY).any():
            lane = int((arrays.waiting == NOBODY).argmax())
            raise ArgumentError(f"game {lane} is over; reset() must deal the next one before step()")
        if self.illegal == "raise":
            lane = find_illegal(arrays.states, arrays.waiting, self._every, chosen)
            if lane >= 0:
                raise self._illegal(lane, int(chosen[lane]))
        if self.threads > 1:
            step_lanes_on_cores(arrays, self._options, self._every, chosen, self._choose, self.threads)
        else:
            step_lanes(arrays, self._options, self._every, chosen, self._choose, 0, self.num_games)
        if self.outside.players:
            self._ask_outside()

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
                answer = self.outside.players[OUTSIDE - code].act(self.views(lanes))
                actions = checked_answer(answer, len(lanes), name)
                fault = find_illegal(arrays.states, arrays.waiting, lanes, actions)
                if fault >= 0:
                    raise self._illegal(int(lanes[fault]), int(actions[fault]), f"player {name}, ")
                answer_lanes(arrays, self._options, lanes, actions, self._choose)

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

    def _illegal(self, lane: int, action: int, who: str = "") -> IllegalAction:
        state = self.arrays.states[lane]
        legal = [text for text, allowed in zip(ACTION_TEXTS, _legal_bits(state), strict=False) if allowed]
        text = ACTION_TEXTS[action] if 0 <= action < N_ACTIONS else str(action)
        return IllegalAction(PHASES[state["phase"]], int(state["player"]), text, legal, f"{who}game {lane}: ")

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


def _check_count(name: str, value: object) -> int:
    if not is_whole(value) or value < 1:
        raise ArgumentError(f"{name}: found {value!r}, must be a whole number, 1 or more")
    return int(value)


def _check_threads(threads: object) -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not is_whole(threads) or not 1 <= threads <= cores:
        raise ArgumentError(f"threads: found {threads!r}, must be a whole number 1..{cores}, the cores there are")
    return int(threads)


def _seat_rule(seat: int | str, players: int) -> tuple[int, int]:
    """The code of a seat argument, and the seat where it is a fixed one."""
    if is_whole(seat) and 0 <= seat < players:
        return FIXED_SEAT, int(seat)
    if isinstance(seat, str) and seat in SEAT_RULES:
        return SEAT_RULES[seat], 0
    raise ArgumentError(
        f"seat: found {seat!r}, must be a seat 0..{players - 1}, or one of {', '.join(map(repr, SEAT_RULES))}"
    )
