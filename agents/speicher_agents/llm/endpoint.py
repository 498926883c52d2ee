"""A model behind an OpenAI-compatible endpoint for chats, asked over HTTP."""

from __future__ import annotations

import http.client
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

from speicher_agents.llm.prompt import Question
from speicher_agents.llm.replies import MOST_BYTES, ModelFailure, Reply
from speicher_agents.llm.settings import EndpointSettings
from speicher_env.errors import ArgumentError
from speicher_env.messages import brief, must_be
from speicher_env.reading import parse_json, reason

__all__ = ["Endpoint", "amount", "whole"]

PATH = "/chat/completions"
AGAIN = frozenset({408, 409, 425, 429})
"""Statuses below 500 after which another attempt may help; others mean that the settings are wrong."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, which could carry the key to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Endpoint:
    """Answers questions by a model behind an endpoint."""

    def __init__(self, settings: EndpointSettings, timeout: float, where: str = "endpoint") -> None:
        """Check the key.

        Args:
            settings: The endpoint.
            timeout: Seconds for an answer.
            where: What messages call the settings.

        Raises:
            ArgumentError: If the environment variable of the key is not set.
        """
        self.settings, self.timeout, self.where = settings, timeout, where
        base = settings.url.rstrip("/")
        self.address = base if base.endswith(PATH) else base + PATH
        self._key()

    def __call__(self, question: Question) -> Reply:
        """Ask the model.

        Raises:
            ModelFailure: If it cannot be reached, takes too long, or answers with something else than a chat.
            ArgumentError: If the endpoint refuses the request for good.
        """
        body = {"model": self.settings.model, "messages": question.messages, **self.settings.request}
        headers = {"Content-Type": "application/json", "User-Agent": "speicher-env"}
        if self.settings.key:
            headers["Authorization"] = f"Bearer {self._key()}"
        request = urllib.request.Request(self.address, json.dumps(body).encode(), headers, method="POST")
        try:
            with urllib.request.build_opener(_NoRedirects).open(request, timeout=self.timeout) as response:
                content = _read(response, time.monotonic() + self.timeout)
        except urllib.error.HTTPError as error:
            with error:
                raise self._refusal(error) from None
        except TimeoutError:
            raise ModelFailure(f"it did not answer in {self.timeout:g} s") from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            cause = getattr(error, "reason", error)
            if isinstance(cause, TimeoutError):
                raise ModelFailure(f"it did not answer in {self.timeout:g} s") from None
            raise ModelFailure(f"it cannot be reached: {self._without_key(_words(cause))}") from None
        return _reply(parse_json(content, "its answer", "a chat in JSON", ModelFailure))

    def _key(self) -> str:
        """The key, from the environment at the moment it is needed, so that it is stored nowhere."""
        name = self.settings.key
        key = os.environ.get(name, "") if name else ""
        if name and not (key and key.isascii() and key.isprintable()):
            allowed = "an environment variable that is set to the endpoint's key"
            raise ArgumentError(must_be("key", name, allowed, self.where))
        return key

    def _refusal(self, error: urllib.error.HTTPError) -> Exception:
        """What an answer with a status of an error means."""
        try:
            content = error.read(MOST_BYTES).decode("utf-8", "replace")
        except (OSError, http.client.HTTPException):
            content = ""
        message = self._without_key(_message(content) or str(error.reason))
        problem = f"answered with status {error.code}{': ' * bool(message)}{message}"
        if error.code >= 500 or error.code in AGAIN:
            after = error.headers.get("Retry-After", "")
            return ModelFailure(f"it {problem}", float(after) if after.isdecimal() and len(after) < 6 else None)
        return ArgumentError(f"{self.where}: the endpoint {self.address} {problem.rstrip('.')}.")

    def _without_key(self, words: str) -> str:
        """Words of the endpoint for a message: on one line, short, and without the key."""
        key = self._key()
        line = " ".join(words.split())
        return brief(line.replace(key, "***") if key else line)


def _read(response: Any, deadline: float) -> bytes:
    """The content of a response that ends in time and is not too long."""
    parts, size = [], 0
    while part := response.read1(1 << 16):
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            raise ModelFailure(f"it answered with more than {MOST_BYTES >> 20} MB")
        if time.monotonic() > deadline:
            raise TimeoutError
    return b"".join(parts)


def _words(cause: object) -> str:
    return reason(cause) if isinstance(cause, BaseException) else str(cause)


def _message(content: str) -> str:
    """The message in the body of an error, as OpenAI and those like it have it; else the body."""
    try:
        body = json.loads(content)
        error = body.get("error", body) if isinstance(body, dict) else body
        message = error.get("message", error) if isinstance(error, dict) else error
        return message if isinstance(message, str) else content
    except (ValueError, RecursionError):
        return content


def _reply(chat: Mapping[str, Any]) -> Reply:
    """The answer in a chat completion."""
    try:
        content = chat["choices"][0]["message"]["content"]
    except (LookupError, TypeError):
        raise ModelFailure("it answered with JSON that has no choices[0].message.content") from None
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    usage = chat.get("usage")
    usage = usage if isinstance(usage, Mapping) else {}
    cost = usage.get("cost")
    return Reply(
        content if isinstance(content, str) else "",
        whole(usage.get("prompt_tokens")),
        whole(usage.get("completion_tokens")),
        amount(cost),
    )


def whole(value: object) -> int:
    """A count that somebody else has given; 0 for anything that is not one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else 0


def amount(value: object) -> float | None:
    """An amount of money that somebody else has given; None for anything that is not one."""
    number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12
    return float(value) if number else None  # type: ignore[arg-type]
