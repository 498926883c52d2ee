"""Tables and plots of the page on what wins."""

from __future__ import annotations

from pathlib import Path

from benchmarks.results import read
from docs.tables.markdown import Result, measured_on, table

WORTH, SOURCES, SEATS = "images/strategy-worth", "images/strategy-sources", "images/strategy-seats"
WINNERS, OTHERS = "#0072b2", "#d55e00"
"""Distinct for colour-blind readers too."""
RARE = 0.02
"""Of cards sold in a smaller part of the games than this nothing is said."""
PLACES = ("first", "second", "third", "fourth", "fifth")


def machine() -> str:
    """How many games, of whom, and where they were played."""
    result = read("strategy")
    games = result["players"]["2"]["games"]
    return f"{games:,} games of `{result['player']}` for each number of players. {measured_on(result)}"


def counts(result: Result) -> list[str]:
    """The numbers of players."""
    return sorted(result["players"], key=int)


def cards_table(result: Result) -> str:
    """The cards in the order of their worth with two players, and their prices with every count."""
    by_count = {count: {told["card"]: told for told in result["players"][count]["cards"]} for count in counts(result)}
    first = by_count[counts(result)[0]]
    rows = []
    for name in sorted(first, key=lambda card: -first[card]["worth"]["estimate"]):
        row = [f"`{name}`"]
        for count in counts(result):
            told = by_count[count][name]
            price = "–" if rare(told) else f"{told['price']:.1f}"
            row += ["–" if rare(told) else signed(told["worth"]), price]
        rows.append(row)
    heads = [f"{count}: {what}" for count in counts(result) for what in ("worth", "price")]
    return table(("card", *heads), rows)


def rare(told: Result) -> bool:
    """Whether a card is sold in too few games to say anything of it."""
    return bool(told["sold"] < RARE)


def sources_table(result: Result) -> str:
    """Mean points by source."""
    rows = []
    for number, told in enumerate(result["players"][counts(result)[0]]["sources"]):
        row = [told["source"].replace("_", " ")]
        for count in counts(result):
            here = result["players"][count]["sources"][number]
            row += [f"{here['winners']:.1f}", f"{here['others']:.1f}"]
        rows.append(row)
    heads = [f"{count}: {who}" for count in counts(result) for who in ("winners", "others")]
    return table(("points from", *heads), rows)


def fires_table(result: Result) -> str:
    """How much the fires decide, by the number of players."""
    rows = []
    for count in counts(result):
        told = result["players"][count]["fires"]
        rows.append(
            (
                count,
                f"{told['spread']:.1f}",
                f"{told['margin']:.1f}",
                percent(told["decided"]),
                percent(told["most_firemen"]),
                percent(told["fewest_firemen"]),
            )
        )
    return table(
        (
            "players",
            "fire points, best less worst",
            "margin of the win",
            "decided by fire, %",
            "most firemen at the end wins, %",
            "fewest, %",
        ),
        rows,
    )


def seats_table(result: Result) -> str:
    """Win shares by place."""
    rows = [
        (count, *(percent(place) for place in seats), *("" for _ in PLACES[len(seats) :]))
        for count in counts(result)
        for seats in [result["players"][count]["seats"]]
    ]
    return table(("players", *PLACES), rows)


def prices_table(result: Result) -> str:
    """Mean prices by round."""
    by_count = {count: {told["round"]: told for told in result["players"][count]["prices"]} for count in counts(result)}
    rounds = sorted({number for told in by_count.values() for number in told})
    rows = []
    for number in rounds:
        row = [str(number)]
        for count in counts(result):
            told = by_count[count].get(number)
            row.append("" if told is None else f"{told['price']:.2f} ({told['sold']:.1f})")
        rows.append(row)
    return table(("round", *(f"{count} players" for count in counts(result))), rows)


def signed(numbers: dict[str, float]) -> str:
    """Points with their interval."""
    return f"{numbers['estimate']:+.1f} [{numbers['low']:+.1f}, {numbers['high']:+.1f}]"


