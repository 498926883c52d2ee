"""The WebAssembly module plays as the engine does."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from speicher_apps.wasm import WasmError, build, linker
from tests.support.wasm_check import FOLDER, NODE, faults, missing


@pytest.fixture(scope="session")
def module() -> Path:
    """The built module; built now unless it is there and nothing has changed since."""
    lack = missing()
    if lack:
        pytest.skip(lack)
    build(FOLDER)
    return FOLDER


def test_games_in_javascript_equal_the_engines_byte_by_byte(module: Path) -> None:
    assert faults(module, range(20)) == []


def test_players_and_searches_in_javascript_choose_as_in_python(module: Path) -> None:
    assert faults(module, range(20, 24), detail=25) == []


def test_the_module_asks_nothing_of_javascript_and_is_small(module: Path) -> None:
    code = (
        "const bytes = require('fs').readFileSync(process.argv[1]);"
        "console.log(JSON.stringify(WebAssembly.Module.imports(new WebAssembly.Module(bytes))))"
    )
    wasm = module / "speicher.wasm"
    shown = subprocess.run([str(NODE), "-e", code, str(wasm)], capture_output=True, text=True, check=True).stdout
    assert json.loads(shown) == []
    assert wasm.stat().st_size < 500_000


def test_a_wrong_argument_is_refused_in_one_sentence(module: Path) -> None:
    code = """
    import { load } from "./speicher.js";
    const speicher = await load();
    const game = speicher.deal({ players: 3, seed: 7 });
    const over = speicher.deal({ players: 2, seed: 7 });
    while (!over.over) over.play(over.legal()[0]);
    const rows = { seats: 2, rowSize: 1, reads: 1, decides: [0, 0] };
    const described = { players: [2], ...rows, layers: [[1, 1, 16, 0, 16]], stacks: [], places: [] };
    const network = speicher.network(described, new Uint8Array(128));
    const wrong = [
      () => over.search(10), () => over.evaluate(network), () => game.evaluate(network), () => game.guided(network),
      () => speicher.network(described, new Uint8Array(127)),
      () => speicher.deal({ players: 6 }), () => speicher.deal({ deck: "mine" }), () => speicher.deal({ seed: -1 }),
      () => speicher.deal({ seed: 2n ** 64n }), () => game.play("buy"), () => game.play("fly"), () => game.play(184),
      () => game.choose("nobody"), () => speicher.game(new Uint8Array(3)),
    ];
    for (const call of wrong) try { call(); console.log("accepted"); } catch (error) { console.log(error.message); }
    """
    done = subprocess.run(
        [str(NODE), "--input-type=module", "-e", code], cwd=module, capture_output=True, text=True, check=True
    )
    sentences = done.stdout.strip().splitlines()
    assert len(sentences) == 14 and all(line.endswith(".") for line in sentences), sentences


def test_without_the_linker_the_build_says_so_in_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(WasmError, match=r"^wasm-ld is missing.*\.$"):
        linker()
    with pytest.raises(WasmError, match="wasm-ld is missing"):
        build(tmp_path / "wasm")
    assert not (tmp_path / "wasm").exists()


def test_the_command_exits_with_2_and_the_sentence(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "speicher_apps.wasm", str(tmp_path / "wasm")]
    done = subprocess.run(command, env={"PATH": ""}, capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.startswith("wasm-ld is missing") and done.stderr.count("\n") == 1
