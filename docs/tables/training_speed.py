"""Tables of how fast training is: by workers, and what each part of the learner saves."""

from __future__ import annotations

from statistics import median

from benchmarks.results import read
from docs.tables.markdown import measured_on, paragraphs, table


def by_workers() -> str:
    """Decisions per second of training, by recipe and number of workers."""
    result = read("training_speed")
    cells = {
        (run["recipe"], run["jobs"]): (
            f"{run['decisions_per_second']:,} ({min(run['updates']):,} to {max(run['updates']):,})",
            run["decisions_per_second"],
        )
        for run in result["runs"]
    }
    rows = []
    for recipe in dict.fromkeys(run["recipe"] for run in result["runs"]):
        (one, slow), (two, fast) = cells[recipe, 1], cells[recipe, 2]
        rows.append((f"recipe `{recipe}`", one, two, f"×{fast / slow:.2f}"))
    header = ("decisions of the learner per second", "one core, `--jobs 1`", "two cores, `--jobs 2`", "two over one")
    return paragraphs(
        measured_on(result) + " From scratch, the first two updates not counted; in brackets the slowest and the "
        "fastest of the others.",
        table(header, rows),
    )


def by_parts() -> str:
    """Decisions per second of the learner with each of its parts done as PyTorch does it."""
    result = read("learner_parts")
    whole = next(iter(result["rates"].values()))
    rows = [
        (variant, f"{median(rates):,.0f}", f"{median(own / all for own, all in zip(rates, whole, strict=True)):.2f}")
        for variant, rates in result["rates"].items()
    ]
    return paragraphs(
        measured_on(result)
        + f" Recipe `{result['recipe']}`, minibatches of {result['minibatch']:,} decisions, forward "
        f"and backward; medians of {len(whole)} rounds taken in turn.",
        table(("the learner", "decisions per second of processor time", "of the first row"), rows),
    )


TABLES = {"training speed": by_workers, "learner parts": by_parts}
