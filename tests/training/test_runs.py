"""A run: the same seed gives the same weights, also when the process is killed and the run goes on."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.support.small_networks import TINY, network, write

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from speicher_agents import load_agent  # noqa: E402
from speicher_agents.baselines import read_baseline  # noqa: E402
from speicher_env import ArgumentError  # noqa: E402
from speicher_training.files import FileError, locked  # noqa: E402
from speicher_training.train import Trained, train  # noqa: E402
from speicher_training.train.checkpoint import read_checkpoint  # noqa: E402
from speicher_training.train.metrics import read_metrics  # noqa: E402
from speicher_training.train.recipe import Recipe, recipe_from  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:tensorboard.*"),
    pytest.mark.usefixtures("same_torch_threads"),
]


def recipe(**changes: dict[str, object]) -> Recipe:
    return recipe_from(TINY, "tiny").changed(**changes)


def weights(run: Path) -> bytes:
    return (run / "baseline.safetensors").read_bytes()


def run(out: Path, told: Recipe | None = None, **changes: object) -> Trained:
    return train(told or recipe(), out, **({"plots": False, "jobs": 1} | changes))  # type: ignore[arg-type]


def lines_of(run: Path) -> list[dict[str, object]]:
    """The lines of a run's metrics, without the times and where games were played."""
    lines = read_metrics(run / "metrics.jsonl")
    where = ("games/nodes", "games/cores")
    return [{key: value for key, value in line.items() if "seconds" not in key and key not in where} for line in lines]


def steps_of(run: Path) -> int:
    """Decisions of the learner, of whole games."""
    steps: int = lines_of(run)[-1]["steps"]  # type: ignore[assignment]
    return steps


class Killed(BaseException):
    """In place of kill -9: nothing catches it."""


