"""One case: its number decides its form and its damaged input; trying it gives an outcome."""

from __future__ import annotations

import base64
import os
import random
import traceback
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.fuzz_inputs.forms import (
    KNOWN,
    REFUSED,
    TRACEBACK,
    WRONG,
    Form,
    Parts,
    Unclear,
    Wrong,
    check_sentence,
)

SELFTEST = "selftest"
_MODULES: dict[str, tuple[str, int]] = {
    "deck": ("games", 11),
    "record": ("games", 13),
    "snapshot": ("games", 12),
    "state": ("games", 10),
    "card": ("players", 10),
    "weights": ("players", 10),
    "recipe": ("players", 8),
    "spec": ("players", 8),
    "arena folder": ("folders", 4),
    "run folder": ("folders", 4),
    "arguments": ("command", 5),
    "page": ("page", 5),
    SELFTEST: ("selftest", 1),
}
"""The module of each form, and how many of a hundred cases have it."""
INPUTS = tuple(name for name in _MODULES if name != SELFTEST)
"""The names of the forms of input."""


@cache
def form_named(name: str) -> Form:
    """A form by its name; its module is loaded only here, so that a worker loads what its cases need."""
    module = import_module(f"tests.support.fuzz_inputs.{_MODULES[name][0]}")
    return next(form for form in vars(module).values() if isinstance(form, Form) and form.name == name)


class Result(NamedTuple):
    """What came of a case."""

    outcome: str
    fault: str = ""
    """What is wrong, empty if nothing is."""


@cache
def _turns(forms: tuple[str, ...]) -> list[str]:
    """The forms in the order of their turns, each as often as its weight, well mixed."""
    turns = [name for name in forms for _ in range(_MODULES[name][1])]
    random.Random(0).shuffle(turns)
    return turns


def form_of(number: int, forms: Sequence[str]) -> str:
    """The name of the form of a case."""
    turns = _turns(tuple(forms))
    return turns[number % len(turns)]


def parts_of(number: int, seed: int, form: Form, base: Any) -> Parts:
    """The input of a case."""
    return form.make(random.Random(f"{seed}/{form.name}/{number}"), base)


def result_of(parts: Parts, form: Form, base: Any, place: Path) -> Result:
    """Hand an input to the code that reads it, in an empty folder."""
    os.chdir(place)
    try:
        return Result(form.read(parts, base, place))
    except KNOWN as error:
        try:
            check_sentence(str(error))
        except Unclear as unclear:
            return Result(TRACEBACK, f"{type(error).__name__}: {unclear}")
        return Result(REFUSED)
    except Wrong:
        return Result(WRONG, traceback.format_exc())
    except (Exception, KeyboardInterrupt, SystemExit):
        return Result(TRACEBACK, traceback.format_exc())


# A case as JSON, to be tried again


def packed(parts: Any) -> Any:
    """An input as JSON has it: bytes become a table with base64."""
    if isinstance(parts, bytes):
        return {"base64": base64.b64encode(parts).decode()}
    if isinstance(parts, dict):
        return {key: packed(value) for key, value in parts.items()}
    return [packed(value) for value in parts] if isinstance(parts, list) else parts


def unpacked(value: Any) -> Any:
    """What `packed` has packed."""
    if isinstance(value, dict):
        if list(value) == ["base64"]:
            return base64.b64decode(value["base64"])
        return {key: unpacked(part) for key, part in value.items()}
    return [unpacked(part) for part in value] if isinstance(value, list) else value
