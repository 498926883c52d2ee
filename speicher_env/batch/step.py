"""The compiled step of a batch: actions in; observations, masks, rewards and ends out.

Every function here works on the lanes of a list and touches nothing but those, so parts of a list may run on different
cores. Nothing is allocated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import prange

from speicher_env._jit import jit, jit_inlined, jit_parallel
from speicher_env._machine import borrow
from speicher_env.batch.lane import ALL_SEATS, CALLER, DRAWN_SEAT, NO_SEAT, NOBODY, RANDOM, ROTATING_SEAT
from speicher_env.observation.refresh import refresh_observation
from speicher_env.observation.rows import put_figures, write_row
from speicher_env.rewards import rank_of, write_forfeit_rewards, write_rewards
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.legal import count_legal, has_short_mask, is_legal, nth_legal, write_mask, write_short_mask
from speicher_env.rules.scoring import points_by_source
from speicher_env.rules.state import EMPTY, OVER
from speicher_env.rules.stream import PLAY_STREAM, SEAT_STREAM, below, next_seed, start_stream
from speicher_env.rules.turn import apply, deal

__all__ = [
    "RESET_SAME_STEP", "Arrays", "Options", "answer_lanes", "begin_games", "enter_states", "find_illegal",
    "forfeit_lane", "random_action", "step_all", "step_all_on_cores",
]  # fmt: skip

Choose = Callable[[np.void, int, np.ndarray], int] | None
"""A compiled player: (state, code, stream of the lane) -> a legal action. None where RANDOM is the only code."""

# What happens to a game that is over (argument `autoreset`).
RESET_NEVER, RESET_NEXT_STEP, RESET_SAME_STEP = 0, 1, 2
# What happens on an illegal action of the caller (argument `on_illegal`). REFUSE relies on a check of all beforehand.
REFUSE, LOSE, REPLACE = 0, 1, 2


class Arrays(NamedTuple):
    """The memory of a batch."""

    states: np.ndarray
    """(lanes,) STATE."""
    lanes: np.ndarray
    """(lanes,) LANE."""
    templates: np.ndarray
    """(decks,) STATE before the deal."""
    viewers: np.ndarray
    """(lanes,) int8: the seat that a lane's row is shown to."""
    waiting: np.ndarray
    """(lanes,) int32: CALLER, NOBODY or the code of a player outside."""
    final_rows: np.ndarray
    """(lanes, size): the last row of the game that ended in this step, with RESET_SAME_STEP; (0, size) without."""
    shown: np.ndarray
    """(lanes,) SHOWN: what a row shows."""
    rows: np.ndarray
    """(lanes, size) float32 or uint8: observations, with their figures after them where asked for."""
    masks: np.ndarray
    """(lanes, 23) uint64: masks of 184 bytes."""
    moves: np.ndarray
    """(lanes, MAX_DECISIONS) uint8: the actions of all seats in a lane's game; (lanes, 0) without a log."""
    final_moves: np.ndarray
    """As `moves`, of the game that ended in this step, with RESET_SAME_STEP."""


class Options(NamedTuple):
    """What a batch does the same for all its lanes."""

    scheme: int
    """OUTCOME, RANK or MARGIN."""
    autoreset: int
    """RESET_NEVER, RESET_NEXT_STEP or RESET_SAME_STEP."""
    on_illegal: int
    """REFUSE, LOSE or REPLACE."""
    seats: int
    """Seats in view: the number of players, or 5 when padded."""
    figures: bool | None
    """Whether rows have figures: True or None, see `put_figures`."""


@jit
def random_action(game: np.void, stream: np.ndarray) -> int:
    """A legal action, every one equally likely, drawn from a lane's stream."""
    pick, after = below((stream[0], stream[1], stream[2], stream[3]), count_legal(game))
    stream[0], stream[1], stream[2], stream[3] = after
    action: int = nth_legal(game, pick)
    return action


@jit
def acceptable(game: np.void, action: int) -> bool:
    """Whether a number from outside is an action that is legal now."""
    return 0 <= action < N_ACTIONS and is_legal(game, action)


