"""The settings of a language model as a player, and the TOML file that holds them.

To add a setting, add a field here and read it where it is used. Messages and the documentation follow from the fields.
"""
# ruff: noqa: RUF009 - the functions that make fields return a new one with each call

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

from speicher_env.errors import ArgumentError
from speicher_env.messages import field_must_be, must_be, one_of
from speicher_env.reading import path_shown, read_toml
from speicher_env.setting import NEEDED, choice, is_text, number, setting, settings_of, switch, whole

__all__ = ["FORFEIT", "TEXT", "CommandSettings", "EndpointSettings", "LanguageModelSettings", "read_settings"]

FORFEIT = "forfeit"
"""The value of `on_error` that lets the player fail."""
JSON, TEXT = "json", "text"
LARGEST_FILE = 1 << 18
"""Bytes of a settings file; instructions may be long."""
OWN_FIELDS = ("messages", "model", "n", "stream")
"""Fields of a request that its table cannot set."""
LONGEST_SECONDS = 86_400
MOST_RETRIES = 100
MOST_PARALLEL = 256

Table = TypeVar("Table")


def _word(default: Any, meaning: str, allowed: str) -> Any:
    return setting(default, meaning, allowed, is_text)


def _is_address(value: Any) -> bool:
    try:
        parts = urlsplit(value)
        return (
            parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc and parts.port != 0
        )
    except (ValueError, AttributeError, TypeError):
        return False


def _is_program(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) for each in value) and bool(value[0])


@dataclass(frozen=True)
class EndpointSettings:
    """An OpenAI-compatible endpoint for chats."""

    url: str = setting(
        NEEDED, "the base address, as in https://api.openai.com/v1",
        "an http or https address without a user name, as in https://api.openai.com/v1", _is_address,
    )  # fmt: skip
    model: str = _word(NEEDED, "the model's name", "a model's name")
    key: str = setting(
        "", "the environment variable that holds the key; none by default", "the name of an environment variable",
        lambda value: isinstance(value, str) and value.isidentifier(),
    )  # fmt: skip
    request: Mapping[str, Any] = setting(
        {}, "further fields of each request, as the endpoint names them, such as temperature",
        f"a table without {', '.join(OWN_FIELDS)}",
        lambda value: isinstance(value, Mapping) and not set(value) & set(OWN_FIELDS),
    )  # fmt: skip


@dataclass(frozen=True)
class CommandSettings:
    """A program that answers; it is started without a shell."""

    program: list[str] = setting(
        NEEDED, "the program and its arguments", "a list of texts: a program and its arguments", _is_program
    )
    format: str = choice(
        JSON, (JSON, TEXT),
        "json: the program keeps running, and a line of JSON goes each way; text: each question is a new process, with "
        "the prompt on stdin and the answer on stdout",
    )  # fmt: skip


@dataclass(frozen=True)
class LanguageModelSettings:
    """What a language model as a player does, whatever answers."""

    timeout: float = number(60.0, 0.01, LONGEST_SECONDS, "seconds for an answer")
    retries: int = whole(
        2, 0, MOST_RETRIES, "further attempts after a failure, or after an illegal or unreadable answer"
    )
    on_error: str = _word(
        FORFEIT, "what follows the last attempt: forfeit, or the spec of a player that decides instead, such as random",
        "forfeit or the spec of a player",
    )  # fmt: skip
    parallel: int = whole(4, 1, MOST_PARALLEL, "questions at a time, where several games wait for an answer")
    rules: bool = switch(True, "whether the prompt explains the rules")
    instructions: str = setting(
        "", "more text for the prompt, such as advice on play", "a text", lambda value: isinstance(value, str)
    )
    log: str = _word("", "a file to which every question and answer is appended as a line of JSON", "a file's path")
    input_price: float = number(0.0, 0.0, 1e6, "dollars for a million tokens of questions, to count costs")
    output_price: float = number(0.0, 0.0, 1e6, "dollars for a million tokens of answers, to count costs")


TABLES: Mapping[str, type] = {"endpoint": EndpointSettings, "command": CommandSettings}
"""The tables of a settings file, of which it has exactly one."""


def read_settings(path: str) -> tuple[LanguageModelSettings, EndpointSettings | CommandSettings]:
    """The settings in a TOML file, and who answers.

    Raises:
        ArgumentError: For a file that cannot be read, or a setting that is unknown, missing or wrong.
    """
    where = path_shown(path)
    content = read_toml(path, LARGEST_FILE, "the settings of a language model", ArgumentError)
    tables = [name for name in TABLES if name in content]
    if len(tables) != 1:
        raise ArgumentError(f"{where}: must have one of the tables {' and '.join(f'[{name}]' for name in TABLES)}.")
    (name,) = tables
    table = content.pop(name)
    if not isinstance(table, Mapping):
        raise ArgumentError(must_be(name, table, "a table", where))
    return _checked(LanguageModelSettings, content, where), _checked(TABLES[name], table, f"{where}: [{name}]")


def _checked(kind: type[Table], values: Mapping[str, Any], where: str) -> Table:
    known = settings_of(kind)
    for name in values:
        if name not in known:
            raise ArgumentError(must_be("setting", name, one_of(name, known), where))
    for name, each in known.items():
        if not each.check(values[name]) if name in values else each.default is NEEDED:
            raise ArgumentError(field_must_be(values, name, each.allowed, where))
    return kind(**values)
