"""What the tests of the searches share."""

from __future__ import annotations

import numpy as np

from speicher_agents.search import FlatSearch, GuidedSearch, PlayoutEvaluator, Search, SearchReport, TreeSearch
from speicher_env import Game
from speicher_env.batch import Batch
from speicher_env.views import Views

MAKERS = {
    "mcts": lambda **options: TreeSearch(**options),
    "flat": lambda **options: FlatSearch(**options),
    "guided": lambda **options: GuidedSearch(PlayoutEvaluator(), **options),
}
"""Every search, made with a budget and a seed."""


def views_of(*games: Game) -> Views:
    """The decisions of some running games of one size as a player is shown them."""
    batch = Batch(len(games), games[0].num_players)
    batch.reset(range(len(games)))
    for lane, game in enumerate(games):
        batch.arrays.states[lane] = game.state
    return batch.views(np.arange(len(games)))


def assert_same(report: SearchReport, other: SearchReport) -> None:
    """Fail unless two reports agree in every number."""
    assert (report.seat, report.actions, report.best, report.line) == (
        other.seat,
        other.actions,
        other.best,
        other.line,
    )
    np.testing.assert_array_equal(report.visits, other.visits)
    np.testing.assert_array_equal(report.values, other.values)


def best_text(search: Search, states: np.ndarray) -> str:
    """The text of the action that a search plays."""
    report = search.search(states)
    return report.texts[report.actions.index(report.best)]
