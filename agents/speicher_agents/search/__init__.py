"""Search: players that look ahead by playing the game out many times."""

from __future__ import annotations

from speicher_agents.search.budget import Budget
from speicher_agents.search.evaluators import Evaluator, PlayoutEvaluator, UniformEvaluator
from speicher_agents.search.flat import FlatSearch
from speicher_agents.search.guided import GuidedSearch
from speicher_agents.search.mcts import TreeSearch
from speicher_agents.search.player import Search
from speicher_agents.search.report import SearchReport
from speicher_agents.search.results import SearchTargets

__all__ = [
    "Budget",
    "Evaluator",
    "FlatSearch",
    "GuidedSearch",
    "PlayoutEvaluator",
    "Search",
    "SearchReport",
    "SearchTargets",
    "TreeSearch",
    "UniformEvaluator",
]
