from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.served import Served, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("games")) as server:
        yield server
