"""Take the picture of a review for the documentation: python -m tests.support.review_picture docs/images/review.png."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from speicher_agents import load_agent, seed_for
from speicher_agents.review import Judge, review_game
from speicher_apps.review_page import page as page_of
from speicher_env import Game
from tests.support.chromium import CHROMIUM, FLAGS, MISSING, save_picture

PLAYERS = ("merchant", "shipper", "baseline")
SEED = 12
JUDGE = "guided:200"
HEIGHT = 1560


def take(path: str) -> None:
    """A game of three, at its largest mistake."""
    game, agents = Game(len(PLAYERS), seed=SEED), [load_agent(spec) for spec in PLAYERS]
    for seat, agent in enumerate(agents):
        agent.reset(seed_for(SEED, seat))
    while game.player is not None:
        game.play(agents[game.player].action(game))
    record = {**game.to_record(), "seats": list(PLAYERS)}
    review = review_game(record, Judge(JUDGE))
    worst = max(review.decisions, key=lambda decision: decision.loss)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "review.html"
        file.write_text(page_of(record, review), encoding="utf-8")
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = chromium.new_page(viewport={"width": 1280, "height": HEIGHT}, reduced_motion="reduce")
        page.goto(f"{file.as_uri()}#{worst.move - 1}")
        page.wait_for_selector("#table svg")
        save_picture(page, path)
        chromium.close()


if __name__ == "__main__":
    if not CHROMIUM:
        sys.exit(MISSING)
    take(*sys.argv[1:])
