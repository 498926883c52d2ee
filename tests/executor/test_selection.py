"""The options of a command name an executor, and a wrong one is refused in a sentence."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from speicher_env.errors import ArgumentError
from speicher_training.arena import arena
from speicher_training.executor import InProcess, Processes, WorkerError, executor_for
from tests.support.toys import First


def test_one_job_is_done_here_and_several_in_processes() -> None:
    assert isinstance(executor_for(jobs=1), InProcess)
    assert isinstance(executor_for(jobs=2), Processes)


@pytest.mark.parametrize("ray", ["", "here", "head", "head:", "ray://head:10001", "head:6379/x"])
def test_a_text_that_names_no_cluster_is_refused(ray: str) -> None:
    with pytest.raises(ArgumentError, match=r"ray=.*: must be auto, local or the HOST:PORT of a cluster"):
        executor_for(ray)


def test_without_ray_one_sentence_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("speicher_training.executor.selection.find_spec", lambda name: None)
    with pytest.raises(WorkerError, match=r"needs the package ray: pip install 'speicher-env\[ray\]'"):
        executor_for("local")


def test_player_objects_are_refused_on_a_cluster() -> None:
    with pytest.raises(ArgumentError, match="players: must be specs, with ray"):
        arena({"random": "random", "first": First()}, deals=1, ray="auto")


@pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray: pip install 'speicher-env[ray]'")
@pytest.mark.parametrize("place", ["127.0.0.1:1", "127.0.0.1:99999", "[::1]:1"])
def test_an_address_where_nothing_listens_is_refused_at_once(place: str) -> None:
    with pytest.raises(WorkerError, match="no Ray cluster answers there"):
        executor_for(place)
