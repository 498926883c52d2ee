"""`speicher play`: whole games at the terminal, and that nothing of a game is lost however it is stopped."""

from __future__ import annotations

import json
import random
import re
import sys
import types
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from speicher_agents import load_agent, seed_for, views_of
from speicher_agents.registry import PlayerKind
from speicher_env import ACTION_TEXTS, Game, check_record, replay
from tests.support.command import speicher
from tests.support.terminal import Typist, endless

AGAINST = ("--against", "frugal")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def sit_down(monkeypatch: pytest.MonkeyPatch, lines: Iterable[str | BaseException], **options: Any) -> None:
    """Somebody types these lines from now on."""
    monkeypatch.setattr("sys.stdin", Typist(lines, **options))


def kept(path: str | Path = "game.jsonl") -> dict[str, Any]:
    record: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    assert check_record(record) == []
    return record


def moves(record: dict[str, Any]) -> list[str]:
    return [move["action"] for move in record["moves"]]


def own_moves(record: dict[str, Any], seat: int = 0) -> list[str]:
    return [move["action"] for move in record["moves"] if move["player"] == seat]


@pytest.mark.parametrize(("players", "seat"), [(2, 0), (3, 2), (5, 1)])
def test_a_whole_game_is_played_and_kept(players, seat, monkeypatch, capsys):
    sit_down(monkeypatch, endless())
    arguments = ("--players", str(players), "--seat", str(seat + 1), "--seed", "6", "--record", "game.jsonl")
    assert speicher("play", *AGAINST, *arguments) == 0
    out, err = capsys.readouterr()
    record = kept()
    assert record["seats"] == ["human" if number == seat else "frugal" for number in range(players)]
    assert record["seed"] == 6
    points = record["result"]["points"]
    breakdown = next(line for line in out.splitlines() if line.startswith("  in all"))
    assert breakdown.split()[2:] == [str(number) for number in points]
    assert "speicher: seed 6" in err
    assert "the game is stored in game.jsonl" in err
    for number in range(1, Game.from_record(record).round):
        assert f"Round {number + 1} begins with seat " in out
    assert out.count("A fire of value") + out.count("Fires of values") >= 3


def test_others_play_as_they_do_everywhere_and_each_move_is_told(monkeypatch, capsys):
    sit_down(monkeypatch, endless())
    assert speicher("play", "--against", "random,frugal", "--seed", "9", "--record", "game.jsonl") == 0
    out = capsys.readouterr().out
    record = kept()
    agents = {1: load_agent("random"), 2: load_agent("frugal")}
    for seat, agent in agents.items():
        agent.reset(seed_for(9, seat))
    for game, action in replay(record):
        if action is not None and game.player in agents:
            assert ACTION_TEXTS[int(agents[game.player].act(views_of(game))[0])] == action
    verbs = ("places", "buys", "passes", "delivers", "sells", "changes", "puts", "ends")
    told = [line for line in out.splitlines() if line.startswith("Seat ") and line.split("you) ")[-1].split()[0:3]]
    assert sum(any(f" {verb} " in line for verb in verbs) for line in told) >= len(record["moves"])


def test_a_game_that_was_stopped_and_continued_is_the_game_played_in_one_go(monkeypatch):
    rng = random.Random(4)
    lines = [str(rng.randrange(4)) for _ in range(2000)]
    sit_down(monkeypatch, lines)
    assert speicher("play", *AGAINST, "--seed", "2", "--record", "whole.jsonl") == 0
    used: list[str] = []

    def typed(stops: list[int]) -> Iterator[str]:
        for line in lines[len(used) :]:
            if len(used) in stops:
                return
            used.append(line)
            yield line

    sit_down(monkeypatch, typed([7]))
    assert speicher("play", *AGAINST, "--seed", "2", "--record", "game.jsonl") == 0
    assert kept()["result"] is None
    for stop in (8, 40, 41, 90):
        sit_down(monkeypatch, typed([stop]))
        assert speicher("play", "--continue", "game.jsonl") == 0
    sit_down(monkeypatch, lines[len(used) :])
    assert speicher("play", "--continue", "game.jsonl") == 0
    assert kept() == kept("whole.jsonl")


