"""Who sits in the other seats: compiled players, players outside, random ones, mixed, swapped between games."""

from __future__ import annotations

import gc
import itertools
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
import pytest

from speicher_env import ArgumentError, Game, IllegalAction
from speicher_env.batch import CHOOSE, Batch, opponents
from speicher_env.rules.hidden import redeal_at
from speicher_env.rules.state import STATE
from speicher_env.views import CompiledPlayer, Views
from tests.support.batch_play import (
    HIGHEST,
    LOWEST,
    STRAY,
    Highest,
    Lowest,
    Watcher,
    assert_play_alike,
    draw_legal,
    everything,
    lane_seen,
    observed,
    pick_legal,
    seen,
)
from tests.support.games import PLAYER_COUNTS
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit

STEPS = few_or_many(6, 200)
SEATS = ("rotating", "random", 1)

TWINS: dict[str, tuple[Any, Any]] = {
    "all compiled, all outside": (LOWEST, Lowest()),
    "two compiled, two outside": ([LOWEST, HIGHEST, LOWEST], [Lowest(), Highest(), Lowest()]),
    "compiled, outside and random": ([LOWEST, Highest(), "random"], [Lowest(), HIGHEST, "random"]),
    "random at the front": (["random", LOWEST, HIGHEST], ["random", Lowest(), Highest()]),
}


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("name", TWINS)
def test_a_player_outside_plays_the_same_games_as_its_compiled_twin(name: str, seat: int | str) -> None:
    one, other = (Batch(5, 4, "sampled", seat, players) for players in TWINS[name])
    one.reset(np.arange(5))
    other.reset(np.arange(5))
    assert seen(one) == seen(other)
    assert_play_alike(one, other, STEPS, seed=0)
    assert one.decisions == other.decisions


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_opponents_sit_clockwise_from_the_learner(players: int) -> None:
    """Each seat's moves, read off a game played alongside, are those of the player that was named for it."""
    cycle = itertools.cycle([LOWEST, Highest()])
    seated = [next(cycle) for _ in range(players - 1)]
    for seat in range(players):
        batch = Batch(1, players, seat=seat, opponents=seated, autoreset="disabled")
        batch.reset([seat])
        game = Game(players, seed=seat)
        rng = np.random.default_rng(seat)
        for _ in range(few_or_many(5, 10_000)):
            while not game.over and game.player != seat:
                ids = game.legal_ids()
                game.play(min(ids) if (game.player - seat - 1) % players % 2 == 0 else max(ids))
            assert batch.arrays.states.tobytes() == game.state.tobytes()
            if game.over:
                break
            action = draw_legal(batch.action_masks, rng)
            batch.step(action)
            game.play(int(action[0]))
        assert few_or_many(True, game.over)


def test_players_outside_are_asked_once_in_a_round_with_all_that_waits() -> None:
    rows = 16
    player = Lowest()
    batch = Batch(rows, 2, seat=0, opponents=player)
    batch.reset(np.arange(rows))
    assert player.rows == [np.count_nonzero([Game(2, seed=seed).player == 1 for seed in range(rows)])]
    rng = np.random.default_rng(0)
    fewest = most = 0
    for _ in range(STEPS):
        player.rows.clear()
        before = batch.decisions
        batch.step(draw_legal(batch.action_masks, rng))
        answered = batch.decisions - before - rows
        assert sum(player.rows) == answered
        # A round after the first asks only the lanes whose opponent decides again.
        assert player.rows == sorted(player.rows, reverse=True)
        fewest, most = fewest + len(player.rows), most + answered
    assert fewest < most / 2


def test_two_players_outside_are_each_asked_for_their_own_lanes() -> None:
    one, other = Watcher(), Watcher()
    batch = Batch(6, 3, seat="random", opponents=one)
    batch.set_opponents(other, [0, 4])
    batch.reset(np.arange(6))
    rng = np.random.default_rng(0)
    for _ in range(STEPS):
        batch.step(draw_legal(batch.action_masks, rng))
    assert one.shown and other.shown
    assert max(len(views) for views in one.shown) <= 4 and max(len(views) for views in other.shown) <= 2


