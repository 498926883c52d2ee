"""Thousands of games at once: one compiled call steps them all."""

from __future__ import annotations

from speicher_env.batch.batch import Batch
from speicher_env.batch.failures import Failure
from speicher_env.batch.opponents import CHOOSE
from speicher_env.batch.results import Results
from speicher_env.batch.step import random_action

__all__ = ["CHOOSE", "Batch", "Failure", "Results", "random_action"]
