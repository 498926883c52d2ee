"""A search stops when its iterations or its time are used up; no test here looks at a real clock."""

from __future__ import annotations

import pytest

from speicher_agents import make_player
from speicher_agents.search import Budget, FlatSearch, GuidedSearch, TreeSearch, UniformEvaluator
from speicher_agents.search.budget import FIRST_PART, PART_MS
from speicher_env import ArgumentError
from tests.support.games import game_in


class Work:
    """Iterations that take so long each, on a clock that nothing else moves."""

    def __init__(self, ms_each: float) -> None:
        self.ms_each = ms_each
        self.parts: list[int] = []

    def run(self, iterations: int) -> None:
        self.parts.append(iterations)

    def clock(self) -> float:
        return sum(self.parts) * self.ms_each / 1000


@pytest.mark.parametrize("ms_each", [0.0005, 0.01, 0.3, 5.0])
@pytest.mark.parametrize("ms", [0.5, 20.0, 300.0])
def test_a_time_is_used_up_and_hardly_more(ms, ms_each):
    work = Work(ms_each)
    done = Budget(ms=ms).spend(work.run, work.clock)
    spent = done * ms_each
    assert done == sum(work.parts)
    assert spent >= ms
    assert spent <= max(ms + max(PART_MS, ms_each) + 1e-6, FIRST_PART * ms_each + 1e-6)


def test_decisions_side_by_side_put_their_times_together():
    work = Work(0.1)
    done = Budget(ms=10).spend(work.run, work.clock, decisions=8)
    assert done * 0.1 == pytest.approx(80, rel=0.05)


def test_a_clock_that_stands_still_for_a_while_does_not_stop_the_search():
    ticks = iter([0.0, 0.0, 0.0, 0.001, 1.0])
    parts: list[int] = []
    Budget(ms=50).spend(parts.append, lambda: next(ticks))
    assert len(parts) == 4


def test_iterations_are_spent_in_one_go():
    parts: list[int] = []
    assert Budget(iterations=123).spend(parts.append) == 123
    assert parts == [123]


@pytest.mark.parametrize(
    "make", [TreeSearch, FlatSearch, lambda **options: GuidedSearch(UniformEvaluator(), **options)],
    ids=["mcts", "flat", "guided"],
)  # fmt: skip
def test_a_search_asks_the_clock_it_is_given(make):
    now = [0.0]

    def clock() -> float:
        now[0] += 0.004
        return now[0]

    game = game_in("demand", 2)
    report = make(ms=10, clock=clock).search(game)
    assert now[0] == pytest.approx(0.016)  # at the start, and until more than 10 ms have passed
    assert report.iterations > FIRST_PART


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ("mcts:100,ms=5", "iterations and ms: both are given; must be one of them"),
        ("mcts:0", "iterations=0: must be a whole number, 1 or more"),
        ("flat:ms=0", "ms=0.0: must be a number, 0.001 or more"),
        ("mcts:50,c=-1", "c=-1.0: must be a number, 0 or more"),
        ("mcts:50,margin=1.5", "margin=1.5: must be a number 0..1"),
        ("mcts:50,rollout=mcts", 'rollout="mcts": must be casual, random or another'),
        ("mcts:50,rollout=nobody", "nobody"),
        ("mcts:50,prior=flat", 'prior="flat": must be none or another player that is compiled'),
        ("mcts:50,trust=2", "trust=2.0: must be a number 0..1"),
        ("mcts:50,exploration=2", 'parameter="exploration": must be iterations, ms, c'),
    ],
)
def test_a_spec_that_makes_no_sense_is_refused(spec, fault):
    with pytest.raises(ArgumentError, match=fault):
        make_player(spec)


def test_specs_name_every_parameter():
    player = make_player("mcts:50,c=0.7,margin=0.2,rollout=random,prior=frugal,trust=0.3,seed=4")
    assert isinstance(player, TreeSearch)
    game = game_in("loading", 3)
    same = TreeSearch(iterations=50, c=0.7, margin=0.2, rollout="random", prior="frugal", trust=0.3, seed=4)
    assert (player.search(game).visits == same.search(game).visits).all()
    assert make_player("flat:ms=2.5").budget == Budget(ms=2.5)
    assert make_player("mcts").budget == make_player("flat").budget == Budget(iterations=1000)
