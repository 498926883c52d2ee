"""Arenas on a cluster whose nodes and drivers die: the games must be those of one process."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from speicher_agents import baselines
from tests.cluster import players
from tests.cluster.nodes import MARK, Nodes, processes_at_work, processes_of
from tests.cluster.report import PATIENCE, Report, games_of, wait_for

__all__ = ["CASES"]

SPEICHER = (sys.executable, "-c", "from speicher_apps.cli import main; main()", "arena")
FRIENDLY = ("merchant", "odd.py:Slow", "net.json")
"""A compiled player, one of a file and one whose network is in files; both kinds of files must travel."""
WEIGHTS = Path(baselines.__file__).parent / "weights"
CHUNKS = 8


class Arena:
    """An arena in a process of its own, in a folder with the files that its players need."""

    def __init__(self, folder: Path, names: Sequence[str], *options: str, chunks: int = CHUNKS, mark: str = "") -> None:
        """Start it.

        Args:
            folder: Holds the files; the run is in `run`.
            names: The players.
            options: Further options.
            chunks: How many chunks there are to play.
            mark: By which its processes are known, see `processes_of`.
        """
        self.folder, self.run, self.chunks = folder, folder / "run", chunks
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(players.__file__, folder / "odd.py")
        card, weights = (WEIGHTS / name for name in ("2p.json", "2p.safetensors"))
        shutil.copy(card, folder / "net.json")
        shutil.copy(weights, folder)
        deals = str(2 * chunks)
        games = len(names) * (len(names) - 1)
        command = [*SPEICHER, *names, "--deals", deals, "--lanes", str(2 * games), "--seed", "1", "--no-plots",
                   "--no-mirrors", "-o", "run", *options]  # fmt: skip
        self._errors = (folder / "errors.txt").open("w+")
        self._process = subprocess.Popen(
            command, cwd=folder, stdout=(folder / "report.txt").open("w"), stderr=self._errors,
            env=os.environ | ({MARK: mark} if mark else {}), start_new_session=True,
        )  # fmt: skip

    def wait_for_chunks(self, chunks: int) -> None:
        """Wait until so many chunks are on the disk."""
        deals = self.run / "deals.jsonl"

        def there() -> bool:
            if self._process.poll() is not None:
                raise RuntimeError(f"the arena has ended too early: {self.errors()}")
            return deals.exists() and deals.read_bytes().count(b"\n") >= chunks

        wait_for(there, f"playing {chunks} chunks")

    def kill(self) -> None:
        """Kill the process that hands out the chunks."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def interrupt(self) -> int:
        """Press Ctrl-C, which reaches all processes of the terminal; returns the exit code."""
        os.killpg(self._process.pid, signal.SIGINT)
        return self._process.wait(PATIENCE)

    def finish(self) -> Path:
        """The folder of the run when it has ended.

        Raises:
            RuntimeError: If it fails.
        """
        code = self._process.wait(PATIENCE)
        if code != 0:
            raise RuntimeError(f"exit code {code}: {self.errors()}")
        return self.run

    def errors(self) -> str:
        """The end of what it wrote to stderr."""
        self._errors.flush()
        return (self.folder / "errors.txt").read_text()[-600:].strip()


def equal(folder: Path, report: Report) -> None:
    """One process, two processes, one node and three nodes give the same games."""
    expected = Arena(folder / "one", FRIENDLY, "--jobs", "1").finish()
    report.compare(expected, Arena(folder / "two", FRIENDLY, "--jobs", "2").finish())
    for number in (1, 3):
        with _nodes(number, folder, report) as nodes:
            report.compare(expected, Arena(folder / f"nodes-{number}", FRIENDLY, "--ray", nodes.address).finish())


def nodes_come_and_go(folder: Path, report: Report) -> None:
    """A node is killed and another joins while an arena is played."""
    undisturbed = Arena(folder / "one", FRIENDLY, "--jobs", "1")
    with _nodes(2, folder, report) as nodes:
        arena = Arena(folder / "disturbed", FRIENDLY, "--ray", nodes.address)
        arena.wait_for_chunks(2)
        nodes.kill()
        report.counts["nodes killed"] += 1
        nodes.add()
        report.counts["nodes"] += 1
        report.compare(undisturbed.finish(), arena.finish())
    for name in ("report.txt", "errors.txt"):
        report.expect("raylet" not in (arena.folder / name).read_text(), f"Ray writes of the dead node in {name}")


def late(folder: Path, report: Report) -> None:
    """A cluster begins without cores; the nodes that join do the work."""
    expected = Arena(folder / "one", FRIENDLY, "--jobs", "1").finish()
    with _nodes(0, folder, report) as nodes:
        arena = Arena(folder / "late", FRIENDLY, "--ray", nodes.address)
        wait_for((arena.run / "run.json").exists, "the start of an arena")
        for _ in range(2):
            nodes.add()
            report.counts["nodes"] += 1
        report.compare(expected, arena.finish())


