"""Plays random games in the WebAssembly module, in Node, and compares them with the engine.

    python -m tests.support.wasm_check --games 1000

Every byte of every state is compared, shown and concealed and dealt again; every mask and every row of observations
with figures; points and ranks. In a few games every scripted player chooses in every position, what networks say is
compared, and so are tree searches, visit by visit, and exact values of last rounds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from speicher_agents.agent import CompiledAgent, views_of
from speicher_agents.baselines import Baseline, Card, Network
from speicher_agents.baselines.files import read_baseline
from speicher_agents.baselines.guided import GuidedByBaseline
from speicher_agents.baselines.player import suited
from speicher_agents.exact import is_in_reach
from speicher_agents.scripted import KINDS
from speicher_agents.search.mcts import TreeSearch
from speicher_apps.wasm import WasmError, build, linker
from speicher_apps.wasm.networks import description, weights
from speicher_env import Game
from speicher_env.observation import observe
from speicher_env.rules.chance import draw_supply_at
from speicher_env.rules.hidden import conceal_at, redeal_at
from tests.support import small_networks

NODE = shutil.which("node")
FOLDER = Path(__file__).parents[2] / "build" / "wasm"
SCRIPT = Path(__file__).parents[1] / "wasm" / "play_again.mjs"
ITERATIONS, GUIDED_ITERATIONS = 100, 30
SOLVED = {2: 4, 3: 2, 4: 0, 5: 0}
"""For each number of players, the workers that may be in hand where the solver is compared: more take long."""
PRECISION = 100
"""What networks say is compared in hundredths: sums of float32 are not rounded alike everywhere."""


def missing() -> str:
    """What the comparison lacks on this machine, as a sentence; empty for nothing."""
    if NODE is None:
        return "Node is missing, which runs JavaScript: install it (Debian: apt-get install nodejs)."
    try:
        linker()
    except WasmError as error:
        return str(error)
    return ""


@cache
def networks(players: int) -> dict[str, tuple[Card, Network]]:
    """Networks for that many players by name: the packaged one, and a small one of the other kind in everything."""
    packaged = suited(players)
    assert packaged is not None, "the package has networks for all numbers of players"
    other = small_networks.network(players, every_seat=True)
    return {packaged: read_baseline(packaged), f"small-{players}": (small_networks.card(other, [players]), other)}


def played(number: int, detail: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A random game as the script is told of it, and what the script has to answer."""
    choose = random.Random(number)
    players, deck, seed = 2 + number % 4, ("standard", "sampled")[number // 4 % 2], choose.randrange(2**64)
    game = Game(players, deck, seed)
    states, seen = hashlib.sha256(), hashlib.sha256()
    actions: list[int] = []
    choices: list[Any] = []
    while True:
        concealed, redealt, supplied = (game.states_view.copy() for _ in range(3))
        conceal_at(concealed, 0)
        redeal_at(redealt, 0, np.uint64(5))
        draw_supply_at(supplied, 0, np.uint64(5))
        for shown in (game.states_view, concealed, redealt, supplied):
            states.update(shown.tobytes())
        mask = np.zeros(184, dtype=np.int8)
        mask[game.legal_ids()] = 1
        seen.update(mask.tobytes() + observe(game.states_view, figures=True).tobytes())
        if game.over:
            break
        if detail:
            choices += _choices(game, len(actions), detail)
        actions.append(choose.choice(game.legal_ids()))
        game.play(actions[-1])
    told = {"players": players, "deck": deck, "seed": str(seed), "actions": actions, "detail": detail}
    return told, {
        "states": states.hexdigest(),
        "seen": seen.hexdigest(),
        "totals": [points["total"] for points in game.points()],
        "ranks": game.ranks(),
        "choices": choices,
    }


def _choices(game: Game, place: int, detail: int) -> list[Any]:
    found: list[Any] = [[CompiledAgent(kind.make(), place).action(game) for kind in KINDS]]
    if place % detail == 0:
        report = TreeSearch(ITERATIONS, seed=place).search(game)
        rows = zip(report.actions, report.visits.tolist(), report.values.tolist(), strict=True)
        values = [[action, visits, means if visits else [None] * len(means)] for action, visits, means in rows]
        found.append([report.best, list(report.line), values])
        found += [_judged(game, place, *network) for network in networks(game.num_players).values()]
    if is_in_reach(game.states_view, 0, SOLVED):
        solution = game.solve()
        values = solution.values.values()
        found.append(
            [solution.best[0], [[list(value.shares), [one.lead for one in value.prospects]] for value in values]]
        )
    return found


def _judged(game: Game, seed: int, card: Card, network: Network) -> list[Any]:
    """What a network says of a position, rounded, and what a search that it leads finds."""
    baseline = Baseline((card, network))
    chances, values = baseline.evaluate(views_of(game, baseline.seats, baseline.figures))
    said = np.concatenate([chances[0, game.legal_ids()], values[0]])
    report = GuidedByBaseline(baseline, GUIDED_ITERATIONS, seed=seed).search(game)
    return [[round(number * PRECISION) for number in said.tolist()], report.best, report.visits.tolist()]


def faults(folder: Path, games: range, detail: int = 0) -> list[str]:
    """What differs between the module in a folder and the engine, a sentence for each game and kind."""
    pairs = [played(number, detail) for number in games]
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, "games.jsonl")
        file.write_text("\n".join(json.dumps(told) for told, _ in pairs))
        _write_networks(Path(scratch), {told["players"] for told, _ in pairs} if detail else set())
        done = subprocess.run([str(NODE), str(SCRIPT), str(folder), str(file)], capture_output=True, text=True)
    if done.returncode:
        return [done.stderr.strip()]
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(pairs):
        return [f"{len(answers)} games were answered, not {len(pairs)}."]
    return [
        f"game {number}: {key} differ."
        for number, (_, expected), answer in zip(games, pairs, answers, strict=True)
        for key, value in expected.items()
        if answer[key] != value
    ]


def _write_networks(folder: Path, tables: set[int]) -> None:
    """The networks for these numbers of players as the script reads them."""
    described: dict[int, list[dict[str, Any]]] = {players: [] for players in tables}
    for players in tables:
        for name, (card, network) in networks(players).items():
            described[players].append({**description(card, network), "weights": f"{name}.weights"})
            (folder / f"{name}.weights").write_bytes(weights(network))
    (folder / "networks.json").write_text(json.dumps(described))


def main() -> None:
    """Compare, say what came of it, and fail if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000)
    games = parser.parse_args().games
    lack = missing()
    if lack:
        sys.exit(lack)
    build(FOLDER)
    found = faults(FOLDER, range(games)) + faults(FOLDER, range(games, games + max(games // 50, 4)), detail=20)
    print("\n".join(found) or f"{games} games in WebAssembly are the engine's, byte by byte.")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
