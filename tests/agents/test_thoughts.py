"""Players that tell what they think: it is true, it is what they play, and asking for it changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

from speicher_agents import Agent, Thought, load_agent, seed_for, views_of
from speicher_agents.hints import hint_lines
from speicher_env import ArgumentError, Game
from speicher_env.batch import Batch
from speicher_env.rules.actions import ACTION_TEXTS, parse_action
from speicher_env.views import Views
from tests.support import searches
from tests.support.games import PLAYER_COUNTS, game_in, random_game
from tests.support.searches import MAKERS


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_a_view_of_a_game_is_that_of_a_batch(players):
    game = random_game(players, seed=3, decisions=40)
    view, batched = views_of(game), searches.views_of(game)
    for name in ("observations", "masks", "states", "seats"):
        assert getattr(view, name).tobytes() == getattr(batched, name).tobytes()
        assert getattr(view, name).dtype == getattr(batched, name).dtype
    assert views_of(game.redealt(5)).states.tobytes() == view.states.tobytes()


def test_a_game_that_is_over_has_no_view():
    with pytest.raises(ArgumentError, match="the game is over"):
        views_of(random_game(2, seed=1))


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("phase", ["demand", "purchase", "loading"])
def test_a_search_thinks_what_its_report_says_and_plays_it(name, phase):
    game = game_in(phase, 3, seed=5)
    search = MAKERS[name](iterations=90, seed=2)
    report = search.search(game)
    (thought,) = search.think(views_of(game))
    assert thought is not None and thought.line is not None
    assert parse_action(thought.line[0]) == int(search.act(views_of(game))[0]) == report.best
    assert thought.line == list(report.line_texts)
    assert thought.values == report.values[report.actions.index(report.best)].tolist()
    assert len(thought.values) == 3
    if name == "flat":  # every action gets its equal share, which tells nothing
        assert thought.probabilities is None
    else:
        assert thought.probabilities is not None
        assert sum(thought.probabilities.values()) == pytest.approx(1)
        assert max(thought.probabilities.values()) == report.preferences.max() > 1 / len(game.legal())
        assert set(thought.probabilities) <= set(game.legal())


def test_each_row_has_its_own_thought():
    games = [random_game(2, seed=seed, decisions=20 + 9 * seed) for seed in range(3)]
    search = MAKERS["mcts"](iterations=40)
    thoughts = search.think(searches.views_of(*games))
    assert thoughts == [search.think(views_of(game))[0] for game in games]


def test_players_tell_nothing_unless_they_have_something_to_tell():
    batch = Batch(3, 2)
    batch.reset(range(3))
    assert load_agent("merchant").think(batch.views(np.arange(3))) == [None, None, None]


class Telling:
    """A player of somebody's own, without a base class."""

    def __init__(self, line: list[str] | None) -> None:
        self.line = line
        self.asked = 0

    def act(self, views: Views) -> np.ndarray:
        self.asked += 1
        return views.masks.argmax(axis=1)

    def think(self, views: Views) -> list[Thought | None]:
        return [Thought({"place 1": 1.0}, line=self.line)] * len(views)


def test_the_thoughts_of_a_player_of_ones_own_are_asked_for_and_a_line_is_acted_on():
    game = Game(2, seed=4)
    own = Telling(["place 1"])
    agent = load_agent(own)
    action, thought = agent.action_and_thought(game)
    assert (ACTION_TEXTS[action], own.asked) == ("place 1", 0)
    assert thought == Thought({"place 1": 1.0}, line=["place 1"])
    assert agent.action(game) == 0
    assert own.asked == 1
    action, thought = load_agent(Telling(None)).action_and_thought(game)
    assert (action, thought) == (0, Thought({"place 1": 1.0}))


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (np.array([6]), "player Own: it chose 'buy', which is not legal"),
        (np.array([999]), "player Own: it chose 999, which is not legal"),
        (np.array([0.0]), "player Own: act\\(\\) returned an array of float64"),
        (None, "player Own: act\\(\\) returned an array of object"),
    ],
)
def test_an_answer_that_is_no_legal_action_is_told_with_the_players_name(answer, told):
    class Own(Agent):
        def act(self, views: Views) -> np.ndarray:
            return answer

    with pytest.raises(ArgumentError, match=told):
        Own().action(Game(2, seed=4))
    with pytest.raises(ArgumentError, match=told):
        Own().action_and_thought(Game(2, seed=4))


def test_a_thought_becomes_an_entry_of_a_record():
    thought = Thought({"place 0": 0.123456, "place 1": 0.0}, [0.5, -0.5], ["place 0"])
    assert thought.entry("mcts:5") == {
        "player": "mcts:5", "probabilities": {"place 0": 0.1235}, "values": [0.5, -0.5], "line": ["place 0"]
    }  # fmt: skip
    assert Thought().entry("merchant") == {"player": "merchant"}


def test_seeds_of_players_differ_by_seat_and_game_and_stay():
    seeds = {seed_for(game, seat) for game in range(20) for seat in range(5)}
    assert len(seeds) == 100
    assert max(seeds) < 2**53
    assert seed_for(7, 1) == seed_for(7, 1)


def test_a_value_that_rounds_to_nothing_has_no_minus():
    lines = hint_lines("merchant", views_of(Game(2, seed=7)), 0, Thought(values=[-0.001, 0.001]))
    assert lines[-1] == "  expects seat 1 (you) +0.00 and seat 2 +0.00 (+1 is a win)"
