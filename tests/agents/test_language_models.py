"""Language models as players: what they are asked, what is read from their answers, and what happens when they fail."""

from __future__ import annotations

import copy
import gc
import json
import os
import pickle
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from speicher_agents import load_agent, views_of
from speicher_agents.llm import (
    BadAnswer,
    LanguageModel,
    LanguageModelSettings,
    ModelFailure,
    Question,
    Reply,
    choices,
    read_answer,
    rules_in_short,
)
from speicher_agents.llm import player as player_module
from speicher_agents.usage import usage_in_words
from speicher_apps.specs import check_untrusted
from speicher_apps.web.offered_players import OfferedPlayers
from speicher_env import ArgumentError, Game
from speicher_env.batch import Batch
from speicher_env.rules.actions import ACTION_TEXTS
from speicher_training.arena import arena
from speicher_training.train.recipe import load_recipe
from tests.support.chat_server import ChatServer, answer, chat, chat_server
from tests.support.command import speicher

KEY = "sk-secret-0123"

ANSWERING = """
import json, os, sys
for line in sys.stdin:
    question = json.loads(line)
    assert question["protocol"] == "speicher-llm/1" and question["messages"][0]["role"] == "system"
    print(json.dumps({"action": question["legal"][-1]["action"], "output_tokens": os.getpid()}), flush=True)
"""


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits before further attempts, which are not waited for."""
    waits: list[float] = []
    monkeypatch.setattr(player_module.time, "sleep", waits.append)
    return waits


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("MY_KEY", KEY)
    with chat_server() as running:
        yield running


def endpoint(folder: Path, server: ChatServer, top: str = "", more: str = 'key = "MY_KEY"') -> LanguageModel:
    """The player of a settings file for the server."""
    (folder / "gpt.toml").write_text(f'{top}\n[endpoint]\nurl = "{server.url}"\nmodel = "small"\n{more}\n')
    player = load_agent("llm:gpt.toml")
    assert isinstance(player, LanguageModel)
    return player


def program(folder: Path, code: str, top: str = "", format: str = "json") -> LanguageModel:
    """The player of a settings file for a program."""
    (folder / "model.py").write_text(code)
    command = json.dumps([sys.executable, "model.py"])
    (folder / "own.toml").write_text(f'{top}\n[command]\nprogram = {command}\nformat = "{format}"\n')
    player = load_agent("llm:own.toml")
    assert isinstance(player, LanguageModel)
    return player


def position(phase: str, players: int = 2, seed: int = 3) -> Game:
    """A game at its first decision in a phase in which a seat has several cubes or a card is on offer."""
    game = Game(players, seed=seed)
    player = load_agent("merchant")
    while game.phase != phase:
        game.play(player.action(game))
    return game


def state_of(game: Game) -> np.void:
    state: np.void = views_of(game).states[0]
    return state


def sentence_of(error: BaseException) -> str:
    """The message of an error, which must be one sentence in one line."""
    text = str(error)
    assert "\n" not in text and text.endswith(".") and "Traceback" not in text
    return text


# Questions


@pytest.mark.parametrize("phase", ["demand", "purchase", "loading"])
def test_the_question_holds_the_table_and_every_legal_action_with_its_number(phase: str) -> None:
    game = position(phase, players=3)
    views = views_of(game)
    question = Question(views.states[0], views.observations[0], instructions="Save your coins.")
    assert [message["role"] for message in question.messages] == ["system", "user"]
    assert rules_in_short() in question.system and "Save your coins." in question.system
    assert f"You are seat {game.player + 1} of 3" in question.prompt and "Draw pile" in question.prompt
    assert [choice.action for choice in question.choices] == game.legal()
    for choice in question.choices:
        assert f"{choice.number:4}. {choice.action} - {choice.effect}" in question.prompt
    if phase == "demand":
        assert all(choice.action == f"place {choice.number}" for choice in question.choices)
    json.dumps(question.as_json(), allow_nan=False)


def test_a_question_is_the_same_whatever_is_hidden() -> None:
    game = position("loading", players=4)
    words = {json.dumps(_question(twin).as_json()) for twin in (game, game.redealt(1), game.redealt(2))}
    assert len(words) == 1


def _question(game: Game) -> Question:
    views = views_of(game)
    return Question(views.states[0], views.observations[0])


# Answers


@pytest.mark.parametrize(
    ("words", "action"),
    [
        ("1", "place 1"),
        ("place 2", "place 2"),
        ("I have 3 coins.\nAction: 0", "place 0"),
        ("**Action:** `place 1`", "place 1"),
        ("action : 2.", "place 2"),
        ("Action: 0 is weak.\n\nAction: 2", "place 2"),
        ("Action: 2. place 2", "place 2"),
        ("Let me think\n\n  2  \n", "place 2"),
        ('"Place  1"', "place 1"),
    ],
)
def test_an_action_is_read_from_what_a_model_writes(words: str, action: str) -> None:
    assert ACTION_TEXTS[read_answer(words, state_of(Game(2, seed=1)))] == action


@pytest.mark.parametrize(
    ("words", "illegal", "part"),
    [
        ("", False, "empty"),
        (" \n ** \n", False, "empty"),
        ("I would rather not say.", False, "not the number or the text"),
        ("Action: place two", False, "not the number or the text"),
        ("Action: 3", True, "No legal action has the number 3"),
        ("Action: 7" + "0" * 5000, False, "not the number or the text"),
        ("buy", True, "'buy' is illegal: "),
        ("place 5", True, "only columns 0 to 2"),
        ("Action: 1. place 2", False, "one action by its number and another by its text"),
        ("Action: ²", False, "not the number or the text"),
    ],
)
def test_an_answer_without_a_legal_action_is_refused_with_the_reason(words: str, illegal: bool, part: str) -> None:
    with pytest.raises(BadAnswer) as refused:
        read_answer(words, state_of(Game(2, seed=1)))
    assert part in sentence_of(refused.value)
    assert refused.value.illegal is illegal


@pytest.mark.parametrize("phase", ["demand", "purchase", "loading"])
def test_every_legal_action_can_be_chosen_by_number_and_by_text(phase: str) -> None:
    game = position(phase, players=5, seed=11)
    state = state_of(game)
    for choice in choices(state):
        for words in (str(choice.number), choice.action, f"Action: {choice.number}. {choice.action}"):
            assert ACTION_TEXTS[read_answer(words, state)] == choice.action


# Attempts


def test_a_wrong_answer_is_explained_and_asked_for_again() -> None:
    asked: list[list[dict[str, str]]] = []

    def model(question: Question) -> str:
        asked.append(list(question.messages))
        return ("dunno", "Action: 9", "Action: 1")[len(asked) - 1]

    player = LanguageModel(model)
    assert ACTION_TEXTS[player.action(Game(2, seed=1))] == "place 1"
    assert [len(messages) for messages in asked] == [2, 4, 6]
    assert asked[2][2] == {"role": "assistant", "content": "dunno"}
    assert "No legal action has the number 9." in asked[2][5]["content"]
    assert player.usage() == {"decisions": 1, "requests": 3, "unreadable": 1, "illegal": 1}


def test_without_a_usable_answer_the_player_forfeits_or_another_decides() -> None:
    game = Game(2, seed=1)
    problem = "no usable answer in 3 attempts; at last its answer was unreadable"
    with pytest.raises(ArgumentError, match=problem) as error:
        LanguageModel(lambda question: "hm").action(game)
    sentence_of(error.value)
    merchant = LanguageModel(lambda question: "hm", LanguageModelSettings(on_error="merchant", retries=0))
    assert merchant.action(game) == load_agent("merchant").action(game)
    assert merchant.usage() == {"decisions": 1, "requests": 1, "unreadable": 1, "fallbacks": 1}
    lost = LanguageModel(lambda question: "hm", LanguageModelSettings(on_error="random", retries=0))
    lost.reset(5)
    first = lost.action(game)
    lost.reset(5)
    assert lost.action(game) == first


def test_waits_grow_with_failures_or_are_those_that_the_endpoint_names(no_waiting: list[float]) -> None:
    failures = [ModelFailure("it is busy"), ModelFailure("it is busy", wait=7.0), ModelFailure("it is busy", wait=1e5)]

    def model(question: Question) -> Reply:
        if failures:
            raise failures.pop(0)
        return Reply("Action: 0", 10, 2)

    player = LanguageModel(model, LanguageModelSettings(retries=3, timeout=30.0, input_price=1e5, output_price=1e6))
    assert player.action(Game(2, seed=1)) == 0
    assert no_waiting == [0.5, 7.0, 30.0]
    assert player.usage() == {
        "decisions": 1, "requests": 4, "input_tokens": 10, "output_tokens": 2, "cost": 3.0, "failed": 3,
    }  # fmt: skip


def test_answers_that_came_are_kept_when_another_row_fails() -> None:
    """A batch asks for each row again when a call fails: nobody pays twice, and only the game that failed is lost."""
    states: list[bytes] = []

    def model(question: Question) -> str:
        states.append(question.state.tobytes())
        return "no" if len(states) == 8 else f"Action: {question.choices[0].number}"

    failures: list[int] = []
    player = LanguageModel(model, LanguageModelSettings(retries=0, parallel=1))
    batch = Batch(
        6, 2, seat="none", opponents=[player, "random"], autoreset="disabled",
        on_failure=lambda failure: failures.append(failure.lane),
    )  # fmt: skip
    batch.reset(np.arange(6))
    assert batch.arrays.lanes["ended"].all()
    assert len(failures) == player.usage()["unreadable"] == 1
    assert len(states) == len(set(states)) == player.usage()["requests"]


# Endpoints


def test_an_endpoint_is_asked_as_its_kind_expects(folder: Path, server: ChatServer) -> None:
    player = endpoint(folder, server, "rules = false", 'key = "MY_KEY"\n[endpoint.request]\ntemperature = 0.5')
    game = Game(3, seed=2)
    assert ACTION_TEXTS[player.action(game)] == "place 1"
    assert server.paths == ["/v1/chat/completions"]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    (body,) = server.bodies
    assert (body["model"], body["temperature"]) == ("small", 0.5)
    assert body["messages"] == Question(state_of(game), views_of(game).observations[0], rules=False).messages
    assert player.usage() == {"decisions": 1, "requests": 1, "input_tokens": 1000, "output_tokens": 5}


def test_the_spec_can_name_another_model(folder: Path, server: ChatServer) -> None:
    endpoint(folder, server)
    player = load_agent("llm:gpt.toml,model=large:70b")
    player.action(Game(2, seed=1))
    assert (server.bodies[0]["model"], player.name) == ("large:70b", "llm:gpt.toml,model=large:70b")


@pytest.mark.parametrize(
    "bad",
    [
        answer({"error": {"message": "overloaded"}}, 503),
        answer({"error": "slow down"}, 429, Retry_After="2"),
        answer([1, 2]),
        answer({"choices": []}),
        (200, {}, b"<html>"),
        (200, {}, b"[" * 100_000),
        (200, {"Content-Length": "500"}, b"{}"),
        (200, {}, b" " * (1 << 20) + b"{}"),
    ],
    ids=["503", "429", "list", "no choices", "html", "deep", "short", "long"],
)
def test_an_endpoint_that_fails_is_asked_again(folder: Path, server: ChatServer, bad: Any) -> None:
    server.answer_in_turn(bad, chat([{"type": "text", "text": "Action: 2"}], cost=0.25))  # type: ignore[arg-type]
    player = endpoint(folder, server)
    assert ACTION_TEXTS[player.action(Game(2, seed=1))] == "place 2"
    assert player.usage()["failed"] == 1
    assert player.usage()["cost"] == 0.25


@pytest.mark.parametrize("status", [301, 307, 400, 401, 404])
def test_a_request_that_is_refused_for_good_is_an_error_that_hides_the_key(
    folder: Path, server: ChatServer, status: int
) -> None:
    """Whatever `on_error` says: a wrong key must not become a thousand random moves."""
    refusal = {"error": {"message": f"wrong\nkey {KEY}!"}}
    server.answers = lambda body: answer(refusal, status, Location=f"{server.url}/x")
    player = endpoint(folder, server, 'on_error = "random"')
    with pytest.raises(ArgumentError, match=f"status {status}: wrong key \\*\\*\\*!") as error:
        player.action(Game(2, seed=1))
    assert KEY not in sentence_of(error.value)
    with pytest.raises(ArgumentError, match=f"status {status}"):
        player.action(Game(2, seed=2))
    assert len(server.paths) == 1, "a redirect could carry the key to another host, and asking again mends nothing"


def test_an_endpoint_that_is_silent_or_gone_is_given_up(folder: Path, server: ChatServer) -> None:
    gate = threading.Event()

    def silent(body: dict[str, Any]) -> Any:
        gate.wait(10)
        return chat("Action: 1")

    server.answers = silent
    player = endpoint(folder, server, "timeout = 0.05\nretries = 1")
    try:
        with pytest.raises(ArgumentError, match=r"at last it did not answer in 0\.05 s"):
            player.action(Game(2, seed=1))
    finally:
        gate.set()
    server.url = "http://127.0.0.1:9/v1"
    with pytest.raises(ArgumentError, match="at last it cannot be reached: "):
        endpoint(folder, server, "retries = 0").action(Game(2, seed=1))


def test_neither_copies_nor_pickles_hold_the_key_and_both_play(folder: Path, server: ChatServer) -> None:
    player = endpoint(folder, server)
    player.action(Game(2, seed=1))
    pickled = pickle.dumps(player)
    assert KEY.encode() not in pickled and KEY not in repr(vars(player)) + repr(vars(player._model))
    for twin in (pickle.loads(pickled), copy.deepcopy(player)):
        assert ACTION_TEXTS[twin.action(Game(2, seed=1))] == "place 1"
        assert twin.usage()["decisions"] == 2
    assert player.usage()["decisions"] == 1


# Programs


def test_a_program_keeps_running_and_ends_with_its_player(folder: Path) -> None:
    player = program(folder, ANSWERING)
    game = Game(2, seed=1)
    pids = []
    for _ in range(3):
        before = player.usage().get("output_tokens", 0)
        assert ACTION_TEXTS[player.action(game)] == game.legal()[-1]
        pids.append(int(player.usage()["output_tokens"] - before))
    assert len(set(pids)) == 1
    twin = copy.deepcopy(player)
    twin.action(game)
    assert twin.usage()["output_tokens"] != 4 * pids[0]
    del player, twin
    gc.collect()
    with pytest.raises(OSError):
        os.kill(pids[0], 0)


def test_a_program_for_texts_gets_the_prompt_and_prints_its_answer(folder: Path) -> None:
    code = "import sys; prompt = sys.stdin.read(); print('Hm.\\nAction:', 2 if 'Draw pile' in prompt else 0)"
    assert ACTION_TEXTS[program(folder, code, format="text").action(Game(2, seed=1))] == "place 2"


@pytest.mark.parametrize(
    ("code", "format", "part"),
    [
        ("import sys; sys.exit(3)", "json", "it ended with exit code 3"),
        ("import sys; sys.exit(3)", "text", "it ended with exit code 3"),
        ("input(); print('no json', flush=True); input()", "json", "is not JSON"),
        ("input(); print('{}', flush=True); input()", "json", "neither an action nor a text"),
        ("""input(); print('{"error": "no credit"}', flush=True); input()""", "json", 'the error "no credit"'),
        ("input(); print('x' * 2_000_000, flush=True); input()", "json", "more than 1 MB"),
        ("import sys; sys.stdin.close(); print('x' * 2_000_000)", "text", "more than 1 MB"),
        ("import sys; sys.stdin.read()", "json", "did not answer in 0.5 s"),
        ("import threading; threading.Event().wait()", "text", "did not answer in 0.5 s"),
    ],
)
def test_a_program_that_fails_is_given_up_in_one_sentence(folder: Path, code: str, format: str, part: str) -> None:
    timeout = "0.5" if "0.5" in part else "60"
    player = program(folder, code, f"retries = 0\ntimeout = {timeout}", format)
    with pytest.raises(ArgumentError) as error:
        player.action(Game(2, seed=1))
    assert part in sentence_of(error.value)
    assert player.usage()["failed"] == 1


def test_a_program_that_cannot_be_started_is_named(folder: Path) -> None:
    (folder / "own.toml").write_text('on_error = "random"\n[command]\nprogram = ["no-such-program"]\n')
    with pytest.raises(ArgumentError, match='"no-such-program" cannot be started: there is no such file') as error:
        load_agent("llm:own.toml").action(Game(2, seed=1))
    sentence_of(error.value)


# Settings and specs


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "must have one of the tables [endpoint] and [command]"),
        ('[endpoint]\nurl = "http://x"\nmodel = "m"\n[command]\nprogram = ["x"]', "must have one of the tables"),
        ("endpoint = 3", "endpoint=3: must be a table"),
        ('[endpoint]\nmodel = "m"', "[endpoint]: url is missing"),
        ('[endpoint]\nurl = "ftp://x"\nmodel = "m"', "must be an http or https address"),
        ('[endpoint]\nurl = "http://me:pw@x"\nmodel = "m"', "without a user name"),
        ('[endpoint]\nurl = "http://x:port"\nmodel = "m"', "must be an http or https address"),
        ('[endpoint]\nurl = "http://x"\nmodel = ""', "must be a model's name"),
        ('[endpoint]\nurl = "http://x"\nmodel = "m"\nkey = "sk-123"', "the name of an environment variable"),
        ('[endpoint]\nurl = "http://x"\nmodel = "m"\nkey = "NOT_SET_HERE"', "an environment variable that is set"),
        ('[endpoint]\nurl = "http://x"\nmodel = "m"\nrequest = {stream = true}', "a table without messages"),
        ("[command]\nprogram = []", "a program and its arguments"),
        ('[command]\nprogram = "python mine.py"', "a list of texts"),
        ('[command]\nprogram = ["x"]\nformat = "xml"', "json or text"),
        ('timout = 3\n[command]\nprogram = ["x"]', 'did you mean "timeout"?'),
        ('timeout = 0\n[command]\nprogram = ["x"]', "a number 0.01..86,400"),
        ('retries = true\n[command]\nprogram = ["x"]', "a whole number 0..100"),
        ('on_error = "merchnat"\n[command]\nprogram = ["x"]', 'did you mean "merchant"?'),
        ('on_error = "llm:own.toml"\n[command]\nprogram = ["x"]', "llm is named on the command line"),
        ('on_error = "mine.py:Me"\n[command]\nprogram = ["x"]', "on_error"),
        ('on_error = "human"\n[command]\nprogram = ["x"]', "a player that always answers"),
        ("[command", "is not TOML"),
    ],
)
def test_wrong_settings_are_refused_in_one_sentence(folder: Path, text: str, part: str) -> None:
    (folder / "own.toml").write_text(text)
    with pytest.raises(ArgumentError) as error:
        load_agent("llm:own.toml")
    message = str(error.value)
    assert part in message and "\n" not in message and "own.toml" in message


@pytest.mark.parametrize("spec", ["llm", "llm:", "llm:none.toml", "llm:a.toml,b.toml", "llm:a.toml,temperature=1"])
def test_a_wrong_spec_is_refused(folder: Path, spec: str) -> None:
    with pytest.raises(ArgumentError):
        load_agent(spec)


@pytest.mark.parametrize("spec", ["llm", "llm:mine", "llm:mine.toml", "llm:mine,model=small"])
def test_no_record_no_recipe_and_no_page_can_name_a_language_model(spec: str) -> None:
    with pytest.raises(
        ArgumentError, match="must be a player that reads no file; llm is named on the command"
    ) as error:
        check_untrusted(spec, "seats[0]", largest=100, trusted_from="with --against")
    sentence_of(error.value)
    with pytest.raises(ArgumentError):
        OfferedPlayers().check_spec(spec, "seats[0]")
    with pytest.raises(ArgumentError, match="llm is named on the command line"):
        load_recipe("demo").changed(run={"evaluation_opponents": [spec]})
    assert not any("llm" in str(offer["spec"]) for offer in OfferedPlayers().offers())
    assert OfferedPlayers([spec]).check_spec(spec, "seats[0]") == spec, "the command line may name it"


# Where it plays


def test_the_arena_counts_what_was_used_in_its_workers_and_keeps_it(folder: Path) -> None:
    program(folder, ANSWERING.replace("os.getpid()", "3, 'input_tokens': 50"), "input_price = 1000\nlog = 'log.jsonl'")
    options = {"deals": 1, "mirrors": False, "timeout": 60.0, "isolated": True, "plots": False, "replicates": 10}
    results = arena(["llm:own.toml", "random"], 2, output=folder / "run", **options)
    (used,) = results.summary["usage"].values()
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert used["decisions"] == used["requests"] == len(lines) > 50
    assert used["input_tokens"] == 50 * len(lines) and used["cost"] == pytest.approx(0.05 * len(lines))
    assert all(line["answer"]["text"] == f"Action: {line['action']}" for line in lines)
    assert f"llm:own.toml: {usage_in_words(used)}." in " ".join(str(results).split())
    again = arena(["llm:own.toml", "random"], 2, output=folder / "run", **options)
    assert again.summary["usage"] == results.summary["usage"], "a run that is resumed keeps what it has counted"


def test_recording_says_what_was_used(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program(folder, ANSWERING.replace("os.getpid()", "3"))
    assert speicher("record", "--with", "llm:own.toml,random", "--seed", "1", "-o", "game.jsonl") == 0
    told = capsys.readouterr().err
    assert "llm:own.toml: " in told and " decisions, " in told and "tokens out" in told
    assert json.loads((folder / "game.jsonl").read_text())["seats"] == ["llm:own.toml", "random"]
