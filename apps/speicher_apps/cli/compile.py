"""`speicher compile`: compile beforehand what later commands and programs would wait for."""

from __future__ import annotations

import time
from typing import Annotated

from speicher_apps.cli.bench import player_counts
from speicher_apps.cli.errors import say
from speicher_apps.cli.options import option
from speicher_apps.specs import HUMAN, split_specs

__all__ = ["EXAMPLES", "compile"]

EXAMPLES = ("speicher compile", "speicher compile --agents all", "speicher compile --players 2 --agents merchant,mcts")

ALL, NONE = "all", "none"
FEW = 8
"""Iterations of a search that is only compiled."""


def compile(
    players: Annotated[str, option(help="Numbers of players, with commas between them. Default: 2,3,4,5.")] = "2,3,4,5",
    agents: Annotated[
        str, option(help="Specs of players with commas between them, all or none. Default: none.")
    ] = NONE,
) -> None:
    """Compile games, environments and batches, and players if asked to, and keep the code for later processes.

    Without this the first use of each part compiles it, once for each version of the package, of Python and of Numba.
    """
    from speicher_agents import load_agent  # loaded here, so that no other command waits for it
    from speicher_env import compile_all
    from speicher_env._jit import jit

    counts = player_counts(players)
    specs = [] if agents == NONE else _all_specs() if agents == ALL else split_specs(agents, "--agents")
    for spec in specs:
        load_agent(spec)  # a wrong spec is refused before the work
    begin = time.monotonic()
    compile_all(counts)
    for spec in specs:
        say(f"compiling {spec}")
        for count in counts:
            _compile_player(spec, count)
    where = "nowhere: no folder can be written to" if jit.folder is None else str(jit.folder.parent)
    say(f"done in {time.monotonic() - begin:.0f} s; compiled code is kept in {where}")


def _all_specs() -> list[str]:
    """A spec for each player that has a name, people left out; searches with few iterations."""
    from speicher_agents import describe_players

    specs = []
    for kind in describe_players():
        if kind.name != HUMAN and not kind.command_line_only:
            is_search = any(parameter.name == "iterations" for parameter in kind.parameters)
            specs.append(f"{kind.name}:{FEW}" if is_search else kind.name)
    return specs


def _compile_player(spec: str, players: int) -> None:
    """Let a player choose in each phase of a game and of its last round, in one game by itself and in a batch."""
    from speicher_agents import load_agent, make_player
    from speicher_env import Game
    from speicher_env.batch import Batch
    from speicher_env.solve import is_determined

    agent, game = load_agent(spec), Game(players, seed=1)
    moments: set[tuple[str, bool]] = set()
    while not game.over:
        moment = (game.phase, is_determined(game))
        if moment not in moments:
            moments.add(moment)
            agent.action(game)
        game.play(game.legal_ids()[0])
    batch = Batch(1, players, seat=0, opponents=make_player(spec))
    batch.reset(seeds=[1])
