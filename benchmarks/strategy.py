"""`python -m benchmarks.strategy`: what wins, from many games of `merchant` against itself.

Every deal is played once, by the same player in all seats, so that what differs between the seats is what they bought,
where they sat and how the fires went. `make pages` updates the page.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.results import folder_of, simple_options, write
from speicher_agents._jit import jit
from speicher_agents.scripted.ladder import MERCHANT, choose
from speicher_apps.meter.report import header
from speicher_env.deal import template_for
from speicher_env.rewards import rank_of
from speicher_env.rules.actions import BUY
from speicher_env.rules.cards import CARD_IDS, FIRE_1, N_CARDS
from speicher_env.rules.scoring import N_SOURCES, SOURCES, points_by_source
from speicher_env.rules.state import OVER, PURCHASE, REMOVED, blank_states
from speicher_env.rules.stream import PLAY_STREAM, start_stream
from speicher_env.rules.turn import apply, deal
from speicher_training.arena.seeds import first_seed
from speicher_training.intervals import interval_around, mean_interval

PLAYERS = (2, 3, 4, 5)
GAMES, QUICK_GAMES = 20_000, 1_000

COLUMNS = {"buyer": -1, "price": -1, "round": -1}
"""What is noted of each card, and its value where nobody bought it."""


@jit
def play(
    states: np.ndarray,
    template: np.ndarray,
    seeds: np.ndarray,
    bought: np.ndarray,
    points: np.ndarray,
    ranks: np.ndarray,
    began: np.ndarray,
) -> None:
    """Play a game from each seed and note who bought what at which price in which round, and how it ended."""
    stream = np.empty(4, dtype=np.int64)
    for index in range(seeds.size):
        deal(states, index, template, 0, seeds[index], -1)
        stream[0], stream[1], stream[2], stream[3] = start_stream(seeds[index], PLAY_STREAM)
        game = states[index]
        began[index] = game["first_player"]
        while game["phase"] != OVER:
            action = choose(game, MERCHANT, stream)
            if game["phase"] == PURCHASE and action == BUY:
                card = game["card"][game["offer"]]
                bought[index, card, 0] = game["player"]
                bought[index, card, 1] = game["standing"][game["offer"]]
                bought[index, card, 2] = game["round"]
            apply(game, action)
        for seat in range(game["players"]):
            points_by_source(game, seat, points[index, seat])
            ranks[index, seat] = rank_of(game, seat)


def study(players: int, games: int) -> dict[str, Any]:
    """What many games of one player count show."""
    template, _ = template_for(players, "standard")
    states = blank_states(games)
    bought = np.full((games, N_CARDS, len(COLUMNS)), -1, dtype=np.int8)
    points = np.zeros((games, players, N_SOURCES), dtype=np.int16)
    ranks = np.zeros((games, players), dtype=np.int8)
    began = np.zeros(games, dtype=np.int8)
    start = first_seed("development", games)
    play(states, template, np.arange(start, start + games), bought, points, ranks, began)
    won = np.where(ranks == 1, 1.0, 0.0)
    share = won / won.sum(axis=1, keepdims=True)
    total = points.sum(axis=2)
    return {
        "first_seed": start,
        "games": games,
        "mean_points": float(total.mean()),
        "sources": sources(points, share),
        "cards": cards(bought, total, share, states["owner"]),
        "seats": seats(share, began),
        "fires": fires(points, states, share),
        "prices": prices(bought),
    }


def sources(points: np.ndarray, share: np.ndarray) -> list[dict[str, Any]]:
    """Mean points by source of those that win and of the others."""
    winners, others = share, 1 - share
    return [
        {
            "source": name,
            "winners": float((points[..., number] * winners).sum() / winners.sum()),
            "others": float((points[..., number] * others).sum() / others.sum()),
        }
        for number, name in enumerate(SOURCES)
    ]


def cards(bought: np.ndarray, total: np.ndarray, share: np.ndarray, owner: np.ndarray) -> list[dict[str, Any]]:
    """For each card how often it is bought and for how much, and what having it goes with.

    `worth` is by least squares over all cards at once: what owning it adds to a seat's lead over the mean of the
    others, other cards being equal, and with it what its price costs later. Errors allow for the seats of a game going
    together.
    """
    players = total.shape[1]
    trade = [card for card in range(N_CARDS) if card < FIRE_1]
    owned = (bought[:, None, trade, 0] == np.arange(players)[None, :, None]).astype(float)
    lead = total - (total.sum(axis=1, keepdims=True) - total) / (players - 1)
    ahead = owned - (owned.sum(axis=1, keepdims=True) - owned) / (players - 1)
    worth, error = least_squares(ahead, lead.astype(float))
    par = 1 / players
    told = []
    for place, card in enumerate(trade):
        has = owned[..., place].any(axis=1)
        there = owner[:, card] != REMOVED
        buyer = bought[has, card, 0]
        with_card = share[np.flatnonzero(has), buyer] - par
        told.append(
            {
                "card": CARD_IDS[card],
                "sold": float(has.sum() / max(there.sum(), 1)),
                "price": float(bought[has, card, 1].mean()) if has.any() else None,
                "win_share": mean_interval(par + with_card) if has.any() else None,
                "worth": interval_around(float(worth[place]), float(error[place])),
            }
        )
    return told


def least_squares(ahead: np.ndarray, lead: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients of (games, seats, cards) on (games, seats), and their errors with games as clusters."""
    games, players, size = ahead.shape
    rows, aims = ahead.reshape(-1, size), lead.reshape(-1)
    inverse = np.linalg.pinv(rows.T @ rows)
    found = inverse @ (rows.T @ aims)
    left = (aims - rows @ found).reshape(games, players)
    scores = np.einsum("gsc,gs->gc", ahead, left)
    spread = inverse @ (scores.T @ scores) @ inverse
    return found, np.sqrt(np.maximum(np.diag(spread), 0.0))


