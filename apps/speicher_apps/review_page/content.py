"""What the page says of each position: the judgement of the move, the better one, and what a reveal changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from speicher_agents.review import Decision, Reveal, Review, as_json
from speicher_apps.replay_page.story import story
from speicher_apps.review_page.settings import shown_settings, tokens
from speicher_env import replay
from speicher_env.game import Game
from speicher_env.render.sentences import result, sentence
from speicher_env.render.words import column_in_words, move_in_words
from speicher_env.rules.cards import CARD_NUMBER, FIRE_1, N_CARDS
from speicher_env.rules.state import EMPTY

__all__ = ["content"]


def content(record: Mapping[str, Any], review: Review) -> dict[str, Any]:
    """The page's data: that of the replay page, with the review beside each position.

    Raises:
        RecordError: If the record cannot be played, or its `think` is wrong.
    """
    shown = story(record)
    moves = shown["steps"]
    games = [game.copy() for game, _ in replay(record)]
    for decision in review.decisions:
        moves[decision.move - 1]["judged"] = _judged(decision, games[decision.move - 1])
    for reveal in review.reveals:
        moves[reveal.after_move]["reveal"] = _reveal(reveal, games[reveal.after_move])
    moves[-1]["shares"] = review.end
    return {
        **shown,
        "heading": f"{shown['title']}, reviewed by {review.judge}",
        "review": as_json(review),
        "result": sentence(result(games[-1].state)) if review.finished else "",
        "tokens": tokens(),
        "settings": shown_settings(),
    }


def _judged(decision: Decision, game: Game) -> dict[str, Any]:
    judged: dict[str, Any] = {
        "grade": decision.grade,
        "loss": decision.loss,
        "before": decision.before,
        "after": decision.after,
        "exact": decision.exact,
        "lead": decision.lead_lost or 0,
    }
    if decision.better is not None:
        judged["better"] = decision.better
        judged["line"] = _line(decision, game)
    return judged


def _line(decision: Decision, game: Game) -> list[str]:
    """The better line in words, as far as it can be played."""
    words, twin = [], game.copy()
    for action in decision.line:
        if twin.over or action not in twin.legal() or twin.round != game.round:
            break
        words.append(sentence(move_in_words(twin.state, action)))
        twin.play(action)
    return words


def _reveal(reveal: Reveal, game: Game) -> dict[str, Any]:
    return {"cards": _supply_in_words(reveal, game), "before": reveal.before, "luck": reveal.change}


def _supply_in_words(reveal: Reveal, game: Game) -> str:
    """What a reveal brought: a fire first, then the cards on the table."""
    state = game.state
    cards = [CARD_NUMBER[name] for name in reveal.supply if name in CARD_NUMBER]
    fires = [f"a fire of value {state['fire_value'][card - FIRE_1]}" for card in cards if FIRE_1 <= card < N_CARDS]
    columns = [column for column in range(game.num_players + 1) if state["card"][column] != EMPTY]
    return sentence(", ".join([*fires, *(column_in_words(state, column) for column in columns)]))