def killed_after(lines: int, out: Path, told: Recipe | None = None, **changes: object) -> None:
    """A run that ends without warning after so many lines of its metrics."""
    count = 0

    def watch(line: object) -> None:
        nonlocal count
        count += 1
        if count == lines:
            raise Killed

    with pytest.raises(Killed):
        run(out, told, watch=watch, **changes)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing interrupted."""
    out = tmp_path_factory.mktemp("runs") / "whole"
    run(out, seed=3)
    return out


def test_the_same_seed_gives_the_same_weights_and_another_seed_others(whole: Path, tmp_path: Path):
    run(tmp_path / "again", seed=3)
    run(tmp_path / "other", seed=4)
    assert weights(tmp_path / "again") == weights(whole)
    assert weights(tmp_path / "other") != weights(whole)


@pytest.mark.parametrize("lines", [1, 4, 8])
def test_a_run_that_was_cut_short_goes_on_to_the_same_weights(whole: Path, tmp_path: Path, lines: int):
    killed_after(lines, tmp_path / "run", seed=3)
    assert not (tmp_path / "run" / "baseline.json").exists()
    run(tmp_path / "run", seed=3)
    assert weights(tmp_path / "run") == weights(whole)
    assert lines_of(tmp_path / "run") == lines_of(whole)


def test_a_run_with_several_processes_is_the_run_with_one(whole: Path, tmp_path: Path):
    run(tmp_path / "run", seed=3, jobs=2)
    assert weights(tmp_path / "run") == weights(whole)
    assert lines_of(tmp_path / "run") == lines_of(whole)


def test_several_numbers_of_players_resume_alike_too(tmp_path: Path):
    mixed = recipe(
        game={"players": [2, 3], "padded": True, "decks": ["standard", "sampled"]}, league={"anchors": ["merchant"]}
    )
    run(tmp_path / "whole", mixed)
    killed_after(4, tmp_path / "run", mixed)
    run(tmp_path / "run", mixed)
    assert weights(tmp_path / "run") == weights(tmp_path / "whole")


def test_observations_are_scaled_by_those_of_the_games_that_are_learned(whole: Path):
    told = read_checkpoint(whole / "checkpoint.pickle")["policy"]
    assert 0.1 < float(told["features_extractor.spread"].max()) < 1.0
    assert float(told["features_extractor.mean"].max()) > 0.5


def test_evaluations_do_not_change_what_is_learned(whole: Path, tmp_path: Path):
    run(tmp_path / "run", recipe(run={"evaluation_steps": 384}), seed=3)
    assert weights(tmp_path / "run") == weights(whole)


def test_an_interrupted_run_keeps_a_checkpoint_and_goes_on(whole: Path, tmp_path: Path):
    updates: list[int] = []
    stopped = run(
        tmp_path / "run", seed=3, interrupted=lambda: len(updates) == 2,
        watch=lambda line: updates.append(line["steps"]) if line["kind"] == "update" else None,
    )  # fmt: skip
    assert not stopped.complete
    assert read_checkpoint(tmp_path / "run" / "checkpoint.pickle")["steps"] == stopped.steps == updates[-1]
    assert read_baseline(tmp_path / "run")[0].training["steps"] == stopped.steps
    assert lines_of(tmp_path / "run")[-1]["kind"] == "evaluation"
    assert run(tmp_path / "run", seed=3).complete
    assert weights(tmp_path / "run") == weights(whole)
    assert lines_of(tmp_path / "run") == lines_of(whole)


def test_a_run_that_is_interrupted_before_anything_is_learned_goes_on(whole: Path, tmp_path: Path):
    stopped = run(tmp_path / "run", seed=3, interrupted=lambda: True)
    assert not stopped.complete and stopped.card is None
    assert run(tmp_path / "run", seed=3).complete
    assert weights(tmp_path / "run") == weights(whole)


@pytest.mark.parametrize("stage", ["pretraining", "imitation"])
def test_a_run_that_is_killed_while_it_imitates_goes_on_from_its_last_checkpoint(stage: str, tmp_path: Path):
    settings = recipe(
        pretraining={"decisions": 40_000}, imitation={"decisions": 40_000}, run={"checkpoint_steps": 10_000}
    )
    seen: list[object] = []

    def watch(line: dict[str, object]) -> None:
        seen.append(line["kind"])
        if seen.count(stage) == 2:
            raise Killed

    run(tmp_path / "whole", settings, steps=384)
    with pytest.raises(Killed):
        run(tmp_path / "run", settings, steps=384, watch=watch)
    kept = read_checkpoint(tmp_path / "run" / "checkpoint.pickle")["stages"][stage]
    assert 10_000 < kept["done"] < 30_000
    assert run(tmp_path / "run", settings, steps=384).complete
    assert weights(tmp_path / "run") == weights(tmp_path / "whole")
    assert lines_of(tmp_path / "run") == lines_of(tmp_path / "whole")


def test_what_is_taught_by_points_is_exported_with_a_value_of_who_wins(tmp_path: Path):
    """And the run itself keeps the value that points have taught, to go on with."""
    points = recipe(game={"reward": "margin"})
    left = recipe(game={"reward": "margin"}, value_finetuning={"decisions": 0})
    run(tmp_path / "judged", points, steps=384)
    run(tmp_path / "left", left, steps=384)
    (judged, wins), (kept, ahead) = (read_baseline(tmp_path / name) for name in ("judged", "left"))
    assert (judged.reward, kept.reward) == ("outcome", "margin")
    np.testing.assert_allclose(wins.policy[0].weight, ahead.policy[0].weight, atol=0.02)
    assert not np.allclose(wins.value[0].weight, ahead.value[0].weight, atol=1e-4)
    kept_values, own_values = (
        read_checkpoint(tmp_path / name / "checkpoint.pickle")["policy"]["value_net.weight"]
        for name in ("judged", "left")
    )
    assert torch.equal(kept_values, own_values)


def test_a_run_learns_on_the_decks_of_its_stage(tmp_path: Path):
    run(tmp_path / "run", recipe(game={"decks": ["standard", "sampled"]}, ppo={"decks": ["sampled"]}), steps=384)
    parts = read_checkpoint(tmp_path / "run" / "checkpoint.pickle")["rollouts"]["parts"]
    assert {deck for part in parts for deck in part.decks} == {"sampled"}


def test_a_run_imitates_its_teacher_at_the_end_also_when_it_is_interrupted_there(tmp_path: Path):
    settings = recipe(imitation={"decisions": 40_000})
    stages: list[object] = []
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    run(whole, settings, steps=384)
    stopped = run(
        cut, settings, steps=384, interrupted=lambda: "imitation" in stages,
        watch=lambda line: stages.append(line["kind"]),
    )  # fmt: skip
    assert not stopped.complete and stages.count("imitation") == 1
    assert run(cut, settings, steps=384).complete
    assert weights(cut) == weights(whole) and lines_of(cut) == lines_of(whole)
    lines = lines_of(whole)
    agreement = [line["agreement"] for line in lines if line["kind"] == "imitation"]
    assert len(agreement) > 1 and agreement[-1] > agreement[0]  # type: ignore[operator]
    after = [line for line in lines if line["kind"] == "evaluation"][-1]
    assert after["steps"] > steps_of(whole)  # type: ignore[operator]
    assert read_baseline(whole)[0].strength["development"][0]["win_share"] == after["win_share"]


def test_a_finished_run_goes_on_when_more_steps_are_asked_for(tmp_path: Path):
    first = run(tmp_path / "run", steps=384).steps
    told = run(tmp_path / "run", steps=first + 1)
    assert told.complete and told.steps > first


def test_the_run_has_come_to_play_against_its_past(whole: Path):
    """Otherwise the tests above would not show that the league goes on alike."""
    told = {name: games for name, _, games, _, _ in read_checkpoint(whole / "checkpoint.pickle")["league"]["members"]}
    assert told["newest"] > 3 and told["random"] > 0
    assert sum(games for name, games in told.items() if name.startswith("steps-")) > 0


def test_the_folder_holds_what_is_needed_to_repeat_and_to_play(whole: Path):
    told = json.loads((whole / "run.json").read_text())
    assert told["seed"] == 3 and told["settings"]["network"]["policy"] == [16]
    assert {"torch", "sb3-contrib", "speicher-env", "numpy"} <= set(told["versions"])
    assert "commit" in told and "command" in told
    assert (whole / "recipe.toml").read_text() == recipe().text()
    members = read_checkpoint(whole / "checkpoint.pickle")["league"]["members"]
    snapshots = {f"{name}.safetensors" for name, kind, *_ in members if kind == "past"}
    assert len(snapshots) == 3 and snapshots <= {path.name for path in (whole / "league").iterdir()}
    assert {entry.name for entry in (whole / "tensorboard").iterdir() if entry.is_dir()} >= {"pretraining"}
    card, _ = read_baseline(whole)
    assert card.training["steps"] == steps_of(whole) and card.strength["development"][0]["opponent"] == "random"
    assert load_agent(str(whole / "baseline.json")).name == "baseline:tiny"
    assert not list(whole.rglob("*.part"))


def test_the_card_tells_the_same_curve_as_the_metrics_file(tmp_path: Path):
    run(tmp_path / "run", recipe(run={"evaluation_steps": 384}), steps=768)
    lines = [line for line in read_metrics(tmp_path / "run" / "metrics.jsonl") if line["kind"] == "evaluation"]
    (told,) = read_baseline(tmp_path / "run")[0].training["curve"]
    assert (told["players"], told["opponent"]) == (2, "random")
    assert told["steps"] == [line["steps"] for line in lines] and len(lines) == 2
    assert told["win_share"] == [round(line["win_share"], 4) for line in lines]
    assert told["minutes"] == [round(line["seconds"] / 60, 2) for line in lines]


def test_a_run_that_went_on_tells_each_evaluation_once(tmp_path: Path):
    """Whether it was killed between an evaluation and the next checkpoint, or was finished and is started again."""
    often = recipe(run={"evaluation_steps": 384, "checkpoint_steps": 768})
    evaluations: list[object] = []

    def kill(line: dict[str, object]) -> None:
        evaluations.extend([line["steps"]] if line["kind"] == "evaluation" else [])
        if len(evaluations) == 3:
            raise Killed

    with pytest.raises(Killed):
        run(tmp_path / "run", often, steps=1536, watch=kill)
    for _ in range(2):
        run(tmp_path / "run", often, steps=1536)
        (told,) = read_baseline(tmp_path / "run")[0].training["curve"]
        assert told["steps"][:3] == evaluations and len(set(told["steps"])) == len(told["win_share"]) == 4


def test_a_run_may_start_from_a_baseline(whole: Path, tmp_path: Path):
    before = read_baseline(whole)[1]
    slow = recipe(ppo={"learning_rate": 1e-9, "learning_rate_end": 0.0})
    run(tmp_path / "run", slow, steps=384, start=str(whole))
    after = read_baseline(tmp_path / "run")[1]
    np.testing.assert_allclose(after.policy[0].weight, before.policy[0].weight, atol=1e-5)
    with pytest.raises(ArgumentError, match=r"its policy is .* as in the recipe"):
        run(tmp_path / "no", start=str(write(tmp_path, network())))
    assert not (tmp_path / "no").exists()


def test_minutes_end_a_run(tmp_path: Path):
    told = run(tmp_path / "run", minutes=0.02)
    assert told.complete and 0 < told.steps < 10_000_000


def test_a_run_counts_its_time_by_the_clock_that_it_is_given(tmp_path: Path):
    seconds = iter(range(10_000))  # each look at the clock takes a second
    told = run(tmp_path / "run", minutes=0.3, clock=lambda: float(next(seconds)))
    assert told.complete and 18 <= told.seconds == float(next(seconds) - 1) < 60
    assert all(0 < line["seconds"] <= told.seconds for line in read_metrics(tmp_path / "run" / "metrics.jsonl"))


def test_another_run_in_the_folder_is_refused(whole: Path, tmp_path: Path):
    with pytest.raises(FileError, match=r"another run \(seed 3\)"):
        run(whole, seed=5)
    with pytest.raises(FileError, match=r"ppo.epochs is 2 there and 3 here"):
        run(whole, recipe(ppo={"epochs": 3}), seed=3)
    (tmp_path / "mine.txt").write_text("")
    with pytest.raises(FileError, match="holds files and no run"):
        run(tmp_path)
    with pytest.raises(FileError, match="is a file; must be a folder"):
        run(tmp_path / "mine.txt")


@pytest.mark.parametrize(
    ("changes", "part"),
    [({"steps": 0}, "steps=0: must"), ({"minutes": -1.0}, "minutes=-1.0: must"), ({"seed": -1}, "seed=-1: must"),
     ({"seed": 2**32}, "seed=4294967296: must"),
     ({"steps": 9, "minutes": 1.0}, "one or the other")],
)  # fmt: skip
def test_a_wrong_argument_is_found_before_anything_is_written(tmp_path: Path, changes: dict[str, object], part: str):
    with pytest.raises(ArgumentError, match=part):
        run(tmp_path / "run", **changes)
    with pytest.raises(ArgumentError, match="did you mean"):
        run(tmp_path / "run", recipe(league={"anchors": ["merchnt"]}))
    assert not (tmp_path / "run").exists()


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was interrupted after its first snapshots."""
    out = tmp_path_factory.mktemp("runs") / "stopped"
    killed_after(5, out, seed=3)
    return out


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}


