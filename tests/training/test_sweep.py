"""Sweeps: which trials there are, which are carried out, what their table says, and what is refused."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from speicher_env import ArgumentError  # noqa: E402
from speicher_env.errors import FileError  # noqa: E402
from speicher_training.sweep import Sweep, Swept, parse_settings, run, trials_of  # noqa: E402
from speicher_training.sweep.carry_out import Watch, carry_out  # noqa: E402
from speicher_training.sweep.curves import band, save_curves  # noqa: E402
from speicher_training.sweep.progress import SweepProgress  # noqa: E402
from speicher_training.sweep.table import combined, markdown  # noqa: E402
from speicher_training.sweep.trial import carry_out_trial  # noqa: E402
from speicher_training.train import train  # noqa: E402
from speicher_training.train.recipe import Recipe, recipe_from  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:tensorboard.*"),
    pytest.mark.usefixtures("same_torch_threads"),
]

TINY = {
    "network": {"policy": [8], "value": [8]},
    "pretraining": {"decisions": 0},
    "value_finetuning": {"decisions": 0},
    "ppo": {"games": 4, "rollout": 32, "batch_size": 64, "epochs": 1, "steps": 256},
    "league": {"anchors": ["random"]},
    "run": {"evaluation_steps": 128, "evaluation_deals": 2, "evaluation_opponents": ["random"]},
}
"""Two updates."""
TWO = {"ppo.entropy": [0.1, 0.2]}


@pytest.fixture
def recipe() -> Recipe:
    return recipe_from(TINY, "tiny")


# The settings and their values


@pytest.mark.parametrize(
    ("text", "path", "values"),
    [
        ("ppo.entropy=[0.003, 0.01]", "ppo.entropy", [0.003, 0.01]),
        (" game.reward = ['margin', \"outcome\"]", "game.reward", ["margin", "outcome"]),
        ("network.policy=[[8], [8, 8]]", "network.policy", [[8], [8, 8]]),
        ("ppo.epochs=2", "ppo.epochs", [2]),
    ],
)
def test_a_setting_and_its_values_are_read_as_toml(text: str, path: str, values: list[Any]) -> None:
    assert parse_settings([text]) == {path: values}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("ppo.entropy", '--set="ppo.entropy": must be a setting and its values'),
        ("=[1]", "must be a setting and its values"),
        ("ppo.entropy=[1", '--set ppo.entropy="[1": must be values in TOML'),
        ("game.reward=[margin]", "must be values in TOML"),
        ("ppo.epochs=1\nother=2", "must be values in one line of TOML"),
        ("ppo.entropi=[1]", '--set ppo.entropi: there is no such setting, did you mean "ppo.entropy"?'),
        ("entropy=[1]", "--set entropy: there is no such setting, did you mean ppo.entropy?"),
        ("game.entropy=[1]", "there is no such setting, did you mean ppo.entropy?"),
        ("xyz=[1]", "--set xyz: there is no such setting."),
        ("ppo.entropy=[]", "must be a list of one or more values."),
        ("ppo.entropy=[0.1, 0.2, 0.1]", "--set ppo.entropy: lists 0.1 twice."),
        ("ppo.entropy=[-1]", "--set ppo.entropy=-1: must be a number 0..10."),
        ("network.policy=[8, 16]", "a list of such lists, as in --set 'network.policy=[[...], [...]]'"),
        ("ppo.batch_size=[64, 999]", "--set ppo.batch_size=999: ppo.batch_size=999: must be at most"),
        ("ppo.seed=[1]", "there is no such setting"),
    ],
)
def test_a_wrong_setting_is_refused_in_one_sentence(recipe: Recipe, text: str, sentence: str) -> None:
    with pytest.raises(ArgumentError) as refused:
        trials_of(recipe, parse_settings([text]), 1)
    assert sentence in str(refused.value) and "\n" not in str(refused.value)


def test_a_setting_is_listed_once() -> None:
    with pytest.raises(ArgumentError, match=r"--set ppo.epochs: is given twice; list all its values once\."):
        parse_settings(["ppo.epochs=[1]", "ppo.epochs=[2]"])


def test_too_many_trials_are_refused_before_they_are_made(recipe: Recipe) -> None:
    varied = {"ppo.epochs": list(range(1, 101)), "ppo.entropy": [number / 1000 for number in range(101)]}
    with pytest.raises(ArgumentError, match=r"a sweep of 30,300 trials: must be 10,000 at most\."):
        trials_of(recipe, varied, 3)


# The trials


def test_trials_are_all_combinations_seed_by_seed(recipe: Recipe) -> None:
    trials = trials_of(recipe, {"ppo.entropy": [0.1, 0.2], "ppo.epochs": [1, 2]}, 2)
    assert [trial.name for trial in trials] == [
        f"ppo.entropy={entropy},ppo.epochs={epochs},seed={seed}"
        for seed in (1, 2) for entropy in (0.1, 0.2) for epochs in (1, 2)
    ]  # fmt: skip
    last = trials[-1].recipe
    assert last.tables == recipe.changed(ppo={"entropy": 0.2, "epochs": 2}).tables


def test_without_settings_only_the_seed_varies(recipe: Recipe) -> None:
    trials = trials_of(recipe, {}, 2)
    assert [(trial.name, trial.recipe.tables == recipe.tables) for trial in trials] == [
        ("seed=1", True),
        ("seed=2", True),
    ]


def test_names_are_folders_and_differ(recipe: Recipe) -> None:
    decks = [["standard"], ["sampled"], ["standard", "sampled"], ["sampled", "standard"]]
    widths = [[8] * count for count in range(1, 60)]
    names = [
        trial.name
        for trial in trials_of(recipe, {"game.decks": decks}, 1) + trials_of(recipe, {"network.policy": widths}, 1)
    ]
    assert len(set(names)) == len(names)
    assert all(len(name) < 140 and not set(name) & set('/\\:*?"<>| []') for name in names)


def test_a_budget_must_be_steps_or_minutes(recipe: Recipe, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="steps and minutes: must be one or the other"):
        Sweep(recipe, tmp_path / "out", TWO, 1, steps=5, minutes=1.0)
    assert not (tmp_path / "out").exists()


# Which trials are carried out


def result(share: float, steps: int = 256, core: float = 60.0) -> dict[str, Any]:
    evaluations = [
        {
            "steps": at,
            "seconds": at / 10,
            "opponent": "random",
            "players": 2,
            "win_share": value,
            "low": 0.0,
            "high": 1.0,
        }
        for at, value in ((steps // 2, 0.0), (steps, share))
    ]
    return {"steps": steps, "seconds": 25.6, "core_seconds": core, "processor": "A", "evaluations": evaluations}


@pytest.fixture
def carried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the trials that are carried out, without training anything."""
    names: list[str] = []

    def quick(
        trial: Any, folder: Path, budget: Any, report: Callable[..., None], interrupted: Callable[[], bool]
    ) -> Any:
        names.append(trial.name)
        report({"part": 0.5, "steps": 1, "evaluations": []})
        return None if interrupted() else result(trial.combination["ppo.entropy"])

    monkeypatch.setattr(run, "carry_out_trial", quick)
    monkeypatch.setattr(run, "save_curves", lambda *arguments: None)
    return names


