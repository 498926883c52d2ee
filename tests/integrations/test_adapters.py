"""What holds for every adapter to a framework, whether the framework is installed or not."""

from __future__ import annotations

import builtins
import importlib
import pkgutil
import subprocess
import sys
from typing import Any

import pytest

import speicher_env.integrations

MODULES = [
    module.name for module in pkgutil.walk_packages(speicher_env.integrations.__path__, "speicher_env.integrations.")
]
CORE = {"gymnasium", "numba", "numpy", "pettingzoo", "speicher_env"}


def test_importing_the_package_imports_no_adapter() -> None:
    code = "import sys, speicher_env, speicher_env.speicherstadt_v0; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert [name for name in loaded if name.startswith("speicher_env.integrations")] == []


@pytest.mark.parametrize("name", MODULES)
def test_an_adapter_without_its_framework_says_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = []
    import_any = builtins.__import__

    def import_core(module: str, names: Any = None, *rest: Any, **options: Any) -> Any:
        importer = (names or {}).get("__name__", "")
        package = module.partition(".")[0]
        level = options.get("level", rest[2] if len(rest) > 2 else 0)
        if importer.startswith("speicher_env.integrations") and not level and not _allowed(package):
            missing.append(package)
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)
        return import_any(module, names, *rest, **options)

    for loaded in [module for module in sys.modules if module.startswith("speicher_env.integrations.")]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setattr(builtins, "__import__", import_core)
    try:
        importlib.import_module(name)
    except ImportError as error:
        assert missing, error
        assert "pip install" in str(error) and "\n" not in str(error), error
    else:
        assert not missing, f"{name} imports {missing} in a place where nobody hears that it is missing"
    finally:
        for loaded in [module for module in sys.modules if module.startswith("speicher_env.integrations.")]:
            del sys.modules[loaded]


def _allowed(package: str) -> bool:
    return package in CORE or package in sys.stdlib_module_names
