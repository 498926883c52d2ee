"""Several cores never end the process: threads take turns where they must, and a forked process gets a sentence."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from speicher_env import ArgumentError, cores
from speicher_env.batch import Batch

FORKED = """
import os, sys
import numpy as np
from speicher_env import ArgumentError, cores
from speicher_env.batch import Batch

batch = Batch(8, 2, threads=2)
batch.reset(np.arange(8))
batch.step(batch.action_masks.argmax(axis=1))
if os.fork() == 0:
    try:
        batch.step(batch.action_masks.argmax(axis=1))
        print("stepped", flush=True)
    except ArgumentError as error:
        print(error, flush=True)
    one = Batch(8, 2)
    one.reset(np.arange(8))
    one.step(one.action_masks.argmax(axis=1))
    os._exit(7)
print(os.waitstatus_to_exitcode(os.wait()[1]), cores.layer(), cores._is_gnu())
"""


@pytest.mark.skipif(not hasattr(os, "fork") or (os.cpu_count() or 1) < 2, reason="needs fork and two cores")
def test_a_process_forked_after_the_cores_were_used_is_told_so_and_lives() -> None:
    result = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=600, check=False)
    said, *_ = lines = result.stdout.splitlines()
    code, layer, gnu = lines[-1].split()
    assert code == "7", result.stderr
    if (layer, gnu) == (cores.OMP, "True"):
        assert said.startswith("threads: this process was forked from one that has used several cores")
        assert said.endswith('start processes with the method "spawn" or "forkserver".')
    else:
        assert said == "stepped"


def test_a_forked_process_is_told_so_before_it_would_be_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "_layer_of_parent", cores.OMP)
    monkeypatch.setattr(cores, "_is_gnu", lambda: True)
    with pytest.raises(ArgumentError, match="forked from one that has used several cores"):
        cores.on_cores(lambda: None)
    monkeypatch.setattr(cores, "_is_gnu", lambda: False)
    assert cores.on_cores(lambda: 7) == 7


@pytest.mark.parametrize(("layer", "together"), [(cores.WORKQUEUE, False), (None, False), (cores.OMP, True)])
def test_threads_take_turns_where_the_layer_allows_only_one(
    monkeypatch: pytest.MonkeyPatch, layer: str | None, together: bool
) -> None:
    monkeypatch.setattr(cores, "layer", lambda: layer)
    both, inside, most = threading.Barrier(2), [0], [0]

    def work() -> None:
        inside[0] += 1
        most[0] = max(most)
        most.append(inside[0])
        if together:
            both.wait(60)  # both threads are here at once, or the barrier breaks
        inside[0] -= 1

    threads = [threading.Thread(target=cores.on_cores, args=(work,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == (2 if together else 1) and not both.broken


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="needs two cores")
def test_a_batch_uses_its_cores_through_them(monkeypatch: pytest.MonkeyPatch) -> None:
    called = []
    monkeypatch.setattr("speicher_env.batch.batch.on_cores", lambda function, *rest: called.append(rest[-1]) or -1)
    batch = Batch(8, 2, threads=2)
    batch.reset(np.arange(8))
    batch.step(batch.action_masks.argmax(axis=1))
    assert called == [2]
