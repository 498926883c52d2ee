"""`python -m benchmarks.page`: the pages on speed, and the plot, from the results that are kept.

No number on those pages is written by hand: a test compares them with what this module makes of `results/`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.results import RESULTS, ROOT, read
from speicher_training.bench.layers import CALLS, NOTES
from speicher_training.bench.report import (
    START_TITLES,
    call_time,
    decisions,
    doubts,
    shared_core,
    short,
    two_threads_over_one,
)

DOCS = ROOT / "docs"
PLOT = "images/scaling"
MADE = "<!-- Made by `python -m benchmarks.{}` from benchmarks/results. Changes belong there. -->"

Result = dict[str, Any]
Rows = Sequence[Sequence[object]]


def table(header: Sequence[str], rows: Rows, left: int = 1) -> str:
    """A table in Markdown, its first columns aligned left, the others right."""
    rule = ["---" if number < left else "--:" for number in range(len(header))]
    lines = [header, rule, *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def measured_on(result: Result) -> str:
    """Where, when and with which versions."""
    machine = result["machine"]
    found = ", ".join(f"{name} {text}" for name, text in result["versions"].items())
    memory = f", {machine['memory_gib']:.0f} GiB" if machine["memory_gib"] else ""
    return (
        f"Measured on {result['date']} by `{result['command']}` on {machine['processor']}, "
        f"{machine['usable_cores']} cores{memory}, {machine['system']}; {found}."
    )


def counts_of(result: Result) -> list[str]:
    """The numbers of players that a result has."""
    return sorted(result, key=int)


# Speed


def speed_page(layers: Result, peers: Result, training: Result) -> str:
    """docs/speed.md."""
    return page(
        "# Speed",
        "How fast each layer is on one core, what others reach on the same machine, and how much of a training run the "
        "game takes. Measure your own machine with `speicher bench`. [The limit](limit.md) says where the time goes, "
        "[How cost grows](scaling.md) what more games, players and cores do to it.",
        "## Aims",
        "What was to be reached, and the worst of what was measured.",
        table(("what", "aim", "measured", ""), [(*row[:3], "reached" if row[3] else "**missed**")
                                                 for row in aims(layers, peers, training)], left=2),
        "A `VectorEnv` returns copies, so that nothing it has returned changes later. That second copy of every row is "
        "a quarter of a step; `copy=False` does without it, for loops that use up an observation before the next step.",
        "## Layer by layer",
        measured_on(layers) + f" Median of {layers['rounds']} rounds of {layers['seconds']:g} s after warm-up, slowest "
        "and fastest round in brackets; one thread unless it says otherwise.",
        layers_table(layers),
        "Two threads step the same batch faster than one by "
        + ", ".join(f"×{ratio:.2f} ({count} players)" for count, ratio in two_threads_over_one(layers).items()) + "."
        if two_threads_over_one(layers) else "",
        "\n".join(f"- {note}" for note in NOTES),
        table(("the first seconds, each in a new process", "seconds"), [
            (title, f"{spread['median']:.2f} [{spread['low']:.2f}–{spread['high']:.2f}]")
            for title, spread in ((START_TITLES[name], layers["starts"][name]) for name in START_TITLES)
        ]),
        "",
        f"A state takes {layers['sizes']['state_bytes']} bytes.",
        warnings(doubts(layers)),
        "## Beside others",
        measured_on(peers) + f" Every project has a virtual environment of its own, one core, and {peers['rounds']} "
        f"windows of {peers['seconds']:g} s after a warm-up; the median is shown, the lowest and highest in brackets. "
        "All play legal actions at random, and choosing them takes part in the time. *One at a time* says how many "
        "times as fast this project is through its own interface of that kind: PettingZoo's `env` beside environments, "
        "`Game` writing into arrays beside OpenSpiel's tensors, `Game` by its rules only beside rules only. *Many at "
        "once* says it of a `Batch` of 1,024 games. Both for as many players, or two.",
        peers_table(peers),
        failures(peers),
        versions_of(peers),
        warnings(peer_doubts(peers)),
        "### What this does not show",
        "\n".join(f"- {sentence}" for sentence in not_shown(peers)),
        "## In training",
        training_text(training),
        "## Measuring again",
        "```bash\nmake bench          # the layers, the limit, how cost grows, the share in training\n"
        "make bench-peers    # other projects; installs each in build/peers first\n"
        "make bench-pages    # these pages\n```",
    )  # fmt: skip


NOT_SHOWN = (
    "The games differ: one decision of backgammon or Catan takes more working out than one of connect four. The "
    "numbers say what a user waits for, not whose code is better.",
    "Observations differ in size, and so in what writing them costs; the sizes are in the table.",
    "Random play visits other positions than players that try to win.",
    "One core of one machine. Pgx is made for accelerators; nothing here was run on one.",
    "OpenSpiel is called from Python, as most users do. Its games are in C++, and loops in C++ are faster.",
    "Decisions of agents are counted, chance is not. Pgx asks for moves that leave no choice, and Catanatron for each "
    "roll of the dice; those count in their favour. Catanatron's environment plays the opponent itself; both players' "
    "decisions count, as they do for the single seat here.",
)
ANY_ACTION = (
    "Batches without a mask are played with any action, legal or not, and an illegal one may end a game at once."
)


def not_shown(peers: Result) -> list[str]:
    """What a reader must not conclude."""
    blind = any(row["like"] == "batch" and not row["mask"] for peer in peers["peers"] for row in peer.get("rows", []))
    return [*NOT_SHOWN, ANY_ACTION] if blind else list(NOT_SHOWN)


def layers_table(layers: Result) -> str:
    """A row for each layer."""
    counts = counts_of(layers["sizes"]["players"])
    rows = []
    for layer in layers["layers"].values():
        if "missing" in layer:
            rows.append((layer["title"], layer["missing"], *("" for _ in counts[1:])))
            continue
        cell = call_time if layer["unit"] == CALLS else decisions
        rows.append((layer["title"], *(cell(layer["players"][count]) for count in counts)))
    return table(("decisions per second, or time of a call", *(f"{count} players" for count in counts)), rows)


Aim = tuple[str, str, str, bool]


def aims(layers: Result, peers: Result, training: Result) -> list[Aim]:
    """What was to be reached: what, how much, the worst that was measured, and whether that is enough."""
    found = [
        _rate_aim(layers, "batch", "Batch.step with observation and mask, one core, every number of players", 5e6),
        _rate_aim(layers, "rules", "random playouts, no observation, one core", 13e6),
        _rate_aim(layers, "rules_mask", "rules with mask, one core", 13e6),
    ]
    ratios = two_threads_over_one(layers)
    if ratios:
        worst = min(ratios.values())
        found.append(("two threads over one", "×1.8", f"×{worst:.2f}", worst >= 1.8))
    found += [
        _share_aim(layers, "vector_env", "VectorEnv, of the batch's rate against random players", 0.8),
        _share_aim(layers, "vector_env_views", "VectorEnv with `copy=False`, of the same", 0.8),
        _share_aim(layers, "vec_env", "stable-baselines3 VecEnv, of the same", 0.6),
        _rate_aim(layers, "aec", "PettingZoo `env`", 60e3),
        _rate_aim(layers, "aec_raw", "PettingZoo `raw_env`", 120e3),
    ]
    copies = 1e6 / min(rate["median"] for rate in layers["layers"]["game_copy"]["players"].values())
    found.append(("`Game.copy`", "under 2 µs", f"{copies:.2f} µs", copies < 2))
    size = layers["sizes"]["state_bytes"]
    found.append(("a state", "at most 512 bytes", f"{size} bytes", size <= 512))
    for name, limit in (("import", 1), ("first_reset_cold", 10), ("first_reset_cached", 0.5)):
        seconds = layers["starts"][name]["median"]
        found.append((START_TITLES[name], f"under {limit} s", f"{seconds:.2f} s", seconds < limit))
    lowest = min(row["many"] for row in compared(peers))
    found.append(("faster than every peer, many games at once", "×1", f"×{lowest:.3g}", lowest > 1))
    single = [row["one"] for row in compared(peers) if row["one"] is not None]
    found.append(("faster than every peer, one game at a time", "×1", f"×{min(single):.3g}", min(single) > 1))
    for run in training["runs"]:
        shares = kinds(training, run)
        outside = 1 - shares["network"]
        what = f"training outside the network, {run['players']} players, minibatches of {run['batch_size']:,}"
        found.append((what, "under 10 %", f"{outside:.1%}".replace("%", " %"), outside < 0.1))
    return [row for row in found if row[2]]


def _rate_aim(layers: Result, name: str, what: str, aim: float) -> Aim:
    worst = min(rate["median"] for rate in layers["layers"][name]["players"].values())
    return what, f"{short(aim)}/s", f"{short(worst)}/s", worst >= aim


def _share_aim(layers: Result, name: str, what: str, aim: float) -> Aim:
    ours, base = layers["layers"][name].get("players"), layers["layers"]["batch_one_seat"]["players"]
    if not ours:
        return what, f"{aim:.0%}", "", False
    worst = min(ours[count]["median"] / base[count]["median"] for count in base)
    return what, f"{aim * 100:.0f} %", f"{worst * 100:.0f} %", worst >= aim


# Peers


def rates_of(row: Result) -> list[float]:
    """Decisions per second of each window."""
    return [count / seconds for count, seconds in zip(row["counts"], row["seconds"], strict=True)]


def compared(peers: Result) -> list[Result]:
    """The peers' rows, with how much faster this project is: "many" at once, and "one" at a time or None."""
    ours = {
        (row["like"], row["players"]): median(rates_of(row))
        for peer in peers["peers"]
        if peer["name"] == "ours"
        for row in peer.get("rows", [])
        if row["game"] == "Speicherstadt"
    }
    found = []
    for peer in peers["peers"]:
        if peer["name"] == "ours":
            continue
        for row in peer.get("rows", []):
            players = row["players"] if ("batch", row["players"]) in ours else 2
            rate = median(rates_of(row))
            found.append(
                {
                    **row,
                    "title": peer["title"],
                    "rate": rate,
                    "many": ours["batch", players] / rate,
                    "one": None if row["like"] == "batch" else ours[row["like"], players] / rate,
                }
            )
    return found


