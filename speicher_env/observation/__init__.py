"""What a seat sees: named pieces, the encoder that writes them, and the way back to words."""

from __future__ import annotations

from speicher_env.observation.describe import describe
from speicher_env.observation.pieces import PIECES, SCHEMA_VERSION, Piece, layout, observation_size

__all__ = ["PIECES", "SCHEMA_VERSION", "Piece", "describe", "layout", "observation_size"]
