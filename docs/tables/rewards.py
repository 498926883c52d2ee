"""Tables of what each reward scheme pays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from docs.tables.markdown import PLAYER_COUNTS, table
from speicher_env import standard_deck
from speicher_env.rewards import SCHEMES, write_rewards
from speicher_env.rules.setup import template
from speicher_env.rules.state import MAX_PLAYERS, STANDARD_DECK


def _paid(scheme: str, points: Sequence[int]) -> list[float]:
    """Rewards of a game that ends with these points and no coins."""
    state = template(len(points), STANDARD_DECK, standard_deck().values())
    state["fire_points"][0, : len(points)] = points
    paid = np.zeros(len(points))
    write_rewards(state[0], SCHEMES.index(scheme), paid)
    return paid.tolist()


def _number(reward: float) -> str:
    return f"{round(reward, 3):+g}".replace("-", "−") if round(reward, 3) else "0"


def outcome() -> str:
    """What `outcome` pays for each number of players."""
    rows = []
    for count in PLAYER_COUNTS:
        alone = _paid("outcome", [1] + [0] * (count - 1))
        shared = _paid("outcome", [1, 1] + [0] * (count - 2))
        rest = _number(shared[-1]) if count > 2 else ""
        rows.append((count, _number(alone[0]), _number(alone[-1]), _number(shared[0]), rest))
    header = ("players", "sole winner", "each other", "two winners, each", "each other")
    return table(header, rows, "r" * len(header))


def rank() -> str:
    """What `rank` pays for each number of players."""
    rows = []
    for count in PLAYER_COUNTS:
        paid = [_number(reward) for reward in _paid("rank", range(count, 0, -1))]
        rows.append((count, *paid, *[""] * (MAX_PLAYERS - count)))
    return table(("players", "1st", "2nd", "3rd", "4th", "5th"), rows, "r" * (MAX_PLAYERS + 1))


def margin() -> str:
    """What `margin` pays for so many points ahead."""
    steps = (-45, -30, -15, -3, 0, 3, 15, 30, 45)
    paid = [_number(_paid("margin", [step, 0])[0]) for step in steps]
    return table(("points ahead", *map(_number, steps)), [("reward", *paid)], "l" + "r" * len(steps))


TABLES = {
    "outcome": outcome,
    "rank": rank,
    "margin": margin,
}
