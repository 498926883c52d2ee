"""How the command reports errors: one sentence on stderr and an exit code.

A traceback means a bug in this project, and only that: it is printed in full, so that it can be reported.
"""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import typer

from speicher_apps.cli.streams import discard_output, say
from speicher_env import ArgumentError, DeckError, IllegalAction, RecordError, StateError, UnknownAction
from speicher_env.errors import FileError
from speicher_env.messages import must_be, shown
from speicher_env.reading import path_shown, reason

__all__ = ["INTERRUPTED", "READER_GONE", "WRONG_INPUT", "CommandError", "run", "say"]

WRONG_INPUT = 2
INTERRUPTED = 130
"""128 + SIGINT, as shells have it."""
READER_GONE = 141
"""128 + SIGPIPE: the program that reads the output, such as `head`, has ended."""


class CommandError(Exception):
    """A command that cannot do what it was asked to do; the message is one sentence."""


_KNOWN = (CommandError, ArgumentError, DeckError, FileError, IllegalAction, RecordError, StateError, UnknownAction)
# Options that are unknown, missing or of the wrong type. The class has moved between typer's versions.
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]
_NUMBERS = {"valid integer": "a whole number", "valid number": "a number", "valid float": "a number"}
"""What an option of a number must be, by what typer's message says; its versions have different types and messages."""
_OUTPUT_FAILED = frozenset({errno.ENOSPC, errno.EBADF, errno.EIO, errno.EFBIG, errno.EDQUOT})


def run(app: typer.Typer, arguments: Sequence[str]) -> int:
    """Run the command; the exit code. Warnings are shown as one line each."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        return _run(app, arguments)


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    say(str(message) if issubclass(category, UserWarning) else f"{category.__name__}: {message}")


def _run(app: typer.Typer, arguments: Sequence[str]) -> int:
    try:
        _check_texts(arguments)
        code = app(args=list(arguments), prog_name="speicher", standalone_mode=False)
        sys.stdout.flush()
    except _KNOWN as error:
        return _refuse(_of_option(str(error), arguments))
    except _UsageError as error:
        return _refuse(_usage_sentence(error, arguments))
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        discard_output()
        return READER_GONE
    except OSError as error:
        return _refuse(_system_sentence(error))
    except MemoryError:
        return _refuse("there is not enough memory for this")
    except SystemExit as error:  # typer's own answer to a broken pipe
        if isinstance(error.__context__, BrokenPipeError):
            discard_output()
            return READER_GONE
        raise
    except Exception:
        say("this is a bug in speicher-env: please report it with the command and the lines below")
        raise
    return code if isinstance(code, int) else 0


def _refuse(sentence: str) -> int:
    say(sentence)
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        discard_output()
    return WRONG_INPUT


def _check_texts(arguments: Sequence[str]) -> None:
    """Refuse arguments that no file system and no terminal can take, whatever they are for."""
    for argument in arguments:
        try:
            wrong = b"\0" in os.fsencode(argument)
        except UnicodeError:
            wrong = True
        if wrong:
            raise ArgumentError(f"argument {shown(argument)}: contains a character that is not allowed")


def _system_sentence(error: OSError) -> str:
    """What the operating system refused to do."""
    if error.filename is not None:
        return f"{path_shown(str(error.filename))}: {reason(error)}."
    if error.errno in _OUTPUT_FAILED:
        return f"the output cannot be written: {reason(error)}."
    return f"the operating system reports: {reason(error)}."


def _of_option(sentence: str, arguments: Sequence[str]) -> str:
    """A message about an argument of a function, in terms of the option that gave it: jobs=0 was typed as --jobs 0."""
    argument, equals, _ = sentence.partition("=")
    flag = f"--{argument.replace('_', '-')}"
    return f"--{sentence}" if equals and _typed(flag, arguments) is not None else sentence


def _typed(flag: str, arguments: Sequence[str]) -> str | None:
    """The text after a flag on the command line; None if the flag is not there."""
    for argument, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if argument == flag:
            return following
        if argument.startswith(f"{flag}="):
            return argument.removeprefix(f"{flag}=")
    return None


def _usage_sentence(error: Exception, arguments: Sequence[str]) -> str:
    message = str(getattr(error, "format_message", error.__str__)()).rstrip(".")
    kinds = [kind for words, kind in _NUMBERS.items() if words in message]
    for flag in getattr(getattr(error, "param", None), "opts", ()):
        text = _typed(flag, arguments)
        if kinds and text is not None:
            return must_be(flag, text, kinds[0])
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", "speicher")
    return f"{message[:1].lower()}{message[1:]}, see {command} --help"
