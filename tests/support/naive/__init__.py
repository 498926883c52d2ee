"""A slow, obvious twin of the rules in plain Python, the judge of the fast engine.

It is written from the rules page alone and shares no code with `speicher_env`, so that a mistake in one
does not repeat itself in the other. Every card, worker and cube is a thing that lies in exactly one place.
"""

from .deal import Deal, deal
from .game import NaiveGame

__all__ = ["Deal", "NaiveGame", "deal"]
