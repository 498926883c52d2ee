"""Whether the runs of the shipped baselines were still improving: sentences and the plot from their cards."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil, sqrt
from pathlib import Path
from statistics import fmean
from typing import Any

from docs.tables.aims import AIMS
from docs.tables.markdown import bullets, paragraphs, shell
from speicher_agents.baselines import Card, packaged, read_baseline
from speicher_env.messages import listed
from speicher_training.train.recipe import Recipe, load_recipe, recipes

PLOT = "images/learning"
ANCHOR = "learning-curves"
"""Of the section on the page of results."""
OPPONENT = "merchant"
"""The strongest that runs are evaluated against."""
DECISIVE = ("game", "network", "pretraining", "league", "imitation")
"""Tables of a recipe without which a run is another one, beside its steps."""
LEAST = 2
"""Evaluations in a quarter, so that something can be said of their spread."""
BEYOND = 2
"""Standard errors that a difference has to exceed to count as one."""
FLAT = 0.03
"""Of the win share. A run is flat at its end only if it clearly gained less than this in a quarter."""
RISING, LEVEL, FALLING, UNCLEAR = "still rising", "flat at the end", "falling", "too close to tell"
AIM_COLOR, PAR_COLOR = "#d55e00", "0.6"
COLORS = ("#0072b2", "#009e73", "#cc79a7", "#56b4e9")
"""A line for each number of players; distinct for colour-blind readers too, and none like the aim."""
COLUMNS = 3
"""Panels beside each other."""

Curve = dict[str, Any]
Cards = Mapping[str, Card]


@dataclass(frozen=True)
class Trend:
    """The last quarter of a run beside the quarter before it, in parts of 1."""

    last: float
    before: float
    error: float
    """Standard error of the difference."""

    @property
    def gain(self) -> float:
        """From the quarter before to the last."""
        return self.last - self.before

    @property
    def verdict(self) -> str:
        """What the difference says."""
        doubt = BEYOND * self.error
        if abs(self.gain) > doubt:
            return RISING if self.gain > 0 else FALLING
        return LEVEL if self.gain + doubt < FLAT else UNCLEAR


def curves(card: Card) -> list[Curve]:
    """Against the opponent that is shown, by number of players; none if the card tells no curve."""
    found = [one for one in card.training.get("curve", ()) if one["opponent"] == OPPONENT]
    return sorted(found, key=lambda one: one["players"])


def shown(cards: Cards) -> dict[str, Card]:
    """The baselines whose cards have such a curve."""
    return {name: card for name, card in cards.items() if curves(card)}


def trend(curve: Curve, steps: int) -> Trend | None:
    """How a curve went in the second half of a run of so many decisions; None with too few evaluations to tell.

    The spread of evaluations about the mean of their quarter is taken to be the same in both.
    """
    quarters: dict[int, list[float]] = {3: [], 4: []}
    for at, share in zip(curve["steps"], curve["win_share"], strict=True):
        quarter = ceil(4 * at / steps)
        if quarter in quarters:
            quarters[quarter].append(share)
    before, last = quarters.values()
    if min(len(before), len(last)) < LEAST:
        return None
    squares = sum((share - fmean(own)) ** 2 for own in (before, last) for share in own)
    variance = squares / (len(before) + len(last) - 2)
    return Trend(fmean(last), fmean(before), sqrt(variance * (1 / len(before) + 1 / len(last))))


def trends(cards: Cards) -> str:
    """How the run of each baseline ended, as a list; and how to train one again, or longer."""
    with_curves = shown(cards)
    if not with_curves:
        return "The cards hold no learning curve."
    name, card = next(iter(with_curves.items()))
    comment = f"as baseline:{name} was trained"
    if start_is_gone(card):
        card, comment = replace(card, training={**card.training, "from": None}), "from the beginning"
    again, longer = command(card), f"{command(card, 2 * card.training['steps'])} --out runs/{name}-longer"
    width = max(len(again), len(longer))
    return paragraphs(
        bullets(_sentence(name, card) for name, card in with_curves.items()),
        shell(f"{again:{width}}    # {comment}", f"{longer:{width}}    # with twice the decisions"),
    )


def _sentence(name: str, card: Card) -> str:
    """A baseline in one sentence."""
    steps, minutes = card.training["steps"], card.training["minutes"]
    trends = {one["players"]: trend(one, steps) for one in curves(card)}
    if not any(trends.values()):
        said = "too few evaluations to tell whether it was still rising"
    else:
        said = "; ".join(
            (f"with {count} players " if len(trends) > 1 else "") + _in_words(own, place == 0)
            for place, (count, own) in enumerate(trends.items())
        )
    by = f"`{command(card)}`"
    if recipe_has_changed(card):
        by = f"by the recipe `{card.training['recipe']}` as it was then, which its card tells, and not as it is now"
    elif start_is_gone(card):
        by = f"by the recipe `{card.training['recipe']}`"
    on = f", on from {start}" if (start := beginning(card)) else ""
    return f"`baseline:{name}` ({by}): {steps:,} decisions in {minutes:.0f} minutes{on}; {said}."


def beginning(card: Card) -> str:
    """In words the network that a run went on from; empty if it began with nothing."""
    if not card.training["from"]:
        return ""
    name = f"`{card.training['from']}`"
    if not (before := card.training.get("before")):
        return name
    last = before[-1]
    if last["steps"] is None:  # it was not trained here
        return name
    told = f"{last['steps']:,} decisions, {last['minutes']:.0f} minutes, weights {last['sha256'][:8]}"
    return f"{f'an earlier {name}' if start_is_gone(card) else name} ({told})"


def start_is_gone(card: Card) -> bool:
    """Whether the network that the run went on from is in the package no more: its name now stands for another."""
    if not (before := card.training.get("before")):
        return False
    name = before[-1]["name"]
    return name not in packaged() or read_baseline(name)[0].sha256 != before[-1]["sha256"]


def in_all(card: Card) -> int:
    """Decisions of the run and of all runs that it went on from."""
    return sum(told["steps"] or 0 for told in [*card.training.get("before", []), card.training])


def recipe_has_changed(card: Card) -> bool:
    """Whether the recipe of that name now trains another network, in another way, than the one of this card.

    A setting that the card does not have came later; by default everything is as it was without it.
    """
    name, settings = card.training["recipe"], card.training["settings"]
    defaults = Recipe("").tables
    return name in recipes() and any(
        table in settings and {**defaults[table], **settings[table]} != load_recipe(name).tables[table]
        for table in DECISIVE
    )


def _in_words(found: Trend | None, whole: bool) -> str:
    if found is None:
        return "too few evaluations to tell"
    last, before = ("in the last quarter of the run ", " in the one before") if whole else ("", "")
    return (
        f"{100 * found.last:.1f} % on average {last}after {100 * found.before:.1f} %{before}, "
        f"{100 * found.gain:+.1f} points (standard error {100 * found.error:.1f}): **{found.verdict}**"
    )


def command(card: Card, steps: int | None = None) -> str:
    """What trains it again, or with so many decisions."""
    told, ppo = card.training, card.training["settings"]["ppo"]
    rollout = ppo["games"] * ppo["rollout"]
    if steps is None and told["steps"] != rollout * ceil(ppo["steps"] / rollout):  # the last rollout is a whole one
        steps = told["steps"]
    words = ["speicher train", told["recipe"]]
    if steps is not None:
        words.append(f"--steps {steps:_}")
    if told["seed"] != 1:
        words.append(f"--seed {told['seed']}")
    if told["from"]:
        words.append(f"--from {told['from']}")
    return " ".join(words)


def still_rising(cards: Cards) -> str:
    """A sentence on which runs were still rising at their end; empty if no curve can tell."""
    rising, judged = [], False
    for name, card in shown(cards).items():
        trends = {one["players"]: trend(one, card.training["steps"]) for one in curves(card)}
        judged |= any(trends.values())
        counts = [count for count, own in trends.items() if own and own.verdict == RISING]
        if counts:
            rising.append(
                f"`baseline:{name}`"
                + (f" with {listed([str(count) for count in counts])} players" if len(trends) > 1 else "")
            )
    if not judged:
        return ""
    verdict = "no run was clearly still rising at its end"
    if rising:
        verdict = f"clearly still rising at the end of the run: {'; '.join(rising)}"
    return f"By the [learning curves](results.md#{ANCHOR}), {verdict}."


def draw(cards: Cards, folder: Path) -> None:
    """The curves, a panel for each baseline, as SVG and PNG; nothing if no card has one."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    found = shown(cards)
    if not found:
        return
    rows, columns = ceil(len(found) / COLUMNS), min(COLUMNS, len(found))
    with mpl.rc_context({"svg.hashsalt": "speicher-baselines", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(max(4, 2.7 * columns), 0.6 + 2.3 * rows), layout="constrained")
        FigureCanvasAgg(figure)
        grid = figure.subplots(rows, columns, sharey=True, squeeze=False).ravel()
        for axes, (name, card) in zip(grid, found.items(), strict=False):
            _panel(axes, name, card)
        for axes in grid[len(found) :]:
            axes.set_axis_off()
        for axes in grid[::columns]:
            axes.set_ylabel("win share, %")
        figure.supxlabel(
            "decisions of the learner, millions\norange, dashed: what was to be reached; thin lines: par", fontsize=9
        )
        path = folder / PLOT
        path.parent.mkdir(parents=True, exist_ok=True)
        about = digest(cards)
        figure.savefig(path.with_suffix(".svg"), metadata={"Date": None, "Description": about})
        figure.savefig(path.with_suffix(".png"), dpi=150, metadata={"Description": about, "Software": None})


def _panel(axes: Any, name: str, card: Card) -> None:
    own = curves(card)
    for curve, color in zip(own, COLORS, strict=False):
        players = curve["players"]
        axes.axhline(100 / players, color=color if len(own) > 1 else PAR_COLOR, linewidth=0.8, alpha=0.8, zorder=0)
        for aim in AIMS:
            if (aim.who, aim.against, aim.players) == (f"baseline:{name}", OPPONENT, players):
                axes.axhline(100 * aim.least, color=AIM_COLOR, linewidth=1.2, linestyle="--", zorder=1)
        millions = [steps / 1e6 for steps in curve["steps"]]
        shares = [100 * share for share in curve["win_share"]]
        axes.plot(millions, shares, ".-", color=color, linewidth=1.4, markersize=4, label=f"{players} players")
    axes.set_title(f"baseline:{name}", fontsize=9)
    axes.set_xlim(left=0)
    axes.set_ylim(0, 100)
    axes.grid(alpha=0.3)
    if len(own) > 1:
        axes.legend(fontsize=7, loc="lower right", ncols=2)  # below par, where nobody stays


def digest(cards: Cards) -> str:
    """What the plot is of, in a few letters that stand in it."""
    found = {name: curves(card) for name, card in shown(cards).items()}
    return "curves " + hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:16]