def peers_table(peers: Result) -> str:
    """Ours, then a row for each way to play a peer."""
    rows: list[Sequence[object]] = []
    for peer in peers["peers"]:
        if peer["name"] == "ours":
            rows += [(*_cells(f"**{row['game']}**" if row["game"] == "Speicherstadt" else row["game"], row), "", "")
                     for row in peer.get("rows", [])]  # fmt: skip
    for row in compared(peers):
        one = "" if row["one"] is None else f"×{row['one']:.3g}"
        rows.append((*_cells(f"{row['title']} {row['game']}", row), one, f"×{row['many']:,.3g}"))
    header = ("game", "played through", "players", "actions", "observation", "mask", "decisions per second")
    return table((*header, "one at a time", "many at once"), rows, left=2)


def _cells(game: str, row: Result) -> tuple[object, ...]:
    rates = rates_of(row)
    rate = {"median": median(rates), "low": min(rates), "high": max(rates)}
    sizes = (row["players"], row["actions"], row["observation"] or "–", "yes" if row["mask"] else "–")
    return (game, row["way"], *sizes, decisions(rate))


def failures(peers: Result) -> str:
    """The peers that are missing, and why."""
    lines = [f"- {peer['title']} is missing: {peer['failed']}." for peer in peers["peers"] if "failed" in peer]
    return "\n".join(lines)


