"""A run gives the same results however the work is spread and wherever it was stopped, and outlives its players."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numba
import numpy as np
import pytest

from speicher_env import Game, check_record, read_records
from speicher_env.batch import CHOOSE
from speicher_env.errors import ArgumentError
from speicher_env.rules.legal import nth_legal
from speicher_env.views import CompiledPlayer, Views
from speicher_training.arena import ArenaError, Results, arena, load_results, workers
from speicher_training.arena.store import Store
from speicher_training.files import FileError
from tests.support.toys import RELEASE, Drawing, First, Hangs, Loser, Misshapen, Raises, spec

COMMAND = [sys.executable, "-c", "from speicher_apps.cli import main; main()", "arena"]
SMALL = {"seed": 1, "replicates": 50, "plots": False}


def kept(folder: Path) -> dict[str, bytes]:
    """The files of a run that must not depend on how it was played; the summary without its times."""
    files = {name: (folder / name).read_bytes() for name in ("run.json", "deals.jsonl", "games.csv", "players.csv")}
    summary = json.loads((folder / "results.json").read_bytes())
    del summary["decision_times"], summary["sha256"]
    return files | {"results.json": json.dumps(summary).encode()}


def numbers(results: Results) -> dict:
    return {key: value for key, value in results.summary.items() if key != "decision_times"}


# The same results


def test_results_do_not_depend_on_the_number_of_jobs(tmp_path: Path) -> None:
    for jobs in (1, 3):
        arena(["random"] * 3, 2, deals=50, lanes=40, jobs=jobs, output=tmp_path / str(jobs), **SMALL)
    assert kept(tmp_path / "1") == kept(tmp_path / "3")


def test_players_in_processes_play_as_they_do_here(tmp_path: Path) -> None:
    """`Drawing` draws from one stream for all it is asked, so it also shows that chunks begin alike everywhere."""
    players = {"random": "random", "drawing": spec("Drawing")}
    for jobs in (1, 2):
        results = arena(players, deals=10, lanes=12, jobs=jobs, output=tmp_path / str(jobs), **SMALL)
        assert not results.games.forfeits
    assert kept(tmp_path / "1") == kept(tmp_path / "2")


def test_slow_players_show_progress_before_the_first_deal_is_finished() -> None:
    shown, seen = threading.Event(), []

    class Slow:
        def act(self, views: Views) -> np.ndarray:
            assert shown.wait(60), "nothing was shown while it was asked"
            return views.masks.argmax(axis=1)

    def on_activity(deals: float, decisions: int) -> None:
        seen.append((deals, decisions))
        shown.set()

    results = arena({"slow": Slow(), "random": "random"}, deals=2, mirrors=False, on_activity=on_activity, **SMALL)
    assert not results.games.forfeits
    deals, decisions = seen[0]
    assert 0 < deals < 1 and decisions == 0
    assert all(before <= after for before, after in pairwise(seen)), "it went backwards"


def test_a_run_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    players = {"random": "random", "drawing": Drawing()}
    whole = arena(players, deals=20, lanes=12, output=tmp_path / "whole", **SMALL)
    seen: list[int] = []
    part = arena(
        players, deals=20, lanes=12, output=tmp_path / "part", interrupted=lambda: bool(seen and seen[-1] >= 6),
        progress=lambda done, total: seen.append(done), **SMALL,
    )  # fmt: skip
    assert not part.complete and 6 <= part.games.deals < 20
    assert "the same command resumes the run" in str(part)
    lines = (tmp_path / "part" / "deals.jsonl").read_bytes().splitlines()
    seen.clear()
    arena(players, deals=20, lanes=12, output=tmp_path / "part", **SMALL, progress=lambda done, _: seen.append(done))
    assert seen[0] == part.games.deals, "finished deals were played again"
    assert (tmp_path / "part" / "deals.jsonl").read_bytes().splitlines()[: len(lines)] == lines
    assert kept(tmp_path / "part") == kept(tmp_path / "whole")
    assert whole.complete and not whole.games.forfeits


def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    arguments = [*COMMAND, "random", "random", "--deals", "50000", "--lanes", "32", "--seed", "1", "-o", "killed"]
    with subprocess.Popen(arguments, cwd=tmp_path, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        deals, begun = tmp_path / "killed" / "deals.jsonl", time.monotonic()
        while not deals.exists() or deals.read_bytes().count(b"\n") < 3:
            assert process.poll() is None and time.monotonic() - begun < 120
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    finished = deals.read_bytes().count(b"\n")
    with deals.open("ab") as stream:
        stream.write(b'{"chunk":')  # as if it had been killed while it wrote
    more = (finished + 2) * 8  # 4 games a deal, so 8 deals a chunk
    for folder in ("killed", "whole"):
        arena(["random", "random"], deals=more, lanes=32, output=tmp_path / folder, **SMALL)
    assert kept(tmp_path / "killed") == kept(tmp_path / "whole")


def test_a_finished_run_can_be_made_longer(tmp_path: Path) -> None:
    for deals in (5, 11):  # the first ends within a chunk
        longer = arena(["random", "random"], deals=deals, lanes=32, output=tmp_path / "longer", **SMALL)
    whole = arena(["random", "random"], deals=11, lanes=32, output=tmp_path / "whole", **SMALL)
    assert kept(tmp_path / "longer") == kept(tmp_path / "whole")
    assert numbers(longer) == numbers(whole) and longer.games.deals == 11


def test_the_folder_tells_everything_to_play_a_game_again(tmp_path: Path) -> None:
    results = arena({"a": "random", "b": First()}, 2, deals=4, deck="sampled", output=tmp_path, **SMALL)
    summary = load_results(tmp_path)
    assert summary == json.loads(json.dumps(results.summary))
    assert summary["deck"] == "sampled" and summary["software"]["speicher-env"] == summary["version"]
    for line in (tmp_path / "deals.jsonl").read_text().splitlines():
        for deal in json.loads(line)["deals"]:
            assert deal["seed"] == summary["first_seed"] + deal["deal"]
            game = Game(2, "sampled", deal["seed"])
            assert game.first_player == deal["first_player"]
            number = summary["seatings"].index(["b", "b"])  # a player without chance can be followed by hand
            while not game.over:
                game.play(game.legal_ids()[0])
            assert [points["total"] for points in game.points()] == deal["points"][number]
            assert game.coins == deal["coins"][number]


def test_records_are_the_games_that_were_played(tmp_path: Path) -> None:
    players = {"random": "random", "first": First(), "loser": Loser()}
    results = arena(players, 2, deals=3, records=tmp_path, **SMALL)
    records = []
    for path in sorted(tmp_path.glob("chunk-*.jsonl")):
        with path.open("rb") as stream:
            records += [record for _, record in read_records(stream, path.name)]
    assert len(records) == results.summary["games"]
    for record in records:
        assert check_record(record) == []
        told = record["arena"]
        assert record["seats"] == results.summary["seatings"][told["game"]]
        points = results.games.points[told["deal"], told["game"]].tolist()
        if told["forfeit"] is None:
            assert record["result"]["points"] == points
        else:
            assert record["result"] is None and record["seats"][told["forfeit"]["seat"]] == "loser"


@pytest.mark.parametrize("jobs", [1, 2])
def test_records_tell_what_players_thought_and_the_games_are_the_same(tmp_path: Path, jobs: int) -> None:
    players = ["random", "mcts:3,prior=none"]
    without = arena(players, 2, deals=1, jobs=jobs, **SMALL)
    results = arena(players, 2, deals=1, jobs=jobs, records=tmp_path, think=True, **SMALL)
    assert results.games.points.tolist() == without.games.points.tolist()
    (path,) = tmp_path.glob("chunk-*.jsonl")
    with path.open("rb") as stream:
        records = [record for _, record in read_records(stream, path.name)]
    for record in records:
        assert check_record(record) == []
        for move, entry in zip(record["moves"], record["think"], strict=True):
            assert entry["player"] == record["seats"][move["player"]]
            assert ("line" in entry) == entry["player"].startswith("mcts")
            if "line" in entry:
                assert entry["line"][0] == move["action"]


def test_records_tell_what_a_network_thought(tmp_path: Path) -> None:
    arena(["random", "baseline:2p"], 2, deals=1, records=tmp_path, think=True, **SMALL)
    (path,) = tmp_path.glob("chunk-*.jsonl")
    with path.open("rb") as stream:
        record = next(record for _, record in read_records(stream, path.name) if "baseline:2p" in record["seats"])
    own = [entry for entry in record["think"] if entry["player"] == "baseline:2p"]
    assert own and all({"probabilities", "values", "line"} <= entry.keys() for entry in own)


def test_a_player_that_plays_only_at_other_tables_is_refused_and_forfeits_no_games() -> None:
    with pytest.raises(ArgumentError, match="baseline:2p: players=3: must be 2"):
        arena(["random", "frugal", "baseline:2p"], 3, deals=1, **SMALL)


def test_thoughts_need_a_folder_for_the_records() -> None:
    with pytest.raises(ArgumentError, match=r"think: what players thought goes into the records, so it needs a folder"):
        arena(["random", "random"], think=True, **SMALL)


# Budgets


def test_a_budget_is_a_number_of_games_or_a_time() -> None:
    assert arena(["random", "random"], budget=41, **SMALL).summary["games"] == 40  # 4 games a deal
    begun = time.monotonic()
    results = arena(["random", "random"], budget="0.5s", **SMALL)
    assert results.complete and results.games.deals > 0 and time.monotonic() - begun < 60


@pytest.mark.parametrize("budget", ["soon", "5", "0s", "-3s", 0, True])
def test_a_budget_that_is_none_is_refused(budget: object) -> None:
    with pytest.raises(ArgumentError, match=r"budget=.*: must be a number of games, or a time"):
        arena(["random", "random"], budget=budget)  # type: ignore[arg-type]


# Players that fail


def test_an_illegal_choice_costs_that_game_and_no_other() -> None:
    results = arena({"random": "random", "raises": Raises(), "loser": Loser()}, deals=10, mirrors=False, **SMALL)
    told = {failure["name"]: failure for failure in results.summary["failures"]}
    assert told["loser"]["why"] == "chose 'end', which is illegal in demand"
    assert told["raises"]["why"] == "raised ValueError: no idea of this seat"
    for lost in results.games.forfeits:
        seating = results.games.schedule.seatings[lost["game"]]
        assert lost["seat"] == 1 or results.plan.names[seating[lost["seat"]]] == "loser"
        assert results.games.shares[lost["deal"], lost["game"], lost["seat"]] == 0
    # It raises in seat 1 only: from seat 0 it plays to the end, although both stood in the same batches.
    seat_0 = results.games.schedule.seatings.tolist().index([1, 0])
    assert not any(lost["game"] == seat_0 for lost in results.games.forfeits)
    assert (results.games.points[:, seat_0] != 0).any()


def test_an_answer_of_the_wrong_shape_is_named() -> None:
    results = arena({"random": "random", "odd": Misshapen()}, deals=2, **SMALL)
    assert results.summary["failures"][0]["why"].startswith(
        "returned an array of float64 with shape (1, 2), must be one action id"
    )


def _first_or_illegal(game: np.void, code: int, stream: np.ndarray) -> int:
    return nth_legal(game, 0) if code == 1 else 183


def test_compiled_players_may_fail_too_and_need_not_be_compiled_together() -> None:
    choose, apart = (numba.njit(CHOOSE)(_first_or_illegal) for _ in range(2))
    players = {
        "good": CompiledPlayer("good", choose, 1),
        "bad": CompiledPlayer("bad", choose, 2),
        "apart": CompiledPlayer("apart", apart, 1),
    }
    results = arena(players, deals=3, **SMALL)
    assert results.pair("good", "bad")["ahead"]["estimate"] == 1
    assert {failure["name"] for failure in results.summary["failures"]} == {"bad"}
    of_equals = [results.summary["seatings"].index(list(order)) for order in (("good", "apart"), ("apart", "good"))]
    assert (results.games.points[:, of_equals[0]] == results.games.points[:, of_equals[1]]).all()


@pytest.mark.parametrize("player", [Loser(), Raises(), Misshapen()], ids=lambda player: player.name)
def test_strict_stops_the_run_and_names_the_player(player: object, tmp_path: Path) -> None:
    with pytest.raises(
        ArenaError,
        match=r"player it (chose 'end'|raised Value|returned an array of float).* \(deal of seed \d+, seat \d\)",
    ):
        arena({"random": "random", "it": player}, deals=4, strict=True, output=tmp_path, **SMALL)  # type: ignore[dict-item]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(workers, "FIRST_CALL_SECONDS", 0.0)
    RELEASE.clear()
    yield
    RELEASE.set()


def test_a_player_that_hangs_forfeits_and_nobody_else_does(impatient: None) -> None:
    results = arena({"random": "random", "hangs": Hangs()}, deals=2, timeout=0.02, mirrors=False, **SMALL)
    (failure,) = results.summary["failures"]
    assert failure["why"] == "has not answered in 0.02 s for each decision" and failure["games"] == 4
    assert results.player("random")["win_share"]["estimate"] == 1


def test_a_player_that_hangs_again_and_again_stops_the_run_and_finished_deals_stay(
    impatient: None, tmp_path: Path
) -> None:
    with pytest.raises(ArenaError, match=r"player hangs has not answered .* in 3 chunks of deals by now, so the run"):
        arena({"random": "random", "hangs": Hangs()}, deals=9, lanes=2, timeout=0.02, mirrors=False, output=tmp_path)
    assert len((tmp_path / "deals.jsonl").read_text().splitlines()) == 2


def test_a_hanging_player_is_named_in_a_strict_run(impatient: None) -> None:
    with pytest.raises(ArenaError, match=r"player hangs has not answered in 0.02 s for each decision"):
        arena({"random": "random", "hangs": Hangs()}, deals=2, timeout=0.02, strict=True)


@pytest.mark.slow
def test_a_player_in_a_process_of_its_own_can_hang_or_end_the_process(
    impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "FIRST_CALL_SECONDS", 3.0)
    players = {"random": "random", "hangs": spec("Hangs"), "leaves": spec("Leaves")}
    results = arena(players, deals=2, timeout=0.05, mirrors=False, isolated=True, **SMALL)
    whys = {failure["name"]: failure["why"] for failure in results.summary["failures"]}
    assert whys == {
        "hangs": "has not answered in 0.05 s for each decision",
        "leaves": "ended its process (exit code 3)",
    }
    assert results.player("random")["win_share"]["estimate"] == 1
    assert results.player("random")["forfeits"] == 0


def test_a_warning_of_a_player_in_other_processes_is_shown_once() -> None:
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        arena(["random", spec("Warns")], deals=8, lanes=4, jobs=2, **SMALL)
    assert [str(warning.message) for warning in shown] == ["this toy is old"]


def test_a_player_that_cannot_be_made_is_named() -> None:
    with pytest.raises(ArenaError, match=r"player .*toys.py:Unmakeable: it cannot be made: RuntimeError: no weights"):
        arena(["random", spec("Unmakeable")])


# Folders


def test_a_folder_of_another_run_is_refused_and_left_alone(tmp_path: Path) -> None:
    arena(["random", "random"], deals=2, output=tmp_path, **SMALL)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for change in ({"seed": 2}, {"deck": "sampled"}, {"mirrors": False}, {"lanes": 4}):
        with pytest.raises(
            ArenaError, match=r"run.json: it is of another run, whose \w+ is .* and not .*; choose another"
        ):
            arena(["random", "random"], deals=2, output=tmp_path, **(SMALL | change))
    with pytest.raises(ArenaError, match="whose players is random, random #2 and not random, random #2, random #3"):
        arena(["random"] * 3, deals=2, output=tmp_path, **SMALL)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_results_carry_the_edition_of_their_deck_and_another_edition_is_refused(tmp_path: Path) -> None:
    results = arena(["random", "random"], deals=2, output=tmp_path, **SMALL)
    assert results.summary["edition"] == "efcd25c6"
    assert arena(["random", "random"], deals=2, deck="sampled", **SMALL).summary["edition"] == "sampled"
    run = tmp_path / "run.json"
    run.write_text(run.read_text().replace("efcd25c6", "b7526c14"))
    with pytest.raises(ArenaError, match=r'another run, whose edition is "b7526c14" and not "efcd25c6"; choose'):
        arena(["random", "random"], deals=2, output=tmp_path, **SMALL)


def copies(folder: Path) -> dict[str, bytes]:
    """The content of every file of a folder, by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_every_change_of_a_finished_deal_is_refused_and_nothing_is_changed(tmp_path: Path) -> None:
    arena(["random", "random"], deals=2, output=tmp_path / "right", **SMALL)
    line = (tmp_path / "right" / "deals.jsonl").read_text()
    points = json.loads(line)["deals"][0]["points"][0][0]
    for number, text in enumerate(
        [
            line.replace(f'"points":[[{points},', f'"points":[[{2**62},'),
            line.replace('"chunk":0', '"chunk":7'),
            line[:-90] + "\n",
            "[1, 2]\n",
            '{"chunk":' + "[" * 100_000 + "\n",
            line + line,
            "\n" + line,
        ]
    ):
        folder = tmp_path / str(number)
        shutil.copytree(tmp_path / "right", folder)
        (folder / "deals.jsonl").write_text(text)
        before = copies(folder)
        with pytest.raises(FileError, match=r"deals.jsonl, line [12]: the line is damaged or was edited") as refused:
            arena(["random", "random"], deals=2, output=folder, **SMALL)
        assert "\n" not in str(refused.value)
        assert copies(folder) == before, text


