"""The page for everybody: axe finds nothing that keeps people from using it."""

from __future__ import annotations

import pytest

from tests.browser.conftest import NewPage
from tests.support.axe import MISSING, violations
from tests.support.served import Served


@pytest.mark.parametrize(("width", "height", "scheme"), [(1280, 800, "light"), (390, 844, "dark")])
def test_axe_finds_no_violation(
    new_page: NewPage, served: Served, axe: str | None, width: int, height: int, scheme: str
) -> None:
    if axe is None:
        pytest.skip(MISSING)
    page = new_page(width, height, color_scheme=scheme)
    page.goto(served.address)
    page.wait_for_selector("#form-seat-1")
    assert "\n".join(violations(page, axe)) == "", "the form"
    game = served.deal(("human", "merchant", "frugal"), "3")
    phases = set()
    while not game["over"]:
        if game["yours"] and game["phase"] not in phases:
            phases.add(game["phase"])
            page.goto(f"{served.address}#{game['id']}")
            page.reload()
            page.wait_for_selector("#turn.yours")
            assert "\n".join(violations(page, axe)) == "", game["phase"]
        if phases == {"demand", "purchase", "loading"}:
            break
        game = served.moved(game)
    assert len(phases) == 3
