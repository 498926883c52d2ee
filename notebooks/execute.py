"""Execute the notebooks, top to bottom, and keep what they show.

    python notebooks/execute.py            # all of them, written in place
    python notebooks/execute.py 03 04      # those whose names begin so

Each runs in an empty folder that is removed afterwards, on one thread. What is written is made to read well on a code
host: no times of cells, nothing of this machine, and drawings as PNG, for code hosts strip SVG or get it wrong.
"""

from __future__ import annotations

import base64
import io
import os
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import resvg_py
from nbclient import NotebookClient
from nbformat import NotebookNode
from PIL import Image
from traitlets.config import Config

from speicher_env.render.extra import font_files
from speicher_training.files import write_file

FOLDER = Path(__file__).parent
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SECONDS = 600
"""Most that a cell or the start may take, on a busy machine; the longest takes 40 s on a core of its own."""
COLOURS = 128
"""Of a drawing as PNG: few enough for a small file, enough to look the same."""
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}
"""Of every notebook; a kernel adds its version of Python."""


def executed(path: Path) -> NotebookNode:
    """The notebook as it is after running it; a cell that fails raises."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory() as own:
        # Files as the way to the kernel: two kernels that start at once could be given the same port.
        way = {"transport": "ipc", "connection_file": f"{own}/kernel.json"}
        client = NotebookClient(
            notebook, timeout=SECONDS, startup_timeout=SECONDS, kernel_name="python3",
            record_timing=False, coalesce_streams=True,
            resources={"metadata": {"path": empty}}, config=Config({"KernelManager": way}),
        )  # fmt: skip
        client.execute(env={**os.environ, **_surroundings(own)})
    return tidied(notebook)


def tidied(notebook: NotebookNode) -> NotebookNode:
    """The notebook without what belongs to one run or one machine alone."""
    notebook.metadata = METADATA
    for number, cell in enumerate(notebook.cells, start=1):
        cell.id = f"cell-{number:02d}"
        cell.metadata = {}
        for output in cell.get("outputs", []):
            shown = output.get("data", {})
            if "image/svg+xml" in shown:
                shown["image/png"] = _as_png(shown.pop("image/svg+xml"))
                shown.pop("text/html", None)
            if "metadata" in output:
                output.metadata = {}
    return notebook


def write(notebook: NotebookNode, path: Path) -> None:
    """Write a notebook, whole or not at all."""
    nbformat.validate(notebook)
    write_file(path, nbformat.writes(notebook) + "\n")


def _surroundings(folder: str) -> dict[str, str]:
    """Settings of the kernel: one thread, figures below their cells, and nothing of the user's own."""
    return {
        "OMP_NUM_THREADS": "1",
        "SPEICHER_QUIET": "1",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "IPYTHONDIR": f"{folder}/ipython",
        "JUPYTER_CONFIG_DIR": f"{folder}/config",
        "JUPYTER_RUNTIME_DIR": f"{folder}/runtime",
    }


def _as_png(drawing: str) -> str:
    """A drawing as PNG, in base64."""
    file = resvg_py.svg_to_bytes(svg_string=drawing, skip_system_fonts=True, font_files=font_files())
    small = io.BytesIO()
    with Image.open(io.BytesIO(file)) as picture:
        picture.convert("RGB").quantize(COLOURS).save(small, "PNG", optimize=True)
    return base64.b64encode(small.getvalue()).decode() + "\n"


def main(wanted: list[str]) -> None:
    """Execute those whose names begin as wanted, all unless told."""
    for path in NOTEBOOKS:
        if not wanted or path.name.startswith(tuple(wanted)):
            started = time.monotonic()
            write(executed(path), path)
            print(f"{path.name}: {time.monotonic() - started:.0f} s, {path.stat().st_size / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