WRONG_DEALS = {
    "another seed": {"seed": 9},
    "a text for a number": {"first_player": "0"},
    "points missing": {"points": [[1, 2]]},
    "points as text": {"points": "many"},
    "points that no game has": {"points": [[2**62, 0]] * 4},
    "points of many digits": {"points": [[10**19, 0]] * 4},
    "a rank of nobody": {"ranks": [[1, 3]] * 4},
    "a game that nobody won": {"ranks": [[1, 2], [2, 2], [1, 2], [1, 2]]},
    "rows of different lengths": {"coins": [[1, 2], [1], [1, 2], [1, 2]]},
    "a forfeit in no game": {"forfeits": [{"game": 99, "seat": 0, "why": ""}]},
    "forfeits that are a number": {"forfeits": 3},
}


@pytest.mark.parametrize("change", WRONG_DEALS.values(), ids=WRONG_DEALS)
def test_deals_that_no_run_writes_are_refused_even_with_a_right_digest(tmp_path: Path, change: dict) -> None:
    folder = tmp_path / "run"
    plan = arena(["random", "random"], deals=2, output=folder, **SMALL).plan
    lines = Store(plan, folder)._deals
    (line,) = lines.read(10**6)
    line["deals"][0].update(change)
    lines.rewrite([line])
    before = copies(folder)
    with pytest.raises(ArenaError, match=r"deals.jsonl, line 1: must be chunk 0 of this run\."):
        arena(["random", "random"], deals=2, output=folder, **SMALL)
    assert copies(folder) == before


