"""`speicher ladder`: how often the budget of a search must double until it wins 60 % of games."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from speicher_apps.cli.errors import INTERRUPTED, CommandError, say
from speicher_apps.cli.files import interruptible
from speicher_apps.cli.options import JSON, check_counts, option
from speicher_apps.cli.progress import progress_bar
from speicher_apps.cli.streams import print_columns, print_text
from speicher_apps.packages import check_installed
from speicher_env import ArgumentError
from speicher_env.arguments import check_players
from speicher_env.messages import must_be

if TYPE_CHECKING:
    from speicher_training.arena.ladder import Rung

__all__ = ["EXAMPLES", "ladder"]

EXAMPLES = (
    "speicher ladder mcts",
    "speicher ladder guided --budgets 25,50,100,200 --players 2 --deals 200 -o runs/ladder",
)
BUDGETS = "25,50,100,200,400"


def ladder(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="A search without its budget, such as mcts or mcts:c=1.")],
    budgets: Annotated[
        str, option(metavar="N,...", help=f"Iterations for each decision, ascending. Default: {BUDGETS}.")
    ] = BUDGETS,
    num_players: Annotated[int, option("--players", help="Number of players, 2 to 5. Default: 2.")] = 2,
    deals: Annotated[int, option(help="Deals, each in all seatings. Default: 100.")] = 100,
    jobs: Annotated[int | None, option(help="Workers at a time. Default: all cores.")] = None,
    output: Annotated[
        str | None, option("--output", "-o", help="Folder of the arena. One that exists is resumed.")
    ] = None,
    as_json: Annotated[bool, option("--json", help=JSON)] = False,
) -> None:
    """Let a search play itself at rising budgets, and say how many doublings win 60 % of games.

    Ctrl-C ends the command; with -o the same command resumes.
    """
    check_players(num_players, "--players")
    check_counts({"--deals": deals, "--jobs": jobs})
    check_installed(("scipy",), "speicher ladder", "train", CommandError)
    from speicher_training.arena import ArenaError, arena
    from speicher_training.arena.ladder import rungs, spec_with
    from speicher_training.machine import count_cores

    steps = _budgets(budgets)
    specs = [spec_with(spec, budget) for budget in steps]
    with interruptible() as interrupted, progress_bar() as bar:
        task = bar.add_task("deals", total=None)
        try:
            results = arena(
                specs, num_players, deals=deals, mirrors=False, jobs=jobs or count_cores(), output=output, plots=False,
                isolated=True, interrupted=interrupted,
                progress=lambda done, total: bar.update(task, completed=done, total=total),
            )  # fmt: skip
        except ArenaError as error:
            raise CommandError(str(error)) from None
    if not results.complete:
        say("interrupted; the same command resumes with -o")
        raise typer.Exit(INTERRUPTED)
    climbed = rungs(results.summary, specs, steps)
    if as_json:
        plain = {
            "spec": spec,
            "players": num_players,
            "deals": deals,
            "rungs": [_plain(asdict(rung)) for rung in climbed],
        }
        print(json.dumps(plain, indent=1))
    else:
        _print(climbed, results.summary, specs)


def _print(climbed: list[Rung], summary: dict[str, Any], specs: list[str]) -> None:
    rows = [("budget", "next", "next is ahead", "doublings for 60%")]
    for rung in climbed:
        ahead, needed = rung.ahead, rung.doublings
        shares = [f"{100 * ahead[end]:.1f}" for end in ("estimate", "low", "high")]
        times = [_times(needed[end]) for end in ("estimate", "low", "high")]
        rows.append((str(rung.budget), str(rung.next_budget), _ranged(shares, "%"), _ranged(times, "")))
    print_columns(rows)
    ratings = {player["name"]: player["rating"]["estimate"] for player in summary["players"]}
    print_text(f"\n{specs[-1]} is rated {ratings[specs[-1]] - ratings[specs[0]]:.0f} above {specs[0]}.")


def _budgets(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    budgets = [int(part) for part in parts if part.isdecimal() and len(part) < 10]
    if len(budgets) != len(parts) or len(budgets) < 2 or sorted(set(budgets)) != budgets or budgets[0] < 1:
        raise ArgumentError(must_be("--budgets", text, "two or more whole numbers from 1, ascending"))
    return budgets


def _ranged(numbers: list[str], unit: str) -> str:
    return f"{numbers[0]}{unit} [{numbers[1]}, {numbers[2]}]"


def _times(number: float) -> str:
    return "never" if math.isinf(number) else f"{number:.1f}"


def _plain(value: Any) -> Any:
    """The same with null for infinity, which JSON does not have."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return None if isinstance(value, float) and math.isinf(value) else value