def seats(share: np.ndarray, began: np.ndarray) -> list[dict[str, float]]:
    """The win share of each place in the first round, 0 for the seat that begins."""
    players = share.shape[1]
    by_place = np.take_along_axis(share, (began[:, None] + np.arange(players)) % players, axis=1)
    return [mean_interval(by_place[:, place]) for place in range(players)]


def fires(points: np.ndarray, states: np.ndarray, share: np.ndarray) -> dict[str, Any]:
    """How much the fires decide."""
    players = share.shape[1]
    fire = points[..., SOURCES.index("fire")].astype(float)
    total = points.sum(axis=2)
    without = total - fire
    kept = (share * (without == without.max(axis=1, keepdims=True))).sum(axis=1)
    strength = states["firemen"][:, :players]
    order = np.argsort(-strength, axis=1, kind="stable")
    ranked = np.take_along_axis(share, order, axis=1)
    return {
        "spread": float((fire.max(axis=1) - fire.min(axis=1)).mean()),
        "margin": float(np.diff(np.sort(total, axis=1)[:, -2:], axis=1).mean()),
        "decided": mean_interval(1 - kept),
        "most_firemen": mean_interval(ranked[:, 0]),
        "fewest_firemen": mean_interval(ranked[:, -1]),
    }


def prices(bought: np.ndarray) -> list[dict[str, Any]]:
    """Mean price of a card, and cards sold for nothing, by round."""
    price, rounds = bought[..., 1], bought[..., 2]
    told = []
    for number in range(1, int(rounds.max()) + 1):
        here = price[rounds == number]
        if here.size:
            told.append({"round": number, "price": float(here.mean()), "sold": float(here.size / len(price))})
    return told


def main() -> None:
    """Play, study, keep."""
    options = simple_options("benchmarks.strategy", __doc__)
    games = QUICK_GAMES if options.quick else GAMES
    result = header("python -m benchmarks.strategy") | {"player": "merchant"}
    result["players"] = {str(players): study(players, games) for players in PLAYERS}
    write("strategy", result, folder_of(options))


if __name__ == "__main__":
    main()
