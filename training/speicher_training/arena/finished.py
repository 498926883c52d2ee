"""The games of a run, read from its folder; the players are not needed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from speicher_env.messages import must_be
from speicher_env.reading import path_shown, read_json
from speicher_training.arena.errors import ArenaError
from speicher_training.arena.plan import FORMAT
from speicher_training.arena.schedule import schedule, schedule_alone
from speicher_training.arena.store import DEALS, MOST_LINES_BYTES, MOST_RUN_BYTES, RUN
from speicher_training.arena.tally import Games, games_of
from speicher_training.files import JsonLines, digest_of

__all__ = ["Finished", "read_run"]

MOST_NAMES = 1000
MOST_POINTS = 10**6


@dataclass(frozen=True)
class Finished:
    """What a run has played."""

    names: tuple[str, ...]
    num_players: int
    first_seed: int
    games: Games


def read_run(folder: str | Path) -> Finished:
    """The finished deals in the folder of an arena, finished or still running.

    Raises:
        ArenaError: If the folder holds no run, or one without a finished deal.
        FileError: If a file is damaged or was edited.
    """
    place = Path(folder)
    run = read_json(place / RUN, MOST_RUN_BYTES, "the run.json of an arena", ArenaError)
    if run.get("format") != FORMAT:
        raise ArenaError(must_be("format", run.get("format"), f'"{FORMAT}"', path_shown(place / RUN)))
    lines = JsonLines(place / DEALS, digest_of(json.dumps(run, sort_keys=True).encode())).read(MOST_LINES_BYTES)
    try:
        found = _finished(run, lines)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ArenaError(f"{path_shown(place)}: is not the folder of an arena, or its files do not fit.") from error
    if not found.games.deals:
        raise ArenaError(f"{path_shown(place)}: no deal is finished; run the arena again to resume it.")
    return found


def _finished(run: dict[str, Any], lines: list[dict[str, Any]]) -> Finished:
    names = tuple(str(player["name"]) for player in run["players"])
    num_players, first_seed = int(run["num_players"]), int(run["first_seed"])
    if not (2 <= num_players <= 5 and 0 < len(names) <= MOST_NAMES and 0 <= first_seed < 2**64):
        raise ValueError
    make = schedule_alone if run.get("alone") else schedule
    games = games_of(lines, make(len(names), num_players, bool(run["mirrors"])))
    ranks, first = games.ranks, games.first_player
    if (ranks.size and not ((ranks >= 1) & (ranks <= num_players)).all()) or not (ranks == 1).any(axis=2).all():
        raise ValueError
    if not ((first >= 0) & (first < num_players)).all() or np.abs(games.points).max(initial=0) > MOST_POINTS:
        raise ValueError
    return Finished(names, num_players, first_seed, games)
