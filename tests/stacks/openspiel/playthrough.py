"""Writes the playthrough, the record of a random game that shows all that OpenSpiel sees of it.

Run it in the environment of the stack: ``build/stacks/openspiel/bin/python -m tests.stacks.openspiel.playthrough``.
"""

from __future__ import annotations

from pathlib import Path

from open_spiel.python.algorithms.generate_playthrough import playthrough as generate

from speicher_env.integrations import openspiel

PLAYTHROUGH = Path(__file__).with_name("playthrough.txt")
SEED = 1


def playthrough() -> str:
    """The playthrough of the default game."""
    return generate(f"{openspiel.NAME}(players=2)", None, seed=SEED)


if __name__ == "__main__":
    PLAYTHROUGH.write_text(playthrough(), encoding="utf-8")
