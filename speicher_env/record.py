"""Game records, `speicherstadt-record/1`: writing them, reading them, checking them, playing them again.

A record is one JSON object with all that is needed to play the game again without this software: the cards, the pile
and the bag as shuffled, the first player and every decision. Files hold one record on each line. A record is played
from its pile and bag, never from its seed, so records of other programs work as well. Two keys are optional: `edition`
(of the deck, see `speicher_env.deck`) and `think` (what the players thought, see `speicher_env.thoughts`). Unknown
keys are ignored.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from speicher_env.arguments import SEEDS, is_whole
from speicher_env.deck import Deck, DeckError
from speicher_env.errors import IllegalAction, RecordError
from speicher_env.game import Game
from speicher_env.messages import field_must_be, must_be, nearest, shown
from speicher_env.reading import decoded, parse_json
from speicher_env.rules.actions import ACTION_TEXTS, UnknownAction, parse_action
from speicher_env.rules.cards import (
    CARD_IDS,
    CUBES_PER_GOOD,
    GOODS,
    N_CARDS,
    N_CUBES,
    SEASON_NAMES,
    SEASON_OF,
)
from speicher_env.rules.setup import LEAVING_BUILDING, LEAVING_FIREMAN, leaving_firemen
from speicher_env.rules.state import EMPTY, MAX_PLAYERS, MIN_PLAYERS
from speicher_env.rules.stream import MAX_SEED
from speicher_env.thoughts import think_faults

__all__ = [
    "FORMAT",
    "check_record",
    "game_of",
    "line_of",
    "numbered_lines",
    "parse_line",
    "read_records",
    "record_of",
    "replay",
]

FORMAT = "speicherstadt-record/1"
"""The name and version of the format, in every record."""
LONGEST_LINE = 4 * 2**20
"""Bytes of a record; one with legal lists and thoughts has about a tenth of that."""
_ONE_RECORD = "one whole game record in JSON"
_KEYS = ("format", "players", "seed", "deck", "cards", "first_player", "pile", "bag", "moves", "result")
Record = dict[str, Any]


class _Deal(NamedTuple):
    """The deal of a record, checked."""

    players: int
    seed: int
    deck: Deck
    first_player: int
    pile: list[int]
    bag: list[int]


# Writing


def record_of(game: Game, *, legal: bool) -> Record:
    """The record of a game, see `Game.to_record`."""
    actions = game.move_ids
    if actions is None:
        raise RecordError("the game was set from a bare state, so its moves are unknown and it has no record")
    again = game.start()
    state = again.state
    pile = [CARD_IDS[card] for card in state["pile"][: state["pile_size"]]]
    deck = game.deck
    cards = deck.cards()
    moves = []
    first_player = again.first_player
    for action in actions:
        move: Record = {"player": again.player, "action": ACTION_TEXTS[action]}
        if legal:
            move["legal"] = again.legal()
        moves.append(move)
        again.play(action)
    return {
        "format": FORMAT,
        "players": game.num_players,
        "seed": game.seed,
        "deck": game.deck_name,
        "edition": deck.edition,
        "cards": {card: cards[card] for card in CARD_IDS if card in set(pile)},
        "first_player": first_player,
        "pile": pile,
        "bag": [GOODS[good] for good in state["bag"]],
        "moves": moves,
        "result": _result(game),
    }


def _result(game: Game) -> Record | None:
    if not game.over:
        return None
    totals = [points["total"] for points in game.points()]
    return {"points": totals, "coins": game.coins, "winners": game.winners()}


def line_of(record: Record) -> str:
    """A record as one line of a file, its end included."""
    return json.dumps(record, separators=(",", ":")) + "\n"


# Reading


def read_records(stream: Iterable[str | bytes], where: str) -> Iterator[tuple[str, Record]]:
    """The records of a file of JSON lines, each with its place, such as "games.jsonl, line 3".

    Args:
        stream: The lines, as text or as UTF-8; empty lines are skipped.
        where: The file's name in messages.

    Raises:
        RecordError: At the first line that is not a JSON object. Its content is not checked, see `check_record`.
    """
    for place, line in numbered_lines(stream, where):
        yield place, parse_line(line, place)


def numbered_lines(stream: Iterable[str | bytes], where: str) -> Iterator[tuple[str, str | bytes]]:
    """The lines of a file that are not empty, each with its place.

    Raises:
        RecordError: At a line of more than `LONGEST_LINE` bytes, which is not read to its end.
    """
    readline = getattr(stream, "readline", None)
    lines = iter(stream) if readline is None else iter(lambda: readline(LONGEST_LINE + 1), readline(0))
    for number, line in enumerate(lines, start=1):
        if len(line) > LONGEST_LINE:
            raise RecordError(f"{where}, line {number}: is longer than {LONGEST_LINE >> 20} MB; must be {_ONE_RECORD}.")
        if line.strip():
            yield f"{where}, line {number}", line


def parse_line(line: str | bytes, where: str) -> Record:
    """The JSON object of one line; `where` begins the message if the line is not one.

    Size, depth and numbers are bounded, see `speicher_env.reading.parse_json`.
    """
    if len(line) > LONGEST_LINE:
        raise RecordError(f"{where}: is longer than {LONGEST_LINE >> 20} MB; must be {_ONE_RECORD}.")
    text = decoded(line, where, _ONE_RECORD, RecordError) if isinstance(line, bytes) else line
    return parse_json(text.removeprefix("\ufeff"), where, _ONE_RECORD, RecordError, unique_keys=True)


# Playing again


def replay(record: Mapping[str, Any]) -> Iterator[tuple[Game, str | None]]:
    """Play a record: give the game before each move with that move's action, and at last the game and None.

    The game is always the same object: copy it to keep a position. Legal lists, players and the result are not
    compared, see `check_record`.

    Raises:
        RecordError: Before the first position if the deal is wrong, else at a move that is not legal.
    """
    game, moves = _begin(record)
    for index, move in enumerate(moves):
        action = _action(move, f"moves[{index}]")
        if action not in game.legal():
            raise RecordError(_illegal(game, action, index))
        yield game, action
        game.play(action)
    yield game, None


def game_of(record: Mapping[str, Any], *, check: bool) -> Game:
    """The game of a record at its last move, see `Game.from_record`."""
    if check:
        game, faults = _checked(record)
        if game is None or faults:
            raise RecordError(faults[0])
        return game
    game, moves = _begin(record)
    for index, move in enumerate(moves):
        action = _action(move, f"moves[{index}]")
        try:
            game.play(action)
        except IllegalAction:
            raise RecordError(_illegal(game, action, index)) from None
    return game


def check_record(record: Mapping[str, Any]) -> list[str]:
    """All faults of a record, one sentence each; an empty list for a right record.

    Checking ends at a fault in the deal and at a move that is not legal: later faults are not found.
    """
    return _checked(record)[1]


def _begin(record: Mapping[str, Any]) -> tuple[Game, list[Any]]:
    """The dealt game and the moves of a record; `RecordError` at the first fault in either."""
    faults: list[str] = []
    deal = _deal(record, faults)
    moves = _moves(record, faults) if deal is not None else []
    if deal is None or faults:
        raise RecordError(faults[0])
    return _dealt(deal), moves


def _dealt(deal: _Deal) -> Game:
    return Game.deal(
        deal.players, deal.deck, first_player=deal.first_player, pile=deal.pile, bag=deal.bag, seed=deal.seed
    )


def _checked(record: Mapping[str, Any]) -> tuple[Game | None, list[str]]:
    """The game of a record as far as it can be played, and all its faults."""
    faults: list[str] = []
    deal = _deal(record, faults)
    if deal is None:
        return None, faults
    moves = _moves(record, faults)
    game = _dealt(deal)
    for index, move in enumerate(moves):
        try:
            action = _action(move, f"moves[{index}]")
            legal = game.legal()
            if action not in legal:
                raise RecordError(_illegal(game, action, index))
        except RecordError as error:
            unchecked = len(moves) - index - 1
            faults.append(f"{error} {unchecked} later moves were not checked." if unchecked else str(error))
            return game, faults
        faults += _move_faults(move, f"moves[{index}]", game.player, legal)
        game.play(action)
    faults += _result_faults(record.get("result"), game)
    if isinstance(record["moves"], list | tuple):
        faults += think_faults(record)
    return game, faults


def _action(move: Any, place: str) -> str:
    """The action of a move, one of the 184 texts to the letter."""
    if not isinstance(move, Mapping):
        raise RecordError(must_be(place, move, "a table with player and action"))
    text = move.get("action")
    if not isinstance(text, str):
        raise RecordError(field_must_be(move, "action", "the text of an action", place))
    try:
        action = ACTION_TEXTS[parse_action(text)]
    except UnknownAction as error:
        raise RecordError(f"{place}: {error}") from None
    if action != text:
        raise RecordError(must_be("action", text, shown(action), place))
    return action


def _illegal(game: Game, action: str, index: int) -> str:
    return f"moves[{index}]: {IllegalAction(game.phase, game.player, action, game.legal())}"


# Checking. Every function below gives the faults of one part, as sentences that begin with its key.


def _whole(record: Mapping[str, Any], key: str, low: int, high: int, faults: list[str]) -> int | None:
    value = record.get(key)
    if is_whole(value) and low <= value <= high:
        return int(value)
    allowed = SEEDS if high == MAX_SEED else f"a whole number {low}..{high}"
    faults.append(field_must_be(record, key, allowed))
    return None


def _deal(record: Mapping[str, Any], faults: list[str]) -> _Deal | None:
    """The deal of a record, or None and at least one fault."""
    if not isinstance(record, Mapping):
        faults.append(must_be("record", record, f"a table with the keys of {FORMAT}"))
        return None
    if record.get("format") != FORMAT:
        faults.append(field_must_be(record, "format", f'"{FORMAT}"'))
        return None
    faults += [f"{key} is missing." for key in _KEYS if key not in record]
    if faults:
        return None
    players = _whole(record, "players", MIN_PLAYERS, MAX_PLAYERS, faults)
    seed = _whole(record, "seed", 0, MAX_SEED, faults)
    deck = _deck(record, faults)
    first_player = None
    if players is not None:
        first_player = _whole(record, "first_player", 0, players - 1, faults)
    pile = _numbers(record, "pile", CARD_IDS, "a card id", faults)
    bag = _numbers(record, "bag", GOODS, "a good", faults)
    if players is None or seed is None or deck is None or first_player is None or pile is None or bag is None:
        return None
    faults += _pile_faults(pile, players, deck)
    faults += _bag_faults(bag)
    missing = [CARD_IDS[card] for card in pile if CARD_IDS[card] not in record["cards"]]
    faults += [f'cards: card "{card}" of the pile is missing.' for card in missing]
    return None if faults else _Deal(players, seed, deck, first_player, pile, bag)


def _deck(record: Mapping[str, Any], faults: list[str]) -> Deck | None:
    name = record["deck"]
    if not isinstance(name, str) or not name.strip():
        faults.append(must_be("deck", name, "the name of a deck"))
        return None
    try:
        deck = Deck.from_cards(name, record["cards"], "cards")
    except DeckError as error:
        faults.append(str(error))
        return None
    if "edition" in record and record["edition"] != deck.edition:
        faults.append(must_be("edition", record["edition"], f'"{deck.edition}", the edition of the cards'))
        return None
    return deck


def _numbers(
    record: Mapping[str, Any], key: str, names: tuple[str, ...], what: str, faults: list[str]
) -> list[int] | None:
    """A list of names as numbers, or None and at least one fault."""
    entries = record[key]
    if not isinstance(entries, list | tuple):
        faults.append(must_be(key, entries, "a list"))
        return None
    wrong = [
        must_be(f"{key}[{place}]", name, what + nearest(name, names))
        for place, name in enumerate(entries)
        if not isinstance(name, str) or name not in names
    ]
    faults += wrong
    return None if wrong else [names.index(name) for name in entries]


def _pile_faults(pile: list[int], players: int, deck: Deck) -> Iterator[str]:
    """The faults of a pile: cards that are in it twice, wrongly or not at all, and the order of the seasons."""
    counts = Counter(pile)
    yield from (f'pile: card "{CARD_IDS[card]}" is in it {count} times.' for card, count in counts.items() if count > 1)
    building = int(LEAVING_BUILDING[players])
    out = {card for card in range(N_CARDS) if card not in counts}
    if building != EMPTY:
        if building not in out:
            yield f'pile: card "{CARD_IDS[building]}" must be taken out with {players} players.'
        out.discard(building)
        leaving = [card for card in leaving_firemen(deck.fireman_values) if card in out]
        if not leaving:
            yield f"pile: an autumn fireman of value {LEAVING_FIREMAN} must be taken out with {players} players."
        out -= set(leaving[:1])
    yield from (f'pile: card "{CARD_IDS[card]}" is missing.' for card in sorted(out))
    for place in range(1, len(pile)):
        season, before = SEASON_OF[pile[place]], SEASON_OF[pile[place - 1]]
        if season < before:
            yield (
                f'pile[{place}]: card "{CARD_IDS[pile[place]]}" ({SEASON_NAMES[season]}) comes after one of '
                f"{SEASON_NAMES[before]}; the seasons must be in order, with fire_4 last."
            )


def _bag_faults(bag: list[int]) -> Iterator[str]:
    for good, name in enumerate(GOODS):
        if bag.count(good) != CUBES_PER_GOOD:
            yield f"bag: it has {bag.count(good)} cubes of {name}; must be {CUBES_PER_GOOD} ({N_CUBES} in all)."


def _moves(record: Mapping[str, Any], faults: list[str]) -> list[Any]:
    moves = record["moves"]
    if isinstance(moves, list | tuple):
        return list(moves)
    faults.append(must_be("moves", moves, "a list of moves"))
    return []


def _move_faults(move: Mapping[str, Any], place: str, player: int | None, legal: list[str]) -> Iterator[str]:
    """The faults of a legal move: the name of another player, a wrong list of legal actions."""
    seat = move.get("player")
    if not is_whole(seat) or seat != player:
        yield field_must_be(move, "player", f"{player}, the player to move", place)
    if "legal" in move and move["legal"] != legal:
        yield _legal_fault(move["legal"], legal, place)


def _legal_fault(given: Any, legal: list[str], place: str) -> str:
    if not isinstance(given, list | tuple):
        return must_be("legal", given, "a list of action texts", place)
    for action in given:
        if action not in legal:
            return f"{place}: legal lists {shown(action)}, which is not legal."
    for action in legal:
        if action not in given:
            return f'{place}: legal does not list "{action}", which is legal.'
    return f"{place}: legal must list the legal actions in action order, each once."


def _result_faults(result: Any, game: Game) -> Iterator[str]:
    right = _result(game)
    if right is None:
        if result is not None:
            yield must_be("result", result, "null, because the game is not over after its last move")
        return
    if not isinstance(result, Mapping):
        yield must_be("result", result, "a table, because the game is over after its last move")
        return
    for key, value in right.items():
        if result.get(key) != value or not all(map(is_whole, result[key])):
            given = json.dumps(result.get(key))[:80]
            yield f"result: {key}={given}: must be {value}."
