"""Every player of the ladder plays whole games legally, repeatably, and from what its seat may see."""

from __future__ import annotations

import numpy as np
import pytest

from speicher_agents import CompiledAgent, make_player
from speicher_agents.scripted import CODES, choose
from speicher_env.batch import Batch
from speicher_env.rules.hidden import conceal_at, redeal_at
from tests.support.agent_positions import DECKS, PLAYER_COUNTS, SCRIPTED, agent_choices, decisions, views_of
from tests.support.positions import JIT

GAMES = 12 if JIT else 1


def seated(players: int, shift: int) -> tuple[str, ...]:
    """Every player meets every other over the shifts."""
    return tuple(SCRIPTED[(shift + seat * (1 + shift % 3)) % len(SCRIPTED)] for seat in range(players))


@pytest.mark.nojit
@pytest.mark.parametrize("deck", DECKS)
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_every_player_is_legal_to_the_end_of_every_game(players, deck):
    for seed in range(GAMES):
        for _ in decisions(seated(players, seed), DECKS[deck], seed):
            pass


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_choices_do_not_depend_on_what_is_hidden(players):
    for seed in range(GAMES):
        for states, name, stream, action in decisions(seated(players, seed), "sampled", seed):
            for redealt in range(2):
                other = states.copy()
                redeal_at(other, 0, 1000 * seed + redealt)
                assert choose(other[0], CODES[name], stream.copy()) == action, name
            concealed = states.copy()
            conceal_at(concealed, 0)
            assert choose(concealed[0], CODES[name], stream.copy()) == action, name


def test_a_choice_leaves_the_state_as_it_is():
    for states, name, stream, _ in decisions(seated(4, 1), "standard", 5):
        before = states.tobytes()
        choose(states[0], CODES[name], stream)
        assert states.tobytes() == before


def batch_of(names: tuple[str, ...], seeds: np.ndarray) -> Batch:
    batch = Batch(
        len(seeds), len(names), seat="none", opponents=[make_player(name) for name in names], autoreset="disabled"
    )
    batch.reset(seeds)
    return batch


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_the_same_seed_gives_the_same_games_in_any_batch(players):
    names = seated(players, 2)
    all_lanes = batch_of(names, np.arange(20)).arrays.lanes["points"].copy()
    some = batch_of(names, np.arange(20)[5:9]).arrays.lanes["points"]
    assert np.array_equal(all_lanes[5:9], some)
    assert len(np.unique(all_lanes, axis=0)) > 10


@pytest.mark.parametrize("name", [name for name in SCRIPTED if name != "random"])  # which draws from another stream
def test_an_agent_asked_from_python_chooses_as_inside_a_batch(name):
    states = np.concatenate([one.copy() for one, *_ in decisions((name,) * 3, "standard", 11)])
    chosen = [action for *_, action in decisions((name,) * 3, "standard", 11)]
    assert agent_choices(name, states) == chosen


@pytest.mark.parametrize("name", SCRIPTED)
def test_an_agents_choice_depends_on_its_seed_and_the_row_alone(name):
    states = np.concatenate([one.copy() for one, *_ in decisions(("random",) * 2, "standard", 3)])
    forwards = agent_choices(name, states, seed=5)
    backwards = agent_choices(name, states[::-1].copy(), seed=5)
    assert forwards == backwards[::-1]
    assert forwards[::3] == agent_choices(name, states[::3].copy(), seed=5)
    if name == "random":
        assert forwards != agent_choices(name, states, seed=6)


def test_random_draws_every_legal_action():
    states = next(decisions(("random",) * 5, "standard", 0))[0].copy()
    player = make_player("random")
    drawn = {int(CompiledAgent(player, seed).act(views_of(states))[0]) for seed in range(200)}
    assert drawn == set(range(6))
