"""Every piece of the observation against a slow reading of the state, along random games and at the extremes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from speicher_env import Game
from speicher_env.observation import PIECES, describe, observation_size, places
from speicher_env.observation.encode import mask_at, observe_at
from speicher_env.observation.refresh import SHOWN, refresh_observation
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.cards import KIND_OF, KINDS
from speicher_env.rules.state import EMPTY, MAX_PLAYERS, OVER
from speicher_env.rules.turn import step
from tests.support.games import OWN_DECK, PLAYER_COUNTS
from tests.support.positions import JIT, card, legal_ids, position, seat
from tests.support.slow_reading import described, encoded

pytestmark = [pytest.mark.nojit, pytest.mark.bounds]

DECKS = {"standard": "standard", "sampled": "sampled", "own": OWN_DECK}
EXACT = 1e-6
"""Values are products in float32 of whole numbers and a rounded 1/scale."""

every_deck = pytest.mark.parametrize("deck", DECKS.values(), ids=DECKS)
every_count = pytest.mark.parametrize("players", PLAYER_COUNTS)


def observe(states: np.ndarray, viewer: int, seats: int) -> np.ndarray:
    """The observation, written over values that must all go."""
    row = np.full(observation_size(seats), np.nan, dtype=np.float32)
    observe_at(states, 0, viewer, seats, row)
    return row


def pieces(row: np.ndarray, seats: int) -> dict[str, np.ndarray]:
    """The values of each piece in its shape, with contracts, columns or seats along the first axis."""
    return {piece.name: np.array(row[places(piece.name, seats)]) for piece in PIECES}


def moments(players: int, deck: Any, games: int, every: int) -> Iterator[np.ndarray]:
    """States of random games: each so many decisions, and the end."""
    for seed in range(games):
        states = Game(players, deck, seed).states_view
        rng = random.Random(seed)
        decision = 0
        while states["player"][0] != EMPTY:
            if decision % every == 0:
                yield states
            assert step(states, 0, rng.choice(legal_ids(states)))
            decision += 1
        yield states


def assert_read_right(states: np.ndarray, viewer: int, seats: int) -> None:
    """The observation, piece by piece, is what the slow reading gives."""
    row = observe(states, viewer, seats)
    assert np.all((row >= 0) & (row <= 1))
    expected = encoded(states[0], viewer, seats)
    assert set(expected) == {piece.name for piece in PIECES}
    for name, values in pieces(row, seats).items():
        wanted = np.array(expected[name], dtype=np.float64)
        assert values.shape == wanted.shape, name
        assert np.allclose(values, wanted, rtol=0, atol=EXACT), f"{name} is {values}, must be {wanted}"


def views_in(players: int, deck: Any) -> Iterator[tuple[np.ndarray, int, int]]:
    """Moments of games, each as every seat sees it, with and without room for more seats."""
    for states in moments(players, deck, games=2 if JIT else 1, every=23 if JIT else 60):
        for viewer in range(players):
            for seats in {players, MAX_PLAYERS}:
                yield states, viewer, seats


@every_deck
@every_count
def test_every_piece_is_what_a_slow_reading_of_the_state_gives(players: int, deck: Any) -> None:
    for states, viewer, seats in views_in(players, deck):
        assert_read_right(states, viewer, seats)


@every_deck
@every_count
def test_describe_gives_back_the_natural_numbers_and_names(players: int, deck: Any) -> None:
    for states, viewer, seats in views_in(players, deck):
        words = describe(observe(states, viewer, seats))
        expected = described(states[0], viewer, seats)
        assert list(words) == list(expected)
        for name, value in expected.items():
            assert words[name] == value, name
        for name in ("columns", "seats"):
            assert [list(item) for item in words[name]] == [list(item) for item in expected[name]]


@every_count
def test_every_value_lies_between_0_and_1_at_every_decision(players: int) -> None:
    for states in moments(players, "sampled", games=30 if JIT else 1, every=1 if JIT else 30):
        for viewer in range(players):
            row = observe(states, viewer, players)
            assert row.min() >= 0 and row.max() <= 1


@every_count
def test_padding_only_adds_zeros_for_seats_and_columns_that_there_are_not(players: int) -> None:
    for states in moments(players, "standard", games=2 if JIT else 1, every=10 if JIT else 80):
        for viewer in range(players):
            plain = pieces(observe(states, viewer, players), players)
            padded = pieces(observe(states, viewer, MAX_PLAYERS), MAX_PLAYERS)
            for name, values in plain.items():
                within = tuple(slice(length) for length in values.shape)
                assert padded[name][within].tolist() == values.tolist(), name
                rest = padded[name].copy()
                rest[within] = 0
                assert not rest.any(), name


@every_count
def test_the_view_turns_with_the_seat_clockwise(players: int) -> None:
    for states in moments(players, "standard", games=2 if JIT else 1, every=10 if JIT else 80):
        views = [describe(observe(states, viewer, players)) for viewer in range(players)]
        for viewer, view in enumerate(views):
            assert view["seats"] == views[0]["seats"][viewer:] + views[0]["seats"][:viewer]
            assert view["seats"][0]["coins"] + view["seats"][0]["savings"] == states["coins"][0, viewer]
            assert view["seats"][0]["decides"] == (states["player"][0] == viewer)
            assert {**view, "seats": None} == {**views[0], "seats": None}


@every_count
def test_nothing_of_the_hidden_order_and_the_seed_is_in_it(players: int) -> None:
    rng = np.random.default_rng(players)
    for states in moments(players, "standard", games=3 if JIT else 1, every=7 if JIT else 60):
        before = [observe(states, viewer, players).tobytes() for viewer in range(players)]
        kept = states.copy()
        states["seed"] = 12345
        rng.shuffle(states["pile"][0, states["pile_next"][0] : states["pile_size"][0]])
        rng.shuffle(states["bag"][0, states["bag_next"][0] :])
        assert [observe(states, viewer, players).tobytes() for viewer in range(players)] == before
        states[:] = kept


class Refreshed:
    """A row that is brought up to date again and again, as in a batch, with the record of what it shows."""

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.shown = np.zeros(1, dtype=SHOWN)
        self.row = np.full(observation_size(seats), np.nan, dtype=np.float32)

    def look(self, states: np.ndarray, viewer: int) -> None:
        """Show the state to a seat; the row must be what a fresh one would be."""
        refresh_observation(states[0], viewer, self.shown[0], self.seats, self.row)
        fresh = observe(states, viewer, self.seats)
        if self.row.tobytes() != fresh.tobytes():
            wrong = np.flatnonzero(self.row != fresh)
            names = {piece.name for piece in PIECES if np.isin(places(piece.name, self.seats), wrong).any()}
            raise AssertionError(f"not brought up to date: {sorted(names)}")


def play_at_random(states: np.ndarray, decisions: int, rng: random.Random) -> None:
    """So many decisions, or up to the end."""
    for _ in range(decisions):
        if states["player"][0] == EMPTY:
            return
        assert step(states, 0, rng.choice(legal_ids(states)))


@pytest.mark.parametrize("padded", [False, True])
@every_count
def test_refreshing_a_row_gives_what_writing_it_gives(players: int, padded: bool) -> None:
    """Whoever looks, the seat that decides or any other, and however much was played since the last look."""
    seats = MAX_PLAYERS if padded else players
    for seed in range(30 if JIT else 1):
        rng = random.Random(seed)
        states = Game(players, "sampled" if seed % 2 else "standard", seed).states_view
        refreshed = Refreshed(seats)
        while True:
            deciding = states["player"][0]
            refreshed.look(states, deciding if deciding != EMPTY and rng.random() < 0.5 else rng.randrange(players))
            if deciding == EMPTY:
                break
            # Most often one decision, sometimes many, so that whole rounds and more lie between two looks.
            play_at_random(states, rng.choice((1, 1, 1, 2, 5, 40)), rng)


@every_count
def test_a_row_of_one_seat_is_refreshed_from_one_of_its_decisions_to_the_next(players: int) -> None:
    """As when the other seats are played inside: all that they do, at times a whole round, lies between two looks."""
    for seed in range(30 if JIT else 1):
        rng = random.Random(seed)
        states = Game(players, "sampled" if seed % 2 else "standard", seed).states_view
        viewer = seed % players
        refreshed = Refreshed(players)
        while states["player"][0] != EMPTY:
            if states["player"][0] == viewer:
                refreshed.look(states, viewer)
            play_at_random(states, 1, rng)
        refreshed.look(states, viewer)


@every_count
def test_a_row_that_does_not_show_the_game_is_written_anew(players: int) -> None:
    first, second = Game(players, seed=1).states_view, Game(players, "sampled", seed=2).states_view
    rng = random.Random(players)
    refreshed = Refreshed(players)
    for _ in range(5 if JIT else 2):
        for states in (first, second):
            play_at_random(states, 8, rng)
            refreshed.shown["round"] = 0
            refreshed.look(states, rng.randrange(players))


@every_count
def test_a_game_that_is_broken_off_is_refreshed_too(players: int) -> None:
    """As when a seat loses for an illegal action: over in the midst of a round, with cards and workers on the table."""
    for seed in range(20 if JIT else 2):
        rng = random.Random(seed)
        states = Game(players, seed=seed).states_view
        refreshed = Refreshed(players)
        play_at_random(states, rng.randrange(1, 60), rng)
        refreshed.look(states, rng.randrange(players))
        play_at_random(states, rng.choice((0, 1, 5)), rng)
        states["phase"], states["player"] = OVER, EMPTY
        refreshed.look(states, rng.randrange(players))


def test_refreshing_without_a_change_changes_nothing() -> None:
    states = Game(3, seed=2).states_view
    refreshed = Refreshed(3)
    refreshed.look(states, 1)
    before = refreshed.row.tobytes()
    refreshed.look(states, 1)
    assert refreshed.row.tobytes() == before


@every_count
def test_the_mask_is_the_set_of_legal_actions(players: int) -> None:
    mask = np.full(N_ACTIONS, 7, dtype=np.int8)
    for states in moments(players, "standard", games=2 if JIT else 1, every=5 if JIT else 40):
        mask_at(states, 0, mask)
        assert np.flatnonzero(mask).tolist() == legal_ids(states)
        assert set(mask.tolist()) <= {0, 1}


# Positions that random play does not reach


def laid_out(players: int, **table: Any) -> np.ndarray:
    """`position`, in the round that the cards already revealed say it is."""
    states = position(players, **table)
    revealed = states["pile"][0, : states["pile_next"][0]]
    states["round"] = sum(KINDS[KIND_OF[number]] != "fire" for number in revealed) // (players + 1)
    return states


def test_a_rich_loading_position() -> None:
    states = laid_out(
        4,
        seats=[
            seat(
                coins=70,
                cards=["warehouse", "contract_6", "tea_taster", "ship_1", "fireman_7", "chamber_of_commerce"],
                cubes="coffee coffee tea saffron",
                aboard="tea tea rubber",
                filled={"contract_6": "rubber tea"},
                bought=2,
            ),
            seat(coins=0, cards=["contract_1", "port", "ship_2", "ship_3"], filled={"contract_1": "coffee carpet"}),
            seat(coins=16, cards=["counting_office_1", "counting_office_2", "st_michaelis"], cubes="carpet"),
            seat(
                coins=17, cards=["bank", "boatsmen_church", "contract_10"], fire_points=-3, aboard="carpet coffee tea"
            ),
        ],
        stock="saffron saffron rubber",
        first_player=2,
    )
    for viewer in range(4):
        for seats in (4, 5):
            assert_read_right(states, viewer, seats)
            said = describe(observe(states, viewer, seats))
            assert said == described(states[0], viewer, seats)


def test_a_purchase_position_with_long_queues_and_a_gap() -> None:
    states = laid_out(
        3,
        phase="purchase",
        columns=[
            None,
            card("ship_4", cubes="tea tea tea", queue=[2, 0, 1]),
            card("contract_8", queue=[1, 1]),
            card("fireman_6", queue=[0, 2]),
        ],
        seats=[seat(coins=9), seat(coins=9), seat(coins=9, cards=["fireman_1", "fireman_2"])],
        season="C",
    )
    for viewer in range(3):
        assert_read_right(states, viewer, 3)
        said = describe(observe(states, viewer, 3))
        assert said == described(states[0], viewer, 3)
    # As seat 2 sees it: itself in front, then seats 0 and 1.
    columns, seats_seen = said["columns"], said["seats"]
    assert [column["kind"] for column in columns] == [None, "ship", "contract", "fireman"]
    assert [column["price"] for column in columns] == [0, 3, 2, 2]
    assert [column["offer"] for column in columns] == [False, True, False, False]
    assert columns[1]["cargo"] == {"tea": 3}
    assert [one["decides"] for one in seats_seen] == [True, False, False]
    assert [one["firemen"] for one in seats_seen] == [3, 0, 0]
    assert [one["queue"] for one in seats_seen] == [[(1, 0), (3, 1)], [(1, 1), (3, 0)], [(1, 2), (2, 0), (2, 1)]]


def test_a_full_column_of_eight_workers() -> None:
    columns = [
        card("fireman_6", queue=[0, 1, 2, 3, 0, 1, 2, 3]),
        card("ship_6", queue=[0]),
        card("ship_7", queue=[1]),
        card("ship_8", queue=[2]),
        card("ship_9"),
    ]
    states = laid_out(4, phase="demand", columns=columns, player=3, season="C")
    for viewer in range(4):
        assert_read_right(states, viewer, 4)
    values = pieces(observe(states, 0, 4), 4)
    assert values["column_price"].tolist() == [1, 0.125, 0.125, 0.125, 0]
    assert values["queue"][:, 0].argmax(axis=0).tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    assert values["queue"][:, 0].sum(axis=0).tolist() == [1] * 8


def test_beyond_the_scale_points_and_firemen_are_cut_off_and_nothing_else_can_be() -> None:
    states = Game(2, seed=1).states_view.copy()
    states["firemen"][0, 0] = 45
    states["contract_points"][0, 0] = 99
    states["contract_points"][0, 1] = -80
    values = pieces(observe(states, 0, 2), 2)
    assert values["firemen"].tolist() == [1, 0]
    assert values["points"].tolist() == [1, 0]
    assert {piece.name for piece in PIECES if piece.clipped} == {"firemen", "points"}


def test_the_most_coins_that_a_game_can_bring_fit_the_scale() -> None:
    """5 at the start, 3 in each of 16 incomes with the bank, and one for each of 45 cubes at the very most."""
    states = Game(2, seed=1).states_view.copy()
    states["coins"][0, 0] = 5 + 3 * 16 + 45
    row = observe(states, 0, 2)
    assert row.max() <= 1
    own = describe(row)["seats"][0]
    assert own["coins"] + own["savings"] == 98


# describe


@pytest.mark.parametrize("length", [0, 1, 339, 341, 743])
def test_a_vector_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(
        ValueError, match=rf"size={length}: must be one of 340 \(2 seats\), 458 \(3 .*\), .*, 540 \(2 seats, figures\)"
    ) as caught:
        describe(np.zeros(length, dtype=np.float32))
    assert "\n" not in str(caught.value)


def test_a_batch_is_refused() -> None:
    with pytest.raises(ValueError, match=r"observation=an array of float32 with shape \(2, 340\): must be one row"):
        describe(np.zeros((2, 340), dtype=np.float32))


def test_a_list_of_numbers_can_be_described_too() -> None:
    row = observe(Game(2, seed=1).states_view, 0, 2)
    assert describe(row.tolist()) == describe(row)  # type: ignore[arg-type]
