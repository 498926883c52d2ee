"""Game records: what is written can be read by anybody, what is read is checked to the last move."""

from __future__ import annotations

import copy
import io
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from speicher_env import Game, RecordError, check_record, read_records, replay
from speicher_env.record import line_of
from speicher_env.rules.cards import CARD_IDS
from tests.support.games import OWN_DECK, PLAYER_COUNTS, random_game
from tests.support.naive import NaiveGame
from tests.support.naive import deal as naive_deal

pytestmark = pytest.mark.nojit

Record = dict[str, Any]
DECKS = {"standard": "standard", "sampled": "sampled", "own": OWN_DECK}

FINISHED = random_game(2, seed=7).to_record(legal=True)
RUNNING = random_game(3, seed=7, decisions=50).to_record(legal=True)


def naive_replay(record: Record) -> NaiveGame:
    """Play a record by the naive rules, comparing everything that it says about its moves."""
    twin = NaiveGame(record["players"], record["cards"], record["first_player"], record["pile"], record["bag"])
    for move in record["moves"]:
        assert move["player"] == twin.player
        assert move["legal"] == twin.legal()
        twin.play(move["action"])
    return twin


def naive_result(twin: NaiveGame) -> Record:
    points = [sources["total"] for sources in twin.points()]
    return {"points": points, "coins": [player.coins for player in twin.seats], "winners": twin.winners()}


def naive_record(players: int, seed: int) -> Record:
    """A record written without this software: dealt and played by the naive rules."""
    dealt = naive_deal(players, seed)
    rng = random.Random(seed)
    twin = NaiveGame(players, *dealt)
    moves = []
    while twin.player is not None:
        player, action = twin.player, rng.choice(twin.legal())
        moves.append({"player": player, "action": action})
        twin.play(action)
    return {
        "format": "speicherstadt-record/1",
        "players": players,
        "seed": seed,
        "deck": "standard",
        "cards": dealt.cards,
        "first_player": dealt.first_player,
        "pile": dealt.pile,
        "bag": dealt.bag,
        "moves": moves,
        "result": naive_result(twin),
    }


# Writing


def test_a_record_has_the_keys_of_the_format_and_plain_values() -> None:
    assert list(FINISHED) == [
        "format", "players", "seed", "deck", "edition", "cards", "first_player", "pile", "bag", "moves", "result",
    ]  # fmt: skip
    assert FINISHED["format"] == "speicherstadt-record/1"
    assert (FINISHED["players"], FINISHED["seed"], FINISHED["deck"]) == (2, 7, "standard")
    assert json.loads(json.dumps(FINISHED)) == FINISHED
    assert FINISHED["pile"][-1] == "fire_4" and len(FINISHED["pile"]) == 52
    assert set(FINISHED["cards"]) == set(FINISHED["pile"])
    assert list(FINISHED["cards"]) == [card for card in CARD_IDS if card in FINISHED["pile"]]
    assert FINISHED["cards"]["fireman_1"] == {"kind": "fireman", "season": "A", "value": 1}
    assert FINISHED["cards"]["contract_1"] == {"kind": "contract", "season": "A", "goods": ["coffee", "carpet"]}
    assert FINISHED["cards"]["ship_1"] == {"kind": "ship", "season": "B"}
    assert len(FINISHED["bag"]) == 45
    assert set(FINISHED["result"]) == {"points", "coins", "winners"}


@pytest.mark.parametrize("deck", DECKS)
def test_a_record_carries_the_edition_of_the_numbers_in_play(deck: str) -> None:
    game = Game(2, DECKS[deck], seed=3)
    assert game.to_record()["edition"] == game.deck.edition


def test_legal_lists_are_written_on_request() -> None:
    assert all(len(move["legal"]) >= 2 for move in FINISHED["moves"])
    assert all(set(move) == {"player", "action"} for move in random_game(2, seed=7, decisions=9).to_record()["moves"])


def test_a_running_game_has_no_result() -> None:
    assert RUNNING["result"] is None and len(RUNNING["moves"]) == 50


@pytest.mark.parametrize("players", PLAYER_COUNTS)
@pytest.mark.parametrize("deck", DECKS)
def test_a_record_is_played_by_the_naive_rules_to_the_same_result(players: int, deck: str) -> None:
    record = random_game(players, seed=3, deck=DECKS[deck]).to_record(legal=True)
    assert naive_result(naive_replay(record)) == record["result"]


# Reading