def test_odd_times_are_refused_and_a_last_line_that_was_cut_short_is_repaired(tmp_path: Path) -> None:
    players = {"random": "random", "first": First()}
    whole = arena(players, deals=4, lanes=8, output=tmp_path / "run", **SMALL)
    times = tmp_path / "run" / "times.jsonl"
    content = times.read_bytes()
    for text in (b"[]\n", b'{"first":[1,"x"]}\n', b"\xff\n", b"\n"):
        times.write_bytes(text + content)
        with pytest.raises(FileError, match=r"times.jsonl, line 1: the line is damaged"):
            arena(players, deals=4, lanes=8, output=tmp_path / "run", **SMALL)
        assert times.read_bytes() == text + content
    times.write_bytes(content[:-9])
    again = arena(players, deals=4, lanes=8, output=tmp_path / "run", **SMALL)
    assert again.summary["decision_times"]["first"]["decisions"] < whole.summary["decision_times"]["first"]["decisions"]
    arena(players, deals=6, lanes=8, output=tmp_path / "run", **SMALL)
    assert times.read_bytes().startswith(content[: content[:-1].rfind(b"\n") + 1]), "finished lines were changed"
    Store(whole.plan, tmp_path / "run")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON: .* at line 1"),
        ("[]", "is not a JSON object but a list"),
        ('{"lanes": ' + "9" * 5000 + "}", "holds a number of more than 20 digits"),
        ("[" * 100_000, "is nested more than 50 levels deep"),
        ("{}", 'format=None: must be "speicher-arena/1"'),
    ],
)
def test_a_run_file_that_is_broken_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(ArenaError, match=rf"run.json: {message}"):
        arena(["random", "random"], output=tmp_path, **SMALL)
    assert copies(tmp_path) == {"run.json": text.encode()}
    (tmp_path / "results.json").write_text(text)
    with pytest.raises(ArenaError, match=rf"results.json: {message}"):
        load_results(tmp_path)