@pytest.mark.parametrize("padded", [False, True], ids=["own size", "padded"])
def test_views_are_the_decisions_as_the_single_game_shows_them(padded: bool) -> None:
    watcher = Watcher()
    batch = Batch(4, 3, "sampled", "random", watcher, padded=padded)
    batch.reset(np.arange(4))
    rng = np.random.default_rng(2)
    for _ in range(few_or_many(4, 200)):
        batch.step(draw_legal(batch.action_masks, rng))
    size = batch.observations.shape[1]
    assert watcher.shown
    for views in watcher.shown:
        assert views.observations.dtype == np.float32 and views.masks.dtype == np.int8
        assert views.states.dtype == STATE and views.seats.dtype == np.int8
        assert len(views) == len(views.masks) == len(views.states) == len(views.seats) > 0
        for row in range(len(views)):
            game = Game.from_state(views.states[row])
            assert game.player == views.seats[row]
            assert np.flatnonzero(views.masks[row]).tolist() == game.legal_ids()
            assert len(game.legal_ids()) >= 2
            seen_by_one = observed(game, int(views.seats[row]), batch.seats_in_view, size)
            assert views.observations[row].tobytes() == seen_by_one


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_views_hold_nothing_hidden(players: int) -> None:
    """The seed is gone, and whatever order the hidden cards and cubes are in, the view is the same."""
    batch = Batch(3, players, "sampled")
    batch.reset(np.arange(3))
    lanes = np.arange(3)
    rng = np.random.default_rng(2)
    for _ in range(few_or_many(3, 150)):
        views = batch.views(lanes)
        assert not views.states["seed"].any()
        for lane in lanes:
            redeal_at(batch.arrays.states, lane, int(rng.integers(2**40)))
        again = batch.views(lanes)
        for one, other in zip(parts(views), parts(again), strict=True):
            assert one.tobytes() == other.tobytes()
        batch.step(draw_legal(batch.action_masks, rng))


def parts(views: Views) -> list[np.ndarray]:
    return [views.observations, views.masks, views.states, views.seats]


def test_a_player_may_keep_and_overwrite_what_it_was_shown() -> None:
    class Scribbler:
        def act(self, views: Views) -> np.ndarray:
            answer = views.masks.argmax(axis=1)
            for array in (views.observations, views.masks, views.seats):
                array[:] = 1
            views.states[:] = np.zeros(1, dtype=STATE)[0]
            return answer

    one, other = (Batch(3, 3, seat=0, opponents=player) for player in (Scribbler(), Lowest()))
    one.reset(np.arange(3))
    other.reset(np.arange(3))
    for where in np.random.default_rng(0).random((STEPS, 3)):
        one.step(pick_legal(one.action_masks, where))
        other.step(pick_legal(other.action_masks, where))
        assert seen(one) == seen(other)


# Swapping


@pytest.mark.parametrize("new", [HIGHEST, Highest()], ids=["compiled", "outside"])
def test_other_opponents_take_their_seats_with_the_next_deal(new: Any) -> None:
    kept, swapped = (Batch(2, 2, seat=0, opponents=LOWEST, autoreset="same_step") for _ in range(2))
    kept.reset([1, 2])
    swapped.reset([1, 2])
    rng = np.random.default_rng(0)
    swapped.set_opponents(new, [1])
    fresh: Batch | None = None
    ended = False
    for where in rng.random((few_or_many(10, 400), 2)):
        kept.step(pick_legal(kept.action_masks, where))
        swapped.step(pick_legal(swapped.action_masks, where))
        assert lane_seen(kept, 0) == lane_seen(swapped, 0)
        if fresh is not None:
            fresh.step(pick_legal(fresh.action_masks, where[1:]))
            assert lane_seen(fresh, 0) == lane_seen(swapped, 1)
            continue
        if not kept.ended[1]:
            assert lane_seen(kept, 1) == lane_seen(swapped, 1)
            continue
        ended = True
        assert kept.outcome(1) == swapped.outcome(1)
        fresh = Batch(1, 2, seat=0, opponents=Highest())
        fresh.reset([int(swapped.arrays.states["seed"][1])])
    assert few_or_many(True, ended)


