"""The comparison of algorithms: what differs between them, and that finished work is not done again."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from benchmarks import algorithms  # noqa: E402
from benchmarks.algorithms import ALGORITHMS, QUICK, Extent, Learned, Run  # noqa: E402
from docs.tables import algorithms as tables  # noqa: E402
from speicher_env import ArgumentError  # noqa: E402
from speicher_training.train import Recipe  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:tensorboard.*"),
    pytest.mark.usefixtures("same_torch_threads"),
]


def arguments(folder: Path, *more: str) -> list[str]:
    return ["--quick", "--folder", str(folder / "runs"), "--into", str(folder / "kept"), *more]


def run_of(algorithm: str, players: int, folder: Path = Path("nowhere")) -> Run:
    return Run(algorithm, players, 1, Extent(1.0), folder)


def kept(folder: Path, name: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads((folder / "kept" / f"{name}.json").read_text())
    return result


def test_settings_of_the_search_tell_only_runs_apart_that_search() -> None:
    for name, algorithm in ALGORITHMS.items():
        if not algorithm.file:
            assert ("search" in run_of(name, 2).identity["settings"]) == algorithm.searches


@pytest.mark.parametrize("players", [2, 4])
def test_recipes_have_no_teacher_and_differ_in_their_opponents_alone(players: int) -> None:
    recipes = {name: run_of(name, players).recipe for name, each in ALGORITHMS.items() if not each.file}
    assert {recipe.pretraining.decisions for recipe in recipes.values()} == {0}
    assert {tuple(recipe.game.players) for recipe in recipes.values()} == {(players,)}
    tables = [{**recipe.tables, "league": {}, "search": {}} for recipe in recipes.values()]
    assert all(each == tables[0] for each in tables)
    assert recipes["ppo-self-play"].league.newest == 1 and recipes["ppo-fixed-mix"].league.scripted == 1
    uniform = recipes["fictitious-self-play"].league
    assert (uniform.past, uniform.newest, uniform.scripted, uniform.hardness) == (1, 0, 0, 0)


def test_every_algorithm_has_a_file_or_is_a_recipe() -> None:
    assert all((algorithms.EXAMPLES / each.file).is_file() for each in ALGORITHMS.values() if each.file)


def test_runs_come_seed_by_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    warmed: list[Run] = []
    monkeypatch.setattr(algorithms, "carry_out_and_keep", lambda works, *rest: asked.extend(works))
    monkeypatch.setattr(algorithms, "warm_up", warmed.extend)
    options = ["--folder", str(tmp_path), "--into", str(tmp_path), "--players", "2", "--seeds", "2"]
    algorithms.main([*options, "--algorithm", "pqn", "dqn"])
    assert asked == ["pqn-2p-1", "dqn-2p-1", "pqn-2p-2", "dqn-2p-2"] == [run.name for run in warmed]


def test_a_recipe_and_a_file_are_measured_alike_and_play_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = arguments(tmp_path, "--players", "2", "--algorithm", "expert-iteration", "pqn")
    algorithms.main(options)
    results = [kept(tmp_path, name) for name in ("expert-iteration-2p-1", "pqn-2p-1")]
    for result in results:
        assert [row["opponent"] for row in result["panel"]] == list(algorithms.PANEL)
        assert {point["opponent"] for point in result["curve"]} == set(algorithms.PANEL)
        assert result["seconds"] == pytest.approx(result["curve"][-1]["seconds"], abs=0.01)
        assert result["steps"] == result["curve"][-1]["steps"] >= 600
        assert str(tmp_path) not in json.dumps(result), "no paths of this machine"
    (row,) = kept(tmp_path, "pairs-2p")["rows"]
    assert (row["seed"], row["row"], row["column"]) == (1, "expert-iteration", "pqn")

    def refuse(*arguments: Any, **named: Any) -> None:
        raise AssertionError("done again")

    for name in ("learn", "arena"):
        monkeypatch.setattr(algorithms, name, refuse)
    algorithms.main(options)
    with pytest.raises(AssertionError, match="done again"):
        algorithms.main([*options[:-1], "dqn"])


def test_a_budget_is_core_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []

    def note(recipe: Recipe, folder: Path, **named: Any) -> Any:
        asked.append(named)
        return SimpleNamespace(complete=False)

    monkeypatch.setattr(algorithms, "train", note)
    for name in ("ppo-league", "expert-iteration"):
        run = Run(name, 2, 1, Extent(10.0), tmp_path)
        assert algorithms.learn(run, lambda report: None, lambda: False) is None
    assert [named["minutes"] for named in asked] == [10.0, 4.0]
    assert {named["clock"] for named in asked} == {time.process_time} and {named["jobs"] for named in asked} == {1}
    assert run_of("pqn", 4).options[:6] == ["--players", "4", "--seed", "1", "--core-minutes", "1"]


FILE = """
import json, pathlib, sys, time
options = dict(zip(sys.argv[1:], sys.argv[2:]))
folder = pathlib.Path(options["--run"])
(folder / "begun").write_text("")
while options["--seed"] == "2":
    time.sleep(0.01)
