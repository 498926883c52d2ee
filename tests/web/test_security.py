"""Who is refused by the server of the page: foreign hosts and origins, no token, too much, and what is none of ours."""

from __future__ import annotations

import json
import socket
from importlib import resources
from pathlib import Path

import pytest

from speicher_apps.web.security import own_hosts
from speicher_env import Game
from tests.support.served import HOST, TOKEN, Served

HUGE = 5_000_000


def _headers(served: Served, **headers: str | None) -> dict[str, str | None]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8421", "127.0.0.1.evil.example", "0.0.0.0", "[::2]", "", "["]
)
def test_a_foreign_host_is_refused(served: Served, host: str) -> None:
    answer = served.ask("/api/lobby", headers={"Host": host})
    assert answer.status in (400, 403), answer.body


def test_a_request_without_or_with_two_hosts_is_refused(served: Served) -> None:
    for hosts in ("", f"Host: {HOST}\r\nHost: evil.example\r\n"):
        with socket.create_connection((HOST, served.port), timeout=10) as raw:
            raw.sendall(f"GET /{TOKEN}/api/lobby HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n".encode())
            assert raw.recv(100).split()[1] in (b"400", b"403")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1234", "127.0.0.1", "[::1]:8421"])
def test_the_names_of_this_machine_are_answered(served: Served, host: str) -> None:
    assert served.ask("/api/lobby", headers={"Host": host}).status == 200


def test_a_server_told_to_listen_everywhere_answers_to_addresses_but_not_to_foreign_names() -> None:
    is_own = own_hosts("0.0.0.0")
    assert is_own("192.0.2.7") and is_own("localhost") and is_own(socket.gethostname().lower())
    assert not is_own("evil.example")
    assert own_hosts("table.example")("table.example") and not own_hosts("table.example")("192.0.2.7")


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1", ""]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_foreign_origin_is_refused(served: Served, origin: str, method: str) -> None:
    body = None if method == "GET" else {"seats": ["human", "human"]}
    path = "/api/lobby" if method == "GET" else "/api/games"
    assert served.ask(path, body, headers={"Origin": origin.format(port=served.port)}).status == 403


def test_the_own_origin_is_answered(served: Served) -> None:
    assert served.ask("/api/lobby", headers={"Origin": f"http://{HOST}:{served.port}"}).status == 200


@pytest.mark.parametrize(
    "token", ["", "/", "/wrong", f"/{TOKEN}x", f"/{TOKEN[:-1]}", f"//{TOKEN}", f"/x/{TOKEN}", f"/{TOKEN.upper()}"]
)
def test_a_missing_or_wrong_token_is_refused(served: Served, token: str) -> None:
    answer = served.ask("/api/lobby", token=token)
    assert answer.status == 403
    assert TOKEN not in answer.body.decode()


def test_nothing_is_served_without_the_token(served: Served) -> None:
    for path in ("/", "/static/app.js", "/favicon.ico", "/robots.txt"):
        assert served.ask(path, token="").status == 403


def test_a_body_that_declares_too_much_is_refused_unread(served: Served) -> None:
    answer = served.ask("/api/games", b"{}", headers={"Content-Length": str(HUGE)})
    assert answer.status == 413
    assert served.ask("/api/games", b"{}", headers={"Content-Length": "9" * 30}).status in (400, 413)


@pytest.mark.parametrize(("path", "size"), [("/api/games", 5_000), ("/api/open", 1_100_000)])
def test_an_oversized_body_is_refused(served: Served, path: str, size: int) -> None:
    assert served.ask(path, b" " * size).status == 413