def test_results_that_were_edited_are_refused(tmp_path: Path) -> None:
    arena(["random", "random"], deals=2, output=tmp_path, **SMALL)
    assert load_results(tmp_path)["games"] == 8
    file = tmp_path / "results.json"
    file.write_text(file.read_text().replace('"games": 8', '"games": 9', 1))
    with pytest.raises(ArenaError, match=r"results.json: the results are damaged or were edited"):
        load_results(tmp_path)


@pytest.mark.parametrize("option", ["output", "records"])
@pytest.mark.parametrize("name", ["deals.jsonl", "results.json", "players.csv", "chunk-000000.jsonl", "notes.txt"])
def test_a_folder_with_files_of_others_is_refused_and_left_alone(tmp_path: Path, option: str, name: str) -> None:
    (tmp_path / name).write_text("mine\n")
    with pytest.raises(ArenaError, match=r"it holds other files and no run.json; must be a new folder, an empty one"):
        arena(["random", "random"], **SMALL, **{option: tmp_path})
    assert copies(tmp_path) == {name: b"mine\n"}


def test_records_of_another_run_are_not_replaced(tmp_path: Path) -> None:
    arena(["random", "random"], deals=2, records=tmp_path, **SMALL)
    before = copies(tmp_path)
    with pytest.raises(ArenaError, match=r"run.json: it is of another run, whose first_seed is 1 and not 2"):
        arena(["random", "random"], deals=2, records=tmp_path, **(SMALL | {"seed": 2}))
    assert copies(tmp_path) == before
    arena(["random", "random"], deals=2, records=tmp_path, **SMALL)
    assert copies(tmp_path) == before


