"""`python -m benchmarks.scale`: how many workers one process can feed, from measured rates and a simulation.

Measured, in processor time of one core, so that other work on the machine counts little: what a decision takes on the
wire, to be played again with its observation, to be learned from, and to be made by a worker. Simulated: 1 to 1,000
workers on a clock of their own, with delays and losses. Chunks of arenas are handed out by the real code of the arena;
training is a model of its loop.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any
from unittest import mock

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read by torch when it is loaded

import numpy as np

from benchmarks.results import folder_of, simple_options, write
from benchmarks.simulated_crew import Clock, SimulatedCrew, SimulatedExecutor, Workers
from speicher_apps.meter.report import header
from speicher_env.batch import Batch
from speicher_training.arena import workers as arena_workers
from speicher_training.arena.settings import Work
from speicher_training.arena.workers import play_chunks
from speicher_training.train import load_recipe, network_of

RECIPES = {2: "2p", 5: "5p"}
SIZES = (1, 10, 100, 1000)
GAMES = 256
PART_GAMES = 128
"""Of a task in training."""
SECONDS, ROUNDS = 1.0, 5
QUICK_SECONDS, QUICK_ROUNDS = 0.2, 1
VALUES_OF_A_DECISION = 6
"""Bytes beside the moves: the logarithm of the probability as float32, the value as float16."""
VALUES_OF_A_GAME = 2 + 1
"""Bytes beside the moves: its length and the learner's seat; and a rank for each seat."""
UPDATES = 20
ARENA_SECONDS = 2.0
"""Of a chunk of an arena."""
LIFE_HOURS = 2.0
"""Of a spot instance, where the simulation has losses."""


def processor_rate(work: Callable[[], int], seconds: float, rounds: int) -> float:
    """The median over rounds of how many things a second of processor time does."""
    work()
    rates = []
    for _ in range(rounds):
        begun, done = time.process_time(), 0
        while time.process_time() - begun < seconds:
            done += work()
        rates.append(done / (time.process_time() - begun))
    return float(np.median(rates))


def known_steps(players: int, steps: int = 200) -> tuple[Batch, list[np.ndarray]]:
    """A batch for a learner, and the actions of all its lanes in some steps at random."""
    batch = Batch(GAMES, players, figures=True, dtype="uint8")
    batch.reset(np.arange(GAMES))
    rng = np.random.default_rng(1)
    actions = []
    for _ in range(steps):
        masks = batch.action_masks
        actions.append((rng.random(masks.shape) * masks).argmax(axis=1))
        batch.step(actions[-1])
    return batch, actions


def replaying(players: int) -> Callable[[], int]:
    """Play known moves again, with the observation, figures and mask of every decision."""
    batch, actions = known_steps(players)

    def work() -> int:
        batch.reset(np.arange(GAMES))
        for each in actions:
            batch.step(each)
        return len(actions) * GAMES

    return work


def acting(players: int, games: int = PART_GAMES) -> Callable[[], int]:
    """The network's forward pass for the decisions of a part, on observations of games at random."""
    from speicher_training.train.learner import make_learner

    batch, _ = known_steps(players, 60)
    recipe = load_recipe(RECIPES[players])
    network = network_of(make_learner(recipe.shape, recipe.ppo, 0).policy)
    rows, masks = batch.observations[:games].astype(np.float32), batch.action_masks[:games].astype(bool)

    def work() -> int:
        network.logits_and_values(rows, masks)
        return games

    return work


def learning(players: int) -> Callable[[], int]:
    """The minibatches of an update: every decision goes through the network, forward and backward, once per epoch."""
    import torch

    from speicher_training.train.learner import make_learner
    from speicher_training.train.policy import SparsePolicy, computes_in_half

    torch.set_num_threads(1)
    recipe = load_recipe(RECIPES[players])
    policy = make_learner(recipe.shape, recipe.ppo, 0).policy
    assert isinstance(policy, SparsePolicy)
    policy.half_precision = computes_in_half(recipe.run.precision)
    size = recipe.ppo.batch_size
    batch, _ = known_steps(players, 60)
    places = np.arange(size) % GAMES
    rows, masks = torch.as_tensor(batch.observations[places]), batch.action_masks[places].astype(bool)
    actions = torch.as_tensor(masks.argmax(axis=1))

    def work() -> int:
        for _ in range(recipe.ppo.epochs):
            values, logs, entropy = policy.evaluate_actions(rows, actions, masks)
            loss = values.square().mean() - logs.mean() - 0.01 * entropy.mean()
            policy.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            policy.optimizer.step()
        return size

    return work