def test_a_player_that_sits_nowhere_any_more_is_let_go() -> None:
    """Else the past selves of a long training would pile up."""
    batch = Batch(3, 2, seat=0, opponents="random")
    batch.reset([0, 1, 2])
    players = [Lowest() for _ in range(few_or_many(3, 50))]
    gone = [weakref.ref(player) for player in players]
    while players:
        batch.set_opponents(players.pop())
        batch.reset([0, 1, 2])
    batch.set_opponents(Highest(), [0])
    gc.collect()
    assert sum(reference() is not None for reference in gone) <= 1
    assert len(batch.outside.players) <= 3
    batch.step(draw_legal(batch.action_masks, np.random.default_rng(0)))


def test_a_player_swapped_out_still_finishes_its_game() -> None:
    one, other = (Batch(2, 2, seat=0, opponents=Lowest()) for _ in range(2))
    for batch in (one, other):
        batch.reset([5, 6])
    for _ in range(3):  # each lets go of players that sit nowhere
        other.set_opponents(Highest())
    for where in np.random.default_rng(0).random((20, 2)):
        one.step(pick_legal(one.action_masks, where))
        other.step(pick_legal(other.action_masks, where))
        assert seen(one) == seen(other)


# Players in error


class Wrong:
    """A player that answers what it is told to, after some good answers."""

    def __init__(self, answer: Any, good: int = 0) -> None:
        self.answer, self.good = answer, good

    def act(self, views: Views) -> Any:
        self.good -= 1
        if self.good >= 0:
            return views.masks.argmax(axis=1)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer(views) if callable(self.answer) else self.answer


def illegal_in_the_last_row(views: Views) -> np.ndarray:
    actions = views.masks.argmax(axis=1)
    actions[-1] = int((views.masks[-1] == 0).argmax())
    return actions


MALFORMED: dict[str, tuple[Any, str]] = {
    "a single number": (
        3,
        r"player Wrong: act\(\) returned an array of int64 with shape \(\), must be one action id for each of 2 rows",
    ),
    "one too many": (
        lambda views: np.zeros(3, dtype=int),
        r"int64 with shape \(3,\), must be one action id for each of 2 rows",
    ),
    "a column": (
        lambda views: np.zeros((2, 1), dtype=int),
        r"shape \(2, 1\), must be one action id for each of 2 rows",
    ),
    "scores": (
        lambda views: views.masks * 0.5,
        r"float(32|64|16) with shape \(2, 184\), must be one action id for each of 2 rows",
    ),
    "floats": (lambda views: np.zeros(2), r"float64 with shape \(2,\), must be one action id for each of 2 rows"),
    "truth values": (
        lambda views: np.zeros(2, dtype=bool),
        r"bool with shape \(2,\), must be one action id for each of 2 rows",
    ),
    "nothing": (None, r"player Wrong: act\(\) returned an array of object with shape \(\), must be one action id"),
    "texts": (
        ["pass", "pass"],
        r"act\(\) returned an array of <U4 with shape \(2,\), must be one action id for each of 2 rows",
    ),
}


def waiting_for(player: Any, **options: Any) -> Batch:
    """A batch of two games that are dealt so that the opponent begins."""
    return Batch(2, 2, seat=0, opponents=player, first_player=1, **options)


@pytest.mark.parametrize("case", MALFORMED)
def test_an_answer_of_the_wrong_form_is_refused_by_the_players_name(case: str) -> None:
    answer, message = MALFORMED[case]
    with pytest.raises(ArgumentError, match=message):
        waiting_for(Wrong(answer)).reset([0, 1])


@pytest.mark.parametrize("illegal", ["raise", "lose", "random"])
@pytest.mark.parametrize(
    ("player", "message"),
    [
        (
            Wrong(illegal_in_the_last_row),
            r'player Wrong, game 1: action="place 3": must be .* player_1 decides in demand',
        ),
        (Wrong(lambda views: np.full(2, 999)), r'player Wrong, game 0: action="999": must be place 0'),
        (STRAY, r'player stray, game 0: action="-7": must be place 0, place 1.* player_1 decides in demand'),
    ],
    ids=["outside", "no action", "compiled"],
)
def test_an_illegal_answer_is_refused_with_player_game_and_legal_actions(
    player: Any, message: str, illegal: str
) -> None:
    """Whatever is done about illegal actions of the learner: a player that is in error must be mended."""
    with pytest.raises(IllegalAction, match=message) as raised:
        waiting_for(player, illegal=illegal).reset([0, 1])
    assert raised.value.legal == ("place 0", "place 1", "place 2")


