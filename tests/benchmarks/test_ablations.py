"""Ablations change what they say and nothing else, go on where they were, and the page shows what came of them."""

from __future__ import annotations

import argparse
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")


from benchmarks import ablations, runs, time_to_strength  # noqa: E402
from docs.tables import ablations as ablation_tables  # noqa: E402
from docs.tables import training_curves as curves  # noqa: E402
from speicher_agents.baselines import Baseline  # noqa: E402
from speicher_env import ArgumentError  # noqa: E402
from speicher_env.errors import FileError  # noqa: E402
from speicher_training.train import load_recipe  # noqa: E402
from speicher_training.train.evaluation import evaluate_all  # noqa: E402
from speicher_training.train.recipe import Recipe, recipe_from  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:tensorboard.*"),
    pytest.mark.usefixtures("same_torch_threads"),
]

TINY = """
[game]
reward = "outcome"
[network]
policy = [16]
value = [8]
[pretraining]
decisions = 100
[ppo]
games = 8
rollout = 48
batch_size = 192
epochs = 1
steps = 768
[league]
anchors = ["random"]
[run]
checkpoint_steps = 384
"""
"""Two updates."""


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(ablations, "CURVE_DEALS", 2)
    monkeypatch.setattr(ablations, "OPPONENTS", ("random", "frugal"))
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    return path


def arguments(tmp_path: Path, *more: str) -> list[str]:
    return [
        "--recipe", str(tmp_path / "tiny.toml"), "--steps", "768", "--deals", "3", "--seeds", "1",
        "--folder", str(tmp_path / "runs"), "--into", str(tmp_path / "kept"), *more,
    ]  # fmt: skip


# What is changed


@pytest.mark.parametrize("recipe", ["demo", "2p"])
@pytest.mark.parametrize(
    ("variant", "changed"),
    [
        ("base", {}),
        ("unmasked", {"ppo.masked": False}),
        ("outcome", {"game.reward": "outcome"}),
        ("margin", {"game.reward": "margin"}),
        ("latest", {"league.newest": 1.0, "league.past": 0.0, "league.scripted": 0.0}),
        ("sampled", {"game.decks": ["sampled"]}),
        ("untaught", {"pretraining.decisions": 0}),
        ("plain", {"network.figures": False, "network.columns": []}),
        ("one-seat", {"ppo.every_newest": False}),
        ("float32", {"run.precision": "float32"}),
    ],
)
def test_a_variant_is_the_base_with_exactly_these_settings_changed(
    recipe: str, variant: str, changed: dict[str, Any]
) -> None:
    other = {"outcome": "margin", "margin": "outcome"}.get(variant, "outcome")
    base = ablations.base_of(load_recipe(recipe).changed(game={"reward": other}), 5000)
    assert differences(base, ablations.recipe_of(variant, base)) == changed


@pytest.mark.parametrize(("reward", "variant"), [("outcome", "margin"), ("margin", "outcome")])
def test_the_reward_is_compared_with_the_one_that_the_base_has_not(reward: str, variant: str) -> None:
    base = ablations.base_of(load_recipe("demo").changed(game={"reward": reward}), 5000)
    others = ["latest", "sampled", "untaught", "plain", "apart", "own-value", "one-seat", "float32", "library"]
    assert ablations.variants_of(base) == ["base", "unmasked", variant, *others]


def test_the_base_is_its_recipe_but_for_the_budget_and_the_evaluations() -> None:
    demo = load_recipe("demo")
    found = differences(demo, ablations.base_of(demo, 5000))
    assert {name for name in found if not name.startswith("run.evaluation_")} <= {
        "ppo.steps", "value_finetuning.decisions"
    }  # fmt: skip


def differences(recipe: Recipe, other: Recipe) -> dict[str, Any]:
    return {
        f"{table}.{key}": value
        for table, keys in other.tables.items()
        for key, value in keys.items()
        if value != recipe.tables[table][key]
    }


def test_what_the_base_is_already_cannot_be_compared_with_it() -> None:
    base = ablations.base_of(load_recipe("demo").changed(pretraining={"decisions": 0}), 5000)
    with pytest.raises(ArgumentError, match="variant untaught: equals the base"):
        ablations.recipe_of("untaught", base)


# Runs


