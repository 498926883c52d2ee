"""A training run from its recipe to an exported baseline, which can be interrupted at any moment and resumed.

`Run.train` has the stages in order: prepare or resume, pretraining, learning, learning from search, imitation at the
end, value fine-tuning, export.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.logger import Logger

from speicher_agents.baselines import Baseline, Card, Network
from speicher_env.deck import edition_of
from speicher_env.errors import ArgumentError
from speicher_training.executor import Executor, InProcess, WorkerError, executor_for
from speicher_training.executor.luggage import pack_luggage
from speicher_training.train.acting import Acting
from speicher_training.train.baseline_files import write_baseline
from speicher_training.train.checkpoint import CheckpointCallback, restore_learner
from speicher_training.train.evaluation import WinShare, evaluate, evaluate_all
from speicher_training.train.evaluation_callback import EvaluationCallback
from speicher_training.train.export import load_into, network_of, read_start
from speicher_training.train.features import Features
from speicher_training.train.gradients import Gradients
from speicher_training.train.imitation import Imitation, ImitationProgress
from speicher_training.train.league import League, Snapshots
from speicher_training.train.learner import Learner, make_learner
from speicher_training.train.metrics import (
    EVALUATION,
    IMITATION,
    PRETRAINING,
    SEARCH,
    VALUE_FINETUNING,
    Line,
    MetricsFile,
    evaluation_curves,
)
from speicher_training.train.policy import SparsePolicy, computes_in_half
from speicher_training.train.recipe import Recipe
from speicher_training.train.rollouts import Rollouts
from speicher_training.train.run_folder import RunFolder, origin
from speicher_training.train.run_settings import RunSettings
from speicher_training.train.search_learning import SearchLearning, SearchProgress
from speicher_training.train.selfplay import SelfPlay, SelfPlayRounds
from speicher_training.train.settings import ImitationSettings, PretrainingSettings
from speicher_training.train.tensorboard import StageBoards, TensorBoard
from speicher_training.train.value_finetuning import FinetuningProgress, finetune_value

__all__ = ["Run", "RunSettings", "Trained", "train"]

FOREVER = 2**60
"""Decisions of a run that a time limits."""


@dataclass(frozen=True)
class Trained:
    """The result of a run."""

    folder: Path
    card: Path | None
    """Of the exported baseline; None if the run was interrupted in its pretraining."""
    steps: int
    """Decisions of the learner, those before an interruption included."""
    seconds: float
    """Of the run, those before an interruption included."""
    evaluation: list[WinShare]
    """The last evaluation."""
    complete: bool
    """Whether the run has come to its end and was not interrupted."""


def train(recipe: Recipe, out: Path, **options: Any) -> Trained:
    """Train by a recipe; a run that is in the folder already resumes from its last checkpoint.

    The options are the fields of `RunSettings`, by name: `steps` or `minutes`, `clock`, `seed`, `start`, `plots`,
    `evaluation_deck`, `watch` and `interrupted`.

    Args:
        recipe: All settings of the learning.
        out: The run's folder.
        options: How the run is carried out, such as `steps=100_000` or `seed=7`.

    Raises:
        ArgumentError: For an argument that is wrong, before anything is written.
        FileError: For a folder that is in use, of another run or damaged, or a file that cannot be written or read.
    """
    return Run(recipe, out, RunSettings(**options)).train()


class Clock:
    """The times of a run, those before an interruption included."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._origin = now()
        self._learning_since: float | None = None

    @property
    def seconds(self) -> float:
        """Since the run began."""
        return self._now() - self._origin

    def begin_learning(self) -> None:
        """Note that learning begins now, unless it began before an interruption."""
        if self._learning_since is None:
            self._learning_since = self.seconds

    def times(self) -> dict[str, float]:
        """Seconds since the run began and since learning began, as the metrics give them."""
        times = {"seconds": round(self.seconds, 3)}
        if self._learning_since is not None:
            times["learning_seconds"] = round(self.seconds - self._learning_since, 3)
        return times

    def state(self) -> dict[str, float | None]:
        """What a checkpoint keeps."""
        return {"seconds": self.seconds, "learning_since": self._learning_since}

    def restore(self, state: Mapping[str, float | None]) -> None:
        """Continue from a checkpoint."""
        self._origin = self._now() - (state["seconds"] or 0.0)
        self._learning_since = state["learning_since"]


