"""How the command says that something is wrong: one sentence on stderr and an exit code, never a traceback."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

import typer

from speicher_env import ArgumentError, DeckError, IllegalAction, RecordError, StateError, UnknownAction
from speicher_env.errors import FileError

WRONG_INPUT = 2
INTERRUPTED = 130
"""128 + SIGINT, as shells have it."""
READER_GONE = 141
"""128 + SIGPIPE: who read our output, such as `head`, has enough."""


class CommandError(Exception):
    """A command that cannot do what it was asked to; the message is one sentence."""


_KNOWN = (CommandError, ArgumentError, DeckError, FileError, IllegalAction, RecordError, StateError, UnknownAction)
# Options that are unknown, missing or of the wrong type. The class has moved between typer's versions.
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]


def say(sentence: str) -> None:
    """One line on stderr in the command's name."""
    print(f"speicher: {sentence}", file=sys.stderr)


def run(app: typer.Typer, arguments: list[str]) -> int:
    """Run the command; the exit code. Warnings are shown as one line each."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        return _run(app, arguments)


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    say(str(message) if issubclass(category, UserWarning) else f"{category.__name__}: {message}")


def _run(app: typer.Typer, arguments: list[str]) -> int:
    try:
        code = app(args=arguments, prog_name="speicher", standalone_mode=False)
        sys.stdout.flush()
    except _KNOWN as error:
        say(str(error))
        return WRONG_INPUT
    except _UsageError as error:
        say(_usage_sentence(error))
        return WRONG_INPUT
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        return _end_quietly()
    except SystemExit as error:  # typer's own answer to a broken pipe, for which it has no other sign
        if isinstance(error.__context__, BrokenPipeError):
            return _end_quietly()
        raise
    return code if isinstance(code, int) else 0


def _end_quietly() -> int:
    """Let what is still buffered for stdout go nowhere, so that Python's own last flush does not complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return READER_GONE


def _usage_sentence(error: Exception) -> str:
    message = str(getattr(error, "format_message", error.__str__)()).rstrip(".")
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", "speicher")
    return f"{message[:1].lower()}{message[1:]}, see {command} --help"