def test_a_compiled_players_illegal_answer_is_refused_in_a_step_too() -> None:
    batch = Batch(3, 2, seat=0, opponents="random", first_player=0)
    batch.set_opponents(STRAY, [2])
    batch.reset([0, 1, 2])
    with pytest.raises(IllegalAction, match=r"player stray, game 2: action=\"-7\": must be"):
        batch.step(np.array([0, 0, 0]))
    batch.set_opponents(Lowest())
    batch.reset([0, 1, 2])
    batch.step(np.array([0, 0, 0]))


@pytest.mark.parametrize(
    ("fault", "error", "message"),
    [
        (illegal_in_the_last_row, IllegalAction, 'player Wrong, game 1: action="place 3": must be'),
        (RuntimeError("no connection"), RuntimeError, "no connection"),
    ],
    ids=["illegal", "raises"],
)
@pytest.mark.parametrize("during", ["reset", "step"])
def test_games_that_a_player_left_unfinished_are_not_played_on(
    during: str, fault: Any, error: type[Exception], message: str
) -> None:
    batch = waiting_for(Wrong(fault, good=1 if during == "step" else 0))
    if during == "step":
        batch.reset([0, 1])
    with pytest.raises(error, match=message):
        batch.reset([0, 1]) if during == "reset" else batch.step(batch.action_masks.argmax(axis=1))
    before = everything(batch)
    with pytest.raises(ArgumentError, match=r"could not be finished, because a player failed; reset\(\)"):
        batch.step(np.array([0, 0]))
    with pytest.raises(ArgumentError, match=r"could not be finished"):
        batch.reset([0], [0])
    assert everything(batch) == before
    batch.set_opponents("random")
    batch.reset([0, 1])
    batch.step(draw_legal(batch.action_masks, np.random.default_rng(0)))


# Specs


@numba.njit(CHOOSE)
def _another(state: np.void, code: int, stream: np.ndarray) -> int:
    return 0


