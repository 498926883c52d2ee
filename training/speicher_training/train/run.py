"""`train`: a run from its recipe to an exported baseline, to be interrupted and gone on with at any moment."""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from speicher_agents.baselines import Baseline, Card, Network, Shape, read_baseline
from speicher_agents.baselines.unpad import unpad
from speicher_agents.specs import load_agent, make_player
from speicher_env.arguments import is_whole
from speicher_env.deal import DeckArgument, template_for
from speicher_env.deck import edition_of
from speicher_env.envs.sb3 import SpeicherVecEnv
from speicher_env.errors import ArgumentError
from speicher_env.messages import shown
from speicher_env.rules.state import MAX_PLAYERS
from speicher_training.train.checkpoint import (
    CheckpointCallback,
    games_from,
    read_checkpoint,
    restore_league,
    restore_learner,
)
from speicher_training.train.environment import first_seed_of, make_env
from speicher_training.train.evaluation import EvaluationCallback
from speicher_training.train.export import load_into, network_of, policy_arguments, write_baseline
from speicher_training.train.folder import RunFolder, origin
from speicher_training.train.league import League
from speicher_training.train.league_callback import LeagueCallback
from speicher_training.train.learner import Learner, make_learner
from speicher_training.train.metrics import MetricsFile, Watcher, cut_metrics, evaluation_curves
from speicher_training.train.policy import computes_in_half
from speicher_training.train.pretraining import Imitation, imitate
from speicher_training.train.probe import Probe
from speicher_training.train.recipe import Recipe
from speicher_training.train.selfplay import lessons_of
from speicher_training.train.tensorboard import TensorBoard
from speicher_training.train.value_finetuning import Judged, learn_to_judge

MAX_SEED = 2**32 - 1
"""Of the generators that stable-baselines3 seeds."""
FOREVER = 2**60
"""Decisions of a run that a time limits."""


@dataclass(frozen=True)
class Trained:
    """What a run has come to."""

    folder: Path
    card: Path | None
    """Of the exported baseline; None if the run was interrupted in its head start, of which nothing is kept."""
    steps: int
    """Decisions of the learner, with those before an interruption."""
    seconds: float
    probes: list[Probe]
    """The last evaluation."""
    complete: bool
    """Whether it has come to its end, and was not interrupted."""


