"""`python -m tests.stacks [STACK ...]`: install each framework apart, run its tests, and keep what they measured.

A framework is installed again when its requirements, its constraints or pyproject.toml change. A whole run that passes
is kept in benchmarks/results/stacks, where the tables of docs/integrations come from.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import time
import venv
from pathlib import Path
from typing import Any

from benchmarks.results import write
from speicher_training.provenance import describe_machine, today
from tests.stacks.stack import HERE, RESULTS, ROOT, Stack, stacks

SCHEMA = "speicher-stack/1"
TOOLS = ("pytest",)
"""What every environment has besides its framework."""
VERSIONS = ("python", "speicher-env", "torch", "numpy", "gymnasium", "pettingzoo")
"""Shown of every environment, where installed, after the packages of its requirements."""
_LIST_VERSIONS = (
    "import importlib.metadata as m, json, platform;"
    "print(json.dumps({d.metadata['Name'].lower().replace('_', '-'): d.version for d in m.distributions()}"
    " | {'python': platform.python_version()}))"
)


class Failed(Exception):
    """A stack that does not install or whose tests fail; the message says which."""


def main(arguments: list[str] | None = None) -> None:
    """Install, test and keep, one stack after the other; exits with 1 if one of them failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.stacks", description=__doc__)
    names = [stack.name for stack in stacks()]
    parser.add_argument("stacks", nargs="*", metavar="STACK", help=f"some of {', '.join(names)}; default: all of them")
    parser.add_argument(
        "-k", dest="select", metavar="EXPRESSION", help="only tests that match, as in pytest; no result is kept"
    )
    parser.add_argument("--install", action="store_true", help="only make the virtual environments")
    parser.add_argument("--pin", action="store_true", help="install the newest versions anew and write constraints.txt")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.stacks) - set(names)):
        parser.error(f"{', '.join(unknown)}: must be of {', '.join(names)}")
    failed = []
    for stack in stacks():
        if options.stacks and stack.name not in options.stacks:
            continue
        try:
            python = installed(stack, pin=options.pin)
            if not options.install:
                run_tests(stack, python, options.select)
        except Failed as failure:
            print(f"{stack.name}: {failure}", flush=True)
            failed.append(stack.name)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


# Installing


def installed(stack: Stack, *, pin: bool = False) -> Path:
    """The interpreter of a stack's environment, which is made first unless it is there and up to date."""
    folder = stack.environment
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    note = folder / "installed.txt"
    if not pin and note.is_file() and note.read_text(encoding="utf-8") == _inputs(stack):
        return python
    print(f"{stack.name}: installing", flush=True)
    venv.create(folder, clear=True, with_pip=True)
    constraints = stack.constraints
    if pin:  # all but torch are free: left free too, it would bring its build for CUDA, gigabytes
        constraints = folder / "torch.txt"
        constraints.write_text(_torch(stack), encoding="utf-8")
    project = f"{ROOT}[{stack.extra}]" if stack.extra else str(ROOT)
    _pip(python, "install", "-c", constraints, *TOOLS, "-r", stack.requirements, "-e", project)
    if pin:
        frozen = _pip(python, "freeze", "--exclude-editable").replace("+cpu", "")
        head = f"# One set of versions that the tests pass with: python -m tests.stacks {stack.name} --pin\n"
        stack.constraints.write_text(head + frozen, encoding="utf-8")
    note.write_text(_inputs(stack), encoding="utf-8")
    return python


def _inputs(stack: Stack) -> str:
    """A digest of all that says what is installed."""
    files = (stack.requirements, stack.constraints, ROOT / "pyproject.toml")
    parts = [path.read_bytes() for path in files if path.is_file()]
    return hashlib.sha256(b"\0".join([*parts, sys.version.encode()])).hexdigest()


def _torch(stack: Stack) -> str:
    """The pin of torch in the constraints of the stack, or, if it has none, of the project."""
    files = [path for path in (stack.constraints, ROOT / "constraints.txt") if path.is_file()]
    lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    return next(line for line in lines if line.startswith("torch=="))


def _pip(python: Path, *arguments: str | Path) -> str:
    command = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        raise Failed(f"it does not install:\n{run.stderr.strip()}")
    return run.stdout


# Testing


def run_tests(stack: Stack, python: Path, select: str | None) -> None:
    """Run the tests of a stack and the code of its page; keep the result of a whole run that passed."""
    print(f"{stack.name}: testing", flush=True)
    notes = stack.environment / "tests.json"
    notes.unlink(missing_ok=True)
    command = [python, "-m", "pytest", "-c", HERE / "pytest.ini", "--rootdir", ROOT, "--stack", stack.name]
    command += ["--notes", notes, HERE / "test_page.py", stack.folder, *(["-k", select] if select else [])]
    begun, before = time.perf_counter(), _cpu_of_children()
    run = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"OMP_NUM_THREADS": "1", "SPEICHER_QUIET": "1"}, check=False
    )
    seconds, cpu = time.perf_counter() - begun, _cpu_of_children() - before
    if run.returncode:
        raise Failed(f"its tests fail (pytest's exit code {run.returncode})")
    if select:
        return
    tested: dict[str, Any] = json.loads(notes.read_text(encoding="utf-8"))
    result = {
        "schema": SCHEMA,
        "command": f"python -m tests.stacks {stack.name}",
        "date": today(),
        "machine": describe_machine(),
        "versions": _versions(stack, python),
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu, 1),
        **tested,
    }
    write(stack.name, result, RESULTS)


def _cpu_of_children() -> float:
    """Seconds of CPU of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _versions(stack: Stack, python: Path) -> dict[str, str]:
    """The versions in a stack's environment: first the packages of its requirements, then those that matter to all."""
    printed = subprocess.run([python, "-c", _LIST_VERSIONS], capture_output=True, text=True, check=True).stdout
    versions: dict[str, str] = json.loads(printed)
    names = dict.fromkeys([name.lower().replace("_", "-") for name in stack.packages] + list(VERSIONS))
    return {name: versions[name].removesuffix("+cpu") for name in names if name in versions}


if __name__ == "__main__":
    main()
