"""The simulation of many workers: its times can be worked out by hand, and no task is lost or done twice."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from benchmarks.scale import simulated_arena, simulated_training  # noqa: E402
from benchmarks.simulated_crew import Clock, SimulatedCrew, Workers  # noqa: E402


def workers(number: int, **changes: float) -> Workers:
    plain = {"seconds": 1.0, "spread": 0.0, "delay": 0.0, "handling": 0.0}
    return Workers(number, **{**plain, **changes})


def test_workers_that_nothing_disturbs_are_always_busy() -> None:
    found = simulated_arena(workers(10), 100)
    assert (found["tasks"], found["utilisation"], found["repeated"], found["driver"]) == (100, pytest.approx(1), 0, 0)


def test_a_busy_driver_is_the_limit() -> None:
    """By hand: 0.05 s for a task and again for its result, so ten tasks a second, which ten workers can do."""
    found = simulated_arena(workers(100, handling=0.05), 2000)
    assert found["driver"] == pytest.approx(1, abs=0.02) and found["utilisation"] == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize("number", [1, 20])
def test_what_is_lost_with_a_worker_is_done_again_and_once(number: int) -> None:
    clock = Clock()
    crew: SimulatedCrew[int] = SimulatedCrew(workers(number, life=0.005, noticed=3.0, absence=5.0), clock)
    waiting, done = list(range(500)), []
    while len(done) < 500:
        while waiting and crew.room > 0:
            crew.submit(waiting.pop())
        done += [event.task for event in crew.wait(1.0)]
    assert sorted(done) == list(range(500)) and crew.lost > 10
    assert crew.worked == pytest.approx(500) and clock.now > 500 / number


def test_the_clock_goes_on_when_nothing_ends() -> None:
    clock = Clock()
    crew: SimulatedCrew[int] = SimulatedCrew(workers(1), clock)
    crew.submit(1)
    assert crew.wait(0.25) == [] and clock.now == 0.25 and crew.room == 1
    assert [event.task for event in crew.wait(5.0)] == [1] and clock.now == 1.0


@pytest.mark.parametrize(
    ("learn_seconds", "seconds", "learner", "utilisation"), [(8.0, 8.0, 1.0, 0.25), (1.0, 2.0, 0.5, 1.0)]
)
def test_training_takes_as_long_as_the_slower_of_learner_and_workers(
    learn_seconds: float, seconds: float, learner: float, utilisation: float
) -> None:
    """By hand: eight parts of one second take four workers two seconds."""
    found = simulated_training(workers(4), 8, learn_seconds, 5)
    assert [found[key] for key in ("seconds", "learner", "utilisation")] == pytest.approx(
        [seconds, learner, utilisation]
    )
