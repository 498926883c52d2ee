"""A summary names every event between two moves of a player once, and none of its own moves."""

from __future__ import annotations

import numpy as np
import pytest

from speicher_env import Game
from speicher_env.render.summary import summary
from tests.support.games import random_game

pytestmark = pytest.mark.nojit


def played(game: Game, *moves: str) -> list[tuple[np.void, int]]:
    made = []
    for move in moves:
        before = game.state
        game.play(move)
        made.append((before, game.move_ids[-1]))
    return made


def test_workers_purchases_and_passes_of_the_others() -> None:
    game = Game(2, seed=7, first_player=0)
    made = played(game, "place 2", "place 2", "place 0", "place 0", "place 0", "place 1")
    assert summary(made, game.state, 0) == ["#2 above 0", "#2 above 1", "#2 above 2"]
    assert summary(made, game.state, None) == ["#1 #2 #1 above 0", "#2 above 1", "#1 #2 above 2"]
    made = played(game, "pass")
    assert summary(made, game.state, 1) == ["#1 passes on warehouse"]
    made = played(game, "buy")
    assert summary(made, game.state, 0) == ["#2 buys warehouse for 2"]


def test_every_fire_and_every_unsold_card_of_whole_games_is_named_once() -> None:
    fires = unsold = 0
    for players in (2, 3, 4, 5):
        again = Game(players, seed=players)
        made = played(again, *random_game(players, seed=players).moves)
        clauses = summary(made, again.state)
        fires += sum(1 + clause.count(" and ") for clause in clauses if clause.startswith("fire "))
        of_unsold = [clause for clause in clauses if clause.startswith("nobody buys")]
        unsold += len(of_unsold)
        last_round = int(again.state["round"])
        assert [clause for clause in clauses if clause.startswith("round ")] == [
            f"round {number}" for number in range(2, last_round + 1)
        ]
    assert fires == 4 * 4
    assert unsold > 0
