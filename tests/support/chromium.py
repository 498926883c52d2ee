"""The Chromium of this machine, headless; nothing is ever downloaded."""

from __future__ import annotations

import os
import shutil
from io import BytesIO
from typing import Any

CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"))), ""
)
MISSING = "no Chromium found: install one (Debian: apt-get install chromium), or name it in the variable CHROMIUM"

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def save_picture(page: Any, path: str) -> None:
    """Write what a page shows as a PNG of few colours."""
    from PIL import Image

    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(path, optimize=True)
