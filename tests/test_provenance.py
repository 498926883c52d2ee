"""Results name the software that made them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from speicher_training import provenance


def test_the_commit_is_that_of_this_software_and_of_no_project_around_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site-packages" / "provenance.py"
    package.parent.mkdir()
    package.write_text("")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--allow-empty", "--message", "theirs"], check=True)
    monkeypatch.setattr(provenance, "__file__", str(package))
    assert provenance.commit() == {"commit": None, "changed": None}
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message", "ours"], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    assert provenance.commit() == {"commit": head, "changed": False}
    package.write_text("changed")
    assert provenance.commit() == {"commit": head, "changed": True}


def test_only_packages_that_are_installed_have_a_version() -> None:
    found = provenance.versions(("numpy", "no-such-package"))
    assert list(found) == ["python", "speicher-env", "numpy"]
    assert provenance.processor() and provenance.describe_machine()["usable_cores"] >= 1


@pytest.mark.skipif(os.name != "posix", reason="needs process groups")
def test_ctrl_c_does_not_reach_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git = tmp_path / "git"
    git.write_text(f"#!{sys.executable}\nimport os\nprint(os.getpgid(0))\n")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    group = provenance.commit()["commit"]
    assert group is not None and int(group) != os.getpgid(0)
