"""`python -m speicher_apps.wasm FOLDER`: build the WebAssembly module into a folder."""

from __future__ import annotations

import sys
from pathlib import Path

from speicher_apps.wasm import WasmError, build

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m speicher_apps.wasm FOLDER")
    try:
        build(Path(sys.argv[1]))
    except WasmError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
