"""`speicher review`: what each move of a recorded game gave away, what luck gave or took, and where the game turned."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from speicher_apps.cli.errors import INTERRUPTED, CommandError, say
from speicher_apps.cli.files import STANDARD_STREAM, check_page, input_file, interruptible, output_file
from speicher_apps.cli.kept_reviews import KeptReviews
from speicher_apps.cli.options import FORCE, JSON, option
from speicher_apps.cli.progress import progress_bar
from speicher_apps.cli.recorded import check_numbers, no_such_game, record_at
from speicher_apps.cli.streams import print_columns, print_text
from speicher_apps.specs import HUMAN
from speicher_env import ArgumentError, RecordError
from speicher_env import replay as positions
from speicher_env.arguments import check_count
from speicher_env.messages import must_be
from speicher_env.reading import path_shown
from speicher_env.record import numbered_lines, parse_line
from speicher_env.render.words import counted, move_in_words, plural, seat_name

if TYPE_CHECKING:
    from speicher_agents.review import Judge, Review

__all__ = ["EXAMPLES", "review"]

EXAMPLES = (
    "speicher review games.jsonl --html review.html",
    "speicher review games.jsonl --game 3 --with baseline --json",
    "speicher review games.jsonl --all --keep reviews",
)
Progress = Callable[[int, int], None]
JUDGE, SUPPLIES = "guided:800", 32


def review(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Game records, one a line; - for stdin.")],
    game: Annotated[int | None, option(metavar="K", help="The game, from 1. Default: the first.")] = None,
    all_games: Annotated[bool, option("--all", help="Review all games and sum up their players.")] = False,
    judge: Annotated[
        str, option("--with", metavar="SPEC", help=f"The player that judges positions. Default: {JUDGE}.")
    ] = JUDGE,
    supplies: Annotated[
        int, option(metavar="N", help=f"Supplies drawn for the luck of each reveal. Default: {SUPPLIES}.")
    ] = SUPPLIES,
    html: Annotated[str | None, option("--html", metavar="OUT", help="Write the review as one HTML page.")] = None,
    force: Annotated[bool, option("--force", help=FORCE)] = False,
    keep: Annotated[
        str | None,
        option(
            metavar="FOLDER",
            help="With --all: keep each review there; the same command resumes.",
        ),
    ] = None,
    as_json: Annotated[bool, option("--json", help=JSON)] = False,
) -> None:
    """Review a recorded game: what each move gave away, the better move, what luck gave or took, where it turned.

    Win shares are exact in the last round, where it can be solved, and judged by a player before it.
    """
    check_numbers(game, None)
    check_count("--supplies", supplies)
    _check_together(game, html, force, keep, all_games=all_games)
    if judge.partition(":")[0].strip() == HUMAN:
        raise ArgumentError(must_be("--with", judge, "a player that decides by itself"))
    where = "stdin" if file == STANDARD_STREAM else path_shown(file)
    with input_file(file) as stream:
        if all_games:
            _review_all(stream, where, judge, supplies, keep, as_json=as_json)
            return
        if html is not None:
            check_page(html, file, force)
        number = 1 if game is None else game
        place, record = record_at(numbered_lines(stream, where), where, number)
    with progress_bar(beside_output=True) as bar:
        task = bar.add_task("positions judged", total=None)
        result = _reviewed(
            record, place, _judge(judge), supplies, lambda done, total: bar.update(task, completed=done, total=total)
        )
    if html is not None:
        _write_page(record, result, html)
    if as_json:
        from speicher_agents.review import as_json as plain

        print(json.dumps(plain(result), indent=1))
    elif html is None:
        print_text(
            f"{place}: {result.players} players, {result.deck} deck, seed {result.seed}, judged by {result.judge}\n"
        )
        _print(record, result)


def _check_together(game: int | None, html: str | None, force: bool, keep: str | None, *, all_games: bool) -> None:
    """Refuse options that exclude each other."""
    if all_games and (game is not None or html is not None):
        raise ArgumentError(f"{'--html' if game is None else '--game'} cannot be used with --all.")
    if keep is not None and not all_games:
        raise ArgumentError("--keep can only be used with --all.")
    if force and html is None:
        raise ArgumentError("--force can only be used with --html.")


def _judge(spec: str) -> Judge:
    from speicher_agents.review import Judge  # loaded here, so that no other command waits for it

    return Judge(spec)


def _reviewed(
    record: dict[str, Any],
    place: str,
    judge: Judge,
    supplies: int,
    progress: Progress = lambda done, total: None,
) -> Review:
    from speicher_agents.review import review_game

    try:
        return review_game(record, judge, supplies, progress)
    except RecordError as error:
        raise RecordError(f"{place}: {error}") from None


def _write_page(record: dict[str, Any], result: Review, target: str) -> None:
    from speicher_apps.review_page import page  # drawing is loaded only here

    with output_file(target) as file:
        file.write(page(record, result))
    shown = "stdout" if target == STANDARD_STREAM else path_shown(target)
    say(f"review of {len(result.decisions)} moves written to {shown}")


# One game as text


def _print(record: dict[str, Any], result: Review) -> None:
    states = [game.state for game, _ in positions(record)]
    _print_balances(result)
    print("\nTurning points:")
    for event in result.turning_points:
        changes = ", ".join(f"{seat_name(seat)} {_percent(change)}" for seat, change in enumerate(event.change))
        print_text(f"  {_where(event)}: {changes}")
    print("\nMistakes:")
    for decision in result.decisions:
        if decision.grade is None:
            continue
        state = states[decision.move - 1]
        words = move_in_words(state, decision.played)
        print_text(f"  {_where(decision)}: {words}; {decision.grade}, {_percent(-decision.loss)}")
        if decision.better is not None:
            better = move_in_words(state, decision.better).removeprefix(f"{seat_name(decision.seat)} ")
            print_text(f"    better: {better} ({', '.join(decision.line)})")


def _print_balances(result: Review) -> None:
    rows: list[tuple[str, ...]] = [("", "start", "luck", "own moves", "others' moves", "seen later", "end")]
    for seat, balance in enumerate(result.balances):
        name = f"{seat_name(seat)} {result.names[seat]}" if result.names else seat_name(seat)
        parts = (balance.luck, balance.own, balance.others, balance.judge)
        rows.append((name, f"{balance.start:.0%}", *map(_percent, parts), f"{balance.end:.0%}"))
    print_columns(rows)


def _where(event: Any) -> str:
    after = getattr(event, "after_move", None)
    return f"round {event.round}, move {event.move}" if after is None else f"round {event.round}, new cards"


def _percent(change: float) -> str:
    return f"{round(100 * change):+d}%" if round(100 * change) else "0%"


# Many games


def _review_all(stream: BinaryIO, where: str, spec: str, supplies: int, keep: str | None, *, as_json: bool) -> None:
    from speicher_agents.review import FORMAT, summary  # loaded here, so that no other command waits for it
    from speicher_agents.review import as_json as plain

    judge = _judge(spec)
    reviews: list[dict[str, Any]] = []
    settings = {"format": FORMAT, "judge": spec, "supplies": supplies}
    opened = nullcontext(KeptReviews()) if keep is None else KeptReviews.opened(Path(keep), settings)
    with interruptible() as interrupted, opened as kept, progress_bar(beside_output=True) as bar:
        task = bar.add_task("games reviewed", total=None)
        for place, line in numbered_lines(stream, where):
            record = parse_line(line, place)
            review = kept.get(record)
            if review is None:
                review = plain(_reviewed(record, place, judge, supplies))
                kept.add(record, review)
            reviews.append(review)
            bar.advance(task)
            if interrupted():
                break
        stopped = interrupted()
    if not reviews:
        raise CommandError(no_such_game(where, None))
    result = summary(reviews)
    if as_json:
        print(json.dumps({"judge": spec, "supplies": supplies, **result}, indent=1))
    else:
        _print_summary(result, spec)
    if stopped:
        raise typer.Exit(INTERRUPTED)


def _print_summary(result: dict[str, Any], spec: str) -> None:
    """Two tables: how players fared, and where they gave win share away."""
    from speicher_agents.review import GRADES
    from speicher_agents.review.summary import PHASES

    players = result["players"]
    print_text(f"{counted(result['games'], 'game')}, judged by {spec}; per game, \u00b1 standard error\n")
    fared = [("", "seats", "win share", "luck", "given away", *(plural(grade) for grade in GRADES))]
    lost = [("given away", *PHASES.values(), *players[0]["lost_by_season"])]
    for player in players:
        means = (_mean(player["share"], "{:.0f}"), _mean(player["luck"], "{:+.0f}"), _mean(player["lost"], "{:.0f}"))
        counts = (f"{count:.1f}" for count in player["grades"].values())
        fared.append((player["name"], str(player["seats"]), *means, *counts))
        parts = (*player["lost_by_phase"].values(), *player["lost_by_season"].values())
        lost.append((player["name"], *(f"{100 * part:.1f}%" for part in parts)))
    print_columns(fared)
    print()
    print_columns(lost)


def _mean(numbers: dict[str, float], form: str) -> str:
    return f"{form.format(100 * numbers['mean'])}% \u00b1 {100 * numbers['error']:.0f}"
