"""`python -m benchmarks.ablations_page`: the page on what matters in training, from the runs that are kept."""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean

from benchmarks import ablations, time_to_strength
from benchmarks.ablations import BASE, STANDARD, VARIANTS
from benchmarks.curves import PLOT, TIME_PLOT, draw, draw_times
from benchmarks.parts import DOCS, Result, measured_on, page, table, warnings
from benchmarks.spread import Interval, difference, mean_interval, within
from speicher_apps.cli.errors import WRONG_INPUT
from speicher_training.train.recipe import load_recipe, recipes

Runs = dict[str, list[Result]]
"""By variant or recipe, seed by seed."""
FEWEST = 2
"""Seeds below which there is no interval."""
STRONGEST = ablations.OPPONENTS[-1]
DECISIVE = ("game", "network", "imitation", "ppo", "league")
"""Tables of a recipe on which it depends how fast a learner becomes strong."""
BUSY = 0.95
"""Share of its core that a run must have had for its minutes to count."""


class Unfit(ValueError):
    """Results that no page can be made of; the message is one sentence."""


def ablations_page(runs: Runs, times: Runs) -> str:
    """docs/ablations.md."""
    base = runs[BASE][0]
    steps = base["settings"]["ppo"]["steps"]
    taught = base["settings"]["imitation"]
    head_start = (
        f" behind a head start of {taught['decisions']:,}, in which `{taught['teacher']}` teaches it"
        if taught["decisions"]
        else ""
    )
    seeds = sorted({len(own) for own in runs.values()})
    variants = [name for name in VARIANTS if name != BASE and name in runs]
    return page(
        "# What matters in training",
        f"What single settings are worth at two players. The base is the recipe `{base['recipe']}` with {steps:,} "
        f"decisions of the learner{head_start}; every variant is the base with one thing changed, all else alike, over "
        f"{seeds[0]}{f' to {seeds[-1]}' if len(seeds) > 1 else ''} seeds. [Training](training.md) explains the "
        "settings.",
        "Shares of the win, in %, in the [arena](arena.md) on deals that no run has seen "
        f"({base['deals']} deals of its evaluation range against each opponent, each from both seats). In brackets "
        "95 % intervals **over seeds**: Student's for a mean, Welch's for a difference. A difference in bold is one "
        "that its interval tells from 0; of twenty that are nothing, one is bold by chance. What holds for this budget "
        "and this size of network need not hold for a hundred times the one or ten times the other.",
        measured_on(base),
        "## In short",
        "\n".join(f"- {in_short(runs, name)}" for name in variants),
        f"![Learning curves of the variants beside the base]({PLOT}.svg)",
        "Development deals while the runs go, all on the standard deck, all with the mask; lines are means over seeds, "
        "bands go from the lowest seed to the highest."
        + (" The decisions of the head start do not count." if taught["decisions"] else ""),
        *(part for name in variants for part in section(runs, name)),
        "## Every run",
        "Here the intervals are those of the arena, over deals: what the network of that run is worth. Minutes are "
        "wall-clock of one core, evaluations included.",
        runs_table(runs),
        *time_sections(times),
        "## Measuring again",
        f"```bash\n{base['command']}    # goes on when interrupted\n"
        + "".join(f"{told[0]['command']}\n" for told in times.values())
        + "python -m benchmarks.ablations_page    # this page\n```",
        by="ablations_page",
    )  # fmt: skip


def changed(settings: Result) -> str:
    """Settings as a recipe has them, in one line."""
    told = [f"`{table}.{key} = {json.dumps(value)}`" for table, keys in settings.items() for key, value in keys.items()]
    return ", ".join(told)


def shares(results: Sequence[Result], opponent: str, deck: str = STANDARD, masked: bool = True) -> list[float]:
    """The share of each run against an opponent."""
    return [
        one["win_share"]["estimate"]
        for result in results
        for one in result["evaluation"]
        if (one["opponent"], one["deck"], one["masked"]) == (opponent, deck, masked)
    ]


def compared(runs: Runs, name: str, opponent: str, deck: str = STANDARD) -> tuple[list[float], list[float], Interval]:
    """Shares of the base and of a variant, and the difference between the two."""
    base, own = shares(runs[BASE], opponent, deck), shares(runs[name], opponent, deck)
    return base, own, difference(own, base)


def in_short(runs: Runs, name: str) -> str:
    """One variant in one sentence."""
    told = []
    for deck in VARIANTS[name].decks:
        _, _, found = compared(runs, name, STRONGEST, deck)
        size = f"{100 * abs(found['estimate']):.1f} points"
        where = f" on {deck} decks" if len(VARIANTS[name].decks) > 1 else ""
        reach = f"{points(found)} points"
        if found["low"] > 0:
            told.append(f"{size} better against `{STRONGEST}`{where} ({reach})")
        elif found["high"] < 0:
            told.append(f"{size} worse against `{STRONGEST}`{where} ({reach})")
        else:
            told.append(f"no difference against `{STRONGEST}`{where} that the seeds bear out ({reach})")
    return f"{VARIANTS[name].title}, {changed(VARIANTS[name].changes)}: {'; '.join(told)}."