def versions_of(peers: Result) -> str:
    """What was installed for each peer."""
    told = []
    for peer in peers["peers"]:
        if "versions" in peer and peer["name"] != "ours":
            told.append(f"{peer['title']}: " + ", ".join(f"{name} {text}" for name, text in peer["versions"].items()))
    return "Versions: " + "; ".join(told) + "." if told else ""


def peer_doubts(peers: Result) -> list[str]:
    """Rows that had only a part of their core."""
    shared = [
        f"{peer['title']} {row['game']} {row['way']}"
        for peer in peers["peers"]
        for row in peer.get("rows", [])
        if row["cpu"] < 0.95
    ]
    return [shared_core(shared)] if shared else []


def warnings(sentences: Sequence[str]) -> str:
    """What speaks against the numbers, for everybody to see."""
    return "\n\n".join(f'!!! warning "Not a quiet machine"\n    {sentence}' for sentence in sentences)


# Training


def kinds(training: Result, run: Result) -> dict[str, float]:
    """The share of each kind of work in a run."""
    shares: dict[str, float] = dict.fromkeys(training["pieces"].values(), 0.0)
    for piece, share in pieces(run).items():
        shares[training["pieces"][piece]] += share
    return shares


def pieces(run: Result) -> dict[str, float]:
    """The share of each piece, over all rounds."""
    total = sum(sum(each.values()) for each in run["rounds"])
    return {piece: sum(each[piece] for each in run["rounds"]) / total for piece in run["rounds"][0]}