@pytest.mark.parametrize("option", ["output", "records"])
def test_a_folder_is_used_by_one_run_at_a_time(tmp_path: Path, option: str) -> None:
    before: list[dict[str, bytes]] = []

    def second(done: int, total: int | None) -> None:
        before.append(copies(tmp_path))
        with pytest.raises(FileError, match="another process is using this folder; wait for it or choose another"):
            arena(["random", "random"], deals=4, lanes=8, **SMALL, **{option: tmp_path})
        assert copies(tmp_path) == before[-1]

    arena(["random", "random"], deals=4, lanes=8, progress=second, **SMALL, **{option: tmp_path})
    assert len(before) == 3


def test_a_run_and_its_records_may_share_a_folder(tmp_path: Path) -> None:
    arena(["random", "random"], deals=2, output=tmp_path, records=tmp_path / "." / "x" / "..", **SMALL)
    assert {"run.json", "deals.jsonl", "chunk-000000.jsonl"} <= set(os.listdir(tmp_path))


def test_a_place_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for option in ("output", "records"):
        for name, why in (
            ("file", "it is a file"),
            ("file/x", "a part of the path is a file"),
            ("a\0b", "embedded null"),
        ):
            with pytest.raises((ArenaError, FileError), match=f"cannot be used as a folder: {why}"):
                arena(["random", "random"], **SMALL, **{option: tmp_path / name})
        with pytest.raises((ArenaError, FileError), match="the name is too long"):
            arena(["random", "random"], **SMALL, **{option: tmp_path / ("x" * 300)})


def test_people_are_refused() -> None:
    with pytest.raises(ArgumentError, match="player human: people cannot play in an arena; use speicher play"):
        arena(["random", "human"], **SMALL)


def test_an_argument_that_does_not_exist_is_named() -> None:
    with pytest.raises(TypeError, match=r"arena\(\) has no argument 'deels', did you mean \"deals\"\?"):
        arena(["random", "random"], deels=2)
