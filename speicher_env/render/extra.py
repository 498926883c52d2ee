"""The packages of the extra ``[render]``, and the error if one is missing."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

__all__ = ["PICTURES", "WINDOW", "font_files", "require"]

PICTURES = {"resvg_py": "resvg-py", "PIL": "pillow", "font_hanken_grotesk": "font-hanken-grotesk"}
"""Modules that make pixels of a drawing, and the distributions that they come from."""
WINDOW = PICTURES | {"pygame": "pygame-ce"}
"""The same and what opens a window."""

_FONT_FILES = ("HankenGrotesk-Regular.otf", "HankenGrotesk-SemiBold.otf")


def require(modules: dict[str, str], feature: str) -> None:
    """Raise ImportError in one sentence if a module is missing; imports none of them."""
    missing = [distribution for module, distribution in modules.items() if find_spec(module) is None]
    if missing:
        raise ImportError(f"{feature} needs {', '.join(missing)}, which pip install 'speicher-env[render]' brings")


def font_files() -> list[str]:
    """The font that every picture is set in, so that it looks the same on every machine, one without fonts included."""
    spec = find_spec("font_hanken_grotesk")
    assert spec is not None and spec.origin is not None, "require() comes first"
    return [str(Path(spec.origin).parent / "files" / name) for name in _FONT_FILES]
