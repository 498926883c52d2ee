"""Games reviewed: what each decision gave away, what chance gave or took, and where the game turned."""

from __future__ import annotations

from speicher_agents.review.as_json import FORMAT, as_json, schema
from speicher_agents.review.grades import GRADES, grade
from speicher_agents.review.judge import JUDGE, Judge
from speicher_agents.review.review import Balance, Decision, Reveal, Review, review_game
from speicher_agents.review.summary import summary

__all__ = [
    "FORMAT", "GRADES", "JUDGE", "Balance", "Decision", "Judge", "Reveal", "Review", "as_json", "grade", "review_game",
    "schema", "summary",
]  # fmt: skip
