"""`python -m benchmarks.baselines_page`: the pages on the baselines and on results, from cards and measurements.

With `--cards` the strength that was measured goes into the packaged cards, too.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import learning
from benchmarks.aims import AIMS, Results, share
from benchmarks.baselines import KEPT, NAMES, RUNS, SEARCH, SPEED, TWO, UNIVERSAL
from benchmarks.parts import DOCS, page, table
from benchmarks.results import ROOT
from benchmarks.results_page import MISSING, draw, percent, results_page
from speicher_agents.baselines import Card, Network, packaged, read_baseline

CARDS = ROOT / "agents" / "speicher_agents" / "baselines" / "weights"
Found = dict[str, tuple[Card, Network]]

CODE = """```python
import numpy as np

from speicher_agents import load_agent
from speicher_env.batch import Batch

agent = load_agent("baseline:2p")
batch = Batch(8, 2)
batch.reset(np.arange(8))
views = batch.views(np.arange(8))
print(agent.act(views).shape, agent.policy(views).shape, agent.value(views).shape)
```

```text
(8,) (8, 184) (8,)
```"""
USES = """```bash
speicher arena baseline:2p merchant --deals 200 --no-mirrors
speicher arena guided:200 baseline:2p --deals 20 --no-mirrors    # search led by it
speicher play --against baseline:3p
speicher train 2p --from baseline:2p --out runs/finer            # train it on
```"""


def baselines_page(found: Found, results: Results) -> str:
    """docs/baselines.md."""
    return page(
        "# Baselines",
        "Networks that were trained here and come with the package: opponents to measure against, to train against and "
        "to start from. Each is a card, which says what it is for and how it came about, and its weights beside it, "
        "which hold numbers and nothing that could run. They play with NumPy alone; training them on takes PyTorch.",
        "## How to load one",
        CODE if TWO in found else "",
        "`.policy(views)` gives the probability of each action and `.value(views)` the payoff that the deciding seat "
        "may expect. `baseline` without a name is the right one for the number of players at the table, and "
        "`baseline:2p,temperature=1` draws by probabilities in place of playing the likeliest action. By name it sits "
        'in every environment as an opponent: `opponents="baseline:2p"`.',
        USES,
        "## Which there are",
        *which(found, results),
        "## What they are for",
        "- **An opponent** for a learner or a search: [so strong](results.md), and at microseconds for a decision.\n"
        "- **A yardstick**: a method for this game should at least beat what hours of one core give.\n"
        "- **A start** for fine-tuning, by `speicher train --from`, and **a guide** for search: `guided:200` looks "
        "where the network's policy points, and trusts its value.",
        "## What they are not good at",
        *limits(found, results),
        by="baselines_page",
    )  # fmt: skip


def which(found: Found, results: Results) -> Iterator[str]:
    """The cards, as tables."""
    if not found:
        yield "None comes with this version; `speicher train 2p` trains one."
        return
    yield table(
        ("name", "players", "decks", "trained for", "value expects", "hidden layers", "numbers learned"),
        [
            (
                f"`baseline:{name}`",
                _counts(card),
                card.deck,
                _settings(card, "game").get("reward", card.reward),
                card.reward,
                _layers(card),
                f"{network.parameters:,}",
            )
            for name, (card, network) in found.items()
        ],
        6,
    )
    if any(card.figures or card.hidden.get("columns") for card, _ in found.values()):
        yield (
            "*Columns* are layers that read every column alike, *figures* numbers that follow from an observation: "
            "[what a network reads](training.md#what-a-network-reads)."
        )
    yield "How they came about:"
    yield table(
        ("name", "recipe", "from", "seed", "decisions", "in all", "minutes", "commit"),
        [(f"`baseline:{name}`", *_training(card)) for name, (card, _) in found.items()],
        3,
    )
    if any(card.training.get("before") for card, _ in found.values()):
        yield (
            "*In all* counts the decisions of the runs before, too, that a run went on from. An earlier network of the "
            "same name is in the history of the repository: `git log -- agents/speicher_agents/baselines/weights`."
        )
    minutes = "Minutes are those of one core that other work shared, so a run by itself is quicker."
    yield f"{minutes} {learning.still_rising({name: card for name, (card, _) in found.items()})}".rstrip()
    yield "How strong they are; [the results](results.md) have all of it, with the commands:"
    yield table(
        ("name", "players", "against `merchant`, %", f"against `{SEARCH}`, %", "par, %"),
        list(_strengths(found, results)),
        1,
    )
    yield (
        "Win shares on held-out deals with 95 % intervals; with more than two players the opponent sits in all other "
        "seats."
    )
    for name, (card, _) in found.items():
        yield f"`{name}.safetensors`: sha256 `{card.sha256}`; {_software(card.training)}."


def _strengths(found: Found, results: Results) -> Iterator[tuple[object, ...]]:
    for name, (card, _) in found.items():
        for count in card.players:
            own = f"{UNIVERSAL}-{count}p" if name == UNIVERSAL else f"{count}p"
            merchant = (f"{own}-ladder", "merchant") if count == 2 else (f"{own}-merchant", None)
            shares = [
                share(results[run], opponent) if run in results else None
                for run, opponent in (merchant, (f"{own}-mcts", None))
            ]
            yield f"`baseline:{name}`", count, *map(percent, shares), f"{100 / count:.1f}"


def limits(found: Found, results: Results) -> Iterator[str]:
    """What has to be said against them."""
    told = [
        "**They do not look ahead.** Where a position has to be worked out, search sees more; `guided` joins the two.",
        "**They know opponents like those they were trained with**: themselves, their past and the scripted players. "
        "Somebody who looks for their weaknesses will find some. Strength against a list of opponents bounds nothing "
        "for others.",
        "**Specialists know one deck and one number of players.** Another number is refused; on another deck they play "
        "on, and worse"
        + _on_sampled(results)
        + f". `baseline:{UNIVERSAL}` is for all of it, and may be weaker at each.",
        "**Values are of play among their likes.** Against a weaker table they promise too little.",
        "**With three and more players** what is best depends on the others' ways. They neither ask who sits there nor "
        "remember it.",
        "**Each is one training run.** How much another seed would differ is not in these numbers.",
        "**They are no models of people.** Nobody's games have been learned from.",
    ]
    missed = [
        aim.what for aim in AIMS
        if (measured := aim.measured(results)) is not None and measured["estimate"] < aim.least
    ]  # fmt: skip
    if missed:
        told.append("**What was to be reached and is not**: " + "; ".join(missed) + ".")
    yield "\n".join(f"- {sentence}" for sentence in told)


def _on_sampled(results: Results) -> str:
    if "universal-sampled" not in results or "2p-ladder" not in results:
        return ""
    told = results["universal-sampled"]
    special, merchant = told["players"][1]["name"], told["players"][2]["name"]
    pair = next(pair for pair in told["pairs"] if (pair["first"], pair["second"]) == (special, merchant))
    at_home = share(results["2p-ladder"], "merchant")["estimate"]
    return (
        f": `baseline:{TWO}` wins {100 * pair['ahead']['estimate']:.1f} % against `merchant` on sampled decks, and "
        f"{100 * at_home:.1f} % on its own"
    )


def _counts(card: Card) -> str:
    first, last = card.players[0], card.players[-1]
    return str(first) if first == last else f"{first} to {last}"


def _layers(card: Card) -> str:
    policy, value = (" × ".join(map(str, card.hidden[head])) or "none" for head in ("policy", "value"))
    shape = policy if policy == value else f"policy {policy}, value {value}"
    columns = " × ".join(map(str, card.hidden.get("columns", ())))
    reads = [f"columns {columns}"] * bool(columns) + ["figures"] * card.figures
    return "; ".join([f"{shape}, {card.activation}", *reads])


def _training(card: Card) -> tuple[object, ...]:
    told = card.training
    steps, commit, imitation = told.get("steps"), told.get("commit"), _settings(card, "imitation")
    start = learning.beginning(card) if told.get("from") else "nothing"
    if not told.get("from") and imitation.get("decisions"):
        start = f"{imitation['decisions']:,} decisions of `{imitation['teacher']}`"
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


def write_cards(folder: Path, found: Found, results: Results) -> list[str]:
    """Put what was measured into the cards; the names of those that it was measured of."""
    written = []
    for name, (card, _) in found.items():
        measured = strength_of(name, card, results)
        if measured:
            told = replace(card, strength={**card.strength, "evaluation": measured})
            (folder / f"{name}.json").write_text(told.text(), encoding="utf-8")
            written.append(name)
    return written


def read_results(folder: Path = KEPT) -> Results:
    """What is measured so far."""
    files = {name: folder / f"{name}.json" for name in (*RUNS, SPEED)}
    return {name: json.loads(file.read_text(encoding="utf-8")) for name, file in files.items() if file.is_file()}


def read_cards() -> Found:
    """The packaged baselines, in the order of the pages."""
    there = packaged()
    return {name: read_baseline(name) for name in [*(name for name in NAMES if name in there),
                                                  *(name for name in there if name not in NAMES)]}  # fmt: skip


def pages(found: Found, results: Results) -> dict[str, str]:
    """Both pages, by file name."""
    cards = {name: card for name, (card, _) in found.items()}
    return {"baselines.md": baselines_page(found, results), "results.md": results_page(results, cards)}


def main(arguments: list[str] | None = None) -> None:
    """Write the pages and the plots."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.baselines_page", description=__doc__)
    parser.add_argument("--results", type=Path, default=KEPT, help="folder of the results")
    parser.add_argument("--docs", type=Path, default=DOCS, help="folder of the pages")
    parser.add_argument("--cards", action="store_true", help="put the measured strength into the packaged cards too")
    options = parser.parse_args(arguments)
    results = read_results(options.results)
    if options.cards:
        print("written into the cards of", ", ".join(write_cards(CARDS, read_cards(), results)) or "none")
    found = read_cards()
    for name, text in pages(found, results).items():
        (options.docs / name).write_text(text, encoding="utf-8")
    if results:
        draw(results, options.docs)
    learning.draw({name: card for name, (card, _) in found.items()}, options.docs)


if __name__ == "__main__":
    main()