line = {"steps": 7, "seconds": 1.5, "opponent": "random", "win_share": 0.5}
(folder / "evaluations.jsonl").write_text(json.dumps(line) + chr(10))
"""
"""In place of an example: it writes an evaluation, but with seed 2 it does not come to an end."""


def test_an_interrupted_run_of_a_file_is_ended_and_starts_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(algorithms, "EXAMPLES", tmp_path)
    (tmp_path / "dqn.py").write_text(FILE)
    folder = tmp_path / "run"
    endless, again = (Run("dqn", 2, seed, QUICK, folder) for seed in (2, 1))
    assert algorithms.learn(endless, lambda report: None, lambda: (folder / "begun").exists()) is None
    assert not (folder / "finished.json").exists()
    (folder / "left over").write_text("")
    learned = algorithms.learn(again, lambda report: None, lambda: False)
    assert isinstance(learned, Learned) and (learned.steps, learned.seconds) == (7, 1.5)
    assert "dqn-2p-1 was interrupted and starts again" in capsys.readouterr().out
    assert not (folder / "left over").exists()
    (tmp_path / "dqn.py").write_text("raise SystemExit('no memory')")
    assert algorithms.learn(again, lambda report: None, lambda: False) == learned, "a finished run is not repeated"
    with pytest.raises(ArgumentError, match=r"dqn.py failed: no memory"):
        algorithms.learn(replace(again, seed=3), lambda report: None, lambda: False)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--algorithm", "sarsa"], 'algorithm="sarsa": must be'),
        (["--minutes", "0"], "'0': must be a number of minutes above 0"),
    ],
)
def test_a_mistake_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], sentence: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        algorithms.main(arguments(tmp_path, *more))
    assert ended.value.code == 2 and sentence in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


# The page, on results made up here


def interval(estimate: float) -> dict[str, float]:
    return {"estimate": estimate, "low": estimate - 0.03, "high": estimate + 0.03}


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two seeds of one algorithm and one of another, with two players; an older run with less time."""
    monkeypatch.setattr(tables, "KEPT", tmp_path)
    for name, seed, share, minutes in [
        ("dqn", 1, 0.5, 3.0),
        ("dqn", 2, 0.7, 3.0),
        ("pqn", 1, 0.25, 3.0),
        ("psro", 1, 0.9, 1.0),
    ]:
        curve = [
            {"steps": int(at), "seconds": at, "opponent": opponent, "win_share": share * at / 180}
            for at in (90.0, 180.0) for opponent in algorithms.PANEL
        ]  # fmt: skip
        result = HEADER | {
            "algorithm": name, "players": 2, "seed": seed, "core_minutes": minutes, "deals": 9, "steps": 1_500_000,
            "panel": [{"opponent": opponent, "win_share": interval(share)} for opponent in algorithms.PANEL],
            "curve": curve, "digest": f"{name}{seed}",
        }  # fmt: skip
        (tmp_path / f"{name}-2p-{seed}.json").write_text(json.dumps(result))
    rows = [
        {"seed": seed, "row": "dqn", "column": "pqn", "win_share": interval(share)}
        for seed, share in ((1, 0.6), (2, 0.7))
    ]
    (tmp_path / "pairs-2p.json").write_text(json.dumps({"rows": rows}))
    for name, digest in (("dqn", "dqn1"), ("pqn", "another run")):
        found = {"seed": 1, "digest": digest, "gain": interval(0.25)}
        (tmp_path / f"deviation-{name}-2p.json").write_text(json.dumps(found))
    return tmp_path


HEADER = {
    "command": "python -m benchmarks.algorithms --minutes 3",
    "date": "2026-01-02",
    "machine": {"processor": "A Processor", "usable_cores": 2, "memory_gib": 8.0, "system": "Linux x86_64"},
    "versions": {"python": "3.11.0"},
}


def test_the_page_shows_what_there_is_and_what_is_missing(measured: Path) -> None:
    rows = {line.split(" | ")[0].strip("| "): line for line in tables.panel(2).splitlines()}
    assert (
        "| 2 | 1.50 | 60.0 [0.0, 100.0] |" in rows["DQN, self-play"]
        and "+25.0 [+22.0, +28.0]" in rows["DQN, self-play"]
    )
    assert "| 1 | 1.50 | 25.0 | 25.0 | 25.0 | not measured yet |" in rows["PQN, self-play"]
    assert "not measured yet" in rows["PSRO"] and "90.0" not in rows["PSRO"], "of another budget"
    assert tables.panel(4).startswith("Not measured yet") and tables.pairs(4).startswith("Not measured yet")
    assert "| `dqn` | – | 65.0 | 65.0" in tables.pairs(2) and "| `pqn` | 35.0 | – | 35.0" in tables.pairs(2)
    assert "3 minutes of core time for each run, seeds 1 to 2; 9 held-out deals" in tables.measured()


def test_curves_are_means_over_the_seeds_at_equal_parts_of_the_budget(measured: Path) -> None:
    shown = tables.points(tables.kept_runs(2)["dqn"], "merchant")
    assert [minutes for minutes, _ in shown] == pytest.approx([0.6, 1.2, 1.8, 2.4, 3.0])
    assert [share for _, share in shown] == pytest.approx([30.0, 30.0, 36.0, 48.0, 60.0])
    tables.draw(measured)
    assert tables.digest() in (measured / "images" / "algorithms.svg").read_text()


def test_nothing_is_drawn_before_anything_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "KEPT", tmp_path)
    tables.draw(tmp_path)
    assert not list(tmp_path.iterdir()) and all("ot measured yet" in tables.TABLES[f"algorithms {name}"]() for name in (
        "measured", "panel 2p", "panel 4p", "pairs 2p", "pairs 4p", "curves"))  # fmt: skip
