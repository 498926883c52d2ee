"""Deck files: what is accepted, and for each kind of fault one sentence with file, card and field."""

from __future__ import annotations

import os
import re
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from speicher_env.deck import Deck, DeckError, load_deck, resolve_deck, standard_deck

pytestmark = pytest.mark.nojit

STANDARD = resources.files("speicher_env.deck").joinpath("standard.toml").read_text(encoding="utf-8")


def edited(pattern: str, replacement: str, text: str = STANDARD) -> str:
    """The standard deck's file with the one place that the pattern matches replaced."""
    changed, count = re.subn(pattern, replacement, text, flags=re.MULTILINE)
    assert count == 1, (pattern, count)
    return changed


def card(card_id: str, fields: str) -> str:
    """The standard deck's file with the fields of one card replaced."""
    return edited(rf"^{card_id} = .*$", f"{card_id} = {{ {fields} }}")


def without(*card_ids: str) -> str:
    text = STANDARD
    for card_id in card_ids:
        text = edited(rf"^{card_id} = .*\n", "", text)
    return text


def contract(goods: str, more: str = "") -> str:
    return card("contract_5", f'kind = "contract", season = "B", goods = {goods}{more}')


def fireman(value: str) -> str:
    return card("fireman_3", f'kind = "fireman", season = "B", value = {value}')


def fire(value: str) -> str:
    return card("fire_2", f'kind = "fire", season = "C", value = {value}')


FIREMAN_RIGHT = "must be a whole number from 1 to 5, the value of a fireman"
FIRE_RIGHT = "must be a whole number from 1 to 6, the value of a fire"
GOODS_RIGHT = "must be a list of 2 to 4 goods"
GOOD_RIGHT = "must be coffee, tea, saffron, rubber or carpet"
NAME_RIGHT = "must be a string that is not empty"
CARDS_RIGHT = "must be a table of the 54 cards by id"

