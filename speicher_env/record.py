"""Game records, `speicherstadt-record/1`: writing them, reading them, checking them, playing them again.

A record is one JSON object that holds all that is needed to play the game again without this software: the cards, the
pile and the bag as shuffled, the first player and every decision. Files hold one record a line. A record is played
from its pile and bag, never from its seed, so records of other programs are as good. Keys that the format does not
know are left alone. One that it knows and does not ask for is `think`, what the players thought, see
`speicher_env.thoughts`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from speicher_env.arguments import is_whole
from speicher_env.deck import Deck, DeckError
from speicher_env.deck.checks import AUTUMN_FIREMEN
from speicher_env.deck.values import REMOVED_FIREMAN_VALUE
from speicher_env.errors import IllegalAction, RecordError
from speicher_env.game import Game
from speicher_env.messages import must_be, nearest, shown
from speicher_env.reading import decoded, parse_json
from speicher_env.rules.actions import ACTION_TEXTS, UnknownAction, parse_action
from speicher_env.rules.cards import (
    CARD_IDS,
    CARD_NUMBER,
    CHURCH_CARD,
    CUBES_PER_GOOD,
    GOODS,
    N_CUBES,
    PORT_CARD,
    SEASON_NAMES,
    SEASON_OF,
)
from speicher_env.rules.state import MAX_PLAYERS, MIN_PLAYERS
from speicher_env.rules.stream import MAX_SEED
from speicher_env.thoughts import think_faults

FORMAT = "speicherstadt-record/1"
LONGEST_LINE = 4 * 2**20
"""Bytes of a record; one with legal lists and thoughts has about a tenth of that."""
_ONE_RECORD = "one whole game record in JSON"
_KEYS = ("format", "players", "seed", "deck", "cards", "first_player", "pile", "bag", "moves", "result")
_BUILDING_TAKEN_OUT = {2: CARD_IDS[PORT_CARD], 3: CARD_IDS[CHURCH_CARD], 5: CARD_IDS[CHURCH_CARD]}

Record = dict[str, Any]


class _Deal(NamedTuple):
    """What a record says about the deal, once it is known to be right."""

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
        stream: The lines, as text or as UTF-8; empty ones are skipped.
        where: What to call the file.

    Raises:
        RecordError: At the first line that is not a JSON object. What it says is not checked, see `check_record`.
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
    """Play a record: the game before each move with that move's action, and at last the game and None.

    It is one game that moves on: copy it to keep a position. Legal lists, players and the result are not compared,
    see `check_record`.

    Raises:
        RecordError: Before the first position if the deal is none, else at a move that is not legal.
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
        game, faults = _told(record)
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
    """Everything that is wrong with a record, one sentence for each fault; empty for a right one.

    A fault that leaves no deal to play from, and a move that is not legal, hide what would be found behind them.
    """
    return _told(record)[1]


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


def _told(record: Mapping[str, Any]) -> tuple[Game | None, list[str]]:
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
            faults.append(f"{error}; {unchecked} moves behind it were not checked" if unchecked else str(error))
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
        raise RecordError(f"{place}: found {_said(move)}, must be a table with player and action")
    text = move.get("action")
    if not isinstance(text, str):
        raise RecordError(f"{place}.action: {_found(move, 'action')}, must be the text of an action")
    try:
        action = ACTION_TEXTS[parse_action(text)]
    except UnknownAction as error:
        raise RecordError(f"{place}.action: {error}") from None
    if action != text:
        raise RecordError(f"{place}.action: found {_said(text)}, must be {_said(action)}")
    return action


def _illegal(game: Game, action: str, index: int) -> str:
    return f"moves[{index}].action: {IllegalAction(game.phase, game.player, action, game.legal())}"


# Checking. Every function below gives the faults of one part, as sentences that begin with its key.


def _said(value: object) -> str:
    """A value as JSON has it, in few words."""
    return "null" if value is None else shown(value)


def _found(table: Mapping[str, Any], key: str) -> str:
    return f"found {_said(table[key])}" if key in table else "it is missing"


def _whole(record: Mapping[str, Any], key: str, low: int, high: int, faults: list[str]) -> int | None:
    value = record.get(key)
    if is_whole(value) and low <= value <= high:
        return int(value)
    limit = "2**63-1" if high == MAX_SEED else high
    faults.append(f"{key}: {_found(record, key)}, must be a whole number {low}..{limit}")
    return None


