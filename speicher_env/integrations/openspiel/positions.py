"""Games and states of this project as those of OpenSpiel."""

from __future__ import annotations

from typing import Any

import pyspiel

from speicher_env.errors import ArgumentError
from speicher_env.game import Game
from speicher_env.integrations.openspiel.events import FIRST_SEAT, OUTCOME_NUMBER
from speicher_env.integrations.openspiel.game import NAME, SpeicherstadtGame, SpeicherstadtState
from speicher_env.integrations.openspiel.start import concealed, start_text
from speicher_env.messages import must_be
from speicher_env.rules.cards import CARD_IDS, CUBES_PER_SHIP, GOODS

__all__ = ["game_from", "load_game", "state_at", "state_of"]


def game_from(game: Game, reward: str = "outcome") -> SpeicherstadtGame:
    """The game of OpenSpiel that begins at this decision: the rest of a game, to be solved or learned by itself."""
    return load_game(players=game.num_players, start=start_text(game), reward=reward)


def load_game(**parameters: Any) -> SpeicherstadtGame:
    """`pyspiel.load_game` for this game."""
    game: SpeicherstadtGame = pyspiel.load_game(NAME, parameters)
    return game


def state_at(openspiel_game: SpeicherstadtGame, game: Game) -> SpeicherstadtState:
    """A state at this decision, whose history begins there."""
    if game.num_players != openspiel_game.num_players():
        raise ArgumentError(must_be("num_players", game.num_players, f"{openspiel_game.num_players()}"))
    return SpeicherstadtState(openspiel_game, concealed(game))


def state_of(openspiel_game: SpeicherstadtGame, game: Game) -> SpeicherstadtState:
    """The state in which this game is, with its whole history of chance and decisions.

    Raises:
        ArgumentError: If the moves of the game are not known, or the OpenSpiel game has other players or another deck.
    """
    setup = openspiel_game.setup
    moves = game.move_ids
    if moves is None:
        raise ArgumentError("the game was set from a bare state, so its history is not known; state_at() needs none.")
    edition = Game(setup.players, setup.deck, 0).deck.edition
    if (game.num_players, game.deck.edition) != (setup.players, edition) or setup.start is not None:
        what = f"the game has {game.num_players} players and the deck of edition {game.deck.edition}"
        raise ArgumentError(f"{what}: it is not one of {openspiel_game}.")
    state = openspiel_game.new_initial_state()
    replay = game.start()
    state.apply_action(FIRST_SEAT + replay.first_player)
    _apply_supply(state, replay, (0, 0))
    for action in moves:
        before = int(replay.state["pile_next"]), int(replay.state["bag_next"])
        replay.play(action)
        state.apply_action(action)
        _apply_supply(state, replay, before)
    return state


def _apply_supply(state: SpeicherstadtState, game: Game, before: tuple[int, int]) -> None:
    """Let chance draw what the game has drawn since it was at these places of the pile and the bag."""
    if not state.is_chance_node():
        return
    record = game.state
    cards = [CARD_IDS[card] for card in record["pile"][before[0] : record["pile_next"]]]
    cubes = record["bag"][before[1] : record["bag_next"]].tolist()
    loads = [sorted(cubes[first : first + CUBES_PER_SHIP]) for first in range(0, len(cubes), CUBES_PER_SHIP)]
    names = [*cards, *(GOODS[good] for load in loads for good in load)]
    while state.is_chance_node():
        state.apply_action(OUTCOME_NUMBER[names[len(state.progress.drawn)]])