@pytest.mark.parametrize("name", ["checkpoint.pickle", "run.json", "league/*.safetensors"])
def test_a_damaged_file_is_refused_in_one_sentence_and_nothing_is_changed(stopped: Path, tmp_path: Path, name: str):
    draw = random.Random(1)
    for number in range(8):
        shutil.copytree(stopped, out := tmp_path / str(number))
        path = sorted(out.glob(name))[-1]
        content = bytearray(path.read_bytes())
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        path.write_bytes(bytes(content[: draw.randrange(len(content))] if number == 7 else content))
        before = files_of(out)
        with pytest.raises(FileError) as refused:
            run(out, seed=3)
        assert "\n" not in str(refused.value) and str(path) in str(refused.value)
        assert files_of(out) == before


def test_a_checkpoint_of_another_run_is_refused(stopped: Path, tmp_path: Path):
    shutil.copytree(stopped, tmp_path / "run")
    killed_after(5, tmp_path / "other", seed=4)
    shutil.copy(tmp_path / "other" / "checkpoint.pickle", tmp_path / "run")
    with pytest.raises(FileError, match=r"checkpoint.pickle: is the checkpoint of another run than run.json"):
        run(tmp_path / "run", seed=3)


@pytest.mark.parametrize("content", [None, b"", b"[]\n", b"\xff" * 9, b'{"kind": "evaluation", "steps": 5}\n'])
def test_metrics_that_were_edited_are_restored_from_the_checkpoint(
    whole: Path, stopped: Path, tmp_path: Path, content: bytes | None
):
    shutil.copytree(stopped, tmp_path / "run")
    (tmp_path / "run" / "recipe.toml").write_text("edited")
    path = tmp_path / "run" / "metrics.jsonl"
    path.unlink() if content is None else path.write_bytes(content + path.read_bytes())
    run(tmp_path / "run", seed=3)
    assert lines_of(tmp_path / "run") == lines_of(whole)
    assert (tmp_path / "run" / "recipe.toml").read_bytes() == (whole / "recipe.toml").read_bytes()


