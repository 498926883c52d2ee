"""Tests of the players: legal, deterministic, blind to what is hidden, and each true to its idea."""