# Each fault: the file's text, and the sentence after the file's path.
FAULTS: dict[str, tuple[str, str]] = {
    # Top level
    "empty file": ("", f"cards is missing: {CARDS_RIGHT}"),
    "cards is a list": ("cards = [1]", f"cards=a list of 1: {CARDS_RIGHT}"),
    "cards is a string": ('cards = "all"', f'cards="all": {CARDS_RIGHT}'),
    "unknown field on top": (
        'nmae = "mine"\n' + STANDARD,
        'field="nmae": must be name or cards, did you mean "name"?',
    ),
    "card outside the table": (
        STANDARD.replace("[cards]\n", ""),
        'field="contract_1": must be name or cards',
    ),
    "name is a number": ("name = 7\n" + STANDARD, f"name=7: {NAME_RIGHT}"),
    "name is a boolean": ("name = true\n" + STANDARD, f"name=true: {NAME_RIGHT}"),
    "name is empty": ('name = ""\n' + STANDARD, f'name="": {NAME_RIGHT}'),
    "name is blank": ('name = "  "\n' + STANDARD, f'name="  ": {NAME_RIGHT}'),
    "name of the standard deck": (
        'name = "standard"\n' + STANDARD,
        'name="standard": must be another name, because a built-in deck has this one',
    ),
    "name of sampled decks": (
        'name = "sampled"\n' + STANDARD,
        'name="sampled": must be another name, because a built-in deck has this one',
    ),
    # Ids
    "misspelt id": (
        edited("^warehouse =", "warehose ="),
        'card "warehose" does not exist, did you mean "warehouse"?',
    ),
    "misspelt id of many": (
        edited("^fireman_3 =", "firemann_3 ="),
        'card "firemann_3" does not exist, did you mean "fireman_3"?',
    ),
    "one ship too many": (
        STANDARD + 'ship_16 = { kind = "ship", season = "D" }\n',
        'card "ship_16" does not exist: the ship cards are "ship_1" to "ship_15"',
    ),
    "id without its number": (
        edited("^ship_1 =", "ship ="),
        'card "ship" does not exist: the ship cards are "ship_1" to "ship_15"',
    ),
    "second bank": (
        STANDARD + 'bank_2 = { kind = "bank", season = "C" }\n',
        'card "bank_2" does not exist: the only bank card is "bank"',
    ),
    "id like no other": (STANDARD + "quay = { }\n", 'card "quay" does not exist'),
    # Counts
    "no bank": (without("bank"), 'card "bank" is missing: season C (summer) has 1 bank card, "bank"'),
    "a ship too few": (
        without("ship_8"),
        'card "ship_8" is missing: season C (summer) has 5 ship cards, "ship_6" to "ship_10"',
    ),
    "cards that setup takes out": (
        without("fireman_8", "port"),
        'card "fireman_8" is missing: season D (autumn) has 3 fireman cards, "fireman_8" to "fireman_10"',
    ),
    "no 4th fire": (
        without("fire_4"),
        'card "fire_4" is missing: season E (4th fire) has 1 fire card, "fire_4"',
    ),
    # Fields of every card
    "card is a number": (
        edited("^bank = .*$", "bank = 3"),
        "bank=3: must be a table of the card's fields",
    ),
    "card is a list": (
        edited("^bank = .*$", "bank = []"),
        "bank=a list of 0: must be a table of the card's fields",
    ),
    "unknown field": (
        card("fireman_3", 'kind = "fireman", season = "B", valeu = 1'),
        'card "fireman_3": field="valeu": must be kind, season, value, source or reason, did you mean "value"?',
    ),
    "field of another kind": (
        card("ship_3", 'kind = "ship", season = "B", value = 1'),
        'card "ship_3": field="value": must be kind, season, source or reason',
    ),
    "goods of a fire": (
        card("fire_1", 'kind = "fire", season = "B", value = 1, goods = ["tea", "tea"]'),
        'card "fire_1": field="goods": must be kind, season, value, source or reason',
    ),
    "no kind": (card("ship_3", 'season = "B"'), 'card "ship_3": kind is missing: must be "ship"'),
    "other kind": (
        card("ship_3", 'kind = "bank", season = "B"'),
        'card "ship_3": kind="bank": must be "ship"',
    ),
    "kind is a number": (
        card("ship_3", 'kind = 9, season = "B"'),
        'card "ship_3": kind=9: must be "ship"',
    ),
    "no season": (
        card("ship_3", 'kind = "ship"'),
        'card "ship_3": season is missing: must be "B"',
    ),
    "other season": (
        card("ship_3", 'kind = "ship", season = "D"'),
        'card "ship_3": season="D": must be "B"',
    ),
    "season is a table": (
        card("ship_3", 'kind = "ship", season = { }'),
        'card "ship_3": season=a table: must be "B"',
    ),
    "other source": (
        card("ship_3", 'kind = "ship", season = "B", source = "assume"'),
        'card "ship_3": source="assume": must be rulebook, likely or assumed, did you mean "assumed"?',
    ),
    "likely without a reason": (
        card("fire_1", 'kind = "fire", season = "B", value = 1, source = "likely"'),
        'card "fire_1": reason is missing: must be a text that says why the number is likely',
    ),
    "reason is a number": (
        card("fire_1", 'kind = "fire", season = "B", value = 1, reason = 7'),
        'card "fire_1": reason=7: must be a text',
    ),
    "source is a list": (
        card("ship_3", 'kind = "ship", season = "B", source = ["assumed"]'),
        'card "ship_3": source=a list of 1: must be rulebook, likely or assumed',
    ),
    # Contracts
    "no goods": (
        card("contract_5", 'kind = "contract", season = "B"'),
        f'card "contract_5": goods is missing: {GOODS_RIGHT}',
    ),
    "goods in a string": (
        contract('"tea"'),
        f'card "contract_5": goods="tea": {GOODS_RIGHT}',
    ),
    "goods is a boolean": (
        contract("false"),
        f'card "contract_5": goods=false: {GOODS_RIGHT}',
    ),
    "one good": (contract('["tea"]'), f'card "contract_5": goods=a list of 1: {GOODS_RIGHT}'),
    "five goods": (
        contract('["tea", "tea", "tea", "tea", "tea"]'),
        f'card "contract_5": goods=a list of 5: {GOODS_RIGHT}',
    ),
    "misspelt good": (
        contract('["tea", "safron"]'),
        f'card "contract_5": good="safron": {GOOD_RIGHT}, did you mean "saffron"?',
    ),
    "good in capitals": (
        contract('["TEA", "saffron"]'),
        f'card "contract_5": good="TEA": {GOOD_RIGHT}, did you mean "tea"?',
    ),
    "good like no other": (
        contract('["tea", "pepper"]'),
        f'card "contract_5": good="pepper": {GOOD_RIGHT}',
    ),
    "good is a number": (contract('["tea", 2]'), f'card "contract_5": good=2: {GOOD_RIGHT}'),
    "good is a list": (
        contract('["tea", ["tea"]]'),
        f'card "contract_5": good=a list of 1: {GOOD_RIGHT}',
    ),
    "points of another size": (
        contract('["tea", "tea"]', ", points = 8"),
        'card "contract_5": points=8: must be 5, the points of a contract of 2 goods',
    ),
    "points of three goods": (
        contract('["tea", "tea", "tea"]', ", points = 5"),
        'card "contract_5": points=5: must be 8, the points of a contract of 3 goods',
    ),
    "points of four goods": (
        contract('["tea", "tea", "tea", "tea"]', ", points = 12"),
        'card "contract_5": points=12: must be 11, the points of a contract of 4 goods',
    ),
    "points not whole": (
        contract('["tea", "tea"]', ", points = 5.0"),
        'card "contract_5": points=5.0: must be 5, the points of a contract of 2 goods',
    ),
    # Firemen
    "fireman without value": (
        card("fireman_3", 'kind = "fireman", season = "B"'),
        f'card "fireman_3": value is missing: {FIREMAN_RIGHT}',
    ),
    "fireman 0": (fireman("0"), f'card "fireman_3": value=0: {FIREMAN_RIGHT}'),
    "fireman 6": (fireman("6"), f'card "fireman_3": value=6: {FIREMAN_RIGHT}'),
    "fireman true": (fireman("true"), f'card "fireman_3": value=true: {FIREMAN_RIGHT}'),
    "fireman 2.0": (fireman("2.0"), f'card "fireman_3": value=2.0: {FIREMAN_RIGHT}'),
    "fireman in quotes": (fireman('"2"'), f'card "fireman_3": value="2": {FIREMAN_RIGHT}'),
    "fireman nan": (fireman("nan"), f'card "fireman_3": value=nan: {FIREMAN_RIGHT}'),
    "fireman a date": (
        fireman("2010-10-01"),
        f'card "fireman_3": value=a value of type date: {FIREMAN_RIGHT}',
    ),
    "fireman beyond all": (
        fireman("0x" + "f" * 5000),
        f'card "fireman_3": value=a number of more than 48 digits: {FIREMAN_RIGHT}',
    ),
    "long text for a value": (
        fireman('"' + "x" * 500 + '"'),
        f'card "fireman_3": value="{"x" * 48}...": {FIREMAN_RIGHT}',
    ),
    "text over lines for a value": (
        fireman(r'"2\\n3"'),
        f'card "fireman_3": value="2\\n3": {FIREMAN_RIGHT}',
    ),
    "no autumn fireman of 3": (
        card("fireman_8", 'kind = "fireman", season = "D", value = 2'),
        'cards "fireman_8" to "fireman_10" have the values 2, 4, 5: '
        "one must be 3, the autumn fireman that setup takes out",
    ),
    # Fires
    "fire 0": (fire("0"), f'card "fire_2": value=0: {FIRE_RIGHT}'),
    "fire 7": (fire("7"), f'card "fire_2": value=7: {FIRE_RIGHT}'),
    "fire false": (fire("false"), f'card "fire_2": value=false: {FIRE_RIGHT}'),
    "fire lower than the one before": (
        card("fire_3", 'kind = "fire", season = "D", value = 1'),
        'card "fire_3": value=1: must be at least 2, the value of the fire before it',
    ),
    "fire higher than the one after": (
        fire("6"),
        'card "fire_3": value=3: must be at least 6, the value of the fire before it',
    ),
    # Several faults: unknown ids, then the cards in card order, whatever the order of the file
    "unknown card before a missing one": (
        without("contract_1") + "quay = { }\n",
        'card "quay" does not exist',
    ),
    "first card in card order": (
        without("port", "contract_2").replace("[cards]\n", "[cards]\nport = 1\n"),
        'card "contract_2" is missing: season A (winter) has 3 contract cards, "contract_1" to "contract_3"',
    ),
    "autumn firemen before fires": (
        edited("^(fire_2 = .*value = )2", r"\g<1>9", edited("^(fireman_8 = .*value = )3", r"\g<1>4")),
        'cards "fireman_8" to "fireman_10" have the values 4, 4, 5: '
        "one must be 3, the autumn fireman that setup takes out",
    ),
}


