"""`python -m benchmarks.training_share`: how much of MaskablePPO's time is the network's, and where the rest goes.

Wrapped around each piece of sb3-contrib's training is a clock that stops while a piece within it is timed, so every
moment counts once. The network's own work is its forward passes (with the masked distribution), the backward passes,
the clipping of gradients and the optimiser. Everything else is outside: ours (steps, masks) and the library's
(the buffer, the loss, its loops).
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read by torch when it is loaded

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.ppo_mask import ppo_mask
from stable_baselines3.common.callbacks import BaseCallback

from benchmarks.results import folder_of, simple_options, write
from speicher_apps.meter.report import header
from speicher_env.envs.sb3 import SpeicherVecEnv
from speicher_training.machine import on_one_core

ENVS = 1024
STEPS = 8
"""Of each environment between two updates: 8,192 decisions of the learner."""
BATCH_SIZES = (64, 1024)
"""MaskablePPO's default, and one that suits many environments."""
PLAYERS = (2, 4)
SEED = 1

NETWORK, OURS, LOSS, LIBRARY = "network", "ours", "loss", "library"
PIECES = {
    "forward, collecting": NETWORK,
    "forward, learning": NETWORK,
    "backward": NETWORK,
    "gradient clipping": NETWORK,
    "optimiser": NETWORK,
    "environment step": OURS,
    "masks": OURS,
    "masks stacked": LIBRARY,
    "buffer, filling": LIBRARY,
    "buffer, minibatches": LIBRARY,
    "episode infos": LIBRARY,
    "loops and callbacks, collecting": LIBRARY,
    "loss and loops, learning": LOSS,
}


class Clocks:
    """Time by piece; a piece within a piece takes its time away from the outer one."""

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._clock = clock
        self._running: list[str] = []
        self._since = 0.0

    def _switch(self) -> None:
        now = self._clock()
        if self._running:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now

    @contextmanager
    def piece(self, name: str) -> Iterator[None]:
        """Time what happens within."""
        self._switch()
        self._running.append(name)
        try:
            yield
        finally:
            self._switch()
            self._running.pop()

    def around(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, timed."""

        def timed(*arguments: Any, **named: Any) -> Any:
            with self.piece(name):
                return function(*arguments, **named)

        return timed

    def around_generator(self, name: str, function: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        """The generator, timed while it makes its next item."""

        def timed(*arguments: Any, **named: Any) -> Iterator[Any]:
            items = function(*arguments, **named)
            while True:
                with self.piece(name):
                    try:
                        item = next(items)
                    except StopIteration:
                        return
                yield item

        return timed


@contextmanager
def watched(model: MaskablePPO, clocks: Clocks) -> Iterator[None]:
    """Every piece of a model's training timed by the clocks."""
    policy, optimizer, buffer, env = model.policy, model.policy.optimizer, model.rollout_buffer, model.env
    places: list[tuple[Any, str, str]] = [
        (model, "collect_rollouts", "loops and callbacks, collecting"),
        (model, "train", "loss and loops, learning"),
        (model, "_update_info_buffer", "episode infos"),
        (policy, "forward", "forward, collecting"),
        (policy, "predict_values", "forward, collecting"),
        (policy, "evaluate_actions", "forward, learning"),
        (torch.Tensor, "backward", "backward"),
        (torch.nn.utils, "clip_grad_norm_", "gradient clipping"),
        (optimizer, "step", "optimiser"),
        (optimizer, "zero_grad", "optimiser"),
        (buffer, "add", "buffer, filling"),
        (buffer, "reset", "buffer, filling"),
        (buffer, "compute_returns_and_advantage", "buffer, filling"),
        (env, "step", "environment step"),
        (env, "env_method", "masks"),
        (ppo_mask, "get_action_masks", "masks stacked"),
    ]
    before = [(owner, name, vars(owner).get(name)) for owner, name, _ in places]
    for owner, name, piece in places:
        setattr(owner, name, clocks.around(piece, getattr(owner, name)))
    buffer.get = clocks.around_generator("buffer, minibatches", buffer.get)
    try:
        yield
    finally:
        for owner, name, own in before:
            if own is None:
                delattr(owner, name)
            else:
                setattr(owner, name, own)
        del buffer.get


class Silent(BaseCallback):
    """Nothing to do but to go on."""

    def _on_step(self) -> bool:
        return True


def measure_training(
    players: int, batch_size: int, rounds: int, envs: int = ENVS, steps: int = STEPS
) -> dict[str, Any]:
    """Seconds by piece, summed over rounds of collecting and learning; a round before them warms up."""
    env = SpeicherVecEnv(envs, players, seed=SEED)
    model = MaskablePPO("MlpPolicy", env, n_steps=steps, batch_size=batch_size, seed=SEED, device="cpu")
    model.learn(envs * steps)
    clocks = Clocks()
    each = []
    callback = Silent()
    callback.init_callback(model)
    with watched(model, clocks):
        for _ in range(rounds):
            clocks.seconds.clear()
            model.collect_rollouts(env, callback, model.rollout_buffer, steps)
            model.train()
            each.append({name: round(clocks.seconds[name], 6) for name in PIECES})
    return {
        "players": players,
        "batch_size": batch_size,
        "epochs": model.n_epochs,
        "network": "MlpPolicy, its defaults",
        "decisions": envs * steps,
        "rounds": each,
    }


def main() -> None:
    """Measure and keep."""
    options = simple_options("benchmarks.training_share", __doc__)
    torch.set_num_threads(1)
    found = []
    with on_one_core():
        for players in PLAYERS[:1] if options.quick else PLAYERS:
            for batch_size in BATCH_SIZES:
                found.append(measure_training(players, batch_size, rounds=1 if options.quick else 3))
                print(f"{players} players, minibatches of {batch_size} measured", flush=True)
    result = header("python -m benchmarks.training_share")
    result |= {"envs": ENVS, "steps": STEPS, "pieces": PIECES, "runs": found}
    write("training", result, folder_of(options))


if __name__ == "__main__":
    main()
