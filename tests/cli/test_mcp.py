"""`speicher mcp`: games as tools. The tools are tested as functions, the server with the package's own client."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from speicher_apps.mcp.games import MOST_GAMES, Games
from speicher_apps.mcp.tools import Output, tools
from speicher_env import ArgumentError, Game, check_record
from speicher_env.render.text import text
from tests.support.command import speicher

needs_mcp = pytest.mark.skipif(find_spec("mcp") is None, reason="the extra [mcp] is not installed")

SEED = 123_456_789_123
ALL = {
    "rules", "players", "new_game", "position", "position_json", "legal_actions", "play", "undo", "advice", "games",
    "end_game", "record",
}  # fmt: skip


class Client:
    """Calls tools as functions."""

    def __init__(self, games: Games | None = None) -> None:
        self.tools = {tool.name: tool for tool in tools(games or Games())}

    def __call__(self, name: str, **arguments: Any) -> Output:
        return self.tools[name].call(arguments)


@pytest.fixture
def call() -> Client:
    return Client()


def played_out(call: Client, game: str | None = None) -> Output:
    """Play the first legal action until the game is over."""
    given = {} if game is None else {"game": game}
    output = call("position", **given)
    while output.data is not None and not output.data["over"]:
        output = call("play", action=output.data["legal"][0], **given)
    return output


# Playing


def test_a_game_is_played_to_its_end_in_words_and_in_data(call: Client) -> None:
    first = call("new_game", players=3, seat=1, opponents=["merchant", "frugal"], seed=SEED)
    assert first.data is not None and first.data["seats"] == ["frugal", "human", "merchant"]
    assert first.data["player"] == 1 and "Seat 2 (you) places its 1st worker" in first.words
    for number, action in enumerate(first.data["legal"]):
        assert f"{number:4}. {action} - " in first.words
    last = played_out(call)
    assert last.data is not None and last.data["over"]
    assert "game-1 is over." in last.words and "in all" in last.words
    record = call("record").data
    assert record is not None and record["seats"] == ["frugal", "human", "merchant"]
    check_record(record)
    game = Game.from_record(record)
    assert (game.winners(), str(game.seed)) == (last.data["winners"], last.data["seed"])
    assert text(game.state, 1) in last.words


def test_what_happened_is_told_move_by_move(call: Client) -> None:
    call("new_game", players=2, seed=3, opponents=["merchant"])
    output = call("play", action="place 1")
    assert output.data is not None
    assert output.data["happened"][0].startswith("Seat 1 (you) places a worker above column 1")
    assert output.data["happened"][1].startswith("Seat 2 places a worker above column ")
    assert all(words in output.words for words in output.data["happened"])


@pytest.mark.parametrize("action", ["2", 2, "place 2", "Action: 2", "2. place 2"])
def test_an_action_is_named_by_its_number_or_its_text(call: Client, action: str | int) -> None:
    call("new_game", players=2, seed=3)
    output = call("play", action=action)
    assert output.data is not None and "column 2" in output.data["happened"][0]


def test_several_seats_can_be_the_clients(call: Client) -> None:
    output = call("new_game", players=2, opponents=["human"], seed=5)
    assert output.data is not None
    for _ in range(8):
        seat = output.data["player"]
        assert f"seat {seat + 1} (you)" in output.words
        output = call("play", action=output.data["legal"][-1])
        assert output.data is not None and len(output.data["happened"]) >= 1
    assert output.data["moves"] == 8


def test_undo_returns_to_the_clients_last_decision(call: Client) -> None:
    before = call("new_game", players=3, seed=5)
    call("play", action="place 0")
    back = call("undo")
    assert back.data == {key: value for key, value in (before.data or {}).items() if key != "happened"}
    with pytest.raises(ArgumentError, match="no move has been made"):
        call("undo")


def test_advice_is_that_of_the_player_in_words_and_as_an_action(call: Client) -> None:
    output = call("new_game", players=2, seed=5)
    assert output.data is not None
    advice = call("advice", player="mcts:50")
    assert advice.data is not None and advice.data["action"] in output.data["legal"]
    assert advice.words.startswith(f"mcts:50 plays '{advice.data['action']}'")
    assert "expects seat 1 (you)" in advice.words
    call("play", action=advice.data["action"])


def test_the_position_as_json_is_that_of_the_seat_to_move(call: Client) -> None:
    call("new_game", players=4, seed=5)
    output = call("position_json")
    assert output.data == json.loads(output.words)
    assert output.data["position"]["seats"][0]["decides"] and len(output.data["position"]["seats"]) == 4
    legal = call("legal_actions").data
    assert legal is not None and [each["action"] for each in legal["legal"]] == output.data["legal"]


def test_nothing_hidden_is_shown_before_the_end(call: Client) -> None:
    """Neither the seed, from which the deal follows, nor anything that depends on the order of the pile."""
    shown = [call("new_game", players=2, seed=SEED)]
    for _ in range(20):
        assert shown[-1].data is not None
        shown.append(call("play", action=shown[-1].data["legal"][0]))
        shown += [call(name) for name in ("position", "position_json", "legal_actions", "games", "advice")]
        shown.append(call("position"))
    assert not any(str(SEED) in output.words + json.dumps(output.data) for output in shown)
    with pytest.raises(ArgumentError, match="its record would show what is hidden"):
        call("record")


def test_games_are_bounded_and_named(call: Client) -> None:
    names = []
    for seed in range(MOST_GAMES):
        output = call("new_game", seed=seed)
        assert output.data is not None
        names.append(output.data["game"])
    with pytest.raises(ArgumentError, match="end one with end_game first"):
        call("new_game")
    call("play", action="place 0", game="game-2")
    listed = call("games").data
    assert listed is not None and [game["game"] for game in listed["games"]] == names
    assert [game["moves"] > 0 for game in listed["games"]][:3] == [False, True, False]
    call("end_game", game="game-2")
    output = call("new_game")
    assert output.data is not None and output.data["game"] == f"game-{MOST_GAMES + 1}"
    assert call("position").data == {key: value for key, value in output.data.items() if key != "happened"}


def test_every_player_that_is_listed_can_be_seated(call: Client) -> None:
    listed = call("players").data
    assert listed is not None
    specs = {player["spec"]: player["players"] for player in listed["players"]}
    assert "merchant" in specs and not any(spec.startswith(("llm", "human")) for spec in specs)
    for spec, counts in specs.items():
        call("new_game", players=counts[0], opponents=spec)
        call("end_game")


def test_the_deck_of_the_command_line_is_the_default(tmp_path: Path) -> None:
    shipped = Path(__file__).parents[2] / "speicher_env" / "deck" / "standard.toml"
    own = tmp_path / "mine.toml"
    own.write_text(re.sub(r'name = "standard"', 'name = "mine"', shipped.read_text(encoding="utf-8")))
    name = Game(2, own, 1).deck_name
    games = Games(str(own))
    call = Client(games)
    for arguments, played in ({}, name), ({"deck": "standard"}, "standard"):
        call("new_game", **arguments)
        assert games.get(None).game.deck_name == played != "sampled"


# Refusals


@pytest.mark.parametrize(
    ("name", "arguments", "part"),
    [
        ("position", {}, "there is no game: start one with new_game"),
        ("new_game", {"players": 6}, "must be 2, 3, 4 or 5"),
        ("new_game", {"players": 2.5}, "must be a whole number"),
        ("new_game", {"players": True}, "must be a whole number"),
        ("new_game", {"player": 3}, 'did you mean "players"?'),
        ("new_game", {"seat": 2}, "must be a seat 0..1"),
        ("new_game", {"seed": -1}, "0..2**64-1"),
        ("new_game", {"deck": "/etc/passwd"}, "must be standard or sampled"),
        ("new_game", {"opponents": ["merchant"] * 3}, "must be 1 player for all, or 1"),
        ("new_game", {"opponents": ["merchant"] * 9}, "must be a list of texts"),
        ("new_game", {"opponents": ["merchnat"]}, 'did you mean "merchant"?'),
        ("new_game", {"opponents": ["mine.py:Me"]}, "players of your own are named on the command line"),
        ("new_game", {"opponents": ["runs/x/baseline.json"]}, "on the command line"),
        ("new_game", {"opponents": ["llm:x.toml"]}, "on the command line"),
        ("new_game", {"opponents": ["mcts:1000000"]}, "must be at most"),
        ("new_game", {"opponents": ["m" * 5000]}, "of at most 200 characters"),
        ("rules", {"game": "x"}, "as this tool takes none"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_sentence(
    call: Client, name: str, arguments: dict[str, Any], part: str
) -> None:
    with pytest.raises(ArgumentError) as refused:
        call(name, **arguments)
    message = str(refused.value)
    assert part in message and "\n" not in message and len(message) < 500
    with pytest.raises(ArgumentError, match="there is no game"):
        call("position")


@pytest.mark.parametrize(
    ("name", "arguments", "part"),
    [
        ("play", {}, "action is missing"),
        ("play", {"action": "place 9"}, "legal are place 0, place 1 and place 2"),
        ("play", {"action": "buy"}, "'buy' is illegal: "),
        ("play", {"action": "x" * 201}, "at most 200 characters"),
        ("play", {"action": ["place 0"]}, "must be a text"),
        ("position", {"game": "game-9"}, "must be game-1"),
        ("advice", {"player": "human"}, "a player that decides by itself"),
        ("advice", {"player": "mine.py:Me"}, "on the command line"),
        ("advice", {"player": "baseline:3p"}, "3"),
    ],
)
def test_a_refused_call_leaves_the_game_as_it_is(call: Client, name: str, arguments: dict[str, Any], part: str) -> None:
    call("new_game", players=2, seed=1)
    before = call("position")
    with pytest.raises(ArgumentError) as refused:
        call(name, **arguments)
    assert part in str(refused.value) and "\n" not in str(refused.value)
    assert call("position") == before


def test_a_tool_can_be_left_out() -> None:
    assert {tool.name for tool in tools(Games())} == ALL
    assert {tool.name for tool in tools(Games(), advice=False, undo=False)} == ALL - {"advice", "undo"}


@pytest.mark.skipif(find_spec("mcp") is not None, reason="the extra [mcp] is installed")
def test_the_command_names_the_extra_that_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    assert speicher("mcp") == 2
    assert "pip install 'speicher-env[mcp]'" in capsys.readouterr().err


# The server


def with_client(errors: Path, code: str, use: Callable[[Any], Awaitable[None]]) -> str:
    """Use a server that runs some code through the package's own client; what the server wrote to stderr."""
    import anyio
    from mcp import Client as McpClient
    from mcp import StdioServerParameters, stdio_client

    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    server = StdioServerParameters(command=sys.executable, args=["-c", code], env=environment)

    async def main() -> None:
        with errors.open("w") as log:
            async with McpClient(stdio_client(server, errlog=log)) as client:
                await use(client)

    with ThreadPoolExecutor(1) as pool:  # browser tests leave an event loop running in the main thread
        pool.submit(anyio.run, main).result()
    return errors.read_text(encoding="utf-8")


