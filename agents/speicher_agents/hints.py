"""Hints for a person: what another player would do."""

from __future__ import annotations

from collections.abc import Mapping

from speicher_agents.agent import Agent, legal_choice
from speicher_env import ArgumentError
from speicher_env.messages import listed, must_be
from speicher_env.render.words import move_in_words, seat_name
from speicher_env.rules.actions import ACTION_TEXTS
from speicher_env.thoughts import Thought
from speicher_env.views import Views

__all__ = ["HintGivers", "hint_lines", "likeliest"]

BAR_WIDTH = 20
"""Characters of the bar of a move with probability 1."""
SHOWN_MOVES = 8
"""Moves that a hint shows, the likeliest."""


class HintGivers:
    """The players that give hints, each made at its first hint."""

    def __init__(self) -> None:
        self._agents: dict[str, Agent] = {}

    def hint(self, spec: str, views: Views) -> list[str]:
        """The lines of a player's hint for one decision.

        Raises:
            ArgumentError: If the spec names no player that gives hints, or the player fails.
        """
        agent = self._agent(spec)
        actions, thoughts = agent.act_and_think(views)
        action = legal_choice(actions, views.masks[0], agent.name)
        return hint_lines(spec, views, action, thoughts[0])

    def _agent(self, spec: str) -> Agent:
        if spec.partition(":")[0].strip() == "human":
            raise ArgumentError(must_be("hint", spec, "a player that decides by itself, such as merchant"))
        from speicher_agents.specs import load_agent  # that module imports the human player, which imports this one

        if spec not in self._agents:
            self._agents[spec] = load_agent(spec)
        return self._agents[spec]


def hint_lines(spec: str, views: Views, action: int, thought: Thought | None) -> list[str]:
    """The lines of a hint: the move in words, then probabilities, values and line of play, if the player has them."""
    state = views.states[0]
    you = int(views.seats[0])
    move = move_in_words(state, action).removeprefix(f"{seat_name(you)} ")
    lines = [f"{spec} plays {ACTION_TEXTS[action]!r}: it {move}"]
    if thought is None:
        return lines
    if thought.probabilities:
        lines += _bars(thought.probabilities)
    if thought.values is not None:
        values = [f"{seat_name(seat, you)} {value:+z.2f}" for seat, value in enumerate(thought.values)]
        lines.append(f"  expects {listed(values)} (+1 is a win)")
    if thought.line and len(thought.line) > 1:
        lines.append(f"  line: {', '.join(thought.line)}")
    return lines


def likeliest(probabilities: Mapping[str, float]) -> list[str]:
    """The moves that a hint shows, the likeliest first."""
    return sorted(probabilities, key=lambda text: -probabilities[text])[:SHOWN_MOVES]


def _bars(probabilities: Mapping[str, float]) -> list[str]:
    order = likeliest(probabilities)
    width = max(map(len, order))
    return [
        f"  {text:{width}} {probabilities[text]:4.0%} {'█' * round(BAR_WIDTH * probabilities[text])}".rstrip()
        for text in order
    ]
