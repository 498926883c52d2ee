"""Damaged states, each refused in one sentence or played to its end: `python -m tests.support.fuzz_states`.

States of real games are changed at random: bytes, fields, swaps, several at once, and edits that a careful user could
make, such as other coins or another order of the hidden cards. What `Game.from_state` accepts is played to its end by
random legal actions, with every state along the way looked at again now and then. Run it with NUMBA_BOUNDSCHECK=1, or
with NUMBA_DISABLE_JIT=1, as `make fuzz-states` does: then an index past the end of an array raises.

A case follows from its seed alone. The first fault stops the run with the command that repeats it.
"""

from __future__ import annotations

import argparse
import random
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cache
from typing import NamedTuple

import numpy as np
from numba import config

from speicher_env import Game, StateError
from speicher_env._jit import jit
from speicher_env.rules.cards import N_CARDS, SEASON_OF
from speicher_env.rules.legal import count_legal, nth_legal
from speicher_env.rules.state import N_STATE_BYTES, STATE
from speicher_env.rules.status import status, with_legal_actions
from speicher_env.rules.stream import PLAY_STREAM, below, start_stream
from speicher_env.rules.turn import step
from speicher_training.executor import WorkerError
from tests.support import kept
from tests.support.fuzz import EXIT_DIFFERENCE, Interrupt, Progress, jobs_anywhere, parser_for, report_end
from tests.support.games import OWN_DECK, play_at_random
from tests.support.seed_chunks import Seeds, in_chunks

CHUNK = 500
"""States that a process tries before it reports: about a second."""
BASE_GAMES = 24
STATUS_EVERY = 40
"""One accepted state of so many is looked at again after every action, not only at the end."""
LONGEST_GAME = 5000

REFUSED, ACCEPTED, UNCHANGED = "refused", "accepted", "unchanged"

Mutation = Callable[[np.void, random.Random], None]


class Report(NamedTuple):
    """What came of a chunk of states."""

    counts: Counter[str]
    fault: str | None
    seed: int
    """Of the state with the fault, else of the last one."""


