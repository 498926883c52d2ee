"""A small HTTP server on this machine that answers chats as an OpenAI-compatible endpoint does."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], bytes]
"""Status, headers and body."""


def chat(text: str, tokens: tuple[int, int] = (1000, 5), **usage: float) -> Answer:
    """The answer of an endpoint with a model's text."""
    counts = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], **usage}
    return answer({"choices": [{"message": {"role": "assistant", "content": text}}], "usage": counts})


def answer(told: Any, status: int = 200, **headers: str) -> Answer:
    """An answer in JSON."""
    return status, headers, json.dumps(told).encode()


@dataclass
class ChatServer:
    """A server, and the requests that it got."""

    url: str = ""
    answers: Callable[[dict[str, Any]], Answer] = lambda body: chat("Action: 1")
    """Gives the answer to the body of a request."""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def answer_in_turn(self, *answers: Answer) -> None:
        """Give these answers, the last one from then on."""
        waiting = list(answers)
        self.answers = lambda body: waiting.pop(0) if len(waiting) > 1 else waiting[0]


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """A running server."""
    server = ChatServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.bodies.append(body)
            server.headers.append(dict(self.headers))
            server.paths.append(self.path)
            status, headers, content = server.answers(body)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, *_: Any) -> None:
            """A client that has gone is no news."""

    with Quiet(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        server.url = f"http://127.0.0.1:{http.server_port}/v1"
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()
