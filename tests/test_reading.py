"""Whatever is in a file that somebody else wrote: its content, or one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from speicher_env.errors import FileError
from speicher_env.reading import parse_json, parse_toml, path_shown, read_bytes, read_json, read_text, read_toml

pytestmark = pytest.mark.nojit

JSON_FAULTS = {
    "not JSON": ('{"a": ', "is not JSON: Expecting value at line 1"),
    "a list": ("[1]", "is not a JSON object but a list"),
    "null": ("null", "is not a JSON object but null"),
    "deep": ('{"a": ' + "[" * 60 + "]" * 60 + "}", "is nested more than 50 levels deep"),
    "very deep": ('{"a": ' + "[" * 200_000 + "]" * 200_000 + "}", "is nested more than 50 levels deep"),
    "30 digits": ('{"a": ' + "1" * 30 + "}", "holds a number of more than 20 digits"),
    "5,000 digits": ('{"a": -' + "1" * 5000 + "}", "holds a number of more than 20 digits"),
    "NaN": ('{"a": NaN}', "holds NaN"),
    "half a surrogate pair": (r'{"a": "\ud800"}', "holds half of a surrogate pair"),
}

TOML_FAULTS = {
    "not TOML": ("a = ", "is not TOML: Invalid value"),
    "deep": ("a = " + "[" * 100 + "]" * 100, "is nested more than 50 levels deep"),
    "very deep": ("a = " + "[" * 100_000 + "]" * 100_000, "is nested more than 50 levels deep"),
    "5,000 digits": ("a = " + "1" * 5000, "holds a number of more than 20 digits"),
    "100,000 parts": (".".join("a" * 100_000) + " = 1", "has more than 200 dots in a line"),
    "100,000 parts behind the ends of lines that TOML does not know": (
        '"\u2028".' * 100_000 + "a = 1",
        "has more than 200 dots in a line",
    ),
    "100,000 parts behind a text that ends like a comment": (
        'a = ["""\n#""", {' + ".".join("a" * 100_000) + " = 1}]",
        "has more than 200 dots in a line",
    ),
    "100,000 parts in a value": ("k = {" + ".".join("a" * 100_000) + " = 1}", "has more than 200 dots in a line"),
}


@pytest.mark.parametrize(
    ("parse", "text", "fault"),
    [(parse_json, *each) for each in JSON_FAULTS.values()] + [(parse_toml, *each) for each in TOML_FAULTS.values()],
    ids=[f"JSON, {name}" for name in JSON_FAULTS] + [f"TOML, {name}" for name in TOML_FAULTS],
)
def test_a_text_that_is_not_fit_is_refused_in_one_sentence(parse: Any, text: str, fault: str) -> None:
    with pytest.raises(FileError) as refused:
        parse(text, "mine", "a recipe")
    message = str(refused.value)
    assert message.startswith(f"mine: {fault}") and message.endswith("; must be a recipe.")
    assert "\n" not in message


def test_what_is_fit_is_read(tmp_path: Path) -> None:
    text = r'{"seed": 18446744073709551615, "name": "\ud83d\ude00", "share": 0.12345678901234567890123}'
    (tmp_path / "a.json").write_text(text)
    assert read_json(tmp_path / "a.json", 1000) == {"seed": 2**64 - 1, "name": "😀", "share": 0.12345678901234568}
    (tmp_path / "a.toml").write_text(f"\ufeff# {'.' * 300}\na.b = 0.1234567890123456789012\n")
    assert read_toml(tmp_path / "a.toml", 1000) == {"a": {"b": 0.12345678901234568}}


def test_a_file_is_bounded_before_it_is_parsed(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"x" * 1025)
    assert len(read_bytes(path, 1025)) == 1025
    with pytest.raises(FileError, match=r"large: is larger than 1 kB; must be a card\."):
        read_bytes(path, 1024, "a card")


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("missing", "there is no such file"),
        (".", "it is a folder"),
        ("x" * 300, "the name is too long"),
        ("a\0b", "embedded null byte"),
        ("a\ud800b", "a letter in the name or the text cannot be encoded"),
    ],
)
def test_a_path_that_is_not_a_file_is_refused_in_one_sentence(
    path: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileError) as refused:
        read_text(path, 10, "a text")
    assert str(refused.value) == f"{path_shown(path)}: cannot be read: {why}; must be a text."
    str(refused.value).encode()  # nothing in a message keeps it from being printed


def test_the_caller_chooses_the_error(tmp_path: Path) -> None:
    for call in (
        lambda: read_bytes(tmp_path / "missing", 1, error=KeyError),
        lambda: parse_json("", "x", error=KeyError),
        lambda: parse_toml("=", "x", error=KeyError),
    ):
        with pytest.raises(KeyError):
            call()