@cache
def base_states(number: int) -> list[bytes]:
    """States from all parts of one game."""
    rng = random.Random(number)
    deck = ("standard", "sampled", OWN_DECK)[number // 4 % 3]
    game = Game(2 + number % 4, deck, seed=number)
    states = [bytes(game.state.tobytes())]
    while not game.over:
        play_at_random(game, rng, 1 + rng.randrange(4))
        states.append(bytes(game.state.tobytes()))
    return states


# Mutations. The first change anything to anything, the others are edits that may well leave a sound state.


def _write_a_byte(game: np.void, rng: random.Random) -> None:
    data = _bytes_of(game)
    data[rng.randrange(N_STATE_BYTES)] = rng.randrange(256)


def _shift_a_byte(game: np.void, rng: random.Random) -> None:
    data = _bytes_of(game)
    place = rng.randrange(N_STATE_BYTES)
    data[place] = (int(data[place]) + rng.choice((-1, 1))) % 256


def _flip_a_bit(game: np.void, rng: random.Random) -> None:
    _bytes_of(game)[rng.randrange(N_STATE_BYTES)] ^= 1 << rng.randrange(8)


def _swap_two_bytes(game: np.void, rng: random.Random) -> None:
    data = _bytes_of(game)
    first, second = rng.randrange(N_STATE_BYTES), rng.randrange(N_STATE_BYTES)
    data[[first, second]] = data[[second, first]]


def _write_a_field(game: np.void, rng: random.Random) -> None:
    values = _values(game, rng.choice(_FIELDS))
    limits = np.iinfo(values.dtype)
    value = rng.choice((limits.min, limits.max, rng.randrange(-4, 56), rng.randrange(-1, 6)))
    values[rng.randrange(values.size)] = min(max(value, limits.min), limits.max)


def _swap_in_a_field(game: np.void, rng: random.Random) -> None:
    values = _values(game, rng.choice(_FIELDS))
    first, second = rng.randrange(values.size), rng.randrange(values.size)
    values[[first, second]] = values[[second, first]]


def _take_a_field_of_another_game(game: np.void, rng: random.Random) -> None:
    other = np.frombuffer(rng.choice(base_states(rng.randrange(BASE_GAMES))), dtype=STATE)[0]
    field = rng.choice(_FIELDS)
    game[field] = other[field]


def _take_everything_but_a_field(game: np.void, rng: random.Random) -> None:
    field = rng.choice(_FIELDS)
    values = _values(game, field).copy()
    _bytes_of(game)[:] = np.frombuffer(rng.choice(base_states(rng.randrange(BASE_GAMES))), dtype=np.uint8)
    _values(game, field)[:] = values


def _other_coins(game: np.void, rng: random.Random) -> None:
    game["coins"][rng.randrange(5)] = rng.choice((0, 1, 5, 20, 60, 90, 128, 200, 32767, -1))


def _other_first_player(game: np.void, rng: random.Random) -> None:
    game["first_player"] = rng.randrange(6)


def _other_player(game: np.void, rng: random.Random) -> None:
    game["player"] = rng.randrange(-1, 6)


def _other_hidden_order(game: np.void, rng: random.Random) -> None:
    top, size = max(0, int(game["pile_next"])), min(54, int(game["pile_size"]))
    if size - top > 1:
        first, second = rng.randrange(top, size), rng.randrange(top, size)
        seasons = [SEASON_OF[game["pile"][place] % N_CARDS] for place in (first, second)]
        if rng.random() < 0.2 or seasons[0] == seasons[1]:
            game["pile"][[first, second]] = game["pile"][[second, first]]
    bag = game["bag"][max(0, int(game["bag_next"])) :]
    bag[:] = rng.sample(bag.tolist(), len(bag))


def _draw_more(game: np.void, rng: random.Random) -> None:
    """Cubes from the bag to the stock, or a card from the pile to the discard pile."""
    if rng.random() < 0.5 and 0 <= game["bag_next"] < 45:
        game["stock"][game["bag"][game["bag_next"]] % 5] += 1
        game["bag_next"] += 1
    elif 0 <= game["pile_next"] < 54:
        game["owner"][game["pile"][game["pile_next"]] % N_CARDS] = -3
        game["pile_next"] += 1


def _move_cubes(game: np.void, rng: random.Random) -> None:
    good, seat = rng.randrange(5), rng.randrange(5)
    places = [game["stock"], game["cubes"][seat], game["aboard"][seat], game["cubes"][rng.randrange(5)]]
    source, target = rng.sample(places, 2)
    if source[good] > 0 or rng.random() < 0.1:
        source[good] -= 1
        target[good] += 1


def _swap_owners(game: np.void, rng: random.Random) -> None:
    first, second = rng.randrange(54), rng.randrange(54)
    game["owner"][[first, second]] = game["owner"][[second, first]]


def _swap_seats(game: np.void, rng: random.Random) -> None:
    """What two seats own and hold changes hands."""
    first, second = rng.randrange(5), rng.randrange(5)
    for field in ("coins", "cubes", "aboard", "workers", "bought", "fire_points", "firemen", "offices", "ships"):
        game[field][[first, second]] = game[field][[second, first]]
    game["contract_points"][[first, second]] = game["contract_points"][[second, first]]
    for field in ("owner", "queue"):
        values = _values(game, field)
        of_first, of_second = values == first, values == second
        values[of_first], values[of_second] = second, first


def _move_a_worker(game: np.void, rng: random.Random) -> None:
    column, target = rng.randrange(6), rng.randrange(6)
    count = int(game["standing"][column])
    if 0 < count <= 8 and 0 <= game["standing"][target] < 8:
        worker = game["queue"][column, count - 1]
        game["queue"][column, count - 1] = -1
        game["standing"][column] -= 1
        game["queue"][target, game["standing"][target]] = worker
        game["standing"][target] += 1


def _take_a_worker_back(game: np.void, rng: random.Random) -> None:
    column = rng.randrange(6)
    count = int(game["standing"][column])
    if 0 < count <= 8:
        game["workers"][game["queue"][column, count - 1] % 5] += 1
        game["queue"][column, count - 1] = -1
        game["standing"][column] -= 1


def _other_phase(game: np.void, rng: random.Random) -> None:
    game["phase"] = rng.randrange(-1, 5)
    game["offer"] = rng.randrange(-2, 6)
    game["loaded"] = rng.randrange(-1, 6)


def _other_offer(game: np.void, rng: random.Random) -> None:
    game["offer"] = rng.choice((-128, -2, -1, 0, 1, 2, 3, 4, 5, 6, 127))


def _other_seed(game: np.void, rng: random.Random) -> None:
    game["seed"] = rng.choice((0, 1, rng.getrandbits(63)))


def _bytes_of(game: np.void) -> np.ndarray:
    """The bytes of a state, for writing: `game` is an element of an array of one."""
    bytes_of_state: np.ndarray = game.base.view(np.uint8)
    return bytes_of_state


def _values(game: np.void, field: str) -> np.ndarray:
    """The values of a field in one row, for writing."""
    values: np.ndarray = game.base[field].reshape(-1)
    return values


_FIELDS: tuple[str, ...] = STATE.names or ()
_ANY: tuple[Mutation, ...] = (
    _write_a_byte,
    _shift_a_byte,
    _flip_a_bit,
    _swap_two_bytes,
    _write_a_field,
    _swap_in_a_field,
    _take_a_field_of_another_game,
    _take_everything_but_a_field,
)
_CAREFUL: tuple[Mutation, ...] = (
    _other_coins,
    _other_first_player,
    _other_player,
    _other_hidden_order,
    _draw_more,
    _move_cubes,
    _swap_owners,
    _swap_seats,
    _move_a_worker,
    _take_a_worker_back,
    _other_phase,
    _other_offer,
    _other_seed,
)


def mutated(seed: int) -> tuple[np.ndarray, bytes]:
    """The damaged state of a seed, as an array of one, and the state that it was."""
    rng = random.Random(seed)
    before = rng.choice(base_states(rng.randrange(BASE_GAMES)))
    states = np.frombuffer(bytearray(before), dtype=STATE)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        rng.choice(rng.choice((_ANY, _CAREFUL, _CAREFUL)))(states[0], rng)
    if rng.random() < 0.5:
        with_legal_actions(states[0])
    return states, before


# Playing on


@jit
def play_to_the_end(states: np.ndarray, seed: int, most: int) -> int:
    """Play random legal actions in states[0], at most `most`; the number played."""
    stream = start_stream(seed, PLAY_STREAM)
    played = 0
    while played < most:
        count = count_legal(states[0])
        if count == 0:
            break
        pick, stream = below(stream, count)
        step(states, 0, nth_legal(states[0], pick))
        played += 1
    return played


def try_one(seed: int) -> str:
    """Offer the state of a seed to `Game` and play it if it is accepted; what became of it."""
    states, before = mutated(seed)
    try:
        game = Game.from_state(states)
    except StateError as error:
        if not str(error).startswith("no game can be in this state: "):
            raise AssertionError(f"the refusal is not one of ours: {error}") from None
        return REFUSED
    if game.state.tobytes() != states.tobytes():
        raise AssertionError("the game is not in the state that it was given")
    played = game.states_view
    careful = seed % STATUS_EVERY == 0
    for _ in range(LONGEST_GAME):
        if play_to_the_end(played, seed, 1 if careful else LONGEST_GAME) == 0:
            break
        faults = status(played[0])
        if faults:
            raise AssertionError(f"play led to a state that is refused: {faults[0]}")
    if not game.over:
        raise AssertionError(f"the game is not over after {LONGEST_GAME} actions")
    game.points(), game.ranks(), game.legal(), repr(game)
    return UNCHANGED if states.tobytes() == before else ACCEPTED


def try_seeds(first: int, count: int) -> Report:
    """Try the states of so many seeds, up to the first fault."""
    counts: Counter[str] = Counter()
    for seed in range(first, first + count):
        try:
            counts[try_one(seed)] += 1
        except Exception:
            return Report(counts, traceback.format_exc(), seed)
    return Report(counts, None, first + count - 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; returns the exit code."""
    options = _options(arguments)
    if not (config.BOUNDSCHECK or config.DISABLE_JIT):
        print(
            "Set NUMBA_BOUNDSCHECK=1 (or NUMBA_DISABLE_JIT=1): unchecked indices would crash unseen.", file=sys.stderr
        )
        return 2
    counts: Counter[str] = Counter()
    command = f"python -m tests.support.fuzz_states --seed {options.seed} --states {options.states}"
    result = kept.begin(command)  # before the run: the code that runs is that of this commit
    progress = Progress(options.states, "states")
    fault: Report | None = None
    job = Seeds("tests.support.fuzz_states", "try_seeds")
    chunks = in_chunks(job, options.states, options.seed, CHUNK, options)
    with Interrupt() as interrupt, closing(chunks) as running:
        try:
            for report in running:
                counts += report.counts
                progress.say(counts.total())
                if report.fault is not None:
                    fault = report
                if fault is not None or interrupt.noted:
                    break
        except WorkerError as error:
            progress.close()
            print(str(error))
            return EXIT_DIFFERENCE
    progress.close()
    how = "interpreted" if config.DISABLE_JIT else "with checked indices"
    print(f"{counts.total():,} states {how}: " + ", ".join(f"{counts[kind]:,} {kind}" for kind in _KINDS))
    if options.keep and not interrupt.noted:
        result |= {"seed": options.seed, "states": counts.total() + (fault is not None), "run": how}
        result |= {kind: counts[kind] for kind in _KINDS}
        result |= {"played_to_the_end": counts[ACCEPTED] + counts[UNCHANGED], "faults": int(fault is not None)}
        kept.finish("fuzz_states", result)
    seeds = range(options.seed, options.seed + options.states)
    return report_end(fault, interrupt, "fuzz_states --states", "no fault", seeds)


_KINDS = (REFUSED, ACCEPTED, UNCHANGED)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    description = "Damage states of real games; each must be refused, or be playable to its end."
    parser = parser_for("fuzz_states", description, "states", 10_000)
    kept.add_argument(parser)
    options = parser.parse_args(arguments)
    options.jobs = jobs_anywhere(options, options.states, CHUNK)
    return options


if __name__ == "__main__":
    sys.exit(main())