@pytest.mark.parametrize("players", PLAYER_COUNTS)
@pytest.mark.parametrize("deck", DECKS)
@pytest.mark.parametrize("decisions", [0, 45, None], ids=["dealt", "running", "over"])
def test_a_record_brings_the_game_back(players: int, deck: str, decisions: int | None) -> None:
    game = random_game(players, seed=4, deck=DECKS[deck], decisions=decisions)
    record = json.loads(line_of(game.to_record(legal=True)))
    assert check_record(record) == []
    again = Game.from_record(record)
    assert again.get_state() == game.get_state()
    assert again.to_record(legal=True) == record
    assert Game.from_record(record, check=False) == game


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_a_record_that_others_wrote_is_read(players: int) -> None:
    record = naive_record(players, seed=5)
    assert check_record(record) == []
    assert Game.from_record(record).over


def test_the_deal_comes_from_pile_and_bag_and_not_from_the_seed() -> None:
    record = {**FINISHED, "seed": 8}
    assert check_record(record) == []
    game = Game.from_record(record)
    assert game.seed == 8 and game.to_record(legal=True) == record


def test_the_edition_of_a_record_must_fit_its_cards() -> None:
    assert check_record({**FINISHED, "edition": "b7526c14"}) == [
        'edition="b7526c14": must be "efcd25c6", the edition of the cards.'
    ]
    assert check_record({**FINISHED, "edition": None})[0].startswith("edition=None: must be ")
    without = {key: value for key, value in FINISHED.items() if key != "edition"}
    assert check_record(without) == []


def test_a_record_must_not_call_other_cards_standard() -> None:
    record = copy.deepcopy(random_game(2, seed=1, deck="sampled", decisions=3).to_record())
    edition = record.pop("edition")
    assert check_record(record) == []
    assert check_record({**record, "deck": "standard"}) == [
        f'cards: deck="standard": must be another name, because these cards are edition {edition} '
        "and the standard deck is edition efcd25c6."
    ]


def test_any_autumn_fireman_of_value_3_may_be_the_one_taken_out() -> None:
    record = Game(3, OWN_DECK, seed=1).to_record()
    out = next(card for card in ("fireman_9", "fireman_10") if card not in record["pile"])
    other = "fireman_10" if out == "fireman_9" else "fireman_9"
    record["pile"] = [out if card == other else card for card in record["pile"]]
    record["cards"][out] = record["cards"].pop(other)
    assert check_record(record) == []
    assert Game.from_record(record).deck == OWN_DECK


def test_only_one_autumn_fireman_of_value_3_is_taken_out() -> None:
    record = Game(3, OWN_DECK, seed=1).to_record()
    left = next(card for card in ("fireman_9", "fireman_10") if card in record["pile"])
    record["pile"].remove(left)
    record["cards"] = OWN_DECK.cards()
    assert check_record(record) == [f'pile: card "{left}" is missing.']


def test_cards_may_list_those_taken_out() -> None:
    record = {**RUNNING, "cards": Game(3, seed=7).deck.cards()}
    assert check_record(record) == []


def test_keys_that_the_format_does_not_know_are_left_alone() -> None:
    record = copy.deepcopy(FINISHED)
    record["players_names"] = ["a", "b"]
    record["moves"][0]["seconds"] = 1.5
    assert check_record(record) == []


def test_replay_gives_the_game_before_every_move_and_at_the_end() -> None:
    seen = [(game.copy(), action) for game, action in replay(RUNNING)]
    assert [action for _, action in seen] == [move["action"] for move in RUNNING["moves"]] + [None]
    assert [game.player for game, _ in seen[:-1]] == [move["player"] for move in RUNNING["moves"]]
    assert [game.legal() for game, _ in seen[:-1]] == [move["legal"] for move in RUNNING["moves"]]
    assert seen[0][0] == Game(3, seed=7)
    assert seen[-1][0] == Game.from_record(RUNNING)


# Faults


def swapped(values: list[Any], one: int, other: int) -> None:
    values[one], values[other] = values[other], values[one]


def set_in(*path: Any, to: Any) -> Callable[[Record], None]:
    def edit(record: Record) -> None:
        place = record
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = to

    return edit


def drop(*path: Any) -> Callable[[Record], None]:
    def edit(record: Record) -> None:
        place = record
        for key in path[:-1]:
            place = place[key]
        del place[path[-1]]

    return edit


