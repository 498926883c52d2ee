"""Building the folder with the WebAssembly module, as far as it is not there already."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.resources import files
from pathlib import Path

from speicher_agents._jit import SCRIPTED, WEIGHTS_FILE
from speicher_agents.baselines.forward import SOURCES as NETWORKS
from speicher_agents.baselines.guided import __file__ as guided_file
from speicher_agents.search import __file__ as search_file
from speicher_apps.wasm.tables import tables
from speicher_env._jit import COMPILED, sources_in, try_to_lock
from speicher_env.solve import __file__ as solver_file

__all__ = ["MODULES", "WasmError", "build", "linker"]

MODULES = ("speicher.js", "record.js")
"""The hand-written part."""
_SOURCES = ("build.py", "compile.py", "exports.py", "mathematics.py", "signatures.py", "solver.py")
"""What is compiled, and how."""
_FINGERPRINT, _LOCK = "fingerprint", "lock"
_NUMBA = {
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
    "NUMBA_OPT": "0",
    "NUMBA_LOOP_VECTORIZE": "0",
    "NUMBA_SLP_VECTORIZE": "0",
    "SPEICHER_QUIET": "1",
}
"""Settings that give IR without anything of this machine, see `compile.py`."""


class WasmError(Exception):
    """The module cannot be built; the message is one sentence."""


def linker() -> str:
    """The path of `wasm-ld`.

    Raises:
        WasmError: If it is not installed.
    """
    found = shutil.which("wasm-ld")
    if found is None:
        raise WasmError("wasm-ld is missing, which links WebAssembly: install LLD (Debian: apt-get install lld).")
    return found


def build(folder: Path) -> None:
    """Write the module into a folder; what is compiled is compiled again only after a change, in two minutes.

    Raises:
        WasmError: If `wasm-ld` is not installed or refuses.
    """
    linker()
    folder.mkdir(parents=True, exist_ok=True)
    fingerprint = _fingerprint()
    kept = folder / _FINGERPRINT
    with open(folder / _LOCK, "ab") as lock:
        while not try_to_lock(lock):  # another process is compiling
            time.sleep(0.2)
        if not kept.exists() or kept.read_text() != fingerprint:
            kept.unlink(missing_ok=True)
            _compile(folder / "speicher.wasm")
            kept.write_text(fingerprint)
    for name in MODULES:
        (folder / name).write_bytes(files("speicher_apps.wasm").joinpath(name).read_bytes())
    (folder / "speicher.json").write_text(json.dumps(tables(), separators=(",", ":")))
    (folder / "package.json").write_text(json.dumps(_package(), indent=2))


def _compile(target: Path) -> None:
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, **_NUMBA, "NUMBA_CACHE_DIR": cache}
        # Numba says of every function that it cannot be cached, because unoptimized code names Python's objects.
        command = [sys.executable, "-W", "ignore", "-m", "speicher_apps.wasm.compile", str(target)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no reason given"
        raise WasmError(f"WebAssembly cannot be built: {reason}")


def _fingerprint() -> str:
    """Changes with everything that the compiled module depends on."""
    digest = hashlib.sha256()
    here = [Path(__file__).with_name(name) for name in _SOURCES]
    places = [
        *COMPILED,
        *SCRIPTED,
        WEIGHTS_FILE,
        Path(search_file).parent,
        Path(solver_file).parent,
        *NETWORKS,
        Path(guided_file),
        *here,
    ]
    for source in sources_in(*places):
        digest.update(source.read_bytes())
    versions = [importlib.metadata.version(name) for name in ("numba", "llvmlite", "numpy")]
    digest.update(json.dumps([versions, sys.version, linker()]).encode())
    return digest.hexdigest()


def _package() -> dict[str, object]:
    """What Node wants to know."""
    version = importlib.metadata.version("speicher-env")
    return {"name": "speicher-env", "version": version, "type": "module", "exports": "./speicher.js"}
