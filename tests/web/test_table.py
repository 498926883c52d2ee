"""What the page is shown: nothing hidden, the state and the way to it, and hints that leave the game alone."""

from __future__ import annotations

import base64
import json
import random

import numpy as np
import pytest

from speicher_agents import Agent
from speicher_apps.levels import LEVELS
from speicher_apps.web.game_session import GameSession, public_state
from speicher_apps.web.hints import hint
from speicher_apps.web.offered_players import TABLES, filled, plays_at
from speicher_apps.web.tables import page_tables
from speicher_apps.web.view import view
from speicher_env import Game
from speicher_env.rules.actions import ACTION_TEXTS
from speicher_env.rules.state import STATE
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


def _now(game: Game, players: int) -> GameSession:
    """A session at a position, without the moves that led there: a game dealt afresh cannot repeat them."""
    session = new_session(Game(players, seed=1), ["human"] * players)
    session.game = game
    return session


@pytest.mark.parametrize("players", PLAYERS)
def test_the_hidden_order_changes_nothing_on_the_page(players: int) -> None:
    for game in _positions(players, players)[::17]:
        assert public_state(game).tobytes() == public_state(game.redealt(5)).tobytes()
        if not game.over:
            shown = [view(_now(twin, players)) for twin in (game, game.redealt(5))]
            assert shown[0] == shown[1]


def test_the_seed_is_told_only_when_the_game_is_over() -> None:
    seed = 8_123_456_789_012_345_678
    session = new_session(Game(2, seed=seed), ["human", "human"])
    hidden = np.array([seed], np.uint64).tobytes()
    while not session.game.over:
        shown = view(session)
        assert str(seed) not in json.dumps(shown)
        assert hidden not in base64.b64decode(shown["state"])
        session.play(session.at, session.game.legal()[-1])
    assert view(session)["end"]["seed"] == str(seed)
    assert all(hidden not in base64.b64decode(move["state"]) for move in view(session)["log"])


def test_a_view_holds_the_public_state_the_legal_moves_and_the_way_there() -> None:
    session = new_session(Game(3, seed=7), ["human"] * 3)
    expected = []
    while not session.game.over:
        shown = view(session)
        state = np.frombuffer(base64.b64decode(shown["state"]), STATE)[0]
        assert state.tobytes() == public_state(session.game).tobytes()
        assert shown["legal"] == session.game.legal() and shown["log"] == expected
        assert [row[-1] for row in shown["points"]] == [points["total"] for points in session.game.points()]
        expected.append({"seat": session.game.player, "action": shown["legal"][-1], "state": shown["state"]})
        session.play(session.at, shown["legal"][-1])
    assert view(session)["end"]["winners"] == session.game.winners()


def test_the_tables_of_the_page_name_every_card_action_and_source() -> None:
    tables = page_tables()
    assert [action["text"] for action in tables["actions"]] == list(ACTION_TEXTS)
    assert {card["kind"] for card in tables["cards"]} == set(tables["kindNames"])
    assert tables["state"]["bytes"] == STATE.itemsize and set(tables["state"]["fields"]) == set(STATE.names or ())
    assert len(tables["sourceNames"]) == len(tables["sources"]) + 1
    assert json.loads(json.dumps(tables)) is not None


def test_the_pictures_of_the_rules_are_public_positions_of_one_round() -> None:
    games = {}
    for phase, text in page_tables()["examples"].items():
        state = np.frombuffer(base64.b64decode(text), dtype=STATE)[0]
        assert state["seed"] == 0, "nothing hidden is in it"
        games[phase] = Game.from_state(state)
        assert games[phase].phase == phase
    assert set(games) == {"demand", "purchase", "loading"} and len({game.round for game in games.values()}) == 1
    assert any(action.startswith("deliver") for action in games["loading"].legal())


def test_every_level_of_play_is_a_player_that_plays_at_some_table() -> None:
    assert [level.name for level in LEVELS] == ["easy", "medium", "hard", "expert", "master"]
    for level in LEVELS:
        assert any(plays_at(filled(level.spec, players), players) for players in TABLES), level


def test_a_hint_leaves_the_game_alone_and_tells_chances_values_and_line() -> None:
    session = new_session(Game(3, seed=7), ["human"] * 3)
    before = session.game.copy()
    told = hint(session, 0, SPEC)
    assert session.game == before and session.at == 0
    assert told["moves"][0]["action"] == told["action"] and told["moves"][0]["probability"] == 0.6
    assert told["values"][session.game.player] == 1.0
    assert told["line"] == [{"action": told["action"], "state": view(session)["state"]}]


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
