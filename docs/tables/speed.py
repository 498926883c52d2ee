"""Tables of the page on speed."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from benchmarks.results import read
from docs.tables.markdown import Result, bullets, code, counts_of, measured_on, not_quiet, paragraphs, table
from speicher_apps.meter.layers import CALLS, GAMES_OF, NOTES
from speicher_apps.meter.report import (
    START_TITLES,
    call_time,
    decisions,
    doubts,
    shared_core,
    short,
    two_threads_over_one,
)


def aims_table() -> str:
    """What was to be reached, and the worst of what was measured."""
    rows = [(*row[:3], "reached" if row[3] else "**missed**")
            for row in aims(read("layers"), read("peers"), read("training"))]  # fmt: skip
    return table(("what", "aim", "measured", ""), rows, "llrr")


def layers_section() -> str:
    """Decisions per second of every layer, and the first seconds of a process."""
    layers = read("layers")
    ratios = [f"×{ratio:.2f} ({count} players)" for count, ratio in two_threads_over_one(layers).items()]
    starts = [
        (title, f"{spread['median']:.2f} [{spread['low']:.2f}–{spread['high']:.2f}]")
        for title, spread in ((START_TITLES[name], layers["starts"][name]) for name in START_TITLES)
    ]
    return paragraphs(
        f"{measured_on(layers)} Median of {layers['rounds']} rounds of {layers['seconds']:g} s after warm-up, slowest "
        "and fastest round in brackets.",
        layers_table(layers),
        f"Two threads over one, on the same batch: {', '.join(ratios)}." if ratios else "",
        bullets(NOTES),
        table(("the first seconds, each in a new process", "seconds"), starts),
        f"A state takes {layers['sizes']['state_bytes']} bytes.",
        not_quiet(doubts(layers)),
    )


def peers_section() -> str:
    """Other projects on the same machine."""
    peers = read("peers")
    return paragraphs(
        f"{measured_on(peers)} {peers['rounds']} windows of {peers['seconds']:g} s each.",
        peers_table(peers),
        failures(peers),
        versions_of(peers),
        not_quiet(peer_doubts(peers)),
    )


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
        one = "" if row["one"] is None else _times(row["one"])
        rows.append((*_cells(f"{row['title']} {row['game']}", row), one, _times(row["many"])))
    header = ("game", "played through", "players", "actions", "observation", "mask", "decisions per second")
    return table((*header, "one at a time", "many at once"), rows, "ll" + "r" * 7)


def _cells(game: str, row: Result) -> tuple[object, ...]:
    rates = rates_of(row)
    rate = {"median": median(rates), "low": min(rates), "high": max(rates)}
    sizes = (row["players"], row["actions"], row["observation"] or "–", "yes" if row["mask"] else "–")
    return (game, row["way"], *sizes, decisions(rate))


def _times(ratio: float) -> str:
    """How many times faster, with three digits or more."""
    return f"×{ratio:,.0f}" if ratio >= 99.95 else f"×{ratio:.3g}"


def failures(peers: Result) -> str:
    """The peers that are missing, and why, without what their installers say beyond that."""
    reasons = {peer["title"]: peer["failed"].partition(":")[0] for peer in peers["peers"] if "failed" in peer}
    return bullets([f"{title} was not measured: {reason}." for title, reason in reasons.items()])


def versions_of(peers: Result) -> str:
    """What was installed for each peer."""
    installed = [
        f"{peer['title']}: " + ", ".join(f"{name} {version}" for name, version in peer["versions"].items())
        for peer in peers["peers"]
        if "versions" in peer and peer["name"] != "ours"
    ]
    return f"Versions: {'; '.join(installed)}." if installed else ""


def peer_doubts(peers: Result) -> list[str]:
    """Rows that had only a part of their core."""
    shared = [
        f"{peer['title']} {row['game']} {row['way']}"
        for peer in peers["peers"]
        for row in peer.get("rows", [])
        if row["cpu"] < 0.95
    ]
    return [shared_core(shared)] if shared else []


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


def training_section() -> str:
    """The share of each piece of work in a training run."""
    training = read("training")
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
    return paragraphs(
        f"{measured_on(training)} MaskablePPO with its default networks and {runs[0]['epochs']} epochs, "
        f"{training['envs']:,} environments of {training['steps']} steps each between two updates, one thread.",
        table(("where the time of training goes", "whose", *names), rows, "ll" + "r" * len(names)),
    )


WHOSE = {
    "network": "the network: forward, backward, optimiser",
    "ours": "the game: steps and masks",
    "loss": "the library: loss, loops of learning",
    "library": "the library: buffer, loops of collecting",
}


def players_table() -> str:
    """How fast the scripted players are."""
    layers = read("layers")
    counts = counts_of(layers["sizes"]["players"])
    rows = [
        (code(name.removeprefix(GAMES_OF)), *(f"{short(layer['players'][count]['median'])}" for count in counts))
        for name, layer in layers["layers"].items()
        if name.startswith(GAMES_OF)
    ]
    return paragraphs(table(("player", *(f"{count} players" for count in counts)), rows), measured_on(layers))


TABLES = {
    "speed players": players_table,
    "speed aims": aims_table,
    "speed layers": layers_section,
    "speed peers": peers_section,
    "speed training": training_section,
}
