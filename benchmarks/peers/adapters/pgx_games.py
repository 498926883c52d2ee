"""Pgx on the processor: a jitted, vectorised batch, the random choice and the next deal within the jitted step.

Moves that leave no choice count too: Pgx asks for them.
"""

from __future__ import annotations

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np
import pgx
from pgx.experimental import auto_reset
from windows import SEED, Windows

GAMES = ("connect_four", "othello", "backgammon")
BATCH = 1024
STEPS = 4
"""In a lap."""


def measure_game(windows: Windows, name: str) -> None:
    """One game."""
    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit
    def play_on(state: pgx.State, key: jax.Array) -> tuple[pgx.State, jax.Array]:
        key, choosing, chance = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        action = jax.random.categorical(choosing, logits, axis=-1)
        return step(state, action, jax.random.split(chance, BATCH)), key

    key = jax.random.PRNGKey(SEED)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, BATCH))

    def lap() -> int:
        nonlocal state, key
        for _ in range(STEPS):
            state, key = play_on(state, key)
        jax.block_until_ready(state)
        return BATCH * STEPS

    windows.measure(
        name,
        f"jitted batch of {BATCH:,}",
        lap,
        like="batch",
        players=env.num_players,
        actions=env.num_actions,
        observation=int(np.prod(env.observation_shape)),
        mask=True,
    )


def main() -> None:
    windows = Windows("pgx", "jax", "numpy")
    for name in GAMES:
        measure_game(windows, name)
    windows.done()


if __name__ == "__main__":
    main()
