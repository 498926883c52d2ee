"""The game for JavaScript: rules, scripted players and tree search as one WebAssembly module, built from the same code.

`build` writes a folder that runs in browsers and in Node: `speicher.wasm`, a table in `speicher.json`, and the module
`speicher.js` to import. It needs LLD's `wasm-ld`.
"""

from __future__ import annotations

from speicher_apps.wasm.build import WasmError, build, linker

__all__ = ["WasmError", "build", "linker"]