@pytest.mark.parametrize(("text", "sentence"), FAULTS.values(), ids=FAULTS)
def test_fault_in_a_file_is_named(tmp_path: Path, text: str, sentence: str):
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DeckError) as refused:
        load_deck(path)
    assert str(refused.value) == f"{path}: {sentence}{'' if sentence.endswith('?') else '.'}"
    assert refused.value.__cause__ is None


UNREADABLE: dict[str, tuple[bytes, str]] = {
    "no value": (b"[cards]\nbank =\n", r"is not TOML: Invalid value \(at line 2, column 7\)"),
    "two cards of one id": (
        STANDARD.encode() + b"bank = { }\n",
        r"is not TOML: Cannot overwrite a value \(at line \d+, column \d+\)",
    ),
    "bracket left open": (b"[cards\n", r"is not TOML: Expected ']' .*\(at line 1, column 7\)"),
    "number too long": (b"name = " + b"9" * 5000, "holds a number of more than 20 digits"),
    "nested beyond measure": (b"name = " + b"[" * 50_000, "is nested more than 50 levels deep"),
    "a key of thousands of parts": (b"a." * 30_000 + b"a = 1", "has more than 200 dots in a line"),
    "a file beyond measure": (b"#" * 65_537, "is larger than 64 kB"),
    "other encoding": ("[cards]\n# Schöne Grüße\n".encode("latin-1"), "is not UTF-8 text: byte 0xf6 in line 2"),
    "bytes of no text": (b"\xff\xfe", "is not UTF-8 text: byte 0xff in line 1"),
}


