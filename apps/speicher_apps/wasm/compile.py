"""From Numba's functions to WebAssembly: `python -m speicher_apps.wasm.compile FILE` writes the module.

Numba compiles for the processor that it runs on. Its unoptimized LLVM IR leaves open how wide a pointer is, so the same
IR can be given the data layout of 32-bit WebAssembly, optimized for that, emitted by llvmlite's WebAssembly target and
linked by `wasm-ld`. What Numba's runtime would do is done here: memory comes from a small arena, as no allocation
outlives a call, and an exception stops the module.

Numba reads its settings when it is imported, so this runs in a process of its own, see `speicher_apps.wasm.build`.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba

from speicher_apps.wasm import exports, solver  # noqa: F401  # they fill the list of functions
from speicher_apps.wasm.build import linker
from speicher_apps.wasm.mathematics import MATHEMATICS
from speicher_apps.wasm.signatures import EXPORTS

__all__ = ["main"]

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+bulk-memory,+bulk-memory-opt,+sign-ext,+nontrapping-fptoint,+mutable-globals"
"""What every browser has had since 2021."""
ARENA_BYTES = 1 << 16
"""Room for the arrays that a player makes during one call."""
STACK_BYTES = 1 << 18

_RUNTIME = """
@arena = internal global [{bytes} x i8] zeroinitializer, align 32
@arena.used = internal global i32 0
@arena.live = internal global i32 0

; A header as Numba's runtime has it, then the array. The arena is empty again when its last array is given back.
define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {{
  %used = load i32, ptr @arena.used
  %wanted = trunc i64 %size to i32
  %rounded = add i32 %wanted, 95
  %whole = and i32 %rounded, -32
  %end = add i32 %used, %whole
  %full = icmp ugt i32 %end, {bytes}
  br i1 %full, label %stop, label %give
stop:
  call void @llvm.trap()
  unreachable
give:
  store i32 %end, ptr @arena.used
  %live = load i32, ptr @arena.live
  %more = add i32 %live, 1
  store i32 %more, ptr @arena.live
  %header = getelementptr i8, ptr @arena, i32 %used
  %data = getelementptr i8, ptr %header, i32 64
  store i64 1, ptr %header
  %place = getelementptr {{ i64, ptr, ptr, ptr, i64 }}, ptr %header, i32 0, i32 3
  store ptr %data, ptr %place
  ret ptr %header
}}

define void @NRT_MemInfo_call_dtor(ptr %header) {{
  %live = load i32, ptr @arena.live
  %less = sub i32 %live, 1
  store i32 %less, ptr @arena.live
  %empty = icmp eq i32 %less, 0
  br i1 %empty, label %clear, label %done
clear:
  store i32 0, ptr @arena.used
  br label %done
done:
  ret void
}}

define double @sqrt(double %x) {{
  %root = call double @llvm.sqrt.f64(double %x)
  ret double %root
}}

; WebAssembly has no fused product and sum. That of float32 is exact in float64 but for how it is rounded twice.
define <16 x float> @fused(<16 x float> %a, <16 x float> %b, <16 x float> %c) alwaysinline {{
  %wide.a = fpext <16 x float> %a to <16 x double>
  %wide.b = fpext <16 x float> %b to <16 x double>
  %wide.c = fpext <16 x float> %c to <16 x double>
  %product = fmul <16 x double> %wide.a, %wide.b
  %sum = fadd <16 x double> %product, %wide.c
  %result = fptrunc <16 x double> %sum to <16 x float>
  ret <16 x float> %result
}}