def train(
    recipe: Recipe,
    out: Path,
    *,
    steps: int | None = None,
    minutes: float | None = None,
    seed: int = 1,
    start: str | None = None,
    plots: bool = True,
    evaluation_deck: DeckArgument | None = None,
    watch: Watcher = lambda line: None,
    interrupted: Callable[[], bool] = lambda: False,
) -> Trained:
    """Train by a recipe; a run that is in the folder already goes on from its last checkpoint.

    Args:
        recipe: All settings.
        out: The run's folder.
        steps: Decisions of the learner in all, in place of the recipe's.
        minutes: In place of steps: how long the run takes in all. It can then not be repeated to the last bit.
        seed: Of the network, of all that is drawn, and of the games.
        start: A baseline to start from, by name or path.
        plots: Whether to draw the learning curves.
        evaluation_deck: What evaluations deal from; unless told the recipe's first deck.
        watch: Called with each line of the metrics file.
        interrupted: Asked before each rollout; True ends the run with a checkpoint.

    Raises:
        ArgumentError: For an argument that is wrong, before anything is written.
        TrainingError: For a folder that does not fit, or a file that cannot be written or read.
    """
    check(recipe, steps, minutes, seed)
    torch.set_num_threads(recipe.run.threads)
    game = recipe.game
    card = Card(
        name=recipe.name, players=tuple(sorted(game.players)), deck=", ".join(game.decks),
        edition=", ".join(map(edition_of, game.decks)), padded=game.padded,
        reward=game.reward, shape=shape_of(recipe), weights="", sha256="",
    )  # fmt: skip
    newest = Baseline((card, Network.zeros(card.shape)), temperature=1.0, seed=seed)
    folder = RunFolder(out, card.shape)
    behind, begin = None, None
    if start is not None and not folder.goes_on():  # a checkpoint has all; the baseline may be another by now
        behind, begin = _network_to_start_from(start, card)
    whole = None
    if folder.open(recipe, seed, start, newest.network.parameters, [] if behind is None else behind.history):
        whole = read_checkpoint(folder.checkpoint)

    league = League(
        newest, shares={kind: getattr(recipe.league, kind) for kind in ("newest", "past", "scripted")},
        anchors=recipe.league.anchors, hardness=recipe.league.hardness, keep=recipe.league.keep,
        at_once=recipe.league.at_once, memory=recipe.league.memory, seed=seed,
    )  # fmt: skip
    seating = LeagueCallback(
        league, recipe.league.snapshot_steps, recipe.league.snapshot_score, folder.save_snapshot, league.newest
    )
    if whole is not None:
        restore_league(whole, seating, folder.read_snapshot)
        env = games_from(whole, league)
    else:
        env = _new_games(recipe, newest, seed)
    arguments = policy_arguments(card.shape)
    model = make_learner(env, recipe.ppo, arguments, seed)
    model.policy.half = computes_in_half(recipe.run.precision)
    if isinstance(env, SpeicherVecEnv):
        env.seed(first_seed_of(seed, env.batch.num_players))  # the learner has set its own; used by the first deal only
    before = 0.0
    if whole is not None:
        restore_learner(whole, model)
        before = float(whole["seconds"])
        cut_metrics(folder.metrics, model.num_timesteps)
    else:
        cut_metrics(folder.metrics, -1)  # what a run has left that ended before its first checkpoint
        _fit_scaling(model, card, begin, recipe, seed)
    newest.network = network_of(model.policy)

    started = time.monotonic()

    def seconds() -> float:
        return before + time.monotonic() - started

    def stop() -> bool:
        return interrupted() or (minutes is not None and seconds() >= 60.0 * minutes)

    if minutes is not None:
        model.remaining = lambda: 1.0 - seconds() / (60.0 * minutes)
    metrics = MetricsFile(folder.metrics, watch)
    model.set_logger(Logger(str(out), [metrics, TensorBoard(folder.tensorboard, model.num_timesteps)]))
    checkpoints = CheckpointCallback(folder.checkpoint, recipe.run.checkpoint_steps, seating, seconds, stop)
    evaluation = EvaluationCallback(
        card, recipe.run.evaluation_opponents, recipe.run.evaluation_deals, recipe.run.evaluation_steps, metrics,
        game.decks[0] if evaluation_deck is None else evaluation_deck, seconds,
    )  # fmt: skip
    evaluation.last = model.num_timesteps
    if whole is not None:
        checkpoints.last = model.num_timesteps
    if whole is None and begin is None and recipe.pretraining.decisions:
        _give_head_start(model, card, recipe, seed, metrics, stop)
        if interrupted():
            model.logger.close()
            return Trained(out, None, 0, seconds(), [], False)
        newest.network = network_of(model.policy)
    wanted = FOREVER if minutes is not None else steps or recipe.ppo.steps
    _learn(model, wanted, [evaluation, checkpoints, seating], fresh=whole is None, masked=recipe.ppo.masked)
    if not evaluation.found:
        evaluation.evaluate()
    policy = model.policy
    ended_early = checkpoints.stopped and interrupted()
    if game.reward != "outcome" and recipe.value_finetuning.decisions and not ended_early:
        policy = deepcopy(policy)  # a run that goes on needs the value that its reward has taught
        card = _teach_to_judge(policy, card, recipe, seed, model.num_timesteps, metrics, interrupted)
        ended_early = interrupted()
    told = {
        "recipe": recipe.name, "settings": recipe.tables, "seed": seed, "from": start, "steps": model.num_timesteps,
        "precision": "bfloat16" if model.policy.half else "float32", "minutes": round(seconds() / 60, 2), **origin(),
        "before": folder.before(), "curve": evaluation_curves(folder.metrics),
    }  # fmt: skip
    path = write_baseline(
        network_of(policy), out, recipe.name, players=card.players, deck=card.deck, edition=card.edition,
        padded=card.padded, reward=card.reward, training=told,
        strength={"development": [one.told() for one in evaluation.found]},
    )  # fmt: skip
    if plots:
        from speicher_training.train.plots import save_curves  # matplotlib takes half a second to import

        save_curves(out)
    model.logger.close()
    return Trained(out, path, model.num_timesteps, seconds(), evaluation.found, not ended_early)


def _learn(model: Learner, wanted: int, callbacks: list, *, fresh: bool, masked: bool) -> None:  # type: ignore[type-arg]
    """Learn until so many decisions have been made in all."""
    left = wanted - (0 if fresh else model.num_timesteps)
    if left > 0:
        model.learn(left, CallbackList(callbacks), reset_num_timesteps=fresh, use_masking=masked)
    else:
        for callback in callbacks:
            callback.init_callback(model)
            callback.num_timesteps = model.num_timesteps  # or an evaluation would tell 0, as before a run


