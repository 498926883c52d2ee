"""Networks that read figures and columns: what they compute, what their files hold, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from speicher_agents.baselines import (
    BadTensors,
    Baseline,
    Layer,
    Network,
    network_from,
    read_baseline,
    read_tensors,
    write_tensors,
)
from speicher_agents.baselines.columns import column_places
from speicher_agents.baselines.figures import VERSION, with_figures
from speicher_agents.baselines.tensors import Tensors
from speicher_env import ArgumentError
from tests.support.small_networks import card, network, views, write

CLOSE = 1e-4
"""Sums of some hundred products in float32."""
reads = pytest.mark.parametrize(("figures", "columns"), [(True, (9, 7)), (True, ()), (False, (6,)), (False, ())])


def slowly(own: Network, observation: np.ndarray) -> tuple[list[float], float]:
    """Logits and value of one observation, number by number, as the weights' names say."""
    tensors = own.tensors()
    activate: Callable[[float], float] = np.tanh if own.activation == "tanh" else lambda number: max(number, 0.0)

    def layer(name: str, read: list[float]) -> list[float]:
        rows = zip(tensors[f"{name}.weight"].astype(float), tensors[f"{name}.bias"].astype(float), strict=True)
        return [sum(a * b for a, b in zip(row.tolist(), read, strict=True)) + bias for row, bias in rows]

    def last(stack: str) -> int:
        return sum(name.startswith(f"{stack}.") for name in tensors) // 2 - 1

    numbers = (with_figures(observation[None])[0] if own.figures else observation).astype(float).tolist()
    read = list(numbers)
    if own.columns:
        for places in column_places(len(observation), own.figures).tolist():
            told = [numbers[place] for place in places] + numbers
            for place in range(last("columns") + 1):
                told = [activate(number) for number in layer(f"columns.{place}", told)]
            read += told
    said = {}
    for stack in ("policy", "value"):
        told = read
        for place in range(last(stack)):
            told = [activate(number) for number in layer(f"{stack}.{place}", told)]
        said[stack] = layer(f"{stack}.{last(stack)}", told)
    return said["policy"], said["value"][0]


@reads
@pytest.mark.parametrize(("players", "activation"), [(2, "tanh"), (4, "relu")])
def test_it_computes_what_its_layers_say(players: int, activation: str, figures: bool, columns: tuple[int, ...]):
    own = network(players, activation=activation, figures=figures, columns=columns)
    shown = views(players, rows=4)
    before = shown.observations.copy()
    logits, values = own.logits_and_values(shown.observations, shown.masks)
    assert np.array_equal(shown.observations, before)
    assert np.array_equal(own.logits(shown.observations, shown.masks), logits)
    assert np.array_equal(own.values(shown.observations), values)
    for row in range(4):
        wanted, worth = slowly(own, shown.observations[row])
        legal = shown.masks[row] == 1
        np.testing.assert_allclose(logits[row, legal], np.array(wanted)[legal], atol=CLOSE)
        assert (logits[row, ~legal] < -1e8).all()
        assert values[row] == pytest.approx(worth, abs=CLOSE)


@reads
def test_it_comes_back_from_a_file_as_it_was(figures: bool, columns: tuple[int, ...]):
    own, shown = network(3, figures=figures, columns=columns), views(3)
    again = network_from(read_tensors(write_tensors(own.tensors())), own.activation, figures=figures)
    assert (again.size, again.inputs, again.hidden, again.figures) == (own.size, own.inputs, own.hidden, own.figures)
    assert again.hidden.get("columns", []) == list(columns) and again.size == shown.observations.shape[1]
    assert again.parameters == own.parameters == sum(array.size for array in own.tensors().values())
    for found, wanted in zip(
        again.logits_and_values(shown.observations, shown.masks),
        own.logits_and_values(shown.observations, shown.masks),
        strict=True,
    ):
        assert np.array_equal(found, wanted)