declare double @llvm.sqrt.f64(double)
declare void @llvm.trap()
"""

_REPLACED = {
    "llvm.exp.f64": "exponential", "llvm.log.f64": "logarithm", "tanhf": "hyperbolic_tangent",
    "llvm.fma.v16f32": "fused",
}  # fmt: skip
"""What is called in the IR and missing in WebAssembly, and what is called in its place."""

_EXCEPTIONS = ("NRT_", "Py", "numba_")
"""Beginnings of the names of functions that only exceptions call; any other that is missing fails to link."""


_REFERENCES = re.compile(r'^ *(?:tail )?call void @"?NRT_(?:incref|decref)"?\(.*\n', re.MULTILINE)
"""Calls that count references to arrays."""


def main(target: Path) -> None:
    """Write the module to a file."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(opt=3, cpu="mvp", features=FEATURES)
    names = [function.__name__ for function, _, _ in EXPORTS]
    functions = [*EXPORTS, *((function, kind, (kind,)) for function, kind in MATHEMATICS.items())]
    module = _linked(_retargeted(_ir(*function), machine) for function in functions)
    module.link_in(llvm.parse_assembly(_head(machine) + _RUNTIME.format(bytes=ARENA_BYTES)))
    module.link_in(llvm.parse_assembly(_head(machine) + _traps(module)))
    _optimize(module, names, machine)
    with tempfile.TemporaryDirectory() as folder:
        object_file = Path(folder, "speicher.o")
        object_file.write_bytes(machine.emit_object(module))
        exports = [f"--export={name}" for name in [*names, "__heap_base"]]
        options = ["--no-entry", "--strip-all", "--stack-first", "-z", f"stack-size={STACK_BYTES}"]
        subprocess.run([linker(), *options, *exports, "-o", str(target), str(object_file)], check=True)


def _ir(function: Any, result: Any, arguments: tuple[Any, ...]) -> str:
    """The IR of one function with all that it calls, and the name that JavaScript sees."""
    compiled = numba.cfunc(result(*arguments), error_model="numpy")(function)
    text: str = compiled.inspect_llvm()
    if function.__module__ == solver.__name__:
        # It is given all its memory, and hands on dozens of arrays in each call: counting them is most of its code.
        text = _REFERENCES.sub("", text)
    return text.replace(f"@{compiled._wrapper_name}(", f"@{function.__name__}(")


def _retargeted(text: str, machine: Any) -> str:
    """IR for WebAssembly, made from IR for this processor."""
    text = re.sub(r"^(target|source_filename).*\n", "", text, flags=re.MULTILINE)
    # Python objects and their addresses: nothing that is compiled here reads them.
    text = re.sub(r"= common (local_unnamed_addr )?global", "= internal global", text)
    text = re.sub(r"(@numba\.dynamic\.globals\.\w+) = .*", r"\1 = internal global ptr null", text)
    text = re.sub(r"\bnoinline\b", "nounwind", text)  # Numba's counters of references
    for missing, replacement in _REPLACED.items():
        text = text.replace(f"@{missing}(", f"@{replacement}(")
    text = re.sub(r'"(target-cpu|target-features)"="[^"]*"', "nounwind", text)
    return _head(machine) + text


def _head(machine: Any) -> str:
    return f'target datalayout = "{machine.target_data}"\ntarget triple = "{TRIPLE}"\n'


def _linked(texts: Iterable[str]) -> Any:
    module = llvm.parse_assembly("")
    for text in texts:
        module.link_in(llvm.parse_assembly(text))
    return module


def _traps(module: Any) -> str:
    """Definitions of what exceptions call: they stop the module."""
    lines = ["declare void @llvm.trap()"]
    for function in module.functions:
        name = function.name
        if function.is_declaration and name.startswith(_EXCEPTIONS):
            kind = str(function.global_value_type)
            result, arguments = re.fullmatch(r"(.*?) ?\((.*)\)", kind).groups()  # type: ignore[union-attr]
            lines.append(f'define {result} @"{name}"({arguments}) {{\n  call void @llvm.trap()\n  unreachable\n}}')
    return "\n".join(lines)


def _optimize(module: Any, names: list[str], machine: Any) -> None:
    for function in module.functions:
        if not function.is_declaration:
            function.linkage = "external" if function.name in names else "internal"
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = tuning.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
