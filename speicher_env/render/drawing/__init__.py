"""The table as an SVG picture, a file for each part of it."""

from __future__ import annotations

from speicher_env.render.drawing.palette import page_colours
from speicher_env.render.drawing.picture import svg

__all__ = ["page_colours", "svg"]
