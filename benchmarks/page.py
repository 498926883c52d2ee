"""`python -m benchmarks.page`: the pages on speed, and the plot, from the results that are kept.

No number on those pages is written by hand: a test compares them with what this module makes of `results/`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from benchmarks.limit_page import limit_page
from benchmarks.parts import DOCS
from benchmarks.results import RESULTS, read
from benchmarks.scaling_page import draw, scaling_page
from benchmarks.speed_page import speed_page

PAGES: dict[str, tuple[Callable[..., str], tuple[str, ...]]] = {
    "speed.md": (speed_page, ("layers", "peers", "training")),
    "limit.md": (limit_page, ("limit",)),
    "scaling.md": (scaling_page, ("scaling",)),
}
"""What makes each page, and the results it is made from."""


def made(name: str, results: Path = RESULTS) -> str:
    """A page as the results have it."""
    make, sources = PAGES[name]
    return make(*(read(source, results) for source in sources))


def main(arguments: list[str] | None = None) -> None:
    """Write the pages and the plot."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page", description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the results")
    parser.add_argument("--docs", type=Path, default=DOCS, help="folder of the pages")
    options = parser.parse_args(arguments)
    wanted = {source for _, sources in PAGES.values() for source in sources}
    missing = sorted(source for source in wanted if not (options.results / f"{source}.json").is_file())
    if missing:
        parser.exit(2, f"{options.results} has no {', '.join(missing)}: make bench and make bench-peers measure them\n")
    options.docs.mkdir(parents=True, exist_ok=True)
    for name in PAGES:
        (options.docs / name).write_text(made(name, options.results), encoding="utf-8")
    draw(read("scaling", options.results), options.docs)


if __name__ == "__main__":
    main()
