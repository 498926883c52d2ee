"""`speicher solve`: the exact value of every legal action of a position in a recorded game."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from speicher_apps.cli.files import STANDARD_STREAM, input_file
from speicher_apps.cli.options import JSON, option
from speicher_apps.cli.recorded import check_numbers, position_after, record_at
from speicher_apps.cli.streams import print_text
from speicher_env import Game, RecordError
from speicher_env import replay as positions
from speicher_env.messages import listed
from speicher_env.reading import path_shown
from speicher_env.record import numbered_lines
from speicher_env.render.text import text
from speicher_env.render.words import counted, seat_name

if TYPE_CHECKING:
    from speicher_env.solve import Prospect, Solution, Value

__all__ = ["EXAMPLES", "NOT_SOLVED", "solve"]

NOT_SOLVED = 1
"""Exit code for a position that was not solved."""
EXAMPLES = ("speicher solve games.jsonl", "speicher solve games.jsonl --game 3 --move 87 --json")


def solve(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Game records, one a line; - for stdin.")],
    game: Annotated[int | None, option(metavar="K", help="The game, from 1. Default: the first.")] = None,
    move: Annotated[
        int | None,
        option(
            metavar="M", help="The position after M moves. Default: the first one in which nothing is left to chance."
        ),
    ] = None,
    limit: Annotated[
        int | None, option(metavar="N", help="Positions to look at before giving up. Default: 2000000.")
    ] = None,
    as_json: Annotated[bool, option("--json", help=JSON)] = False,
) -> None:
    """Solve a position of the last two rounds of a recorded game: what each legal action is worth, to every seat.

    In the round before the last, values are means over all supplies that there can be. The exit code is 1 if the
    position was not solved.
    """
    check_numbers(game, move)
    where = "stdin" if file == STANDARD_STREAM else path_shown(file)
    with input_file(file) as stream:
        place, record = record_at(numbered_lines(stream, where), where, 1 if game is None else game)
    try:
        position = _last_round(record) if move is None else position_after(record, place, move)
    except RecordError as error:
        raise RecordError(f"{place}: {error}") from None
    solution = position.solve(limit)
    if as_json:
        print(json.dumps(_as_json(solution, len(position.moves or [])), indent=1))
    else:
        _print_solution(position, solution)
    if not solution.exact:
        raise typer.Exit(NOT_SOLVED)


def _last_round(record: dict[str, Any]) -> Game:
    """The first position in which nothing is left to chance, else the last one before the end."""
    from speicher_env.solve import is_determined  # loaded here, so that no other command waits for it

    last = None
    for position, _ in positions(record):
        if position.over:
            break
        last = position.copy()
        if is_determined(last):
            break
    assert last is not None, "a game begins with a decision"
    return last


def _as_json(solution: Solution, move: int) -> dict[str, Any]:
    values = {
        action: {
            "points": list(value.points),
            "coins": list(value.coins),
            "shares": list(value.shares),
            "worst": [prospect._asdict() for prospect in value.worst],
            "best": [prospect._asdict() for prospect in value.best],
            "unique": value.unique,
        }
        for action, value in solution.values.items()
    }
    return {
        "move": move,
        "seat": solution.seat,
        "exact": solution.exact,
        "reason": solution.reason,
        "positions": solution.positions,
        "supplies": solution.supplies,
        "best": list(solution.best),
        "values": values,
    }


def _print_solution(position: Game, solution: Solution) -> None:
    print(text(position.state, color=sys.stdout.isatty() and not os.environ.get("NO_COLOR")))
    moves, seat = len(position.moves or []), seat_name(solution.seat)
    if not solution.exact:
        print_text(f"\nAfter {moves} moves, {seat} to move. Not solved: {solution.reason}")
        return
    means = f", means over {solution.supplies} different supplies" if solution.supplies else ""
    positions = counted(solution.positions, "position")
    print_text(f"\nAfter {moves} moves, {seat} to move. Solved exactly, {positions}{means}.\n")
    order = sorted(solution.values, key=lambda action: _rank(solution, action))
    width = max(map(len, order))
    for action in order:
        value = solution.values[action]
        mark = ">" if action in solution.best else " "
        print_text(f"{mark} {action:{width}}  {_in_words(value, solution.seat, mean=solution.supplies > 0)}")
    if not all(value.unique for value in solution.values.values()):
        print_text("\nIn brackets: what it can come to if seats choose otherwise where all is the same to them.")


def _rank(solution: Solution, action: str) -> tuple[Any, ...]:
    """Places the best actions first, then the others from the best to the worst."""
    prospect = solution.values[action].prospects[solution.seat]
    if action in solution.best:
        return 0, solution.best.index(action)
    return 1, (-prospect.share, -prospect.lead)


def _in_words(value: Value, seat: int, *, mean: bool) -> str:
    """What an action is worth to a seat, and the points of all at the end."""
    worst, best = value.worst[seat], value.best[seat]
    if mean:
        points = ", ".join(f"{points:.2f}" for points in value.points)
        words = f"{_mean_in_words(value.prospects[seat]):24} points {points}"
        bounds = f"  (from {_mean_in_words(worst)} to {_mean_in_words(best)})"
    else:
        points = ", ".join(str(points) for points in value.points)
        words = f"{_prospect_in_words(value, value.prospects[seat], seat):24} points {points}"
        bounds = f"  (from {_plain(worst)} to {_plain(best)})"
    return words if worst == best else words + bounds


def _mean_in_words(prospect: Prospect) -> str:
    return f"wins {100 * prospect.share:.1f} %, lead {prospect.lead:+.2f}"


def _prospect_in_words(value: Value, prospect: Prospect, seat: int) -> str:
    if prospect.share == 1:
        return f"wins by {prospect.lead}" if prospect.lead else "wins by coins"
    if prospect.share:
        others = [seat_name(at) for at, share in enumerate(value.shares) if share and at != seat]
        return f"shares the win with {listed(others)}"
    return f"loses by {-prospect.lead}" if prospect.lead else "loses by coins"


def _plain(prospect: Prospect) -> str:
    if prospect.share == 1:
        return f"a win by {prospect.lead}" if prospect.lead else "a win by coins"
    if prospect.share:
        return f"{prospect.share:.2g} of the win"
    return f"a loss by {-prospect.lead}" if prospect.lead else "a loss by coins"
