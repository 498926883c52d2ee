"""`Game`: what it tells, what it refuses, and that its copies are games of their own."""

from __future__ import annotations

import copy
import pickle
import random
from xml.etree import ElementTree

import numpy as np
import pytest

from speicher_env import ACTION_TEXTS, ArgumentError, Game, IllegalAction, Offer, RecordError, StateError, UnknownAction
from speicher_env.rules.hidden import conceal_at
from speicher_env.rules.state import STATE, VERSION
from speicher_env.rules.status import status
from tests.support.games import OWN_DECK, PLAYER_COUNTS, game_in, play_at_random, random_game
from tests.support.naive import NaiveGame
from tests.support.positions import card, position, seat

pytestmark = pytest.mark.nojit

MID_GAME = 60


def concealed(game: Game) -> bytes:
    """What every player sees of a game."""
    states = np.zeros(1, dtype=STATE)
    states[0] = game.state
    conceal_at(states, 0)
    return states.tobytes()


# Dealing


def test_the_same_arguments_deal_the_same_game() -> None:
    assert Game(3, "sampled", seed=11) == Game(3, "sampled", seed=11)
    assert Game(3, seed=11) != Game(3, seed=12)
    assert Game(3, seed=11) != Game(4, seed=11)


def test_a_game_without_a_seed_takes_a_fresh_one_and_keeps_it() -> None:
    first, second = Game(), Game()
    assert first.seed != second.seed
    assert 0 <= first.seed < 2**53  # what every JSON reader keeps exactly
    assert Game(seed=first.seed) == first


def test_a_seed_of_zero_is_a_seed() -> None:
    assert Game(seed=0) == Game(seed=0)


@pytest.mark.parametrize("first_player", [0, 1, 2])
def test_naming_the_first_player_changes_nothing_else_of_the_deal(first_player: int) -> None:
    by_lot, named = Game(3, seed=5), Game(3, seed=5, first_player=first_player)
    assert named.first_player == named.player == first_player
    assert named.state["pile"].tolist() == by_lot.state["pile"].tolist()
    assert named.state["bag"].tolist() == by_lot.state["bag"].tolist()


def test_numpy_numbers_are_as_good_as_pythons() -> None:
    assert Game(np.int8(3), seed=np.uint64(11), first_player=np.int32(1)) == Game(3, seed=11, first_player=1)


def test_the_deck_of_a_game_is_the_one_it_was_dealt_with() -> None:
    assert Game(deck=OWN_DECK, seed=1).deck == OWN_DECK
    assert Game(deck="standard", seed=1).deck.name == "standard"


def test_a_sampled_deck_can_be_taken_from_one_game_to_another() -> None:
    sampled = Game(deck="sampled", seed=3)
    assert sampled.deck_name == "sampled"
    taken = Game(deck=sampled.deck, seed=9)
    assert taken.deck == sampled.deck
    assert Game.from_record(taken.to_record()).get_state() == taken.get_state()


# Playing


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_every_decision_has_at_least_two_legal_actions_and_the_end_none(players: int) -> None:
    game, rng = Game(players, seed=1), random.Random(1)
    while not game.over:
        assert len(game.legal()) >= 2
        assert game.legal() == [ACTION_TEXTS[action] for action in game.legal_ids()]
        assert game.legal_ids() == sorted(game.legal_ids())
        play_at_random(game, rng, 1)
    assert game.legal() == [] and game.legal_ids() == []
    assert game.player is None and game.phase == "over" and game.offer is None


def test_texts_and_ids_play_the_same() -> None:
    by_text, by_id = Game(seed=4), Game(seed=4)
    while not by_text.over:
        by_id.play(np.int64(by_text.legal_ids()[-1]))
        by_text.play(by_text.legal()[-1])
    assert by_text == by_id
    assert by_text.moves == [ACTION_TEXTS[action] for action in by_id.move_ids or []]


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_a_game_tells_what_the_naive_twin_tells(players: int) -> None:
    game = Game(players, seed=21)
    record = game.to_record()
    twin = NaiveGame(players, record["cards"], record["first_player"], record["pile"], record["bag"])
    rng = random.Random(21)
    while not game.over:
        assert (game.player, game.phase, game.round) == (twin.player, twin.phase, twin.round)
        assert game.first_player == twin.first_player
        assert game.legal() == twin.legal()
        offer = game.offer
        assert (offer and {"column": offer.column, "price": offer.price}) == twin.offer
        assert offer is None or offer.card == twin.columns[offer.column].card.id
        action = rng.choice(game.legal())
        game.play(action)
        twin.play(action)
    assert twin.phase == "over"


