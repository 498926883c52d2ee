"""The deep comparison of the solver with plain Python: `python -m tests.support.solve_check --positions 2000`.

A position follows from its seed alone. Those with too many positions after them for plain Python are left out and not
counted. The first difference stops the run; exit code 1 says that there was one.
"""

from __future__ import annotations

import argparse
import random
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from speicher_env import Game
from speicher_env.solve import Solution
from tests.support.endings import laid_out, laid_out_loading, last_round, played_on
from tests.support.fuzz import Interrupt, Progress, duration, report_end
from tests.support.plain_solver import PlainSolver, Result, TooLarge, aim

MOST = 1500
"""Positions that plain Python looks at."""


class Fault(NamedTuple):
    """A position on which the two differ."""

    fault: str
    seed: int


def ending(seed: int) -> Game | None:
    """The position of a seed: neighbouring seeds go through all player counts and kinds; None if the game is over."""
    kind, players = divmod(seed, 4)
    players += 2
    choose = random.Random(seed)
    if kind % 3 == 0:
        game = laid_out_loading(players, seed)
        return None if game.over else game
    start = (
        laid_out(players, seed) if kind % 3 == 1 else last_round(players, seed, choose.choice(("standard", "sampled")))
    )
    return None if start is None else played_on(start, seed, choose.randint(3 * players - 2, 5 * players))


def compare(game: Game, most: int = MOST) -> Solution:
    """Solve a position both ways and fail at the first difference.

    Raises:
        TooLarge: If plain Python would have to look at more than `most` positions.
    """
    solver = PlainSolver(most)
    plain = solver.actions(game)
    solution = game.solve()
    seat = game.player
    assert seat is not None
    assert solution.exact and solution.seat == seat and list(solution.values) == game.legal()
    chosen, _ = solver.chosen(list(plain.values()), seat)
    wanted = max(aim(result, seat) for result, _ in plain.values())
    best = [action for action, (result, _) in plain.items() if aim(result, seat) == wanted]
    assert sorted(solution.best) == sorted(best), f"best: {solution.best} is not {best}"
    assert plain[solution.best[0]][0] == chosen, f"it plays {solution.best[0]}, which does not lead to {chosen}"
    for action, (result, possible) in plain.items():
        compare_value(solution, action, result, possible)
    return solution


def compare_value(solution: Solution, action: str, result: Result, possible: frozenset[Result]) -> None:
    """Fail if what an action is worth is not this result, or if its bounds leave out a possible one."""
    value = solution.values[action]
    assert tuple(zip(value.points, value.coins, strict=True)) == result, f"{action}: {value} is not {result}"
    for seat in range(len(result)):
        aims = [aim(one, seat) for one in possible]
        shares = [(float(share), lead) for share, lead, _ in aims]
        assert tuple(value.prospects[seat]) == (float(aim(result, seat)[0]), aim(result, seat)[1])
        assert value.worst[seat] <= min(shares) and value.best[seat] >= max(shares), f"{action}: {value}, {shares}"
        assert not value.unique or len(set(aims)) == 1, f"{action}: {value} is not unique: {aims}"


def bounds_reached(solution: Solution, plain: dict[str, tuple[Result, frozenset[Result]]]) -> bool:
    """Whether for every action and seat some way of breaking ties reaches the bounds."""
    return all(
        (value.worst[seat], value.best[seat]) == (min(shares), max(shares))
        for action, value in solution.values.items()
        for seat in range(len(value.points))
        for shares in [[(float(aim(one, seat)[0]), aim(one, seat)[1]) for one in plain[action][1]]]
    )


def main(arguments: Sequence[str] | None = None, check: Callable[[Game], Solution] = compare) -> int:
    """Run from the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.solve_check", description=__doc__)
    parser.add_argument("--positions", type=int, default=2000, help="positions to compare")
    parser.add_argument("--seed", type=int, default=0, help="of the first position")
    options = parser.parse_args(arguments)
    progress = Progress(options.positions, "positions")
    compared: Counter[tuple[int, str]] = Counter()
    left_out, seed, fault = 0, options.seed, None
    with Interrupt() as interrupt:
        while compared.total() < options.positions and fault is None and not interrupt.noted:
            try:
                game = ending(seed)
                if game is not None:
                    check(game)
                    compared[game.num_players, game.phase] += 1
            except TooLarge:
                left_out += 1
            except Exception:
                fault = Fault(traceback.format_exc(), seed)
            progress.say(compared.total())
            seed += 1
    progress.close()
    print(f"{compared.total():,} positions in {duration(progress.seconds())}, {left_out:,} too large for plain Python")
    for (players, phase), number in sorted(compared.items()):
        print(f"{number:>7,}  {players} players, {phase}")
    no_fault = "no difference between the solver and brute force"
    return report_end(fault, interrupt, "solve_check --positions", no_fault, range(options.seed, seed))


if __name__ == "__main__":
    raise SystemExit(main())