@jit
def find_illegal(states: np.ndarray, waiting: np.ndarray, chosen: np.ndarray, actions: np.ndarray) -> int:
    """The place in `chosen` of the first illegal action, -1 if there is none. Games that are over take any action."""
    for place in range(chosen.size):
        index = chosen[place]
        if waiting[index] != NOBODY and not acceptable(states[index], actions[place]):
            return place
    return -1


@jit
def deal_lane(states: np.ndarray, lanes: np.ndarray, templates: np.ndarray, index: int, seed: int) -> None:
    """Deal a lane's next game and say who decides for which seat."""
    lane = lanes[index]
    deal(states, index, templates, lane["template"], seed, lane["first_player"])
    if lane["seat_rule"] == ROTATING_SEAT:
        lane["seat"] = (lane["seat"] + 1) % states[index]["players"]
    seat_players(lane, states[index]["players"], seed)


@jit
def seat_players(lane: np.void, players: int, seed: int) -> None:
    """Say who decides for which seat of a game that begins here, and start its counts and its stream."""
    if lane["seat_rule"] == DRAWN_SEAT:
        lane["seat"], _ = below(start_stream(seed, SEAT_STREAM), players)
    for seat in range(players):
        lane["controller"][seat] = CALLER
    if lane["seat_rule"] == NO_SEAT:
        for seat in range(players):
            lane["controller"][seat] = lane["opponents"][seat]
    elif lane["seat_rule"] != ALL_SEATS:
        for further in range(1, players):
            lane["controller"][(lane["seat"] + further) % players] = lane["opponents"][further - 1]
    stream = lane["stream"]
    stream[0], stream[1], stream[2], stream[3] = start_stream(seed, PLAY_STREAM)
    lane["length"] = 0
    lane["moves"] = 0
    lane["illegal"] = 0


@jit
def play(game: np.void, lane: np.void, moves: np.ndarray, action: int) -> None:
    """Carry out a legal action in a lane, count it, and log it if there is a log."""
    apply(game, action)
    lane["decisions"] += 1
    if lane["moves"] < moves.size:
        moves[lane["moves"]] = action
        lane["moves"] += 1


@jit
def play_inside(game: np.void, lane: np.void, moves: np.ndarray, choose: Choose) -> None:
    """Play the seats of compiled players, up to a decision of somebody else, an illegal answer, or the end."""
    controller = lane["controller"]
    while game["phase"] != OVER:
        code = controller[game["player"]]
        if code < 0:
            return
        if choose is None or code == RANDOM:
            action = random_action(game, lane["stream"])
        else:
            action = choose(game, code, lane["stream"])
            if not acceptable(game, action):
                lane["refused"] = action
                return
        play(game, lane, moves, action)


@jit
def settle(game: np.void, lane: np.void, scheme: int) -> None:
    """The game is over: rewards, points by source, coins and ranks."""
    lane["ended"] = True
    lane["ended_seat"] = lane["seat"]
    lane["ended_length"] = lane["length"]
    lane["ended_moves"] = lane["moves"]
    lane["ended_illegal"] = lane["illegal"]
    lane["ended_seed"] = game["seed"]
    write_rewards(game, scheme, lane["reward"])
    for seat in range(game["players"]):
        points_by_source(game, seat, lane["points"][seat])
        lane["coins"][seat] = game["coins"][seat]
        lane["rank"][seat] = rank_of(game, seat)


@jit
def forfeit(game: np.void, lane: np.void, scheme: int) -> None:
    """End the game as lost by the deciding seat: it ranks last and is paid the least, the others share the win."""
    loser = game["player"]
    players = game["players"]
    settle(game, lane, scheme)
    lane["forfeited_by"] = loser
    for seat in range(players):
        lane["rank"][seat] = players if seat == loser else 1
    write_forfeit_rewards(players, loser, scheme, lane["reward"])
    game["phase"] = OVER
    game["player"] = EMPTY
    for word in range(game["legal"].size):
        game["legal"][word] = np.uint64(0)


