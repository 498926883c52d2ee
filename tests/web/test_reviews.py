"""Reviews of finished games: made beside the play, stopped, shown, and refused in one sentence."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from speicher_agents.review import Judge, as_json, review_game
from speicher_apps.web.reviews import GameReviews
from tests.support.served import Served
from tests.support.toy_judges import Even, Silent, Waiting

PEOPLE = ("human", "human")
LONG = 600
"""Seconds after which a test gives up; the first review on a machine compiles."""


@pytest.fixture
def waiting(served: Served) -> Iterator[Waiting]:
    judge = Waiting()
    served.state.reviews = GameReviews(lambda: Judge(judge))
    yield judge
    judge.may.set()


def _finished(served: Served) -> Any:
    game = served.deal(PEOPLE)
    while not game["over"]:
        game = served.post(f"games/{game['id']}/play", {"at": game["at"], "action": game["legal"][-1]})
    return game


def _when_done(served: Served, id: str) -> Any:
    threads = [one for one in threading.enumerate() if one.name == f"review {id}"]
    for thread in threads:
        thread.join(LONG)
    return served.get(f"games/{id}/review")


def test_a_review_is_made_beside_the_play_and_shown_as_the_command_shows_it(served: Served, waiting: Waiting) -> None:
    id = _finished(served)["id"]
    assert served.get(f"games/{id}/review") == {"state": "none"}
    assert served.post(f"games/{id}/review", {})["state"] == "running"
    assert waiting.asked.wait(LONG)
    other = served.deal(PEOPLE)
    assert served.post(f"games/{other['id']}/play", {"at": 0, "action": "place 0"})["at"] == 1, "the server answers"
    assert served.ask(f"/api/games/{id}/review/result").status == 404
    waiting.may.set()
    told = _when_done(served, id)
    assert told["state"] == "ready" and told["done"] == told["total"] > 100
    found = served.get(f"games/{id}/review/result")
    with served.state.sessions.using(id) as session:
        assert found["review"] == {**as_json(review_game(session.record(), Judge(Even()))), "judge": waiting.name}
    for decision in found["review"]["decisions"]:
        line = found["lines"].get(str(decision["move"]), [])
        assert [move["action"] for move in line] == decision["line"][: len(line)]
        assert bool(line) == (decision["better"] is not None)


def test_a_review_that_is_stopped_or_of_other_moves_is_forgotten(served: Served, waiting: Waiting) -> None:
    game = _finished(served)
    id, path = game["id"], f"games/{game['id']}"
    served.post(f"{path}/review", {})
    assert waiting.asked.wait(LONG)
    assert served.post(f"{path}/review/stop", {}) == {"state": "none"}
    waiting.may.set()
    assert _when_done(served, id) == {"state": "none"}
    served.post(f"{path}/review", {})
    assert _when_done(served, id)["state"] == "ready", "it can be asked for again"
    served.post(f"{path}/undo", {"at": game["at"]})
    assert served.get(f"{path}/review") == {"state": "none"}
    served.post(f"{path}/remove", {})
    assert served.ask(f"/api/games/{id}/review/result").status == 404


def test_what_cannot_be_reviewed_is_refused_in_one_sentence(served: Served) -> None:
    running = served.deal(PEOPLE)
    answer = served.ask(f"/api/games/{running['id']}/review", {})
    assert answer.status == 400
    assert answer.json["error"] == "the game is not over: only a finished game can be reviewed here"
    assert served.ask("/api/games/0123456789abcdef/review", {}).status == 404
    assert served.ask("/api/games/0123456789abcdef/review/result").status == 404
    assert served.ask(f"/api/games/{running['id']}/review/result").status == 404
    served.state.reviews = GameReviews(lambda: Judge(Silent()))
    id = _finished(served)["id"]
    served.post(f"games/{id}/review", {})
    told = _when_done(served, id)
    assert told["state"] == "failed" and "a player that values positions" in told["error"]
