"""A network for all numbers of players, made into one for a single number of players."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from speicher_agents.baselines import Layer, Network, read_baseline
from speicher_env.errors import ArgumentError
from tests.support.small_networks import TINY, card, network, views, write

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from speicher_agents.baselines.columns import column_places  # noqa: E402
from speicher_agents.baselines.unpad import unpad  # noqa: E402
from speicher_env.observation import figure_places, observation_size  # noqa: E402
from speicher_env.observation.pieces import PIECES, places  # noqa: E402
from speicher_training.train import train  # noqa: E402
from speicher_training.train.recipe import recipe_from  # noqa: E402

ALL = (2, 3, 4, 5)


def deaf_to_what_is_not_there(told: Network, players: int) -> Network:
    """A padded network that does not listen to seats and columns that a smaller table has not."""
    size = observation_size(5)
    there = np.zeros(size, dtype=bool)
    for piece in PIECES:
        fewer = places(piece.name, players).shape
        there[places(piece.name, 5)[tuple(slice(0, length) for length in fewer)].ravel()] = True
    if told.shape.figures:
        figures = []
        for name, at in figure_places(5).items():
            kept = np.zeros(at.shape, dtype=bool)
            kept[tuple(slice(0, length) for length in figure_places(players)[name].shape)] = name != "lead_low"
            figures.append(kept.ravel())
        there = np.concatenate([there, *figures])
    own = there[column_places(size, told.shape.figures)[0]]
    said = np.repeat(np.arange(6) <= players, len(told.columns[-1].bias)) if told.columns else np.zeros(0, dtype=bool)

    def deaf(layer: Layer, heard: np.ndarray) -> Layer:
        return Layer(np.where(heard[:, None], layer.weight, np.float32(0)), layer.bias)

    columns = (deaf(told.columns[0], np.concatenate([own, there])), *told.columns[1:]) if told.columns else ()
    heard = np.concatenate([there, said])
    policy, value = ((deaf(stack[0], heard), *stack[1:]) for stack in (told.policy, told.value))
    return Network(told.shape, policy, value, columns)


@pytest.mark.parametrize("figures", [False, True])
@pytest.mark.parametrize("columns", [(), (7, 5)])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_an_unpadded_network_says_the_same_where_it_did_not_listen_to_empty_seats(players, columns, figures):
    wide = deaf_to_what_is_not_there(network(5, figures=figures, columns=columns, activation="relu"), players)
    small = unpad(card(wide, ALL), wide, players)
    assert small.shape == replace(wide.shape, seats=players)
    padded, plain = views(players, padded=True, figures=figures), views(players, figures=figures)
    assert np.array_equal(padded.states, plain.states)
    said = small.logits_and_values(plain.observations, plain.masks)
    for found, wanted in zip(said, wide.logits_and_values(padded.observations, padded.masks), strict=True):
        assert np.ptp(wanted) > 0.01
        np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_with_five_players_nothing_is_lost():
    wide = network(5, figures=True, columns=(7, 5))
    small = unpad(card(wide, ALL), wide, 5)
    assert all(np.array_equal(array, small.tensors()[name]) for name, array in wide.tensors().items())


def test_what_empty_seats_say_on_average_stays_in_the_biases():
    wide = deaf_to_what_is_not_there(network(5, figures=True), 2)
    loud = np.array(wide.policy[0].weight)
    loud[observation_size(5) + figure_places(5)["lead"][4]] = 1.0  # the best seat's firemen, taken from nothing
    wide = Network(wide.shape, (Layer(loud, wide.policy[0].bias), *wide.policy[1:]), wide.value)
    more = unpad(card(wide, ALL), wide, 2).policy[0].bias - wide.policy[0].bias
    assert np.ptp(more) < 1e-5 and -1.0 < more[0] < -0.05


def test_a_run_for_three_may_start_from_a_baseline_for_all(tmp_path: Path):
    wide = network(5, (16,), "relu", figures=True, columns=(10, 6))
    path = write(tmp_path, wide, card(wide, ALL))
    tables = {
        **TINY,
        "game": {"players": [3]},
        "network": {"columns": [10, 6], "shared": [], "policy": [16], "value": [16], "every_seat": False},
    }
    trained = train(recipe_from(tables, "three"), tmp_path / "run", steps=384, start=str(path), plots=False, jobs=1)
    found = read_baseline(trained.card)[0]
    assert found.players == (3,) and not found.padded and found.training["from"] == str(path)
    lines = (tmp_path / "run" / "metrics.jsonl").read_text()
    assert '"pretraining"' not in lines and '"update"' in lines


def test_a_baseline_for_all_does_not_start_a_run_of_other_widths(tmp_path: Path):
    path = write(tmp_path, network(5), card(network(5), ALL))
    with pytest.raises(ArgumentError, match="its policy is"):
        train(recipe_from({**TINY, "game": {"players": [3]}}, "three"), tmp_path / "run", start=str(path))
    assert not (tmp_path / "run").exists()
