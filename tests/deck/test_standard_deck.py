"""The built-in deck: its numbers, their marks, and what it says about the rules."""

from __future__ import annotations

import tomllib
from importlib import resources

import pytest

from speicher_env.deck import standard_deck
from speicher_env.rules.cards import GOODS

pytestmark = pytest.mark.nojit

# Typed by hand from the rules page, apart from the file.
CONTRACTS = [
    "coffee carpet",
    "tea saffron",
    "rubber rubber coffee",
    "carpet saffron",
    "tea tea carpet",
    "rubber tea coffee carpet",
    "saffron rubber rubber",
    "coffee saffron carpet",
    "coffee coffee tea saffron",
    "carpet rubber saffron tea",
]
FIREMEN = [1, 2, 1, 2, 3, 4, 5, 3, 4, 5]
FIRES = [1, 2, 3, 4]
CARDS_OF_SEASON = {
    "A": "contract_1 contract_2 contract_3 counting_office_1 fireman_1 fireman_2 coffee_roaster tea_taster "
    "spice_trader vulcanizer carpet_trader warehouse",
    "B": "contract_4 contract_5 contract_6 counting_office_2 fireman_3 fireman_4 fireman_5 "
    "ship_1 ship_2 ship_3 ship_4 ship_5 fire_1",
    "C": "contract_7 contract_8 contract_9 contract_10 fireman_6 fireman_7 "
    "ship_6 ship_7 ship_8 ship_9 ship_10 bank fire_2",
    "D": "counting_office_3 counting_office_4 fireman_8 fireman_9 fireman_10 "
    "ship_11 ship_12 ship_13 ship_14 ship_15 boatsmen_church st_michaelis chamber_of_commerce port fire_3",
    "E": "fire_4",
}


def cards_in_the_file() -> dict[str, dict[str, object]]:
    content = resources.files("speicher_env.deck").joinpath("standard.toml").read_text(encoding="utf-8")
    return tomllib.loads(content)["cards"]


def test_standard_deck_has_the_numbers_of_the_rules_page():
    deck = standard_deck()
    assert deck.name == "standard"
    assert [" ".join(goods) for goods in deck.contract_goods] == CONTRACTS
    assert list(deck.fireman_values) == FIREMEN
    assert list(deck.fire_values) == FIRES


def test_file_lists_every_card_in_its_season():
    listed: dict[str, set[str]] = {season: set() for season in CARDS_OF_SEASON}
    for card_id, card in cards_in_the_file().items():
        listed[card["season"]].add(card_id)
    assert listed == {season: set(ids.split()) for season, ids in CARDS_OF_SEASON.items()}


def test_every_card_in_the_file_says_where_its_number_comes_from():
    sources = {card.get("source") for card in cards_in_the_file().values()}
    assert sources == {"rulebook", "likely", "assumed"}


def test_the_known_and_the_likely_numbers_are_those_of_the_rules_page():
    numbered = {card_id: card for card_id, card in cards_in_the_file().items() if {"value", "goods"} & set(card)}
    assert len(numbered) == 24
    of_source = {
        source: [card_id for card_id, card in numbered.items() if card["source"] == source]
        for source in ("rulebook", "likely")
    }
    assert of_source == {"rulebook": ["contract_6", "fireman_8"], "likely": ["fire_1", "fire_2", "fire_3", "fire_4"]}


def test_each_likely_number_gives_its_reason():
    likely = [card for card in cards_in_the_file().values() if card["source"] == "likely"]
    assert all(len(card["reason"]) > 20 for card in likely)


def test_each_good_is_asked_for_six_times():
    asked = [good for goods in standard_deck().contract_goods for good in goods]
    assert {good: asked.count(good) for good in asked} == dict.fromkeys(GOODS, 6)


def test_cards_without_a_number_are_marked_as_from_the_rulebook():
    sources = {card["source"] for card in cards_in_the_file().values() if not {"value", "goods"} & set(card)}
    assert sources == {"rulebook"}


def test_standard_deck_is_read_once():
    assert standard_deck() is standard_deck()
