"""`speicher demo`: train for a few minutes, play the arena, and explain the results."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from speicher_apps.cli.arena import check_libraries
from speicher_apps.cli.errors import INTERRUPTED, CommandError, say
from speicher_apps.cli.files import interruptible
from speicher_apps.cli.options import option
from speicher_apps.cli.progress import progress_bar
from speicher_apps.cli.train import check_packages, train_and_show
from speicher_env.arguments import check_count
from speicher_env.errors import ArgumentError
from speicher_training.machine import count_cores

if TYPE_CHECKING:
    from speicher_agents.baselines import Card
    from speicher_training.arena import Results

__all__ = ["EXAMPLES", "demo"]

RECIPE = "demo"
SHIPPED = "2p"
"""The packaged baseline to play against, and the recipe to try next."""
BASELINE = f"baseline:{SHIPPED}"
FOLDER = "runs/demo"
YOURS = "yours"
"""Name of the trained network in the tables."""
DEALS = 60
"""Deals in the arena, each in both seatings of all pairs; half a minute on two cores."""
LANES = 512
"""Games side by side in one worker: a network decides many of them at once."""


EXAMPLES = ("speicher demo", "speicher demo --minutes 10 --seed 2 --out runs/second")


def demo(
    minutes: Annotated[float, option(help="Minutes of training in all. Default: 3.")] = 3.0,
    seed: Annotated[int, option(help="Seed of the network, the games and all random draws. Default: 1.")] = 1,
    out: Annotated[
        str, option("--out", "-o", help=f"Folder for everything; a demo that exists is resumed. Default: {FOLDER}.")
    ] = FOLDER,
    jobs: Annotated[int | None, option(help="Processes that play games. Default: all cores.")] = None,
) -> None:
    """Train a network for two players for some minutes, and measure it in the arena.

    After Ctrl-C the same command resumes. When everything is done, it shows the results again.
    """
    check_packages()
    check_libraries(plots=True)
    jobs = count_cores() if jobs is None else check_count("--jobs", jobs)
    folder = Path(out)
    training = folder / "training"
    if _finished(training, minutes, seed):
        say(f"the network in {training} has been trained for {minutes:g} minutes; to start again, remove {folder}")
    else:
        from speicher_training.train.recipe import load_recipe

        trained = train_and_show(load_recipe(RECIPE), training, minutes=minutes, seed=seed, jobs=jobs)
        if trained.card is None:
            _stop("pretraining")
        if not trained.complete:
            _stop("training")
    card = _card(training)
    arena_folder = folder / f"arena-{card.sha256[:8]}"
    results = _play(training, arena_folder, jobs)
    if not results.complete:
        _stop("the arena")
    _show(results)
    print("\nWhat this means")
    print(textwrap.fill(" ".join(explained(results, card.training)), 110, initial_indent="  ", subsequent_indent="  "))
    _print_lines("Files", _places(training, arena_folder))
    _print_lines("What to try next", _ideas(results, training, arena_folder, minutes))


def _finished(training: Path, minutes: float, seed: int) -> bool:
    """Whether the network in the folder has this seed and that many minutes of training."""
    from speicher_agents.baselines import read_baseline

    try:
        card, _ = read_baseline(training / "baseline.json")
    except ArgumentError:  # not there, or damaged: the run makes it again
        return False
    trained = card.training.get("minutes")
    return card.training.get("seed") == seed and isinstance(trained, float) and trained >= round(minutes, 2)


def _card(training: Path) -> Card:
    from speicher_agents.baselines import read_baseline

    return read_baseline(training / "baseline.json")[0]


def _play(training: Path, folder: Path, jobs: int) -> Results:
    """The arena: the trained network, the scripted ladder, and the shipped baseline where there is one."""
    from speicher_agents.baselines import packaged
    from speicher_training.arena import ArenaError, arena, load_panel

    ladder = load_panel(SHIPPED).opponents
    players = {YOURS: str(training / "baseline.json"), **{name: name for name in ladder}}
    if SHIPPED in packaged():
        players[BASELINE] = BASELINE
    else:
        say(f"this package comes without {BASELINE}, so the arena is played without it")
    say(f"playing the arena: {len(players)} players, {DEALS} deals that no training sees")
    bar = progress_bar()
    with interruptible() as interrupted, bar:
        task = bar.add_task("deals", total=None)
        try:
            return arena(
                players, 2, deals=DEALS, mirrors=False, lanes=LANES, jobs=jobs,
                output=folder, records=folder / "records", interrupted=interrupted,
                progress=lambda done, total: bar.update(task, completed=done, total=total),
            )  # fmt: skip
        except ArenaError as error:
            if interrupted():
                _stop("the arena")
            raise CommandError(str(error)) from error


def _stop(what: str) -> NoReturn:
    say(f"{what} was interrupted; the same command resumes from here")
    raise typer.Exit(INTERRUPTED)


def _show(results: Results) -> None:
    """Print the tables, as wide as the terminal or as a page."""
    from rich.console import Console

    if sys.stdout.isatty():
        Console().print(results)
    else:
        print(results)


def explained(results: Results, training: Mapping[str, Any]) -> Iterator[str]:
    """The results in words, sentence by sentence; `training` is from the network's card."""
    pretraining = training["settings"].get("pretraining", {})
    start = f"after imitating {pretraining['teacher']}" if pretraining.get("decisions") else "from nothing"
    yield (
        f"{YOURS} is the network that you have just trained, {start}, in {training['minutes']:.1f} minutes and "
        f"{training['steps']:,} decisions."
    )
    beats: list[str] = []
    loses: list[str] = []
    unclear: list[str] = []
    others = [name for name in results.plan.names if name != YOURS]
    for name in others:
        pair = results.pair(YOURS, name)
        (unclear if not pair["significant"] else beats if pair["ahead"]["estimate"] > 0.5 else loses).append(name)
    parts = [f"beats {_listed(beats)}"] * bool(beats) + [f"loses to {_listed(loses)}"] * bool(loses)
    if parts:
        yield f"It {' and '.join(parts)}, more often than chance explains."
    if unclear:
        yield f"Whether it is better than {_listed(unclear, 'or')}, {results.summary['deals']} deals do not tell."
    for name, what in (("merchant", "the strongest scripted player"), (BASELINE, "the baseline that is shipped")):
        if name in others:
            share = results.pair(YOURS, name)["ahead"]
            low, won, high = (f"{100 * share[key]:.0f}" for key in ("low", "estimate", "high"))
            yield f"Of 100 games with {name}, {what}, it wins about {won}: with 95 % confidence {low} to {high}."


