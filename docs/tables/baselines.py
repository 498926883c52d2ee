"""Tables of the page on the baselines, from their cards and measurements.

`python -m docs.tables.baselines` writes the measured strength into the packaged cards.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.baselines import KEPT, NAMES, RUNS, SEARCH, SPEED, TWO, UNIVERSAL
from benchmarks.results import ROOT
from docs.tables import learning
from docs.tables.aims import AIMS, Results, share
from docs.tables.markdown import bullets, paragraphs, ranged, table, warning
from speicher_agents.baselines import Card, Network, packaged, read_baseline
from speicher_env.deck import STANDARD_EDITION
from speicher_env.messages import listed

MISSING = "–"
CARDS = ROOT / "agents" / "speicher_agents" / "baselines" / "weights"

Cards = dict[str, tuple[Card, Network]]
"""The packaged baselines by name."""


def shapes(found: Cards) -> str:
    """What each baseline is for, and its network."""
    header = ("name", "players", "decks", "trained for", "value predicts", "hidden layers", "parameters")
    rows = [
        (
            f"`baseline:{name}`", _counts(card), card.deck, _settings(card, "game").get("reward", card.reward),
            card.reward, _layers(card), f"{network.parameters:,}",
        )
        for name, (card, network) in found.items()
    ]  # fmt: skip
    return table(header, rows, "llllllr")


def training(found: Cards) -> str:
    """How each baseline was trained."""
    rows = [(f"`baseline:{name}`", *_training(card)) for name, (card, _) in found.items()]
    header = ("name", "recipe", "from", "seed", "decisions by PPO", "in all", "minutes", "commit")
    rising = learning.still_rising({name: card for name, (card, _) in found.items()})
    return paragraphs(table(header, rows, "lllrrrrr"), rising)


def strengths(found: Cards, results: Results) -> str:
    """Win shares against the merchant and a search."""
    header = ("name", "players", "against `merchant`, %", f"against `{SEARCH}`, %", "par, %")
    return table(header, _strengths(found, results))


def zoo(found: Cards, results: Results) -> str:
    """The baselines in a line each, with links to their cards from the top of the repository."""
    header = ("card", "players", "edition of the deck", "recipe", "decisions by PPO", "parameters")
    rows = []
    for name, (card, network) in found.items():
        recipe, _, _, _, decisions, *_ = _training(card)
        file = f"[`baseline:{name}`]({(CARDS / name).relative_to(ROOT)}.json)"
        rows.append((file, _counts(card), card.edition, recipe, decisions, f"{network.parameters:,}"))
    return paragraphs(table(header, rows, "llllrr"), outdated(found, results))


def outdated(found: Cards, results: Results) -> str:
    """What a reader of the strengths has to know: networks of another deck, measurements of other weights."""
    cards = {name: card for name, (card, _) in found.items()}
    old = _of_another_edition(found)
    shown = [result["baselines"] for run, result in results.items() if run != SPEED]
    changed = [name for name, card in cards.items() if any(one.get(name, card.sha256) != card.sha256 for one in shown)]
    sentences = []
    if old:
        sentences += [f"Trained before the standard deck became edition {STANDARD_EDITION}: {_named(old)}."]
    if changed:
        sentences += [f"Measured with other weights than the package has now: {_named(changed)}."]
    return " ".join(sentences)


def another_edition(found: Cards) -> str:
    """A warning that names the baselines of another edition of the standard deck."""
    old = _of_another_edition(found)
    if not old:
        return ""
    sentence = (
        f"Trained before the [standard deck](rules.md#the-deck) became edition {STANDARD_EDITION}: {_named(old)}. "
        "All results are of games on the present edition."
    )
    return warning("Another edition of the deck", [sentence])


def _of_another_edition(found: Cards) -> list[str]:
    return [name for name, (card, _) in found.items() if STANDARD_EDITION not in card.edition.split(", ")]


def _named(names: list[str]) -> str:
    return listed([f"`baseline:{name}`" for name in names])


def files(found: Cards) -> str:
    """Digests of the weights, and the software that trained them."""
    return bullets(
        f"`{name}.safetensors`: sha256 `{card.sha256}`; {_software(card.training)}."
        for name, (card, _) in found.items()
    )


def _strengths(found: Cards, results: Results) -> Iterator[tuple[object, ...]]:
    for name, (card, _) in found.items():
        for count in card.players:
            own = f"{UNIVERSAL}-{count}p" if name == UNIVERSAL else name
            merchant = (f"{own}-ladder", "merchant") if count == 2 else (f"{own}-merchant", None)
            shares = [
                share(results[run], opponent) if run in results else None
                for run, opponent in (merchant, (f"{own}-mcts", None))
            ]
            yield f"`baseline:{name}`", count, *map(_percent, shares), f"{100 / count:.1f}"


def missed_aims(results: Results) -> str:
    """How many aims are not reached, and what a specialist loses on sampled decks."""
    measured = [(aim, result) for aim in AIMS if (result := aim.measured(results)) is not None]
    missed = [aim for aim, result in measured if result["estimate"] < aim.least]
    count = f"{len(missed)} of {len(measured)} [aims](results.md#aims) are not reached."
    return bullets(
        [
            *([count] if missed else []),
            *([_on_sampled(results)] if "universal-sampled" in results and "2p-ladder" in results else []),
        ]
    )


def _on_sampled(results: Results) -> str:
    told = results["universal-sampled"]
    special, merchant = told["players"][1]["name"], told["players"][2]["name"]
    pair = next(pair for pair in told["pairs"] if (pair["first"], pair["second"]) == (special, merchant))
    at_home = share(results["2p-ladder"], "merchant")["estimate"]
    return (
        f"A specialist plays worse on other decks: `baseline:{TWO}` wins {100 * pair['ahead']['estimate']:.1f} % "
        f"against `merchant` on sampled decks, and {100 * at_home:.1f} % on its own."
    )


def _percent(measured: dict[str, float] | None) -> str:
    return MISSING if measured is None else ranged(measured, 1, 100)


def _counts(card: Card) -> str:
    first, last = card.players[0], card.players[-1]
    return str(first) if first == last else f"{first} to {last}"


def _layers(card: Card) -> str:
    policy, value = (" × ".join(map(str, widths)) or "none" for widths in (card.shape.policy, card.shape.value))
    shape = policy if policy == value else f"policy {policy}, value {value}"
    if card.shape.shared:
        shape = f"{' × '.join(map(str, card.shape.shared))} shared, then {shape}"
    columns = " × ".join(map(str, card.shape.columns))
    reads = [f"columns {columns}"] * bool(columns) + ["figures"] * card.shape.figures
    return "; ".join([f"{shape}, {card.shape.activation}", *reads])


def _training(card: Card) -> tuple[object, ...]:
    told = card.training
    steps, commit, pretraining = told.get("steps"), told.get("commit"), _settings(card, "pretraining")
    start = learning.beginning(card) if told.get("from") else "nothing"
    if not told.get("from") and pretraining.get("decisions"):
        start = f"{pretraining['decisions']:,} decisions of `{pretraining['teacher']}`"
    if more := _settings(card, "imitation").get("decisions"):
        start += f", {more:,} more at the end"
    return (
        f"`{told['recipe']}`" if "recipe" in told else MISSING,
        start,
        told.get("seed", MISSING),
        MISSING if steps is None else f"{steps:,}",
        MISSING if steps is None else f"{learning.in_all(card):,}",
        told.get("minutes", MISSING),
        f"`{commit[:8]}`" if commit else MISSING,
    )


def _settings(card: Card, table: str) -> dict[str, Any]:
    """A table of the recipe, as it was used."""
    found: dict[str, Any] = card.training.get("settings", {}).get(table, {})
    return found


def _software(told: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {text}" for name, text in told.get("versions", {}).items()) or "versions not told"


def strength_of(name: str, card: Card, results: Results) -> list[dict[str, Any]]:
    """What was measured of a baseline with its present weights, as its card holds it."""
    found = []
    for run, told in results.items():
        if run == SPEED or told["players"][0]["name"] != f"baseline:{name}" or told["baselines"][name] != card.sha256:
            continue
        opponents = [one["name"] for one in told["players"][1:]] if told["num_players"] == 2 else [None]
        for opponent in opponents:
            measured = share(told, opponent)
            found.append({
                "opponent": opponent or told["players"][1]["name"], "players": told["num_players"],
                "deck": told["deck"], "deals": told["deals"], "win_share": measured["estimate"], "low": measured["low"],
                "high": measured["high"], "command": f"speicher arena {told['arguments']}",
            })  # fmt: skip
    return found


def write_cards(folder: Path, found: Cards, results: Results) -> list[str]:
    """Put what was measured into the cards; the names of those that it was measured of."""
    written = []
    for name, (card, _) in found.items():
        measured = strength_of(name, card, results)
        if measured:
            told = replace(card, strength={**card.strength, "evaluation": measured})
            (folder / f"{name}.json").write_text(told.text(), encoding="utf-8")
            written.append(name)
    return written


@cache
def kept_results(folder: Path = KEPT) -> Results:
    """What has been measured so far."""
    files = {name: folder / f"{name}.json" for name in (*RUNS, SPEED)}
    return {name: json.loads(file.read_text(encoding="utf-8")) for name, file in files.items() if file.is_file()}


@cache
def packaged_baselines() -> Cards:
    """The packaged baselines, in the order of the pages."""
    there = packaged()
    names = [*(name for name in NAMES if name in there), *(name for name in there if name not in NAMES)]
    return {name: read_baseline(name) for name in names}


def packaged_cards() -> dict[str, Card]:
    """Their cards alone."""
    return {name: card for name, (card, _) in packaged_baselines().items()}


def main() -> None:
    """Write the measured strength into the packaged cards."""
    names = write_cards(CARDS, packaged_baselines(), kept_results())
    print("written into the cards of", ", ".join(names) or "no baseline")


TABLES = {
    "baselines shapes": lambda: shapes(packaged_baselines()),
    "baselines training": lambda: training(packaged_baselines()),
    "baselines strengths": lambda: strengths(packaged_baselines(), kept_results()),
    "baselines zoo": lambda: zoo(packaged_baselines(), kept_results()),
    "baselines another edition": lambda: another_edition(packaged_baselines()),
    "baselines files": lambda: files(packaged_baselines()),
    "baselines limits": lambda: missed_aims(kept_results()),
}

if __name__ == "__main__":
    main()