REFUSED: dict[str, tuple[Any, str]] = {
    "a number": (7, r"opponents=7: must be specs such as \"random\" or objects with act\(views\)"),
    "a class without act": (object(), "opponents=a value of type object: must be specs such as"),
    "nobody": (None, "opponents=None: must be"),
    "too many": (["random"] * 3, "opponents=a list of 3: must be one player for all other seats, or one for each of 2"),
    "none": ([], "opponents=a list of 0: must be one player for all other seats, or one for each of 2"),
    "code 0": (CompiledPlayer("zero", LOWEST.choose, 0), "player zero: code=0: must be a whole number 1..32"),
    "a high code": (CompiledPlayer("high", LOWEST.choose, 2**15), "player high: code=32768: must be a whole"),
    "not compiled": (CompiledPlayer("plain", 3, 1), "player plain: choose=3: must be a function compiled"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_player_is_refused(case: str) -> None:
    player, message = REFUSED[case]
    with pytest.raises(ArgumentError, match=message):
        Batch(2, 3, seat=0, opponents=player)


def test_compiled_players_of_one_batch_share_a_function() -> None:
    batch = Batch(2, 3, seat=0, opponents=LOWEST)
    with pytest.raises(ArgumentError, match=r"player other has a function of its own, must share .* \(lowest\)"):
        batch.set_opponents(CompiledPlayer("other", _another, 1))


def test_opponents_that_are_refused_leave_those_there_are() -> None:
    batch = Batch(2, 3, seat=0, opponents=LOWEST)
    before = batch.arrays.lanes["opponents"].tolist()
    for player, message in REFUSED.values():
        with pytest.raises(ArgumentError, match=message):
            batch.set_opponents(player)
    with pytest.raises(ArgumentError, match="opponents=7: must be specs"):
        batch.set_opponents(["random", 7])
    with pytest.raises(ArgumentError, match=r"lanes=2: must be .* 0\.\.1"):
        batch.set_opponents("random", [2])
    assert batch.arrays.lanes["opponents"].tolist() == before


OFFERED = {"lowest": LOWEST, "outside": Lowest()}


def _offer(spec: str) -> Any:
    if spec not in OFFERED:
        raise ArgumentError(f"player {spec}: must be one of {', '.join(OFFERED)}")
    return OFFERED[spec]


def _offer_highest(spec: str) -> Any:
    if spec != "highest":
        raise ArgumentError("player: must be highest")
    return OFFERED["lowest"]


class _EntryPoint:
    def __init__(self, make: Callable[[str], Any]) -> None:
        self.load = lambda: make


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Install packages that offer players with these functions, and no others."""

    def offering(*makers: Callable[[str], Any]) -> None:
        found = [_EntryPoint(make) for make in makers]
        monkeypatch.setattr(opponents, "entry_points", lambda group: found if group == opponents.GROUP else [])
        opponents._makers.cache_clear()

    yield offering
    opponents._makers.cache_clear()


def test_other_specs_are_made_by_installed_packages(install: Callable[..., None]) -> None:
    install(_offer)
    one = Batch(3, 3, seat=0, opponents=["lowest", "outside"])
    other = Batch(3, 3, seat=0, opponents=LOWEST)
    one.reset(np.arange(3))
    other.reset(np.arange(3))
    assert seen(one) == seen(other)


def test_every_installed_package_is_asked_for_a_spec(install: Callable[..., None]) -> None:
    install(_offer_highest, _offer)
    Batch(3, 3, seat=0, opponents=["lowest", "highest"])
    with pytest.raises(ArgumentError, match="player: must be highest"):
        Batch(3, 3, seat=0, opponents="nobody")


@pytest.mark.parametrize(
    ("spec", "hint"), [("randm", 'did you mean "random"'), ("merchant", r"offers other players\.$")]
)
def test_without_such_a_package_only_the_random_player_is_there(
    spec: str, hint: str, install: Callable[..., None]
) -> None:
    install()
    with pytest.raises(ArgumentError, match=rf'opponents="{spec}": must be "random", as no installed .*{hint}'):
        Batch(1, 2, seat=0, opponents=spec)


# Seating


def test_a_seating_says_for_each_game_who_sits_where() -> None:
    """The same games as with each lane seated by a call of its own."""
    players = [LOWEST, Highest(), "random"]
    seating = np.array([[0, 1], [1, 0], [2, 2], [1, 1]])
    at_once, one_by_one = (Batch(4, 3, seat=0) for _ in range(2))
    at_once.set_opponents(players, seating=seating)
    for lane, places in enumerate(seating.tolist()):
        one_by_one.set_opponents([players[place] for place in places], [lane])
    for batch in (at_once, one_by_one):
        batch.reset(range(4))
    for where in np.random.default_rng(0).random((STEPS, 4)):
        assert seen(at_once) == seen(one_by_one)
        for batch in (at_once, one_by_one):
            batch.step(pick_legal(batch.action_masks, where))
    at_once.set_opponents([LOWEST], [2], seating=[[0, 0]])
    assert at_once.arrays.lanes["opponents"][2, :2].tolist() == [LOWEST.code] * 2


SEATINGS: dict[str, tuple[Any, str]] = {
    "no such player": ([[0, 2], [0, 0]], r"seating=2: must be places in the list of opponents, 0\.\.1"),
    "negative": ([[0, -1], [0, 0]], "seating=-1: must be places"),
    "a seat too many": ([[0, 0, 0]] * 2, r"seating=an array of int64 with shape \(2, 3\): must be .* shape \(2, 2\)"),
    "a lane too few": ([[0, 0]], r"shape \(1, 2\): must be an array of whole numbers with shape \(2, 2\)"),
    "floats": (np.zeros((2, 2)), "array of float64"),
    "truth values": (np.zeros((2, 2), dtype=bool), "array of bool"),
}


@pytest.mark.parametrize("case", SEATINGS)
def test_a_wrong_seating_is_refused_and_nobody_is_seated(case: str) -> None:
    seating, message = SEATINGS[case]
    batch = Batch(2, 3, seat=0, opponents=LOWEST)
    before = everything(batch)
    with pytest.raises(ArgumentError, match=message):
        batch.set_opponents(["random", HIGHEST], seating=seating)
    assert everything(batch) == before
