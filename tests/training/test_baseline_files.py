"""A baseline's files: read back as they were written, and refused in one sentence when anything about them is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from speicher_agents import load_agent
from speicher_agents.baselines import (
    BadTensors,
    Baseline,
    Network,
    Shape,
    player,
    read_baseline,
    read_tensors,
    write_tensors,
)
from speicher_agents.baselines.tensors import halved
from speicher_env import ArgumentError
from tests.support.small_networks import card, network, views, write


def sentence(path: Path | str) -> str:
    with pytest.raises(ArgumentError) as refused:
        read_baseline(path)
    told = str(refused.value)
    assert "\n" not in told
    return told


def change(path: Path, **fields: Any) -> Path:
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))
    return path


def test_weights_come_back_as_they_were():
    tensors = network().tensors()
    again = read_tensors(write_tensors(tensors))
    assert set(again) == set(tensors)
    assert all(np.array_equal(again[name], tensors[name]) for name in tensors)


def test_the_safetensors_library_reads_and_writes_the_same_files():
    library = pytest.importorskip("safetensors.numpy")
    tensors = network().tensors()
    half = halved(tensors)
    assert all(np.array_equal(array, half[name]) for name, array in library.load(write_tensors(half)).items())
    for again in (library.load(write_tensors(tensors)), read_tensors(library.save(tensors))):
        assert set(again) == set(tensors)
        assert all(np.array_equal(array, tensors[name]) for name, array in again.items())


def test_half_precision_halves_a_file_and_is_read_as_single():
    tensors = network().tensors()
    whole, half = write_tensors(tensors), write_tensors(halved(tensors))
    assert len(half) < 0.55 * len(whole)
    again = read_tensors(half)
    for name, array in again.items():
        assert array.dtype == np.float32 and array.shape == tensors[name].shape
        assert array == pytest.approx(tensors[name], rel=1e-3, abs=1e-7)
    assert write_tensors(halved(again)) == half


def test_an_array_too_large_for_half_precision_keeps_its_numbers():
    tensors = {"large": np.array([1e5, 1.0], dtype=np.float32), "small": np.array([0.1], dtype=np.float32)}
    again = read_tensors(write_tensors(halved(tensors)))
    assert again["large"].tolist() == [1e5, 1.0]
    assert again["small"][0] != tensors["small"][0]


@pytest.mark.parametrize("cut", [0, 7, 8, 60, 2000, -1])
def test_a_file_that_is_cut_off_is_refused(cut: int):
    content = write_tensors(network().tensors())
    with pytest.raises(BadTensors):
        read_tensors(content[:cut])


@pytest.mark.parametrize(
    "header",
    [
        b"[]", b"{", b"\xff\xff", b'{"a": 3}', b'{"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}',
        b'{"a": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}}',
        b'{"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 8]}}',
        b'{"a": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}}',
        b'{"a": {"dtype": "F32", "shape": "x", "data_offsets": [0, 8]}}',
        b'{"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}',
        b'{"a": {"dtype": "F32", "shape": [0, 1000000000000000000000000000000], "data_offsets": [0, 0]}}',
        b'{"a": {"dtype": "F32", "shape": [' + b"1," * 64 + b'1], "data_offsets": [0, 4]}}',
        b'{"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, ' + b"9" * 5000 + b"]}}",
        b'{"a": {"dtype": "F32", "shape": [1], "data_offsets": [0]}}',
        b'{"a": {"dtype": ["F32"], "shape": [1], "data_offsets": [0, 4]}}',
        b"[" * 100_000,
        b'{"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}, '
        b'"b": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}',
        b'{"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}, "a": {"dtype": "F32", "shape": [2], '
        b'"data_offsets": [0, 8]}}',
        b'{"\\ud800": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}}',
    ],
)  # fmt: skip
def test_a_header_that_does_not_fit_is_refused(header: bytes):
    with pytest.raises(BadTensors) as refused:
        read_tensors(len(header).to_bytes(8, "little") + header + bytes(8))
    assert "\n" not in str(refused.value) and str(refused.value).encode()


def test_numbers_that_are_not_finite_are_refused():
    with pytest.raises(BadTensors, match="not finite"):
        read_tensors(write_tensors({"a": np.array([np.nan], dtype=np.float32)}))


@pytest.mark.parametrize("meant", ["small.json", "small.safetensors", "."])
def test_a_baseline_is_found_by_card_weights_or_folder(tmp_path: Path, meant: str):
    own = network()
    write(tmp_path, own)
    told, again = read_baseline(tmp_path / meant)
    assert told == card(own)
    assert np.array_equal(again.policy[0].weight, own.policy[0].weight)


def test_specs_name_a_baseline(tmp_path: Path):
    path = write(tmp_path, network())
    for spec in (str(path), f"baseline:{path}", f"baseline:{path},temperature=1,seed=4"):
        agent = load_agent(spec)
        assert isinstance(agent, Baseline) and agent.name == "baseline:small"
    assert agent.temperature == 1.0


def test_other_observations_are_refused_by_name(tmp_path: Path):
    path = change(write(tmp_path, network()), observation={"schema": 99, "size": 340})
    assert "observation.schema=99: must be 1, as in this version" in sentence(path)


def test_other_actions_are_refused_by_name(tmp_path: Path):
    path = change(write(tmp_path, network()), actions={"digest": "0" * 16, "count": 184})
    assert "actions.digest=" in sentence(path)


def test_damaged_weights_are_refused(tmp_path: Path):
    path = write(tmp_path, network())
    weights = tmp_path / "small.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(bytes(content))
    assert "(its sha256 differs)" in sentence(path)


def test_weights_that_are_missing_or_of_another_shape_are_refused(tmp_path: Path):
    path = write(tmp_path, network(), card(network(), shape=Shape(2, (1,), (1,))))
    assert '"policy.2.bias" belongs to no layer' in sentence(path)
    (tmp_path / "small.safetensors").unlink()
    assert "there is no such file" in sentence(path)


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"format": "other/2"}, 'format="other/2": must be "speicherstadt-baseline/1"'),
        ({"players": [7]}, "players=a list of 1: must be a list of numbers of players 2..5."),
        ({"players": []}, "players=a list of 0: must be"),
        ({"players": [2, 3]}, "padded=false: must be true for several"),
        ({"players": 3}, "players=3: must be a list"),
        ({"observation": 3}, "observation=3: must be a table"),
        ({"reward": "gold"}, 'reward="gold": must be outcome, rank or margin'),
        ({"weights": {"file": "../x.safetensors", "sha256": "0"}}, "beside the card"),
        ({"weights": {"file": "x\x00.safetensors", "sha256": "0"}}, "weights.file="),
        ({"name": "\ud800"}, "holds half of a surrogate pair"),
        ({"padded": 1}, "padded=1: must be true"),
        ({"training": []}, "training=a list of 0: must be a table"),
    ],
)
def test_a_wrong_card_is_refused(tmp_path: Path, fields: dict[str, Any], part: str):
    assert part in sentence(change(write(tmp_path, network()), **fields))


def test_no_card_and_no_baseline_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "x.json").write_text("no json")
    assert "x.json: is not JSON" in sentence(tmp_path / "x.json")
    for hostile in (b"[" * 100_000, b'{"format": ' + b"9" * 5000 + b"}", b"\xff", b" " * 5_000_000):
        (tmp_path / "x.json").write_bytes(hostile)
        assert "x.json: " in sentence(tmp_path / "x.json")
    assert "there is no such file" in sentence(tmp_path / "y.json")
    monkeypatch.setattr("speicher_agents.baselines.files.packaged", lambda: ["2p", "3p", "universal"])
    assert 'did you mean "universal"?' in sentence("univresal")
    assert "must be 2p, 3p, universal or the path of a card" in sentence("9p")
    for name in ("2p\0", "x\0.json", "\ud800.json"):
        assert sentence(name).encode()


def test_a_game_of_another_number_of_players_is_refused():
    own = network(3)
    with pytest.raises(ArgumentError, match=r"baseline:small: players=2: must be 3"):
        Baseline((card(own, [3]), own)).act(views(2))


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of baselines in place of the packaged ones: for 2 and 3 players."""
    monkeypatch.setattr("speicher_agents.baselines.files._packaged_folder", lambda: tmp_path)
    player._packaged.cache_clear()
    for players in (2, 3):
        add(tmp_path, f"{players}p", network(players, seed=players), [players])
    yield tmp_path
    player._packaged.cache_clear()


