"""A browser for the whole run, and for each test a page that notes every complaint and every request elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.axe import axe_source
from tests.support.chromium import CHROMIUM, FLAGS, MISSING
from tests.support.served import Served, serving

REFUSED = ("status of 400 (Bad Request)", "status of 503 (Service Unavailable)")
"""The end of what Chromium itself reports of a request that is refused."""

NewPage = Callable[..., Any]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Show failures in Python's own style: parsing sources for the long one fails beside Playwright's greenlets.

    Python 3.11 then raises "AST constructor recursion depth mismatch" in place of what went wrong.
    """
    style, item.config.option.tbstyle = item.config.option.tbstyle, "native"
    try:
        return (yield)
    finally:
        item.config.option.tbstyle = style


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if not CHROMIUM:
        pytest.skip(MISSING)
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright for Python is not installed")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("games")) as server:
        yield server


@pytest.fixture(scope="session")
def axe() -> str | None:
    """The source of axe, which finds what keeps people from using a page; None if it is not installed."""
    return axe_source()


@pytest.fixture
def new_page(browser: Any, served: Served) -> Iterator[NewPage]:
    """Makes pages; at the end of the test none may have complained or asked another server for anything."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def noted(message: Any) -> None:
        complaints.append(f"console: {message.text}")

    def make(width: int = 1280, height: int = 800, refusals: bool = False, **more: Any) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": height}, reduced_motion="reduce", accept_downloads=True, **more
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("console", lambda message: None if refusals and message.text.endswith(REFUSED) else noted(message))
        page.on("request", lambda request: _note_foreign(request.url, served, complaints))
        return page

    yield make
    for context in contexts:
        context.close()
    assert complaints == []


def _note_foreign(url: str, served: Served, complaints: list[str]) -> None:
    if not url.startswith((served.address, "blob:", "data:", "file:")):
        complaints.append(f"request: {url}")
