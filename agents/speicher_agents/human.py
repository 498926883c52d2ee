"""`human`: a person at a terminal, who is shown the table and types moves."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Sequence
from typing import NoReturn, TextIO

import numpy as np

from speicher_agents.agent import Agent
from speicher_agents.hints import HintGivers
from speicher_agents.move_parser import InvalidMove, legal_ids, numbered, read_action, read_move
from speicher_agents.registry import Parameter, PlayerKind
from speicher_env import ArgumentError
from speicher_env.messages import printable
from speicher_env.render.ansi import paint
from speicher_env.render.compact import compact
from speicher_env.render.sentences import question, sentence
from speicher_env.render.text import WIDTH, text
from speicher_env.render.why import why_illegal
from speicher_env.render.words import counted, counted_cubes
from speicher_env.rules.actions import ACTION_TEXTS
from speicher_env.rules.state import DEMAND, LOADING
from speicher_env.views import Views

__all__ = ["HELP", "HINT_GIVER", "KIND", "Human", "Stop", "Undo", "one_row"]

PROMPT = "> "
HINT_GIVER = "merchant"
"""The player that gives hints by default."""
LISTED = 24
"""A list of at most this many moves is shown without a request."""
SUMMARY_LINES = 2
"""For what happened since the person's last move; what does not fit is left out from its beginning."""

HELP = """\
A move is typed as it is listed (place 2, buy, deliver tea contract_4), by its
number, or short: p 2, b, d te 4. First letters are enough and goods may be in
any order, as long as only one legal move can be meant.
  m, moves         all legal moves with their numbers
  l, look          the table again
  a, all           the table with all that every seat has
  hint             what {hints} would do; hint SPEC asks another player,
                   as in hint mcts:1000
  w, why MOVE      why a move is illegal now
  u, undo          back to your last decision
  q, quit          stop; nothing is lost
In demand a number is a column. In purchase b buys and p passes.
In loading: d deliver, s sell (to an own merchant), t trade (2 cubes for 1
coin), c convert (3 cubes for 1 of another good), discard, e end."""

_COMMANDS = {
    "?": "help", "h": "help", "help": "help", "m": "moves", "moves": "moves", "l": "look", "look": "look",
    "a": "all", "all": "all", "hint": "hint", "w": "why", "why": "why", "u": "undo", "undo": "undo",
    "q": "quit", "quit": "quit", "exit": "quit",
}  # fmt: skip


class Stop(Exception):
    """The person wants to stop, or nothing more can be read."""


class Undo(Exception):
    """The person undoes the last decision."""