def swept(recipe: Recipe, out: Path, varied: dict[str, list[Any]] = TWO, seeds: int = 1, **options: Any) -> Swept:
    return Sweep(recipe, out, varied, seeds).carry_out(**options)


def test_finished_trials_are_not_run_again(recipe: Recipe, tmp_path: Path, carried: list[str]) -> None:
    first = swept(recipe, tmp_path / "out")
    again = swept(recipe, tmp_path / "out")
    assert carried == ["ppo.entropy=0.1,seed=1", "ppo.entropy=0.2,seed=1"]
    assert first == again and first.complete


def test_a_sweep_takes_more_seeds_and_more_values_later(recipe: Recipe, tmp_path: Path, carried: list[str]) -> None:
    swept(recipe, tmp_path / "out")
    carried.clear()
    rows = swept(recipe, tmp_path / "out", {"ppo.entropy": [0.1, 0.2, 0.3]}, 2).rows
    assert carried == [
        "ppo.entropy=0.3,seed=1", "ppo.entropy=0.1,seed=2", "ppo.entropy=0.2,seed=2", "ppo.entropy=0.3,seed=2"
    ]  # fmt: skip
    assert [row["seeds"] for row in rows] == [[1, 2]] * 3


def test_an_interrupted_sweep_resumes_with_what_is_missing(recipe: Recipe, tmp_path: Path, carried: list[str]) -> None:
    early = swept(recipe, tmp_path / "out", interrupted=lambda: len(carried) == 2)
    assert not early.complete and [row["seeds"] for row in early.rows] == [[1], []]
    assert "| ppo.entropy=0.2 | 0 | – |" in (tmp_path / "out" / "table.md").read_text()
    carried.clear()
    assert swept(recipe, tmp_path / "out").complete
    assert carried == ["ppo.entropy=0.2,seed=1"]