def test_an_illegal_action_changes_nothing_and_says_what_is_legal() -> None:
    game = Game(2, seed=7)
    before = game.get_state()
    with pytest.raises(IllegalAction) as caught:
        game.play("buy")
    assert game.get_state() == before
    error = caught.value
    assert (error.phase, error.player, error.action) == ("demand", game.player, "buy")
    assert error.legal == ("place 0", "place 1", "place 2")
    allowed = f"place 0, place 1 or place 2, as player_{game.player} decides in demand"
    assert str(error) == f'action="buy": must be {allowed}.'


def test_an_action_that_does_not_exist_changes_nothing() -> None:
    game = Game(seed=7)
    before = game.get_state()
    for action in ("plaice 0", 184, -1, True, 1.0, None):
        with pytest.raises(UnknownAction):
            game.play(action)  # type: ignore[arg-type]
    assert game.get_state() == before


READ_ONLY = np.zeros(184, dtype=np.int8)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    "mask",
    [
        np.empty(8, np.int8),
        np.empty(0, np.int8),
        np.empty(185, np.int8),
        np.empty(184, np.float64),
        np.empty((184, 1), np.int8),
        np.empty(368, np.int8)[::2],
        READ_ONLY,
        [0] * 184,
        None,
    ],
    ids=["short", "empty", "long", "floats", "two axes", "strided", "read-only", "a list", "nothing"],
)
def test_a_mask_that_cannot_be_written_to_is_refused_and_nothing_is_played(mask: object) -> None:
    game = Game(seed=7)
    before = game.get_state()
    with pytest.raises(ArgumentError, match="must be a contiguous, writable array of 184 int8"):
        game.play_masked(0, mask)  # type: ignore[arg-type]
    assert game.get_state() == before


def test_play_masked_writes_the_mask_and_returns_the_seat_of_the_next_decision() -> None:
    game, mask = Game(3, seed=7), np.full(184, 9, dtype=np.int8)
    while not game.over:
        seat = game.play_masked(game.legal_ids()[-1], mask)
        assert seat == (-1 if game.player is None else game.player)
        assert np.flatnonzero(mask).tolist() == game.legal_ids() and mask.max(initial=0) <= 1


def test_no_action_is_legal_in_a_game_that_is_over() -> None:
    game = random_game(2, seed=2)
    with pytest.raises(IllegalAction, match='action="end": the game is over'):
        game.play("end")


def test_a_long_list_of_legal_actions_is_shortened_in_the_message() -> None:
    error = IllegalAction("loading", 1, "buy", [f"action {k}" for k in range(20)])
    assert "action 11 or 8 more, as player_1" in str(error)
    assert "action 12" not in str(error)
    assert len(error.legal) == 20
    assert str(IllegalAction("loading", 1, "buy", ["a", "b"])).endswith("a or b, as player_1 decides in loading.")


def test_an_illegal_action_passes_to_another_process() -> None:
    error = IllegalAction("demand", 1, "buy", ["place 0", "place 1"])
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), vars(again)) == (str(error), vars(error))


# Looking


def test_the_offer_is_the_card_and_its_price() -> None:
    states = position(phase="purchase", columns=[card("bank", queue=[1, 0]), None, None], seats=[seat(), seat()])
    game = Game.from_state(states)
    assert game.offer == Offer(column=0, card="bank", price=2)
    assert (game.player, game.phase) == (1, "purchase")
    game.play("pass")
    assert game.offer == Offer(0, "bank", 1)


@pytest.mark.parametrize("phase", ["demand", "loading", "over"])
def test_there_is_no_offer_outside_purchase(phase: str) -> None:
    assert game_in(phase).offer is None


def test_points_add_up_from_their_sources() -> None:
    cards = ["warehouse", "port", "ship_1", "ship_2", "counting_office_1", "coffee_roaster", "contract_1"]
    states = position(
        3,
        phase="over",
        seats=[
            seat(2, cards, cubes="tea tea", filled={"contract_1": "coffee carpet"}, fire_points=-2),
            seat(7, ["chamber_of_commerce"]),
            seat(0, ["st_michaelis"]),
        ],
    )
    points = Game.from_state(states).points()
    assert points[0] == {
        "fire": -2,
        "contracts": 5,
        "counting_offices": 2,
        "merchants": 1,
        "warehouse": 2,
        "chamber_of_commerce": 0,
        "port": 2,
        "boatsmen_church": 0,
        "st_michaelis": 0,
        "total": 10,
    }
    assert [of_seat["total"] for of_seat in points] == [10, 7, 4]
    assert all(sum(of_seat.values()) == 2 * of_seat["total"] for of_seat in points)


