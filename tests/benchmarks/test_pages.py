"""The pages on speed are what the results make of them, and say so where something is missing or missed."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import page, scaling_page, speed_page
from benchmarks.parts import DOCS
from benchmarks.peers.__main__ import reason
from benchmarks.results import RESULTS, read
from speicher_apps.meter.report import START_TITLES

SOURCES = sorted({source for _, sources in page.PAGES.values() for source in sources})


def there(path: Path) -> bool:
    return path.is_file()


@pytest.mark.parametrize("name", page.PAGES)
def test_committed_pages_are_what_the_committed_results_make(name: str) -> None:
    path = DOCS / name
    have_results = [there(RESULTS / f"{source}.json") for source in page.PAGES[name][1]]
    assert there(path) == all(have_results), f"{name} and the results it is made from must be kept together"
    if there(path):
        assert path.read_text(encoding="utf-8") == page.made(name), "make bench-pages makes the pages anew"


def test_the_committed_plot_shows_the_committed_results() -> None:
    drawn = DOCS / f"{scaling_page.PLOT}.svg"
    assert there(drawn) == there(RESULTS / "scaling.json") == there(drawn.with_suffix(".png"))
    if there(drawn):
        assert scaling_page.digest(read("scaling")) in drawn.read_text(encoding="utf-8")


# The rest is about small results made up here.

HEADER = {
    "command": "python -m benchmarks.x",
    "date": "2026-01-02",
    "machine": {"processor": "A Processor", "usable_cores": 2, "memory_gib": 8.0, "system": "Linux x86_64"},
    "versions": {"python": "3.11.0"},
    "seconds": 1.0,
    "rounds": 2,
}


def rate(median: float, cpu: float = 1.0) -> dict[str, Any]:
    return {"median": median, "low": median, "high": median, "counts": [1, 1], "seconds": [1.0, 1.0], "cpu": cpu}


def layer(median: float, threads: int = 1, unit: str = "decisions") -> dict[str, Any]:
    return {"title": "a layer", "unit": unit, "threads": threads, "players": {"2": rate(median)}}


def layers() -> dict[str, Any]:
    found = {
        name: layer(20e6)
        for name in ("rules", "rules_mask", "batch", "batch_many", "batch_one_seat", "vector_env", "vector_env_views")
    }
    found |= {"vec_env": layer(20e6), "batch_two_threads": layer(38e6, 2), "aec": layer(70e3), "aec_raw": layer(130e3)}
    found["game_copy"] = layer(1e6, unit="calls")
    spread = {"median": 0.25, "low": 0.2, "high": 0.3, "rounds": [0.2, 0.3]}
    starts = dict.fromkeys(START_TITLES, spread)
    sizes = {"state_bytes": 480, "actions": 184, "players": {"2": {"observation": 300, "batch_bytes": 4000}}}
    return {**HEADER, "layers": found, "starts": starts, "sizes": sizes}


def row(way: str, like: str, count: int, **more: Any) -> dict[str, Any]:
    basis = {"game": "Speicherstadt", "players": 2, "actions": 184, "observation": 300, "mask": True, "cpu": 1.0}
    return {**basis, "way": way, "like": like, "counts": [count, count], "seconds": [1.0, 1.0], **more}


def peers() -> dict[str, Any]:
    ours = [row("Batch", "batch", 8000), row("env", "env", 400), row("Game", "arrays", 600), row("Game", "game", 800)]
    theirs = [
        row("env", "env", 100, game="chess"),
        row("tensors", "arrays", 1200, game="whist", players=4),
        row("a batch", "batch", 2000, game="go"),
    ]
    return {
        **HEADER,
        "peers": [
            {"name": "ours", "title": "speicher-env", "versions": {}, "rows": ours},
            {"name": "other", "title": "Other", "versions": {"other": "1.0"}, "rows": theirs},
            {"name": "broken", "title": "Broken", "failed": "it does not install: SomeError: no compiler"},
        ],
    }


PIECES = {"forward": "network", "environment step": "ours", "masks": "ours", "masks stacked": "library", "loss": "loss"}


def training(network: float = 95.0) -> dict[str, Any]:
    rest = (100 - network) / 4
    seconds = {piece: network if kind == "network" else rest for piece, kind in PIECES.items()}
    run = {"players": 2, "batch_size": 64, "epochs": 10, "decisions": 1000, "rounds": [seconds, seconds]}
    return {**HEADER, "envs": 1024, "steps": 8, "pieces": PIECES, "runs": [run]}


def test_each_peer_is_compared_with_our_counterpart() -> None:
    found = {one["game"]: (one["one"], one["many"]) for one in speed_page.compared(peers())}
    assert found == {"chess": (4.0, 80.0), "whist": (0.5, 8000 / 1200), "go": (None, 4.0)}


def test_missed_aims_are_shown_as_missed() -> None:
    told = {what: reached for what, _, _, reached in speed_page.aims(layers(), peers(), training())}
    assert not told.pop("faster than every peer, one game at a time")
    assert all(told.values())
    slow = copy.deepcopy(layers())
    slow["layers"]["batch"]["players"]["2"] = rate(4.9e6)
    missed = [what for what, _, _, reached in speed_page.aims(slow, peers(), training(network=80.0)) if not reached]
    assert len(missed) == 3 and missed[0].startswith("Batch.step") and missed[2].startswith("training outside")
    assert speed_page.speed_page(slow, peers(), training()).count("**missed**") == 2


def test_a_peer_that_is_missing_is_named_with_the_reason() -> None:
    assert "- Broken is missing: it does not install: SomeError: no compiler." in speed_page.speed_page(
        layers(), peers(), training()
    )


def test_a_busy_machine_is_told_on_the_page() -> None:
    quiet, busy = layers(), layers()
    busy["layers"]["rules"]["players"]["2"] = rate(20e6, cpu=0.5)
    assert "Not a quiet machine" not in speed_page.speed_page(quiet, peers(), training())
    assert "Not a quiet machine" in speed_page.speed_page(busy, peers(), training())


def test_shares_of_training_add_up() -> None:
    run = training()["runs"][0]
    assert sum(speed_page.pieces(run).values()) == pytest.approx(1)
    assert speed_page.kinds(training(), run)["network"] == pytest.approx(0.95)


def scaling() -> dict[str, Any]:
    points = [
        {"players": players, "games": games, "threads": threads, **rate(games * 1e3 * (1.9 if threads == 2 else 1))}
        for players in (2, 3)
        for games in (1, 64)
        for threads in (1, 2)
    ]
    points[1] |= rate(1.0)  # a second thread for one game
    return {**HEADER, "points": points, "memory": {"2": 4000, "3": 5000}}


def test_the_page_on_scaling_says_from_where_on_a_second_thread_pays() -> None:
    assert "A second thread pays from 64 games on." in scaling_page.scaling_page(scaling())


def test_the_plot_says_which_results_it_shows(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra [train] is not installed")
    scaling_page.draw(scaling(), tmp_path)
    assert scaling_page.digest(scaling()) in (tmp_path / f"{scaling_page.PLOT}.svg").read_text(encoding="utf-8")
    assert (tmp_path / f"{scaling_page.PLOT}.png").read_bytes().startswith(b"\x89PNG")
    other = scaling()
    other["points"][0]["median"] += 1
    assert scaling_page.digest(other) != scaling_page.digest(scaling())
    assert len(scaling_page.digest(other)) == len("results ") + 2 * hashlib.sha256().digest_size


def test_without_results_no_page_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "layers.json").write_text(json.dumps(layers()), encoding="utf-8")
    with pytest.raises(SystemExit) as end:
        page.main(["--results", str(tmp_path), "--docs", str(tmp_path / "docs")])
    assert end.value.code == 2 and not (tmp_path / "docs").exists()
    assert "has no limit, peers, scaling, training" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("log", "told"),
    [
        ("Traceback\nValueError: first\nKeyError: 'last'\n", "KeyError: 'last'"),
        ("ERROR: no file at https://example.org/x.whl for this", "ERROR: no file at (an address) for this"),
        ("OSError: cannot open /some/where/file", "OSError: cannot open (a path)"),
        ("all is well", "exit code 3"),
    ],
)
def test_the_reason_of_a_failure_names_neither_addresses_nor_paths(log: str, told: str) -> None:
    assert reason(log, 3) == told
