"""Take the picture of the page for the documentation: python -m tests.support.page_picture docs/images/play.png."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.support.chromium import CHROMIUM, FLAGS, MISSING, save_picture
from tests.support.served import serving

SEED = "7"
MOVES = 76
"""Played before the picture: far enough for ships, contracts and a fire."""
HINT = "mcts:2000"


def take(path: str) -> None:
    """A game of two in the middle, with a hint beside it."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as served, sync_playwright() as playwright:
        game = served.deal(("merchant", "merchant"), SEED)
        while game["at"] < MOVES or game["player"] != 0 or game["phase"] != "demand":
            game = served.post(f"games/{game['id']}/advance", {"at": game["at"]})
        served.post(f"games/{game['id']}/seats", {"seats": ["human", "merchant"]})
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = chromium.new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
        page.goto(f"{served.address}#{game['id']}")
        page.wait_for_selector("#turn.yours")
        page.eval_on_selector("#hint-from", "(from, spec) => { from.value = spec }", HINT)
        page.click("#hint")
        page.wait_for_selector("#hint-body .bars")
        page.mouse.move(0, 0)
        page.evaluate("document.activeElement.blur()")
        save_picture(page, path)
        chromium.close()


if __name__ == "__main__":
    if not CHROMIUM:
        sys.exit(MISSING)
    take(*sys.argv[1:])