@pytest.mark.parametrize(
    ("seats", "ranks", "winners"),
    [
        ([seat(9), seat(0, ["st_michaelis"]), seat(2)], [2, 1, 3], [1]),
        ([seat(1), seat(4), seat(3)], [3, 1, 2], [1]),
        ([seat(4), seat(1), seat(4)], [1, 3, 1], [0, 2]),
        ([seat(4), seat(4), seat(4)], [1, 1, 1], [0, 1, 2]),
    ],
    ids=["most points", "then most coins", "a shared win", "all alike"],
)
def test_ranks_and_winners(seats: list, ranks: list[int], winners: list[int]) -> None:
    game = Game.from_state(position(3, phase="over", seats=seats))
    assert (game.ranks(), game.winners()) == (ranks, winners)
    assert game.coins == [of_seat.coins for of_seat in seats]


def test_a_running_game_has_ranks_and_no_winners() -> None:
    game = random_game(3, seed=3, decisions=MID_GAME)
    assert game.winners() == []
    assert sorted(game.ranks())[0] == 1


def test_the_state_is_a_copy_that_fits_the_rules() -> None:
    game = random_game(3, seed=3, decisions=MID_GAME)
    state = game.state
    assert state.dtype == STATE and status(state) == []
    before = game.get_state()
    state["coins"] = 99
    assert game.get_state() == before
    kept = game.state
    game.play(game.legal_ids()[0])
    assert kept != game.state


# Copies


@pytest.mark.parametrize(
    "twin_of", [Game.copy, copy.copy, copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))]
)
@pytest.mark.parametrize("deck", ["standard", "sampled", OWN_DECK], ids=["standard", "sampled", "own"])
def test_a_copy_in_the_middle_of_a_game_goes_on_by_itself_to_the_same_end(twin_of, deck) -> None:
    game = random_game(3, seed=8, deck=deck, decisions=MID_GAME)
    twin = twin_of(game)
    assert twin == game and twin is not game
    before = twin.get_state()
    play_at_random(game, random.Random(1))
    assert twin.get_state() == before
    play_at_random(twin, random.Random(1))
    assert twin.get_state() == game.get_state()
    assert twin.to_record() == game.to_record()


def test_a_copy_of_a_subclass_is_of_that_subclass() -> None:
    class Annotated(Game):
        pass

    game = Annotated(seed=1)
    assert [type(twin) for twin in (game.copy(), game.redealt(1), game.start())] == [Annotated] * 3


def test_a_snapshot_brings_the_game_back() -> None:
    game = random_game(4, seed=5, deck=OWN_DECK, decisions=MID_GAME)
    snapshot, moves = game.get_state(), game.moves
    play_at_random(game, random.Random(2))
    for other in (game, Game(2, seed=1)):
        other.set_state(snapshot)
        assert other.get_state() == snapshot
        assert (other.num_players, other.moves, other.deck) == (4, moves, OWN_DECK)
    assert Game.from_state(bytearray(snapshot)) == Game.from_state(memoryview(snapshot)) == game


@pytest.mark.parametrize("form", [lambda game: game.state, lambda game: np.array([game.state], dtype=STATE)])
@pytest.mark.parametrize("deck", ["standard", "sampled"])
def test_a_bare_record_brings_back_the_state_without_its_past(form, deck: str) -> None:
    game = random_game(3, seed=6, deck=deck, decisions=MID_GAME)
    other = Game(2, seed=1)
    other.set_state(form(game))
    assert other == game
    assert other.deck == game.deck
    assert other.moves is None and other.move_ids is None
    with pytest.raises(RecordError, match="moves are unknown"):
        other.to_record()
    other.play(other.legal_ids()[0])
    assert other.moves is None
    assert Game.from_state(other.get_state()).moves is None
    assert other.copy().moves is None


def test_a_state_that_is_refused_leaves_the_game_as_it_was() -> None:
    game = random_game(3, seed=3, decisions=MID_GAME)
    before = game.get_state()
    broken = game.state
    broken["coins"][1] = -1
    for state in (broken, before[:-1], b""):
        with pytest.raises(StateError):
            game.set_state(state)
        assert game.get_state() == before


