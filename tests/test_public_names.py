"""What is public is said: modules list it in `__all__`, and no module imports from another what is not listed there."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACES = (ROOT, ROOT / "agents", ROOT / "training", ROOT / "apps")


@cache
def modules() -> dict[str, ast.Module]:
    """The modules of all packages, by name."""
    packages = [marker.parent for place in PLACES for marker in place.glob("speicher_*/__init__.py")]
    return {
        ".".join(file.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__"): ast.parse(
            file.read_text(encoding="utf-8")
        )
        for package in packages
        for file in package.rglob("*.py")
    }


def listed(tree: ast.Module) -> list[str] | None:
    """The names in `__all__`, None without one."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__":
            return [str(name) for name in ast.literal_eval(node.value)]
    return None


def test_every_module_that_defines_something_lists_what_is_public() -> None:
    defining = (ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
    missing = [
        name
        for name, tree in modules().items()
        if listed(tree) is None and any(isinstance(node, defining) for node in tree.body)
    ]
    assert len(modules()) > 200
    assert missing == []


def test_modules_import_from_each_other_only_what_is_public() -> None:
    private = [
        f"{importer}: {node.module}.{alias.name}"
        for importer, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in modules()
        for alias in node.names
        if f"{node.module}.{alias.name}" not in modules() and not alias.name.startswith("_")
        if alias.name not in (listed(modules()[node.module]) or [])
    ]
    assert private == []