def test_a_run_is_kept_whole_and_not_run_again(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ablations.main(arguments(tmp_path, "--only", "base"))
    told = json.loads((tmp_path / "kept" / "base-1.json").read_text())
    assert (told["variant"], told["seed"], told["changes"]) == ("base", 1, {})
    assert 768 <= told["steps"] < 1000 and told["minutes"] > 0 and told["settings"]["ppo"]["steps"] == 768
    assert {"machine", "versions", "command", "date", "commit"} <= set(told)
    places = [(one["deck"], one["opponent"], one["masked"]) for one in told["evaluation"]]
    assert places == [(deck, opponent, True) for deck in ("standard", "sampled") for opponent in ablations.OPPONENTS]
    assert {one["games"] for one in told["evaluation"]} == {6}
    assert len({one["steps"] for one in told["curve"]}) == 2  # rollouts are whole games, some more than 384 decisions
    assert all(one["seconds"] > 0 for one in told["curve"])

    def refuse(*arguments: Any, **named: Any) -> None:
        raise AssertionError("it was run again")

    monkeypatch.setattr(ablations, "train", refuse)
    ablations.main(arguments(tmp_path, "--only", "base"))
    with pytest.raises(AssertionError, match="run again"):
        ablations.main(arguments(tmp_path, "--only", "base", "--steps", "384"))


@pytest.mark.parametrize("variant", ["base", "library"])
def test_a_core_time_ends_a_run(tiny: Path, tmp_path: Path, variant: str) -> None:
    few = [
        word for word in arguments(tmp_path, "--only", variant, "--minutes", "0.02") if word not in ("--steps", "768")
    ]
    ablations.main(few)
    result = json.loads((tmp_path / "kept" / f"{variant}-1.json").read_text())
    assert result["core_minutes"] == 0.02 and 0.02 <= result["minutes"] < 1 and result["steps"] >= 0
    assert result["command"].endswith("--minutes 0.02")


def test_the_library_trains_a_network_that_the_arena_can_seat(tiny: Path, tmp_path: Path) -> None:
    ablations.main(arguments(tmp_path, "--only", "library"))
    result = json.loads((tmp_path / "kept" / "library-1.json").read_text())
    assert result["steps"] >= 768 and [one["games"] for one in result["evaluation"]] == [6, 6]


def test_the_first_seeds_of_all_variants_come_before_the_second_ones(tiny: Path, tmp_path: Path) -> None:
    asked: list[str] = []

    def note(works: dict[str, Any], *rest: Any) -> None:
        asked.extend(works)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ablations, "carry_out_and_keep", note)
        ablations.main([*arguments(tmp_path, "--only", "base", "--only", "margin"), "--seeds", "2"])
    assert asked == ["base-1", "margin-1", "base-2", "margin-2"]


