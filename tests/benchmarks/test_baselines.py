"""The pages on baselines and results say what cards and arenas say, and of which weights it was measured."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="the extra [train] is not installed")


from benchmarks import baselines
from benchmarks.baselines import COUNTS, KEPT, RUNS, SPEED
from docs.tables import aims
from docs.tables import baselines as baseline_tables
from docs.tables import results as result_tables
from speicher_agents.baselines import Card, Network, Shape, write_tensors
from speicher_training.arena.results import with_digest

CARD = Card(
    "2p", (2,), "standard", False, "outcome", Shape(2, (8,), (8,), activation="tanh"), "2p.safetensors", "ab" * 32,
    {"recipe": "2p", "seed": 3, "steps": 12_345_678, "minutes": 61.5, "commit": "0123456789", "versions": {},
     "settings": {"game": {"reward": "margin"}, "pretraining": {"teacher": "merchant", "decisions": 1000},
                  "imitation": {"decisions": 500}}},
)  # fmt: skip


def numbers(estimate: float, half: float = 0.1) -> dict[str, float]:
    return {"estimate": estimate, "low": estimate - half, "high": estimate + half}


def summary(name: str, share: float = 0.7) -> dict[str, Any]:
    """A result of a run in which the first player has this share against everybody."""
    words = RUNS[name].arguments.split()
    players = words[: next(place for place, word in enumerate(words) if word.startswith("--"))]
    count = int(words[words.index("--players") + 1]) if "--players" in words else 2
    weights = {one: CARD.sha256 if one == "2p" else "cd" * 32 for one in baselines.of(RUNS[name])}
    return {
        "deals": 60, "num_players": count, "par": 1 / count, "complete": True, "deck": "standard",
        "decision_times": {players[0]: {"seconds": 2e-5}},
        "players": [{"name": one, "win_share": numbers(0.2 if k else share)} for k, one in enumerate(players)],
        "pairs": [
            {"first": first, "second": second, "ahead": numbers(share - 0.1 * k), "lead": numbers(3.0)}
            for k, first in enumerate(players) for second in players[k + 1:]
        ],
        "baselines": weights, "arguments": RUNS[name].arguments,
    }  # fmt: skip


def measured(share: float = 0.7) -> dict[str, Any]:
    return {name: summary(name, share) for name in RUNS}


def test_committed_results_are_of_the_packaged_weights() -> None:
    weights = {name: card.sha256 for name, card in baseline_tables.packaged_cards().items()}
    told = result_tables.stale(baseline_tables.kept_results(), weights)
    assert not told, f"{told}; python -m benchmarks.baselines measures them again"


def test_every_aim_has_a_run_that_measures_it_and_every_run_is_shown_with_its_command() -> None:
    for aim in aims.AIMS:
        words = RUNS[aim.run].arguments.split()
        assert words[0] == aim.who
        assert aim.opponent in (None, *words)
        players = int(words[words.index("--players") + 1]) if "--players" in words else 2
        assert players == aim.players and (players == 2) != ("--alone" in words)
    sections = (
        result_tables.two_players,
        result_tables.led_search,
        result_tables.more_players,
        result_tables.universal,
        result_tables.small,
    )
    text = "\n".join(make(measured()) for make in sections)
    for run in RUNS.values():
        assert f"speicher arena {run.arguments}\n" in text


def test_aims_are_those_that_were_set() -> None:
    found = {(aim.run, aim.opponent): aim.least for aim in aims.AIMS}
    assert found["2p-ladder", "merchant"] == 0.93 and found["2p-ladder", "firechief"] == 0.95
    assert [found[f"2p-{run}", None] for run in ("flat", "mcts", "mcts-deep")] == [0.95, 0.80, 0.65]
    assert [found[f"2p-{run}", None] for run in ("guided", "guided-800", "guided-deep")] == [0.62, 0.70, 0.75]
    assert [found[f"{count}p-merchant", None] for count in COUNTS] == [0.66, 0.60, 0.52]
    assert [found[f"{count}p-mcts", None] for count in COUNTS] == [0.55, 0.48, 0.42]
    assert [found[f"{count}p-guided", None] for count in COUNTS] == [1.25 / count for count in COUNTS]
    assert found["universal-sampled", "merchant"] == 0.90
    assert (aims.BELOW, aims.RATE) == (0.04, 20_000)


def test_every_run_is_on_deals_that_belong_to_the_release() -> None:
    assert {run.arguments.partition("--seed ")[2] for run in RUNS.values()} == set(baselines.LOOKS)


def test_what_changed_after_a_look_is_measured_on_the_deals_of_the_next() -> None:
    wanted = {
        "2p-ladder": 3, "3p-merchant": 3, "3p-guided": 3, "4p-mcts": 3, "5p-merchant": 4, "5p-guided": 4,
        "universal-5p-mcts": 4, "universal-2p-ladder": 4, "universal-sampled": 4, "2p-small-ladder": 4,
        "2p-small-large": 4, "4p-small-mcts": 2,
    }  # fmt: skip
    for name, look in wanted.items():
        assert RUNS[name].arguments.endswith(f"--seed release-{look}"), name
    seeds = {RUNS[name].arguments.partition("--seed ")[2] for name in ("2p-guided", "2p-guided-deep")}
    assert len(seeds) == 1, "a search that 2p guides is measured with 2p, also where its name is not given"


@pytest.mark.parametrize(
    ("share", "told"),
    [
        (numbers(0.8, 0.04), "met"),
        (numbers(0.8), "met (within error)"),
        (numbers(0.7), "**missed** (within error)"),
        (numbers(0.6), "**missed**"),
        (None, "not measured"),
    ],
)
def test_a_verdict_says_what_the_interval_leaves_open(share: dict[str, float] | None, told: str) -> None:
    assert aims.verdict(share, 0.75) == told
    row = next(line for line in result_tables.aims_table({}).splitlines() if "flat:1000" in line)
    assert row.endswith("| – | not measured |")


def test_shares_are_those_of_the_baseline_and_never_of_another_player() -> None:
    assert aims.share(summary("3p-merchant"))["estimate"] == 0.7
    told = summary("universal-sampled")
    assert aims.share(told, "merchant")["estimate"] == 0.7  # not the specialist's 0.6
    text = result_tables.sampled({"universal-sampled": told})
    assert "| `baseline:2p` against `merchant` | 60 | 60.0 [50.0, 70.0] |" in text
    text = result_tables.more_players(measured())
    assert "| 4 | `baseline:4p` | `mcts:1000` | 60 | 25.0 | 70.0 [60.0, 80.0] | 2.80 |" in text


def test_a_difference_has_the_interval_of_both() -> None:
    found = aims.difference({"estimate": 0.6, "low": 0.57, "high": 0.64}, {"estimate": 0.7, "low": 0.67, "high": 0.74})
    assert found == pytest.approx({"estimate": -0.1, "low": -0.15, "high": -0.05})
    results = {"universal-3p-merchant": summary("universal-3p-merchant", 0.62), "3p-merchant": summary("3p-merchant")}
    text = result_tables.aims_table(results)
    row = next(line for line in text.splitlines() if "less `baseline:3p`, against `merchant`" in line)
    assert "| -8.0 [-22.1, +6.1] | **missed** (within error) |" in row


def test_missed_aims_are_counted_among_the_limits() -> None:
    text = baseline_tables.missed_aims({"2p-flat": summary("2p-flat")})
    assert "1 of 1 [aims](results.md#aims) are not reached." in text
    assert baseline_tables.missed_aims({"2p-flat": summary("2p-flat", 0.95)}) == ""


def test_results_of_other_weights_are_told() -> None:
    assert result_tables.stale({"2p-flat": summary("2p-flat")}, {"2p": CARD.sha256}) == ""
    assert "2p-flat" in result_tables.stale({"2p-flat": summary("2p-flat")}, {"2p": "ef" * 32})


def test_the_page_has_what_the_cards_say() -> None:
    network = Network.zeros(CARD.shape)
    found = {"2p": (CARD, network)}
    text = "\n".join(
        [
            baseline_tables.shapes(found),
            baseline_tables.training(found),
            baseline_tables.strengths(found, measured()),
            baseline_tables.files(found),
            baseline_tables.missed_aims(measured()),
        ]
    )
    assert f"| `baseline:2p` | 2 | standard | margin | outcome | 8, tanh | {network.parameters:,} |" in text
    start = "1,000 decisions of `merchant`, 500 more at the end"
    row = f"| `baseline:2p` | `2p` | {start} | 3 | 12,345,678 | 12,345,678 | 61.5 | `01234567` |"
    assert row in text
    assert CARD.sha256 in text and "| `baseline:2p` | 2 | 70.0 [60.0, 80.0] | 70.0 [60.0, 80.0] | 50.0 |" in text
    assert "wins 60.0 % against `merchant` on sampled decks, and 70.0 % on its own" in text


def test_the_page_says_what_networks_read_beyond_the_observation() -> None:
    reading = replace(CARD, shape=replace(CARD.shape, columns=(6, 4), figures=True))
    text = baseline_tables.shapes({"2p": (reading, Network.zeros(reading.shape))})
    assert "| 8, tanh; columns 6 × 4; figures |" in text


def test_cards_get_what_was_measured_of_their_own_weights(tmp_path: Path) -> None:
    network = Network.zeros(CARD.shape)
    results = {"2p-ladder": summary("2p-ladder"), "2p-guided": summary("2p-guided"), SPEED: {}}
    assert baseline_tables.write_cards(tmp_path, {"2p": (CARD, network)}, results) == ["2p"]
    told = json.loads((tmp_path / "2p.json").read_text())["strength"]["evaluation"]
    assert [one["opponent"] for one in told] == baselines.LADDER.split()
    assert told[-1] == {
        "opponent": "merchant", "players": 2, "deck": "standard", "deals": 60, "win_share": 0.7,
        "low": pytest.approx(0.6), "high": pytest.approx(0.8),
        "command": f"speicher arena {RUNS['2p-ladder'].arguments}",
    }  # fmt: skip
    assert baseline_tables.write_cards(tmp_path, {"2p": (replace(CARD, sha256="ef" * 32), network)}, results) == []


@pytest.fixture
def card(tmp_path: Path) -> Path:
    network = Network.zeros(CARD.shape)
    content = write_tensors(network.tensors())
    (tmp_path / CARD.weights).write_bytes(content)
    (tmp_path / "2p.json").write_text(replace(CARD, sha256=hashlib.sha256(content).hexdigest()).text())
    return tmp_path / "2p.json"


def test_a_run_is_played_once_for_each_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = []

    def play(run: baselines.Run, folder: Path, jobs: int | None, ray: str | None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "results.json").write_text(json.dumps(with_digest({"format": "speicher-arena/1", "complete": True})))
        played.append(folder)

    monkeypatch.setattr(baselines, "play", play)
    for sha in ("aa" * 32, "aa" * 32, "bb" * 32):
        baselines.measure_strength("2p-flat", RUNS["2p-flat"], {"2p": sha}, tmp_path / "kept", tmp_path / "played", 1)
    assert len(played) == len(set(played)) == 2
    kept = json.loads((tmp_path / "kept" / "2p-flat.json").read_text())
    assert kept["baselines"] == {"2p": "bb" * 32} and kept["arguments"] == RUNS["2p-flat"].arguments


def test_a_trial_leaves_the_committed_results_alone(card: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(baselines, "measure_strength", lambda *told: asked.append(told))
    assert baselines.main(["--baseline", f"2p={card}", "--only", "2p"]) == 0
    names = [told[0] for told in asked]
    assert names == [name for name, run in RUNS.items() if baselines.of(run)[0] == "2p"]
    for name, run, weights, kept, *_ in asked:
        assert not kept.is_relative_to(KEPT.parent) and list(weights) == ["2p"]
        assert not re.search(r"baseline:2p|guided:200 ", run.arguments), name
    assert f"guided:200,baseline={card} mcts:10000" in asked[-1][1].arguments


def test_a_baseline_that_is_not_there_is_left_out_and_said(card: Path, capsys: pytest.CaptureFixture[str], monkeypatch):
    monkeypatch.setattr(baselines, "packaged", lambda: [])
    assert baselines.main(["--baseline", f"2p={card}", "--only", "3p"]) == 0
    assert "left out, there is no baseline 3p" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--only", "6p"], ["--baseline", "2p"], ["--baseline", "2p=nowhere.json"]])
def test_what_is_wrong_is_one_sentence(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert baselines.main(arguments) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "must be" in told


def test_speed_counts_decisions_of_whole_games(card: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "LANES", 16)
    (point,) = baselines.measure_speed({"2p": str(card)}, 0.0, 2)["points"]
    assert point["players"] == 2 and point["network"]["counts"] == [16, 16]
    assert point["games"]["counts"][0] == point["games"]["counts"][1] > 16 * 30
