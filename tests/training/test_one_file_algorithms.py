"""DQN, PQN and PSRO in one file each: they learn, stop with their budget, and leave players behind."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from speicher_agents import load_agent
from speicher_env.batch import Batch
from speicher_env.observation import observe
from speicher_env.views import Views
from tests.support.small_networks import TINY

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from speicher_training.train.recipe import recipe_from  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:tensorboard.*"),
    pytest.mark.usefixtures("same_torch_threads"),
]
EXAMPLES = Path(__file__).parents[2] / "training" / "examples"
EVALUATION = ["--eval-deals", "2", "--evaluations", "2", "--opponents", "random"]
SMALL = ["--hidden", "16", "8", "--columns", "8", "4", "--num-envs", "8", "--minibatch", "64", "--no-bfloat16"]
OPTIONS = {
    "dqn": [*SMALL, *EVALUATION, "--begin", "128", "--n-step", "3"],
    "pqn": [*SMALL, *EVALUATION, "--num-steps", "32"],
}


def example(name: str) -> ModuleType:
    """The module of an example file."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def learned(name: str, folder: Path, *options: str) -> ModuleType:
    """Learn for a moment; the module."""
    module = example(name)
    module.main([*OPTIONS[name], "--run", str(folder), *options])
    return module


def spec_of(name: str, folder: Path) -> str:
    """The player that an example leaves behind."""
    return {
        "dqn": str(folder / "baseline.json"),
        "pqn": f"{EXAMPLES / 'pqn.py'}:Trained:checkpoint={folder / 'checkpoint.pt'}",
        "psro": f"{EXAMPLES / 'psro.py'}:Mixture:folder={folder}",
    }[name]


def views(players: int, rows: int = 40, decisions: int = 30) -> Views:
    """Decisions in the middle of games."""
    batch = Batch(rows, players)
    batch.reset(np.arange(rows))
    for _ in range(decisions):
        batch.step(batch.action_masks.argmax(axis=1))
    return batch.views(np.arange(rows))


@pytest.mark.parametrize("name", ["dqn", "pqn", "psro"])
def test_it_can_be_read_in_one_go(name: str) -> None:
    assert len((EXAMPLES / f"{name}.py").read_text(encoding="utf-8").splitlines()) <= 350


@pytest.mark.parametrize(("name", "players"), [("dqn", 2), ("pqn", 3)])
def test_it_evaluates_itself_and_leaves_a_player_behind(name: str, players: int, tmp_path: Path) -> None:
    module = learned(name, tmp_path, "--players", str(players), "--steps", "600")
    lines = [json.loads(line) for line in (tmp_path / "evaluations.jsonl").read_text().splitlines()]
    assert len(lines) == 2 and lines[-1]["steps"] >= 600 and lines[-1]["seconds"] > 0
    player, seen = load_agent(spec_of(name, tmp_path)), views(players)
    actions = player.act(seen)
    assert seen.masks[np.arange(len(seen)), actions].all(), "every action is legal"
    if name == "pqn":
        network = module.Trained(str(tmp_path / "checkpoint.pt")).network
        assert any(isinstance(part, torch.nn.LayerNorm) for part in network.modules())
    figured = dataclasses.replace(seen, observations=observe(seen.states, seen.seats, players, figures=True))
    assert (player.act(figured) == actions).all(), "with figures or without"


@pytest.mark.parametrize("name", ["dqn", "pqn"])
def test_a_network_of_nothing_but_illegal_high_values_still_plays_by_the_rules(name: str) -> None:
    module = example(name)
    network = module.QNetwork(2, False, [8], [], False)
    masks = torch.zeros(5, 184, dtype=torch.bool)
    masks[:, 7] = masks[:, 9] = True
    last = network.q if name == "pqn" else network.advantage
    with torch.no_grad():
        last.bias.fill_(100.0)
        last.bias[7] = last.bias[9] = -100.0
    q = network(torch.rand(5, network.size), masks)
    assert set(q.argmax(1).tolist()) <= {7, 9} and bool((q[masks] > -1000).all()), "the max is over legal actions"


def test_dqn_links_each_decision_to_the_next_one_of_the_same_seat() -> None:
    """One game: seats 0, 1, 1, 0 decide and it ends; then seat 1 begins the next one."""
    replay = example("dqn").Replay(8, 3, num_envs=1, players=2)
    replay.following[:] = 5  # left over from older decisions in these slots
    masks, action = np.ones((1, 184), bool), torch.zeros(1, dtype=torch.int64)
    steps = [(0, (0.0, 0.0), False), (1, (1.0, 2.0), False), (1, (0.0, 0.0), False), (0, (5.0, -5.0), True)]
    for number, (seat, paid, over) in enumerate([*steps, (1, (0.0, 0.0), False)]):
        replay.add(np.full((1, 3), number, np.float32), masks, action, np.array([seat]))
        replay.pay(np.array([paid], np.float32), np.array([over]))
    assert replay.known.tolist() == [True, True, True, True, False, False, False, False]
    assert replay.following[:4].tolist() == [3, 2, -1, -1]
    paid, slots, discounts = replay.look_ahead(np.arange(4), steps=1, gamma=0.5)
    assert paid.tolist() == [1.0, 2.0, -5.0, 5.0] and slots[:2].tolist() == [3, 2]
    assert discounts.tolist() == [0.5, 0.5, 0.0, 0.0]
    paid, _, discounts = replay.look_ahead(np.arange(4), steps=2, gamma=0.5)
    assert paid.tolist() == [1.0 + 2.5, 2.0 - 2.5, -5.0, 5.0] and not discounts.any()