class Human(Agent):
    """A person who is asked through two text streams."""

    name = "human"

    def __init__(
        self,
        hints: str = HINT_GIVER,
        stdin: TextIO | None = None,
        stdout: TextIO | None = None,
        color: bool | None = None,
    ) -> None:
        """Make the player.

        Args:
            hints: The spec of the player that `hint` asks.
            stdin: Where answers are read. Default: standard input.
            stdout: Where the table is shown. Default: standard output.
            color: Whether to use ANSI colours. Default: on a terminal, unless NO_COLOR is set.
        """
        self.hints = hints
        self._stdin = stdin
        self._stdout = stdout
        self._color = color
        self._givers = HintGivers()

    def act(self, views: Views) -> np.ndarray:
        """Ask about each row in turn.

        Raises:
            Stop: If the person stops or the input ends.
        """
        rows = len(views)
        actions = np.empty(rows, dtype=np.int64)
        for row in range(rows):
            if rows > 1:
                self.say(f"Decision {row + 1} of {rows}, each in a game of its own")
            actions[row] = self.ask(one_row(views, row))
        return actions

    def ask(self, views: Views, *, may_undo: bool = False, whole_table: bool = True, since: Sequence[str] = ()) -> int:
        """The id of the legal action that the person chooses for a single row.

        Args:
            views: One row.
            may_undo: Whether `undo` raises `Undo`; otherwise a message says that there is nothing to undo.
            whole_table: Whether to show the whole table; otherwise only what changes during loading.
            since: What happened since the person's last move, for a line below the table.

        Raises:
            Stop: If the person stops or the input ends.
            Undo: If the person undoes the last decision.
        """
        state, you = views.states[0], int(views.seats[0])
        shown = self._table(state, you) if whole_table else self._loading_summary(state, you)
        if since and whole_table:
            shown += "\n" + self._painted(self._since(since), you)
        self._print(shown)
        if state["phase"] == LOADING:
            self._list_moves(state, LISTED, lines_above=shown.count("\n") + 1)
        while True:
            typed = self._read().strip()
            first, _, rest = typed.partition(" ")
            command = _COMMANDS.get(first.lower())
            try:
                if command is None:
                    if typed:
                        return read_move(typed, state)
                    self.say(sentence(f"{question(state, you)}; ? helps"))
                elif command == "undo":
                    self._undo(may_undo)
                else:
                    self._obey(command, rest.strip(), views)
            except InvalidMove as error:
                self.say(_whole(printable(str(error))))

    def say(self, words: str) -> None:
        """Print a text, its lines broken between words where the terminal is too narrow for them."""
        self._print(self._fitted(words))

    def say_painted(self, words: str, you: int | None) -> None:
        """Print a text like `say`, with seats and goods in their colours if colours are used."""
        self._print(self._painted(self._fitted(words), you))

    def show(self, state: np.void, you: int | None) -> None:
        """Print the table, in full where the terminal has room for it."""
        self._print(self._table(state, you))

    # Commands

    def _obey(self, command: str, rest: str, views: Views) -> None:
        state, you = views.states[0], int(views.seats[0])
        if command == "quit":
            raise Stop("the person stopped")
        if command == "help":
            self.say(HELP.format(hints=self.hints))
        elif command == "look":
            self.show(state, you)
        elif command == "all":
            self._print(self._everything(state, you))
        elif command == "moves":
            self._list_moves(state, len(ACTION_TEXTS))
        elif command == "why":
            self._why(rest, state)
        else:
            self._hint(rest or self.hints, views)

    def _undo(self, may_undo: bool) -> None:
        if may_undo:
            raise Undo
        self.say("There is nothing to undo: you have made no decision yet, or several games are played at once.")

    def _why(self, typed: str, state: np.void) -> None:
        if not typed:
            self.say("Name a move after why, as in why deliver tea 4.")
            return
        action = read_action(typed, state)
        if action in legal_ids(state):
            self.say(f"{ACTION_TEXTS[action]!r} is legal.")
        else:
            self.say(f"{ACTION_TEXTS[action]!r} is illegal: {why_illegal(state, action)}.")

    def _hint(self, spec: str, views: Views) -> None:
        try:
            lines = self._givers.hint(spec, views)
        except KeyboardInterrupt:
            self.say("The hint was interrupted.")
        except ArgumentError as error:
            self.say(_whole(printable(str(error))))
        except Exception as error:  # a user's own player may raise anything; the game continues
            self.say(printable(f"No hint: {spec} failed with {type(error).__name__}: {error}"))
        else:
            self.say("\n".join(lines))

    # Showing

    def _table(self, state: np.void, you: int | None) -> str:
        full = text(state, you, color=self.coloured)
        columns, lines = self._room
        if columns >= WIDTH and full.count("\n") + 1 + SUMMARY_LINES < lines:  # a line is for the prompt
            return full
        return compact(state, you, color=self.coloured)

    def _everything(self, state: np.void, you: int) -> str:
        if self._room[0] >= WIDTH:
            return text(state, you, color=self.coloured)
        return compact(state, you, color=self.coloured, everything=True)

    def _since(self, clauses: Sequence[str]) -> str:
        columns = min(self._room[0], WIDTH)
        for first in range(len(clauses)):
            words = "; ".join(clauses[first:])
            lines = textwrap.wrap(f"Since your last move: {'… ' if first else ''}{words}.", columns)
            if len(lines) <= SUMMARY_LINES:
                break
        return "\n".join(lines)

    def _fitted(self, words: str) -> str:
        columns = self._room[0]
        return "\n".join(line if len(line) <= columns else textwrap.fill(line, columns) for line in words.split("\n"))

    def _painted(self, words: str, you: int | None) -> str:
        return paint(words, you) if self.coloured else words

    def _loading_summary(self, state: np.void, you: int) -> str:
        cubes = counted_cubes(state["cubes"][you].tolist())
        coins = counted(int(state["coins"][you]), "coin")
        return f"{sentence(question(state, you))} Cubes: {cubes}; {coins}."

    def _list_moves(self, state: np.void, at_most: int, lines_above: int | None = None) -> None:
        """List the moves; if they are too many, or too many to see what is above them, only count them."""
        numbers = numbered(state)
        end = "" if state["phase"] == DEMAND else "."
        cells = [f"{number:3}{end} {ACTION_TEXTS[action]}" for action, number in numbers.items()]
        width = max(map(len, cells)) + 2
        columns, lines = self._room
        across = max(1, (min(columns, WIDTH) + 2) // width)  # the last cell needs no space behind it
        rows = -(-len(cells) // across)
        if len(numbers) > at_most or (lines_above is not None and lines_above + rows >= lines):
            self.say(f"  {len(numbers)} moves: m lists them.")
            return
        for row in range(rows):  # down the columns, as a list is read
            self.say("".join(cell.ljust(width) for cell in cells[row::rows]).rstrip())

    # Streams

    def _print(self, words: str) -> None:
        print(words, file=self._out, flush=True)

    @property
    def _out(self) -> TextIO:
        return sys.stdout if self._stdout is None else self._stdout

    @property
    def _room(self) -> tuple[int, int]:
        """Columns and lines of the terminal; without one, enough for everything."""
        try:
            return os.get_terminal_size(self._out.fileno())
        except (OSError, ValueError):  # no file, or none that is a terminal
            return sys.maxsize, sys.maxsize

    @property
    def coloured(self) -> bool:
        """Whether colours are used."""
        return self._color if self._color is not None else self._out.isatty() and not os.environ.get("NO_COLOR")

    def _read(self) -> str:
        """The next line that is typed; `Stop` at the end of the input."""
        while True:
            try:
                if self._stdin is None and self._stdout is None and sys.stdin is not None and sys.stdin.isatty():
                    return input(PROMPT)  # with the editing of lines that a terminal offers
                return self._read_stream()
            except EOFError:
                self._end_of_input()
            except UnicodeDecodeError:
                self.say("That is not text in UTF-8: type a move, or ? for help.")

    def _read_stream(self) -> str:
        source = sys.stdin if self._stdin is None else self._stdin
        self._out.write(PROMPT)
        self._out.flush()
        line = source.readline() if source is not None else ""
        if not line:
            self._end_of_input()
        if not source.isatty():
            self.say(printable(line.rstrip("\n")))  # the transcript then shows the answers too
        return line

    def _end_of_input(self) -> NoReturn:
        self.say("")
        raise Stop("the input ended before the person chose a move")


def _whole(words: str) -> str:
    """A text as a sentence: with a capital letter and a full stop."""
    return sentence(words.removesuffix(".")) if words[-1] not in "?!" else words[0].upper() + words[1:]


def one_row(views: Views, row: int) -> Views:
    """One decision of several."""
    only = slice(row, row + 1)
    return Views(views.observations[only], views.masks[only], views.states[only], views.seats[only])


KIND = PlayerKind(
    "human",
    "a person at the terminal, asked for every move",
    Human,
    (Parameter("hints", str, "the spec of the player that gives hints", HINT_GIVER),),
)
