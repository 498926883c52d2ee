"""The tables that code prints into the pages are those of the code as it is."""

from __future__ import annotations

import importlib
import inspect

import pytest

from benchmarks import ablations as ablation_runs
from benchmarks import time_to_strength
from benchmarks.results import read
from docs import generate
from docs.tables import (
    ablations,
    actions,
    algorithms,
    baselines,
    learning,
    reference,
    results,
    scaling,
    state,
    training_curves,
)
from speicher_env import ACTIONS
from speicher_env.rules.cards import GOODS

MARKED = [path for path in generate.marked_pages() if "<!-- table:" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", MARKED, ids=lambda path: path.name)
def test_committed_tables_are_current(path):
    page = path.read_text(encoding="utf-8")
    assert page == generate.with_tables(page), "python -m docs.generate updates the tables"


@pytest.mark.parametrize("path", MARKED, ids=lambda path: path.name)
def test_every_mark_begins_a_table_that_ends(path):
    page = path.read_text(encoding="utf-8")
    assert len(generate.marked_tables(page)) == page.count("<!-- table:") == page.count("<!-- end -->")


def test_every_table_is_shown_on_a_page():
    marked = {name for path in MARKED for name in generate.marked_tables(path.read_text(encoding="utf-8"))}
    assert marked == set(generate.TABLES)


def test_committed_plots_show_the_committed_results():
    shown = {
        scaling.PLOT: scaling.digest(read("scaling")),
        results.PLOT: results.digest(baselines.kept_results()),
        learning.PLOT: learning.digest(baselines.packaged_cards()),
        training_curves.PLOT: training_curves.digest(ablations.kept_runs(ablation_runs.KEPT)),
        training_curves.TIME_PLOT: training_curves.digest(ablations.kept_times(time_to_strength.KEPT)),
    }
    if any(map(algorithms.kept_runs, algorithms.COUNTS)):
        shown[algorithms.PLOT] = algorithms.digest()
    for plot, digest in shown.items():
        assert digest in (generate.PAGES / f"{plot}.svg").read_text(encoding="utf-8"), plot


def test_every_field_of_the_state_has_a_meaning():
    assert [name for name, meaning in state.meanings().items() if name != "unused" and not meaning] == []


def test_every_public_name_has_an_entry_with_a_description():
    for package, modules in reference.PACKAGES.items():
        page = reference.entries(package)
        for module in map(importlib.import_module, modules):
            for name in reference.public_names(module):
                value = getattr(module, name)
                assert f".{name}" in page or inspect.ismodule(value), f"{module.__name__}.{name}"
                assert not inspect.isfunction(value) or value.__doc__, f"{module.__name__}.{name}"


@pytest.mark.parametrize("verb", actions.FORMULAS)
def test_formulas_of_the_action_table_give_the_ids(verb):
    for action in (action for action in ACTIONS if action.verb == verb):
        goods = [good for good, amount in enumerate(action.gives) for _ in range(amount)]
        names = {"column": action.column, "contract": action.contract}
        if verb == "trade":
            names["first"], names["second"] = goods
        elif goods:
            names["good"] = goods[0]
        if verb == "convert":
            assert conversion_id(goods, action.takes) == action.id
        else:
            assert eval(actions.FORMULAS[verb], names) == action.id, action.text


def conversion_id(goods: list[int], takes: int) -> int:
    """The id of a `convert` as a reader finds it on the page: the row of the three goods, then the good taken."""
    given = " ".join(GOODS[good] for good in goods)
    row = next(line for line in actions.conversions().splitlines() if f"| {given} |" in line)
    ids, _, taken = (cell.strip() for cell in row.strip("|").split("|"))
    return int(ids.partition("–")[0]) + taken.split(", ").index(GOODS[takes])
