"""The forms of folders: of an arena, and of a training run.

One file of a sound folder is damaged, or files are removed, exchanged or added, and the run is asked for again. It must
give what the sound folder gives, or be refused in one sentence, and then nothing in the folder has changed.
"""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from speicher_training.arena import ArenaError, Results, arena, load_results
from speicher_training.arena.store import Store
from speicher_training.files import JsonLines
from tests.support.fuzz_inputs.forms import (
    ACCEPTED,
    KNOWN,
    UNCHANGED,
    Form,
    Parts,
    check_sentence,
    content_of,
    expect,
    made_once,
)
from tests.support.fuzz_inputs.mutations import damaged, damaged_value

LINES = 10**7


class _Base(NamedTuple):
    """A sound folder and what it gives."""

    folder: Path
    results: Any


def _damage(rng: random.Random, base: _Base) -> Parts:
    """Damage to the files of a folder: by name the new content, None for a file that is removed."""
    names = sorted(
        str(path.relative_to(base.folder)) for path in base.folder.rglob("*") if path.is_file() and path.name != ".lock"
    )
    name, other = rng.choice(names), rng.choice(names)
    content = (base.folder / name).read_bytes()
    kind = rng.randrange(10)
    if kind == 0:
        return {"files": {name: None}}
    if kind == 1:
        return {"files": {name: (base.folder / other).read_bytes()}}
    if kind == 2:
        return {"files": {name: content[: rng.randrange(len(content) + 1)]}}
    if kind == 3:
        return {"files": {f"{rng.choice(('x', '.x', '.lock.x'))}{rng.randrange(10)}": content}}
    if kind == 4:
        return {"files": {name: damaged(content, rng), other: damaged((base.folder / other).read_bytes(), rng)}}
    return {"files": {name: damaged(content, rng, (base.folder / other).read_bytes())}}


def _laid_out(parts: Parts, base: _Base, place: Path) -> Path:
    """The damaged folder."""
    folder = place / "run"
    shutil.copytree(base.folder, folder)
    for name, content in parts["files"].items():
        if content is None:
            (folder / name).unlink()
        else:
            (folder / name).write_bytes(content)
    return folder


# The arena

DEALS = 6


def _arena(own: Path, shared: Path) -> _Base:
    folder = made_once(shared / "arena", _play_arena)
    return _Base(folder, _numbers(load_results(folder)))


def _play_arena(folder: Path) -> Results:
    return arena(["random", "frugal"], deals=DEALS, lanes=8, seed=1, replicates=20, plots=False, output=folder)


def _numbers(summary: dict[str, Any]) -> dict[str, Any]:
    return json.loads(json.dumps({key: value for key, value in summary.items() if key != "decision_times"}))


def _damaged_arena(rng: random.Random, base: _Base) -> Parts:
    if rng.random() < 0.8:
        return _damage(rng, base)
    lines = [json.loads(line) for line in (base.folder / "deals.jsonl").read_text().splitlines()]
    for line in lines:
        line.pop("sha256")
    place = rng.randrange(len(lines))
    changed = damaged_value(lines[place], rng)
    lines[place] = changed if isinstance(changed, dict) and changed else {"chunk": place}
    return {"files": {}, "lines": lines}  # with right digests, as somebody who knows the format writes them


def _read_arena(parts: Parts, base: _Base, place: Path) -> str:
    folder = _laid_out(parts, base, place)
    if "lines" in parts:
        plan = arena(["random", "frugal"], deals=1, lanes=8, seed=1, replicates=1, plots=False).plan
        JsonLines(folder / "deals.jsonl", Store(plan, base.folder)._deals._start).rewrite(parts["lines"])
    before = content_of(folder)
    try:
        load_results(folder)
    except KNOWN as error:
        check_sentence(str(error))
    expect(content_of(folder) == before, "reading results has changed the folder")
    try:
        results = _play_arena(folder)
    except (*KNOWN, ArenaError) as error:
        check_sentence(str(error))
        expect(content_of(folder) == before, f"a folder that is refused was changed: {error}")
        raise
    same = _numbers(results.summary) == base.results
    expect(same or "lines" in parts, "a damaged folder gives other results")
    expect(_numbers(load_results(folder)) == _numbers(results.summary), "the results that were written are others")
    return UNCHANGED if before == content_of(base.folder) else ACCEPTED