def measured(players: int, seconds: float, rounds: int) -> dict[str, float]:
    """All that is measured with a number of players; decisions are those of one seat, the learner's."""
    batch = Batch(GAMES, players, seat="none", opponents="frugal", log_moves=True, autoreset="disabled")
    batch.reset(np.arange(GAMES))
    moves = sum(len(each) for each in batch.results().moves) / GAMES
    decisions = moves / players
    replay = processor_rate(replaying(players), seconds, rounds) / players
    forward = processor_rate(acting(players), seconds, rounds) / players
    update = processor_rate(learning(players), seconds, rounds)
    return {
        "decisions_of_a_game": decisions,
        "bytes_of_a_decision": (moves + VALUES_OF_A_GAME + players) / decisions + VALUES_OF_A_DECISION,
        "replay": replay,
        "update": update,
        "intake": 1 / (1 / replay + 1 / update),
        "output": 1 / (1 / replay + 1 / forward),
    }


# The simulation


def simulated_arena(workers: Workers, chunks: int) -> dict[str, float]:
    """An arena's chunks, handed out by the arena's own code to a crew on a clock of its own."""
    clock = Clock()
    crew: SimulatedCrew[Any] = SimulatedCrew(workers, clock, SimpleNamespace(asked={}))
    plan: Any = SimpleNamespace(specs=[], names=[], of_specs=True)
    tasks: Any = (SimpleNamespace(chunk=chunk, absent=()) for chunk in range(chunks))
    with mock.patch.object(arena_workers, "executor_for", lambda *_: SimulatedExecutor(crew)):
        begun = time.process_time()
        done = sum(
            1 for _ in play_chunks(plan, [], tasks, work=Work(ray="local"), interrupted=lambda: False)
        )  # fmt: skip
        seconds = time.process_time() - begun
    return {
        "tasks": done,
        "utilisation": crew.worked / (clock.now * workers.number),
        "repeated": crew.lost / done,
        "driver": crew.handled / clock.now,
        "scheduling_microseconds": 1e6 * seconds / done,
    }


def simulated_training(workers: Workers, parts: int, learn_seconds: float, updates: int) -> dict[str, float]:
    """A model of training: the parts of the next rollout are played while the learner learns from the last.

    Every rollout is played by the network before the last update, so its decisions are one update old. The learner
    hands out parts between its minibatches, and the model takes this as free of delay.
    """
    clock = Clock()
    crew: SimulatedCrew[int] = SimulatedCrew(workers, clock)
    learned = 0.0
    for _ in range(updates):
        free_at = clock.now + learn_seconds
        waiting, missing = deque(range(parts)), parts
        while missing:
            while waiting and crew.room:
                crew.submit(waiting.popleft())
            missing -= len(crew.wait(1.0))
        clock.now = max(clock.now, free_at)
        learned += learn_seconds
    return {
        "utilisation": crew.worked / (clock.now * workers.number),
        "learner": learned / clock.now,
        "repeated": crew.lost / (updates * parts),
        "seconds": clock.now / updates,
    }


def simulations(rates: dict[str, float], handling: float) -> dict[str, Any]:
    """Arenas, and training with workers as fast as measured and a hundred times slower, as with searching opponents."""

    def arenas() -> Iterator[dict[str, Any]]:
        for number in SIZES:
            for life in (0.0, LIFE_HOURS):
                workers = Workers(number, ARENA_SECONDS, handling=handling, life=life)
                yield {"workers": number, "life": life, **simulated_arena(workers, max(2000, 50 * number))}

    def trainings() -> Iterator[dict[str, Any]]:
        for slower in (1, 100):
            for number in SIZES:
                parts = max(14, 2 * number)
                decisions = parts * PART_GAMES * rates["decisions_of_a_game"]
                seconds = PART_GAMES * rates["decisions_of_a_game"] / rates["output"] * slower
                workers = Workers(number, seconds, handling=handling, life=LIFE_HOURS)
                found = simulated_training(workers, parts, decisions / rates["intake"], UPDATES)
                yield {
                    "workers": number, "slower": slower, "staleness": round(decisions), **found,
                    "decisions_per_second": decisions / found["seconds"],
                }  # fmt: skip

    return {"arenas": list(arenas()), "trainings": list(trainings())}


def main() -> None:
    """Measure, simulate and keep."""
    options = simple_options("benchmarks.scale", __doc__)
    seconds, rounds = (QUICK_SECONDS, QUICK_ROUNDS) if options.quick else (SECONDS, ROUNDS)
    result = header("python -m benchmarks.scale") | {"seconds": seconds, "rounds": rounds}
    rates = {str(players): measured(players, seconds, rounds) for players in RECIPES}
    about = Workers(1, 1.0)
    assumed = {name: getattr(about, name) for name in ("handling", "delay", "spread", "noticed", "absence")}
    assumed |= {"life": LIFE_HOURS, "chunk": ARENA_SECONDS, "updates": UPDATES}
    result |= {"measured": rates, "assumed": assumed, **simulations(rates["2"], about.handling)}
    write("scale", result, folder_of(options))


if __name__ == "__main__":
    main()
