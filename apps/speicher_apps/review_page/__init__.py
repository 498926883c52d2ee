"""A reviewed game as one HTML page that needs nothing else: the graph, the mistakes, the luck, and every position."""

from __future__ import annotations

from speicher_apps.review_page.page import page

__all__ = ["page"]
