"""A copied or pickled batch plays on to the same end, with its players."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from speicher_env.batch import Batch
from tests.support.batch_play import AUTORESETS, HIGHEST, Lowest, draw_legal, everything, pick_legal, seen
from tests.support.positions import JIT, few_or_many

pytestmark = pytest.mark.nojit

COPIES: dict[str, Callable[[Batch], Batch]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda batch: pickle.loads(pickle.dumps(batch)),
    "old pickle": lambda batch: pickle.loads(pickle.dumps(batch, protocol=2)),
}
every_copy = pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)

PLAYERS = {"random": "random", "compiled": HIGHEST, "outside": Lowest(), "mixed": [HIGHEST, Lowest(), "random"]}
STEPS = few_or_many(6, 150)


@every_copy
@pytest.mark.parametrize("opponents", PLAYERS.values(), ids=PLAYERS)
@pytest.mark.parametrize("autoreset", AUTORESETS[1:])
def test_a_copy_taken_in_mid_game_goes_on_alike(
    copied: Callable[[Batch], Batch], opponents: Any, autoreset: str
) -> None:
    batch = Batch(4, 4, ["standard", "sampled"] * 2, "rotating", opponents, "rank", autoreset=autoreset)
    batch.reset(np.arange(4))
    rng = np.random.default_rng(0)
    for where in rng.random((STEPS // 3, 4)):
        batch.step(pick_legal(batch.action_masks, where))
    twin = copied(batch)
    assert everything(twin) == everything(batch)
    for where in rng.random((STEPS, 4)):
        for each in (batch, twin):
            each.step(pick_legal(each.action_masks, where))
        assert seen(twin) == seen(batch)
    for each in (batch, twin):
        each.reset([7, 8, 9, 10])
    assert seen(twin) == seen(batch)


@every_copy
def test_playing_a_copy_does_not_move_what_it_was_taken_from(copied: Callable[[Batch], Batch]) -> None:
    batch = Batch(3, 3, seat="random", opponents=Lowest())
    batch.reset(np.arange(3))
    twin = copied(batch)
    before = everything(batch)
    rng = np.random.default_rng(0)
    for _ in range(STEPS):
        twin.step(draw_legal(twin.action_masks, rng))
    twin.set_opponents("random")
    twin.reset([5, 6, 7])
    assert everything(batch) == before


@every_copy
def test_a_batch_can_be_copied_before_its_first_game(copied: Callable[[Batch], Batch]) -> None:
    batch = Batch(2, 5, "sampled", "random", padded=True)
    twin = copied(batch)
    batch.reset([1, 2])
    twin.reset([1, 2])
    assert seen(twin) == seen(batch)


def in_another_process(batch: Batch, code: str, tmp_path: Path) -> tuple[str, str]:
    """The outputs of a process that unpickles a batch and runs some code on it."""
    file = tmp_path / "batch.pickle"
    file.write_bytes(pickle.dumps(batch))
    unpickle = (
        "import pickle, sys; sys.path[:0] = [sys.argv[2]]\n"
        "from tests.support.batch_play import HIGHEST, LOWEST, seen, pick_legal; import numpy as np\n"
        "batch = pickle.loads(open(sys.argv[1], 'rb').read())\n"
    )
    command = [sys.executable, "-c", unpickle + code, file, Path(__file__).parents[2]]
    process = subprocess.run(command, capture_output=True, text=True)
    return process.stdout, process.stderr


@pytest.mark.skipif(not JIT, reason="starts a process that compiles")
def test_a_pickled_batch_goes_on_alike_in_another_process(tmp_path: Path) -> None:
    """With a compiled player in it."""
    batch = Batch(2, 3, "sampled", "random", HIGHEST)
    batch.reset([3, 4])
    code = (
        "for where in np.random.default_rng(0).random((40, 2)): batch.step(pick_legal(batch.action_masks, where))\n"
        "print(repr(seen(batch)))\n"
    )
    output, _ = in_another_process(batch, code, tmp_path)
    for where in np.random.default_rng(0).random((40, 2)):
        batch.step(pick_legal(batch.action_masks, where))
    assert output.strip() == repr(seen(batch))


@pytest.mark.skipif(not JIT, reason="starts a process that compiles")
def test_compiled_players_sit_down_in_a_batch_that_was_pickled_with_others_in_another_process(tmp_path: Path) -> None:
    """They share one function with those who sit there already: a second copy of it would be another function."""
    batch = Batch(2, 3, "sampled", "random", HIGHEST)
    batch.reset([3, 4])
    code = "batch.set_opponents([LOWEST, HIGHEST]); print('seated')\n"
    assert in_another_process(batch, code, tmp_path) == ("seated\n", "")
