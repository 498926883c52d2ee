"""Tables of the page on what matters in training."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import fmean, median

from benchmarks import ablations, time_to_strength
from benchmarks.ablations import BASE, STANDARD, VARIANTS
from docs.tables.markdown import Result, bullets, measured_on, paragraphs, table, warning
from speicher_training.intervals import Interval, difference, mean_interval, within
from speicher_training.train.recipe import load_recipe, recipes

Runs = dict[str, list[Result]]
"""By variant or recipe, seed by seed."""
NOT_MEASURED = "Not measured yet."
SAME_AS_BASE = "margin"
"""The variant that the base of the measured runs is."""
FEWEST = 2
"""Seeds below which there is no interval."""
SPEEDS = ("apart", "float32", "one-seat", "own-value", "untaught", "library")
"""Variants whose learner is slower or faster, or does not have what the base's learner has."""
MIDDLING, STRONGEST = "frugal", ablations.OPPONENTS[-1]
DECISIVE = ("game", "network", "pretraining", "ppo", "league")
"""Tables of a recipe on which it depends how fast a learner becomes strong."""


class Unfit(ValueError):
    """Results that no page can be made of; the message is one sentence."""


def base(runs: Runs) -> str:
    """The base that every variant is compared with, and where it was measured."""
    first = runs[BASE][0]
    settings = first["settings"]
    pretraining = settings["pretraining"]
    teaching = f"imitation pretraining on {pretraining['decisions']:,} decisions of `{pretraining['teacher']}`"
    minutes = first["core_minutes"]
    if minutes is None:
        extent = f"{settings['ppo']['steps']:,} learner decisions"
    else:
        extent = f"{minutes:g} minute{'s' * (minutes != 1)} of a core, evaluations included"
    before = f"{' after' if minutes is None else ', with'} {teaching}" if pretraining.get("decisions") else ""
    seeds = sorted({len(results) for results in runs.values()})
    return paragraphs(
        f"The base is the recipe `{first['recipe']}` with {extent}{before}."
        f" Each variant has {' to '.join(map(str, dict.fromkeys((seeds[0], seeds[-1]))))} seeds, measured on "
        f"{first['deals']} deals against each opponent, each from both seats.",
        measured_on(first),
    )


def summary(runs: Runs) -> str:
    """A line for each variant."""
    return bullets(in_short(runs, name) for name in VARIANTS if name != BASE and name in runs)


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
    effects = []
    for deck in VARIANTS[name].decks:
        _, _, difference = compared(runs, name, STRONGEST, deck)
        size = f"{100 * abs(difference['estimate']):.1f} points"
        where = f" on {deck} decks" if len(VARIANTS[name].decks) > 1 else ""
        reach = f"{points(difference)} points"
        if difference["low"] > 0:
            effects.append(f"{size} better against `{STRONGEST}`{where} ({reach})")
        elif difference["high"] < 0:
            effects.append(f"{size} worse against `{STRONGEST}`{where} ({reach})")
        else:
            effects.append(f"no significant difference against `{STRONGEST}`{where} ({reach})")
    return f"{VARIANTS[name].title}, {changed(VARIANTS[name].changes)}: {'; '.join(effects)}."


def section(runs: Runs, name: str) -> str:
    """One variant beside the base."""
    variant = VARIANTS[name]
    if name not in runs:
        return NOT_MEASURED
    rows = []
    for deck in variant.decks:
        for opponent in ablations.OPPONENTS:
            of_base, of_variant, gap = compared(runs, name, opponent, deck)
            where = f", {deck} deck" if len(variant.decks) > 1 else ""
            rows.append((f"`{opponent}`{where}", mean(of_base), mean(of_variant), points(gap, mark=True)))
    unmasked = ""
    if variant.blind:
        unmasked = table(
            ("against", f"`{name}`, played without the mask", "games lost by an illegal action, %"),
            [
                (f"`{opponent}`", mean(shares(runs[name], opponent, masked=False)), mean(lost(runs[name], opponent)))
                for opponent in ablations.OPPONENTS
            ],
        )
    return paragraphs(
        f"Changed: {changed(variant.changes)}. {extents(runs, name)}",
        table(("against", "base", f"`{name}`", "difference, points"), rows),
        unmasked,
    )


