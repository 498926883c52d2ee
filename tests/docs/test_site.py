"""The site builds without a complaint, and its pages load nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.support.pages import ROOT

pytest.importorskip("mkdocs", reason="the extra [docs] is not installed")

# What a browser fetches by itself when it shows a page; links are fetched only when somebody follows them.
_LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed|object)\b[^>]*?\b(?:src|data)=["']?(?:https?:)?//[^>]*>"""
    r"""|<link\b(?![^>]*rel=["']?canonical)[^>]*?\bhref=["']?(?:https?:)?//[^>]*>"""
    r"""|@import\s+(?:url\()?["']?(?:https?:)?//[^;]*;"""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True,
    )  # fmt: skip
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def test_every_page_is_built(site):
    for page in (ROOT / "docs").glob("*.md"):
        name = "index.html" if page.stem == "index" else f"{page.stem}/index.html"
        assert (site / name).is_file(), f"{page.name} is not in the site"


def test_pages_load_nothing_from_other_sites(site):
    for page in site.rglob("*.html"):
        assert not _LOADED.findall(page.read_text(encoding="utf-8")), f"{page.relative_to(site)} asks another site"


def test_the_site_holds_pages_and_no_sources(site):
    assert not list(site.rglob("*.py"))