@pytest.mark.parametrize(
    ("end", "code"),
    [("q", 0), (EOFError(), 0), ("", 0), (KeyboardInterrupt(), 130)],
    ids=["quit", "EOF", "end", "Ctrl-C"],
)
def test_stopping_in_any_way_keeps_the_game(end, code, monkeypatch, capsys):
    sit_down(monkeypatch, ["0", "1", *([end] if end else [])])
    assert speicher("play", *AGAINST, "--seed", "3", "--record", "game.jsonl") == code
    record = kept()
    assert record["result"] is None
    assert own_moves(record) == ["place 0", "place 1"]
    assert "speicher play --continue game.jsonl resumes it" in capsys.readouterr().err
    sit_down(monkeypatch, ["2", "q"])
    assert speicher("play", "--continue", "game.jsonl") == 0
    assert own_moves(kept())[:3] == ["place 0", "place 1", "place 2"]


def test_ctrl_c_while_another_player_thinks_keeps_the_game(monkeypatch, tmp_path):
    source = (
        "from speicher_agents import Agent\n\nclass Slow(Agent):\n    def act(self, views):\n"
        "        if views.states['round'][0] == 2:\n            raise KeyboardInterrupt\n"
        "        return views.masks.argmax(axis=1)\n"
    )
    (tmp_path / "own.py").write_text(source, encoding="utf-8")
    sit_down(monkeypatch, endless())
    assert speicher("play", "--against", "own.py:Slow", "--seed", "3", "--record", "game.jsonl") == 130
    assert Game.from_record(kept()).round == 2


def test_the_game_is_on_disk_whenever_an_answer_is_awaited(monkeypatch):
    seen: list[int] = []

    def look() -> None:
        seen.append(len(own_moves(kept())))

    sit_down(monkeypatch, ["0", "1", "q"], before=look)
    assert speicher("play", *AGAINST, "--seed", "3", "--record", "game.jsonl") == 0
    assert seen == [0, 1, 2]


def test_a_player_that_fails_costs_nobody_the_game(monkeypatch, capsys, tmp_path):
    source = "from speicher_agents import Agent\n\nclass Bad(Agent):\n    def act(self, views):\n        {}\n"
    for body, sentence in (
        ("raise OSError('no memory')", "player own.py:Bad failed with OSError: no memory; the game is stored in"),
        ("return [183]", "player Bad: it chose 'end', which is not legal; the game is stored in"),
        (
            "return None",
            "shape (), must be one action id for each of 1 rows; the game is stored in",
        ),
    ):
        (tmp_path / "own.py").write_text(source.format(body), encoding="utf-8")
        sit_down(monkeypatch, endless())
        assert speicher("play", "--against", "own.py:Bad", "--seed", "3") == 2
        assert sentence in capsys.readouterr().err
    assert [path.name for path in sorted(tmp_path.glob("*.jsonl"))] == [
        "speicherstadt-3-2.jsonl", "speicherstadt-3-3.jsonl", "speicherstadt-3.jsonl"]  # fmt: skip


# Taking back


def test_undo_goes_back_to_the_last_own_decision(monkeypatch, capsys):
    sit_down(monkeypatch, ["0", "1", "undo", "2", "u", "u", "1", "q"])
    assert speicher("play", *AGAINST, "--players", "3", "--seed", "3", "--record", "game.jsonl") == 0
    assert own_moves(kept()) == ["place 1"]
    assert capsys.readouterr().out.count("Taken back.") == 3


def test_undo_before_the_first_own_decision_is_refused_and_works_in_a_continued_game(monkeypatch, capsys):
    sit_down(monkeypatch, ["u", "0", "1", "q"])
    assert speicher("play", *AGAINST, "--seed", "3", "--record", "game.jsonl") == 0
    assert "There is nothing to undo" in capsys.readouterr().out
    sit_down(monkeypatch, ["u", "u", "u", "2", "q"])
    assert speicher("play", "--continue", "game.jsonl") == 0
    assert own_moves(kept()) == ["place 2"]
    assert capsys.readouterr().out.count("Taken back.") == 2