def _fit_scaling(model: Learner, card: Card, begin: Network | None, recipe: Recipe, seed: int) -> None:
    """Scale observations by those of a lesson with each number of players, before anything is learned."""
    told = recipe.pretraining
    teacher = load_agent(told.teacher) if told.decisions and begin is None else None
    if begin is not None:
        load_into(model.policy, begin)
    lessons = lessons_of(model.policy, card, recipe.game.decks, told.decisions, np.random.default_rng(seed), teacher)
    seen = np.concatenate([next(lessons).rows for _ in card.players])
    model.policy.features_extractor.fit(seen)
    if begin is not None:
        load_into(model.policy, begin)  # once more: the same network, whatever the scaling


def _give_head_start(
    model: Learner, card: Card, recipe: Recipe, seed: int, metrics: MetricsFile, stop: Callable[[], bool]
) -> None:
    """Teach the learner by the settings of table `pretraining`."""
    told = recipe.pretraining

    def watch(found: Imitation) -> None:
        metrics.add({**asdict(found), "kind": "pretraining", "steps": 0, "of": told.decisions})

    imitate(
        model.policy, card, told.teacher, told.decisions, decks=recipe.game.decks, batch_size=told.batch_size,
        learning_rate=told.learning_rate, value_weight=recipe.ppo.value_weight, masked=recipe.ppo.masked, seed=seed,
        watch=watch, stop=stop,
    )  # fmt: skip


def _teach_to_judge(
    policy: Any,
    card: Card,
    recipe: Recipe,
    seed: int,
    steps: int,
    metrics: MetricsFile,
    interrupted: Callable[[], bool],
) -> Card:
    """Teach the value who wins, by the settings of table `value_finetuning`; the card that says so.

    Interrupted here, a run does it again when it goes on.
    """
    told = recipe.value_finetuning

    def watch(found: Judged) -> None:
        metrics.add({**asdict(found), "kind": "value_finetuning", "steps": steps, "of": told.decisions})

    return learn_to_judge(
        policy, card, told.decisions, decks=recipe.game.decks, batch_size=told.batch_size,
        learning_rate=told.learning_rate, astray=told.random_moves, trace=told.trace, seed=seed, watch=watch,
        stop=interrupted,
    )  # fmt: skip


def _new_games(recipe: Recipe, newest: Baseline, seed: int) -> VecEnv:
    game = recipe.game
    illegal = "raise" if recipe.ppo.masked else "lose"
    return make_env(recipe.ppo.games, game.players, game.decks, game.reward, game.padded, newest, seed, illegal)


def _network_to_start_from(start: str, card: Card) -> tuple[Card, Network]:
    """The card and the network of a baseline that fits the recipe; one for all numbers of players fits each of them."""
    other, network = read_baseline(start.removeprefix("baseline:"))
    behind = other
    if other.padded and not card.padded and set(card.players) <= set(other.players):
        (players,) = card.players  # several share games only in padded observations
        network = unpad(other, network, players)
        other = replace(other, players=card.players, padded=False, shape=network.shape)
    own, found = ({"players": of.players, "padded": of.padded, **asdict(of.shape)} for of in (card, other))
    for what, value in own.items():
        if found[what] != value:
            raise ArgumentError(
                f"from {start}: its {what} is {_plain(found[what])}, must be {_plain(value)} as in the recipe"
            )
    return behind, network


def shape_of(recipe: Recipe) -> Shape:
    """The shape of the network that a recipe trains."""
    game, network = recipe.game, recipe.network
    return Shape(
        seats=MAX_PLAYERS if game.padded else game.players[0],
        policy=tuple(network.policy), value=tuple(network.value), columns=tuple(network.columns),
        activation=network.activation, figures=network.figures,
    )  # fmt: skip


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def check(recipe: Recipe, steps: int | None, minutes: float | None, seed: int) -> None:
    """Find what would stop the run later, before it begins or anything is said of it."""
    if not is_whole(seed) or not 0 <= seed <= MAX_SEED:
        raise ArgumentError(f"seed: found {shown(seed)}, must be a whole number 0..2**32-1, as PyTorch and NumPy ask")
    if steps is not None and (not is_whole(steps) or steps < 1):
        raise ArgumentError(f"steps: found {shown(steps)}, must be a whole number, 1 or more")
    if minutes is not None and not 0 < minutes < float("inf"):
        raise ArgumentError(f"minutes: found {shown(minutes)}, must be a number above 0")
    if steps is not None and minutes is not None:
        raise ArgumentError("minutes: steps are given too, must be one or the other")
    for spec in (*recipe.league.anchors, *recipe.run.evaluation_opponents):
        make_player(spec)
    for players in recipe.game.players:
        for deck in recipe.game.decks:
            template_for(players, deck)
