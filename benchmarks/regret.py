"""`python -m benchmarks.regret`: what players give away in the last round, compared with exact play.

All players are asked for their choice in the same solved positions, those of games of one player against itself. With
two players each is asked in games of its own as well.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.results import folder_of, simple_options, write
from speicher_apps.meter.report import header
from speicher_training.machine import on_one_core
from speicher_training.regret import SEED, measure_regret

SOURCE = "merchant"
GAMES = {2: 200, 3: 50, 4: 40, 5: 40}
OWN_GAMES = 50
QUICK_GAMES = 2
LADDER = ("random", "contractor", "spoiler", "shipper", "firechief", "frugal", "merchant")
PLAYERS = (*LADDER, "baseline", "mcts:200", "mcts:1000", "guided:200")
"""Asked in the games of `SOURCE`; `baseline` is the one for the number of players."""
OWN = (*LADDER, "baseline", "mcts:200")
"""Asked in games of their own."""


def run(games: dict[int, int], own_games: int) -> dict[str, Any]:
    """Measure all players at every number of players, then those with games of their own."""
    rows = []
    with on_one_core():
        for players, count in games.items():
            found = measure_regret(PLAYERS, players, count, SOURCE)
            rows += [{"players": players, **asdict(regret)} for regret in found]
            print(f"{players} players measured", flush=True)
        own = [asdict(regret) for player in OWN for regret in measure_regret([player], 2, own_games)]
    return header("python -m benchmarks.regret") | {"positions_of": SOURCE, "seed": SEED, "rows": rows, "own": own}


def print_table(result: dict[str, Any], console: Console) -> None:
    """A row for each player and number of players."""
    table = Table(title="Regret in the last round, per decision", box=box.SIMPLE_HEAD)
    for column in ("players", "player", "win share lost, %", "points lost", "not the best, %"):
        table.add_column(column, justify="left" if column == "player" else "right")
    for row in result["rows"] + [{"players": "own", **row} for row in result["own"]]:
        numbers = [100 * row["share"]["estimate"], row["points"]["estimate"], 100 * row["wrong"]["estimate"]]
        table.add_row(str(row["players"]), row["player"], *(f"{number:.2f}" for number in numbers))
    console.print(table)


def main() -> None:
    """Measure, keep, show."""
    options = simple_options("benchmarks.regret", __doc__)
    quick = dict.fromkeys(GAMES, QUICK_GAMES)
    result = run(quick, QUICK_GAMES) if options.quick else run(GAMES, OWN_GAMES)
    write("regret", result, folder_of(options))
    print_table(result, Console())


if __name__ == "__main__":
    main()
