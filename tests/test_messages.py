"""The wording of messages: one common form for every wrong value."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

from speicher_env import messages
from speicher_env.messages import listed, must_be, one_of, shown

pytestmark = pytest.mark.nojit


def test_a_wrong_value_is_named_with_what_is_allowed():
    assert must_be("num_players", 7, "2, 3, 4 or 5") == "num_players=7: must be 2, 3, 4 or 5."
    assert must_be("value", "x", "a number", where="a.toml") == 'a.toml: value="x": must be a number.'


def test_a_suggestion_ends_the_sentence():
    said = must_be("deck", "sampeld", one_of("sampeld", ["standard", "sampled"]))
    assert said == 'deck="sampeld": must be standard or sampled, did you mean "sampled"?'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.int64(7), "7"),
        (True, "true"),
        (10**5000, "a number of more than 48 digits"),
        (2**64, "18446744073709551616"),
        ("a" * 50, '"' + "a" * 48 + '..."'),
        ("a\nb\x1b", '"a\\nb\\u001b"'),
        ("\x9b31m\u202e\ud800", '"\\x9b31m\\u202e\\ud800"'),
        ("\x9b31m\u202e\ud800", r'"\x9b31m\u202e\ud800"'),
        ([1, 2], "a list of 2"),
        (np.zeros((2, 3), np.int8), "an array of int8 with shape (2, 3)"),
        (None, "None"),
        ({}, "a table"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_any_value_is_shown_on_one_short_line(value: object, text: str):
    assert shown(value) == text


def test_a_list_in_words():
    assert [listed(["a", "b", "c"][:count], "or") for count in range(4)] == ["", "a", "a or b", "a, b or c"]


def test_the_examples_of_the_module_hold():
    assert doctest.testmod(messages).failed == 0