# Who plays


def test_a_spec_for_each_other_seat_clockwise_from_ones_own(monkeypatch):
    sit_down(monkeypatch, [])
    against = "random,mcts:ms=1,c=2,merchant"
    assert speicher("play", "--against", against, "--seat", "3", "--seed", "1", "--record", "game.jsonl") == 0
    assert kept()["seats"] == ["mcts:ms=1,c=2", "merchant", "human", "random"]


def test_two_people_share_the_terminal(monkeypatch):
    sit_down(monkeypatch, ["0", "1", "u", "2", "q"])
    assert speicher("play", "--against", "human", "--seed", "3", "--record", "game.jsonl") == 0
    record = kept()
    assert record["seats"] == ["human", "human"]
    assert moves(record) == ["place 0", "place 2"]


def test_nobody_sits_down_to_watch(monkeypatch, capsys):
    sit_down(monkeypatch, [])
    arguments = ("--against", "frugal,merchant,random", "--seat", "none", "--seed", "4", "--record", "game.jsonl")
    assert speicher("play", *arguments) == 0
    record = kept()
    assert record["seats"] == ["frugal", "merchant", "random"]
    assert record["result"] is not None
    assert "(you)" not in capsys.readouterr().out


def test_the_hint_giver_can_be_named(monkeypatch, capsys):
    sit_down(monkeypatch, ["hint", "q"])
    assert speicher("play", *AGAINST, "--hints", "flat:20", "--seed", "3", "--record", "game.jsonl") == 0
    assert "flat:20 plays 'place " in capsys.readouterr().out


def test_a_record_of_others_is_continued_with_players_that_are_named(monkeypatch):
    game = Game(3, seed=8)
    for _ in range(4):
        game.play(game.legal()[0])
    Path("game.jsonl").write_text(json.dumps(game.to_record()), encoding="utf-8")
    sit_down(monkeypatch, ["0", "q"])
    arguments = ("--continue", "game.jsonl", "--record", "other.jsonl", "--against", "frugal", "--seat", "2")
    assert speicher("play", *arguments) == 0
    assert kept()["moves"] == kept("other.jsonl")["moves"][:4]
    assert kept("other.jsonl")["seats"] == ["frugal", "human", "frugal"]


def test_without_a_name_the_file_is_named_by_the_seed_and_none_is_written_over(monkeypatch, tmp_path):
    for _ in range(2):
        sit_down(monkeypatch, ["0"])
        assert speicher("play", *AGAINST, "--seed", "3") == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["speicherstadt-3-2.jsonl", "speicherstadt-3.jsonl"]


def test_a_whole_game_against_a_trained_network_with_hints_of_it_and_of_a_search_it_leads(monkeypatch, capsys):
    sit_down(monkeypatch, chain(["hint", "hint guided:9"], endless()))
    arguments = ("--against", "baseline:2p", "--hints", "baseline:2p", "--seed", "3", "--record", "game.jsonl")
    assert speicher("play", *arguments) == 0
    out = capsys.readouterr().out
    record = kept()
    assert record["seats"] == ["human", "baseline:2p"] and record["result"] is not None
    heard, searched = (
        out.split(f"> {asked}\n")[1].split("\n> ")[0].splitlines() for asked in ("hint", "hint guided:9")
    )
    for lines, spec in ((heard, "baseline:2p"), (searched, "guided:9")):
        assert lines[0].startswith(f"{spec} plays 'place ")
        assert re.fullmatch(r"  place \d +\d+%( █*)?", lines[1])
        assert any(re.fullmatch(r"  expects seat 1 \(you\) .\d\.\d\d and seat 2 .\d\.\d\d .*", line) for line in lines)
    assert searched[-1].startswith("  line: place "), "a search tells its principal line"
    assert not heard[-1].startswith("  line:"), "a network does not look ahead"