COMMAND = "from speicher_apps.cli import main; main({})"


@needs_mcp
def test_a_client_plays_a_whole_game_over_stdio(tmp_path: Path) -> None:
    async def use(client: Any) -> None:
        listed = (await client.list_tools()).tools
        assert {tool.name for tool in listed} == ALL - {"advice"}
        assert all(tool.input_schema["additionalProperties"] is False for tool in listed)
        assert "new_game" in client.instructions
        result = await client.call_tool("new_game", {"players": 2, "opponents": ["random"], "seed": 8})
        decisions = 0
        while not result.structured_content["over"]:
            legal = await client.call_tool("legal_actions", {})
            number = legal.structured_content["legal"][0]["number"]
            result = await client.call_tool("play", {"action": str(number)})
            assert not result.is_error and result.content[0].text
            decisions += 1
        assert decisions > 20 and "is over" in result.content[0].text
        record = json.loads((await client.call_tool("record", {})).content[0].text)
        assert Game.from_record(record).winners() == result.structured_content["winners"]

    assert with_client(tmp_path / "errors", COMMAND.format(["mcp", "--no-advice"]), use) == ""


@needs_mcp
def test_errors_reach_the_client_as_one_sentence(tmp_path: Path) -> None:
    async def use(client: Any) -> None:
        for name, arguments, part in (
            ("play", {"action": "buy"}, "there is no game"),
            ("paly", {}, 'did you mean "play"?'),
            ("new_game", {"players": "two"}, "must be a whole number"),
            ("new_game", {"opponents": [1]}, "must be a list of texts"),
            ("new_game", {"opponents": ["x.py:Y"]}, "on the command line"),
        ):
            result = await client.call_tool(name, arguments)
            (content,) = result.content
            assert result.is_error and part in content.text and "\n" not in content.text
        assert not (await client.call_tool("rules", {})).is_error

    assert with_client(tmp_path / "errors", COMMAND.format(["mcp"]), use) == ""


