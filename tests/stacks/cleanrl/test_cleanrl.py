"""The example in one file, in CleanRL's manner: it learns, heeds its masks, and continues from what it saved."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from speicher_agents.baselines import Baseline
from speicher_env import IllegalAction
from tests.stacks.conftest import Figures
from tests.stacks.examples import Run, load_example, run_command, run_example
from tests.stacks.held_out import Choose, WinShare, win_share
from tests.stacks.speed import beside_ours
from tests.stacks.stack import ROOT

EXAMPLE = "ppo_all_seats"
STEPS = 2_400_000
STEPS_OF_DEMO = 2_000_000
"""Which take about as long."""
DEMO = ROOT / "training" / "speicher_training" / "recipes" / "demo.toml"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    folder = tmp_path_factory.mktemp("run")
    options = ("--steps", STEPS, "--eval-every", STEPS, "--eval-deals", 50, "--run", folder)
    return run_example(EXAMPLE, *options), folder


def chooser(folder: Path) -> Choose:
    """The greedy play of a checkpoint."""
    example = load_example(EXAMPLE)
    args = example.parse_args([])
    env = example.make_env(args, 1)
    agent = example.Agent(args.players, env.single_observation_space.shape[0], args.hidden, args.columns, False)
    example.load(folder / "checkpoint.pt", agent, torch.optim.Adam(agent.parameters()), args)

    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return agent(torch.from_numpy(observations), torch.from_numpy(masks))[0].argmax(1).numpy()

    return choose


def spent(run: Run) -> dict[str, float]:
    """What a run of the example took."""
    return {"minutes": run.minutes, "decisions": STEPS, "training_per_second": STEPS / run.minutes / 60}


def shares_of(choose: Choose) -> dict[str, WinShare]:
    """By opponent."""
    return {name: win_share(choose, 2, name, deals=400, figures=True) for name in ("random", "frugal", "merchant")}


def train_by_demo(folder: Path) -> Run:
    """Train by the recipe demo without its pretraining, into the folder "run"."""
    recipe = folder / "recipe.toml"
    text = re.sub(r"(?m)(?<=^\[pretraining\]\n)decisions = .*$", "decisions = 0", DEMO.read_text(encoding="utf-8"))
    assert "decisions = 0\n" in text
    recipe.write_text(text, encoding="utf-8")
    options = ("--steps", STEPS_OF_DEMO, "--no-plots", "-o", folder / "run")
    return run_command(Path(sys.executable).with_name("speicher"), "train", recipe, *options)


def test_the_example_learns(trained: Any, figures: Figures) -> None:
    run, folder = trained
    shares = shares_of(chooser(folder))
    for name, share in shares.items():
        figures(f"against {name}", **share._asdict(), **spent(run))
    assert shares["random"].low > 0.98


def test_it_reaches_what_the_recipe_demo_reaches_without_pretraining(
    trained: Any, tmp_path: Path, figures: Figures
) -> None:
    run = train_by_demo(tmp_path)
    network = Baseline(tmp_path / "run" / "baseline.json").network

    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        logits, _ = network.logits_and_values(observations, masks.astype(np.int8))
        return np.where(masks, logits, -np.inf).argmax(axis=1)

    shares, shares_of_demo = shares_of(chooser(trained[1])), shares_of(choose)
    for name, share in shares_of_demo.items():
        figures(f"recipe demo without pretraining, against {name}", **share._asdict(), minutes=run.minutes)
        assert shares[name].high >= share.low, f"{name}: below the recipe by more than the error"


def test_tensorboard_has_its_curves(trained: Any) -> None:
    board = EventAccumulator(str(trained[1]))
    board.Reload()
    tags = board.Tags()["scalars"]
    assert {"evaluation/random", "losses/policy", "losses/value", "charts/decisions_per_second"} <= set(tags)
    assert board.Scalars("losses/value")[-1].step == board.Scalars("evaluation/merchant")[-1].step >= STEPS


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_no_mask_is_violated(players: int, tmp_path: Path) -> None:
    """illegal="raise" would raise; and it does for an action that is illegal."""
    run_example(EXAMPLE, "--players", players, "--steps", 33_000, "--eval-deals", 20, "--run", tmp_path)
    example = load_example(EXAMPLE)
    env = example.make_env(example.parse_args(["--players", str(players)]), 2)
    _, info = env.reset(seed=1)
    with pytest.raises(IllegalAction):
        env.step(info["action_mask"].argmin(axis=1))


def test_a_run_continues_from_its_checkpoint(trained: Any, tmp_path: Path) -> None:
    _, folder = trained
    file = folder / "checkpoint.pt"
    before = torch.load(file, weights_only=True)
    run = run_example(EXAMPLE, "--load", file, "--steps", STEPS + 40_000, "--eval-deals", 20, "--run", tmp_path)
    after = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    assert STEPS <= before["steps"] < after["steps"]
    assert after["optimizer"]["state"][0]["step"] > before["optimizer"]["state"][0]["step"]
    assert any(not after["agent"][name].equal(value) for name, value in before["agent"].items())
    assert "win share against random    1.000" in run.output or "win share against random    0.9" in run.output


def test_its_speed(figures: Figures) -> None:
    """The environment as the example steps it, with figures and copies into the rollout, beside ours alone."""
    example = load_example(EXAMPLE)
    args = example.parse_args([])
    env = example.make_env(args, args.num_envs, seats="all")
    rows, info = env.reset(seed=1)
    observations = torch.zeros(args.num_envs, rows.shape[1])
    masks = torch.zeros(args.num_envs, 184, dtype=torch.bool)
    rng = np.random.default_rng(1)

    def play() -> int:
        nonlocal rows, info
        for _ in range(100):
            observations[:] = torch.from_numpy(rows)
            masks[:] = torch.from_numpy(info["action_mask"])
            chances = rng.random(masks.shape, dtype=np.float32) * info["action_mask"]
            rows, _, _, _, info = env.step(chances.argmax(axis=1))
        return 100 * args.num_envs

    figures("against random", **beside_ours(play, games=args.num_envs))
