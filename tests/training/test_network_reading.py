"""Networks that read figures and columns: what they compute, what their files hold, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from speicher_agents.baselines import (
    BadTensors,
    Baseline,
    Layer,
    Network,
    Shape,
    read_baseline,
    read_tensors,
    write_tensors,
)
from speicher_agents.baselines.columns import column_places
from speicher_agents.baselines.tensors import Tensors
from speicher_env import ArgumentError
from speicher_env.observation import FIGURES_VERSION
from tests.support.small_networks import card, network, views, write

CLOSE = 1e-4
"""Sums of some hundred products in float32."""
reads = pytest.mark.parametrize(
    "reads",
    [
        {"figures": True, "columns": (9, 7)}, {"figures": True}, {"columns": (6,)}, {},
        {"figures": True, "columns": (9, 7), "shared": (11,)}, {"shared": (11, 10)},
    ],
    ids=lambda reads: "+".join(reads) or "plain",
)  # fmt: skip
"""What a network reads, and through which layers."""


def slowly(own: Network, seen: np.ndarray) -> tuple[list[float], float]:
    """Logits and value of one observation, number by number, as the weights' names say."""
    tensors = own.tensors()
    activate: Callable[[float], float] = np.tanh if own.shape.activation == "tanh" else lambda number: max(number, 0.0)

    def layer(name: str, read: list[float]) -> list[float]:
        rows = zip(tensors[f"{name}.weight"].astype(float), tensors[f"{name}.bias"].astype(float), strict=True)
        return [sum(a * b for a, b in zip(row.tolist(), read, strict=True)) + bias for row, bias in rows]

    def last(stack: str) -> int:
        return sum(name.startswith(f"{stack}.") for name in tensors) // 2 - 1

    numbers = seen.astype(float).tolist()
    read = list(numbers)
    if own.columns:
        for places in column_places(own.shape.size, own.shape.figures).tolist():
            told = [numbers[place] for place in places] + numbers
            for place in range(last("columns") + 1):
                told = [activate(number) for number in layer(f"columns.{place}", told)]
            read += told
    for place in range(last("shared") + 1):
        read = [activate(number) for number in layer(f"shared.{place}", read)]
    said = {}
    for stack in ("policy", "value"):
        told = read
        for place in range(last(stack)):
            told = [activate(number) for number in layer(f"{stack}.{place}", told)]
        said[stack] = layer(f"{stack}.{last(stack)}", told)
    return said["policy"], said["value"][0]


@reads
@pytest.mark.parametrize(("players", "activation"), [(2, "tanh"), (4, "relu")])
def test_it_computes_what_its_layers_say(players: int, activation: str, reads: dict[str, Any]):
    own = network(players, activation=activation, **reads)
    shown = views(players, rows=4, figures=own.shape.figures)
    before = shown.observations.copy()
    logits, values = own.logits_and_values(shown.observations, shown.masks)
    assert np.array_equal(shown.observations, before)
    assert np.array_equal(own.logits(shown.observations, shown.masks), logits)
    assert np.array_equal(own.values(shown.observations), values)
    for row in range(4):
        wanted, worth = slowly(own, shown.observations[row])
        legal = shown.masks[row] == 1
        np.testing.assert_allclose(logits[row, legal], np.array(wanted)[legal], atol=CLOSE)
        assert (logits[row, ~legal] == -np.inf).all()
        assert values[row] == pytest.approx(worth, abs=CLOSE)


@reads
def test_it_comes_back_from_a_file_as_it_was(reads: dict[str, Any]):
    own = network(3, **reads)
    shown = views(3, figures=own.shape.figures)
    again = Network.from_tensors(own.shape, read_tensors(write_tensors(own.tensors())))
    assert own.shape == Shape(3, (12, 8), (12, 8), activation="tanh", **reads)
    assert own.shape.numbers == shown.observations.shape[1]
    assert again.parameters == own.parameters == sum(array.size for array in own.tensors().values())
    for found, wanted in zip(
        again.logits_and_values(shown.observations, shown.masks),
        own.logits_and_values(shown.observations, shown.masks),
        strict=True,
    ):
        assert np.array_equal(found, wanted)


def test_a_network_of_zeros_finds_all_legal_actions_alike():
    own, shown = Network.zeros(Shape(2, (12,), (8,), (9, 7), (11,), figures=True)), views(figures=True)
    logits, values = own.logits_and_values(shown.observations, shown.masks)
    assert np.array_equal(logits == 0, shown.masks == 1) and not values.any()


def cut(tensors: Tensors, name: str, axis: int) -> Tensors:
    """One input or output of a layer less."""
    return {**tensors, name: np.delete(tensors[name], 0, axis=axis)}


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (lambda found: cut(found, "columns.0.weight", 1), "columns.0.weight is 9 x"),
        (lambda found: cut(found, "policy.0.weight", 1), "policy.0.weight is 12 x"),
        (lambda found: cut(found, "columns.1.bias", 0), "columns.1.bias is 6; must be 7"),
        (lambda found: found | {"columns.1.bias": np.float32(1)}, "columns.1.bias is one number; must be 7"),
        (lambda found: found | {"columns.0.weight": np.zeros((2, 2, 2), np.float32)}, "columns.0.weight is 2 x 2 x 2"),
        (lambda found: {name: array for name, array in found.items() if name != "columns.0.bias"}, "0.bias is missing"),
        (lambda found: {name: array for name, array in found.items() if "columns" not in name}, "0.weight is missing"),
        (lambda found: found | {"rows.0.weight": np.zeros((2, 2), np.float32)}, '"rows.0.weight" belongs to no layer'),
        (lambda found: found | {"shared.0.bias": np.zeros(2, np.float32)}, '"shared.0.bias" belongs to no layer'),
    ],
)
def test_weights_that_do_not_fit_are_refused(change: Callable[[Tensors], Tensors], part: str):
    own = network(figures=True, columns=(9, 7))
    with pytest.raises(BadTensors) as refused:
        Network.from_tensors(own.shape, change(own.tensors()))
    assert part in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("wrong", [False, True])