def test_a_second_run_in_a_folder_that_is_in_use_is_refused(stopped: Path, tmp_path: Path):
    shutil.copytree(stopped, tmp_path / "run")
    before = files_of(tmp_path / "run")
    with locked(tmp_path / "run"), pytest.raises(FileError, match="another process is using this folder"):
        run(tmp_path / "run", seed=3)
    assert files_of(tmp_path / "run") == before
    with pytest.raises(FileError, match="another process is using this folder"):
        run(tmp_path / "new", watch=lambda line: run(tmp_path / "new") and None)


def test_a_finished_run_that_is_started_again_changes_nothing(whole: Path, tmp_path: Path):
    shutil.copytree(whole, tmp_path / "run")
    before = files_of(tmp_path / "run")
    again = run(tmp_path / "run", seed=3)
    assert (
        again.complete and again.steps == steps_of(whole) >= 3840 and again.card == tmp_path / "run" / "baseline.json"
    )
    assert [result.opponent for result in again.evaluation] == ["random"]
    assert files_of(tmp_path / "run") == before
    assert run(tmp_path / "run", seed=3, minutes=1e-9).steps == again.steps


@pytest.mark.parametrize("name", ["baseline.safetensors", "baseline.json", "metrics.jsonl", "finished.json"])
def test_a_damaged_file_of_a_finished_run_is_made_again(whole: Path, tmp_path: Path, name: str):
    shutil.copytree(whole, tmp_path / "run")
    path = tmp_path / "run" / name
    path.write_bytes(path.read_bytes()[:-9])
    assert run(tmp_path / "run", seed=3).complete
    assert weights(tmp_path / "run") == weights(whole)
    assert lines_of(tmp_path / "run") == lines_of(whole)
    assert run(tmp_path / "run", seed=3).complete


