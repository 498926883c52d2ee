"""Once warm, a step takes no memory: it writes into the arrays that a batch was made with."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from numba.core.runtime import _nrt_python as _nrt
from numba.core.runtime import rtsys

from speicher_env.batch import Batch
from speicher_env.batch.step import step_all, step_all_on_cores
from tests.support.batch_play import AUTORESETS, HIGHEST, draw_legal
from tests.support.positions import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="interpreted code allocates")

STEPS = 250
"""Enough for the learner's decisions of a game of three and the beginning of the next one."""

KINDS: list[tuple[Any, Any, str, str]] = [
    *(("all", "random", autoreset, "raise") for autoreset in AUTORESETS),
    *((0, "random", autoreset, "raise") for autoreset in AUTORESETS),
    ("rotating", HIGHEST, "same_step", "raise"),
    ("random", HIGHEST, "next_step", "random"),
    ("random", "random", "same_step", "lose"),
]


def rehearsed(count: int, seat: Any, opponents: Any, autoreset: str, illegal: str) -> tuple[Batch, list[np.ndarray]]:
    """A batch that is back at the beginning after some steps, and the actions of these steps."""
    batch = Batch(count, 3, seat=seat, opponents=opponents, autoreset=autoreset, illegal=illegal)
    batch.reset(np.arange(count))
    rng = np.random.default_rng(0)
    actions = []
    ended = 0
    for _ in range(STEPS):
        actions.append(draw_legal(batch.action_masks, rng))
        batch.step(actions[-1])
        ended += np.count_nonzero(batch.ended)
        if autoreset == "disabled" and ended:
            break
    assert ended
    batch.reset(np.arange(count))
    return batch, actions


@pytest.mark.parametrize(("seat", "opponents", "autoreset", "illegal"), KINDS)
def test_a_step_takes_no_memory_of_pythons_that_grows_with_the_games(
    seat: Any, opponents: Any, autoreset: str, illegal: str
) -> None:
    usual = []
    for count in (10, 510):
        batch, actions = rehearsed(count, seat, opponents, autoreset, illegal)
        taken = []
        tracemalloc.start()
        try:
            for chosen in actions:
                before = tracemalloc.get_traced_memory()[0]
                tracemalloc.reset_peak()
                batch.step(chosen)
                taken.append(tracemalloc.get_traced_memory()[1] - before)
        finally:
            tracemalloc.stop()
        # What is left are numbers of Python's and views of arrays, the same for all sizes.
        # Python clears up and pytest's own threads run when they like, so a few steps may seem to take more.
        usual.append(np.quantile(taken, 0.95))
    assert usual[1] - usual[0] < 250  # bytes, half a byte for each further game


@pytest.mark.parametrize(
    ("seat", "opponents", "autoreset", "illegal", "threads"),
    [*((*kind, 1) for kind in KINDS), *((*kind, 2) for kind in KINDS[::4])],
)
def test_compiled_code_takes_no_memory_but_a_handle_on_each_array_it_is_handed(
    seat: Any, opponents: Any, autoreset: str, illegal: str, threads: int
) -> None:
    batch, actions = rehearsed(10, seat, opponents, autoreset, illegal)
    every = np.arange(10)

    def step(chosen: np.ndarray) -> None:
        if threads == 1:
            step_all(batch.arrays, batch._options, every, chosen, batch._players.compiled)
        else:
            step_all_on_cores(batch.arrays, batch._options, every, chosen, batch._players.compiled, threads)

    step(actions[0])
    handles = (len(batch.arrays) + 2) * len(actions[1:])
    counted = _nrt.memsys_stats_enabled()
    _nrt.memsys_enable_stats()
    try:
        before = rtsys.get_allocation_stats()
        for chosen in actions[1:]:
            step(chosen)
        after = rtsys.get_allocation_stats()
    finally:
        if not counted:
            _nrt.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free == handles


@pytest.mark.parametrize("autoreset", AUTORESETS)
def test_what_a_batch_shows_stays_in_the_same_place(autoreset: str) -> None:
    batch, actions = rehearsed(10, "random", "random", autoreset, "raise")

    def places() -> list[int]:
        shown = [batch.observations, batch.action_masks, batch.seats, batch.rewards, batch.ended, *batch.arrays]
        return [array.ctypes.data for array in shown]

    before = places()
    for chosen in actions:
        batch.step(chosen)
        assert places() == before