class Run:
    """One training run."""

    def __init__(self, recipe: Recipe, out: Path, settings: RunSettings) -> None:
        """Make ready; `train` does the work.

        Args:
            recipe: All settings of the learning.
            out: The run's folder.
            settings: How the run is carried out.
        """
        settings.check(recipe)
        self.recipe, self.settings = recipe, settings
        self.steps = settings.most_steps(recipe) or FOREVER
        self.card = _card_of(recipe)
        self.newest = Baseline((self.card, Network.zeros(recipe.shape)), temperature=1.0, seed=settings.seed)
        self.folder = RunFolder(out, recipe, settings.seed, settings.start)
        self.clock = Clock(settings.clock)
        self.stopped = False
        """Whether a stage ended before its last step."""
        self.learned_until = 0.0
        """Seconds of the run at the end of learning."""
        self.model: Learner  # this and the following are made by `_prepare` or `_resume`
        self.executor: Executor
        self.gradients: Gradients
        self.metrics: MetricsFile
        self.evaluation: EvaluationCallback
        self.checkpoints: CheckpointCallback
        self.stages: dict[str, dict[str, Any]] = {}
        """Where the stages beside PPO were at the last checkpoint, by kind, with the learner's decisions by then."""

    def train(self) -> Trained:
        """Carry out the stages that remain.

        Raises:
            ArgumentError: If there is no such cluster, or the workers do not finish their work.
        """
        try:
            return self._train()
        except WorkerError as error:
            raise ArgumentError(str(error)) from None

    def _train(self) -> Trained:
        torch.set_num_threads(1)  # `Gradients` has threads of its own, on which the result does not depend
        history: list[dict[str, Any]] = []
        network = None
        start = self.settings.start
        if start is not None and not self.folder.has_checkpoint():  # later the baseline may be another one
            start_card, network = read_start(start, self.card)
            history = start_card.history
        with ExitStack() as stack:
            stack.enter_context(self.folder.open(self.newest.network.parameters, history))
            finished = self._finished()
            if finished is not None:
                return finished
            self.executor = stack.enter_context(executor_for(self.settings.ray, self.settings.jobs))
            self.gradients = stack.enter_context(Gradients(self.settings.threads))
            self.folder.remove_finished()
            checkpoint = self.folder.read_checkpoint()
            if checkpoint is not None:
                self._resume(checkpoint)
            else:
                self._prepare(network)
            if PRETRAINING in self.stages or (checkpoint is None and network is None):
                self._pretrain()
                if self.settings.interrupted():
                    self.model.logger.close()
                    return Trained(self.folder.path, None, 0, self.clock.seconds, [], False)
            self._learn(resumed=checkpoint is not None)
            policy, card = self._learn_from_search()
            policy = self._imitate_at_the_end(policy, card)
            return self._export(*self._finetune_value(policy, card))

    def _finished(self) -> Trained | None:
        """The result of a run that came to its end before; None if something is left to do."""
        results = self.folder.read_finished()
        if results is None:
            return None
        limit = self.settings.most_seconds
        if limit is None and results["steps"] < self.steps:
            return None
        if limit is not None and results["learned_until"] < limit:
            return None
        path = self.folder.path
        if self.settings.plots and not (path / "curves.png").exists():
            self._draw_curves()
        evaluation = [WinShare(**result) for result in results["evaluation"]]
        return Trained(path, path / "baseline.json", results["steps"], results["seconds"], evaluation, True)

    # Prepare or resume

    def _prepare(self, start: Network | None) -> None:
        """Make a learner that has learned nothing or has the weights of a baseline."""
        self._make_learner()
        self.metrics.begin()  # without the lines of a run that ended before its first checkpoint
        self._fit_scaling(start)
        self._set_logger()

    def _resume(self, checkpoint: dict[str, Any]) -> None:
        """Put everything back as it was at the last checkpoint."""
        self._make_learner()
        restore_learner(checkpoint, self.model, self.folder.read_snapshot)
        self.clock.restore(checkpoint["clock"])
        self.evaluation.restore(checkpoint["evaluation"])
        self.checkpoints.last = self.model.num_timesteps
        self.stages = checkpoint["stages"]
        self.metrics.begin(checkpoint["metrics"])
        self._set_logger()
        logger = self.model.logger
        logger.name_to_value.update(checkpoint["logged"]["values"])
        logger.name_to_count.update(checkpoint["logged"]["counts"])
        logger.name_to_excluded.update(checkpoint["logged"]["excluded"])
        for line in _newest_lines(self.metrics.lines):
            self.settings.watch(line)

    def _make_rollouts(self) -> Rollouts:
        recipe, settings, seed = self.recipe, self.recipe.league, self.settings.seed
        league = League(
            self.newest, shares={kind: getattr(settings, kind) for kind in ("newest", "past", "scripted")},
            anchors=settings.anchors, hardness=settings.hardness, keep=settings.keep, at_once=settings.at_once,
            memory=settings.memory, seed=seed,
        )  # fmt: skip
        snapshots = Snapshots(league, settings.snapshot_steps, settings.snapshot_score, self.folder.save_snapshot)
        return Rollouts(
            self.executor,
            Acting(self.card, seed, pack_luggage(self.executor, settings.anchors), recipe.ppo.masked,
                   recipe.ppo.every_newest),
            league, snapshots,
            players=recipe.game.players, decks=recipe.ppo.decks or recipe.game.decks,
            decisions=recipe.ppo.games * recipe.ppo.rollout,
        )  # fmt: skip

    def _make_learner(self) -> None:
        """Make the learner and the callbacks of the run."""
        recipe = self.recipe
        self.model = make_learner(recipe.shape, recipe.ppo, self.settings.seed)
        self.model.rollouts, self.model.gradients = self._make_rollouts(), self.gradients
        self._policy.half_precision = computes_in_half(recipe.run.precision)
        self.stages = {}
        self.model.stop = self._should_stop
        limit = self.settings.most_seconds
        if limit is not None:
            self.model.remaining = lambda: 1.0 - self.clock.seconds / limit
        self.metrics = MetricsFile(self.folder.metrics, self.clock.times, self.settings.watch)
        self.boards = StageBoards(self.folder.tensorboard)
        self.evaluation = EvaluationCallback(
            self.card, recipe.run.evaluation_opponents, recipe.run.evaluation_deals, recipe.run.evaluation_steps,
            self.settings.deck_of_evaluations(recipe), self.metrics.add, lambda: self.clock.seconds,
            self.model.rollouts.play_seats,
        )  # fmt: skip
        self.checkpoints = CheckpointCallback(self.folder.checkpoint, recipe.run.checkpoint_steps, self._state)
        self.checkpoints.init_callback(self.model)  # stages before PPO keep checkpoints, too

    @property
    def _policy(self) -> SparsePolicy:
        policy = self.model.policy
        assert isinstance(policy, SparsePolicy)
        return policy

    def _set_logger(self) -> None:
        board = TensorBoard(self.folder.tensorboard, self.model.num_timesteps)
        self.model.set_logger(Logger(str(self.folder.path), [self.metrics, board]))

    def _add(self, line: Line) -> None:
        """Add a line of a stage before or after learning to the metrics and to TensorBoard."""
        self.metrics.add(line)
        self.boards.add(line)

    def _fit_scaling(self, start: Network | None) -> None:
        """Scale observations by those of games with each number of players, before anything is learned."""
        settings, policy, card = self.recipe.pretraining, self.model.policy, self.card
        if start is not None:
            load_into(policy, start)
        teacher = settings.teacher if settings.decisions and start is None else ""
        job = SelfPlay(card, self.settings.seed, teacher)
        decks = self.recipe.game.decks
        with closing(SelfPlayRounds(InProcess(), job, decks, settings.decisions)) as rounds:
            games = [rounds.games(network_of(policy)) for _ in card.players]
        seen = [each.decisions.rows for each in games if each is not None]
        rows = card.shape.row_format._replace(dtype="uint8").floats(np.concatenate(seen))
        features = policy.features_extractor
        assert isinstance(features, Features)
        features.fit(rows)
        if start is not None:
            load_into(policy, start)  # again: the network is the same whatever the scaling

    def _state(self) -> dict[str, Any]:
        """What a checkpoint keeps, beside the learner, its games and the league."""
        logger = self.model.logger
        logged = {
            "values": dict(logger.name_to_value),
            "counts": dict(logger.name_to_count),
            "excluded": dict(logger.name_to_excluded),
        }
        return {
            "clock": self.clock.state(), "evaluation": self.evaluation.state(), "metrics": self.metrics.lines,
            "logged": logged, "stages": self.stages, **self.folder.state(),
        }  # fmt: skip

    # Imitation

    def _pretrain(self) -> None:
        """Imitate the teacher of the recipe, if it has one."""
        settings = self.recipe.pretraining
        if settings.decisions:
            self._imitate(PRETRAINING, self._policy, self.card, settings, self.settings.seed, self._should_stop)
        if not self.settings.interrupted():
            self.stages.pop(PRETRAINING, None)
            self.checkpoints.last = -1  # the next one is due at once

    def _imitate_at_the_end(self, policy: SparsePolicy, card: Card) -> SparsePolicy:
        """Train a copy of the policy to imitate the teacher on some decks, and evaluate it; return it."""
        settings = self.recipe.imitation
        if not settings.decisions or self._ended_early:
            return policy
        policy = deepcopy(policy)
        done = self._imitate(IMITATION, policy, card, settings, self.settings.seed + 1, self._interrupted)
        if not self._ended_early:
            self.evaluation.results = self._evaluate(policy, card, self.model.num_timesteps + done)
        return policy

    def _imitate(
        self, kind: str, policy: SparsePolicy, card: Card, settings: PretrainingSettings | ImitationSettings, seed: int,
        stop: Callable[[], bool],
    ) -> int:  # fmt: skip
        """Train a policy to imitate the teacher of the recipe; return the decisions that it learned from.

        What it has learned is kept with the checkpoints of the run, also when it is interrupted.
        """
        recipe, steps = self.recipe, self.model.num_timesteps
        stage = Imitation(
            policy, card, recipe.pretraining.teacher, settings.decisions, decks=recipe.game.decks,
            executor=self.executor, batch_size=settings.batch_size, learning_rate=settings.learning_rate,
            value_weight=recipe.ppo.value_weight, masked=recipe.ppo.masked,
            taught=settings.decks if isinstance(settings, ImitationSettings) else None, seed=seed,
            gradients=self.gradients,
        )  # fmt: skip
        if kind in self.stages and self.stages[kind]["steps"] == steps:
            stage.restore(self.stages[kind])
        kept = stage.done

        def watch(progress: ImitationProgress) -> None:
            self._add({"kind": kind, "steps": steps, **asdict(progress), "of": settings.decisions})

        def keep() -> None:
            nonlocal kept
            if stage.done - kept >= recipe.run.checkpoint_steps:
                kept = stage.done
                self._keep_stage(kind, steps, stage.state())

        stage.learn(watch, stop, keep)
        if stop():
            self._keep_stage(kind, steps, stage.state())
        return stage.done

    def _keep_stage(self, kind: str, steps: int, state: dict[str, Any]) -> None:
        """Keep where a stage is, in a checkpoint."""
        self.stages[kind] = {"steps": steps, **state}
        self.checkpoints.save()

    def _evaluate(self, policy: SparsePolicy, card: Card, steps: int) -> list[WinShare]:
        """Evaluate a policy that is not the learner's."""
        recipe = self.recipe.run
        results = evaluate_all(
            Baseline((card, network_of(policy))), recipe.evaluation_opponents, card.players, recipe.evaluation_deals,
            self.settings.deck_of_evaluations(self.recipe),
        )  # fmt: skip
        for result in results:
            self.metrics.add({"kind": EVALUATION, "steps": steps, **asdict(result)})
        return results

    # Learning

    def _should_stop(self) -> bool:
        """Whether a person or the time ends the run now."""
        limit = self.settings.most_seconds
        self.stopped = self.settings.interrupted() or (limit is not None and self.clock.seconds >= limit)
        return self.stopped

    @property
    def _ended_early(self) -> bool:
        """Whether a person has ended the run before its end."""
        return self.stopped and self.settings.interrupted()

    def _learn(self, *, resumed: bool) -> None:
        """Learn by PPO against the league until the steps or minutes are used up, then evaluate and keep a checkpoint.

        After an interruption the checkpoint does not hold the last evaluation, and the run resumes without it.
        """
        self.clock.begin_learning()
        self.stopped = False
        callbacks = [self.checkpoints, self.evaluation]
        steps = self.steps - (self.model.num_timesteps if resumed else 0)
        try:
            if steps > 0:
                self.model.learn(steps, CallbackList(callbacks), reset_num_timesteps=not resumed)
            else:
                for callback in callbacks:
                    callback.init_callback(self.model)
                    callback.num_timesteps = self.model.num_timesteps
                self.evaluation.on_training_end()
        finally:
            self.model.rollouts.close()
        self.learned_until = self.clock.seconds
        if not self._ended_early:
            self.checkpoints.save()

    # Learning from search

    def _learn_from_search(self) -> tuple[SparsePolicy, Card]:
        """Train a copy of the policy by what searches find; return it with its card.

        The run keeps the policy that PPO has taught, in case it continues. What was learned from search is evaluated
        against the network as it was before.
        """
        recipe, settings, steps = self.recipe, self.recipe.search, self.model.num_timesteps
        if not settings.decisions or self._ended_early:
            return self._policy, self.card
        before = Baseline((self.card, network_of(self._policy)))
        before.name = "before"
        policy, card = deepcopy(self._policy), replace(self.card, reward="outcome")
        stage = SearchLearning(
            policy, card, settings, self.executor, decks=recipe.game.decks, seed=self.settings.seed,
            gradients=self.gradients,
        )  # fmt: skip
        if SEARCH in self.stages and self.stages[SEARCH]["steps"] == steps:
            stage.restore(self.stages[SEARCH])
        evaluated = kept = stage.decisions

        def evaluate_now() -> None:
            for players in card.players:
                player = Baseline((card, network_of(policy)))
                deck = self.settings.deck_of_evaluations(recipe)
                result = evaluate(player, before, players, recipe.run.evaluation_deals, deck)
                self.metrics.add({"kind": EVALUATION, "steps": steps + stage.decisions, **asdict(result)})

        def watch(progress: SearchProgress) -> None:
            nonlocal evaluated
            self._add({"kind": SEARCH, "steps": steps, **asdict(progress), "of": settings.decisions})
            if stage.decisions - evaluated >= recipe.run.evaluation_steps or stage.decisions >= settings.decisions:
                evaluated = stage.decisions
                evaluate_now()

        def keep() -> None:
            nonlocal kept
            if stage.decisions - kept >= recipe.run.checkpoint_steps:
                kept = stage.decisions
                self._keep_stage(SEARCH, steps, stage.state())

        stage.learn(watch, self._interrupted, keep)
        if not self._ended_early:
            self._keep_stage(SEARCH, steps, stage.state())
        return policy, card

    def _interrupted(self) -> bool:
        self.stopped = self.settings.interrupted()
        return self.stopped

    # Value fine-tuning

    def _finetune_value(self, policy: SparsePolicy, card: Card) -> tuple[SparsePolicy, Card]:
        """Train a copy of the value to predict who wins; return the policy to export and its card.

        The run keeps the value that its own payoffs have taught, in case it continues. Interrupted here, a run begins
        value fine-tuning again when it resumes.
        """
        settings = self.recipe.value_finetuning
        if card.reward == "outcome" or not settings.decisions or self._ended_early:
            return policy, card
        policy = deepcopy(policy)
        steps = self.model.num_timesteps

        def watch(progress: FinetuningProgress) -> None:
            self._add({"kind": VALUE_FINETUNING, "steps": steps, **asdict(progress), "of": settings.decisions})

        card = finetune_value(
            policy, self.card, settings.decisions, decks=self.recipe.game.decks, executor=self.executor,
            batch_size=settings.batch_size,
            learning_rate=settings.learning_rate, random_moves=settings.random_moves, trace=settings.trace,
            seed=self.settings.seed, gradients=self.gradients, watch=watch, stop=self._interrupted,
        )  # fmt: skip
        return policy, card

    # Export

    def _export(self, policy: SparsePolicy, card: Card) -> Trained:
        """Write the baseline and the curves; return the result of the run."""
        path, steps, evaluation = self.folder.path, self.model.num_timesteps, self.evaluation.results
        results = [asdict(result) for result in evaluation]
        training = {
            "recipe": self.recipe.name, "settings": self.recipe.tables, "seed": self.settings.seed,
            "from": self.settings.start, "steps": steps,
            "precision": "bfloat16" if computes_in_half(self.recipe.run.precision) else "float32",
            "minutes": round(self.clock.seconds / 60, 2), **origin(), "before": self.folder.before,
            "curve": evaluation_curves(self.metrics.lines),
        }  # fmt: skip
        card_path = write_baseline(
            network_of(policy), path, self.recipe.name, players=card.players, deck=card.deck, padded=card.padded,
            reward=card.reward, training=training, strength={"development": results}, edition=card.edition,
        )  # fmt: skip
        if self.settings.plots:
            self._draw_curves()
        self.model.logger.close()
        seconds = self.clock.seconds
        if not self._ended_early:
            self.folder.write_finished(
                {"steps": steps, "seconds": seconds, "learned_until": self.learned_until, "evaluation": results}
            )
        return Trained(path, card_path, steps, seconds, evaluation, not self._ended_early)

    def _draw_curves(self) -> None:
        from speicher_training.train.plots import save_curves  # matplotlib takes half a second to import

        save_curves(self.folder.path)


def _card_of(recipe: Recipe) -> Card:
    """A card for the networks of a recipe, without weights."""
    game = recipe.game
    return Card(
        name=recipe.name, players=tuple(sorted(game.players)), deck=", ".join(game.decks),
        edition=", ".join(map(edition_of, game.decks)), padded=game.padded, reward=game.reward, shape=recipe.shape,
        weights="", sha256="",
    )  # fmt: skip


def _newest_lines(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The last line of each kind, number of players and opponent, in the order of the file."""
    newest = {(line["kind"], line.get("players"), line.get("opponent")): number for number, line in enumerate(lines)}
    return [lines[number] for number in sorted(newest.values())]
