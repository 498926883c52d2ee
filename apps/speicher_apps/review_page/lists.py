"""The lists and tables of the page, as HTML: seats, turning points, mistakes, luck, and where win share was lost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from html import escape

from speicher_agents.review import GRADES, Decision, Reveal, Review
from speicher_agents.review.grades import SIGNS
from speicher_agents.review.summary import PHASES
from speicher_apps.review_page import percent
from speicher_apps.review_page.balance import balance, range_of
from speicher_apps.review_page.content import supply_in_words
from speicher_apps.review_page.graph import step_of
from speicher_env.game import Game
from speicher_env.messages import listed
from speicher_env.render.drawing import icons
from speicher_env.render.drawing.palette import paint
from speicher_env.render.sentences import result, sentence
from speicher_env.render.words import counted, move_in_words, seat_name
from speicher_env.rules.cards import SEASON_NAMES

__all__ = ["losses", "luck", "mistakes", "seats", "turning_points", "verdict"]

LITTLE_LUCK = 0.02
"""Reveals that changed less for every seat are left out."""


def verdict(review: Review, last: Game) -> str:
    """The game in two sentences."""
    if not review.finished:
        leader = max(range(review.players), key=lambda seat: review.end[seat])
        share = percent.share(review.end[leader])
        return f"The game is not over: {seat_name(leader)} is ahead with {share} of the win."
    words = sentence(result(last.state))
    winners = last.winners()
    if len(winners) == 1:
        of_winner = review.balances[winners[0]]
        gave = "gave" if of_winner.luck >= 0 else "cost"
        words += (
            f" Luck {gave} it {percent.share(abs(of_winner.luck))} of the win. It gave away "
            f"{percent.share(-of_winner.own)} by its own moves and was given {percent.share(of_winner.others)} by "
            "those of the others."
        )
    return escape(words)


def seats(review: Review) -> str:
    """A card for each seat: its name, its points, its balance, and its mistakes."""
    scale = range_of(review.balances)
    cards = ""
    for seat, of_seat in enumerate(review.balances):
        name = f"<b>{escape(review.names[seat])}</b>" if review.names else ""
        grades = [decision.grade for decision in review.decisions if decision.seat == seat]
        counts = listed([counted(grades.count(grade), grade) for grade in GRADES])
        cards += (
            f'<article class="seat"><h2>{_token(seat, 24)}<span>Seat {seat} {name}</span>'
            f'<span class="points">{counted(review.points[seat], "point")}</span></h2>'
            f'{balance(of_seat, seat, scale)}<p class="muted">{counts}</p></article>'
        )
    return cards


def turning_points(review: Review, games: Sequence[Game]) -> str:
    """The numbered list of what changed most."""
    rows = ""
    for number, event in enumerate(review.turning_points, start=1):
        words = _in_words(event, games)
        rows += f'<li>{_button(event, f"""<span class="number">{number}</span>{words}{_changes(event.change)}""")}</li>'
    return rows or "<li>Nothing changed the game by 10 % of the win at once.</li>"


def mistakes(review: Review, games: Sequence[Game]) -> str:
    """The moves that are at least inaccuracies, in the order of the game."""
    rows = ""
    for decision in review.decisions:
        if decision.grade is None:
            continue
        better = ""
        if decision.better is not None:
            words = move_in_words(games[decision.move - 1].state, decision.better)
            better = f'<span class="better">Better: {escape(words.partition(" ")[2].partition(" ")[2])}</span>'
        inside = f"{_badge(decision)}{_in_words(decision, games)}{better}"
        rows += f'<li data-seat="{decision.seat}" data-grade="{decision.grade}">{_button(decision, inside)}</li>'
    return rows or "<li>No move gave away 5 % of the win.</li>"


def luck(review: Review, games: Sequence[Game]) -> str:
    """The reveals that changed something, with the luck of each seat."""
    rows = ""
    for reveal in review.reveals:
        if max(map(abs, reveal.change)) >= LITTLE_LUCK:
            rows += f"<li>{_button(reveal, _in_words(reveal, games) + _changes(reveal.change))}</li>"
    return rows or "<li>No reveal changed more than 2 % of the win.</li>"


def losses(review: Review) -> str:
    """Where each seat gave away win share: by what it did, and by season."""
    lost: dict[tuple[int, str], float] = defaultdict(float)
    for decision in review.decisions:
        lost[decision.seat, decision.phase] += decision.loss
        lost[decision.seat, decision.season] += decision.loss
    seasons = [season for season in SEASON_NAMES if any(decision.season == season for decision in review.decisions)]
    columns = {**PHASES, **{season: season for season in seasons}}
    header = "".join(f'<th scope="col">{name}</th>' for name in columns.values())
    rows = "".join(
        f'<tr><th scope="row">{_token(seat, 20)} seat {seat}</th>'
        + "".join(f"<td>{percent.share(lost[seat, column])}</td>" for column in columns)
        + "</tr>"
        for seat in range(review.players)
    )
    return f"<thead><tr><td></td>{header}</tr></thead><tbody>{rows}</tbody>"


def _button(event: Decision | Reveal, inside: str) -> str:
    return f'<button type="button" class="goes" data-step="{step_of(event)}">{inside}</button>'


def _in_words(event: Decision | Reveal, games: Sequence[Game]) -> str:
    """Where in the game, who, and what."""
    if isinstance(event, Decision):
        words = move_in_words(games[event.move - 1].state, event.played).removeprefix(f"{seat_name(event.seat)} ")
        return (
            f'<span class="where">Round {event.round}, move {event.move}</span>'
            f"<span>{_token(event.seat, 20)} {escape(words)}</span>"
        )
    where = f"Round {event.round}" if event.after_move else "The deal"
    words = supply_in_words(event, games[event.after_move])
    return f'<span class="where">{where}, new cards</span><span>{escape(words)}</span>'


def _badge(decision: Decision) -> str:
    assert decision.grade is not None
    return (
        f'<span class="badge {decision.grade}">{SIGNS[decision.grade]} {decision.grade} '
        f"{percent.loss(decision.loss)}</span>"
    )


def _changes(change: Sequence[float]) -> str:
    """What every seat gained or lost."""
    parts = "".join(
        f'<span class="{_direction(value)}">{_token(seat, 18)} {percent.change(value)}</span>'
        for seat, value in enumerate(change)
    )
    return f'<span class="changes">{parts}</span>'


def _direction(value: float) -> str:
    """The class of a change, as it is rounded."""
    whole = round(100 * value)
    return "gain" if whole > 0 else "loss" if whole < 0 else "level"


def _token(seat: int, size: int) -> str:
    drawing = paint(icons.token(seat), "page")
    sized = f'viewBox="0 0 24 24" width="{size}" height="{size}"'
    return f'<svg class="token" {sized} role="img" aria-label="seat {seat}">{drawing}</svg>'