def test_weights_for_figures_need_figures_and_others_need_none(wrong: bool):
    own = network(figures=not wrong, columns=(9,))
    with pytest.raises(BadTensors, match=r"columns\.0\.weight is 9 x \d+; must be 9 x \d+"):
        Network.from_tensors(replace(own.shape, figures=wrong), own.tensors())


@pytest.mark.parametrize("stack", ["policy", "value", "columns", "shared"])
@pytest.mark.parametrize("size", [3e38, -3e38])
def test_weights_that_would_overflow_are_refused(stack: str, size: float):
    own = network(figures=True, columns=(9, 7), shared=(6,), activation="relu")
    tensors = own.tensors()
    tensors[f"{stack}.0.weight"][0, 0] = size
    with pytest.raises(BadTensors, match="so large that the network would overflow"):
        Network.from_tensors(own.shape, tensors)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("temperature", [0.0, 1.0, 1e-9])
@pytest.mark.parametrize("number", [3e38, -3e38, np.inf, np.nan, -1e12])
def test_whatever_the_weights_no_illegal_action_is_chosen(number: float, temperature: float):
    own, shown = network(activation="relu"), views()
    first, *others = own.policy
    bias = np.full_like(others[-1].bias, number)
    spoiled = Layer(np.full_like(first.weight, number), first.bias)
    for policy in ((spoiled, *others), (first, *others[:-1], Layer(others[-1].weight, bias))):
        player = Baseline((card(own), Network(own.shape, policy, own.value)), temperature)
        assert shown.masks[np.arange(len(shown)), player.act(shown)].all()
        chances = player.policy(shown)
        assert np.isfinite(chances).all() and not chances[shown.masks == 0].any()


def test_a_network_without_layers_for_columns_gives_no_such_tensors():
    own = network(figures=True)
    assert not [name for name in own.tensors() if name.startswith(("columns", "shared"))]
    with pytest.raises(BadTensors, match=r"policy\.0\.weight is missing"):
        Network(own.shape, (), own.value)


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
def test_a_card_says_what_its_network_reads(tmp_path: Path, reads: dict[str, Any]):
    own = network(**reads)
    path = write(tmp_path, own)
    named = json.loads(path.read_text())["network"]
    assert named.get("figures") == (FIGURES_VERSION if "figures" in reads else None)
    told, again = read_baseline(path)
    assert told == card(own) and told.shape == own.shape == again.shape
    shown = views()
    assert np.array_equal(Baseline(path).policy(shown), Baseline((card(own), own)).policy(shown))
    shown = views(figures=own.shape.figures)
    assert np.array_equal(again.values(shown.observations), own.values(shown.observations))


def test_figures_of_another_version_are_refused_by_name(tmp_path: Path):
    told = sentence(written(tmp_path, network(figures=True), figures=FIGURES_VERSION + 98))
    assert f"network.figures={FIGURES_VERSION + 98}: must be {FIGURES_VERSION}, as in this version" in told


@pytest.mark.parametrize("columns", [(), (9,)])
def test_a_card_that_claims_figures_for_weights_without_is_refused(tmp_path: Path, columns: tuple[int, ...]):
    told = sentence(written(tmp_path, network(columns=columns), figures=FIGURES_VERSION))
    assert re.search(r"small\.safetensors: \w+\.0\.weight is \d+ x \d+; must be", told)


def test_a_card_that_leaves_out_the_figures_of_its_weights_is_refused(tmp_path: Path):
    path = write(tmp_path, network(figures=True))
    told = json.loads(path.read_text())
    del told["network"]["figures"]
    path.write_text(json.dumps(told))
    assert "small.safetensors: policy.0.weight is 12 x" in sentence(path)


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"hidden": {"policy": [12, 8], "value": [12, 0]}}, "network.hidden.value=a list of 2: must be a list of"),
        ({"hidden": {"policy": [12, 8], "value": [10**18]}}, "network.hidden.value=a list of 1: must be a list of"),
        ({"hidden": {"policy": [1] * 65, "value": [1]}}, "network.hidden.policy=a list of 65: must be a list of"),
        ({"hidden": {"rows": [3]}}, 'network.hidden="rows": must be columns, shared, policy or value'),
        ({"hidden": [3]}, "network.hidden=a list of 1: must be a table"),
        ({"activation": "gelu"}, 'network.activation="gelu": must be relu or tanh'),
    ],
)
def test_a_card_with_another_kind_of_network_is_refused(tmp_path: Path, changes: dict[str, Any], part: str):
    assert part in sentence(written(tmp_path, network(), **changes))


@pytest.mark.parametrize("players", [2, 3, 5])
def test_one_padded_network_with_figures_and_columns_plays_from_either_size(players: int):
    own = network(5, figures=True, columns=(9, 7))
    player = Baseline((card(own, [2, 3, 4, 5]), own))
    small, large = views(players), views(players, padded=True)
    chances, seats = player.evaluate(small)
    assert np.array_equal(chances, player.policy(large)) and np.array_equal(seats, player.seat_values(large))
    assert np.array_equal(seats[np.arange(40), small.seats], player.value(small))
    assert small.masks[np.arange(40), player.act(small)].all()