@jit
def clear_end(lane: np.void) -> None:
    """Nothing has ended in this step yet."""
    lane["ended"] = False
    lane["lost_illegally"] = False
    lane["forfeited_by"] = EMPTY
    for seat in range(lane["reward"].size):
        lane["reward"][seat] = 0.0


@jit_inlined
def next_game(batch: Arrays, index: int, seed: int, choose: Choose) -> None:
    """Deal a lane's next game and play on to the first decision that is not compiled in."""
    deal_lane(batch.states, batch.lanes, batch.templates, index, seed)
    batch.shown[index]["round"] = 0
    play_inside(batch.states[index], batch.lanes[index], batch.moves[index], choose)


@jit_inlined
def wait(batch: Arrays, index: int) -> None:
    """Note whose decision a lane waits for, and to whom its row is shown. After the end the last viewer stays."""
    game = batch.states[index]
    lane = batch.lanes[index]
    if game["phase"] == OVER:
        batch.waiting[index] = NOBODY
        return
    batch.waiting[index] = lane["controller"][game["player"]]
    batch.viewers[index] = game["player"] if lane["seat_rule"] == ALL_SEATS else lane["seat"]


@jit_inlined
def show(batch: Arrays, options: Options, index: int) -> None:
    """Write a lane's row and mask, unless it waits for a player outside."""
    if batch.waiting[index] < CALLER and batch.waiting[index] != NOBODY:
        return
    game = batch.states[index]
    refresh_observation(game, batch.viewers[index], batch.shown[index], options.seats, batch.rows[index])
    put_figures(options.figures, game, batch.viewers[index], options.seats, batch.rows[index])
    short = has_short_mask(game)
    if short and batch.shown[index]["short_mask"]:
        write_short_mask(game, batch.masks[index])
    else:
        write_mask(game, batch.masks[index])
        batch.shown[index]["short_mask"] = short


@jit
def begin_games(batch: Arrays, options: Options, chosen: np.ndarray, seeds: np.ndarray, choose: Choose) -> None:
    """Deal new games in the chosen lanes."""
    for place in range(chosen.size):
        index = chosen[place]
        clear_end(batch.lanes[index])
        next_game(batch, index, seeds[place], choose)
        if batch.states[index]["phase"] == OVER:  # nobody but compiled players took part
            settle(batch.states[index], batch.lanes[index], options.scheme)
        wait(batch, index)
        show(batch, options, index)


@jit_inlined
def act(batch: Arrays, options: Options, index: int, action: int) -> None:
    """The caller's action in a lane, legal or not."""
    game = batch.states[index]
    lane = batch.lanes[index]
    lane["length"] += 1
    if options.on_illegal != REFUSE and not acceptable(game, action):
        lane["illegal"] += 1
        if options.on_illegal == LOSE:
            forfeit(game, lane, options.scheme)
            lane["lost_illegally"] = True
            return
        action = random_action(game, lane["stream"])
    play(game, lane, batch.moves[index], action)


@jit_inlined
def play_on(batch: Arrays, options: Options, index: int, choose: Choose) -> None:
    """Play a lane on after an action: compiled players, the end if it has come, and the next game."""
    game = batch.states[index]
    lane = batch.lanes[index]
    play_inside(game, lane, batch.moves[index], choose)
    if game["phase"] == OVER:
        if not lane["ended"]:
            settle(game, lane, options.scheme)
        # Without a seat for the caller, games would follow each other for ever.
        if options.autoreset == RESET_SAME_STEP and lane["seat_rule"] != NO_SEAT:
            write_row(game, batch.viewers[index], options.seats, options.figures, batch.final_rows[index])
            for move in range(min(lane["ended_moves"], batch.moves.shape[1])):
                batch.final_moves[index, move] = batch.moves[index, move]
            next_game(batch, index, next_seed(game["seed"]), choose)
    wait(batch, index)


