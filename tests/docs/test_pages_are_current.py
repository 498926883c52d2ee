"""The tables that code prints into the pages are those of the code as it is."""

from __future__ import annotations

import importlib.util

import pytest

from speicher_env import ACTIONS
from speicher_env.rules.cards import GOODS
from tests.support.pages import PAGES, ROOT

_spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
generate = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(generate)

MARKED = [path for path in PAGES if "<!-- table:" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", MARKED, ids=lambda path: path.name)
def test_committed_tables_are_current(path):
    page = path.read_text(encoding="utf-8")
    assert page == generate.with_tables(page), "python docs/generate.py prints the tables anew"


@pytest.mark.parametrize("path", MARKED, ids=lambda path: path.name)
def test_every_mark_begins_a_table_that_ends(path):
    page = path.read_text(encoding="utf-8")
    assert len(generate.marked_tables(page)) == page.count("<!-- table:") == page.count("<!-- end -->")


def test_every_table_stands_on_one_page():
    marked = [name for path in MARKED for name in generate.marked_tables(path.read_text(encoding="utf-8"))]
    assert sorted(marked) == sorted(generate.TABLES)


@pytest.mark.parametrize("verb", generate.FORMULAS)
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
            assert eval(generate.FORMULAS[verb], names) == action.id, action.text


def conversion_id(goods: list[int], takes: int) -> int:
    """The id of a `convert` as a reader finds it on the page: the row of the three goods, then the good taken."""
    given = " ".join(GOODS[good] for good in goods)
    row = next(line for line in generate.conversions().splitlines() if f"| {given} |" in line)
    ids, _, taken = (cell.strip() for cell in row.strip("|").split("|"))
    return int(ids.partition("–")[0]) + taken.split(", ").index(GOODS[takes])
