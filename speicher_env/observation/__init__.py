"""What a seat sees: named pieces, the encoder that writes them, and the way back to words."""

from __future__ import annotations

from speicher_env.observation.describe import describe
from speicher_env.observation.figures import FIGURES, FIGURES_VERSION, Figure, figure_places, figures_size
from speicher_env.observation.pieces import (
    PIECES,
    SCHEMA_VERSION,
    Block,
    Piece,
    blocks,
    observation_size,
    places,
    scales,
)
from speicher_env.observation.rows import RowFormat, format_of, observe

__all__ = [
    "FIGURES",
    "FIGURES_VERSION",
    "PIECES",
    "SCHEMA_VERSION",
    "Block",
    "Figure",
    "Piece",
    "RowFormat",
    "blocks",
    "describe",
    "figure_places",
    "figures_size",
    "format_of",
    "observation_size",
    "observe",
    "places",
    "scales",
]