@jit_inlined
def borrowed(batch: Arrays) -> Arrays:
    """The same memory without reference counts, for the length of one call."""
    return Arrays(
        borrow(batch.states),
        borrow(batch.lanes),
        borrow(batch.templates),
        borrow(batch.viewers),
        borrow(batch.waiting),
        borrow(batch.final_rows),
        borrow(batch.shown),
        borrow(batch.rows),
        borrow(batch.masks),
        borrow(batch.moves),
        borrow(batch.final_moves),
    )


@jit
def step_lanes(
    batch: Arrays,
    options: Options,
    chosen: np.ndarray,
    actions: np.ndarray,
    choose: Choose,
    start: int,
    stop: int,
) -> None:
    """Carry out the caller's actions in chosen[start:stop] and play on to the next decision asked for.

    A game that was over already takes no action: the lane's next game begins (RESET_NEXT_STEP).
    """
    batch = borrowed(batch)
    for place in range(start, stop):
        index = chosen[place]
        was_over = batch.waiting[index] == NOBODY
        clear_end(batch.lanes[index])
        if was_over:
            next_game(batch, index, next_seed(batch.states[index]["seed"]), choose)
            wait(batch, index)
        else:
            act(batch, options, index, actions[place])
            play_on(batch, options, index, choose)
        show(batch, options, index)


@jit
def step_all(batch: Arrays, options: Options, chosen: np.ndarray, actions: np.ndarray, choose: Choose) -> int:
    """`step_lanes` for all of `chosen`; with REFUSE the place of the first illegal action, nothing stepped, or -1."""
    if options.on_illegal == REFUSE:
        fault: int = find_illegal(batch.states, batch.waiting, chosen, actions)
        if fault >= 0:
            return fault
    step_lanes(batch, options, chosen, actions, choose, 0, chosen.size)
    return -1


@jit
def answer_lanes(
    batch: Arrays,
    options: Options,
    chosen: np.ndarray,
    actions: np.ndarray,
    choose: Choose,
) -> None:
    """Carry out the legal actions of players outside in the chosen lanes, which belong to the step under way."""
    for place in range(chosen.size):
        index = chosen[place]
        play(batch.states[index], batch.lanes[index], batch.moves[index], actions[place])
        play_on(batch, options, index, choose)
        show(batch, options, index)


@jit
def forfeit_lane(batch: Arrays, options: Options, index: int, choose: Choose) -> None:
    """End a lane's game as lost by the deciding seat, and deal the next one with RESET_SAME_STEP.

    A game dealt in a step that ended the one before it has no room for a result: it is replaced by the next one.
    """
    if batch.lanes[index]["ended"]:
        next_game(batch, index, next_seed(batch.states[index]["seed"]), choose)
        wait(batch, index)
    else:
        forfeit(batch.states[index], batch.lanes[index], options.scheme)
        play_on(batch, options, index, choose)
    show(batch, options, index)


@jit
def enter_states(
    batch: Arrays,
    options: Options,
    chosen: np.ndarray,
    states: np.ndarray,
    seeds: np.ndarray,
    choose: Choose,
) -> None:
    """Put running games into the chosen lanes and play on, as after a deal from these seeds."""
    for place in range(chosen.size):
        index = chosen[place]
        lane = batch.lanes[index]
        clear_end(lane)
        batch.states[index] = states[place]
        seat_players(lane, states[place]["players"], seeds[place])
        batch.viewers[index] = lane["seat"]
        batch.shown[index]["round"] = 0
        play_on(batch, options, index, choose)
        show(batch, options, index)


@jit_parallel
def step_all_on_cores(
    batch: Arrays,
    options: Options,
    chosen: np.ndarray,
    actions: np.ndarray,
    choose: Choose,
    threads: int,
) -> int:
    """`step_all` with an equal part of the lanes on each of `threads` cores."""
    if options.on_illegal == REFUSE:
        fault: int = find_illegal(batch.states, batch.waiting, chosen, actions)
        if fault >= 0:
            return fault
    for part in prange(threads):
        start = chosen.size * part // threads
        stop = chosen.size * (part + 1) // threads
        step_lanes(batch, options, chosen, actions, choose, start, stop)
    return -1