# What is refused


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--players", "6"], "--players=6: must be 2, 3, 4 or 5"),
        (["--seat", "3"], '--seat="3": must be a seat 1..2, or none to watch.'),
        (["--seat", "0"], '--seat="0": must be a seat 1..2, or none to watch.'),
        (
            ["--players", "3", "--against", "a,b,c"],
            "--against: must be 1 player for all, or 2, one for each",
        ),
        (["--against", "merchnat"], 'did you mean "merchant"?'),
        (["--against", "random,"], '--against="random,": must be specs of players with commas between them.'),
        (["--against", "random,random,random,random,random"], "players with --against=6"),
        (["--hints", "merchnat"], 'did you mean "merchant"?'),
        (["--players", "3", "--against", "baseline:2p"], "baseline:2p: players=3: must be 2"),
        (["--players", "3", "--against", "merchant,guided:9,baseline=2p"], "players=3: must be 2"),
        (["--players", "3", "--hints", "baseline:2p"], "baseline:2p: players=3: must be 2"),
        (["--against", "baseline:9p"], 'baseline="9p": must be 2p, 2p-small, 3p'),
        (
            ["--against", "mine/baseline.json"],
            "mine/baseline.json: cannot be read: there is no such file; must be the card of a",
        ),
        (
            ["--web", "--port", "70000", "--players", "3", "--hints", "baseline:2p"],
            "baseline:2p: players=3: must be 2",
        ),
        (["--deck", "none.toml"], "none.toml"),
        (["--seed", "-1"], "--seed=-1"),
        (["--record", "there.jsonl"], "there.jsonl: the file exists; --continue there.jsonl resumes its game."),
        (["--record", "-"], '--record="-": must be a file'),
        (["--record", "no/folder.jsonl"], "no/folder.jsonl: there is no directory"),
        (["--continue", "gone.jsonl"], "gone.jsonl: there is no such file"),
        (["--continue", "-"], '--continue="-": must be a file'),
        (["--continue", "there.jsonl", "--seed", "3"], "--seed cannot be used with --continue."),
        (["--continue", "there.jsonl"], "there.jsonl, line 1: is not JSON: Expecting value"),
        (["--continue", "two.jsonl"], "two.jsonl: has several games; must have one game."),
        (["--continue", "over.jsonl"], "over.jsonl: the game is over; speicher replay over.jsonl shows it."),
        (["--continue", "faulty.jsonl"], "faulty.jsonl, line 1: players=9"),
        (
            ["--continue", "seats.jsonl"],
            "line 1: seats=a list of 1: must be the spec of a player for each of 2 seats",
        ),
        (["--web", "--record", "x.jsonl"], "--record cannot be used with --web."),
    ],
)
def test_what_cannot_be_played_is_told_in_one_sentence(arguments, sentence, monkeypatch, capsys, tmp_path):
    over = Game(2, seed=1)
    while not over.over:
        over.play(over.legal_ids()[0])
    record = Game(2, seed=1).to_record()
    for name, text in (
        ("there.jsonl", "a letter to nobody\n"),
        ("two.jsonl", 2 * (json.dumps(record) + "\n")),
        ("over.jsonl", json.dumps(over.to_record())),
        ("faulty.jsonl", json.dumps(record | {"players": 9})),
        ("seats.jsonl", json.dumps(record | {"seats": ["human"]})),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    before = {path.name: path.read_text() for path in tmp_path.iterdir()}
    sit_down(monkeypatch, endless())
    assert speicher("play", *arguments) == 2
    out, err = capsys.readouterr()
    assert sentence in err
    assert len(err.splitlines()) == 1 or err.splitlines()[0].startswith("speicher: seed ")
    assert "Traceback" not in out + err
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("own.py:Mine", "must be random, contractor"),
        ("own:Mine", "must be random, contractor"),
        ("nobody:Mine", "must be random, contractor"),
        ("baseline:own.json", 'baseline="own.json": must be a plain word'),
        ("own.json", "must be random, contractor"),
        ("human:hints=own.py:Mine", "must be no class of your own"),
        ("mcts:prior=own.py", 'prior="own.py": must be a plain word'),
        ("mcts:9_999_999_999", "iterations=9999999999: must be at most 1000000"),
        ("mcts:ms=1e99", "must be "),
        ("mcts:" + "9" * 70, "must be "),
        ("mcts:" + "9" * 5000, "of at most 80 characters"),
        (7, "must be the spec of a player"),
    ],
)
def test_a_record_can_name_players_but_no_code_and_no_files(spec, reason, monkeypatch, capsys, tmp_path):
    (tmp_path / "own.py").write_text("open('it_ran', 'w')\nclass Mine:\n    def act(self, views): ...\n")
    (tmp_path / "own.json").write_text("{}")
    monkeypatch.syspath_prepend(tmp_path)
    record = Game(2, seed=1).to_record() | {"seats": ["human", spec]}
    (tmp_path / "game.jsonl").write_text(json.dumps(record))
    sit_down(monkeypatch, endless())
    assert speicher("play", "--continue", "game.jsonl") == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and len(err) < 400
    assert err.startswith("speicher: game.jsonl, line 1: seats[1]") and reason in err
    assert not (tmp_path / "it_ran").exists()