def training_text(training: Result) -> str:
    """The share of the network's own work in a training run, and the profile."""
    runs = training["runs"]
    names = [f"{run['players']} players, minibatches of {run['batch_size']:,}" for run in runs]
    shares = [kinds(training, run) for run in runs]
    by_piece = [pieces(run) for run in runs]
    rows = [
        (piece, WHOSE[kind], *(f"{of[piece] * 100:.2f} %" for of in by_piece))
        for piece, kind in training["pieces"].items()
    ]
    rows += [(f"**{WHOSE[kind]}**", "", *(f"**{of[kind] * 100:.2f} %**" for of in shares)) for kind in WHOSE]
    rate = [f"{short(median(run['decisions'] / sum(each.values()) for each in run['rounds']))}/s" for run in runs]
    rows.append(("decisions of the learner, learned from", "", *rate))
    masks = max(of["masks"] + of["masks stacked"] for of in by_piece)
    return "\n\n".join(
        (
            measured_on(training) + f" MaskablePPO with its default networks and {runs[0]['epochs']} epochs, "
            f"{training['envs']:,} environments of {training['steps']} steps each between two updates, one thread.",
            table(("where the time of training goes", "whose", *names), rows, left=2),
            f"The game's part, steps and masks together, is {max(of['ours'] for of in shares) * 100:.2f} % at most. "
            f"That masks go through `env_method` as a list of rows, which sb3-contrib stacks again, costs "
            f"{masks * 100:.2f} % at most, list and stacking together; a shorter way would have to break what "
            "`env_method` promises, one answer for each environment. What else is outside the network is the library's "
            "own: it gathers minibatches and works out the loss.",
        )
    )


WHOSE = {
    "network": "the network: forward, backward, optimiser",
    "ours": "the game: steps and masks",
    "loss": "the library: loss, loops of learning",
    "library": "the library: buffer, loops of collecting",
}


# The limit


def limit_page(limit: Result) -> str:
    """docs/limit.md."""
    counts = counts_of(limit["players"])
    games = f"{limit['games']:,}"
    return page(
        "# The limit",
        "How many bytes a decision must write, what memory and one core can do at best, and how far from that a step "
        f"of {games} games is.",
        measured_on(limit) + f" Medians of {limit['rounds']} rounds of {limit['seconds']:g} s.",
        "## Bytes",
        table(("written for the caller", *(f"{count} players" for count in counts)), [
            *((what, *(f"{limit['written'][count][what]:,}" for count in counts)) for what in limit["written"]["2"]),
            ("**together, bytes**", *(f"**{_bytes(limit, count):,}**" for count in counts)),
        ]),
        f"Beside that a step reads and writes the state, {limit['state_bytes']} bytes, and a small record of what the "
        "observation shows, so that the next one need not be written whole.",
        "## Memory",
        table(("an array of", "filled, GB/s", "copied, GB/s"), [
            (_size(place["bytes"]), *(f"{place[how]['median'] / 1e9:.1f}" for how in ("fill", "copy")))
            for place in limit["memory"].values()
        ]),
        "## How far from it",
        "If nothing had to be thought about and the bytes above were only filled, at the rate of an array as large as "
        "a batch in training; and if the rules were played as well, without what the caller needs.",
        table(("decisions per second", *(f"{count} players" for count in counts)), [
            (title, *(short(1e9 / of(limit, count)) for count in counts)) for title, of in BOUNDS.items()
        ]),
        "## Where the time goes",
        f"Nanoseconds of one decision in a step of {games} games. The rules, the mask and the observation are "
        "differences between compiled loops that do more and more in one record close at hand; the check and the call "
        "are measured alone. What remains is the books of each game (whose decision it is, the ends, the rewards) and "
        "the way to memory, for the rows of a batch do not fit close to the core.",
        table(("nanoseconds", *(f"{count} players" for count in counts)), [
            (title, *(_part(of(limit, count), limit, count) for count in counts)) for title, of in PARTS.items()
        ]),
        "For comparison: an observation written whole, not kept up to date, takes "
        + ", ".join(f"{_time(limit, count, 'observed') - _time(limit, count, 'masked'):.0f} ns ({count} players)"
                    for count in counts)
        + "; a deal, of which each game has one, "
        + ", ".join(f"{_time(limit, count, 'deal'):,.0f} ns, {_deal(limit, count):.1f} ns for each decision"
                    f" ({count} players)" for count in counts)
        + ".",
        warnings(limit_doubts(limit)),
    )  # fmt: skip


