"""The engine plays by the rules: in every state of many games it says what the naive twin says."""

from __future__ import annotations

import copy
import json
import random

import pytest

from speicher_env import ACTION_TEXTS, Deck, Game
from tests.support.choosers import CHOOSERS, mixed, uniform
from tests.support.games import OWN_DECK, PLAYER_COUNTS, random_game
from tests.support.naive import NaiveGame, deal
from tests.support.rule_events import EVENTS, Chronicle
from tests.support.twin import Difference, View, differences, engine_view, play_both, public_snapshot, replay_naively

DECKS = ("standard", "sampled")
GAMES_EACH = 8
"""Games for each way to choose and each number of players."""
MOST_GAMES_TO_SEE_ALL = 600


@pytest.mark.parametrize("players", PLAYER_COUNTS)
@pytest.mark.parametrize("chooser", CHOOSERS, ids=lambda chooser: chooser.__name__)
def test_engine_and_twin_agree_in_every_state(chooser, players: int) -> None:
    for seed in range(GAMES_EACH):
        play_both(players, DECKS[seed % 2], seed, chooser(random.Random(seed)))


@pytest.mark.nojit
@pytest.mark.bounds
@pytest.mark.parametrize("players", PLAYER_COUNTS)
@pytest.mark.parametrize("deck", [*DECKS, OWN_DECK], ids=["standard", "sampled", "own"])
def test_engine_and_twin_agree_with_every_deck(deck: str | Deck, players: int) -> None:
    play_both(players, deck, 100 + players, mixed(random.Random(players)))


def test_the_comparison_covers_all_184_actions_and_every_rare_turn_of_the_rules() -> None:
    chronicle = Chronicle()

    def curious(view: View, legal: list[str]) -> str:
        new = [text for text in legal if text not in chronicle.actions]
        return new[0] if new and view["phase"] == "loading" else usual(view, legal)

    for seed in range(1000, 1000 + MOST_GAMES_TO_SEE_ALL):
        usual = CHOOSERS[seed % len(CHOOSERS)](random.Random(seed))
        play_both(PLAYER_COUNTS[seed // 2 % 4], DECKS[seed % 3 > 0], seed, curious, chronicle.watch)
        if len(chronicle.actions) == len(ACTION_TEXTS) and not chronicle.never():
            break
    never_played = [text for text in ACTION_TEXTS if text not in chronicle.actions]
    assert not never_played, f"{len(chronicle.actions)} of {len(ACTION_TEXTS)} actions played, not: {never_played}"
    assert not chronicle.never()


# A record is enough to play a game again without the engine


@pytest.mark.parametrize("deck", [*DECKS, OWN_DECK], ids=["standard", "sampled", "own"])
@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_the_twin_replays_a_record_of_the_engine_to_the_same_result(players: int, deck: str | Deck) -> None:
    for seed in range(5):
        played = random_game(players, seed, deck)
        twin, faults = replay_naively(json.loads(json.dumps(played.to_record(legal=True))))
        assert not faults
        assert twin.phase == "over"
        assert [points["total"] for points in twin.points()] == [points["total"] for points in played.points()]


@pytest.mark.parametrize("decisions", [0, 1, 40, 90])
def test_the_twin_replays_the_record_of_a_running_game_to_the_same_state(decisions: int) -> None:
    running = random_game(3, 7, decisions=decisions)
    twin, faults = replay_naively(json.loads(json.dumps(running.to_record(legal=True))))
    assert not faults
    assert twin.snapshot() == public_snapshot(running.state)


def test_the_engine_replays_a_deal_of_the_twin() -> None:
    for seed, players in enumerate(PLAYER_COUNTS * 2):
        cards, first_player, pile, bag = deal(players, seed, DECKS[seed % 2])
        record = {
            "format": "speicherstadt-record/1",
            "players": players,
            "seed": 0,
            "deck": "the twin's",
            "cards": cards,
            "first_player": first_player,
            "pile": pile,
            "bag": bag,
            "moves": [],
            "result": None,
        }
        twin, rng = NaiveGame(players, cards, first_player, pile, bag), random.Random(seed)
        legal = twin.legal()
        while legal:
            action = rng.choice(legal)
            record["moves"].append({"player": twin.player, "action": action, "legal": legal})
            twin.play(action)
            legal = twin.legal()
        record["result"] = {
            "points": [points["total"] for points in twin.points()],
            "coins": [seat["coins"] for seat in twin.snapshot()["seats"]],
            "winners": twin.winners(),
        }
        assert Game.from_record(record).over


def test_a_record_that_tells_another_result_does_not_replay() -> None:
    record = random_game(2, 3).to_record()
    record["result"]["points"][1] += 1
    assert [fault.split()[0] for fault in replay_naively(record)[1]] == ["result"]


# The comparison itself


def test_a_snapshot_of_the_engine_has_the_form_of_the_twins() -> None:
    game = Game(4, seed=3)
    record = game.to_record()
    twin = NaiveGame(4, record["cards"], record["first_player"], record["pile"], record["bag"])
    assert json.dumps(public_snapshot(game.state), sort_keys=True) == json.dumps(twin.snapshot(), sort_keys=True)


def _change(view: View, *path: str | int) -> None:
    """Put something else in one place of a view."""
    *outer, last = path
    for key in outer:
        view = view[key]
    view[last] = "something else"


@pytest.mark.parametrize("path", [("round",), ("seats", 1, "coins"), ("columns", 0, "queue"), ("points", 2, "port")])
def test_every_part_of_a_view_is_compared_and_a_difference_says_where(path: tuple[str | int, ...]) -> None:
    right = engine_view(Game(3, seed=1))
    wrong = copy.deepcopy(right)
    _change(wrong, *path)
    (found,) = differences(right, wrong)
    named = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).removeprefix(".")
    assert found.startswith(f"{named}: engine ")
    assert found.endswith("twin something else")


def test_a_difference_between_lists_says_what_only_one_side_has() -> None:
    assert list(differences({"legal": ["buy", "pass"]}, {"legal": ["pass", "end"]})) == [
        "legal: only the engine has buy",
        "legal: only the twin has end",
    ]
    assert list(differences(["buy", "pass"], ["pass", "buy"], "legal")) == [
        "legal: engine ['buy', 'pass'], twin ['pass', 'buy']"
    ]


def test_a_difference_shows_the_seed_the_moves_and_what_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_income(twin: NaiveGame) -> None:
        twin.first_player = (twin.first_player + 1) % len(twin.seats)

    monkeypatch.setattr(NaiveGame, "_income", no_income)
    with pytest.raises(Difference) as caught:
        play_both(2, "standard", 11, uniform(random.Random(1)))
    text = str(caught.value)
    assert "of seed 11, 2 players, deck standard" in text
    assert "seats[0].coins: engine " in text
    moves = text.split("moves so far: ")[1].split("; ")
    assert f"after move {len(moves)} of" in text
    assert set(moves) <= set(ACTION_TEXTS)


def test_a_breakdown_is_a_difference_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(twin: NaiveGame) -> None:
        raise KeyError("no income today")

    monkeypatch.setattr(NaiveGame, "_income", breaks)
    with pytest.raises(Difference, match=r"KeyError behind '.*': 'no income today'"):
        play_both(2, "standard", 11, uniform(random.Random(1)))


def test_every_event_has_a_name_of_its_own() -> None:
    assert len(set(EVENTS)) == len(EVENTS)