def test_evaluations_deal_from_the_deck_that_is_named(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that all learning curves are on the standard deck, also those of who learns on others."""
    monkeypatch.setattr(ablations, "CURVE_DEALS", 20)
    recipe = ablations.recipe_of("sampled", ablations.base_of(load_recipe(str(tiny)), 384))
    trained = ablations.train(recipe, tmp_path / "run", plots=False, evaluation_deck="standard", jobs=1)
    standard, sampled = (
        evaluate_all(Baseline(trained.card), ablations.OPPONENTS, [2], 20, deck) for deck in ("standard", "sampled")
    )
    assert trained.evaluation == standard != sampled


def test_without_its_mask_a_network_loses_with_its_first_illegal_action(tiny: Path, tmp_path: Path) -> None:
    base = ablations.base_of(load_recipe(str(tiny)), 384)
    run = ablations.Run("unmasked", 1, ablations.recipe_of("unmasked", base), 3)
    trained = ablations.train(run.recipe, tmp_path / "run", plots=False, jobs=1)
    told = ablations.evaluate(run, trained.card, lambda: False)
    assert told is not None
    assert [one["forfeits"] > 0 for one in told] == [not one["masked"] for one in told] == [False] * 2 + [True] * 2


def test_an_interrupted_run_is_not_kept_and_goes_on(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = ablations.train

    def interrupt(recipe: Recipe, out: Path, **named: Any) -> Any:
        def watch(line: dict[str, Any]) -> None:
            if line["kind"] == "update":
                os.kill(os.getpid(), signal.SIGINT)

        return whole(recipe, out, **{**named, "watch": watch})

    def refuse(*arguments: Any) -> None:
        raise AssertionError("it was measured half-trained")

    with monkeypatch.context() as patch:
        patch.setattr(ablations, "train", interrupt)
        patch.setattr(ablations, "evaluate", refuse)
        with pytest.raises(SystemExit) as ended:
            ablations.main(arguments(tmp_path, "--only", "margin"))
    assert ended.value.code == 130 and "resumes from here" in capsys.readouterr().err
    assert not (tmp_path / "kept").exists()
    assert max(one["steps"] for one in runs.curve(tmp_path / "runs" / "tiny-768" / "margin-1")) < 768
    ablations.main(arguments(tmp_path, "--only", "margin"))
    assert (tmp_path / "kept" / "margin-1.json").is_file()


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--only", "maskless"], 'variant="maskless": must be base, unmasked'),
        (["--recipe", "3p"], "recipe 3p: is for games of 3; must be for games of 2."),
        (["--seeds", "0"], 'argument --seeds: "0": must be a whole number, 1 or more'),
    ],
)
def test_a_mistake_is_one_sentence(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], sentence: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        ablations.main(arguments(tmp_path, *more))
    assert ended.value.code == 2 and sentence in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


# Runs that fail


def test_a_run_that_fails_is_told_when_the_others_are_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def fails(report: Any, interrupted: Any) -> None:
        raise FileError("the disk is full.")

    def works(report: Callable[[dict[str, Any]], None], interrupted: Any) -> dict[str, Any]:
        report({"steps": 5})
        return {"share": 0.5}

    options = argparse.Namespace(jobs=1, ray=None, into=tmp_path)
    with pytest.raises(SystemExit) as ended:
        runs.carry_out_and_keep({"a": fails, "b": works}, 10, options, lambda result: f"share {result['share']}")
    printed = capsys.readouterr()
    assert ended.value.code == 2 and printed.err == "a failed: the disk is full.\n" and "share 0.5" in printed.out
    assert json.loads((tmp_path / "b.json").read_text()) == {"share": 0.5}


@pytest.mark.parametrize(
    ("jobs", "ray", "works", "where"),
    [(1, None, 3, None), (2, None, 3, "local"), (2, None, 1, None), (1, "auto", 1, "auto")],
)
def test_several_runs_at_a_time_are_a_matter_of_ray(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int, ray: str | None, works: int, where: str | None
) -> None:
    asked: list[tuple[int, str | None]] = []
    monkeypatch.setattr(runs, "carry_out", lambda works, watch, *, jobs, ray: asked.append((jobs, ray)))
    options = argparse.Namespace(jobs=jobs, ray=ray, into=tmp_path)
    runs.carry_out_and_keep({str(number): lambda *rest: None for number in range(works)}, 1, options, str)
    assert asked == [(jobs, where)]


# Time to strength


@pytest.mark.parametrize(
    ("shares", "place"),
    [([0.5, 0.61, 0.6], 1), ([0.7, 0.5, 0.6, 0.9], 2), ([0.7, 0.5, 0.7], None), ([], None), ([0.1, 0.9], None)],
)
def test_strength_is_reached_at_the_first_evaluation_that_the_next_bears_out(
    shares: list[float], place: int | None
) -> None:
    assert time_to_strength.reached([{"win_share": share} for share in shares], 0.6) == place


def timed(tmp_path: Path, *more: str, name: str = "tiny") -> dict[str, Any]:
    told = [
        "--recipe",
        str(tmp_path / "tiny.toml"),
        "--seeds",
        "1",
        "--every",
        "384",
        "--deals",
        "2",
        "--steps",
        "3840",
    ]
    time_to_strength.main([*told, *more, "--folder", str(tmp_path / "runs"), "--into", str(tmp_path / "kept")])
    result: dict[str, Any] = json.loads((tmp_path / "kept" / f"{name}-1.json").read_text())
    return result


def test_a_run_stops_where_the_strength_is_reached(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_to_strength, "AIM", 0.0)
    told = timed(tmp_path)
    assert 384 <= told["steps"] < 600 and told["curve"][0]["steps"] == told["steps"]
    assert 0 < told["minutes"] == pytest.approx(told["curve"][0]["seconds"] / 60, abs=1e-3)
    assert max(one["steps"] for one in runs.curve(tmp_path / "runs" / "tiny-1")) < 3840


def test_an_untaught_run_has_no_pretraining_and_a_name_of_its_own(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_to_strength, "AIM", 0.0)
    result = timed(tmp_path, "--untaught", name="tiny-untaught")
    assert result["settings"]["pretraining"]["decisions"] == 0 and result["recipe"] == "tiny-untaught"
    assert "--untaught" in result["command"] and "tiny-untaught" not in result["command"]


def test_a_strength_that_is_not_reached_is_told_so(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_to_strength, "AIM", 1.01)
    told = timed(tmp_path)
    assert told["minutes"] is None and told["steps"] is None and 3840 <= told["curve"][-1]["steps"] < 4300


# The page, on results made up here

HEADER = {
    "command": "python -m benchmarks.ablations --recipe small --steps 4000",
    "date": "2026-01-02",
    "machine": {"processor": "A Processor", "usable_cores": 2, "memory_gib": 8.0, "system": "Linux x86_64"},
    "versions": {"python": "3.11.0"},
    "commit": None,
}
BASE = recipe_from(
    {"game": {"reward": "outcome"}, "pretraining": {"decisions": 1_000_000}, "ppo": {"steps": 4000}}, "small"
).tables


def interval(estimate: float) -> dict[str, float]:
    return {"estimate": estimate, "low": estimate - 0.03, "high": estimate + 0.03}


def made_up(variant: str, seed: int, share: float) -> dict[str, Any]:
    about = ablations.VARIANTS[variant]
    settings = {table: {**keys, **about.changes.get(table, {})} for table, keys in BASE.items()}
    kinds = [(deck, True) for deck in about.decks] + [("standard", False)] * about.blind
    return HEADER | {
        "variant": variant, "recipe": "small", "changes": about.changes, "seed": seed, "settings": settings,
        "core_minutes": None, "deals": 50, "steps": 4096, "minutes": 2.5 + seed, "cpu": 1.0,
        "curve": [
            {"steps": steps, "seconds": steps / 10, "opponent": opponent, "win_share": share, "low": 0.0, "high": 1.0}
            for steps in (2048, 4096) for opponent in ablations.OPPONENTS
        ],
        "evaluation": [
            {"opponent": opponent, "deck": deck, "masked": masked, "games": 100, "forfeits": 0 if masked else 25,
             "win_share": interval(share - 0.2 * (not masked) - 0.1 * (deck == "sampled"))}
            for deck, masked in kinds for opponent in ablations.OPPONENTS
        ],
    }  # fmt: skip


SHARES = {
    "base": [0.5, 0.51, 0.52],
    "unmasked": [0.4, 0.41, 0.42],
    "margin": [0.4, 0.51, 0.7],
    "sampled": [0.6, 0.6, 0.6],
}


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    folder = tmp_path / "ablations"
    folder.mkdir()
    for variant, told in SHARES.items():
        for seed, share in enumerate(told, start=1):
            (folder / f"{variant}-{seed}.json").write_text(json.dumps(made_up(variant, seed, share)))
    return folder


@pytest.fixture
def times(tmp_path: Path) -> Path:
    folder = tmp_path / "times"
    folder.mkdir()
    for seed, minutes in enumerate((1.0, 2.0, 3.0), start=1):
        steps = int(1000 * minutes)
        told = [(steps - 500, 0.3), (steps, 0.625), (steps + 500, 0.7)]
        result = HEADER | {
            "command": "python -m benchmarks.time_to_strength --recipe small", "recipe": "small", "seed": seed,
            "opponent": "merchant", "aim": 0.6, "settings": BASE, "minutes": minutes, "steps": steps,
            "curve": [{"steps": at, "seconds": at * 0.06, "opponent": "merchant", "win_share": share, "low": 0.0,
                       "high": 1.0} for at, share in told],
        }  # fmt: skip
        (folder / f"small-{seed}.json").write_text(json.dumps(result))
    return folder


def section(kept: Path, name: str) -> str:
    return ablation_tables.section(ablation_tables.kept_runs(kept), name)


def made_times(times: Path) -> str:
    return ablation_tables.times_section(ablation_tables.kept_times(times))


def test_the_page_shows_means_and_differences_over_seeds(kept: Path) -> None:
    """By hand: three seeds a point apart have a standard error of 0.577 points, times 4.303; twice that for Welch."""
    unmasked, margin = section(kept, "unmasked"), section(kept, "margin")
    text = ablation_tables.summary(ablation_tables.kept_runs(kept))
    assert "`ppo.masked = false`" in unmasked
    assert "| `merchant` | 51.0 [48.5, 53.5] | 41.0 [38.5, 43.5] | **-10.0 [-12.3, -7.7]** |" in unmasked
    assert "| `merchant` | 21.0 [18.5, 23.5] | 25.0 [25.0, 25.0] |" in unmasked
    assert "10.0 points worse against `merchant` (-10.0 [-12.3, -7.7] points)" in text
    assert "| +2.7 [" in margin and "**" not in margin
    assert "no significant difference against `merchant` (+2.7 [" in text


def test_pretraining_is_told_where_there_is_one(kept: Path) -> None:
    results = ablation_tables.kept_runs(kept)
    sentence = "4,000 learner decisions after imitation pretraining on 1,000,000 decisions of `merchant`."
    assert sentence in ablation_tables.base(results)
    results["base"][0]["settings"]["pretraining"]["decisions"] = 0
    assert "4,000 learner decisions." in ablation_tables.base(results)


def test_decks_are_compared_deck_by_deck(kept: Path) -> None:
    sampled = section(kept, "sampled")
    assert "| `merchant`, standard deck | 51.0 [48.5, 53.5] | 60.0 [60.0, 60.0] | **+9.0 [" in sampled
    assert "| `merchant`, sampled deck | 41.0 [38.5, 43.5] | 50.0 [50.0, 50.0] | **+9.0 [" in sampled


def test_every_run_is_shown(kept: Path) -> None:
    text = ablation_tables.runs_table(ablation_tables.kept_runs(kept))
    for variant, told in SHARES.items():
        for seed in range(1, len(told) + 1):
            assert f"| `{variant}-{seed}` | 4,096 | {2.5 + seed:.1f} |" in text
    assert "latest" not in text, "a variant without runs is left out"


def test_the_time_to_strength_is_told_with_its_spread(kept: Path, times: Path) -> None:
    text = made_times(times)
    assert "| `small` | 2 | 2.0 | 2,000 | 62.5 |" in text
    assert "2.0 minutes in the mean [0.0, 4.5], from 1.0 to 3.0 over 3 seeds" in text


def test_a_recipe_that_has_changed_since_it_was_timed_is_told_with_what_has_changed() -> None:
    now = load_recipe("2p").tables
    fewer = {**now, "ppo": {**now["ppo"], "steps": 5}}
    other = {**now, "ppo": {**now["ppo"], "epochs": 99}, "value_finetuning": {"decisions": 0}}
    assert ablation_tables.since("2p", {"settings": fewer}) == ""
    assert "`2p` has changed since in `ppo.epochs`." in ablation_tables.since("2p", {"settings": other})
    assert ablation_tables.since("mine", {"settings": other}) == ""


def test_a_strength_that_one_seed_has_not_reached_has_no_mean(kept: Path, times: Path) -> None:
    path = times / "small-3.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"minutes": None, "steps": None}))
    text = made_times(times)
    assert "reached with 2 of 3 seeds" in text and "| `small` | 3 | not reached | 3,500 | 70.0 at best |" in text


@pytest.mark.parametrize("change", [{"deals": 60}, {"recipe": "other"}, {"settings": BASE}])
def test_runs_that_differ_in_more_than_their_variant_make_no_page(kept: Path, change: dict[str, Any]) -> None:
    path = kept / "unmasked-2.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ablation_tables.Unfit, match="unmasked-2 differs from base-1 in more than its variant"):
        ablation_tables.kept_runs(kept)


def test_without_a_base_there_is_no_page(kept: Path) -> None:
    for seed in (1, 2):
        (kept / f"base-{seed}.json").unlink()
    with pytest.raises(ablation_tables.Unfit, match="it has 1 runs of base; must be 2 or more"):
        ablation_tables.kept_runs(kept)


def test_plots_say_which_results_they_show(kept: Path, times: Path, tmp_path: Path) -> None:
    runs_, times_ = ablation_tables.kept_runs(kept), ablation_tables.kept_times(times)
    curves.draw(runs_, tmp_path)
    curves.draw_times(times_, tmp_path)
    assert curves.digest(runs_) in (tmp_path / f"{curves.PLOT}.svg").read_text()
    assert (tmp_path / f"{curves.PLOT}.png").read_bytes().startswith(b"\x89PNG")
    assert curves.digest(times_) in (tmp_path / f"{curves.TIME_PLOT}.svg").read_text()


def test_a_curve_goes_by_minutes() -> None:
    """The curve of this run has an evaluation after 2048 and one after 4096 decisions, ten decisions a second."""
    result = made_up("base", 1, 0.5)
    assert curves.points(result, "merchant") == [(pytest.approx(204.8 / 60), 50), (pytest.approx(409.6 / 60), 50)]