def section(runs: Runs, name: str) -> Iterator[str]:
    """One ablation."""
    variant = VARIANTS[name]
    yield f"## {variant.title}"
    yield f"{variant.question} Changed: {changed(variant.changes)}."
    rows = []
    for deck in variant.decks:
        for opponent in ablations.OPPONENTS:
            base, own, found = compared(runs, name, opponent, deck)
            where = f", {deck} deck" if len(variant.decks) > 1 else ""
            rows.append((f"`{opponent}`{where}", mean(base), mean(own), points(found, mark=True)))
    yield table(("against", "base", f"`{name}`", "difference, points"), rows)
    if variant.blind:
        yield (
            "With the mask it may choose among legal actions only, as all others do. As it was trained, without the "
            "mask, it loses a game with its first illegal action:"
        )
        yield table(
            ("against", f"`{name}`, without the mask", "games lost that way, %"),
            [
                (f"`{opponent}`", mean(shares(runs[name], opponent, masked=False)), mean(lost(runs[name], opponent)))
                for opponent in ablations.OPPONENTS
            ],
        )
    minutes = [fmean(result["minutes"] for result in runs[which]) for which in (BASE, name)]
    yield f"A run took {minutes[1]:.1f} minutes in the mean, one of the base {minutes[0]:.1f}."


def lost(results: Sequence[Result], opponent: str) -> list[float]:
    """For each run the share of games that an illegal action has lost."""
    return [
        one["forfeits"] / one["games"]
        for result in results
        for one in result["evaluation"]
        if one["opponent"] == opponent and not one["masked"]
    ]


def mean(values: Sequence[float]) -> str:
    """A mean of shares, in %, with its interval."""
    told = within(mean_interval(values), 0.0, 1.0)
    return "{estimate:.1f} [{low:.1f}, {high:.1f}]".format(**{end: 100 * value for end, value in told.items()})


def points(told: Interval, mark: bool = False) -> str:
    """A difference of shares, in points, with its interval; in bold what is told from 0."""
    text = "{estimate:+.1f} [{low:+.1f}, {high:+.1f}]".format(
        **{end: 100 * min(max(value, -1.0), 1.0) + 0.0 for end, value in told.items()}
    )
    return f"**{text}**" if mark and (told["low"] > 0 or told["high"] < 0) else text


def runs_table(runs: Runs) -> str:
    """Every run by itself."""
    rows = []
    for results in runs.values():
        for result in results:
            found = {
                one["opponent"]: "{estimate:.1f} [{low:.1f}, {high:.1f}]".format(
                    **{end: 100 * value for end, value in one["win_share"].items()}
                )
                for one in result["evaluation"]
                if one["deck"] == STANDARD and one["masked"]
            }
            name = f"{result['variant']}-{result['seed']}"
            shown = (found[opponent] for opponent in ablations.OPPONENTS)
            rows.append((f"`{name}`", f"{result['steps']:,}", f"{result['minutes']:.1f}", *shown))
    return table(("run", "decisions", "minutes", *(f"`{opponent}`" for opponent in ablations.OPPONENTS)), rows)


def time_sections(times: Runs) -> Iterator[str]:
    """How long it takes to become as strong as that."""
    if not times:
        return
    first = next(iter(times.values()))
    aim, opponent = f"{100 * first[0]['aim']:.0f} %", f"`{first[0]['opponent']}`"
    yield "## Time to strength"
    probes = first[0]["settings"]["run"]
    yield (
        f"Minutes of wall-clock on one core, from the first decision on and with head start, checkpoints and "
        f"evaluations, until a learner wins {aim} against {opponent}: at the first evaluation that gives it so much, "
        f"if the next one does too. Evaluations come every {probes['evaluation_steps']:,} decisions, on "
        f"{probes['evaluation_deals']} development deals from both seats."
    )
    yield measured_on(first[0])
    rows = []
    for name, results in times.items():
        for result in results:
            there = [one for one in result["curve"] if one["steps"] == result["steps"]]
            cells = (
                (f"{result['minutes']:.1f}", f"{result['steps']:,}", f"{100 * there[0]['win_share']:.1f}")
                if there
                else ("not reached", f"{result['curve'][-1]['steps']:,}", f"{100 * best(result):.1f} at best")
            )
            rows.append((f"`{name}`", result["seed"], *cells))
    yield table(("recipe", "seed", "minutes", "decisions", "win share then, %"), rows)
    yield "\n".join(f"- {spread(name, results, first[0])}" for name, results in times.items())
    yield f"![Win share against {first[0]['opponent']} by minutes]({TIME_PLOT}.svg)"
    yield from (told for name, results in times.items() if (told := since(name, results[0])))
    shared = [f"{name}-{one['seed']}" for name, results in times.items() for one in results if one["cpu"] < BUSY]
    if shared:
        yield warnings(
            [f"Other processes took part of the core, so the minutes of these come out too high: {', '.join(shared)}."]
        )


