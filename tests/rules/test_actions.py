"""The 184 actions: ids, texts, order and parsing. The numbering is part of the interface."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest

from speicher_env.rules.actions import ACTION_TEXTS, ACTIONS, N_ACTIONS, UnknownAction, parse_action

pytestmark = pytest.mark.nojit

GOODS = ("coffee", "tea", "saffron", "rubber", "carpet")


def test_there_are_184_different_actions() -> None:
    assert N_ACTIONS == len(ACTION_TEXTS) == len(set(ACTION_TEXTS)) == 184
    assert [action.id for action in ACTIONS] == list(range(184))
    assert tuple(action.text for action in ACTIONS) == ACTION_TEXTS


def test_rows_of_the_table_and_their_counts() -> None:
    rows = [(verb, len(list(texts))) for verb, texts in groupby(ACTION_TEXTS, key=lambda text: text.split()[0])]
    assert rows == [
        ("place", 6),
        ("buy", 1),
        ("pass", 1),
        ("deliver", 50),
        ("sell", 5),
        ("convert", 100),
        ("trade", 15),
        ("discard", 5),
        ("end", 1),
    ]


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (0, "place 0"),
        (5, "place 5"),
        (6, "buy"),
        (7, "pass"),
        (8, "deliver coffee contract_1"),
        (12, "deliver carpet contract_1"),
        (13, "deliver coffee contract_2"),
        (57, "deliver carpet contract_10"),
        (58, "sell coffee"),
        (62, "sell carpet"),
        (63, "convert coffee coffee coffee to tea"),
        (66, "convert coffee coffee coffee to carpet"),
        (67, "convert coffee coffee tea to saffron"),
        (162, "convert carpet carpet carpet to rubber"),
        (163, "trade coffee coffee"),
        (164, "trade coffee tea"),
        (177, "trade carpet carpet"),
        (178, "discard coffee"),
        (182, "discard carpet"),
        (183, "end"),
    ],
)
def test_ids_of_actions(action: int, text: str) -> None:
    assert ACTION_TEXTS[action] == text
    assert parse_action(text) == action


def test_order_within_the_rows() -> None:
    """Contract by contract and good by good; by the three goods, then the one taken; by the two goods."""
    expected = [f"place {column}" for column in range(6)]
    expected += ["buy", "pass"]
    expected += [f"deliver {good} contract_{k}" for k in range(1, 11) for good in GOODS]
    expected += [f"sell {good}" for good in GOODS]
    for first in range(5):
        for second in range(first, 5):
            for third in range(second, 5):
                three = (GOODS[first], GOODS[second], GOODS[third])
                expected += [f"convert {' '.join(three)} to {good}" for good in GOODS if good not in three]
    expected += [f"trade {GOODS[first]} {GOODS[second]}" for first in range(5) for second in range(first, 5)]
    expected += [f"discard {good}" for good in GOODS]
    expected += ["end"]
    assert list(ACTION_TEXTS) == expected


def test_what_an_action_moves_is_what_its_text_says() -> None:
    for action in ACTIONS:
        words = action.text.split()
        given, _, taken = action.text.partition(" to ")
        named = [word for word in given.split() if word in GOODS]
        assert action.verb == words[0]
        assert list(action.gives) == [named.count(good) for good in GOODS]
        assert action.takes == (GOODS.index(taken) if taken else None)
        assert action.column == (int(words[1]) if action.verb == "place" else None)
        contract = int(words[2].removeprefix("contract_")) - 1 if action.verb == "deliver" else None
        assert action.contract == contract


def test_every_text_and_every_id_parses_to_its_id() -> None:
    for action, text in enumerate(ACTION_TEXTS):
        assert parse_action(text) == action
        assert parse_action(action) == action
        assert parse_action(np.int64(action)) == action
        assert parse_action(np.uint8(action)) == action
        assert type(parse_action(np.int64(action))) is int


def test_spaces_around_the_words_do_not_matter() -> None:
    assert parse_action("  convert tea  tea tea to\tcarpet ") == parse_action("convert tea tea tea to carpet")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("plase 2", 'action="plase 2": must be the text of an action, did you mean "place 2"?'),
        ("place 6", 'action="place 6": must be the text of an action, did you mean "place'),
        ("sell gold", 'action="sell gold": must be the text of an action, did you mean "sell'),
        ("convert tea tea tea to tea", 'did you mean "convert tea tea tea to'),
        ("trade tea coffee", 'must be the text of an action, did you mean "trade'),
        ("", "that begins with place, buy, pass, deliver, sell, convert, trade, discard or end."),
        ("xyzzy", 'action="xyzzy": must be the text of an action that begins with place, buy'),
        (184, "action=184: must be an id 0..183."),
        (-1, "action=-1: must be an id 0..183."),
        (np.int64(2**40), "must be an id 0..183."),
        (True, "action=true: must be the text of an action or an id 0..183."),
        (np.bool_(True), "must be the text of an action or an id 0..183."),
        (2.0, "action=2.0: must be the text of an action or an id 0..183."),
        (None, "action=None: must be the text of an action or an id 0..183."),
        ([2], "action=a list of 1: must be the text of an action or an id 0..183."),
        (b"buy", "action=a value of type bytes: must be the text of an action or an id 0..183."),
    ],
)
def test_a_wrong_action_is_refused_with_what_would_be_right(wrong: object, message: str) -> None:
    with pytest.raises(UnknownAction) as caught:
        parse_action(wrong)  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