def test_a_player_of_ones_own_is_seated_again_by_the_command_line(monkeypatch, tmp_path):
    (tmp_path / "own.py").write_text(
        "class Mine:\n    def act(self, views):\n        return views.masks.argmax(axis=1)\n"
    )
    record = Game(2, seed=1).to_record() | {"seats": ["human", "own.py:Mine"]}
    (tmp_path / "game.jsonl").write_text(json.dumps(record))
    sit_down(monkeypatch, ["1", "q"])
    assert speicher("play", "--continue", "game.jsonl", "--against", "own.py:Mine") == 0
    assert kept()["seats"] == ["human", "own.py:Mine"]


def test_a_record_can_name_a_player_of_an_installed_package(monkeypatch, capsys, tmp_path):
    def quick(spec: str) -> Any:
        """Plays the first legal action."""
        return load_agent("random")

    kind = PlayerKind("quick", "plays at once", quick, from_spec=quick)
    monkeypatch.setattr("speicher_agents.specs.installed_kinds", lambda: (kind,))
    for spec, code in (("quick:depth=3,c=0.5", 0), ("quick:file=a.py", 2), ("quick:/etc/passwd", 2), ("quick:1e99", 2)):
        record = Game(2, seed=1).to_record() | {"seats": ["human", spec]}
        (tmp_path / "game.jsonl").write_text(json.dumps(record))
        sit_down(monkeypatch, ["q"])
        assert speicher("play", "--continue", "game.jsonl") == code, spec
        assert "Traceback" not in "".join(capsys.readouterr())


# In the browser


def test_web_hands_over_what_was_asked_for(monkeypatch, capsys):
    asked: list[dict[str, Any]] = []
    page = types.ModuleType("speicher_apps.web")

    class ServeError(Exception):
        pass

    def serve(**arguments: Any) -> None:
        asked.append(arguments)
        if arguments["port"] == 1:
            raise ServeError("port 1 is taken")

    page.serve, page.ServeError = serve, ServeError  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "speicher_apps.web", page)
    assert speicher("play", "--web") == 0
    assert speicher("play", "--web", "--players", "3", "--seat", "none", "--against", "random", "--seed", "5") == 0
    assert speicher("play", "--web", "--port", "1", "--no-browser", "--host", "::1", "--deck", "sampled") == 2
    assert speicher("play", "--web", "--hints", "guided:50") == 0
    assert capsys.readouterr().err == "speicher: port 1 is taken\n"
    default = {"seats": None, "deck": "standard", "seed": None, "host": "127.0.0.1", "port": None, "open_browser": True}
    default |= {"hints": None}
    assert asked == [
        default,
        default | {"seats": ["random", "random", "random"], "seed": 5},
        default | {"host": "::1", "port": 1, "open_browser": False, "deck": "sampled"},
        default | {"hints": "guided:50"},
    ]
