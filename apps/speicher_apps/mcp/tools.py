"""The tools: what each is called, what it takes, and what it does. Nothing here knows the protocol."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from speicher_agents import views_of
from speicher_agents.hints import hint_lines
from speicher_agents.llm import choices, rules_in_short
from speicher_agents.llm.prompt import choices_in_words
from speicher_apps.mcp.games import MOST_GAMES, Games
from speicher_apps.specs import split_specs
from speicher_apps.web.game_session import GameSession, PlayedMove, public_state
from speicher_apps.web.offered_players import filled
from speicher_env import ArgumentError
from speicher_env.arguments import is_whole
from speicher_env.messages import field_must_be, must_be, one_of, shown
from speicher_env.observation import describe
from speicher_env.render.news import news
from speicher_env.render.sentences import sentence
from speicher_env.render.text import text
from speicher_env.render.words import move_in_words, seat_name
from speicher_env.rules.actions import ACTION_TEXTS

__all__ = ["INSTRUCTIONS", "Argument", "Output", "Tool", "tools"]

INSTRUCTIONS = (
    "Play the board game Die Speicherstadt for 2 to 5 players. `rules` explains it in short. `new_game` deals and "
    "seats other players; then call `play` with the number or the text of a legal action until the game is over. Each "
    "answer shows the table and your legal actions."
)

LONGEST_TEXT = 200
"""Characters of a text that a client gives."""
MOST_ITEMS = 4
_TYPES: Mapping[str, tuple[type, ...]] = {"string": (str,), "integer": (int,), "array": (list,)}
_IN_WORDS = {"string": "a text", "integer": "a whole number", "array": "a list of texts"}


@dataclass(frozen=True)
class Argument:
    """An argument of a tool."""

    name: str
    type: str
    """Of JSON: "string", "integer" or "array", which is of texts."""
    meaning: str
    default: Any = None
    required: bool = False

    def schema(self) -> dict[str, Any]:
        """The JSON schema."""
        schema: dict[str, Any] = {"type": self.type, "description": self.meaning}
        if self.type == "array":
            schema |= {"items": {"type": "string"}, "maxItems": MOST_ITEMS}
        return schema if self.default is None else schema | {"default": self.default}

    def checked(self, arguments: Mapping[str, Any]) -> Any:
        """The value that is given, or the default. A number is accepted where a text is due, and a text for a list.

        Raises:
            ArgumentError: If it is missing, of another type or too long.
        """
        value = arguments.get(self.name)
        if value is None and not self.required:
            return self.default
        if self.type == "string" and is_whole(value):
            value = shown(value)
        elif self.type == "array" and isinstance(value, str) and len(value) <= MOST_ITEMS * LONGEST_TEXT:
            value = split_specs(value, self.name)
        texts = value if isinstance(value, list) else [value] if isinstance(value, str) else []
        fits = isinstance(value, _TYPES[self.type]) and not isinstance(value, bool)
        if self.type == "array":
            fits = fits and len(texts) <= MOST_ITEMS and all(isinstance(each, str) for each in texts)
        if not fits or any(len(each) > LONGEST_TEXT for each in texts if isinstance(each, str)):
            limit = f" of at most {LONGEST_TEXT} characters" * (self.type != "integer")
            raise ArgumentError(field_must_be(arguments, self.name, _IN_WORDS[self.type] + limit))
        return value


@dataclass(frozen=True)
class Output:
    """What a tool gives."""

    words: str
    data: dict[str, Any] | None = None
    """The same for programs."""


@dataclass(frozen=True)
class Tool:
    """A tool."""

    name: str
    description: str
    run: Callable[..., Output]
    """Called with every argument by name."""
    arguments: tuple[Argument, ...] = ()
    changes: bool = False
    """Whether it changes a game."""

    def schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        return {
            "type": "object",
            "properties": {each.name: each.schema() for each in self.arguments},
            "required": [each.name for each in self.arguments if each.required],
            "additionalProperties": False,
        }

    def call(self, arguments: Mapping[str, Any]) -> Output:
        """Check the arguments and run.

        Raises:
            ArgumentError: For an unknown, missing or wrong argument, and for what cannot be done.
        """
        known = [each.name for each in self.arguments]
        for name in arguments:
            if name not in known:
                allowed = one_of(name, known) if known else "left out, as this tool takes none"
                raise ArgumentError(must_be("argument", name, allowed))
        return self.run(**{each.name: each.checked(arguments) for each in self.arguments})


GAME = Argument("game", "string", "The game's name, such as game-1. Default: the newest game.")


def tools(games: Games, *, advice: bool = True, undo: bool = True) -> list[Tool]:
    """The tools on some games.

    Args:
        games: The games.
        advice: Whether there is a tool that asks a player for advice.
        undo: Whether there is a tool that takes moves back.
    """
    offered = [
        Tool("rules", "The rules and the actions in short.", lambda: Output(rules_in_short())),
        Tool(
            "players",
            "The players that can be seated as opponents or asked for advice, the strongest last.",
            lambda: _players(games),
        ),
        Tool(
            "new_game",
            f"Deal a new game and play it up to your first decision. At most {MOST_GAMES} games at a time.",
            lambda **given: _moved(*games.new(**given)),
            (
                Argument("players", "integer", "Number of players, 2 to 5.", 2),
                Argument("seat", "integer", "Your seat, from 0; texts count seats from 1.", 0),
                Argument(
                    "opponents", "array", "Who plays the other seats, clockwise from yours: one player for all, or one "
                    "for each. `players` lists them; human is a further seat of yours.", ["merchant"],
                ),
                Argument("deck", "string", "The deck: " + one_of(None, games.decks) + ".", games.default_deck),
                Argument("seed", "integer", "The seed, from 0, which decides the deal. Default: a random one."),
            ),
            changes=True,
        ),
        Tool(
            "position", "The table in words, and your legal actions.",
            lambda game: Output(_position(games.get(game)), _summary(games.get(game))), (GAME,),
        ),
        Tool(
            "position_json", "The position as JSON, as the seat to move sees it, own seat first.",
            lambda game: _position_json(games.get(game)), (GAME,),
        ),
        Tool(
            "legal_actions", "Your legal actions, each with its number, its text and its effect.",
            lambda game: _legal_actions(games.get(game)), (GAME,),
        ),
        Tool(
            "play", "Play one of your legal actions; then the others play up to your next decision.",
            lambda action, game: _moved(*games.play(game, action)),
            (Argument("action", "string", "The action's number or text, such as place 2.", required=True), GAME),
            changes=True,
        ),
        Tool("games", "The games that there are.", lambda: _games(games)),
        Tool(
            "end_game", "Remove a game that is over or not wanted any more.",
            lambda game: Output(f"{games.end(game).id} is removed."), (GAME,), changes=True,
        ),
        Tool(
            "record", "The record of a game that is over, to keep or to replay.",
            lambda game: _record(games.get(game)), (GAME,),
        ),
    ]  # fmt: skip
    if undo:
        offered.append(
            Tool("undo", "Return to your last decision.", lambda game: _undone(games.undo(game)), (GAME,), changes=True)
        )
    if advice:
        offered.append(
            Tool(
                "advice", "Ask a player what it would do in your place, and what it expects.",
                lambda player, game: _advice(games.get(game), player),
                (Argument("player", "string", "The player, such as merchant or mcts:1000.", "merchant"), GAME),
            )
        )  # fmt: skip
    return offered


def _players(games: Games) -> Output:
    """The players that may be named, with those numbers of players for which there is a network filled in."""
    lines, data = [], []
    for offer in games.players.offers():
        spec, counts = str(offer["spec"]), offer["players"]
        assert isinstance(counts, list)
        for name in dict.fromkeys(filled(spec, count) for count in counts):
            known = [count for count in counts if filled(spec, count) == name]
            lines.append(f"{name}: {offer['idea']} ({', '.join(map(str, known))} players)")
            data.append({"spec": name, "idea": offer["idea"], "players": known})
    return Output("\n".join(lines), {"players": data})


def _you(session: GameSession) -> int | None:
    """The seat that texts address: the one to move if it is the client's, else the client's only seat."""
    own = [seat for seat, spec in enumerate(session.seats) if spec == "human"]
    return session.game.player if session.waits_for_person else own[0] if len(own) == 1 else None


def _position(session: GameSession) -> str:
    """The table in words, and the legal actions."""
    state, you = public_state(session.game), _you(session)
    table = text(state, you)
    if session.game.over:
        return f"{session.id} is over.\n\n{table}"
    return f"{session.id}\n\n{table}\n\nYour legal actions:\n{choices_in_words(state)}"


def _summary(session: GameSession) -> dict[str, Any]:
    """What a program wants to know of a game at once."""
    game = session.game
    summary: dict[str, Any] = {
        "game": session.id,
        "seats": session.seats,
        "moves": session.at,
        "over": game.over,
        "round": game.round,
        "phase": game.phase,
        "player": game.player,
        "legal": game.legal(),
        "points": [points["total"] for points in game.points()],
    }
    return summary | ({"winners": game.winners(), "seed": str(game.seed)} if game.over else {})


def _moved(session: GameSession, moves: Sequence[PlayedMove]) -> Output:
    """What has happened, and the new position."""
    you = _you(session)
    happened = []
    for move in moves:
        words = move_in_words(move.before, move.action).replace(seat_name(move.seat), seat_name(move.seat, you), 1)
        happened += [sentence(words), *map(sentence, news(move.before, move.after))]
    data = _summary(session) | {"happened": happened}
    return Output("\n".join([*happened, "", _position(session)] if happened else [_position(session)]), data)


def _position_json(session: GameSession) -> Output:
    data = _summary(session)
    if not session.game.over:
        data["position"] = describe(views_of(session.game).observations[0])
    else:
        data["points"] = session.game.points()
    words = json.dumps(data)
    return Output(words, json.loads(words))


def _legal_actions(session: GameSession) -> Output:
    if session.game.over:
        raise ArgumentError("the game is over, so there are no legal actions.")
    state = public_state(session.game)
    data = {"game": session.id, "legal": [asdict(choice) for choice in choices(state)]}
    return Output(choices_in_words(state), data)


def _games(games: Games) -> Output:
    lines = [f"{session.id}: {session.game!r}, seats {', '.join(session.seats)}" for session in games]
    return Output("\n".join(lines) or "There is no game.", {"games": [_summary(session) for session in games]})


def _record(session: GameSession) -> Output:
    if not session.game.over:
        raise ArgumentError("the game is not over, and its record would show what is hidden.")
    record = session.record()
    return Output(json.dumps(record), record)


def _undone(session: GameSession) -> Output:
    return Output(f"Taken back.\n\n{_position(session)}", _summary(session))


def _advice(session: GameSession, player: str) -> Output:
    action, thought = session.hint(session.at, player)
    lines = hint_lines(player, views_of(session.game), action, thought)
    return Output("\n".join(lines), {"player": player, "action": ACTION_TEXTS[action]})
