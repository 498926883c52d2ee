"""What the page is shown: nothing hidden, exactly the legal moves, and a reason for the others."""

from __future__ import annotations

import json
import random

import pytest

from speicher_agents import Agent
from speicher_apps.web.game_session import GameSession, public_state
from speicher_apps.web.hints import hint
from speicher_apps.web.moves import groups, why_not
from speicher_apps.web.view import view
from speicher_env import ACTION_TEXTS, Game
from tests.support.quick_player import SPEC
from tests.support.served import new_session

PLAYERS = (2, 3, 4, 5)


def _positions(players: int, seed: int) -> list[Game]:
    choose = random.Random(seed)
    game = Game(players, "sampled" if seed % 2 else "standard", seed)
    positions = [game.copy()]
    while not game.over:
        game.play(choose.choice(game.legal()))
        positions.append(game.copy())
    return positions


@pytest.mark.parametrize("players", PLAYERS)
def test_the_hidden_order_changes_nothing_on_the_page(players: int) -> None:
    for game in _positions(players, players)[::17]:
        assert public_state(game).tobytes() == public_state(game.redealt(5)).tobytes()
        if not game.over:
            shown = [view(_now(twin, players), narrow=False) for twin in (game, game.redealt(5))]
            assert shown[0] == shown[1]


def _now(game: Game, players: int) -> GameSession:
    """A session at a position, without the moves that led there: a game dealt afresh cannot repeat them."""
    session = new_session(Game(players, seed=1), ["human"] * players)
    session.game = game
    return session


def test_the_seed_is_told_only_when_the_game_is_over() -> None:
    seed = 8_123_456_789_012_345_678
    session = new_session(Game(2, seed=seed), ["human", "human"])
    while not session.game.over:
        assert str(seed) not in json.dumps(view(session, narrow=True))
        session.play(session.at, session.game.legal()[-1])
    assert view(session, narrow=True)["end"]["seed"] == str(seed)


@pytest.mark.parametrize("players", PLAYERS)
def test_the_moves_offered_are_exactly_the_legal_ones_and_the_others_have_a_reason(players: int) -> None:
    for game in _positions(players, players + 10):
        moves = [move for group in groups(public_state(game)) for move in group.moves]
        assert [move.action for move in moves if not move.why] == sorted(game.legal(), key=_order(moves))
        assert sorted(move.action for move in moves if not move.why) == sorted(game.legal())
        keys = [move.key for move in moves if move.key]
        assert len(keys) == len(set(keys))
        for move in moves:
            assert move.label and (not move.why or move.why.endswith("."))
            assert not (move.why and move.key)


def _order(moves: list) -> object:
    return [move.action for move in moves].index


def test_every_action_has_an_answer_to_why_not() -> None:
    for game in _positions(3, 4)[::12]:
        state = public_state(game)
        legal = game.legal()
        for action in ACTION_TEXTS:
            answer = why_not(state, action)
            assert answer.endswith(".") and answer.startswith("It is legal: ") == (action in legal), answer


def test_the_final_points_are_the_games_own() -> None:
    game = _positions(3, 2)[-1]
    end = view(new_session(game, ["human"] * 3), narrow=False)["end"]
    assert [points[-1] for points in end["points"]] == [points["total"] for points in game.points()]
    assert all(sum(points[:-1]) == points[-1] and len(points) == len(end["sources"]) for points in end["points"])
    assert (end["coins"], end["winners"]) == (game.coins, game.winners())


def test_a_question_to_a_person_is_in_the_second_person() -> None:
    one, two = (new_session(Game(2, seed=7), seats) for seats in (["human", SPEC], ["human", "human"]))
    asked = view(one, narrow=False)["question"] if one.waits_for_person else "Place your 1st worker of 3."
    assert asked == "Place your 1st worker of 3."
    assert view(two, narrow=False)["question"].startswith(f"Seat {two.game.player}: Place your")


def test_a_hint_leaves_the_game_alone_and_tells_chances_values_and_line() -> None:
    session = new_session(Game(3, seed=7), ["human"] * 3)
    before = session.game.copy()
    told = hint(session, 0, SPEC)
    assert session.game == before and session.at == 0
    assert told["moves"][0]["action"] == told["action"] and told["moves"][0]["probability"] == 0.6
    assert told["values"][session.game.player] == 1.0
    assert len(told["line"]) == 1 and told["line"][0].endswith(".")


def test_a_line_is_told_only_as_far_as_it_is_legal_without_looking_into_the_pile() -> None:
    session = new_session(Game(2, seed=7), ["human"] * 2)
    session._hint_givers["line"] = _Liner()
    told = hint(session, 0, "line")
    assert len(told["line"]) == 1


class _Liner(Agent):
    name = "line"

    def think(self, views: object) -> list:
        from speicher_env.thoughts import Thought

        return [Thought(line=["place 0", "end"])]