def add(folder: Path, name: str, own: Network, players: list[int]) -> None:
    told = card(own, players, name=name, weights=f"{name}.safetensors")
    (folder / f"{name}.json").write_text(told.text())
    (folder / f"{name}.safetensors").write_bytes(write_tensors(own.tensors()))


def test_a_packaged_baseline_is_found_by_name(shipped: Path):
    agent = load_agent("baseline:3p")
    assert agent.name == "baseline:3p"
    with pytest.raises(ArgumentError, match="baseline:3p: players=2: must be 3; baseline:2p plays games of 2"):
        agent.act(views(2))


def test_none_named_is_the_one_for_the_number_of_players_or_the_universal_one(shipped: Path):
    for players in (2, 3):
        shown = views(players)
        assert np.array_equal(load_agent("baseline").act(shown), load_agent(f"baseline:{players}p").act(shown))
    with pytest.raises(ArgumentError, match=r"no packaged network \(2p, 3p\) plays games of 4"):
        load_agent("baseline").act(views(4))
    add(shipped, "universal", network(5), [2, 3, 4, 5])
    agent = load_agent("baseline")
    assert np.array_equal(agent.policy(views(4)), load_agent("baseline:universal").policy(views(4)))


def test_a_damaged_packaged_baseline_is_named(shipped: Path):
    (shipped / "2p.safetensors").write_bytes(b"")
    assert "2p.safetensors" in sentence("2p") and "baseline 2p describes" in sentence("2p")


def test_writing_a_baseline_needs_neither_torch_nor_stable_baselines3():
    """Any framework's training code can write one."""
    code = (
        "import sys; sys.modules |= {'torch': None, 'stable_baselines3': None, 'sb3_contrib': None}\n"
        "from speicher_training.train import write_baseline"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