def cut(tensors: Tensors, name: str, axis: int) -> Tensors:
    """One input or output of a layer less."""
    return {**tensors, name: np.delete(tensors[name], 0, axis=axis)}


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (lambda found: cut(found, "columns.0.weight", 1), "no observation with what its card adds"),
        (lambda found: cut(cut(found, "policy.0.weight", 1), "value.0.weight", 1), "no observation with what its card"),
        (lambda found: cut(found, "value.0.weight", 1), "policy and value do not take the same"),
        (lambda found: cut(found, "columns.1.weight", 1), "columns.1.weight and columns.1.bias do not fit"),
        (lambda found: cut(found, "columns.1.bias", 0), "columns.1.weight and columns.1.bias do not fit"),
        (lambda found: cut(cut(found, "columns.1.weight", 0), "columns.1.bias", 0), "no observation with what its"),
        (lambda found: found | {"columns.1.bias": np.float32(1)}, "columns.1.weight and columns.1.bias do not fit"),
        (lambda found: found | {"columns.0.weight": np.zeros((2, 2, 2), np.float32)}, "columns.0.weight and"),
        (lambda found: {name: array for name, array in found.items() if name != "columns.0.bias"}, "belongs to no"),
        (lambda found: {name: array for name, array in found.items() if "columns" not in name}, "no observation with"),
        (lambda found: found | {"rows.0.weight": np.zeros((2, 2), np.float32)}, "rows.0.weight belongs to no layer"),
    ],
)
def test_weights_that_do_not_fit_are_refused(change: Callable[[Tensors], Tensors], part: str):
    with pytest.raises(BadTensors) as refused:
        network_from(change(network(figures=True, columns=(9, 7)).tensors()), "tanh", figures=True)
    assert part in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("wrong", [False, True])
def test_weights_for_figures_need_figures_and_others_need_none(wrong: bool):
    tensors = network(figures=not wrong, columns=(9,)).tensors()
    with pytest.raises(BadTensors, match="no observation with what its card adds"):
        network_from(tensors, "tanh", figures=wrong)


def test_a_network_without_layers_for_columns_gives_no_such_tensors():
    assert not [name for name in network(figures=True).tensors() if name.startswith("columns")]
    with pytest.raises(BadTensors, match=r"policy\.0"):
        Network((), (Layer(np.zeros((3, 1), np.float32), np.zeros(1, np.float32)),))


def written(folder: Path, own: Network, **changes: Any) -> Path:
    """A baseline whose card names its network otherwise."""
    path = write(folder, own)
    told = json.loads(path.read_text())
    told["network"] |= changes
    path.write_text(json.dumps(told))
    return path


def sentence(path: Path) -> str:
    with pytest.raises(ArgumentError) as refused:
        read_baseline(path)
    assert "\n" not in str(refused.value)
    return str(refused.value)


@reads
def test_a_card_says_what_its_network_reads(tmp_path: Path, figures: bool, columns: tuple[int, ...]):
    own = network(figures=figures, columns=columns)
    path = write(tmp_path, own)
    named = json.loads(path.read_text())["network"]
    assert named.get("figures") == (VERSION if figures else None)
    told, again = read_baseline(path)
    assert told == card(own) and told.figures is figures and again.hidden == own.hidden
    shown = views()
    assert np.array_equal(Baseline(path).policy(shown), Baseline((card(own), own)).policy(shown))
    assert np.array_equal(again.values(shown.observations), own.values(shown.observations))


def test_figures_of_another_version_are_refused_by_name(tmp_path: Path):
    told = sentence(written(tmp_path, network(figures=True), figures=VERSION + 98))
    assert f"baseline small was trained on figures of version {VERSION + 98}, must be {VERSION}" in told


@pytest.mark.parametrize("columns", [(), (9,)])
def test_a_card_that_claims_figures_for_weights_without_is_refused(tmp_path: Path, columns: tuple[int, ...]):
    assert "no observation with what its card adds" in sentence(
        written(tmp_path, network(columns=columns), figures=VERSION)
    )


def test_a_card_that_leaves_out_the_figures_of_its_weights_is_refused(tmp_path: Path):
    path = write(tmp_path, network(figures=True))
    told = json.loads(path.read_text())
    del told["network"]["figures"]
    path.write_text(json.dumps(told))
    assert "its layers are not those that" in sentence(path)


@pytest.mark.parametrize("players", [2, 3, 5])
def test_one_padded_network_with_figures_and_columns_plays_from_either_size(players: int):
    own = network(5, figures=True, columns=(9, 7))
    player = Baseline((card(own, [2, 3, 4, 5]), own))
    small, large = views(players), views(players, padded=True)
    chances, seats = player.evaluate(small)
    assert np.array_equal(chances, player.policy(large)) and np.array_equal(seats, player.seat_values(large))
    assert np.array_equal(seats[np.arange(40), small.seats], player.value(small))
    assert small.masks[np.arange(40), player.act(small)].all()
