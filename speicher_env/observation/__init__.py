"""What a seat sees: named pieces, the encoder that writes them, and the way back to words."""

from __future__ import annotations

from speicher_env.observation.describe import describe
from speicher_env.observation.pieces import PIECES, SCHEMA_VERSION, Block, Piece, blocks, observation_size, places

__all__ = ["PIECES", "SCHEMA_VERSION", "Block", "Piece", "blocks", "describe", "observation_size", "places"]
