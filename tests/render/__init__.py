"""Tests of every picture of the game, and of what is said about it in words."""