@pytest.mark.parametrize(("content", "pattern"), UNREADABLE.values(), ids=UNREADABLE)
def test_file_that_is_not_toml_is_refused_with_the_place(tmp_path: Path, content: bytes, pattern: str):
    path = tmp_path / "mine.toml"
    path.write_bytes(content)
    with pytest.raises(DeckError) as refused:
        load_deck(path)
    assert re.fullmatch(re.escape(f"{path}: ") + pattern + r"; must be a deck file\.", str(refused.value))
    assert refused.value.__cause__ is None


def test_missing_file_is_named(tmp_path: Path):
    path = tmp_path / "mine.toml"
    with pytest.raises(DeckError) as refused:
        load_deck(path)
    assert str(refused.value) == f"{path}: cannot be read: there is no such file; must be a deck file."


def test_directory_is_refused(tmp_path: Path):
    with pytest.raises(DeckError) as refused:
        load_deck(tmp_path)
    assert str(refused.value) == f"{tmp_path}: cannot be read: it is a folder; must be a deck file."


@pytest.mark.parametrize(
    ("path", "start"),
    [
        ("", '"": cannot be read: it is a folder; must be'),
        ("a\0b", r"a\x00b: cannot be read: embedded null byte; must be"),
        ("a\ud800", r"a\ud800: cannot be read: a letter in the name or the text cannot be encoded; must be"),
        ("x" * 5000, "x" * 200 + "...: cannot be read: the name is too long; must be"),
    ],
    ids=["empty", "null byte", "half a surrogate pair", "too long"],
)
def test_path_that_no_file_can_have_is_refused(path: str, start: str):
    with pytest.raises(DeckError) as refused:
        load_deck(path)
    assert str(refused.value) == start + " a deck file."


@pytest.mark.parametrize("path", [None, 3, ["a.toml"], {}])
def test_path_of_another_type_is_refused(path: Any):
    with pytest.raises(DeckError, match=r"^load_deck\(\.\.\.\): path=.*: must be the path of a TOML file\.$"):
        load_deck(path)


@pytest.mark.parametrize("stem", ["standard", "sampled"])
def test_file_called_like_a_built_in_deck_needs_a_name(tmp_path: Path, stem: str):
    path = tmp_path / f"{stem}.toml"
    path.write_text(STANDARD, encoding="utf-8")
    with pytest.raises(DeckError) as refused:
        load_deck(path)
    assert str(refused.value) == (
        f'{path}: name="{stem}": must be another name, because a built-in deck has this one, '
        'so add a line such as name = "my deck".'
    )
    path.write_text('name = "mine"\n' + STANDARD, encoding="utf-8")
    assert load_deck(path).name == "mine"


def test_corrected_copy_is_read_with_its_numbers_and_called_after_its_file(tmp_path: Path):
    path = tmp_path / "my.copy.toml"
    text = edited("^(fire_4 = .*value = )4", r"\g<1>6", contract('["tea", "rubber"]', ", points = 5"))
    path.write_text(edited("^(fireman_1 = .*value = )1", r"\g<1>4", text), encoding="utf-8")
    standard = standard_deck()
    assert load_deck(path) == Deck(
        name="my.copy",
        fire_values=(*standard.fire_values[:3], 6),
        fireman_values=(4, *standard.fireman_values[1:]),
        contract_goods=(*standard.contract_goods[:4], ("tea", "rubber"), *standard.contract_goods[5:]),
    )


