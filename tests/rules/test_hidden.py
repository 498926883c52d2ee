"""What is hidden: the pile's order within its seasons, the bag's order, and the seed. Nothing else."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from speicher_env.rules.cards import CARD_IDS, CARD_NUMBER, SEASON_OF, SEASONS
from speicher_env.rules.hidden import conceal_at, redeal_at
from speicher_env.rules.status import status
from tests.support.positions import JIT, bag, deal_game, pile, play, play_at_random, position, seat

pytestmark = [pytest.mark.nojit, pytest.mark.bounds]

HIDDEN = ("seed", "pile", "bag")


def concealed(states: np.ndarray) -> np.ndarray:
    view = states.copy()
    conceal_at(view, 0)
    return view


def redealt(states: np.ndarray, seed: int) -> np.ndarray:
    other = states.copy()
    redeal_at(other, 0, seed)
    return other


def with_another_hidden_order(states: np.ndarray, rng: random.Random) -> np.ndarray:
    """The same game to look at, with the hidden cards of each season and the cubes in the bag in another order."""
    other = states.copy()
    game = other[0]
    top, size = game["pile_next"], game["pile_size"]
    hidden = game["pile"][top:size].tolist()
    rng.shuffle(hidden)
    game["pile"][top:size] = sorted(hidden, key=lambda number: SEASON_OF[number])
    cubes = game["bag"][game["bag_next"] :].tolist()
    rng.shuffle(cubes)
    game["bag"][game["bag_next"] :] = cubes
    game["seed"] = rng.getrandbits(63)
    assert status(game) == []
    return other


def samples(players: int, games: int, every: int) -> list[np.ndarray]:
    """Positions from all parts of random games."""
    found = []
    for seed in range(games):
        states = deal_game(players, "sampled" if seed % 2 else "standard", seed)
        found += [states.copy() for decision, _ in enumerate(play_at_random(states, seed)) if decision % every == 0]
        found.append(states.copy())
    return found


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_games_that_look_the_same_are_the_same_once_concealed(players: int) -> None:
    rng = random.Random(players)
    for states in samples(players, 4 if JIT else 1, 9 if JIT else 40):
        view = concealed(states).tobytes()
        for _ in range(3):
            assert concealed(with_another_hidden_order(states, rng)).tobytes() == view


@pytest.mark.parametrize("players", [2, 5])
def test_concealing_changes_nothing_that_is_public(players: int) -> None:
    for states in samples(players, 2, 15 if JIT else 60):
        view = concealed(states)
        assert status(view[0]) == []
        for field in states.dtype.names:
            if field not in HIDDEN:
                assert np.array_equal(view[field], states[field]), field
        top, drawn = states["pile_next"][0], states["bag_next"][0]
        assert np.array_equal(view["pile"][0, :top], states["pile"][0, :top])
        assert np.array_equal(view["bag"][0, :drawn], states["bag"][0, :drawn])
        assert Counter(pile(view)) == Counter(pile(states))
        assert Counter(bag(view)) == Counter(bag(states))
        assert view["seed"][0] == 0


def test_games_that_look_different_stay_different() -> None:
    states = deal_game(2, seed=5)
    view = concealed(states).tobytes()
    other = states.copy()
    other["coins"][0, 0] = 4
    assert concealed(other).tobytes() != view
    assert concealed(play(states.copy(), "place 0")).tobytes() != view
    assert concealed(deal_game(2, seed=6)).tobytes() != view


def test_concealing_twice_is_concealing_once() -> None:
    for states in samples(3, 1, 20):
        assert concealed(concealed(states)).tobytes() == concealed(states).tobytes()


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_redeal_keeps_everything_public_and_the_seasons(players: int) -> None:
    for states in samples(players, 2, 12 if JIT else 60):
        other = redealt(states, 17)
        assert status(other[0]) == []  # among others: seasons in order, 45 cubes, the 54 cards
        assert concealed(other).tobytes() == concealed(states).tobytes()
        seasons = [SEASON_OF[CARD_NUMBER[card_id]] for card_id in pile(other)]
        assert seasons == sorted(seasons)


def test_a_redeal_depends_on_its_seed_and_on_nothing_hidden() -> None:
    rng = random.Random(3)
    states = deal_game(3, seed=8)
    first = redealt(states, 1)
    assert redealt(states, 1).tobytes() == first.tobytes()
    assert redealt(with_another_hidden_order(states, rng), 1).tobytes() == first.tobytes()
    assert redealt(first, 1).tobytes() == first.tobytes()
    orders = {tuple(pile(redealt(states, seed)) + bag(redealt(states, seed))) for seed in range(20)}
    assert len(orders) == 20


def small_position() -> np.ndarray:
    """Three cards of autumn above the 4th fire, three cubes in the bag: 6 x 3 orders."""
    full = {"coffee": 8, "tea": 7, "saffron": 9, "rubber": 9, "carpet": 9}
    return position(
        2,
        phase="loading",
        pile=["st_michaelis", "fireman_9", "fireman_10", "fire_4"],
        seats=[seat(cards=["tea_taster"], cubes="tea")],
        stock=" ".join(good for good, count in {**full, "tea": 6}.items() for _ in range(count)),
    )


def test_a_redeal_makes_every_possible_order_equally_likely() -> None:
    states = small_position()
    assert sorted(bag(states)) == ["coffee", "tea", "tea"]
    draws = 18 * (200 if JIT else 20)
    seen = Counter((*pile(other)[:3], *bag(other)) for other in (redealt(states, seed) for seed in range(draws)))
    assert len(seen) == 18
    expected = draws / 18
    # Chi-square with 17 degrees of freedom exceeds 40.8 once in a thousand.
    assert sum((count - expected) ** 2 / expected for count in seen.values()) < 40.8


def test_a_redeal_moves_no_card_to_another_season() -> None:
    states = deal_game(4, seed=2)
    by_season = [sorted(c for c in pile(states) if SEASON_OF[CARD_NUMBER[c]] == season) for season in range(5)]
    for seed in range(10):
        order = pile(redealt(states, seed))
        assert [sorted(c for c in order if SEASON_OF[CARD_NUMBER[c]] == season) for season in range(5)] == by_season
        assert order[-1] == "fire_4"


@pytest.mark.parametrize("left", [1, 6])
def test_the_last_cards_of_a_season_stay_on_top(left: int) -> None:
    summer = ["contract_10", "contract_9", "contract_8", "contract_7", "fireman_6", "fireman_7"][:left]
    autumn = [c for c in CARD_IDS if SEASONS[SEASON_OF[CARD_NUMBER[c]]] == "D"]
    states = position(4, pile=[*summer, *autumn, "fire_4"], seats=[seat(cards=["tea_taster"], cubes="tea")])
    for seed in range(30):
        order = pile(redealt(states, seed))
        assert set(order[:left]) == set(summer)
        assert order[-1] == "fire_4"


def test_every_season_of_the_pile_is_drawn_afresh() -> None:
    states = deal_game(4, seed=2)
    for season in range(4):
        orders = {
            tuple(c for c in pile(redealt(states, seed)) if SEASON_OF[CARD_NUMBER[c]] == season) for seed in range(10)
        }
        assert len(orders) == 10


def test_a_redealt_game_plays_on_to_a_sound_end() -> None:
    for players in (2, 5):
        for middle in samples(players, 1, 50 if JIT else 100):
            states = redealt(middle, 4)
            for _ in play_at_random(states, 4):
                pass
            assert status(states[0]) == []
