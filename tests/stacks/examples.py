"""Runs the examples that ship, training/examples, as a user runs them."""

from __future__ import annotations

import importlib.util
import resource
import subprocess
import sys
from types import ModuleType
from typing import NamedTuple

from tests.stacks.stack import ROOT

EXAMPLES = ROOT / "training" / "examples"


class Run(NamedTuple):
    """A run of an example that came to its end."""

    output: str
    minutes: float
    """Of CPU, of all its processes."""


def run_example(name: str, *options: object) -> Run:
    """Run training/examples/NAME.py with these options, on one core if the framework lets us."""
    return run_command(sys.executable, "-W", "ignore", EXAMPLES / f"{name}.py", *options)


def run_command(*command: object) -> Run:
    """Run a command, which must succeed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE, check=False)
    print(run.stdout)
    assert run.returncode == 0, f"{' '.join(map(str, command))} ended with exit code {run.returncode}"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Run(run.stdout, seconds / 60)


def load_example(name: str) -> ModuleType:
    """The module training/examples/NAME.py, for its networks and functions."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
