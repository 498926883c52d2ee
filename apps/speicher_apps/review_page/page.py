"""The page of a reviewed game put together."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from speicher_agents.review import GRADES, Review
from speicher_apps.replay_page.document import document, file_of
from speicher_apps.review_page import lists, percent
from speicher_apps.review_page.content import content
from speicher_apps.review_page.graph import NARROW, WIDE, graph
from speicher_env import replay

__all__ = ["page"]


def page(record: Mapping[str, Any], review: Review, back: str = "") -> str:
    """A reviewed game as an HTML document.

    Args:
        record: The game.
        review: What `speicher_agents.review.review_game` says of it.
        back: Address of the game, for a link back to it; none by default.

    Raises:
        RecordError: If the record cannot be played, or its `think` is wrong.
    """
    told = content(record, review)
    games = [game.copy() for game, _ in replay(record)]
    rounds = [step["round"] for step in told["steps"]]
    package = "speicher_apps.review_page"
    return document(
        f"Speicherstadt, reviewed: {told['title']}",
        file_of("body.html", package),
        told,
        styles=[file_of("page.css", package)],
        scripts=[file_of("page.js", package)],
        back=f'<p><a href="{escape(back)}">Back to the game</a></p>' if back else "",
        heading=escape(f"{told['title']}, reviewed by {review.judge}"),
        verdict=lists.verdict(review, games[-1]),
        seats=lists.seats(review),
        graph=graph(review, rounds, WIDE) + graph(review, rounds, NARROW),
        turning=lists.turning_points(review, games),
        mistakes=lists.mistakes(review, games),
        luck=lists.luck(review, games),
        losses=lists.losses(review),
        grades=", ".join(f"{name} from {percent.share(least)}" for name, least in reversed(list(GRADES.items()))),
        supplies=str(review.supplies),
    )
