"""No peeking: what no seat can see changes no observation, info or mask of any agent."""

from __future__ import annotations

import random
from typing import Any

import pytest

from speicher_env.rules.hidden import conceal_at, redeal_at
from tests.support.aec_play import MAKERS, game_over, play, seen_by_all
from tests.support.games import PLAYER_COUNTS
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("deck", ["standard", "sampled"])
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_another_hidden_order_and_seed_change_no_observation_info_or_mask_of_any_agent(
    players: int, deck: str, make: Any
) -> None:
    env = make(players, deck, padded=bool(players % 2))
    rng = random.Random(players)
    changed = {"pile": 0, "bag": 0, "seed": 0}
    for seed in range(1, 1 + few_or_many(1, 6)):
        env.reset(seed=seed)
        while True:
            states = env.unwrapped.game.states_view
            seen, dealt = (seen_by_all(env), env.state().tobytes()), states.copy()
            for _ in range(few_or_many(1, 3)):
                redeal_at(states, 0, rng.randrange(2**63))
                for hidden in changed:
                    changed[hidden] += states[hidden].tolist() != dealt[hidden].tolist()
                assert (seen_by_all(env), env.state().tobytes()) == seen
            conceal_at(states, 0)
            assert (seen_by_all(env), env.state().tobytes()) == seen
            states[:] = dealt
            if game_over(env):
                break
            play(env, rng, decisions=few_or_many(40, 9))
    assert all(changed.values()), "what is hidden must really have been another"