@needs_mcp
def test_what_a_tool_prints_or_raises_never_gets_into_the_protocol(tmp_path: Path) -> None:
    code = """
import os, subprocess
from speicher_apps.mcp.server import run
from speicher_apps.mcp.tools import Output, Tool

def loud():
    print("printed", flush=True)
    os.write(1, b"written\\n")
    subprocess.run(["echo", "by a child"])
    return Output("fine")

run([Tool("loud", "Prints.", loud), Tool("broken", "Fails.", lambda: 1 / 0)])
"""

    async def use(client: Any) -> None:
        result = await client.call_tool("loud", {})
        assert result.content[0].text == "fine"
        result = await client.call_tool("broken", {})
        assert result.is_error and result.content[0].text.startswith("The server failed with ZeroDivisionError")
        assert (await client.call_tool("loud", {})).content[0].text == "fine"

    told = with_client(tmp_path / "errors", code, use)
    assert all(told.count(words) == 2 for words in ("printed", "written", "by a child"))
    assert "this is a bug in speicher-env" in told and "ZeroDivisionError: division by zero" in told


@needs_mcp
def test_the_server_ends_with_its_input_and_survives_lines_that_are_no_messages() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ended = subprocess.run(
        [sys.executable, "-c", COMMAND.format(["mcp"])], input=b"no json\n{}\n\xff\xfe\n" + b"[" * 10_000 + b"\n",
        capture_output=True, env=environment, check=False,
    )  # fmt: skip
    assert ended.returncode == 0 and b"Traceback" not in ended.stderr
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in ended.stdout.splitlines())


@needs_mcp
def test_the_example_plays_a_game(tmp_path: Path) -> None:
    command = tmp_path / "speicher"
    path = os.pathsep.join(filter(None, sys.path))
    code = COMMAND.format("")
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{path}" exec "{sys.executable}" -c "{code}" "$@"\n')
    command.chmod(0o755)
    example = Path(__file__).parents[2] / "training" / "examples" / "mcp_client.py"
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": path}
    told = subprocess.run(
        [sys.executable, example, "--seed", "3"], capture_output=True, text=True, env=environment, check=True
    ).stdout
    assert re.fullmatch(r"points \[-?\d+, -?\d+\], won by seats \[.*\]\n", told)
