"""From a number to a case: its form, its input, and what came of it."""

from __future__ import annotations

import base64
import os
import random
import traceback
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.fuzz_inputs.command import ARGUMENTS
from tests.support.fuzz_inputs.folders import ARENA, RUN
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
from tests.support.fuzz_inputs.games import DECK, RECORD, SNAPSHOT, STATE
from tests.support.fuzz_inputs.page import PAGE
from tests.support.fuzz_inputs.players import CARD_FORM, RECIPE, SPEC, WEIGHTS_FORM
from tests.support.fuzz_inputs.selftest import SELFTEST

FORMS: dict[str, Form] = {
    form.name: form
    for form in (
        DECK,
        RECORD,
        SNAPSHOT,
        STATE,
        CARD_FORM,
        WEIGHTS_FORM,
        RECIPE,
        SPEC,
        ARENA,
        RUN,
        ARGUMENTS,
        PAGE,
        SELFTEST,
    )
}
"""All forms by name."""
INPUTS = tuple(name for name in FORMS if name != SELFTEST.name)
"""The names of the forms of input."""


class Result(NamedTuple):
    """What came of a case."""

    outcome: str
    fault: str = ""
    """What is wrong, empty if nothing is."""


@cache
def _turns(forms: tuple[str, ...]) -> list[str]:
    """The forms in the order of their turns, each as often as its weight, well mixed."""
    turns = [name for name in forms for _ in range(FORMS[name].weight)]
    random.Random(0).shuffle(turns)
    return turns


def form_of(number: int, forms: Sequence[str]) -> Form:
    """The form of a case."""
    turns = _turns(tuple(forms))
    return FORMS[turns[number % len(turns)]]


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
