"""`speicher demo`: from nothing to a measured network, to be interrupted and asked for again at any time."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from tests.support.small_networks import TINY, network, write

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from speicher_agents.baselines import files, player, read_baseline  # noqa: E402
from speicher_apps.cli import demo as module  # noqa: E402
from speicher_apps.cli import train as train_module  # noqa: E402
from speicher_apps.cli.errors import INTERRUPTED, run  # noqa: E402
from speicher_training.arena import load_results  # noqa: E402
from speicher_training.train.recipe import recipe_from  # noqa: E402

MINUTES = 0.01
LADDER = {"random", "frugal", "firechief", "contractor", "shipper", "spoiler", "merchant"}


@pytest.fixture(scope="module", autouse=True)
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A tiny network, few deals, and no packaged baseline whatever there may be; the folder for packaged ones."""
    threads = torch.get_num_threads()
    recipe = recipe_from({**TINY, "pretraining": {"decisions": 0}, "value_finetuning": {"decisions": 0}}, "demo")
    weights = tmp_path_factory.mktemp("weights")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("speicher_training.train.recipe.load_recipe", lambda name: recipe)
        patched.setattr(module, "DEALS", 4)
        patched.setattr(module, "LANES", 112)  # chunks of two deals
        patched.setattr(files, "_packaged_folder", lambda: weights)
        player._packaged.cache_clear()
        yield weights
    player._packaged.cache_clear()  # other tests shall find those that come with the package
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A demo that has come to its end: where it was, what it printed, and what it said on stderr."""
    folder = tmp_path_factory.mktemp("demo")
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        assert command() == 0
    return folder, out.getvalue(), err.getvalue()


@pytest.fixture
def finished(once: tuple[Path, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """In a copy of it, with what it printed."""
    shutil.copytree(once[0], tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return once[1]


def command(*arguments: str) -> int:
    app = typer.Typer()
    app.command()(module.demo)
    return run(app, ["--minutes", str(MINUTES), "--jobs", "1", *arguments])


def arena_folder(where: str = "runs/demo") -> Path:
    (found,) = Path(where).glob("arena-*")
    return found


def more_minutes() -> str:
    """Somewhat more than the network there has had, on however slow a machine."""
    return f"{read_baseline('runs/demo/training')[0].training['minutes'] + 0.02:.2f}"


def interrupted_when(condition: Callable[[], bool]) -> Any:
    """In place of `interruptible`: a Ctrl-C as soon as the condition holds."""

    @contextlib.contextmanager
    def made() -> Iterator[Callable[[], bool]]:
        yield condition

    return made


def written(path: str) -> Callable[[], bool]:
    """Whether there is something in such a file."""
    return lambda: any(file.stat().st_size for file in Path().glob(path))


def test_it_trains_measures_and_says_what_that_means_and_where_everything_lies(once: tuple[Path, str, str], finished):
    _, out, err = once
    assert "without baseline:2p" in err
    results = load_results(arena_folder())
    assert {player["name"] for player in results["players"]} == {module.YOURS, *LADDER}
    assert results["deals"] == 4 and results["first_seed"] == 1_000_000_000
    assert "Players\n" in out and "win share %" in out
    assert "the network that you have just trained, from nothing" in " ".join(out.split())
    assert "4 deals do not tell" in " ".join(out.split())
    lines = out.split("Files\n")[1].split("What to try next")[0].split()
    paths = [Path(word.rstrip(",")) for word in lines if word.startswith("runs/")]
    assert len(paths) >= 7 and all(path.exists() for path in paths)


def test_the_records_of_all_games_are_kept_and_the_one_to_look_at_is_its_own_with_the_merchant(finished: str):
    (line,) = [line for line in finished.splitlines() if " replay " in line]
    words = line.split()
    path, number = words[words.index("replay") + 1], int(words[words.index("--game") + 1])
    assert sum(file.read_bytes().count(b"\n") for file in (arena_folder() / "records").glob("*.jsonl")) == 4 * 56
    record = json.loads(Path(path).read_text().splitlines()[number - 1])
    assert set(record["seats"]) == {module.YOURS, "merchant"}


def test_a_second_demo_trains_nothing_and_shows_the_same_numbers(finished: str, capsys: pytest.CaptureFixture):
    kept = {path: path.read_bytes() for path in Path("runs/demo/training").iterdir() if path.is_file()}
    deals = (arena_folder() / "deals.jsonl").read_bytes()
    assert command() == 0
    second = capsys.readouterr()
    assert "has been trained for 0.01 minutes" in second.err and "to start again, remove runs/demo" in second.err
    assert {path: path.read_bytes() for path in kept} == kept
    assert (arena_folder() / "deals.jsonl").read_bytes() == deals

    def numbers(text: str) -> list[str]:
        return [line[:70] for line in text.splitlines()]  # without the times

    assert numbers(second.out) == numbers(finished)


def test_interrupted_in_training_it_goes_on_from_there(
    tmp_path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(train_module, "interruptible", interrupted_when(written("runs/demo/training/metrics.jsonl")))
        assert command("--minutes", "60") == INTERRUPTED
    assert "training was interrupted; the same command resumes" in capsys.readouterr().err
    before = read_baseline("runs/demo/training")[0].training["steps"]
    assert before > 0 and not list(Path("runs/demo").glob("arena-*"))
    assert command("--minutes", more_minutes()) == 0
    lines = [json.loads(line) for line in Path("runs/demo/training/metrics.jsonl").read_text().splitlines()]
    steps = [line["steps"] for line in lines if line["kind"] == "update"]
    assert steps == sorted(set(steps)) and min(steps) <= before < max(steps)


def test_interrupted_in_the_head_start_it_resumes(tmp_path: Path, monkeypatch, capsys: pytest.CaptureFixture):
    monkeypatch.chdir(tmp_path)
    recipe = recipe_from({**TINY, "pretraining": {"decisions": 10**9}, "value_finetuning": {"decisions": 0}}, "demo")
    monkeypatch.setattr("speicher_training.train.recipe.load_recipe", lambda name: recipe)
    monkeypatch.setattr(train_module, "interruptible", interrupted_when(written("runs/demo/training/metrics.jsonl")))
    assert command("--minutes", "60") == INTERRUPTED
    assert "pretraining was interrupted; the same command resumes from here" in capsys.readouterr().err
    assert not Path("runs/demo/training/baseline.json").exists()


def test_interrupted_in_the_arena_it_goes_on_from_there(finished: str, monkeypatch, capsys: pytest.CaptureFixture):
    shutil.rmtree(arena_folder())
    monkeypatch.setattr(module, "DEALS", 12)
    for condition in (lambda: True, written("runs/demo/arena-*/deals.jsonl")):  # before the first deals, and behind
        with monkeypatch.context() as patched:
            patched.setattr(module, "interruptible", interrupted_when(condition))
            assert command("--jobs", "2") == INTERRUPTED
    assert capsys.readouterr().err.count("the arena was interrupted; the same command resumes") == 2
    first = (arena_folder() / "deals.jsonl").read_bytes()
    assert 0 < first.count(b"\n") < 6
    assert command() == 0
    assert (arena_folder() / "deals.jsonl").read_bytes().startswith(first)
    assert load_results(arena_folder())["complete"]


def test_more_minutes_train_it_on_and_never_mix_the_games_of_two_networks(finished: str, capsys: pytest.CaptureFixture):
    assert command("--minutes", more_minutes()) == 0
    assert len(list(Path("runs/demo").glob("arena-*"))) == 2
    assert "has had its" not in capsys.readouterr().err


def test_a_packaged_baseline_plays_too(finished: str, small: Path, capsys: pytest.CaptureFixture):
    shutil.rmtree(arena_folder())
    path = write(small, network()).rename(small / "2p.json")
    try:
        assert command() == 0
    finally:
        path.unlink()
    told = capsys.readouterr()
    assert "without baseline:2p" not in told.err
    assert "with baseline:2p, the baseline that is shipped" in " ".join(told.out.split())
    assert "baseline:2p" in {player["name"] for player in load_results(arena_folder())["players"]}


def test_another_seed_in_the_same_folder_is_refused(finished: str, capsys: pytest.CaptureFixture):
    assert command("--seed", "2") == 2
    assert "runs/demo/training: holds another run (seed 1)" in capsys.readouterr().err


def test_a_wrong_number_of_workers_is_found_before_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    monkeypatch.chdir(tmp_path)
    assert command("--jobs", "0") == 2
    assert "jobs=0: must be a whole number, 1 or more" in capsys.readouterr().err
    assert not Path("runs").exists()


def test_the_words_follow_the_numbers():
    def pair(ahead: float, significant: bool) -> dict[str, Any]:
        return {"ahead": {"estimate": ahead, "low": ahead - 0.1, "high": ahead + 0.1}, "significant": significant}

    pairs = {"random": pair(0.99, True), "frugal": pair(0.8, True), "merchant": pair(0.2, True),
             "baseline:2p": pair(0.45, False)}  # fmt: skip

    class Found:
        class plan:
            names = (module.YOURS, *pairs)

        summary = {"deals": 60}  # noqa: RUF012

        @staticmethod
        def pair(first: str, second: str) -> dict[str, Any]:
            assert first == module.YOURS
            return pairs[second]

    training = {"minutes": 3.0, "steps": 900_000, "settings": {}}
    text = " ".join(module.explained(Found, training))  # type: ignore[arg-type]
    assert "from nothing, in 3.0 minutes and 900,000 decisions" in text
    assert "It beats random and frugal and loses to merchant, more often than chance explains." in text
    assert "Whether it is better than baseline:2p, 60 deals do not tell." in text
    assert (
        "100 games with merchant, the strongest scripted player, it wins about 20: with 95 % confidence 10 to 30"
        in text
    )
    training["settings"] = {"pretraining": {"teacher": "merchant", "decisions": 5}}
    assert "after imitating merchant" in " ".join(module.explained(Found, training))  # type: ignore[arg-type]
