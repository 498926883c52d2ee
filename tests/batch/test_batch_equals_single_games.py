"""A batch of n games with the seeds s..s+n-1 plays exactly what n single games with those seeds play."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from speicher_env import Game
from speicher_env.batch import Batch
from speicher_env.rewards import SCHEMES
from speicher_env.rules.stream import next_seed
from tests.support.batch_play import draw_legal, mask_of, observed, paid
from tests.support.games import OWN_DECK, PLAYER_COUNTS
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit

DECKS: dict[str, Any] = {
    "standard": "standard",
    "sampled": "sampled",
    "own": OWN_DECK,
    "mixed": ["standard", "sampled", OWN_DECK],
}
SEED = 100


@pytest.mark.parametrize("padded", [False, True], ids=["own size", "padded"])
@pytest.mark.parametrize("deck", DECKS)
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_each_lane_is_the_single_game_of_its_seed(players: int, deck: str, padded: bool) -> None:
    count = few_or_many(3, 6)
    decks = [DECKS[deck]] * count if deck != "mixed" else (DECKS[deck] * count)[:count]
    reward = SCHEMES[players % len(SCHEMES)]
    batch = Batch(
        count, players, decks if deck == "mixed" else decks[0], reward=reward, padded=padded, autoreset="next_step"
    )
    batch.reset(np.arange(SEED, SEED + count))
    games = [Game(players, decks[lane], SEED + lane) for lane in range(count)]
    finished = [0] * count
    rng = np.random.default_rng(players)
    for _ in range(few_or_many(12, 10_000)):
        for lane, game in enumerate(games):
            assert_alike(batch, lane, game, reward)
            finished[lane] += game.over
        if all(finished):
            break
        actions = draw_legal(batch.action_masks, rng)
        batch.step(actions)
        for lane, (game, action) in enumerate(zip(games, actions.tolist(), strict=True)):
            if game.over:  # its action is ignored
                games[lane] = Game(players, decks[lane], next_seed(game.seed))
            else:
                game.play(action)
    assert few_or_many(True, all(finished))


def assert_alike(batch: Batch, lane: int, game: Game, reward: str) -> None:
    """A lane holds, shows, allows and pays what the single game does."""
    assert batch.arrays.states[lane].tobytes() == game.state.tobytes()
    assert batch.action_masks[lane].tolist() == mask_of(game)
    assert batch.ended[lane] == game.over
    if game.over:
        assert batch.rewards[lane].tolist() == paid(game, reward)
        assert_outcome(batch.outcome(lane), game)
    else:
        assert batch.seats[lane] == game.player
        assert not batch.rewards[lane].any()
    size = batch.observations.shape[1]
    assert batch.observations[lane].tobytes() == observed(game, batch.seats[lane], batch.seats_in_view, size)


def assert_outcome(told: dict[str, Any], game: Game) -> None:
    """What a batch tells of a finished game is what the game says."""
    assert told["seed"] == game.seed and told["illegal"] == 0 and not told["lost_illegally"]
    for seat, of_seat in enumerate(told["seats"]):
        assert of_seat["points"] == game.points()[seat]
        assert of_seat["coins"] == game.coins[seat]
        assert of_seat["rank"] == game.ranks()[seat]
