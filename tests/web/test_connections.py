"""Connections that send nothing, and more requests than are answered at a time: the owner of the page plays on."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import pytest

from speicher_apps.web import connections, server
from speicher_apps.web.app import Queue
from speicher_apps.web.security import Refusal
from tests.support.served import HOST, Served, serving


@pytest.fixture
def silent(served: Served) -> Iterator[Any]:
    """Opens connections that send these bytes and nothing more."""
    with contextlib.ExitStack() as stack:

        def connect(count: int, start: bytes = b"") -> list[socket.socket]:
            made = [
                stack.enter_context(socket.create_connection((HOST, served.port), timeout=20)) for _ in range(count)
            ]
            for one in made:
                one.sendall(start)
            return made

        yield connect


def _play(served: Served, moves: int = 3) -> None:
    game = served.deal(["human", "human"])
    for at in range(moves):
        assert served.post(f"games/{game['id']}/play", {"at": at, "action": "place 0"})["at"] == at + 1


@pytest.mark.parametrize(
    "start", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n", b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n"]
)
def test_silent_connections_do_not_shut_the_owner_out(served: Served, silent: Any, start: bytes) -> None:
    silent(60, start)
    _play(served)


def test_more_connections_than_are_kept_give_way_to_new_ones(
    served: Served, silent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 10)
    first = silent(1)[0]
    silent(20)
    _play(served)
    with contextlib.suppress(ConnectionResetError):
        assert first.recv(1) == b"", "the oldest is closed"


def test_a_silent_connection_is_closed_and_one_that_drips_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SILENT_SECONDS", 0.2)
    with serving(tmp_path) as served, socket.create_connection((HOST, served.port), timeout=20) as one:
        with contextlib.suppress(OSError):
            while True:
                one.sendall(b"X")  # never a whole header
                one.settimeout(0.05)
                with contextlib.suppress(TimeoutError):
                    assert one.recv(1) == b""
                    break
        served.get("lobby")


def test_hundreds_of_requests_at_once_leave_the_owners_moves_answered(served: Served, silent: Any) -> None:
    silent(40)
    game = served.deal(["human", "human"])
    statuses: list[int] = []

    def look() -> None:
        with contextlib.suppress(OSError):  # what finds no room is closed
            statuses.append(served.ask(f"/api/games/{game['id']}").status)

    threads = [threading.Thread(target=look) for _ in range(200)]
    for thread in threads:
        thread.start()
    _play(served, 5)
    for thread in threads:
        thread.join()
    assert set(statuses) <= {200, 503} and 200 in statuses


def test_a_busy_server_refuses_with_the_security_headers(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(*arguments: Any) -> None:
        raise Refusal(503, "the server is busy: try again in a moment")

    monkeypatch.setattr(Queue, "run", full)
    answer = served.ask("/api/lobby")
    assert answer.status == 503 and "busy" in answer.json["error"]
    assert answer.headers["x-frame-options"] == "DENY" and answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["connection"] == "close" and answer.headers["retry-after"] == "1"


def test_a_full_queue_refuses_at_once_and_takes_the_next_when_it_is_free() -> None:
    queue, free, inside = Queue(1, 1), threading.Event(), threading.Event()

    def wait() -> str:
        inside.set()
        assert free.wait(20)
        return "done"

    async def main() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(queue.run, wait)
            group.start_soon(queue.run, wait)
            await anyio.to_thread.run_sync(inside.wait, 20)
            with pytest.raises(Refusal, match="busy"):
                await queue.run(wait)
            free.set()
        assert await queue.run(wait) == "done"

    with ThreadPoolExecutor(1) as thread:  # the browser tests keep an event loop in this one
        thread.submit(anyio.run, main).result(20)


def test_the_browser_is_started_with_a_private_file_and_never_with_the_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []

    def browser(address: str) -> None:
        path = Path(address.removeprefix("file://"))
        assert stat.S_IMODE(path.stat().st_mode) == 0o600 and path.stat().st_uid == os.getuid()
        content = path.read_text(encoding="utf-8")
        token = capsys.readouterr().out.split("/")[3]
        assert f"/{token}/" in content and token not in address
        opened.append(address)

    class Stopped:
        def __init__(self, config: object) -> None: ...

        def run(self, sockets: object) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr(server.webbrowser, "open", browser)
    monkeypatch.setattr(server.uvicorn, "Server", Stopped)
    server.run(None, "standard", None, "127.0.0.1", 0, True, tmp_path / "games", None)
    assert len(opened) == 1 and opened[0].startswith("file://")
    assert list((tmp_path / "games").iterdir()) == [], "the file is removed at the end"


def test_an_address_in_the_file_for_the_browser_is_escaped(tmp_path: Path) -> None:
    with server.launcher('http://x/"><script>', tmp_path) as path:
        assert "<script>" not in path.read_text(encoding="utf-8")
