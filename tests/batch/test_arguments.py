"""What a batch is given, and one clear sentence for what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from speicher_env import ArgumentError, DeckError
from speicher_env.batch import Batch
from speicher_env.batch import arguments as module

pytestmark = pytest.mark.nojit

BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no games": ({"num_games": 0}, "num_games=0: must be a whole number, 1 or more"),
    "half a game": ({"num_games": 0.5}, "num_games=0.5: must be a whole number, 1 or more"),
    "true games": ({"num_games": True}, "num_games=true: must be a whole number, 1 or more"),
    "players": ({"num_players": 6}, "num_players=6: must be 2, 3, 4 or 5"),
    "deck": ({"deck": "standrd"}, "standrd"),
    "too few decks": ({"deck": ["standard"]}, "deck=a list of 1: must be one deck, or one for each of 2 games"),
    "seat": ({"seat": 3}, 'seat=3: must be a seat 0..2, "all", "rotating", "random"'),
    "negative seat": ({"seat": -1}, "seat=-1: must be a seat 0..2"),
    "misspelt seat": ({"seat": "rotate"}, 'seat="rotate": must be .*, did you mean "rotating"?'),
    "true seat": ({"seat": True}, "seat=true: must be a seat 0..2"),
    "reward": ({"reward": "margins"}, 'reward="margins": must be .*, did you mean "margin"?'),
    "padded": ({"padded": 1}, "padded=1: must be True or False"),
    "autoreset": ({"autoreset": "samestep"}, 'autoreset="samestep": must be .*, did you mean "same_step"?'),
    "illegal": ({"illegal": "loose"}, 'illegal="loose": must be .*, did you mean "lose"?'),
    "first player": ({"first_player": 3}, "first_player=3: must be a seat 0..2, or None"),
    "no cores": ({"threads": 0}, r"threads=0: must be a whole number 1..\d+, the cores there are"),
    "on failure": ({"on_failure": "forfiet"}, 'must be .*, did you mean "forfeit"?'),
    "on failure 1": ({"on_failure": 1}, 'on_failure=1: must be "raise", "forfeit" or a function'),
    "log of moves": ({"log_moves": 1}, "log_moves.*1.*must be True or False"),
    "many cores": ({"threads": 10_000}, "threads=10000: must be a whole number 1"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_wrong_argument_is_refused_in_one_sentence(case: str) -> None:
    options, message = BAD[case]
    with pytest.raises((ArgumentError, DeckError), match=message) as raised:
        Batch(**{"num_games": 2, "num_players": 3, **options})
    assert "\n" not in str(raised.value)


SEEDS: dict[str, tuple[Any, str]] = {
    "too few": ([1], r"seeds=an array of int64 with shape \(1,\): must be 2 whole numbers"),
    "one": (1, r"seeds=an array of int64 with shape \(\): must be 2 whole numbers"),
    "floats": ([1.0, 2.0], r"seed=1\.0: must be a whole number"),
    "negative": ([1, -1], r"seed=-1: must be a whole number 0\.\.2\*\*64-1"),
    "too high": ([1, 2**64], "seed=18446744073709551616: must be"),
}


@pytest.mark.parametrize("case", SEEDS)
def test_wrong_seeds_are_refused_and_nothing_is_dealt(case: str) -> None:
    batch = Batch(2, 2)
    batch.reset([8, 9])
    before = batch.arrays.states.tobytes()
    seeds, message = SEEDS[case]
    with pytest.raises(ArgumentError, match=message):
        batch.reset(seeds)
    assert batch.arrays.states.tobytes() == before


def test_the_highest_seed_is_a_seed() -> None:
    batch = Batch(2, 2)
    batch.reset([0, 2**64 - 1])
    assert batch.arrays.states["seed"].tolist() == [0, 2**64 - 1]


LANES: dict[str, tuple[Any, str]] = {
    "too high": ([0, 2], r"lanes=2: must be numbers of games, 0\.\.1"),
    "far too high": (np.array([10**9]), r"lanes=1000000000: must be numbers of games, 0\.\.1"),
    "negative": ([-1], "lanes=-1: must be numbers of games"),
    "not signed": (np.array([2**64 - 1], dtype=np.uint64), "lanes=18446744073709551615: must be"),
    "floats": ([0.0], "lanes=a list of 1: must be a list of numbers of games"),
    "truth values": (np.array([True]), r"lanes=an array of bool with shape \(1,\): must be a list of numbers"),
    "a number": (0, "lanes=0: must be a list of numbers of games"),
    "a table": ([[0]], "lanes=a list of 1: must be a list"),
    "texts": (["0"], "lanes=a list of 1: must be a list"),
}
wrong_lanes = pytest.mark.parametrize("case", LANES)


@wrong_lanes
def test_lanes_that_are_not_there_are_refused_everywhere(case: str) -> None:
    """Compiled code would read and write past the end of the arrays."""
    batch = Batch(2, 2, seat=0)
    batch.reset([8, 9])
    before = batch.arrays.states.tobytes(), batch.arrays.lanes.tobytes()
    lanes, message = LANES[case]
    calls: list[Callable[[], object]] = [
        lambda: batch.reset([1], lanes),
        lambda: batch.step(batch.action_masks[:1].argmax(axis=1), lanes),
        lambda: batch.set_opponents("random", lanes),
        lambda: batch.set_states(batch.arrays.states[:1], lanes),
        lambda: batch.views(lanes),
        lambda: batch.results(lanes),
    ]
    for call in calls:
        with pytest.raises(ArgumentError, match=message):
            call()
    assert (batch.arrays.states.tobytes(), batch.arrays.lanes.tobytes()) == before


@pytest.mark.parametrize("lanes", [[0, 0], [1, 0, 1]], ids=repr)
def test_a_lane_is_not_named_twice_where_it_is_changed(lanes: list[int]) -> None:
    batch = Batch(2, 2, seat=0)
    batch.reset([8, 9])
    calls: list[Callable[[], object]] = [
        lambda: batch.reset(range(len(lanes)), lanes),
        lambda: batch.step(batch.action_masks[lanes].argmax(axis=1), lanes),
        lambda: batch.set_opponents("random", lanes),
        lambda: batch.set_states(batch.arrays.states[lanes], lanes),
    ]
    for call in calls:
        with pytest.raises(ArgumentError, match=r"lanes=a list of \d: must be numbers of games, 0\.\.1, none of them"):
            call()
    assert len(batch.views(lanes)) == len(lanes), "which harms nobody where lanes are only looked at"


def test_no_lanes_have_no_views_and_no_results_and_are_not_dealt() -> None:
    batch = Batch(2, 2)
    batch.reset([8, 9])
    before = batch.arrays.states.tobytes()
    batch.step(np.empty(0, dtype=np.int64), [])
    assert batch.arrays.states.tobytes() == before
    assert len(batch.views([])) == 0 and len(batch.results([]).lanes) == 0
    with pytest.raises(ArgumentError, match="lanes=a list of 0: must be a list of numbers of games"):
        batch.reset([], [])


def test_a_lane_that_is_over_or_was_never_dealt_has_no_view() -> None:
    batch = Batch(3, 2, seat="none", opponents=["random", "random"], autoreset="disabled")
    with pytest.raises(ArgumentError, match="game 1 is over, so there is no decision to show"):
        batch.views([1])
    batch.reset([1, 2, 3])
    with pytest.raises(ArgumentError, match="game 2 is over, so there is no decision to show"):
        batch.views([2])


def test_lanes_may_be_any_whole_numbers_in_any_layout() -> None:
    batch = Batch(4, 2)
    batch.reset([1, 2, 3, 4])
    expected = batch.views([1, 3])
    every_other = np.arange(8, dtype=np.int32)[1::2][:2]
    assert every_other.tolist() == [1, 3] and not every_other.flags.c_contiguous
    for lanes in (every_other, np.array([1, 3], dtype=np.uint8), (1, 3), range(1, 4, 2)):
        assert batch.views(lanes).states.tobytes() == expected.states.tobytes()  # type: ignore[arg-type]


def test_there_is_no_step_before_the_first_reset() -> None:
    with pytest.raises(ArgumentError, match=r"step\(\) was called before reset\(\), which deals the first games"):
        Batch(2, 2).step(np.zeros(2, dtype=int))


def test_equal_decks_share_one_template() -> None:
    assert len(Batch(6, 2, ["standard", "sampled"] * 3).arrays.templates) == 2


def test_memory_is_told_for_each_game() -> None:
    for players in (2, 5):
        one, many = Batch(1, players), Batch(100, players)
        total = sum(array.nbytes for array in many.arrays if array is not many.arrays.templates)
        assert many.bytes_per_game * 100 == total
        assert one.bytes_per_game in (many.bytes_per_game, many.bytes_per_game + one.arrays.templates.nbytes)


def test_cores_are_those_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.os, "sched_getaffinity", lambda pid: {0}, raising=False)
    with pytest.raises(ArgumentError, match=r"1\.\.1"):
        Batch(2, 2, threads=2)
    monkeypatch.delattr(module.os, "sched_getaffinity")
    monkeypatch.setattr(module.os, "cpu_count", lambda: 3)
    with pytest.raises(ArgumentError, match=r"1\.\.3"):
        Batch(2, 2, threads=4)