def test_ends_of_the_value_ranges_are_accepted(tmp_path: Path):
    path = tmp_path / "mine.toml"
    text = re.sub(r'(kind = "fireman", season = "[AB]", value = )\d', r"\g<1>1", STANDARD)
    text = re.sub(r'(kind = "fireman", season = "C", value = )\d', r"\g<1>5", text)
    text = re.sub(r'(kind = "fire", season = "[BC]", value = )\d', r"\g<1>1", text)
    path.write_text(re.sub(r'(kind = "fire", season = "[DE]", value = )\d', r"\g<1>6", text), encoding="utf-8")
    deck = load_deck(path)
    assert deck.fire_values == (1, 1, 6, 6)
    assert deck.fireman_values == (1, 1, 1, 1, 1, 5, 5, 3, 4, 5)


@pytest.mark.parametrize("place", [8, 9, 10])
def test_any_autumn_fireman_may_be_the_one_of_3(tmp_path: Path, place: int):
    path = tmp_path / "mine.toml"
    text = re.sub(r"^(fireman_(?:8|9|10) = .*value = )\d", r"\g<1>1", STANDARD, flags=re.MULTILINE)
    path.write_text(edited(rf"^(fireman_{place} = .*value = )\d", r"\g<1>3", text), encoding="utf-8")
    assert load_deck(path).fireman_values[place - 1] == 3


def test_source_may_be_left_out(tmp_path: Path):
    path = tmp_path / "mine.toml"
    path.write_text(re.sub(r', source = "\w+"', "", STANDARD), encoding="utf-8")
    assert load_deck(path) == Deck(
        "mine", standard_deck().fire_values, standard_deck().fireman_values, standard_deck().contract_goods
    )


@pytest.mark.parametrize(
    "encode", [lambda text: b"\xef\xbb\xbf" + text.encode(), lambda text: text.replace("\n", "\r\n").encode()]
)
def test_files_of_windows_editors_are_read(tmp_path: Path, encode: Any):
    path = tmp_path / "mine.toml"
    path.write_bytes(encode(STANDARD))
    assert load_deck(path).cards() == standard_deck().cards()


class BytesPath:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __fspath__(self) -> bytes:
        return os.fsencode(self.path)


class TestDeckArgument:
    def test_standard(self):
        assert resolve_deck("standard") is standard_deck()

    def test_sampled_means_a_deck_per_seed(self):
        assert resolve_deck("sampled") is None

    def test_deck_is_itself(self):
        deck = Deck.from_values("mine", standard_deck().values())
        assert resolve_deck(deck) is deck

    @pytest.mark.parametrize("form", [str, Path, BytesPath])
    def test_path_in_every_form(self, tmp_path: Path, form: Any):
        path = tmp_path / "mine.toml"
        path.write_text(STANDARD, encoding="utf-8")
        assert resolve_deck(form(path)) == load_deck(path)

    def test_path_object_is_never_a_built_in_name(self):
        with pytest.raises(DeckError, match=r"^standard: cannot be read: there is no such file"):
            resolve_deck(Path("standard"))

    @pytest.mark.parametrize(
        ("word", "suggestion"),
        [
            ("standart", ', did you mean "standard"?'),
            ("Sampled", ', did you mean "sampled"?'),
            ("", ""),
            ("decks/mine.toml", ""),
        ],
    )
    def test_unknown_word_is_refused_with_what_is_accepted(self, word: str, suggestion: str):
        with pytest.raises(DeckError) as refused:
            resolve_deck(word)
        assert str(refused.value) == (
            f'deck="{word}": must be "standard", "sampled", the path of an existing deck file or a Deck'
            + (suggestion or ".")
        )

    @pytest.mark.parametrize(
        ("deck", "found"),
        [
            (None, "None"),
            (7, "7"),
            (True, "true"),
            (b"standard", "a value of type bytes"),
            ({}, "a table"),
            (Deck, "a value of type type"),
        ],
    )
    def test_other_types_are_refused_with_what_is_accepted(self, deck: Any, found: str):
        with pytest.raises(DeckError) as refused:
            resolve_deck(deck)
        assert str(refused.value) == (
            f'deck={found}: must be "standard", "sampled", the path of an existing deck file or a Deck.'
        )

    def test_fault_in_the_file_is_passed_on(self, tmp_path: Path):
        path = tmp_path / "mine.toml"
        path.write_text(fireman("6"), encoding="utf-8")
        with pytest.raises(DeckError, match='card "fireman_3": value=6'):
            resolve_deck(str(path))