def test_dqn_looks_no_further_than_what_is_known() -> None:
    replay = example("dqn").Replay(8, 3, num_envs=1, players=2)
    masks, action = np.ones((1, 184), bool), torch.zeros(1, dtype=torch.int64)
    for number in range(3):
        replay.add(np.full((1, 3), number, np.float32), masks, action, np.array([0]))
        replay.pay(np.ones((1, 2), np.float32), np.array([False]))
    paid, slots, discounts = replay.look_ahead(np.array([0, 1]), steps=5, gamma=0.5)
    assert paid.tolist() == [1.5, 1.0] and slots.tolist() == [2, 2] and discounts.tolist() == [0.25, 0.5]


@pytest.mark.parametrize("name", ["dqn", "pqn"])
def test_core_time_ends_a_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = example(name)
    seconds = iter(range(1_000_000))
    monkeypatch.setattr(module.time, "process_time", lambda: float(next(seconds)))  # each look takes a second
    module.main([*OPTIONS[name], "--run", str(tmp_path), "--core-minutes", "0.2"])
    lines = [json.loads(line) for line in (tmp_path / "evaluations.jsonl").read_text().splitlines()]
    assert [round(line["seconds"]) for line in lines] == [6, 12], "evaluations do not count"


# PSRO


@pytest.fixture(scope="module")
def psro(tmp_path_factory: pytest.TempPathFactory) -> tuple[ModuleType, Path, list[str]]:
    """Two members, the second of which resumed; the module, the folder and the arguments."""
    folder = tmp_path_factory.mktemp("psro")
    (folder / "tiny.toml").write_text(recipe_from(TINY, "tiny").text(), encoding="utf-8")
    options = ["--recipe", str(folder / "tiny.toml"), "--steps", "384", "--deals", "4", "--eval-deals", "2",
               "--opponents", "random", "--run", str(folder / "run")]  # fmt: skip
    module = example("psro")
    module.main([*options, "--members", "1"])
    module.main([*options, "--members", "2"])
    return module, folder / "run", options


def population(folder: Path) -> list[dict[str, Any]]:
    members: list[dict[str, Any]] = json.loads((folder / "population.json").read_text())
    return members


def test_each_member_learns_against_the_mixture_of_those_before_it(psro: tuple[ModuleType, Path, list[str]]) -> None:
    _, folder, _ = psro
    members = population(folder)
    assert [member["card"] for member in members] == ["member-0/baseline.json", "member-1/baseline.json"]
    assert members[0]["weights"] == [1.0] and sum(members[1]["weights"]) == pytest.approx(1.0)
    assert len(members[1]["ahead"]) == 2 and members[1]["ahead"][1] == 0.5
    recipe = (folder / "member-1" / "recipe.toml").read_text()
    assert f"Mixture:folder={folder},members=1" in recipe
    run = json.loads((folder / "member-1" / "run.json").read_text())
    assert "member-0" in json.dumps(run), "it starts from the member before it"


def test_finished_members_are_not_trained_again(
    psro: tuple[ModuleType, Path, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    module, folder, options = psro
    before = population(folder)
    monkeypatch.setattr(module, "train", lambda *arguments, **named: pytest.fail("it was trained again"))
    module.main([*options, "--members", "2"])
    assert population(folder) == before


def test_a_mixture_plays_each_game_as_one_member_by_the_weights(psro: tuple[ModuleType, Path, list[str]]) -> None:
    module, folder, _ = psro
    mixture = module.Mixture(str(folder))
    mixture.weights = np.array([0.25, 0.75])
    batch = Batch(400, 2)
    batch.reset(np.arange(400))
    first = mixture.drawn(batch.views(np.arange(400)).states)
    assert 0.65 < first.mean() < 0.85
    for _ in range(60):
        batch.step(batch.action_masks.argmax(axis=1))
    running = np.flatnonzero(~batch.ended)
    later = mixture.drawn(batch.views(running).states)
    assert (later == first[running]).all() and len(running) > 300
    seen = batch.views(running)
    np.testing.assert_array_equal(
        mixture.act(seen),
        np.where(later == 0, mixture.members[0].act(seen), mixture.members[1].act(seen)),
    )
    assert load_agent(spec_of("psro", folder)).name == "psro run"