FAULTS: dict[str, tuple[Callable[[Record], object], str]] = {
    "another format": (
        set_in("format", to="speicherstadt-record/2"),
        'format="speicherstadt-record/2": must be',
    ),
    "no format": (drop("format"), "format is missing: must be"),
    "a missing key": (drop("bag"), "bag is missing."),
    "six players": (set_in("players", to=6), "players=6: must be a whole number 2..5"),
    "players as text": (set_in("players", to="2"), 'players="2": must be a whole number'),
    "players as truth": (set_in("players", to=True), "players=true: must be a whole number"),
    "a negative seed": (set_in("seed", to=-1), "seed=-1: must be a whole number 0..2**64-1"),
    "a seed as float": (set_in("seed", to=7.0), "seed=7.0: must be a whole number"),
    "a first player who is not there": (
        set_in("first_player", to=2),
        "first_player=2: must be a whole number 0..1",
    ),
    "a deck without a name": (set_in("deck", to=""), 'deck="": must be the name of a deck'),
    "cards as a list": (set_in("cards", to=[]), "cards"),
    "a card of another kind": (set_in("cards", "ship_1", "kind", to="shop"), 'card "ship_1": kind='),
    "a fire of value 9": (set_in("cards", "fire_1", "value", to=9), 'card "fire_1": value=9'),
    "a card less": (drop("cards", "ship_3"), 'card "ship_3" is missing'),
    "a card of the pile not listed": (
        lambda record: (
            record["cards"].pop("boatsmen_church"),
            record["cards"].update(port={"kind": "port", "season": "D"}),
        ),
        'cards: card "boatsmen_church" of the pile is missing',
    ),
    "a pile as text": (set_in("pile", to="ship_1"), 'pile="ship_1": must be a list'),
    "a misspelt card": (
        set_in("pile", 3, to="wearhouse"),
        'pile[3]="wearhouse": must be a card id, did you mean "warehouse"',
    ),
    "a number as card": (set_in("pile", 3, to=3), "pile[3]=3: must be a card id"),
    "the last card gone": (lambda record: record["pile"].pop(), 'pile: card "fire_4" is missing'),
    "the port back": (
        lambda record: record["pile"].insert(50, "port"),
        'pile: card "port" must be taken out',
    ),
    "the autumn fireman back": (
        lambda record: record["pile"].insert(50, "fireman_8"),
        "pile: an autumn fireman of value 3 must be taken out",
    ),
    "a card twice": (
        lambda record: record["pile"].insert(-1, "st_michaelis"),
        'pile: card "st_michaelis" is in it 2 times',
    ),
    "seasons in disorder": (lambda record: swapped(record["pile"], 11, 12), "pile[12]"),
    "the last fire not last": (
        lambda record: swapped(record["pile"], 50, 51),
        "the seasons must be in order, with fire_4 last",
    ),
    "a bag as table": (set_in("bag", to={}), "bag=a table: must be a list"),
    "a misspelt good": (set_in("bag", 0, to="cofee"), 'bag[0]="cofee": must be a good, did you mean "coffee"'),
    "a cube less": (lambda record: record["bag"].remove("tea"), "bag: it has 8 cubes of tea; must be 9"),
    "moves as text": (set_in("moves", to="place 0"), 'moves="place 0": must be a list of moves'),
    "a move as text": (set_in("moves", 2, to="place 0"), 'moves[2]="place 0": must be a table'),
    "a move without action": (
        drop("moves", 2, "action"),
        "moves[2]: action is missing: must be the text of an action",
    ),
    "an id as action": (set_in("moves", 2, "action", to=0), "moves[2]: action=0: must be the text"),
    "a misspelt action": (set_in("moves", 2, "action", to="plac 0"), 'moves[2]: action="plac 0": must be the text'),
    "an action in other spacing": (
        set_in("moves", 2, "action", to="place  0"),
        'moves[2]: action="place  0": must be "place 0"',
    ),
    "an illegal action": (set_in("moves", 2, "action", to="buy"), 'moves[2]: action="buy": must be place 0'),
    "a move after the end": (
        lambda record: record["moves"].append({"player": 0, "action": "end"}),
        'action="end": the game is over',
    ),
    "another player": (
        lambda record: record["moves"][2].update(player=1 - record["moves"][2]["player"]),
        "moves[2]: player=",
    ),
    "a player as truth": (
        lambda record: record["moves"][2].update(player=bool(record["moves"][2]["player"])),
        "moves[2]: player=",
    ),
    "no player": (drop("moves", 2, "player"), "moves[2]: player is missing: must be"),
    "a legal action too many": (
        lambda record: record["moves"][2]["legal"].append("place 5"),
        'moves[2]: legal lists "place 5", which is not legal',
    ),
    "a legal action too few": (
        lambda record: record["moves"][2]["legal"].pop(),
        'moves[2]: legal does not list "place 2", which is legal',
    ),
    "legal actions in disorder": (
        lambda record: record["moves"][2]["legal"].reverse(),
        "moves[2]: legal must list the legal actions in action order",
    ),
    "legal as text": (set_in("moves", 2, "legal", to="place 0"), 'moves[2]: legal="place 0": must be a list'),
    "no result": (set_in("result", to=None), "result=None: must be a table, because the game is over"),
    "other points": (lambda record: set_in("result", "points", 0, to=99)(record), "result: points=[99,"),
    "other coins": (set_in("result", "coins", to=[1]), "result: coins=[1]: must be ["),
    "other winners": (set_in("result", "winners", to=[]), "result: winners=[]: must be ["),
    "winners missing": (drop("result", "winners"), "result: winners=null: must be ["),
    "points that are no list": (set_in("result", "points", to=7), "result: points=7: must be ["),
    "a truncated game": (
        lambda record: record["moves"].pop(),
        "result=a table: must be null, because the game is not over",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_in_one_sentence(fault: str) -> None:
    edit, words = FAULTS[fault]
    record = copy.deepcopy(FINISHED)
    edit(record)
    faults = check_record(record)
    assert any(words in one for one in faults), faults
    assert all("\n" not in one for one in faults)
    with pytest.raises(RecordError) as caught:
        Game.from_record(record)
    assert str(caught.value) == faults[0]


def test_a_record_that_is_no_table_is_a_fault() -> None:
    assert check_record([]) == ["record=a list of 0: must be a table with the keys of speicherstadt-record/1."]  # type: ignore[arg-type]


def test_every_fault_gets_its_sentence() -> None:
    record = copy.deepcopy(FINISHED)
    record["moves"][0]["player"] = 1 - record["moves"][0]["player"]
    record["moves"][5]["legal"].pop()
    record["result"]["coins"] = [0, 0]
    assert [fault.partition("=")[0].partition(" does")[0] for fault in check_record(record)] == [
        "moves[0]: player",
        "moves[5]: legal",
        "result: coins",
    ]
    record["players"], record["bag"] = 9, []
    assert [fault.partition("=")[0] for fault in check_record(record)] == ["players"]


def test_an_illegal_move_says_that_no_later_move_was_checked() -> None:
    record = copy.deepcopy(FINISHED)
    record["moves"][5]["action"] = "end"
    (fault,) = check_record(record)
    assert fault.endswith(f"{len(record['moves']) - 6} later moves were not checked.")


def test_replay_and_unchecked_reading_refuse_an_illegal_move_all_the_same() -> None:
    record = copy.deepcopy(RUNNING)
    record["moves"][5]["action"] = "end"
    with pytest.raises(RecordError, match=r'moves\[5\]: action="end": must be'):
        Game.from_record(record, check=False)
    positions = replay(record)
    assert [action for _, action in (next(positions) for _ in range(5))] == [m["action"] for m in record["moves"][:5]]
    with pytest.raises(RecordError, match=r'moves\[5\]: action="end": must be'):
        next(positions)
    record["moves"] = None
    for read in (lambda: next(replay(record)), lambda: Game.from_record(record, check=False)):
        with pytest.raises(RecordError, match="moves=None: must be a list"):
            read()


def test_unchecked_reading_believes_players_legal_lists_and_the_result() -> None:
    record = copy.deepcopy(FINISHED)
    record["moves"][0].update(player=5, legal=[])
    record["result"] = "whatever"
    assert Game.from_record(record, check=False) == Game.from_record(FINISHED)


# Files


def test_a_file_gives_its_records_with_their_lines() -> None:
    lines = [line_of(FINISHED), "\n", line_of(RUNNING)]
    for stream in (io.StringIO("".join(lines)), io.BytesIO("".join(lines).encode("utf-8-sig")), lines):
        assert list(read_records(stream, "games.jsonl")) == [
            ("games.jsonl, line 1", FINISHED),
            ("games.jsonl, line 3", RUNNING),
        ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (line_of(FINISHED)[:-30].encode(), "line 2: "),
        (b'{"format": \n', "must be one whole game record in JSON"),
        (b"[]\n", "line 2: is not a JSON object but a list; must be one whole game record in JSON."),
        (b'"\xff"\n', "line 2: is not UTF-8 text"),
        (b'{"a": NaN}\n', "line 2: holds NaN, which is not a number of JSON"),
        (b'{"a": 1, "b": 2, "a": 3}\n', 'line 2: holds the key "a" twice in one object'),
        (b"[" * 100_000 + b"\n", "line 2: is nested more than 50 levels deep"),
        (b'{"a": ' + b"1" * 5000 + b"}\n", "line 2: "),
    ],
    ids=["truncated", "unfinished", "a list", "not UTF-8", "NaN", "a key twice", "too deep", "too many digits"],
)
def test_a_line_that_is_no_record_is_named(line: bytes, words: str) -> None:
    records = read_records([line_of(FINISHED).encode(), line], "games.jsonl")
    next(records)
    with pytest.raises(RecordError) as caught:
        next(records)
    assert str(caught.value).startswith("games.jsonl, line 2: ")
    assert words in str(caught.value) and "\n" not in str(caught.value)