# A training run

SMALLEST: dict[str, dict[str, Any]] = {
    "network": {"policy": [4], "value": [4], "columns": []},
    "pretraining": {"decisions": 0},
    "value_finetuning": {"decisions": 0},
    "ppo": {"games": 2, "rollout": 16, "batch_size": 16, "epochs": 1, "steps": 96},
    "league": {"snapshot_steps": 32, "anchors": ["random"], "keep": 2},
    "run": {"checkpoint_steps": 32, "evaluation_steps": 64, "evaluation_deals": 2, "evaluation_opponents": ["random"]},
}
WHOLE = 40
"""One folder in this many is resumed and trained to its end; of the others only the files are read."""


STOPPED_AT = 64


def _run(own: Path, shared: Path) -> list[_Base]:
    """A run that was stopped, and the same run when it was finished."""
    finished = made_once(shared / "finished", _train)
    stopped = made_once(shared / "stopped", lambda folder: _train(folder, STOPPED_AT))
    return [_Base(folder, _result_of(finished)) for folder in (stopped, finished)]


def _train(folder: Path, until: int | None = None) -> Any:
    """Train to the end, or up to an interruption after `until` steps."""
    from speicher_training.train import train
    from speicher_training.train.recipe import recipe_from

    steps = [0]
    return train(
        recipe_from(SMALLEST, "smallest"), folder, seed=3, plots=False, watch=lambda line: steps.append(line["steps"]),
        interrupted=lambda: until is not None and steps[-1] >= until,
    )  # fmt: skip


def _result_of(folder: Path) -> dict[str, Any]:
    """What a run leads to, without its times."""
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    metrics = [{key: value for key, value in line.items() if "seconds" not in key} for line in lines]
    return {"weights": (folder / "baseline.safetensors").read_bytes(), "metrics": metrics}


def _damaged_run(rng: random.Random, bases: list[_Base]) -> Parts:
    which = rng.randrange(len(bases))
    return {**_damage(rng, bases[which]), "which": which, "whole": rng.randrange(WHOLE) == 0}


def _read_run(parts: Parts, bases: list[_Base], place: Path) -> str:
    from speicher_training.train.metrics import read_metrics
    from speicher_training.train.recipe import recipe_from
    from speicher_training.train.run_folder import RunFolder

    base = bases[parts["which"]]
    folder = _laid_out(parts, base, place)
    before = content_of(folder)
    try:
        read_metrics(folder / "metrics.jsonl")
    except KNOWN as error:
        check_sentence(str(error))
    run = RunFolder(folder, recipe_from(SMALLEST, "smallest"), 3, None)
    try:
        if parts["whole"]:
            _train(folder)
            expect(_result_of(folder) == base.results, "a damaged run leads to another network or other metrics")
        else:
            with run.open(1000):
                finished, state = run.read_finished(), run.read_checkpoint()
                for name in run.digests:
                    run.read_snapshot(name)
                steps = SMALLEST["ppo"]["steps"] if parts["which"] else STOPPED_AT
                expect(state is None or state["steps"] == steps, "another checkpoint is used")
                expect(finished is None or finished["steps"] == steps, "other results are used")
    except KNOWN as error:
        check_sentence(str(error))
        if not parts["whole"]:
            now = dict(content_of(folder))
            for name in ("recipe.toml", "league"):  # made again from the settings
                now.pop(name, None), before.pop(name, None)
            expect(now == before, f"a folder that is refused was changed: {error}")
        raise
    return (
        UNCHANGED if all(before.get(name) == content for name, content in content_of(base.folder).items()) else ACCEPTED
    )


ARENA = Form("arena folder", _arena, _damaged_arena, _read_arena, seconds=20.0)
RUN = Form("run folder", _run, _damaged_run, _read_run, seconds=60.0)