def test_a_trial_that_fails_stops_no_other_and_is_tried_again(
    recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, carried: list[str]
) -> None:
    whole = run.carry_out_trial

    def full(trial: Any, *rest: Any) -> Any:
        if trial.combination["ppo.entropy"] == 0.1:
            raise FileError("the disk is full.")
        return whole(trial, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(run, "carry_out_trial", full)
        failed = swept(recipe, tmp_path / "out")
    assert failed.failures == {"ppo.entropy=0.1,seed=1": "the disk is full."} and not failed.complete
    assert carried == ["ppo.entropy=0.2,seed=1"]
    assert swept(recipe, tmp_path / "out").complete


@pytest.mark.parametrize(
    ("changes", "budget", "sentence"),
    [
        ({"ppo": {"epochs": 3}}, {}, r"holds another sweep \(ppo.epochs is 1 there and 3 here\)"),
        ({}, {"steps": 512}, r"holds another sweep \(the steps of the recipe for each trial\)"),
    ],
)
def test_a_folder_holds_one_sweep(
    recipe: Recipe, tmp_path: Path, carried: list[str], changes: Any, budget: Any, sentence: str
) -> None:
    swept(recipe, tmp_path / "out")
    with pytest.raises(FileError, match=sentence):
        Sweep(recipe.changed(**changes), tmp_path / "out", TWO, 1, **budget)


def test_edited_results_are_refused(recipe: Recipe, tmp_path: Path, carried: list[str]) -> None:
    swept(recipe, tmp_path / "out")
    path = tmp_path / "out" / "finished.jsonl"
    path.write_text(path.read_text().replace('"win_share":0.1', '"win_share":0.9'))
    with pytest.raises(FileError, match="line 2: the line is damaged or was edited"):
        Sweep(recipe, tmp_path / "out", TWO, 1)


def test_a_trial_is_an_ordinary_run_and_resumes_as_one(recipe: Recipe, tmp_path: Path) -> None:
    (trial,) = trials_of(recipe, {"ppo.entropy": [0.1]}, 1)
    reports: list[dict[str, Any]] = []

    def stop_early() -> bool:
        return bool(reports) and reports[-1]["steps"] >= 128

    work = partial(carry_out_trial, trial, tmp_path / "trials" / "a", {"steps": 384})
    assert work(reports.append, stop_early) is None
    result = work(reports.append, lambda: False)
    plain = train(recipe.changed(ppo={"entropy": 0.1}), tmp_path / "plain", steps=384, seed=1, plots=False, jobs=1)
    weights = [folder / "baseline.safetensors" for folder in (tmp_path / "trials" / "a", tmp_path / "plain")]
    assert weights[0].read_bytes() == weights[1].read_bytes()
    assert result is not None and result["steps"] == plain.steps >= 384
    assert [line["steps"] for line in result["evaluations"]] == sorted(
        {line["steps"] for line in result["evaluations"]}
    )
    assert result["evaluations"][-1]["win_share"] == plain.evaluation[0].win_share
    assert json.loads((tmp_path / "trials" / "a" / "core_seconds.json").read_text())["seconds"] > 0
    assert reports[-1]["part"] == 1.0


def test_an_error_that_is_no_mistake_of_the_user_is_not_hidden() -> None:
    def wrong(report: Any, interrupted: Any) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        carry_out({"a": wrong}, Watch())


def test_what_tune_pickles_holds_nothing_of_those_who_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tune pickles callbacks; a progress bar has locks."""
    pytest.importorskip("ray", reason="the extra [ray] is not installed")
    from ray import cloudpickle

    from speicher_training.sweep import ray_tune

    pickled: list[bytes] = []

    class Tuner:
        def __init__(self, trainable: Any, **settings: Any) -> None:
            pickled.append(cloudpickle.dumps(settings))

        def fit(self) -> None:
            """Carry out nothing."""

    monkeypatch.setattr(ray_tune.tune, "Tuner", Tuner)
    monkeypatch.setattr(ray_tune.tune, "with_parameters", lambda trainable, **parameters: trainable)
    lock = threading.RLock()
    watch = Watch(report=lambda name, report: lock.release(), interrupted=lock.acquire)
    ray_tune.carry_out_by_tune({}, watch, jobs=1)
    assert pickled


# The table


def test_the_table_has_means_and_intervals_over_seeds(recipe: Recipe) -> None:
    """By hand: 0.4, 0.5 and 0.6 have a standard error of 0.0577, times Student's 4.303."""
    trials = trials_of(recipe, TWO, 3)
    shares = {("0.1", 1): 0.4, ("0.1", 2): 0.5, ("0.1", 3): 0.6, ("0.2", 1): 0.7}
    results = {
        f"ppo.entropy={entropy},seed={seed}": result(share, 200 + 100 * seed, 30.0 * seed)
        for (entropy, seed), share in shares.items()
    }
    rows = combined(trials, results)
    assert [(row["settings"], row["seeds"]) for row in rows] == [
        ({"ppo.entropy": 0.1}, [1, 2, 3]),
        ({"ppo.entropy": 0.2}, [1]),
    ]
    (share,) = rows[0]["win_shares"]
    assert (share["opponent"], share["players"], share["seeds"]) == ("random", 2, 3)
    assert [share[end] for end in ("estimate", "low", "high")] == pytest.approx([0.5, 0.2516, 0.7484], abs=1e-4)
    assert markdown(rows).splitlines()[2:] == [
        "| ppo.entropy=0.1 | 3 | 50.0 [25.2, 74.8] | 400 | 1.0 |",
        "| ppo.entropy=0.2 | 1 | 70.0 | 300 | 0.5 |",
    ]


def test_the_band_is_the_mean_where_all_curves_have_values() -> None:
    points = band([([1.0, 3.0], [0.2, 0.4]), ([2.0, 3.0, 4.0], [0.5, 0.6, 0.7])])
    assert points[:, 0].tolist() == [2.0, 3.0]
    assert points[:, 1].tolist() == pytest.approx([0.4, 0.5])
    assert points[0, 2] == 0.0 and points[0, 3] == 1.0, "a share is no less than 0 and no more than 1"


def test_curves_are_drawn_for_each_opponent(recipe: Recipe, tmp_path: Path) -> None:
    trials = trials_of(recipe, TWO, 2)
    save_curves(tmp_path, trials, {trial.name: result(0.1 * trial.seed) for trial in trials})
    text = (tmp_path / "curves.svg").read_text()
    assert "share of the win against random" in text and "ppo.entropy=0.1" in text
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_the_time_left_follows_from_what_was_done() -> None:
    seconds = 0.0
    progress = SweepProgress(4, done=2, clock=lambda: seconds)
    progress.begin("a")
    progress.report("a", 0.5)  # done by an earlier call
    assert progress.seconds_left() is None
    seconds = 120.0
    progress.report("a", 0.75)
    progress.begin("b")
    assert progress.seconds_left() == pytest.approx(3.25 * 120 / 0.25)
    assert progress.sentence() == "trials: 2 done, 2 running, 2 pending; about 26 min left"
    progress.end("a")
    progress.end("b", failed=True)
    assert progress.sentence().startswith("trials: 3 done, 0 running, 2 pending, 1 failed; about ")
