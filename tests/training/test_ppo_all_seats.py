"""The example in one file: it trains, evaluates, continues from a checkpoint, and exports what it has learned."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from speicher_agents.baselines import Baseline
from speicher_env.batch import Batch

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

EXAMPLE = Path(__file__).parents[2] / "training" / "examples" / "ppo_all_seats.py"
SMALL = ["--num-envs", "8", "--num-steps", "32", "--minibatch", "64", "--hidden", "16", "16", "--columns", "8", "4",
         "--eval-deals", "2", "--opponents", "random", "--no-bfloat16"]  # fmt: skip
UPDATE = 8 * 32
"""Decisions of an update."""


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ppo_all_seats", EXAMPLE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def train(example: ModuleType, folder: Path, *options: object, **more: object) -> dict[str, Any]:
    """Train for a moment; the checkpoint."""
    named = [str(part) for name, value in more.items() for part in (f"--{name.replace('_', '-')}", value)]
    example.main([*SMALL, "--run", str(folder), *map(str, options), *named])
    checkpoint: dict[str, Any] = torch.load(folder / "checkpoint.pt", weights_only=True)
    return checkpoint


def weights(checkpoint: dict[str, Any]) -> dict[str, bytes]:
    return {name: value.numpy().tobytes() for name, value in checkpoint["agent"].items()}


def test_it_can_be_read_in_one_go() -> None:
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) <= 350


def test_the_command_trains_evaluates_saves_and_exports(tmp_path: Path) -> None:
    options = ["--players", "3", "--steps", "1000", "--run", tmp_path / "run", "--export", tmp_path / "own"]
    ran = subprocess.run([sys.executable, EXAMPLE, *SMALL, *options], capture_output=True, text=True, check=True)
    assert re.search(r" 1,024 decisions: win share against random +[01]\.\d{3} ± \d\.\d{3}", ran.stdout)
    assert Baseline(tmp_path / "own" / "baseline.json").card.players == (3,)
    assert torch.load(tmp_path / "run" / "checkpoint.pt", weights_only=True)["steps"] == 1024
    assert list((tmp_path / "run").glob("events.out.tfevents.*")) and (tmp_path / "run" / "args.json").is_file()


@pytest.mark.parametrize(
    ("players", "options"),
    [(2, ()), (5, ()), (2, ("--no-figures",)), (3, ("--columns",))],
    ids=["2p", "5p", "no figures", "no columns"],
)
def test_the_exported_network_is_the_one_that_was_trained(
    example: ModuleType, tmp_path: Path, players: int, options: tuple[str, ...]
) -> None:
    folders = ["--run", str(tmp_path), "--export", str(tmp_path)]
    arguments = [*SMALL, "--players", str(players), *options, *folders, "--steps", "300"]
    example.main(arguments)
    args = example.parse_args(arguments)
    batch = Batch(50, players, seat="all", figures=args.figures)
    batch.reset(np.arange(50))
    for _ in range(60):
        batch.step(batch.action_masks.argmax(axis=1))
    agent = example.Agent(players, batch.observations.shape[1], args.hidden, args.columns, bfloat16=False)
    example.load(tmp_path / "checkpoint.pt", agent, torch.optim.Adam(agent.parameters()), args)
    masks = batch.action_masks.astype(bool)
    with torch.no_grad():
        logits, values = agent(torch.from_numpy(batch.observations), torch.from_numpy(masks))
    network = Baseline(tmp_path / "baseline.json").network
    numpy_logits, numpy_values = network.logits_and_values(batch.observations, batch.action_masks)
    np.testing.assert_allclose(numpy_logits[masks], logits.numpy()[masks], atol=1e-3)
    np.testing.assert_allclose(numpy_values, values.numpy(), atol=1e-3)
    assert (logits.softmax(1).numpy()[~masks] == 0).all(), "an illegal action has no probability"


@pytest.mark.parametrize(("share", "games"), [("0", [8]), ("0.5", [4, 2, 2]), ("0.4", [5, 2, 1]), ("0.1", [7, 1])])
def test_a_share_of_the_games_is_against_scripted_players(example: ModuleType, share: str, games: list[int]) -> None:
    arguments = [*SMALL, "--scripted", share, "--scripted-players", "merchant", "frugal"]
    envs = example.make_training_envs(example.parse_args(arguments))
    assert [env.num_envs for env in envs] == games
    assert [env.seats for env in envs] == ["all", *["one"] * (len(games) - 1)]


def test_a_run_can_be_repeated(example: ModuleType, tmp_path: Path) -> None:
    runs = [weights(train(example, tmp_path / name, steps=2 * UPDATE, seed=4)) for name in "ab"]
    assert runs[0] == runs[1]
    assert weights(train(example, tmp_path / "c", steps=2 * UPDATE, seed=5)) != runs[0]


def test_a_checkpoint_is_continued(example: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = train(example, tmp_path / "first", steps=2 * UPDATE)
    file = tmp_path / "first" / "checkpoint.pt"
    same = train(example, tmp_path / "same", load=file, steps=0)
    assert weights(same) == weights(first) and same["steps"] == first["steps"] == 2 * UPDATE
    more = train(example, tmp_path / "more", load=file, steps=3 * UPDATE)
    assert more["steps"] == 3 * UPDATE and weights(more) != weights(first)
    assert more["agent"]["mean"].equal(first["agent"]["mean"]), "the scaling stays as it was"
    assert more["optimizer"]["state"][0]["step"] > first["optimizer"]["state"][0]["step"]
    with pytest.raises(SystemExit, match=r"was trained with players=2, not 3"):
        train(example, tmp_path / "other", load=file, players=3)


def test_a_minibatch_of_a_single_decision_ruins_nothing(example: ModuleType, tmp_path: Path) -> None:
    """The last one of a rollout may be so small; a single decision has no spread to divide by."""
    checkpoint = train(example, tmp_path, steps=UPDATE, minibatch=1, update_epochs=1)
    assert all(value.isfinite().all() for value in checkpoint["agent"].values())