def _listed(names: Sequence[str], word: str = "and") -> str:
    """The names in one line, the last behind the word."""
    return f" {word} ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def _places(training: Path, arena: Path) -> Iterator[tuple[str, str]]:
    """The files of the demo."""
    yield "learning curve", f"{training / 'curves.png'}, and as SVG beside it"
    yield "weights and card", f"{training / 'baseline.safetensors'}, {training / 'baseline.json'}"
    yield "numbers in training", f"{training / 'metrics.jsonl'}, and for TensorBoard {training / 'tensorboard'}"
    yield "results", f"{arena / 'results.json'}, and tables as CSV beside it"
    yield "plots", f"{arena / 'ratings.png'}, pairs.png, points.png"
    yield "records of all games", str(arena / "records")


def _ideas(results: Results, training: Path, arena: Path, minutes: float) -> Iterator[tuple[str, str]]:
    """What to try next."""
    speicher = _program()
    card, first = training / "baseline.json", arena / "records" / "chunk-000000.jsonl"
    against = [set(seating) for seating in results.summary["seatings"]].index({YOURS, "merchant"})
    again = f"{speicher} demo --minutes {{:g}}" + f" --out {training.parent}" * (str(training.parent) != FOLDER)
    yield "look at a game of it", f"{speicher} replay {first} --game {against + 1} --html game.html"
    yield "play against it", f"{speicher} play --against {card}"
    yield "let it think", f"{speicher} arena guided:100,baseline={card} {card} merchant --deals 20 --no-mirrors"
    yield "train it on", again.format(max(10, 3 * minutes))
    yield "train a strong one", f"{speicher} train {SHIPPED} --minutes 120"
    yield "change the recipe", f"{training / 'recipe.toml'}: copy it, then {speicher} train COPY.toml"
    yield "start again", f"remove {training.parent}, or name another folder with --out"


def _program() -> str:
    """The name under which this command can be called."""
    found = shutil.which("speicher")
    called = sys.argv[0]
    return "speicher" if found and os.path.realpath(found) == os.path.realpath(called) else called


def _print_lines(title: str, lines: Iterable[tuple[str, str]]) -> None:
    print(f"\n{title}")
    for what, where in lines:
        print(f"  {what:21s} {where}")
