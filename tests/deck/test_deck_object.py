"""The Deck object: its forms are equal, it cannot change, and none that the rules forbid can be made."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from speicher_env import Game
from speicher_env.deck import DECK_VALUES, STANDARD_EDITION, Deck, DeckError, edition_of, standard_deck

pytestmark = pytest.mark.nojit


def other_deck() -> Deck:
    """A deck unlike the standard one everywhere, at the ends of the ranges."""
    return Deck(
        name="other",
        fire_values=(1, 1, 6, 6),
        fireman_values=(5, 5, 5, 5, 5, 1, 1, 1, 2, 3),
        contract_goods=(("carpet", "coffee"), *[("tea",) * 4] * 9),
    )


# The cards that setup takes out, by number of players, for a deck whose autumn fireman of value 3 is given.
REMOVED_BUILDING = {2: "port", 3: "boatsmen_church", 5: "boatsmen_church"}


@pytest.fixture(params=[standard_deck, other_deck], ids=["standard", "other"])
def deck(request: pytest.FixtureRequest) -> Deck:
    return request.param()


class TestForms:
    def test_values_and_back(self, deck: Deck):
        assert Deck.from_values(deck.name, deck.values()) == deck

    def test_cards_and_back(self, deck: Deck):
        assert Deck.from_cards(deck.name, deck.cards(), "record") == deck

    def test_cards_through_json_and_back(self, deck: Deck):
        assert Deck.from_cards(deck.name, json.loads(json.dumps(deck.cards())), "record") == deck

    @pytest.mark.parametrize("players", REMOVED_BUILDING)
    def test_cards_without_those_setup_takes_out_give_the_whole_deck(self, deck: Deck, players: int):
        cards = deck.cards()
        fireman = next(f"fireman_{k}" for k in (8, 9, 10) if deck.fireman_values[k - 1] == 3)
        del cards[fireman], cards[REMOVED_BUILDING[players]]
        assert Deck.from_cards(deck.name, cards, "record") == deck

    def test_copies_are_equal(self, deck: Deck):
        assert pickle.loads(pickle.dumps(deck)) == deck
        assert copy.deepcopy(deck) == deck


def test_values_hold_numbers_and_minus_one_behind_the_last_good():
    values = other_deck().values()
    assert values.shape == (1,)
    assert values.dtype == DECK_VALUES
    assert values["fire_value"].tolist() == [[1, 1, 6, 6]]
    assert values["fireman_value"].tolist() == [[5, 5, 5, 5, 5, 1, 1, 1, 2, 3]]
    assert values["contract_goods"].tolist() == [[[4, 0, -1, -1], *[[1, 1, 1, 1]] * 9]]


def test_deck_values_layout_is_54_bytes():
    fields = [("fire_value", "i1", (4,)), ("fireman_value", "i1", (10,)), ("contract_goods", "i1", (10, 4))]
    assert np.dtype(fields) == DECK_VALUES
    assert DECK_VALUES.itemsize == 54


def test_values_are_read_from_inside_a_larger_record():
    state = np.zeros(3, dtype=np.dtype([("seed", np.uint64), ("deck", DECK_VALUES)], align=True))
    state["deck"][1] = other_deck().values()[0]
    assert Deck.from_values("other", state["deck"][1]) == other_deck()
    assert Deck.from_values("other", state[1:2]["deck"]) == other_deck()
    assert Deck.from_values("other", state["deck"].reshape(3, 1)[1, 0:1].reshape(())) == other_deck()


def test_values_are_read_from_a_record_with_more_fields():
    state = np.zeros(1, dtype=np.dtype([("seed", np.int64), *DECK_VALUES.descr, ("pile", np.int8, (54,))]))
    for field in ("fire_value", "fireman_value", "contract_goods"):
        state[field] = other_deck().values()[field]
    assert Deck.from_values("other", state) == other_deck()


def test_cards_have_the_form_of_a_record():
    cards = standard_deck().cards()
    assert len(cards) == 54
    assert cards["fireman_1"] == {"kind": "fireman", "season": "A", "value": 1}
    assert cards["contract_1"] == {"kind": "contract", "season": "A", "goods": ["coffee", "carpet"]}
    assert cards["ship_1"] == {"kind": "ship", "season": "B"}
    assert cards["fire_4"] == {"kind": "fire", "season": "E", "value": 4}


def test_deck_cannot_be_changed_through_what_it_gives_out():
    deck = standard_deck()
    before = hash(deck)
    deck.cards()["contract_1"]["goods"].append("tea")
    deck.cards()["fire_1"]["value"] = 6
    deck.values()["fire_value"][0] = 6
    assert hash(deck) == before
    assert deck.cards()["contract_1"]["goods"] == ["coffee", "carpet"]
    assert deck.values()["fire_value"][0, 0] == 1


def test_deck_is_immutable_and_hashable():
    with pytest.raises(dataclasses.FrozenInstanceError):
        standard_deck().name = "mine"  # type: ignore[misc]
    same = dataclasses.replace(other_deck(), name="other")
    assert len({other_deck(), same, standard_deck()}) == 2


REFUSED_FIELDS: dict[str, tuple[dict[str, Any], str]] = {
    "empty name": ({"name": ""}, 'Deck(...): name="": must be a string that is not empty'),
    "blank name": (
        {"name": " \t"},
        'Deck(...): name=" \\t": must be a string that is not empty',
    ),
    "name is a number": ({"name": 7}, "Deck(...): name=7: must be a string that is not empty"),
    "name is None": (
        {"name": None},
        "Deck(...): name=None: must be a string that is not empty",
    ),
    "fires in a list": (
        {"fire_values": [2, 3, 4, 5]},
        "Deck(...): fire_values=a list of 4: must be a tuple of 4",
    ),
    "firemen in an array": (
        {"fireman_values": np.ones(10)},
        "Deck(...): fireman_values=an array of float64 with shape (10,): must be a tuple of 10",
    ),
    "nine contracts": (
        {"contract_goods": (("tea", "tea"),) * 9},
        "Deck(...): contract_goods=a tuple of 9: must be a tuple of 10",
    ),
    "goods in a list": (
        {"contract_goods": (("tea", "tea"),) * 9 + (["tea", "tea"],)},
        'Deck(...): card "contract_10": contract_goods=a list of 2: must be a tuple of goods',
    ),
    "goods in a string": (
        {"contract_goods": ("tea",) * 10},
        'Deck(...): card "contract_1": contract_goods="tea": must be a tuple of goods',
    ),
    "good in an array": (
        {"contract_goods": ((np.array(["tea"] * 2), "tea"),) + (("tea", "tea"),) * 9},
        'Deck(...): card "contract_1": good=an array of <U3 with shape (2,): '
        "must be coffee, tea, saffron, rubber or carpet",
    ),
    "fireman above the range": (
        {"fireman_values": (1, 6, 1, 2, 3, 4, 5, 3, 4, 5)},
        'Deck(...): card "fireman_2": value=6: must be a whole number from 1 to 5, the value of a fireman',
    ),
    "no autumn fireman of 3": (
        {"fireman_values": (3, 3, 3, 3, 3, 3, 3, 2, 4, 5)},
        'Deck(...): cards "fireman_8" to "fireman_10" have the values 2, 4, 5: '
        "one must be 3, the autumn fireman that setup takes out",
    ),
    "fires fall": (
        {"fire_values": (2, 3, 2, 5)},
        'Deck(...): card "fire_3": value=2: must be at least 3, the value of the fire before it',
    ),
}


@pytest.mark.parametrize(("change", "sentence"), REFUSED_FIELDS.values(), ids=REFUSED_FIELDS)
def test_no_deck_the_rules_forbid_can_be_made(change: dict[str, Any], sentence: str):
    with pytest.raises(DeckError) as refused:
        dataclasses.replace(standard_deck(), **change)
    assert str(refused.value) == f"{sentence}."


def with_good(row: int, place: int, good: int) -> np.ndarray:
    values = other_deck().values()
    values["contract_goods"][0, row, place] = good
    return values


NOT_VALUES: dict[str, tuple[Callable[[], Any], str]] = {
    "a list": (lambda: [1, 2], "values is a list of 2: must be one entry with the fields of DECK_VALUES"),
    "other dtype": (
        lambda: np.zeros(1),
        "values is an array of shape (1,) without the fields of DECK_VALUES: must be one entry",
    ),
    "two entries": (
        lambda: np.zeros(2, DECK_VALUES),
        "values is an array of shape (2,): must be one entry with the fields of DECK_VALUES",
    ),
    "field of another shape": (
        lambda: np.zeros(1, [("fire_value", "i1", (3,)), *DECK_VALUES.descr[1:]]),
        "values is an array of shape (1,) without the fields of DECK_VALUES: must be one entry",
    ),
    "good 5": (
        lambda: with_good(8, 0, 5),
        'card "contract_9": contract_goods=[5, 1, 1, 1]: must be good',
    ),
    "good -2": (
        lambda: with_good(0, 1, -2),
        'card "contract_1": contract_goods=[4, -2, -1, -1]: must be',
    ),
    "good after the end": (
        lambda: with_good(0, 3, 1),
        'card "contract_1": contract_goods=[4, 0, -1, 1]',
    ),
}


@pytest.mark.parametrize(("make_values", "piece"), NOT_VALUES.values(), ids=NOT_VALUES)
def test_values_that_are_no_deck_are_refused(make_values: Callable[[], Any], piece: str):
    with pytest.raises(DeckError) as refused:
        Deck.from_values("mine", make_values())
    assert str(refused.value).startswith("Deck.from_values(...): " + piece)


def test_values_out_of_range_are_refused():
    with pytest.raises(DeckError, match=r'card "fireman_1": value=0'):
        values = standard_deck().values()
        values["fireman_value"] = 0
        Deck.from_values("mine", values)


# Absent cards that setup does not explain, and the card the message must name.
UNEXPLAINED = {
    "a ship": (["ship_3"], "ship_3"),
    "a ship besides the removed": (["ship_3", "fireman_8", "port"], "ship_3"),
    "a building alone": (["port"], "port"),
    "a fireman alone": (["fireman_8"], "fireman_8"),
    "both buildings": (["boatsmen_church", "port"], "boatsmen_church"),
    "two autumn firemen": (["fireman_8", "fireman_9", "port"], "fireman_8"),
    "a spring fireman": (["fireman_5", "port"], "fireman_5"),
}


@pytest.mark.parametrize(("absent", "named"), UNEXPLAINED.values(), ids=UNEXPLAINED)
def test_record_may_lack_only_what_setup_takes_out(absent: list[str], named: str):
    cards = {card_id: card for card_id, card in standard_deck().cards().items() if card_id not in absent}
    with pytest.raises(DeckError) as refused:
        Deck.from_cards("standard", cards, "game.json")
    assert str(refused.value).startswith(f'game.json: card "{named}" is missing: season ')


def test_only_the_standard_numbers_may_be_called_standard():
    cards = standard_deck().cards()
    assert Deck.from_cards("standard", cards, "game.json") == standard_deck()
    cards["fire_4"]["value"] = 6
    other = Deck.from_cards("mine", cards, "game.json")
    fault = rf'deck="standard": must be another name, because these cards are edition {other.edition} and the standard '
    with pytest.raises(DeckError, match="^game.json: " + fault):
        Deck.from_cards("standard", cards, "game.json")
    with pytest.raises(DeckError, match=fault):
        dataclasses.replace(other, name="standard")
    with pytest.raises(DeckError, match=fault):
        Deck.from_values("standard", other.values())


def test_whole_numbers_of_numpy_are_as_good_as_pythons():
    standard = standard_deck()
    deck = dataclasses.replace(
        standard,
        fire_values=tuple(np.array(standard.fire_values)),
        fireman_values=tuple(np.array([*standard.fireman_values])),
    )
    assert deck == standard and all(type(value) is int for value in deck.fire_values + deck.fireman_values)


# The edition


def test_the_edition_of_the_standard_deck_is_pinned():
    assert standard_deck().edition == STANDARD_EDITION == edition_of("standard") == "efcd25c6"


def test_the_edition_tells_numbers_apart_and_nothing_else():
    deck = dataclasses.replace(standard_deck(), name="mine")
    assert deck.edition == standard_deck().edition
    reversed_goods = tuple(goods[::-1] for goods in deck.contract_goods)
    assert dataclasses.replace(deck, contract_goods=reversed_goods).edition == deck.edition
    others = (
        dataclasses.replace(deck, fire_values=(1, 2, 3, 5)),
        dataclasses.replace(deck, fireman_values=(2, *deck.fireman_values[1:])),
        dataclasses.replace(deck, contract_goods=(*deck.contract_goods[:9], ("tea", "tea"))),
    )
    assert len({deck.edition, *(other.edition for other in others)}) == 4


def test_the_edition_of_the_sampled_deck_is_that_of_the_numbers_drawn():
    assert edition_of("sampled") == "sampled"
    drawn = {Game(2, "sampled", seed=seed).deck.edition for seed in range(4)}
    assert len(drawn) == 4 and all(len(edition) == 8 for edition in drawn)


@pytest.mark.parametrize("cards", [None, [], "standard", 54])
def test_cards_of_a_record_must_be_a_table(cards: Any):
    with pytest.raises(DeckError, match=r"^game.json: cards=.*: must be a table of the 54 cards by id\.$"):
        Deck.from_cards("standard", cards, "game.json")


def test_name_in_a_record_is_checked():
    with pytest.raises(DeckError, match=r"^game.json: name=7: must be a string that is not empty\.$"):
        Deck.from_cards(7, standard_deck().cards(), "game.json")  # type: ignore[arg-type]
