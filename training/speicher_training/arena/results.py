"""`Results`: what an arena found, to print, to keep and to plot."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult

from speicher_training.arena.analysis import order_of
from speicher_training.arena.errors import ArenaError
from speicher_training.arena.plan import FORMAT, Plan
from speicher_training.arena.report import tables
from speicher_training.arena.store import DEALS, read_json
from speicher_training.arena.tally import Games
from speicher_training.files import write_file
from speicher_training.provenance import platform_name, versions

RESULTS, PLAYERS, PAIRS, GAMES = "results.json", "players.csv", "pairs.csv", "games.csv"


@dataclass(frozen=True)
class Results:
    """The results of a run.

    Attributes:
        summary: All numbers as plain values; what `results.json` holds.
        plan: What was played.
        games: Every game, deal by deal.
        complete: Whether all that was asked for has been played.
    """

    summary: dict[str, Any]
    plan: Plan
    games: Games
    complete: bool = True

    def player(self, name: str) -> dict[str, Any]:
        """The numbers of a player."""
        for told in self.summary["players"]:
            if told["name"] == name:
                found: dict[str, Any] = told
                return found
        raise ArenaError(f"player {name}: it is not among {', '.join(self.plan.names)}")

    def pair(self, first: str, second: str) -> dict[str, Any]:
        """The numbers of a pair, as the first one sees them."""
        for told in self.summary["pairs"]:
            if (told["first"], told["second"]) == (first, second):
                return dict(told)
            if (told["first"], told["second"]) == (second, first):
                return {**told, "first": first, "second": second, "ahead": _turned(told["ahead"], 1.0),
                        "lead": _turned(told["lead"], 0.0)}  # fmt: skip
        raise ArenaError(f"{first} and {second}: they must be two of {', '.join(self.plan.names)}")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The tables, for rich."""
        yield from tables(self.summary)

    def __str__(self) -> str:
        """The tables as text."""
        return table_text(self.summary)

    def save(self, folder: str | Path, plots: bool = True) -> None:
        """Write `results.json`, the CSV files and the plots, each whole or not at all."""
        place = Path(folder)
        try:
            place.mkdir(parents=True, exist_ok=True)
            write_file(place / RESULTS, json.dumps(self.summary, indent=1) + "\n")
            write_file(place / PLAYERS, self._players_csv())
            write_file(place / PAIRS, self._pairs_csv())
            write_file(place / GAMES, self._games_csv())
            if plots:
                from speicher_training.arena.plots import save_plots  # matplotlib takes half a second to import

                save_plots(self, place)
        except OSError as error:
            raise ArenaError(f"{place}: the results cannot be written ({error.strerror})") from None

    def _players_csv(self) -> str:
        keys = ("rating", "win_share", "points", "margin")
        header = ["player", *(f"{key}{end}" for key in keys for end in ("", "_low", "_high")), "games", "forfeits"]
        rows = [
            [told["name"], *(told[key][end] for key in keys for end in ("estimate", "low", "high")),
             told["games"], told["forfeits"]]
            for told in (self.summary["players"][number] for number in order_of(self.summary["players"]))
        ]  # fmt: skip
        return _csv(header, rows)

    def _pairs_csv(self) -> str:
        header = ["first", "second", "ahead", "ahead_low", "ahead_high", "lead", "lead_low", "lead_high", "p", "p_holm"]
        rows = [
            [told["first"], told["second"], *(told[key][end] for key in ("ahead", "lead")
             for end in ("estimate", "low", "high")), told["p"], told["p_holm"]]
            for told in self.summary["pairs"]
        ]  # fmt: skip
        return _csv(header, rows)

    def _games_csv(self) -> str:
        """One row for each seat of each game."""
        games, names = self.games, self.plan.names
        lost = {(told["deal"], told["game"], told["seat"]): told["why"] for told in games.forfeits}
        header = ["deal", "seed", "game", "seat", "first_player", "player", "points", "coins", "win_share", "forfeit"]
        seatings = [[names[player] for player in seating] for seating in games.schedule.seatings]
        rows = []
        whole = zip(
            games.seeds.tolist(), games.first_player.tolist(), games.points.tolist(), games.coins.tolist(),
            games.shares.tolist(), strict=True,
        )  # fmt: skip
        for deal, (seed, first, points, coins, shares) in enumerate(whole):
            for game, seating in enumerate(seatings):
                for seat, name in enumerate(seating):
                    why = lost.get((deal, game, seat), "")
                    told = (points[game][seat], coins[game][seat], round(shares[game][seat], 6), why)
                    rows.append((deal, seed, game, seat, first, name, *told))
        return _csv(header, rows)


def load_results(path: str | Path) -> dict[str, Any]:
    """The summary in a `results.json`, or in the folder of a run."""
    file = Path(path)
    if file.is_dir():
        file = file / RESULTS
    summary = read_json(file, "the results.json of an arena")
    if summary.get("format") != FORMAT:
        raise ArenaError(f'{file}: its format is {json.dumps(summary.get("format"))}, must be "{FORMAT}"')
    return summary


def summary_of(
    plan: Plan, numbers: dict[str, Any], sequential: dict[str, Any] | None, times: dict[str, Any], complete: bool
) -> dict[str, Any]:
    """All that a run has to say, with everything that is needed to play each game again."""
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