def test_a_recipe_that_needs_more_memory_than_there_is_is_refused(tmp_path: Path):
    with pytest.raises(ArgumentError, match=r"recipe tiny: needs about [\d,]+ GB of memory, and this machine has"):
        run(tmp_path / "run", recipe(ppo={"games": 1_000_000, "rollout": 1000}))
    assert not (tmp_path / "run").exists()


def test_a_disk_without_room_is_told_before_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=5 << 20))
    with pytest.raises(FileError, match=r"the disk has 5 MB free; must have \d+ MB"):
        run(tmp_path / "run")
    assert not (tmp_path / "run" / "run.json").exists()


COMMAND = """
import sys
from pathlib import Path
from speicher_training.train import train
from speicher_training.train.recipe import load_recipe
train(load_recipe(sys.argv[1]), Path(sys.argv[2]), seed=3, plots=False, jobs=2)
"""


def when_written(file: Path) -> int:
    """When a file was last replaced, in nanoseconds; 0 if there is none."""
    return file.stat().st_mtime_ns if file.exists() else 0


@pytest.mark.slow
def test_a_run_killed_at_random_points_goes_on_to_the_same_weights(whole: Path, tmp_path: Path):
    told, out = tmp_path / "tiny.toml", tmp_path / "run"
    told.write_text(recipe().text())
    draw = random.Random(2)
    killed = 0
    for _ in range(2):
        before = when_written(out / "checkpoint.pickle")
        process = subprocess.Popen([sys.executable, "-c", COMMAND, str(told), str(out)], stderr=subprocess.DEVNULL)
        limit = time.monotonic() + 300
        while process.poll() is None and when_written(out / "checkpoint.pickle") == before:
            assert time.monotonic() < limit
            time.sleep(0.01)
        time.sleep(draw.random() * 0.5)
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
    assert killed > 0
    subprocess.run([sys.executable, "-c", COMMAND, str(told), str(out)], check=True)
    assert weights(out) == weights(whole)
