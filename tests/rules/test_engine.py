"""The verbs on records: the example of the module runs, and every verb that it lists is there and documented."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from speicher_env import engine, rules


def test_the_example_of_the_module_runs() -> None:
    result = doctest.testmod(engine)
    assert result.attempted > 5 and result.failed == 0


@pytest.mark.nojit
def test_every_verb_is_documented_and_in_the_table() -> None:
    functions = [name for name in engine.__all__ if callable(getattr(engine, name)) and name.islower()]
    assert len(functions) >= 15
    for name in functions:
        assert getattr(engine, name).__doc__, name
        assert f"`{name}`" in (engine.__doc__ or ""), name


def test_the_rulebook_lists_all_its_parts() -> None:
    folder = Path(rules.__file__).parent
    assert sorted(rules.__all__) == sorted(path.stem for path in folder.glob("[a-z]*.py"))
