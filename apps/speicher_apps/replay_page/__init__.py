"""A recorded game as one HTML page that needs nothing else: step through it, jump, or let it play."""

from __future__ import annotations

from speicher_apps.replay_page.page import page

__all__ = ["page"]
