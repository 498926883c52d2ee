"""Tests of the arena: what is played, what the numbers mean, and what is left when something fails."""
