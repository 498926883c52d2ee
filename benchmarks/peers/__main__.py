"""`python -m benchmarks.peers`: install each peer apart, play it on one core, and keep what it reached."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import venv
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.results import BUILD, add_arguments, folder_of, write
from speicher_apps.meter.report import header
from speicher_env.messages import must_be, one_of
from speicher_training.machine import on_one_core

HERE = Path(__file__).parent
ENVIRONMENTS = BUILD / "peers"
SECONDS, ROUNDS = 0.6, 5
QUICK_SECONDS, QUICK_ROUNDS = 0.2, 2
INSTALL_LIMIT, RUN_LIMIT = 900, 600
"""Seconds after which a peer is given up."""


@dataclass(frozen=True)
class Peer:
    """Something to compare with: requirements-NAME.txt says what is installed, the adapter how it is played."""

    name: str
    title: str
    adapter: str
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def requirements(self) -> Path:
        """Pinned versions."""
        return HERE / f"requirements-{self.name}.txt"


PEERS = (
    Peer("pettingzoo", "PettingZoo", "pettingzoo_classic.py"),
    Peer("openspiel", "OpenSpiel", "openspiel.py"),
    Peer("pgx", "Pgx", "pgx_games.py", {"JAX_PLATFORMS": "cpu"}),
    Peer("rlcard", "RLCard", "rlcard_games.py"),
    Peer("catanatron", "Catanatron", "catanatron_games.py"),
    Peer("pufferlib", "PufferLib", "pufferlib_games.py", {"NO_TRAIN": "1"}),  # its trainer would be compiled as well
)
OURS = Peer("ours", "speicher-env", "ours.py")


class Failed(Exception):
    """A peer that could not be installed or run; the message says why."""


def installed(peer: Peer, retry: bool) -> Path:
    """The interpreter of the peer's environment, made first if its requirements have changed."""
    folder = ENVIRONMENTS / peer.name
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    note = folder / "installed.json"
    wanted = hashlib.sha256(peer.requirements.read_bytes() + sys.version.encode()).hexdigest()
    found = json.loads(note.read_text(encoding="utf-8")) if note.is_file() else {}
    if found.get("requirements") == wanted and not (retry and found["failed"]):
        if found["failed"]:
            raise Failed(found["failed"])
        return python
    print(f"{peer.title}: installing", flush=True)
    venv.create(folder, clear=True, with_pip=True)
    failed = ""
    try:
        _run(
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", peer.requirements],
            peer,
            INSTALL_LIMIT,
        )
    except Failed as failure:
        failed = f"it does not install: {failure}"
    note.write_text(json.dumps({"requirements": wanted, "failed": failed}), encoding="utf-8")
    if failed:
        raise Failed(failed)
    return python


def play(peer: Peer, python: Path, seconds: float, rounds: int) -> dict[str, Any]:
    """What the peer's adapter hands back."""
    print(f"{peer.title}: playing", flush=True)
    with on_one_core():  # the adapter's process inherits it
        output = _run([python, HERE / "adapters" / peer.adapter, str(seconds), str(rounds)], peer, RUN_LIMIT)
    told: dict[str, Any] = json.loads(output.splitlines()[-1])
    return told


def _run(command: list[Path | str], peer: Peer, limit: float) -> str:
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"} | peer.environment
    try:
        run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        raise Failed(f"given up after {limit:.0f} s") from None
    except OSError as error:
        raise Failed(str(error.strerror)) from None
    if run.returncode:
        raise Failed(reason(run.stderr, run.returncode))
    return run.stdout


_ERROR = re.compile(r"^\W*((?:[\w.]+\.)?\w*(?:Error|ERROR|Exception)\b.*)$", re.MULTILINE)


def reason(log: str, code: int) -> str:
    """The last error that a log names, without addresses and paths."""
    errors = _ERROR.findall(log)
    if not errors:
        return f"exit code {code}"
    line = re.sub(r"\w+://\S+", "(an address)", errors[-1])
    return re.sub(r"(?<![\w(])/\S+", "(a path)", line).strip()[:200]


def main(arguments: list[str] | None = None) -> None:
    """Install, play, keep."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    add_arguments(parser)
    parser.add_argument("--install", action="store_true", help="only make the virtual environments")
    parser.add_argument("--retry", action="store_true", help="try again to install what did not install before")
    parser.add_argument("--only", nargs="*", metavar="PEER", help=f"some of {', '.join(peer.name for peer in PEERS)}")
    options = parser.parse_args(arguments)
    unknown = set(options.only or ()) - {peer.name for peer in PEERS}
    if unknown:
        name = min(unknown)
        parser.error(must_be("--only", name, one_of(name, [peer.name for peer in PEERS])))
    seconds, rounds = (QUICK_SECONDS, QUICK_ROUNDS) if options.quick else (SECONDS, ROUNDS)
    peers = [peer for peer in PEERS if not options.only or peer.name in options.only]
    pythons: dict[str, Path | Failed] = {OURS.name: Path(sys.executable)}
    for peer in peers:  # all of them before the first is played, so that nothing is unpacked beside a measurement
        try:
            pythons[peer.name] = installed(peer, options.retry)
        except Failed as failure:
            pythons[peer.name] = failure
            print(f"{peer.title}: {failure}", flush=True)
    if options.install:
        return
    found = []
    for peer in (OURS, *peers):
        python = pythons[peer.name]
        result: dict[str, Any] = {"name": peer.name, "title": peer.title}
        try:
            if isinstance(python, Failed):
                raise python
            result |= play(peer, python, seconds, rounds)
        except Failed as failure:
            print(f"{peer.title}: {failure}", flush=True)
            result["failed"] = str(failure)
        found.append(result)
    command = "python -m benchmarks.peers"
    write("peers", header(command) | {"seconds": seconds, "rounds": rounds, "peers": found}, folder_of(options))


if __name__ == "__main__":
    main()
