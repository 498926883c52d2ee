"""Trials by Ray Tune, on this machine or on a cluster.

Tune hands out the trials, starts them again where a worker or a node was lost, and brings back what they report. What
is finished is kept by the caller, not by Tune: Tune's own state is a pickle, and lags behind.
"""

from __future__ import annotations

import logging
import os
import queue
import tempfile
import threading
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from speicher_env.errors import ArgumentError
from speicher_training.provenance import versions
from speicher_training.sweep.carry_out import MISTAKES, Watch, Work

QUIET = {
    "RAY_AIR_NEW_OUTPUT": "0",
    "RAY_CHDIR_TO_TRIAL_DIR": "0",  # relative paths in recipes mean the same in every trial
    "RAY_USAGE_STATS_ENABLED": "0",
    "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1",
    "TUNE_DISABLE_SIGINT_HANDLER": "1",  # Ctrl-C is the caller's
    "TUNE_DISABLE_STRICT_METRIC_CHECKING": "1",
    "TUNE_PRINT_ALL_TRIAL_ERRORS": "0",
    "TUNE_WARN_THRESHOLD_S": "60",
}
"""Environment variables that Ray reads when it is imported; one that is set already stays."""
for _name, _value in QUIET.items():
    os.environ.setdefault(_name, _value)

from ray import tune  # noqa: E402

from speicher_training.executor.on_ray import OnRay  # noqa: E402

__all__ = ["carry_out_by_tune", "connected"]

MOST_LOSSES = 5
"""How often a trial begins again after its worker was lost. One that is lost more often is at fault itself."""
STOP_SECONDS = 120.0
"""How long a trial may take to keep its state after Ctrl-C."""


_watches: list[Watch] = []
"""Whom callbacks tell; not a part of them, because Tune pickles callbacks, and a progress bar has locks."""


@contextmanager
def _watched_by(watch: Watch) -> Iterator[None]:
    _watches.append(watch)
    try:
        yield
    finally:
        _watches.pop()


@contextmanager
def connected(address: str, cores: int) -> Iterator[None]:
    """Be connected to Ray for the length of the block, unless this process is already.

    Args:
        address: See `carry_out`.
        cores: Of Ray on this machine alone.

    Raises:
        WorkerError: If there is no such cluster.
    """
    with OnRay(address, cores):
        logging.getLogger("ray").setLevel(logging.CRITICAL)
        yield


def carry_out_by_tune(works: Mapping[str, Work], watch: Watch, *, jobs: int | None) -> None:
    """Carry out trials by Ray Tune, to which this process is connected; see `carry_out`."""
    with _watched_by(watch), tempfile.TemporaryDirectory() as folder:
        trainable = tune.with_parameters(_Trial, works=dict(works), software=_software())
        tune.Tuner(
            tune.with_resources(trainable, {"cpu": 1}),
            param_space={"name": tune.grid_search(list(works))},
            tune_config=tune.TuneConfig(
                max_concurrent_trials=jobs,
                trial_name_creator=lambda trial: f"trial-{trial.trial_id}",
                trial_dirname_creator=lambda trial: trial.trial_id,
            ),
            run_config=tune.RunConfig(
                name="sweep",
                storage_path=folder,
                callbacks=[_Told()],
                checkpoint_config=tune.CheckpointConfig(checkpoint_at_end=False),
                failure_config=tune.FailureConfig(max_failures=MOST_LOSSES),
                stop=_StopWhenInterrupted(),
                verbose=0,
            ),
        ).fit()


def _software() -> dict[str, str]:
    """The versions that must be the same everywhere."""
    return {name: versions()[name] for name in ("python", "speicher-env")} | {"ray": version("ray")}


class _Trial(tune.Trainable):
    """A trial in its own process: its work in a thread, each of its reports a step of Tune."""

    def setup(self, config: dict[str, Any], works: dict[str, Work], software: dict[str, str]) -> None:
        self._reports: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, args=(works[config["name"]], software), daemon=True)
        self._thread.start()

    def _work(self, work: Work, software: dict[str, str]) -> None:
        try:
            if _software() != software:
                raise ArgumentError(f"a node of the cluster has {_software()}, and this machine {software}.")
            result = work(lambda report: self._reports.put({"report": report}), self._stopping.is_set)
            end = {} if result is None else {"result": result}
        except MISTAKES as error:
            end = {"failed": str(error)}
        except Exception:
            end = {"failed": traceback.format_exc()}
        self._reports.put({**end, "done": True})

    def step(self) -> dict[str, Any]:
        return self._reports.get()

    def cleanup(self) -> None:
        self._stopping.set()
        self._thread.join(STOP_SECONDS)


class _Told(tune.Callback):
    """Passes on what Tune hears of the trials."""

    def on_trial_start(self, iteration: int, trials: list[Any], trial: Any, **info: Any) -> None:
        _watches[-1].begun(trial.config["name"])

    def on_trial_result(
        self, iteration: int, trials: list[Any], trial: Any, result: dict[str, Any], **info: Any
    ) -> None:
        name = trial.config["name"]
        for kind in ("report", "result", "failed"):
            if kind in result:
                getattr(_watches[-1], kind)(name, result[kind])

    def on_trial_error(self, iteration: int, trials: list[Any], trial: Any, **info: Any) -> None:
        _watches[-1].failed(trial.config["name"], f"its worker was lost {MOST_LOSSES + 1} times.")


class _StopWhenInterrupted(tune.Stopper):
    """Ends all trials when the caller wants it."""

    def __call__(self, trial_id: str, result: dict[str, Any]) -> bool:
        return False

    def stop_all(self) -> bool:
        return _watches[-1].interrupted()
