"""The tables on speed say what the results say, also what is missing or missed."""

from __future__ import annotations

import copy
import hashlib
from pathlib import Path
from typing import Any

import pytest

from benchmarks.peers.__main__ import reason
from docs.tables import scaling as scaling_tables
from docs.tables import speed
from speicher_apps.meter.report import START_TITLES

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
    found = {one["game"]: (one["one"], one["many"]) for one in speed.compared(peers())}
    assert found == {"chess": (4.0, 80.0), "whist": (0.5, 8000 / 1200), "go": (None, 4.0)}


def test_missed_aims_are_shown_as_missed() -> None:
    told = {what: reached for what, _, _, reached in speed.aims(layers(), peers(), training())}
    assert not told.pop("faster than every peer, one game at a time")
    assert all(told.values())
    slow = copy.deepcopy(layers())
    slow["layers"]["batch"]["players"]["2"] = rate(4.9e6)
    missed = [what for what, _, _, reached in speed.aims(slow, peers(), training(network=80.0)) if not reached]
    assert len(missed) == 3 and missed[0].startswith("Batch.step") and missed[2].startswith("training outside")


def test_a_peer_that_is_missing_is_named_with_the_reason() -> None:
    assert speed.failures(peers()) == "- Broken was not measured: it does not install."


def test_a_busy_machine_is_told_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    quiet, busy = layers(), layers()
    busy["layers"]["rules"]["players"]["2"] = rate(20e6, cpu=0.5)
    for result in (quiet, busy):
        monkeypatch.setattr(speed, "read", lambda name, result=result: result)
        assert ("Not a quiet machine" in speed.layers_section()) == (result is busy)


def test_shares_of_training_add_up() -> None:
    run = training()["runs"][0]
    assert sum(speed.pieces(run).values()) == pytest.approx(1)
    assert speed.kinds(training(), run)["network"] == pytest.approx(0.95)


def scaling() -> dict[str, Any]:
    points = [
        {"players": players, "games": games, "threads": threads, **rate(games * 1e3 * (1.9 if threads == 2 else 1))}
        for players in (2, 3)
        for games in (1, 64)
        for threads in (1, 2)
    ]
    points[1] |= rate(1.0)  # a second thread for one game
    return {**HEADER, "points": points, "memory": {"2": 4000, "3": 5000}}


def test_the_page_on_scaling_says_from_where_on_a_second_thread_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaling_tables, "read", lambda name: scaling())
    assert "A second thread pays from 64 games on." in scaling_tables.second_thread()


def test_the_plot_says_which_results_it_shows(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra [train] is not installed")
    scaling_tables.draw(scaling(), tmp_path)
    assert scaling_tables.digest(scaling()) in (tmp_path / f"{scaling_tables.PLOT}.svg").read_text(encoding="utf-8")
    assert (tmp_path / f"{scaling_tables.PLOT}.png").read_bytes().startswith(b"\x89PNG")
    other = scaling()
    other["points"][0]["median"] += 1
    assert scaling_tables.digest(other) != scaling_tables.digest(scaling())
    assert len(scaling_tables.digest(other)) == len("results ") + 2 * hashlib.sha256().digest_size


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
