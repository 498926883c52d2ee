"""`speicher record --with`: games of players by spec, and what they thought."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from speicher_agents import load_agent, seed_for, views_of
from speicher_agents.search import TreeSearch
from speicher_env import ACTION_TEXTS, Game, check_record, replay
from speicher_env.thoughts import thoughts
from tests.cli.test_replay_page import story_of
from tests.support.command import speicher
from tests.support.small_networks import card, network, write


def recorded(tmp_path: Path, *arguments: str) -> list[dict[str, Any]]:
    path = tmp_path / "games.jsonl"
    assert speicher("record", "-o", str(path), "--force", *arguments) == 0
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for record in records:
        assert check_record(record) == []
    return records


def test_the_players_that_are_named_play(tmp_path):
    records = recorded(
        tmp_path, "--with", "random,merchant,frugal", "--seed", "30", "--games", "2", "--deck", "sampled"
    )
    assert len(records) == 2
    for record in records:
        assert record["seats"] == ["random", "merchant", "frugal"]
        assert "think" not in record
        agents = [load_agent(spec) for spec in record["seats"]]
        for seat, agent in enumerate(agents):
            agent.reset(seed_for(record["seed"], seat))
        for game, action in replay(record):
            if game.player is not None:
                assert action == ACTION_TEXTS[int(agents[game.player].act(views_of(game))[0])]


def test_a_game_does_not_hang_on_the_games_before_it(tmp_path):
    both = recorded(tmp_path, "--with", "random,mcts:20", "--seed", "5", "--games", "2")
    assert recorded(tmp_path, "--with", "random,mcts:20", "--seed", "6") == both[1:]


def test_a_baseline_of_another_edition_is_one_plain_line(tmp_path, capsys):
    own = network(2)
    path = write(tmp_path, own, card(own, [2], name="aged", edition="b7526c14"))
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        recorded(tmp_path, "--with", f"random,baseline:{path}", "--seed", "5", "--games", "2")
    lines = [line for line in capsys.readouterr().err.splitlines() if "edition" in line]
    assert lines == [
        "speicher: baseline:aged was trained on edition b7526c14 of the standard deck and now plays edition efcd25c6: "
        "it may be weaker than its card says."
    ]


def test_one_name_is_for_all_seats(tmp_path):
    (record,) = recorded(tmp_path, "--with", "frugal", "--players", "4", "--seed", "1")
    assert record["seats"] == ["frugal"] * 4


def test_thoughts_are_kept_with_each_move_and_change_none(tmp_path):
    plain = recorded(tmp_path, "--with", "merchant,mcts:30,flat:20", "--seed", "3")
    (record,) = recorded(tmp_path, "--with", "merchant,mcts:30,flat:20", "--seed", "3", "--think", "--legal")
    assert [move["action"] for move in record["moves"]] == [move["action"] for move in plain[0]["moves"]]
    assert len(record["think"]) == len(record["moves"])
    search = TreeSearch(iterations=30, seed=seed_for(3, 1))
    seen = set()
    for (game, action), thought in zip(replay(record), thoughts(record), strict=False):
        assert thought is not None
        seen.add(thought.player)
        assert thought.player == record["seats"][game.player]
        if thought.player == "merchant":
            assert not thought.probabilities and not thought.values and not thought.line
            continue
        assert thought.line[0] == action
        assert len(thought.values) == 3
        assert bool(thought.probabilities) == (thought.player == "mcts:30")
        if thought.player == "mcts:30":
            report = search.search(game)
            shares = {text: round(visits / 30, 4) for text, visits in zip(report.texts, report.visits, strict=True)}
            assert thought.probabilities == {text: share for text, share in shares.items() if share}
            expected = report.values[report.actions.index(report.best)].tolist()
            assert thought.values == [round(value, 4) for value in expected]
    assert seen == {"merchant", "mcts:30", "flat:20"}


def test_a_network_and_the_search_it_leads_tell_probabilities_and_values_and_the_page_shows_them(tmp_path):
    (record,) = recorded(tmp_path, "--with", "baseline:2p,guided:5", "--think", "--seed", "3")
    for (game, action), thought in zip(replay(record), thoughts(record), strict=False):
        assert thought is not None and thought.player == record["seats"][game.player]
        assert sum(thought.probabilities.values()) == pytest.approx(1, abs=0.01)
        assert len(thought.values) == 2 and sum(thought.values) == pytest.approx(0, abs=0.001)
        assert set(thought.probabilities) <= set(game.legal()) and thought.line[0] == action
    assert speicher("replay", str(tmp_path / "games.jsonl"), "--html", str(tmp_path / "page.html")) == 0
    steps = story_of((tmp_path / "page.html").read_text(encoding="utf-8"))["steps"]
    for step, entry in zip(steps, record["think"], strict=False):
        told = {ACTION_TEXTS[int(action)]: chance for action, chance in step["think"]["probabilities"].items()}
        assert (step["think"]["player"], step["think"]["values"]) == (entry["player"], entry["values"])
        assert told == entry["probabilities"]


def test_a_record_with_thoughts_passes_the_check_and_a_wrong_one_does_not(tmp_path, capsys):
    (record,) = recorded(tmp_path, "--with", "mcts:10", "--think", "--seed", "3")
    path = tmp_path / "games.jsonl"
    assert speicher("replay", str(path), "--check") == 0
    assert Game.from_record(record).over
    record["think"].pop()
    path.write_text(json.dumps(record), encoding="utf-8")
    capsys.readouterr()
    assert speicher("replay", str(path), "--check") == 1
    assert "think has " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--think"], "--think: random moves have no thoughts; name players with --with."),
        (["--with", "merchnat"], 'did you mean "merchant"?'),
        (["--with", "random,frugal,merchant", "--players", "2"], "--with: must be 1 player for all, or 2, one for"),
        (["--with", "random,,random"], '--with="random,,random": must be specs of players'),
        (["--with", "baseline:2p", "--players", "3"], "baseline:2p: players=3: must be 2"),
        (["--with", "a,a,a,a,a,a"], "--players=6: must be 2, 3, 4 or 5"),
    ],
)
def test_what_cannot_be_recorded_is_told_in_one_sentence(arguments, sentence, tmp_path, capsys):
    path = tmp_path / "games.jsonl"
    assert speicher("record", "-o", str(path), *arguments) == 2
    err = capsys.readouterr().err
    assert sentence in err and len(err.splitlines()) == 1
    assert not path.exists()


def test_a_player_that_fails_is_named_and_the_games_before_are_kept(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = (
        "from speicher_agents import Agent\n\nclass Tired(Agent):\n    games = 0\n\n    def reset(self, seed):\n"
        "        self.games += 1\n\n    def act(self, views):\n        if self.games == {}:\n"
        "            raise OSError('too tired')\n        return views.masks.argmax(axis=1)\n"
    )
    path = tmp_path / "games.jsonl"
    (tmp_path / "own.py").write_text(source.format(3), encoding="utf-8")
    command = "record --force -o games.jsonl --with own.py:Tired,random --seed 7 --games 5"
    arguments = command.split()
    assert speicher(*arguments) == 2
    assert capsys.readouterr().err.splitlines()[1:] == [
        "speicher: 2 of 5 games of 2 players written to games.jsonl, seeds 7..8",
        "speicher: seed 9: player own.py:Tired failed with OSError: too tired",
    ]
    assert len(path.read_text().splitlines()) == 2
    (tmp_path / "own.py").write_text(source.format(1) + "\n", encoding="utf-8")  # longer, or its bytecode looks current
    assert speicher(*arguments) == 2
    assert "seed 7: player own.py:Tired failed" in capsys.readouterr().err
    assert len(path.read_text().splitlines()) == 2  # the file that was there stays
