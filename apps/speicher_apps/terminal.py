"""A game at the terminal: shown, played, taken back, and stored in a file after every decision."""

from __future__ import annotations

import numpy as np
import typer

from speicher_agents import Agent, load_agent, seed_for, views_of
from speicher_agents.human import HINT_GIVER, Human, Stop, Undo
from speicher_apps.cli.errors import INTERRUPTED, CommandError, say
from speicher_apps.cli.files import output_file
from speicher_apps.cli.usage import say_usage
from speicher_apps.specs import HUMAN
from speicher_env import ArgumentError, Game
from speicher_env.messages import listed
from speicher_env.reading import path_shown
from speicher_env.record import line_of
from speicher_env.render.news import news
from speicher_env.render.sentences import sentence
from speicher_env.render.summary import summary
from speicher_env.render.words import move_in_words, seat_name

__all__ = ["TerminalGame"]


class TerminalGame:
    """A game between people at this terminal and other players."""

    def __init__(self, game: Game, seats: list[str], path: str, hints: str = HINT_GIVER) -> None:
        """Seat the players.

        Args:
            game: The game, at its start or later.
            seats: The spec of the player in each seat, "human" for a person.
            path: The file for the game.
            hints: The spec of the player that gives hints.
        """
        self.game = game
        self.seats = seats
        self.path = path
        self.person = Human(hints)
        people = [seat for seat, spec in enumerate(seats) if _is_person(spec)]
        self.you = people[0] if len(people) == 1 else None
        self.others: dict[int, Agent] = {}
        for seat, spec in enumerate(seats):
            if seat not in people:
                self.others[seat] = load_agent(spec)
                self.others[seat].reset(seed_for(game.seed, seat))
        self.decisions_of_people = self._decisions_of_people()
        self._shown: tuple[int | None, int] | None = None  # the seat and the round of the loading on the screen

    def run(self) -> None:
        """Play to the end, or until the person stops."""
        say(f"seed {self.game.seed}")
        others = [f"{seat_name(seat, self.you)} {spec}" for seat, spec in enumerate(self.seats) if seat != self.you]
        self.person.say(sentence(f"{listed(others)}; the game is stored in {path_shown(self.path)}"))
        try:
            while not self.game.over:
                self._decision()
        except Stop:
            self._stopped()
        except KeyboardInterrupt:
            self.person.say("")
            self._stopped()
            raise typer.Exit(INTERRUPTED) from None
        except BaseException:
            self._save()
            raise
        else:
            self._save()
            self.person.show(self.game.state, self.you)
            say(f"the game is stored in {path_shown(self.path)}; speicher replay {path_shown(self.path)} shows it")
        finally:
            say_usage([self.seats[seat] for seat in self.others], self.others.values())

    def _decision(self) -> None:
        """Let the seat to move decide, and show what happened."""
        game, seat = self.game, self.game.player
        assert seat is not None
        if seat in self.others:
            action = self._other_decides(seat)
        else:
            self._save()
            here = (seat, game.round) if game.phase == "loading" else None
            in_loading, self._shown = here is not None and here == self._shown, here
            try:
                action = self.person.ask(
                    views_of(game), may_undo=bool(self.decisions_of_people), whole_table=not in_loading,
                    since=self._since_the_last_move_of(seat),
                )  # fmt: skip
            except Undo:
                self._take_back()
                return
            self.decisions_of_people.append(len(game.move_ids or ()))
        before = game.state
        move = move_in_words(before, action).replace(seat_name(seat), seat_name(seat, self.you), 1)
        game.play(action)
        for words in (move, *news(before, game.state, self.you)):
            self.person.say_painted(sentence(words), self.you)

    def _other_decides(self, seat: int) -> int:
        spec = self.seats[seat]
        try:
            return self.others[seat].action(self.game)
        except ArgumentError as error:
            message = str(error).rstrip(".")
            raise CommandError(f"{message}; the game is stored in {path_shown(self.path)}") from error
        except Exception as error:  # a user's own player may raise anything
            failure = f"player {spec} failed with {type(error).__name__}: {error}"
            raise CommandError(f"{failure}; the game is stored in {path_shown(self.path)}") from error

    def _decisions_of_people(self) -> list[int]:
        """The number of moves before each decision of a person so far."""
        again, moves = self.game.start(), self.game.move_ids or []
        numbers = []
        for number, action in enumerate(moves):
            if again.player not in self.others:
                numbers.append(number)
            again.play(action)
        return numbers

    def _since_the_last_move_of(self, person: int) -> list[str]:
        """What happened since a person's last move; nothing before its first."""
        again = self.game.start()
        since: list[tuple[np.void, int]] | None = None
        for action in self.game.move_ids or []:
            if again.player == person:
                since = []
            if since is not None:
                since.append((again.state, action))
            again.play(action)
        return summary(since, self.game.state, person) if since else []

    def _take_back(self) -> None:
        moves = (self.game.move_ids or [])[: self.decisions_of_people.pop()]
        self.game = self.game.start()
        for action in moves:
            self.game.play(action)
        self._shown = None
        self.person.say("Taken back.")

    def _save(self) -> None:
        record = self.game.to_record()
        record["seats"] = self.seats
        with output_file(self.path) as stream:
            stream.write(line_of(record))

    def _stopped(self) -> None:
        self._save()
        path = path_shown(self.path)
        say(f"the game is stored in {path}; speicher play --continue {path} resumes it")


def _is_person(spec: str) -> bool:
    return spec.partition(":")[0].strip() == HUMAN
