"""The games of one client: a bounded number, and the players in the other seats."""

from __future__ import annotations

from collections.abc import Iterator

from speicher_agents.llm import BadAnswer, read_answer
from speicher_apps.specs import HUMAN, one_for_each
from speicher_apps.web.game_session import GameSession, PlayedMove, public_state
from speicher_apps.web.offered_players import OfferedPlayers
from speicher_env import ArgumentError, Game
from speicher_env.arguments import check_players, check_seed, fresh_seed
from speicher_env.deal import DeckArgument, template_for
from speicher_env.messages import listed, must_be, one_of
from speicher_env.rules.actions import ACTION_TEXTS

__all__ = ["MOST_GAMES", "Games"]

MOST_GAMES = 16
"""Games at a time, each with its players."""
NAMED = 8
"""Legal actions that a message names at most."""


class Games:
    """The games by name: "game-1", "game-2" and so on."""

    def __init__(self, deck: DeckArgument = "standard") -> None:
        """Start with no game.

        Args:
            deck: The deck of games for which the client names none.
        """
        _, name = template_for(2, deck)
        self.default_deck = name
        self.decks: dict[str, DeckArgument] = {"standard": "standard", "sampled": "sampled", name: deck}
        self.players = OfferedPlayers()
        self._games: dict[str, GameSession] = {}
        self._dealt = 0

    def __iter__(self) -> Iterator[GameSession]:
        """The games, the oldest first."""
        return iter(self._games.values())

    def new(
        self, players: int, seat: int, opponents: list[str], deck: str | None, seed: int | None
    ) -> tuple[GameSession, list[PlayedMove]]:
        """Deal a game, and play up to the client's first decision; give the game and the moves so far.

        Args:
            players: Number of players.
            seat: The client's.
            opponents: Specs for the other seats, clockwise from the client's, or one for all of them. "human" is a
                further seat of the client's.
            deck: The name of a deck, None for the default.
            seed: The seed, None for a fresh one.
        """
        if len(self._games) >= MOST_GAMES:
            raise ArgumentError(f"there are {MOST_GAMES} games, the most at a time: end one with end_game first.")
        count = check_players(players, "players")
        if not 0 <= seat < count:
            raise ArgumentError(must_be("seat", seat, f"a seat 0..{count - 1}"))
        others = one_for_each(opponents, count - 1, "opponents", "each other seat")
        seats = [HUMAN if number == seat else others[(number - seat - 1) % count] for number in range(count)]
        specs = self.players.check(seats)
        name = self.default_deck if deck is None else deck
        if name not in self.decks:
            raise ArgumentError(must_be("deck", name, one_of(name, self.decks)))
        game = Game(count, self.decks[name], fresh_seed() if seed is None else check_seed(seed))
        self._dealt += 1
        session = GameSession(f"game-{self._dealt}", game, specs, self.players)
        self._games[session.id] = session
        return session, self._advance(session)

    def get(self, name: str | None) -> GameSession:
        """The game of a name; the newest for None."""
        if not self._games:
            raise ArgumentError("there is no game: start one with new_game.")
        if name is None:
            return list(self._games.values())[-1]
        if name not in self._games:
            raise ArgumentError(must_be("game", name, one_of(name, self._games)))
        return self._games[name]

    def end(self, name: str | None) -> GameSession:
        """Remove a game."""
        return self._games.pop(self.get(name).id)

    def play(self, name: str | None, action: str) -> tuple[GameSession, list[PlayedMove]]:
        """Play the client's action, its number or its text, and the other seats up to the client's next decision."""
        session = self.get(name)
        if session.game.over:
            raise ArgumentError("the game is over: start another with new_game.")
        try:
            number = read_answer(action, public_state(session.game))
        except BadAnswer as problem:
            legal = session.game.legal()
            more = [f"{len(legal) - NAMED} more"] * (len(legal) > NAMED)
            raise ArgumentError(f"{str(problem).rstrip('.')}; legal are {listed([*legal[:NAMED], *more])}.") from None
        session.play(session.at, ACTION_TEXTS[number])
        own = session.log[-1:]
        return session, own + self._advance(session)

    def undo(self, name: str | None) -> GameSession:
        """Return to the client's last decision."""
        session = self.get(name)
        session.undo(session.at)
        return session

    def _advance(self, session: GameSession) -> list[PlayedMove]:
        """Let the other seats play up to the client's next decision, or to the end; give their moves."""
        first = len(session.log)
        while not (session.game.over or session.waits_for_person):
            session.advance(session.at)
        return session.log[first:]