def extents(runs: Runs, name: str) -> str:
    """What a variant and the base have used: decisions in the same time, or time for the same decisions."""
    if runs[BASE][0]["core_minutes"] is None:
        own, of_base = (median(result["minutes"] * result["cpu"] for result in runs[which]) for which in (name, BASE))
        return f"Processor time of training: {own:.2f} minutes, of the base {of_base:.2f}."
    own, of_base = (median(result["steps"] for result in runs[which]) / 1e6 for which in (name, BASE))
    return f"Decisions of the learner in that time: {own:.2f} million, of the base {of_base:.2f} million."


def lost(results: Sequence[Result], opponent: str) -> list[float]:
    """For each run the share of games that an illegal action has lost."""
    return [
        one["forfeits"] / one["games"]
        for result in results
        for one in result["evaluation"]
        if one["opponent"] == opponent and not one["masked"]
    ]


def speed(runs: Runs) -> str:
    """What makes the learner fast, one row for each thing that is taken away."""
    rows = []
    for name in (BASE, *SPEEDS):
        if name in runs:
            _, _, gap = compared(runs, name, STRONGEST)
            millions = median(result["steps"] for result in runs[name]) / 1e6
            rows.append((
                VARIANTS[name].title, f"{millions:.2f}", mean(shares(runs[name], MIDDLING)),
                mean(shares(runs[name], STRONGEST)), "" if name == BASE else points(gap, mark=True),
            ))  # fmt: skip
    header = ("variant", "decisions, millions", f"against `{MIDDLING}`, %", f"against `{STRONGEST}`, %")
    return table((*header, "difference to the base, points"), rows)


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


def times_section(times: Runs) -> str:
    """How long it takes to reach a given strength."""
    if not times:
        return NOT_MEASURED
    first = next(iter(times.values()))[0]
    settings = first["settings"]["run"]
    rows = []
    for name, results in times.items():
        for result in results:
            reached = [one for one in result["curve"] if one["steps"] == result["steps"]]
            cells = (
                (f"{result['minutes']:.1f}", f"{result['steps']:,}", f"{100 * reached[0]['win_share']:.1f}")
                if reached
                else ("not reached", f"{result['curve'][-1]['steps']:,}", f"{100 * best(result):.1f} at best")
            )
            rows.append((f"`{name}`", result["seed"], *cells))
    return paragraphs(
        f"The aim is {100 * first['aim']:.0f} % against `{first['opponent']}`. Evaluations come every "
        f"{settings['evaluation_steps']:,} decisions, on {settings['evaluation_deals']} development deals from both "
        f"seats. {measured_on(first)}",
        table(("recipe", "seed", "minutes", "decisions", "win share then, %"), rows),
        bullets(spread(name, results, first) for name, results in times.items()),
        *(since(name, results[0]) for name, results in times.items()),
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
    return warning("Another recipe", [f"The recipe `{name}` has changed since in {', '.join(other)}."])


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
        raise Unfit(f"{folder}: it has {len(found.get(BASE, []))} runs of {BASE}; must be {FEWEST} or more.")
    base = runs[BASE][0]
    for name, results in runs.items():
        changes = VARIANTS[name].changes
        wanted = {table: {**keys, **changes.get(table, {})} for table, keys in base["settings"].items()}
        for result in results:
            if result["settings"] != wanted or any(result[key] != base[key] for key in ("recipe", "deals")):
                raise Unfit(
                    f"{folder}: {name}-{result['seed']} differs from {BASE}-{base['seed']} in more than its variant; "
                    "must be run again."
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


def _runs() -> Runs:
    return kept_runs(ablations.KEPT)


def _kept_section(name: str) -> str:
    return section(_runs(), name)


TABLES = {
    "ablations base": lambda: base(_runs()),
    "ablations summary": lambda: summary(_runs()),
    **{
        f"ablation {name}": partial(lambda name: section(_runs(), name), name)
        for name in VARIANTS
        if name not in (BASE, SAME_AS_BASE)
    },
    "ablations speed": lambda: speed(_runs()),
    "ablations runs": lambda: runs_table(_runs()),
    "time to strength": lambda: times_section(kept_times(time_to_strength.KEPT)),
}