def test_states_that_no_game_can_be_in_are_refused_by_the_first_broken_rule() -> None:
    game = game_in("loading", 3)
    broken = game.state
    broken["coins"][1] = -1
    with pytest.raises(StateError, match="coins=-1: must be 0"):
        Game.from_state(broken)
    broken = game.state
    broken["version"] = VERSION + 1
    with pytest.raises(StateError, match=f"version {VERSION + 1}"):
        Game.from_state(broken)
    broken = game.state
    broken["fire_value"] = [6, 5, 4, 3]
    with pytest.raises(StateError, match="fire_2"):
        Game.from_state(broken)
    broken = game.state
    broken["legal"] = game_in("demand").state["legal"]
    with pytest.raises(StateError, match="marked as legal are not"):
        Game.from_state(broken)


def test_equal_games_are_in_the_same_state_however_they_came_there() -> None:
    game = random_game(2, seed=3, decisions=20)
    assert game == Game.from_state(game.state)
    assert game != game.state and game != "a game"
    with pytest.raises(TypeError, match="unhashable"):
        hash(game)


@pytest.mark.parametrize("players", PLAYER_COUNTS)
@pytest.mark.parametrize("decisions", [0, 1, 33, None])
def test_the_start_of_a_game_is_its_deal(players: int, decisions: int | None) -> None:
    game = random_game(players, seed=9, deck="sampled", decisions=decisions)
    assert game.start().get_state() == Game(players, "sampled", seed=9).get_state()


# What is hidden


def test_redealing_changes_what_is_hidden_and_nothing_that_is_seen() -> None:
    game = random_game(3, seed=12, decisions=MID_GAME)
    before = game.get_state()
    other = game.redealt(1)
    assert game.get_state() == before
    assert other != game and concealed(other) == concealed(game)
    assert other.moves == game.moves and other.legal() == game.legal()
    assert other.seed == 0
    assert status(other.state) == []


def test_redealing_depends_on_what_is_seen_and_on_its_seed_alone() -> None:
    game = random_game(3, seed=12, decisions=MID_GAME)
    assert game.redealt(1) == game.redealt(1) == game.redealt(2).redealt(1)
    assert game.redealt(1) != game.redealt(2)


def test_a_redealt_game_can_be_played_kept_and_recorded() -> None:
    game = play_at_random(random_game(3, seed=12, decisions=MID_GAME).redealt(1), random.Random(1))
    assert Game.from_state(game.get_state()) == game
    assert Game.from_record(game.to_record()) == game


# Showing


def test_the_repr_says_who_decides_what_and_how_it_stands() -> None:
    begun = "<Game: 3 players, round 1, demand, player_1 decides, points 0, 0, 0>"
    assert repr(Game(3, seed=7, first_player=1)) == begun
    offered = Game.from_state(
        position(phase="purchase", columns=[card("bank", queue=[1, 0]), None, None], seats=[seat(), seat()])
    )
    assert "purchase, player_1 decides on bank for 2, points 0, 0" in repr(offered)
    over = Game.from_state(position(3, phase="over", seats=[seat(1), seat(4), seat(4)]))
    assert repr(over).endswith("player_1 and player_2 share the win, points 0, 0, 0>")
    assert "player_1 wins" in repr(Game.from_state(position(2, phase="over", seats=[seat(1), seat(4)])))


@pytest.mark.parametrize("phase", ["demand", "purchase", "loading", "over"])
@pytest.mark.parametrize("players", [2, 5])
def test_a_notebook_shows_the_picture_and_well_formed_tables(players: int, phase: str) -> None:
    game = game_in(phase, players)
    html = game._repr_html_()
    page = ElementTree.fromstring(f"<div>{html}</div>")
    assert "script" not in html
    assert game._repr_svg_() in html
    rows = page.findall("details/table")[-1].findall("tbody/tr")
    assert len(rows) == players
    assert [row[1].text for row in rows] == [str(points["total"]) for points in game.points()]


def test_a_notebook_shows_cards_with_what_they_need() -> None:
    states = position(
        columns=["bank", None, None],
        phase="purchase",
        seats=[seat(cards=["contract_2", "contract_1"], filled={"contract_1": "coffee carpet"}), seat()],
    )
    html = Game.from_state(states)._repr_html_()
    assert "contract 1 (complete)" in html and "contract 2 (needs 1 tea and 1 saffron)" in html


def test_print_shows_the_table() -> None:
    game = Game(2, seed=7)
    assert "demand" in str(game) and "place 0 | place 1 | place 2" in str(game)