def percent(numbers: dict[str, float]) -> str:
    """A share with its interval."""
    return f"{100 * numbers['estimate']:.1f} [{100 * numbers['low']:.1f}, {100 * numbers['high']:.1f}]"


def draw(result: Result, folder: Path) -> None:
    """The three plots, each as SVG and PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    matplotlib.rcParams.update({"svg.hashsalt": "speicher", "font.size": 9})

    def save(name: str) -> None:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pyplot.savefig(path.with_suffix(".svg"), metadata={"Date": None})
        pyplot.savefig(path.with_suffix(".png"), dpi=150, metadata={"Software": None})
        pyplot.close()

    sold = [card for card in result["players"]["2"]["cards"] if not rare(card)]
    told = sorted(sold, key=lambda card: card["worth"]["estimate"])
    _, (axes, price) = pyplot.subplots(
        1, 2, figsize=(8, 0.17 * len(told) + 0.8), sharey=True, width_ratios=(2, 1), layout="constrained"
    )
    for row, card in enumerate(told):
        worth = card["worth"]
        axes.plot([worth["low"], worth["high"]], [row, row], color=WINNERS, linewidth=1.2)
        axes.plot(worth["estimate"], row, "o", color=WINNERS, ms=4)
        price.plot(card["price"], row, "s", color=OTHERS, ms=4)
    axes.axvline(0, color="0.5", linewidth=0.8, zorder=0)
    axes.set_yticks(range(len(told)), [card["card"] for card in told], fontsize=7)
    axes.set_ylim(-0.8, len(told) - 0.2)
    axes.set_xlabel("worth in points, the price paid (95 % intervals)")
    price.set_xlabel("mean price in coins")
    price.set_xlim(left=0)
    for one in (axes, price):
        one.grid(alpha=0.25)
    save(WORTH)

    _, grid = pyplot.subplots(1, len(counts(result)), figsize=(9, 3.2), sharey=True, layout="constrained")
    for axes, count in zip(grid, counts(result), strict=True):
        rows = result["players"][count]["sources"]
        for row, source in enumerate(reversed(rows)):
            axes.plot([source["others"], source["winners"]], [row, row], color="0.75", linewidth=2, zorder=1)
            axes.plot(source["others"], row, "s", color=OTHERS, ms=5, label="others" if row == 0 else None)
            axes.plot(source["winners"], row, "o", color=WINNERS, ms=5, label="winners" if row == 0 else None)
        axes.set_yticks(range(len(rows)), [source["source"].replace("_", " ") for source in reversed(rows)])
        axes.set_title(f"{count} players", fontsize=9)
        axes.set_xlabel("points")
        axes.grid(alpha=0.25)
    grid[-1].legend(fontsize=8)
    save(SOURCES)

    _, grid = pyplot.subplots(1, len(counts(result)), figsize=(9, 2.4), layout="constrained")
    for axes, count in zip(grid, counts(result), strict=True):
        for place, share in enumerate(result["players"][count]["seats"]):
            axes.plot([place, place], [100 * share["low"], 100 * share["high"]], color=WINNERS, linewidth=1.5)
            axes.plot(place, 100 * share["estimate"], "o", color=WINNERS, ms=5)
        axes.axhline(100 / int(count), color="0.5", linewidth=0.8, zorder=0)
        axes.set_xticks(range(int(count)), PLACES[: int(count)], fontsize=7)
        axes.set_xlim(-0.5, int(count) - 0.5)
        axes.set_title(f"{count} players", fontsize=9)
        axes.grid(alpha=0.25)
    grid[0].set_ylabel("win share, %")
    save(SEATS)


TABLES = {
    "strategy machine": machine,
    "strategy cards": lambda: cards_table(read("strategy")),
    "strategy sources": lambda: sources_table(read("strategy")),
    "strategy fires": lambda: fires_table(read("strategy")),
    "strategy seats": lambda: seats_table(read("strategy")),
    "strategy prices": lambda: prices_table(read("strategy")),
}