def driver(folder: Path, report: Report) -> None:
    """The process that hands out the work is killed, then interrupted, then resumed; no worker is left behind."""
    expected = Arena(folder / "one", FRIENDLY, "--jobs", "1").finish()
    with _nodes(2, folder, report) as nodes:
        arena = Arena(folder / "killed", FRIENDLY, "--ray", nodes.address)
        arena.wait_for_chunks(2)
        report.expect(bool(nodes.processes_at_work()), "no processes are at work during an arena")
        arena.kill()
        report.counts["drivers killed"] += 1
        wait_for(lambda: not nodes.processes_at_work(), "the end of the workers of a killed arena")
        arena = Arena(folder / "killed", FRIENDLY, "--ray", nodes.address)
        arena.wait_for_chunks(4)
        report.expect(arena.interrupt() == 130, f"Ctrl-C does not end an arena with exit code 130: {arena.errors()}")
        report.counts["drivers interrupted"] += 1
        wait_for(lambda: not nodes.processes_at_work(), "the end of the workers of an interrupted arena")
        report.compare(expected, Arena(folder / "killed", FRIENDLY, "--ray", nodes.address).finish())


def local(folder: Path, report: Report) -> None:
    """Ctrl-C and a kill of an arena that has started a cluster itself leave no worker behind, and it resumes.

    After a kill two helpers of Ray end by themselves within a minute or so.
    """
    expected = Arena(folder / "one", FRIENDLY, "--jobs", "1").finish()
    mark, options = secrets.token_hex(8), ("--ray", "local", "--jobs", "2")
    arena = Arena(folder / "local", FRIENDLY, *options, mark=mark)
    arena.wait_for_chunks(2)
    report.expect(len(processes_of(mark)) > 4, "there are no processes of a cluster that was started")
    report.expect(arena.interrupt() == 130, f"Ctrl-C does not end an arena with exit code 130: {arena.errors()}")
    wait_for(lambda: not processes_of(mark), "the end of a cluster whose arena was interrupted")
    arena = Arena(folder / "local", FRIENDLY, *options, mark=mark)
    arena.wait_for_chunks(4)
    arena.kill()
    wait_for(lambda: not processes_at_work(mark), "the end of the workers of an arena that was killed")
    report.counts["drivers killed"] += 1
    report.counts["drivers interrupted"] += 1
    report.compare(expected, Arena(folder / "local", FRIENDLY, *options).finish())


def hangs(folder: Path, report: Report) -> None:
    """Players that hang or kill their process forfeit on a node the games that they forfeit on one machine."""
    names = ("merchant", "odd.py:Hangs", "odd.py:Leaves")
    options = ("--timeout", "1")
    expected = Arena(folder / "one", names, "--jobs", "1", *options).finish()
    whys = {forfeit["why"] for _, deal in games_of(expected) for forfeit in deal.get("forfeits", [])}
    wanted = {"ended its process (exit code 3)", "has not answered in 1 s for each decision"}
    report.expect(whys == wanted, f"players forfeit for other reasons: {whys}")
    with _nodes(2, folder, report) as nodes:
        report.compare(
            expected, Arena(folder / "nodes", names, "--ray", nodes.address, *options).finish()
        )  # fmt: skip


def raises(folder: Path, report: Report) -> None:
    """A player that fails on one node forfeits the games that it was asked in there, and all others are the same."""
    names = ("merchant", "odd.py:RaisesOnOneNode")
    expected = dict(games_of(Arena(folder / "one", names, "--jobs", "1").finish()))
    with _nodes(1, folder, report) as nodes:
        nodes.add(SPEICHER_ODD_NODE="yes")
        report.counts["nodes"] += 1
        played = games_of(Arena(folder / "nodes", names, "--ray", nodes.address).finish())
    forfeits = [forfeit for _, deal in played for forfeit in deal.get("forfeits", [])]
    whys = {forfeit["why"] for forfeit in forfeits}
    report.expect(whys == {"raised ValueError: not on this node"}, f"the forfeits have other reasons: {whys}")
    fine = [number for number, deal in played if deal == expected[number]]
    report.expect(0 < len(fine) < len(expected), f"{len(fine)} of {len(expected)} deals are without a forfeit")
    report.expect(sorted(number for number, _ in played) == sorted(expected), "deals are missing or there twice")
    report.expect(
        all(deal == expected[number] or "forfeits" in deal for number, deal in played), "games without a forfeit differ"
    )


def _nodes(number: int, folder: Path, report: Report) -> Nodes:
    empty = folder / "empty"
    empty.mkdir(exist_ok=True)
    report.counts["nodes"] += number
    return Nodes(number, empty)


CASES = {
    "equal": equal,
    "nodes": nodes_come_and_go,
    "late": late,
    "driver": driver,
    "local": local,
    "hangs": hangs,
    "raises": raises,
}
