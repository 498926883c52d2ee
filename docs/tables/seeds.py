"""The table of how far trainings of one recipe lie apart."""

from __future__ import annotations

from benchmarks.results import RESULTS, read
from docs.tables.markdown import Result, bullets, measured_on, paragraphs, ranged, table


def seeds(result: Result) -> str:
    """Each seed against the opponent, and the pairs."""
    opponent = result["opponent"]
    shares = [100 * row["win_share"]["estimate"] for row in result["seeds"]]
    mean = result["mean"]
    return paragraphs(
        f"The recipe `{result['recipe']}`, {result['decisions']:,} decisions each; {result['deals']:,} held-out deals "
        f"of each pair, from both seats. {measured_on(result)}",
        table(
            ("seed", f"against `{opponent}`, %"),
            [(row["seed"], ranged(row["win_share"], 1, 100)) for row in result["seeds"]],
        ),
        f"Mean over the seeds: {ranged(mean, 1, 100)} %, from {min(shares):.1f} to {max(shares):.1f} %. Against each "
        "other:",
        bullets(
            f"seed {row['first']} against seed {row['second']}: {ranged(row['win_share'], 1, 100)} %."
            for row in result["pairs"]
        ),
    )


def _kept() -> str:
    if not (RESULTS / "seeds.json").is_file():
        return "Not measured yet: `python -m benchmarks.seeds` measures it."
    return seeds(read("seeds"))


TABLES = {"seeds": _kept}