def test_an_oversized_body_in_chunks_is_refused(served: Served) -> None:
    with socket.create_connection((HOST, served.port), timeout=10) as raw:
        raw.sendall(
            f"POST /{TOKEN}/api/games HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\n"
            "Transfer-Encoding: chunked\r\n\r\n".encode()
        )
        raw.sendall(b"2000\r\n" + b" " * 0x2000 + b"\r\n")
        assert raw.recv(100).split()[1] == b"413"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"[" * 4000,
        b'{"seats": "human"}',
        b'{"seats": ["human"]}',
        b'{"seats": ["human", 7]}',
        b'{"seats": ["human", "human", "human", "human", "human", "human"]}',
        b'{"seats": ["human", "human"], "deck": "../../etc/passwd"}',
        b'{"seats": ["human", "human"], "deck": 3}',
        b'{"seats": ["human", "human"], "seed": "-1"}',
        b'{"seats": ["human", "human"], "seed": "18446744073709551616"}',
        b'{"seats": ["human", "human"], "seed": 7}',
        b'{"seats": ["human", "human"], "more": 1}',
        b'{"seats": ["human", "\\ud800"]}',
        b'{"seats": ["human", "human"], "deck": "\\udfff"}',
        b'{"seats": ["human", "human"], "seed": "\\ud800"}',
        b'{"seats": ["human", "human"], "\\ud800": 1}',
        b'{"seats": ["human", "human"], "seed": ' + b"9" * 4000 + b"}",
    ],
)
def test_a_malformed_body_is_refused_with_one_sentence(served: Served, body: bytes) -> None:
    answer = served.ask("/api/games", body)
    assert answer.status == 400
    assert list(answer.json) == ["error"] and "\n" not in answer.json["error"]


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_what_a_foreign_form_can_send_is_refused(served: Served, kind: str | None) -> None:
    answer = served.ask("/api/games", {"seats": ["human", "human"]}, headers={"Content-Type": kind})
    assert answer.status == 415


@pytest.mark.parametrize(
    "spec",
    [
        "os:system",
        "tests/support/quick_player.py:Quick",
        "/etc/passwd:X",
        "mcts:rollout=../x",
        "mcts:999999999",
        "mcts:9_999_999_999",
        "flat:2_0_0_0_1",
        "mcts:ms=inf",
        "mcts:ms=1e9",
        "human:hints=x",
        "nobody",
        "x" * 100,
        "",
    ],
)
def test_a_page_cannot_name_a_player_by_a_path_a_module_or_without_bounds(served: Served, spec: str) -> None:
    assert served.ask("/api/games", {"seats": ["human", spec]}).status == 400
    game = served.deal()
    assert served.ask(f"/api/games/{game['id']}/hint", {"at": 0, "spec": spec}).status == 400
    assert served.ask(f"/api/games/{game['id']}/seats", {"seats": [spec, "human"]}).status == 400


@pytest.mark.parametrize("field", ["action", "spec"])
def test_half_a_surrogate_pair_is_refused_in_a_move_and_in_a_hint(served: Served, field: str) -> None:
    path = f"/api/games/{served.deal(['human', 'human'])['id']}"
    body = b'{"at": 0, "%s": "\\ud800"}' % field.encode()
    answer = served.ask(f"{path}/{'play' if field == 'action' else 'hint'}", body)
    assert answer.status == 400 and "surrogate" in answer.json["error"]


@pytest.mark.parametrize("field", ["deck", "seats", "think"])
def test_half_a_surrogate_pair_in_a_record_is_refused_or_harmless(served: Served, field: str) -> None:
    record = {**Game(2, seed=3).to_record(), "seats": ["human", "human"]}
    record |= {"deck": {"deck": "\ud800"}, "seats": {"seats": ["human", "\ud800"]}, "think": {"think": "\ud800"}}[field]
    assert served.ask("/api/open", record).status in (200, 400)
    assert served.ask("/api/lobby").status == 200


