"""Every code block of the README and the site does what the page says; `pages.py` has the conventions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.pages import PAGES, ROOT, PageError, blocks_of, matches, run_page

TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_shows_what_its_code_prints(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = path.read_text(encoding="utf-8")
    assert page == run_page(page, path.name, tmp_path), "python -m tests.support.pages writes the outputs anew"


@pytest.mark.parametrize("path", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda path: path.name)
def test_a_page_names_only_targets_that_make_has(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    shell = [line for block in blocks_of(lines, path.name) if block.language == "bash"
             for line in lines[block.start : block.stop]]  # fmt: skip
    named = re.findall(r"`make ([a-z ]+)`", "\n".join(lines)) + re.findall(r"^make ([a-z ]+)", "\n".join(shell), re.M)
    assert {target for group in named for target in group.split()} <= TARGETS


def run(page: str, folder: Path) -> str:
    return run_page(page, "page.md", folder)


OUTPUTS = {
    "a wrong output is replaced": ("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n", "3", "2"),
    "an output that the page leaves out is added": ("```python\nprint(2)\n```\nend\n", "end", "\n```text\n2\n```\nend"),
    "a block that shows a file is not run": (
        "```python\n--8<--\ntraining/examples/ppo_all_seats.py\n--8<--\n```\n", "", "",
    ),
    "blocks share names": (
        "```python\ntwo = 2\n```\ntext\n```python\nprint(two)\n```\n\n```text\n2\n```\n", "", "",
    ),
    "a text block behind other text is not an output": (
        "```python\ntwo = 2\n```\nA drawing:\n```text\n3\n```\n", "", "",
    ),
    "outputs of commands are replaced one by one": (
        "```console\n$ echo one; echo two\n...\ntwo\n$ echo three\nfour\n$ true\n```\n", "four", "three",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("page", "before", "after"), OUTPUTS.values(), ids=OUTPUTS)
def test_a_page_gets_the_outputs_of_its_code(page, before, after, tmp_path):
    assert run(page, tmp_path) == page.replace(before, after)


def test_a_warning_in_a_page_is_an_error(tmp_path):
    with pytest.raises(UserWarning):
        run("```python\nimport warnings\nwarnings.warn('no')\n```\n", tmp_path)


def test_an_error_names_the_line_of_the_page(tmp_path):
    with pytest.raises(ZeroDivisionError) as raised:
        run("title\n\n```python\none = 1\none / 0\n```\n", tmp_path)
    assert raised.traceback[-1].lineno + 1 == 5


def test_a_command_that_fails_is_an_error(tmp_path):
    with pytest.raises(PageError, match="exit code 3"):
        run("```console\n$ exit 3\n```\n", tmp_path)


@pytest.mark.parametrize(
    "page",
    ["  ```python\nx\n  ```\n", "~~~python\nx\n~~~\n", "```python title\nx\n```\n", "```python\nx\n"],
    ids=["indented", "tildes", "two words", "unfinished"],
)
def test_a_block_that_would_be_overlooked_is_refused(page, tmp_path):
    with pytest.raises(PageError):
        run(page, tmp_path)


def test_dots_stand_for_any_number_of_lines():
    assert matches(["a", "...", "d"], ["a", "b", "c", "d"])
    assert matches(["a", "...", "d"], ["a", "d"])
    assert not matches(["a", "...", "d"], ["a", "b", "c"])