def _deal(record: Mapping[str, Any], faults: list[str]) -> _Deal | None:
    """The deal of a record, or None and at least one fault."""
    if not isinstance(record, Mapping):
        faults.append(f"found {_said(record)}, must be a table with the keys of {FORMAT}")
        return None
    if record.get("format") != FORMAT:
        faults.append(f'format: {_found(record, "format")}, must be "{FORMAT}"')
        return None
    faults += [f"{key}: it is missing" for key in _KEYS if key not in record]
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
    faults += [f'cards: card "{card}" of the pile is missing' for card in _not_among(pile, record["cards"])]
    return None if faults else _Deal(players, seed, deck, first_player, pile, bag)


def _deck(record: Mapping[str, Any], faults: list[str]) -> Deck | None:
    name = record["deck"]
    if not isinstance(name, str) or not name.strip():
        faults.append(f"deck: {_found(record, 'deck')}, must be the name of a deck")
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
    listed = record[key]
    if not isinstance(listed, list | tuple):
        faults.append(f"{key}: found {_said(listed)}, must be a list")
        return None
    wrong = [
        f"{key}[{place}]: found {_said(name)}, must be {what}{nearest(name, names)}"
        for place, name in enumerate(listed)
        if not isinstance(name, str) or name not in names
    ]
    faults += wrong
    return None if wrong else [names.index(name) for name in listed]


def _not_among(pile: list[int], cards: Mapping[str, Any]) -> list[str]:
    return [CARD_IDS[card] for card in pile if CARD_IDS[card] not in cards]


def _pile_faults(pile: list[int], players: int, deck: Deck) -> Iterator[str]:
    held = Counter(CARD_IDS[card] for card in pile)
    yield from (f'pile: card "{card}" is in it {count} times' for card, count in held.items() if count > 1)
    building = _BUILDING_TAKEN_OUT.get(players)
    if building is not None and building in held:
        yield f'pile: card "{building}" is in it, must be taken out with {players} players'
    out = {card for card in CARD_IDS if card not in held} - {building}
    if building is not None:
        leaving = [card for card in AUTUMN_FIREMEN if card in out and _value(deck, card) == REMOVED_FIREMAN_VALUE]
        if not leaving:
            yield (
                f"pile: no autumn fireman of value {REMOVED_FIREMAN_VALUE} is missing, "
                f"one must be taken out with {players} players"
            )
        out -= set(leaving[:1])
    yield from (f'pile: card "{card}" is missing' for card in CARD_IDS if card in out)
    for place in range(1, len(pile)):
        season, before = SEASON_OF[pile[place]], SEASON_OF[pile[place - 1]]
        if season < before:
            yield (
                f'pile[{place}]: card "{CARD_IDS[pile[place]]}" ({SEASON_NAMES[season]}) lies below one of '
                f"{SEASON_NAMES[before]}, the seasons must be in order with fire_4 last"
            )


def _value(deck: Deck, fireman: str) -> int:
    return deck.fireman_values[CARD_NUMBER[fireman] - CARD_NUMBER["fireman_1"]]


def _bag_faults(bag: list[int]) -> Iterator[str]:
    for good, name in enumerate(GOODS):
        if bag.count(good) != CUBES_PER_GOOD:
            yield f"bag: found {bag.count(good)} cubes of {name}, must be {CUBES_PER_GOOD} ({N_CUBES} in all)"


def _moves(record: Mapping[str, Any], faults: list[str]) -> list[Any]:
    moves = record["moves"]
    if isinstance(moves, list | tuple):
        return list(moves)
    faults.append(f"moves: found {_said(moves)}, must be a list of moves")
    return []


def _move_faults(move: Mapping[str, Any], place: str, player: int | None, legal: list[str]) -> Iterator[str]:
    """The faults of a move that is legal: another player's name on it, a wrong list of what was legal."""
    found = move.get("player")
    if not is_whole(found) or found != player:
        yield f"{place}.player: {_found(move, 'player')}, must be {player}, the seat that decides"
    if "legal" in move and move["legal"] != legal:
        yield f"{place}.legal: {_legal_fault(move['legal'], legal)}"


def _legal_fault(found: Any, legal: list[str]) -> str:
    if not isinstance(found, list | tuple):
        return f"found {_said(found)}, must be a list of action texts"
    for action in found:
        if action not in legal:
            return f"found {_said(action)}, must not list it, for it is not legal"
    for action in legal:
        if action not in found:
            return f'"{action}" is missing, must be listed, for it is legal'
    return "must list the legal actions in action order, each once"


def _result_faults(found: Any, game: Game) -> Iterator[str]:
    right = _result(game)
    if right is None:
        if found is not None:
            yield f"result: found {_said(found)}, must be null, for the game still runs after its last move"
        return
    if not isinstance(found, Mapping):
        yield f"result: found {_said(found)}, must be a table, for the game is over after its last move"
        return
    for key, value in right.items():
        if found.get(key) != value or not all(map(is_whole, found[key])):
            yield f"result.{key}: found {json.dumps(found.get(key))[:80]}, must be {value}"
