"""`Results`: the results of an arena, to print, to keep and to plot."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult

from speicher_env.messages import must_be, one_of
from speicher_env.reading import path_shown, read_json
from speicher_training.arena.analysis import order_of
from speicher_training.arena.errors import ArenaError
from speicher_training.arena.plan import FORMAT, Plan
from speicher_training.arena.report import tables
from speicher_training.arena.store import DEALS, Usage
from speicher_training.arena.tally import Games
from speicher_training.files import digest_of, make_folder, write_files
from speicher_training.provenance import platform_name, versions

__all__ = ["Results", "load_results", "summary_of"]

RESULTS, PLAYERS, PAIRS, GAMES = "results.json", "players.csv", "pairs.csv", "games.csv"
DIGEST = "sha256"
MOST_BYTES = 1 << 26
"""Size of a `results.json`."""


@dataclass(frozen=True)
class Results:
    """The results of a run.

    Attributes:
        summary: All numbers as plain values, as `results.json` holds them.
        plan: What was played.
        games: Every game, deal by deal.
        complete: Whether everything that was asked for has been played.
    """

    summary: dict[str, Any]
    plan: Plan
    games: Games
    complete: bool = True

    def player(self, name: str) -> dict[str, Any]:
        """The numbers of a player."""
        for player in self.summary["players"]:
            if player["name"] == name:
                numbers: dict[str, Any] = player
                return numbers
        raise ArenaError(must_be("player", name, one_of(name, self.plan.names)))

    def pair(self, first: str, second: str) -> dict[str, Any]:
        """The numbers of a pair, as the first one sees them."""
        for pair in self.summary["pairs"]:
            if (pair["first"], pair["second"]) == (first, second):
                return dict(pair)
            if (pair["first"], pair["second"]) == (second, first):
                return {**pair, "first": first, "second": second, "ahead": _turned(pair["ahead"], 1.0),
                        "lead": _turned(pair["lead"], 0.0)}  # fmt: skip
        raise ArenaError(f"{first} and {second}: must be two of {', '.join(self.plan.names)}.")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The tables, for rich."""
        yield from tables(self.summary)

    def __str__(self) -> str:
        """The tables as text."""
        return table_text(self.summary)

    def save(self, folder: str | Path, plots: bool = True) -> None:
        """Write `results.json`, the CSV files and the plots, each whole or not at all."""
        place = Path(folder)
        make_folder(place)
        write_files(
            {
                place / PLAYERS: self._players_csv(),
                place / PAIRS: self._pairs_csv(),
                place / GAMES: self._games_csv(),
                place / RESULTS: json.dumps(with_digest(self.summary), indent=1) + "\n",
            }
        )
        if plots:
            from speicher_training.arena.plots import save_plots  # matplotlib takes half a second to import

            save_plots(self, place)

    def _players_csv(self) -> str:
        keys = ("rating", "win_share", "points", "margin")
        header = ["player", *(f"{key}{end}" for key in keys for end in ("", "_low", "_high")), "games", "forfeits"]
        rows = [
            [player["name"], *(player[key][end] for key in keys for end in ("estimate", "low", "high")),
             player["games"], player["forfeits"]]
            for player in (self.summary["players"][number] for number in order_of(self.summary["players"]))
        ]  # fmt: skip
        return _csv(header, rows)

    def _pairs_csv(self) -> str:
        header = ["first", "second", "ahead", "ahead_low", "ahead_high", "lead", "lead_low", "lead_high", "p", "p_holm"]
        rows = [
            [pair["first"], pair["second"], *(pair[key][end] for key in ("ahead", "lead")
             for end in ("estimate", "low", "high")), pair["p"], pair["p_holm"]]
            for pair in self.summary["pairs"]
        ]  # fmt: skip
        return _csv(header, rows)

    def _games_csv(self) -> str:
        """One row for each seat of each game."""
        games, names = self.games, self.plan.names
        forfeits = {(each["deal"], each["game"], each["seat"]): each["why"] for each in games.forfeits}
        header = ["deal", "seed", "game", "seat", "first_player", "player", "points", "coins", "win_share", "forfeit"]
        seatings = [[names[player] for player in seating] for seating in games.schedule.seatings]
        rows = []
        per_deal = zip(
            games.seeds.tolist(), games.first_player.tolist(), games.points.tolist(), games.coins.tolist(),
            games.shares.tolist(), strict=True,
        )  # fmt: skip
        for deal, (seed, first, points, coins, shares) in enumerate(per_deal):
            for game, seating in enumerate(seatings):
                for seat, name in enumerate(seating):
                    why = forfeits.get((deal, game, seat), "")
                    numbers = (points[game][seat], coins[game][seat], round(shares[game][seat], 6), why)
                    rows.append((deal, seed, game, seat, first, name, *numbers))
        return _csv(header, rows)


def load_results(path: str | Path) -> dict[str, Any]:
    """The summary in a `results.json` or in the folder of a run, refused if it was edited."""
    file = Path(path)
    if file.is_dir():
        file = file / RESULTS
    summary = read_json(file, MOST_BYTES, "the results.json of an arena", ArenaError)
    if summary.get("format") != FORMAT:
        raise ArenaError(must_be("format", summary.get("format"), f'"{FORMAT}"', path_shown(file)))
    digest = summary.pop(DIGEST, None)
    if digest != with_digest(summary)[DIGEST]:
        raise ArenaError(f"{path_shown(file)}: the results are damaged or were edited (their digest differs).")
    return summary


def with_digest(summary: dict[str, Any]) -> dict[str, Any]:
    """A summary with its own digest, as `results.json` holds it and `load_results` checks it."""
    return {**summary, DIGEST: digest_of(json.dumps(summary, sort_keys=True).encode())}


def summary_of(
    plan: Plan,
    numbers: dict[str, Any],
    sequential: dict[str, Any] | None,
    times: dict[str, Any],
    usage: Usage,
    complete: bool,
) -> dict[str, Any]:
    """All numbers of a run, with everything that is needed to play each game again."""
    schedule = plan.schedule
    return {
        **plan.identity(),
        "complete": complete,
        "seeds": f"deal k is dealt from seed {plan.first_seed} + k",
        "seatings": [[plan.names[player] for player in seating] for seating in schedule.seatings],
        "games_in": DEALS,
        **numbers,
        "sequential": sequential,
        "software": {**versions(("numpy", "numba")), "machine": platform_name()},
        "decision_times": times,
        **({"usage": usage} if usage else {}),
    }


def table_text(summary: dict[str, Any], width: int = 110) -> str:
    """The tables of a summary as text."""
    console = Console(force_jupyter=False, file=io.StringIO(), width=width, color_system=None)
    console.print(*tables(summary), sep="\n")
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines())


def _turned(numbers: dict[str, float], whole: float) -> dict[str, float]:
    return {"estimate": whole - numbers["estimate"], "low": whole - numbers["high"], "high": whole - numbers["low"]}


def _csv(header: list[str], rows: list[Any]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue()
