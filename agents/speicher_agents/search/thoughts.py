"""What a search tells about a decision to people and records."""

from __future__ import annotations

import numpy as np

from speicher_agents.search.report import SearchReport
from speicher_agents.thought import Thought


def thought_of(report: SearchReport, *, shares: bool) -> Thought:
    """The report of a search as a thought: what it expects is what it found behind the action that it plays.

    Args:
        report: What the search found.
        shares: Whether visits say which actions the search prefers; where all get the same number they say nothing.
    """
    total = report.iterations
    visits = dict(zip(report.texts, report.visits.tolist(), strict=True))
    values = report.values[report.actions.index(report.best)]
    return Thought(
        probabilities={text: count / total for text, count in visits.items() if count} if shares else None,
        values=values.tolist() if np.isfinite(values).all() else None,  # never tried, with a budget of next to nothing
        line=list(report.line_texts),
    )
