"""The forms of single games: decks, records, snapshots and states."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from speicher_apps.replay_page import page
from speicher_env import Deck, Game, RecordError, check_record, load_deck, read_records, replay, standard_deck
from speicher_env.record import line_of, parse_line
from speicher_env.snapshot import MAGIC
from speicher_env.thoughts import thoughts
from tests.support import fuzz_states
from tests.support.fuzz_inputs.forms import (
    ACCEPTED,
    REFUSED,
    UNCHANGED,
    Form,
    Parts,
    check_sentence,
    expect,
    play_to_the_end,
)
from tests.support.fuzz_inputs.mutations import damaged, damaged_json, damaged_toml
from tests.support.games import OWN_DECK, random_game

MARKER = "<script>alert(1)</script>"
"""A text that must never reach a page as it is."""

# Decks


def _decks(own: Path, shared: Path) -> bytes:
    import speicher_env.deck as package

    return (Path(package.__file__).parent / "standard.toml").read_bytes()


def _damaged_deck(rng: random.Random, standard: bytes) -> Parts:
    settings = [b'name = "mine"', b'bank = { kind = "bank", season = "C" }', b"[cards]", b"[x]", b"cards = 3"]
    return {"file": damaged_toml(b'name = "mine"\n' + standard, rng, settings), "seed": rng.getrandbits(32)}


def _read_deck(parts: Parts, standard: bytes, place: Path) -> str:
    Path("deck.toml").write_bytes(parts["file"])
    deck = load_deck("deck.toml")
    expect(Deck.from_cards(deck.name, deck.cards(), "deck") == deck, "the deck is another one when it is read again")
    play_to_the_end(Game(2 + parts["seed"] % 4, deck, parts["seed"]), parts["seed"])
    return UNCHANGED if deck.edition == standard_deck().edition else ACCEPTED


# Records


def _records(own: Path, shared: Path) -> list[dict[str, Any]]:
    records = []
    for players in (2, 3, 4, 5):
        whole, part = random_game(players, seed=players), random_game(players, seed=players, decisions=30)
        records += [whole.to_record(), part.to_record(legal=players == 2)]
    game = random_game(3, seed=9, deck=OWN_DECK)
    think = [
        {"player": "mcts:9", "probabilities": {move["action"]: 0.75}, "values": [0.5, -0.25, -0.25], "line": ["pass"]}
        for move in game.to_record()["moves"]
    ]
    return [*records, {**game.to_record(), "think": think, "seats": ["human", "merchant", "mcts:9"]}]


def _damaged_record(rng: random.Random, records: list[dict[str, Any]]) -> Parts:
    other = line_of(rng.choice(records)).encode()
    return {"line": damaged_json(rng.choice(records), rng, other), "page": rng.random() < 0.05}


def _read_record(parts: Parts, records: list[dict[str, Any]], place: Path) -> str:
    line = parts["line"]
    list(read_records([line, b"\n", line], "games.jsonl"))
    record = parse_line(line, "line 1")
    faults = check_record(record)
    for fault in faults:
        check_sentence(fault)
    for read in (_checked, _unchecked, _replayed, thoughts, *([_page] if parts["page"] else [])):
        try:
            read(record)
        except RecordError as error:
            check_sentence(str(error))
            expect(bool(faults), f"{read.__name__} refuses a record without faults: {error}")
    if faults:
        return REFUSED
    game = Game.from_record(record)
    again = Game.from_record(json.loads(line_of(game.to_record())))
    expect(again == game, "the game is another one when its record is read again")
    play_to_the_end(game, 1)
    return UNCHANGED if any(record == sound for sound in records) else ACCEPTED


def _checked(record: dict[str, Any]) -> None:
    Game.from_record(record)


def _unchecked(record: dict[str, Any]) -> None:
    play_to_the_end(Game.from_record(record, check=False), 1)


def _replayed(record: dict[str, Any]) -> None:
    for _ in replay(record):
        pass


def _page(record: dict[str, Any]) -> None:
    expect(MARKER not in page(record), "a page holds a script of the record")


# Snapshots


def _snapshots(own: Path, shared: Path) -> list[bytes]:
    snapshots = []
    for players in (2, 3, 4, 5):
        for decisions in (0, 12, 40, None):
            game = random_game(
                players, seed=players, deck=OWN_DECK if players == 3 else "standard", decisions=decisions
            )
            snapshots.append(game.get_state())
            snapshots.append(Game.from_state(game.state).get_state() if players != 3 else game.get_state())
    return snapshots


def _damaged_snapshot(rng: random.Random, snapshots: list[bytes]) -> Parts:
    data = rng.choice(snapshots)
    if rng.random() < 0.3:  # the header's numbers
        place = len(MAGIC) + 2 * rng.randrange(6)
        return {"data": data[:place] + rng.randbytes(rng.choice((1, 2, 4))) + data[place + 2 :]}
    return {"data": damaged(data, rng, rng.choice(snapshots))}


def _read_snapshot(parts: Parts, snapshots: list[bytes], place: Path) -> str:
    data = parts["data"]
    game = Game.from_state(data)
    expect(game.get_state() == data, "a snapshot is not the one that it was read from")
    play_to_the_end(game, 1)
    if game.moves is not None:
        expect(Game.from_record(game.to_record()) == game, "the moves of a snapshot do not lead to its state")
    return UNCHANGED if data in snapshots else ACCEPTED


# States


def _damaged_state(rng: random.Random, base: None) -> Parts:
    return {"seed": rng.getrandbits(48)}


def _read_state(parts: Parts, base: None, place: Path) -> str:
    return {
        fuzz_states.REFUSED: REFUSED,
        fuzz_states.ACCEPTED: ACCEPTED,
        fuzz_states.UNCHANGED: UNCHANGED,
    }[fuzz_states.try_one(parts["seed"])]


DECK = Form("deck", _decks, _damaged_deck, _read_deck)
RECORD = Form("record", _records, _damaged_record, _read_record)
SNAPSHOT = Form("snapshot", _snapshots, _damaged_snapshot, _read_snapshot)
STATE = Form("state", lambda own, shared: None, _damaged_state, _read_state)
