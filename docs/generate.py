"""Writes the tables, plots and drawings of the documentation: `python -m docs.generate`.

All prose is in the Markdown pages. A page marks the place of a table with two comments, ``<!-- table: NAME -->`` and
``<!-- end -->``, and what is between them is replaced. Run this after a change of the code or of the results in
benchmarks/results; a test fails while a page is out of date.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from textwrap import indent

from benchmarks import ablations as ablation_runs
from benchmarks import time_to_strength
from benchmarks.results import read
from docs import drawings
from docs.tables import (
    ablations,
    actions,
    algorithms,
    baselines,
    commands,
    comparison,
    environment,
    executors,
    game,
    language_models,
    learning,
    levels,
    limit,
    meaning,
    mini,
    recipe_settings,
    reference,
    regret,
    reliability,
    results,
    review,
    rewards,
    scale,
    scaling,
    search,
    search_training,
    seeds,
    solver,
    speed,
    stacks,
    state,
    strategy,
    strength,
    training_curves,
    training_speed,
)

PAGES = Path(__file__).parent
TABLES: dict[str, Callable[[], str]] = {
    name: make
    for module in (
        game,
        environment,
        actions,
        rewards,
        commands,
        speed,
        levels,
        limit,
        scale,
        scaling,
        search,
        search_training,
        seeds,
        solver,
        review,
        regret,
        mini,
        meaning,
        strength,
        strategy,
        ablations,
        algorithms,
        baselines,
        results,
        reference,
        reliability,
        state,
        recipe_settings,
        language_models,
        stacks,
        executors,
        training_speed,
        comparison,
        drawings,
    )
    for name, make in module.TABLES.items()
}
"""What makes each table."""

_MARKED = re.compile(r"^( *)<!-- table: ([a-z0-9 -]+) -->$.*?^ *<!-- end -->$", re.DOTALL | re.MULTILINE)


def with_tables(page: str) -> str:
    """The text of a page with every marked table made from the code and results, indented as its mark is."""
    return _MARKED.sub(lambda mark: indent(_marked(mark[2]), mark[1]), page)


def _marked(name: str) -> str:
    return f"<!-- table: {name} -->\n\n{TABLES[name]()}\n\n<!-- end -->"


def marked_tables(page: str) -> list[str]:
    """The names of the tables that a page marks, in order."""
    return [name for _, name in _MARKED.findall(page)]


def marked_pages() -> list[Path]:
    """The README and every page of the site."""
    return [PAGES.parent / "README.md", *sorted(PAGES.rglob("*.md"))]


def draw_plots(folder: Path = PAGES) -> None:
    """Draw every plot that shows results."""
    scaling.draw(read("scaling"), folder)
    strategy.draw(read("strategy"), folder)
    training_curves.draw(ablations.kept_runs(ablation_runs.KEPT), folder)
    training_curves.draw_times(ablations.kept_times(time_to_strength.KEPT), folder)
    algorithms.draw(folder)
    results.draw(baselines.kept_results(), folder)
    learning.draw(baselines.packaged_cards(), folder)


def main() -> None:
    """Bring every page, plot and drawing up to date, and list the pages that changed."""
    for path in marked_pages():
        before = path.read_text(encoding="utf-8")
        after = with_tables(before)
        if after != before:
            path.write_text(after, encoding="utf-8")
            print(f"{path.name}: tables updated")
    draw_plots()
    drawings.draw(PAGES)


if __name__ == "__main__":
    main()
