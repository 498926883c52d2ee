"""Pictures of a game: functions of one state record that show what every player may see, and nothing hidden."""

from __future__ import annotations

from speicher_env.render.compact import compact
from speicher_env.render.drawing import page_colours, svg
from speicher_env.render.pixels import frame, png
from speicher_env.render.summary import summary
from speicher_env.render.text import text
from speicher_env.render.words import move_in_words

__all__ = ["compact", "frame", "move_in_words", "page_colours", "png", "summary", "svg", "text"]