def _time(limit: Result, count: str, name: str) -> float:
    value: float = limit["players"][count]["times"][name]["median"]
    return value


def _bytes(limit: Result, count: str) -> int:
    return sum(limit["written"][count].values())


def _size(number: int) -> str:
    return f"{number // 2**20} MiB" if number >= 2**20 else f"{number // 2**10} KiB"


def _fill(limit: Result, count: str) -> float:
    return 1e9 * _bytes(limit, count) / limit["memory"]["batch"]["fill"]["median"]


def _rules(limit: Result, count: str) -> float:
    return _time(limit, count, "rules") - _time(limit, count, "choice")


def _call(limit: Result, count: str) -> float:
    return _time(limit, count, "call") / limit["games"]


def _observation(limit: Result, count: str) -> float:
    return _time(limit, count, "refreshed") - _time(limit, count, "masked")


def _mask(limit: Result, count: str) -> float:
    return _time(limit, count, "masked") - _time(limit, count, "rules")


def _deal(limit: Result, count: str) -> float:
    lengths: float = limit["players"][count]["decisions_of_a_game"]
    return _time(limit, count, "deal") / lengths


def _known(limit: Result, count: str) -> float:
    known = (_rules, _mask, _observation, _check, _call)
    return sum(part(limit, count) for part in known)


def _check(limit: Result, count: str) -> float:
    return _time(limit, count, "check")


def _batch(limit: Result, count: str) -> float:
    return _time(limit, count, "batch")


Part = Callable[[Result, str], float]

BOUNDS: dict[str, Part] = {
    "the bytes alone": _fill,
    "the rules alone": _rules,
    "the rules and the bytes": lambda limit, count: _rules(limit, count) + _fill(limit, count),
    "**reached by `Batch.step`**": _batch,
}

PARTS: dict[str, Part] = {
    "the rules, deals included": _rules,
    "the mask": _mask,
    "the observation, kept up to date": _observation,
    "the look whether all actions are legal": _check,
    "the call from Python": _call,
    "the books of the games, and memory": lambda limit, count: _batch(limit, count) - _known(limit, count),
    "**together**": _batch,
}


def _part(nanoseconds: float, limit: Result, count: str) -> str:
    return f"{nanoseconds:.1f} ({100 * nanoseconds / _batch(limit, count):.0f} %)"


def limit_doubts(limit: Result) -> list[str]:
    """Whether the core was ours while it was measured."""
    shares = [time["cpu"] for parts in limit["players"].values() for time in parts["times"].values()]
    if min(shares) >= 0.95:
        return []
    return [f"Other processes took part of the core, {1 - min(shares):.0%} of it at worst."]


# Scaling