def since(name: str, result: Result) -> str:
    """A warning where the recipe that comes with the package is no longer the one that was measured; else empty."""
    if name not in recipes():
        return ""
    now = load_recipe(name).tables
    other = [
        f"`{table}.{key}`" for table in DECISIVE for key, value in result["settings"][table].items()
        if (table, key) != ("ppo", "steps") and now[table].get(key) != value
    ]  # fmt: skip
    if not other:
        return ""
    return f'!!! warning "Another recipe"\n    The recipe `{name}` has changed since in {", ".join(other)}.'


def best(result: Result) -> float:
    """The highest share that a run has had."""
    return max(one["win_share"] for one in result["curve"])


def spread(name: str, results: Sequence[Result], first: Result) -> str:
    """The time of a recipe over its seeds."""
    own, other = results[0]["settings"], first["settings"]
    changes = {
        table: {key: value for key, value in keys.items() if value != other[table].get(key)}
        for table, keys in own.items()
        if table != "run"
    }
    about = f"`{name}`" + (f" ({changed(changes)})" if any(changes.values()) else "")
    minutes = [result["minutes"] for result in results if result["minutes"] is not None]
    if len(minutes) < len(results):
        return f"{about}: reached with {len(minutes)} of {len(results)} seeds."
    told = f"{about}: {fmean(minutes):.1f} minutes in the mean"
    if len(minutes) < FEWEST:
        return f"{told}, one seed."
    interval = mean_interval(minutes)
    return (
        f"{told} [{max(0.0, interval['low']):.1f}, {interval['high']:.1f}], from {min(minutes):.1f} to "
        f"{max(minutes):.1f} over {len(minutes)} seeds."
    )


# What is kept


def kept_runs(folder: Path) -> Runs:
    """The runs of the ablations, the base first; variants with too few of them left out.

    Raises:
        Unfit: If the base is not there, or a run differs from it in more than its variant says.
    """
    found = _read(folder, "variant")
    runs = {name: found[name] for name in VARIANTS if len(found.get(name, [])) >= FEWEST}
    if BASE not in runs:
        raise Unfit(f"{folder}: it has {len(found.get(BASE, []))} runs of {BASE}, must be {FEWEST} or more")
    base = runs[BASE][0]
    for name, results in runs.items():
        changes = VARIANTS[name].changes
        wanted = {table: {**keys, **changes.get(table, {})} for table, keys in base["settings"].items()}
        for result in results:
            if result["settings"] != wanted or any(result[key] != base[key] for key in ("recipe", "deals")):
                raise Unfit(
                    f"{folder}: {name}-{result['seed']} differs from {BASE}-{base['seed']} in more than its variant, "
                    f"must be run again"
                )
    return runs


def kept_times(folder: Path) -> Runs:
    """The runs of the time to strength, the recipe `2p` first."""
    found = _read(folder, "recipe")
    return {name: found[name] for name in sorted(found, key=lambda name: (name != "2p", name))}


def _read(folder: Path, by: str) -> Runs:
    found: Runs = defaultdict(list)
    for path in sorted(folder.glob("*.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        found[result[by]].append(result)
    return {name: sorted(results, key=lambda result: result["seed"]) for name, results in found.items()}


def main(arguments: list[str] | None = None) -> None:
    """Write the page and its plots."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablations_page", description=__doc__)
    parser.add_argument("--results", type=Path, default=ablations.KEPT, help="folder of the ablations' results")
    parser.add_argument("--times", type=Path, default=time_to_strength.KEPT, help="folder of those of the time")
    parser.add_argument("--docs", type=Path, default=DOCS, help="folder of the pages")
    options = parser.parse_args(arguments)
    try:
        runs, times = kept_runs(options.results), kept_times(options.times)
    except Unfit as error:
        parser.exit(WRONG_INPUT, f"{error}: python -m benchmarks.ablations\n")
    options.docs.mkdir(parents=True, exist_ok=True)
    (options.docs / "ablations.md").write_text(ablations_page(runs, times), encoding="utf-8")
    draw(runs, options.docs)
    if times:
        draw_times(times, options.docs)


if __name__ == "__main__":
    main()
