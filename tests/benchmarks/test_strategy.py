"""What the page on strategy says is what the games say, tried on games whose answers are known."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import strategy
from docs.tables import strategy as strategy_tables
from speicher_env.game import Game
from speicher_env.rules.cards import CARD_NUMBER
from speicher_env.rules.scoring import SOURCES


@pytest.fixture(scope="module", params=[2, 3])
def played(request: pytest.FixtureRequest) -> dict[str, object]:
    return strategy.study(request.param, 60)


def test_least_squares_find_what_cards_were_made_to_be_worth() -> None:
    rng = np.random.default_rng(1)
    worth = np.array([3.0, -2.0, 0.0])
    ahead = rng.choice([-1.0, 0.0, 1.0], size=(4000, 2, 3))
    ahead[:, 1] = -ahead[:, 0]
    noise = rng.normal(size=4000)
    lead = ahead @ worth + np.stack([noise, -noise], axis=1)
    found, error = strategy.least_squares(ahead, lead)
    assert np.abs(found - worth).max() < 4 * error.max() < 0.2


def test_errors_treat_the_two_seats_of_a_game_as_one_observation() -> None:
    rng = np.random.default_rng(2)
    ahead = rng.choice([-1.0, 0.0, 1.0], size=(500, 1, 1))
    lead = rng.normal(size=(500, 1))
    _, once = strategy.least_squares(ahead, lead)
    _, twice = strategy.least_squares(np.concatenate([ahead, -ahead], axis=1), np.concatenate([lead, -lead], axis=1))
    assert twice == pytest.approx(once)


def test_places_are_counted_from_the_seat_that_begins() -> None:
    share = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    places = strategy.seats(share, began=np.array([0, 1, 2, 2]))
    assert [place["estimate"] for place in places] == [0.75, 0.25, 0.0]


def test_a_game_is_decided_by_fire_only_where_the_winner_would_be_another() -> None:
    points = np.zeros((2, 2, len(SOURCES)), dtype=np.int16)
    points[:, 0, SOURCES.index("contracts")] = [10, 3]
    points[:, 1, SOURCES.index("contracts")] = [5, 5]
    points[:, 0, SOURCES.index("fire")] = [4, 4]
    points[:, 1, SOURCES.index("fire")] = [-4, -4]
    states = np.zeros(2, dtype=[("firemen", np.int8, (5,))])
    told = strategy.fires(points, states, share=np.array([[1.0, 0.0], [1.0, 0.0]]))
    assert told["decided"]["estimate"] == 0.5
    assert told["spread"] == 8


def test_what_is_noted_of_a_game_is_what_happens_in_it(played: dict[str, object]) -> None:
    """Everything is bought at most once, for a price the rules allow, and the shares of the places sum to one game."""
    for card in played["cards"]:  # type: ignore[attr-defined]
        assert card["card"] in CARD_NUMBER and not card["card"].startswith("fire_")
        assert 0 <= card["sold"] <= 1
        assert card["price"] is None or 0 <= card["price"] <= 8
    assert sum(place["estimate"] for place in played["seats"]) == pytest.approx(1)  # type: ignore[attr-defined]
    first = Game(2, seed=int(played["first_seed"]))  # type: ignore[call-overload]
    assert first.round == 1
    assert [told["round"] for told in played["prices"]] == sorted(  # type: ignore[attr-defined]
        told["round"]
        for told in played["prices"]  # type: ignore[attr-defined]
    )


def test_the_page_and_its_plots_are_made_of_any_result(tmp_path, played: dict[str, object]) -> None:  # type: ignore[no-untyped-def]
    header = {
        "command": "python -m benchmarks.strategy",
        "date": "2026-01-02",
        "machine": {"processor": "A Processor", "usable_cores": 2, "memory_gib": 8.0, "system": "Linux x86_64"},
        "versions": {"python": "3.11.0"},
        "player": "merchant",
    }
    places = played["seats"]
    assert isinstance(places, list)
    count = str(len(places))
    result = header | {"players": {"2": played, count: played} if count != "2" else {"2": played, "3": played}}
    if count == "2":
        result["players"]["3"] = {**played, "seats": [*places, places[0]]}
    else:
        result["players"]["2"] = {**played, "seats": places[:2]}
    assert strategy_tables.cards_table(result).count("`fireman_1`") == 1
    strategy_tables.draw(result, tmp_path)
    for name in (strategy_tables.WORTH, strategy_tables.SOURCES, strategy_tables.SEATS):
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (tmp_path / f"{name}.svg").is_file()