def scaling_page(scaling: Result) -> str:
    """docs/scaling.md."""
    points = scaling["points"]
    counts = sorted({point["players"] for point in points})
    threads = sorted({point["threads"] for point in points})
    at = {(point["players"], point["games"], point["threads"]): point for point in points}
    sizes = sorted({point["games"] for point in points})
    sections = []
    for number in threads:
        rows = [(f"{games:,}", *(decisions(at[count, games, number]) for count in counts)) for games in sizes]
        name = "one thread" if number == 1 else f"{number} threads"
        sections += [
            f"## {name.capitalize()}",
            table((f"games, {name}", *(f"{count} players" for count in counts)), rows, left=0),
        ]
    if len(threads) > 1:
        rows = [
            (
                f"{games:,}",
                *(f"×{at[count, games, 2]['median'] / at[count, games, 1]['median']:.2f}" for count in counts),
            )
            for games in sizes
        ]
        sections += [
            "## Two threads over one",
            table(("games", *(f"{count} players" for count in counts)), rows, left=0),
        ]
    return page(
        "# How cost grows",
        "Decisions per second of `Batch.step` with observation and mask, all seats decided by the caller, by the "
        "number of games, players and threads. " + second_thread(at, sizes, counts),
        measured_on(scaling) + f" Median of {scaling['rounds']} rounds of {scaling['seconds']:g} s, slowest and "
        "fastest round in brackets; the calls of `step` alone, their actions drawn beforehand, the games at different "
        "moments.",
        f"![Decisions per second by games, players and threads]({PLOT}.svg)",
        *sections,
        "## Memory",
        "What each game adds to a batch, with its observation, mask and state. It is allocated once, before the first "
        "step.",
        table(("players", "bytes of a game"), [(count, f"{size:,}") for count, size in scaling["memory"].items()], 0),
    )  # fmt: skip


def second_thread(at: dict[tuple[int, int, int], Result], sizes: Sequence[int], counts: Sequence[int]) -> str:
    """From how many games on a second thread pays."""
    if (counts[0], sizes[0], 2) not in at:
        return ""
    slower = [
        games
        for games in sizes
        if any(at[count, games, 2]["median"] <= at[count, games, 1]["median"] for count in counts)
    ]
    later = [games for games in sizes if not slower or games > max(slower)]
    if not later:
        return "A second thread did not pay for every number of players, whatever the number of games."
    return f"A second thread pays from {later[0]:,} games on."


def draw(scaling: Result, folder: Path) -> None:
    """The plot, as SVG and PNG; the SVG says which results it shows."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "speicher"
    points = scaling["points"]
    figure, axes = pyplot.subplots(figsize=(8, 4.8), layout="constrained")
    for count, color in zip(sorted({point["players"] for point in points}), COLORS, strict=False):
        for number in sorted({point["threads"] for point in points}):
            line = [point for point in points if (point["players"], point["threads"]) == (count, number)]
            games = [point["games"] for point in line]
            style = "-" if number == 1 else "--"
            label = f"{count} players, {'one thread' if number == 1 else f'{number} threads'}"
            axes.plot(games, [point["median"] for point in line], style, color=color, marker="o", ms=3, label=label)
            low, high = ([point[end] for point in line] for end in ("low", "high"))
            axes.fill_between(games, low, high, color=color, alpha=0.15, linewidth=0)
    axes.set(xscale="log", yscale="log", xlabel="games in the batch", ylabel="decisions per second")
    axes.set_xticks(sorted({point["games"] for point in points}))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small", ncols=2)
    path = folder / PLOT
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path.with_suffix(".svg"), metadata={"Date": None, "Description": digest(scaling)})
    figure.savefig(path.with_suffix(".png"), dpi=150, metadata={"Description": digest(scaling), "Software": None})
    pyplot.close(figure)


COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
"""Distinct for colour-blind readers too."""


def digest(scaling: Result) -> str:
    """What the plot says of the results that it shows."""
    return "results " + hashlib.sha256(json.dumps(scaling["points"], sort_keys=True).encode()).hexdigest()


# All


def page(*parts: str, by: str = "page") -> str:
    """A page of the documentation, made by a module of this folder: its parts with an empty line between them."""
    title, *rest = parts
    return "\n\n".join([title, MADE.format(by), *(part for part in rest if part)]) + "\n"


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
