"""Scripted players: a ladder of simple ideas, and `merchant`, who values every card for every seat."""

from __future__ import annotations

from speicher_agents.scripted.ladder import CODES, KINDS, LADDER, choose

__all__ = ["CODES", "KINDS", "LADDER", "choose"]