@pytest.mark.parametrize("spec", ["own.py:Mine", "own:Mine", "mcts:9_999_999_999", "baseline:own.json"])
def test_a_stored_game_that_a_stranger_wrote_runs_no_code(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str
) -> None:
    (tmp_path / "own.py").write_text("open('it_ran', 'w')\nclass Mine:\n    def act(self, views): ...\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    record = {**Game(2, seed=3).to_record(), "seats": [spec, spec]}
    (served.state.sessions.storage.folder / "00000000deadbeef.json").write_text(json.dumps(record))
    assert served.get("games/00000000deadbeef")["seats"] == [spec, spec]
    answer = served.ask("/api/games/00000000deadbeef/advance", {"at": 0})
    assert answer.status == 400 and answer.json["error"].startswith("player")
    assert not (tmp_path / "it_ran").exists()
    served.post("games/00000000deadbeef/remove", {})


@pytest.mark.parametrize("spec", ["baseline:{}", "baseline:baseline={}", "guided:9,baseline={}", "mcts:9,rollout={}"])
@pytest.mark.parametrize("file", ["2p.json", "2p.safetensors"])
def test_a_page_cannot_name_a_network_by_a_file(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str, file: str
) -> None:
    for packaged in (resources.files("speicher_agents.baselines") / "weights").iterdir():
        if packaged.name.startswith("2p."):
            (tmp_path / packaged.name).write_bytes(packaged.read_bytes())
    monkeypatch.chdir(tmp_path)
    answer = served.ask("/api/games", {"seats": ["human", spec.format(file)]})
    assert answer.status == 400 and ": must be a plain word" in answer.json["error"]


@pytest.mark.parametrize("game", ["0000000000000000", "x", "..", "%2e%2e", "%2e%2e%2f%2e%2e%2fetc", "%00", "a" * 5000])
def test_an_unknown_game_is_refused(served: Served, game: str) -> None:
    for answer in (
        served.ask(f"/api/games/{game}"),
        served.ask(f"/api/games/{game}/record"),
        served.ask(f"/api/games/{game}/play", {"at": 0, "action": "place 0"}),
        served.ask(f"/api/games/{game}/remove", {}),
    ):
        assert answer.status == 404, answer.body


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static//etc/passwd",
        "/static/....//app.py",
        "/static/app.js%00.css",
        "/static/",
        "/static",
        "/../pyproject.toml",
        "//etc/passwd",
        "/api/games/../../static/app.js",
        "/static\\..\\app.py",
        "/api",
    ],
)
def test_no_path_reaches_the_file_system(served: Served, path: str) -> None:
    assert served.ask(path).status == 404


def test_a_game_file_beside_the_shelf_is_not_reached(served: Served) -> None:
    folder = served.state.sessions.storage.folder
    (folder.parent / "0123456789abcdef.json").write_text("{}")
    assert served.ask("/api/games/..%2f0123456789abcdef").status == 404


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH"])
def test_other_methods_are_refused(served: Served, method: str) -> None:
    answer = served.ask("/api/games", method=method)
    assert answer.status == 405
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("path", ["/", "/static/app.js", "/api/lobby", "/nothing"])
def test_every_answer_forbids_scripts_frames_and_requests_elsewhere(served: Served, path: str) -> None:
    headers = served.ask(path).headers
    policy = headers["content-security-policy"]
    for rule in ("default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"):
        assert rule in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"
    assert "server" not in headers


def test_a_failing_player_is_told_in_one_sentence_and_the_game_stays(served: Served) -> None:
    game = served.deal(["tests.support.quick_player:Broken", "human"], seed="3")
    while game["yours"]:
        game = served.post(f"games/{game['id']}/play", {"at": game["at"], "action": game["legal"][0]})
    answer = served.ask(f"/api/games/{game['id']}/advance", {"at": game["at"]})
    assert answer.status == 400 and "no idea" in answer.json["error"]
    assert served.get(f"games/{game['id']}")["at"] == game["at"]


def test_the_games_are_for_their_users_eyes_only(served: Served) -> None:
    game = served.deal()
    file: Path = served.state.sessions.storage.folder / f"{game['id']}.json"
    assert file.stat().st_mode & 0o077 == 0
    assert json.loads(file.read_text())["seats"] == game["seats"]
