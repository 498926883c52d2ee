"""Plays random games in the WebAssembly module, in Node, and compares them with the engine.

    python -m tests.support.wasm_check --games 1000

Every byte of every state is compared, shown and concealed and dealt again; every mask and every row of observations
with figures; points and ranks. In a few games every scripted player chooses in every position, and the tree search is
compared visit by visit.
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
from pathlib import Path
from typing import Any

import numpy as np

from speicher_agents.agent import CompiledAgent
from speicher_agents.scripted import KINDS
from speicher_agents.search.mcts import TreeSearch
from speicher_apps.wasm import WasmError, build, linker
from speicher_env import Game
from speicher_env.observation import observe
from speicher_env.rules.hidden import conceal_at, redeal_at

NODE = shutil.which("node")
FOLDER = Path(__file__).parents[2] / "build" / "wasm"
SCRIPT = Path(__file__).parents[1] / "wasm" / "play_again.mjs"
ITERATIONS = 100


def missing() -> str:
    """What the comparison lacks on this machine, as a sentence; empty for nothing."""
    if NODE is None:
        return "Node is missing, which runs JavaScript: install it (Debian: apt-get install nodejs)."
    try:
        linker()
    except WasmError as error:
        return str(error)
    return ""


def played(number: int, detail: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A random game as the script is told of it, and what the script has to answer."""
    choose = random.Random(number)
    players, deck, seed = 2 + number % 4, ("standard", "sampled")[number // 4 % 2], choose.randrange(2**64)
    game = Game(players, deck, seed)
    states, seen = hashlib.sha256(), hashlib.sha256()
    actions: list[int] = []
    choices: list[Any] = []
    while True:
        concealed, redealt = game.states_view.copy(), game.states_view.copy()
        conceal_at(concealed, 0)
        redeal_at(redealt, 0, np.uint64(5))
        for shown in (game.states_view, concealed, redealt):
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
    return found


def faults(folder: Path, games: range, detail: int = 0) -> list[str]:
    """What differs between the module in a folder and the engine, a sentence for each game and kind."""
    pairs = [played(number, detail) for number in games]
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, "games.jsonl")
        file.write_text("\n".join(json.dumps(told) for told, _ in pairs))
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
