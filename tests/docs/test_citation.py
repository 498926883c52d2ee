"""CITATION.cff is what tools that read it expect, and speaks of this version."""

from __future__ import annotations

import tomllib

import pytest

from tests.support.pages import ROOT

yaml = pytest.importorskip("yaml", reason="the extra [docs] is not installed")

NEEDED = {"cff-version", "message", "title", "authors"}
KNOWN = NEEDED | {
    "abstract", "commit", "contact", "date-released", "doi", "identifiers", "keywords", "license", "license-url",
    "preferred-citation", "references", "repository", "repository-artifact", "repository-code", "type", "url",
    "version",
}  # fmt: skip
"""The keys of Citation File Format 1.2.0: those that must be there, and those that may."""
OF_PERSONS = {"family-names", "given-names", "name-particle", "name-suffix", "affiliation", "orcid"}


@pytest.fixture
def citation() -> dict:
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


@pytest.fixture
def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_citation_has_what_the_format_asks_for_and_nothing_it_does_not_know(citation: dict) -> None:
    assert set(citation) >= NEEDED and set(citation) <= KNOWN
    assert citation["cff-version"] == "1.2.0" and citation["type"] in ("software", "dataset")
    assert all(isinstance(citation[key], str) and citation[key] for key in ("message", "title", "abstract", "version"))
    assert citation["authors"]
    for author in citation["authors"]:
        assert isinstance(author.get("name"), str) or (author and set(author) <= OF_PERSONS)
    assert len(set(citation["keywords"])) == len(citation["keywords"]) > 0


def test_the_citation_speaks_of_this_version_and_licence(citation: dict, project: dict) -> None:
    assert citation["version"] == project["version"]
    assert citation["license"] == project["license"]
    assert citation["title"] == project["name"]


def test_the_readme_says_where_the_citation_is() -> None:
    assert "CITATION.cff" in (ROOT / "README.md").read_text(encoding="utf-8")
