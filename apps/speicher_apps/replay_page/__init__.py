"""A recorded game as one page of HTML that needs nothing else: to step through, to jump in, to let play."""

from __future__ import annotations

from speicher_apps.replay_page.page import page

__all__ = ["page"]
