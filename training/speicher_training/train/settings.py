"""The settings of a recipe: a dataclass for each table, with the default, the range and the meaning of every setting.

To add a setting, add a field here and read it where it is used. Recipes, their messages and the page
docs/recipe-settings.md follow from these dataclasses.
"""
# ruff: noqa: RUF009 - the functions that make fields return a new one with each call

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from speicher_env.arguments import is_whole
from speicher_env.rewards import SCHEMES
from speicher_env.rules.state import MAX_PLAYERS, MIN_PLAYERS
from speicher_env.setting import Check, Setting, choice, is_text, number, setting, settings_of, switch, whole

__all__ = [
    "MAX_DECISIONS",
    "SETTINGS",
    "TABLES",
    "GameSettings",
    "ImitationSettings",
    "LeagueSettings",
    "NetworkSettings",
    "PPOSettings",
    "PretrainingSettings",
    "RunSettings",
    "SearchSettings",
    "ValueFinetuningSettings",
]

MAX_DECISIONS = 10**12
"""The most decisions that a recipe can ask for: years of training."""
LONGEST_LIST = 64
"""Entries of a list."""


def _list(default: list[Any], allowed: str, each: Check, meaning: str, empty: bool = False) -> Any:
    def fits(value: Any) -> bool:
        return (
            isinstance(value, list)
            and (empty or bool(value))
            and len(value) <= LONGEST_LIST
            and all(each(item) for item in value)
        )

    return setting(default, meaning, allowed, fits)


def _is_number_of_players(value: Any) -> bool:
    return is_whole(value) and MIN_PLAYERS <= int(value) <= MAX_PLAYERS


def _is_width(value: Any) -> bool:
    return is_whole(value) and 1 <= int(value) <= 8192


_WIDTHS = "a list of whole numbers 1..8192"
_FALLING_RATE = "Adam's learning rate at the beginning; it falls linearly to a tenth"
_SPECS = "a list of players of installed packages, such as merchant"


@dataclass(frozen=True)
class GameSettings:
    """The games that are learned."""

    players: list[int] = _list(
        [2], f"a list of numbers of players {MIN_PLAYERS}..{MAX_PLAYERS}", _is_number_of_players,
        "numbers of players; several share the games among them",
    )  # fmt: skip
    decks: list[str] = _list(
        ["standard"], "a list of decks: standard, sampled or paths", is_text,
        "decks, dealt from in turn: game row 0 the first, row 1 the next",
    )  # fmt: skip
    reward: str = choice("margin", SCHEMES, "the payoff at the end of a game")
    padded: bool = switch(False, "observations with room for 5 seats, needed for several numbers of players")


@dataclass(frozen=True)
class NetworkSettings:
    """The shape of the network."""

    columns: list[int] = _list(
        [64, 32], _WIDTHS, _is_width,
        "widths of the layers that read every column alike, before all others; [] for none", empty=True,
    )  # fmt: skip
    shared: list[int] = _list(
        [256], _WIDTHS, _is_width, "widths of the layers that policy and value share; [] for none", empty=True
    )
    policy: list[int] = _list([256], _WIDTHS, _is_width, "widths of the policy's own hidden layers", empty=True)
    value: list[int] = _list([256], _WIDTHS, _is_width, "widths of the value's own hidden layers", empty=True)
    activation: str = choice("relu", ("tanh", "relu"), "activation between two layers")
    figures: bool = switch(
        True, "whether the network also reads figures that follow from an observation: needs, leads, prices asked"
    )
    every_seat: bool = switch(
        True, "whether the value also says of every seat how likely it wins and its points, as searches ask"
    )


@dataclass(frozen=True)
class PretrainingSettings:
    """Imitation pretraining: before it learns from its own games, the network learns a teacher's actions."""

    decisions: int = whole(2_000_000, 0, MAX_DECISIONS, "decisions to learn from; 0 for no pretraining")
    teacher: str = setting(
        "merchant", "the player that is imitated", "a player of an installed package, such as merchant", is_text
    )
    batch_size: int = whole(256, 2, 10**7, "decisions in a minibatch")
    learning_rate: float = number(1e-3, 1e-9, 1.0, _FALLING_RATE)


@dataclass(frozen=True)
class PPOSettings:
    """Learning by proximal policy optimization."""

    steps: int = whole(60_000_000, 1, MAX_DECISIONS, "decisions of the learner; --steps of the command goes first")
    games: int = whole(
        512, 1, 10**6, "games times rollout: the decisions of the learner between two updates, in whole games"
    )
    rollout: int = whole(128, 1, 10**6, "see games")
    batch_size: int = whole(4096, 2, 10**9, "decisions in a minibatch")
    epochs: int = whole(2, 1, 1000, "passes over the decisions of a rollout in an update")
    learning_rate: float = number(3e-4, 1e-9, 1.0, "Adam's learning rate at the beginning")
    learning_rate_end: float = number(1e-5, 0.0, 1.0, "Adam's learning rate at the end; it falls linearly")
    entropy: float = number(0.003, 0.0, 10.0, "weight of the entropy in the loss at the beginning")
    entropy_end: float = number(0.0005, 0.0, 10.0, "weight of the entropy at the end; it falls linearly")
    gamma: float = number(1.0, 0.0, 1.0, "discount for each decision; the only payoff comes at the end")
    gae_lambda: float = number(0.93, 0.0, 1.0, "how far advantages look ahead: 0 one decision, 1 to the end")
    clip: float = number(0.2, 0.001, 1.0, "the most by which an update may change the ratio of probabilities")
    value_weight: float = number(0.25, 0.0, 100.0, "weight of the value's error in the loss")
    wins_weight: float = number(
        0.1, 0.0, 100.0, "weight of the error of the win shares in the loss, for a value of every seat"
    )
    points_weight: float = number(
        0.1, 0.0, 100.0, "weight of the error of the points in the loss, for a value of every seat"
    )
    max_gradient: float = number(0.5, 0.001, 1000.0, "the norm to which longer gradients are shortened")
    every_newest: bool = switch(
        True, "whether the decisions of opponents that are the newest policy are learned from, too"
    )
    masked: bool = switch(True, "whether the learner knows the mask; if not, an illegal action loses the game")
    decks: list[str] = _list(
        [], "a list of decks among game.decks", is_text, "decks that PPO plays; [] for all of game.decks", empty=True
    )


@dataclass(frozen=True)
class SearchSettings:
    """Learning from search: the network learns what a search finds that it guides, in games against itself."""

    decisions: int = whole(0, 0, MAX_DECISIONS, "searched decisions; 0 for no learning from search")
    iterations: int = whole(32, 2, 10**6, "iterations of a full search")
    quick_iterations: int = whole(
        0, 0, 10**6, "iterations of the other searches, which nothing is learned from; 0 draws from the policy instead"
    )
    full_share: float = number(0.25, 0.001, 1.0, "share of decisions with a full search")
    scale: float = number(
        1.0, 0.0, 1000.0, "how much a payoff that a search finds counts against the policy before it, in the target"
    )
    games: int = whole(4096, 1, 10**6, "games of a round; between two rounds the network learns")
    window: int = whole(800_000, 1, 10**9, "positions that are kept to learn from; older ones go")
    reuse: float = number(3.0, 0.01, 1000.0, "times that a position is learned from, on average")
    search_values: float = number(
        0.5, 0.0, 1.0, "weight of the search's values in what win shares are to be; the result has the rest"
    )
    batch_size: int = whole(2048, 2, 10**7, "positions in a minibatch")
    learning_rate: float = number(1e-3, 1e-9, 1.0, _FALLING_RATE)
    max_gradient: float = number(1.0, 0.001, 1000.0, "the norm to which longer gradients are shortened")


@dataclass(frozen=True)
class ImitationSettings:
    """Imitation at the end: on some decks the teacher is imitated once more, on others the policy stays as it was."""

    decisions: int = whole(0, 0, MAX_DECISIONS, "decisions to learn from; 0 for no imitation at the end")
    decks: list[str] = _list(
        ["standard"], "a list of decks among game.decks", is_text,
        "decks on which the teacher of pretraining is imitated; on others the network imitates itself as it was before",
    )  # fmt: skip
    batch_size: int = whole(512, 2, 10**7, "decisions in a minibatch")
    learning_rate: float = number(1e-3, 1e-9, 1.0, _FALLING_RATE)


@dataclass(frozen=True)
class ValueFinetuningSettings:
    """Value fine-tuning: at the end of a run that was paid by points, the value learns who wins."""

    decisions: int = whole(4_000_000, 0, MAX_DECISIONS, "decisions of self-play to learn from; 0 for no fine-tuning")
    batch_size: int = whole(1024, 2, 10**7, "decisions in a minibatch")
    learning_rate: float = number(1e-3, 1e-9, 1.0, _FALLING_RATE)
    random_moves: float = number(0.05, 0.0, 1.0, "share of decisions drawn from all legal actions alike")
    trace: float = number(0.95, 0.0, 1.0, "how far the value looks ahead at the end: 0 one decision, 1 to the payoff")


@dataclass(frozen=True)
class LeagueSettings:
    """The opponents."""

    newest: float = number(0.6, 0.0, 1.0, "share of opponents that are the newest policy")
    past: float = number(0.25, 0.0, 1.0, "share of opponents that are past snapshots")
    scripted: float = number(0.15, 0.0, 1.0, "share of opponents that are anchors")
    anchors: list[str] = _list(
        ["merchant", "spoiler", "contractor", "shipper", "frugal"], _SPECS, is_text,
        "players that never change", empty=True,
    )  # fmt: skip
    hardness: float = number(2.0, 0.0, 20.0, "a snapshot is drawn in proportion to (1 - score against it) ** hardness")
    snapshot_steps: int = whole(1_000_000, 1, MAX_DECISIONS, "decisions of the learner between two snapshots")
    snapshot_score: float = number(0.0, 0.0, 1.0, "score against the last snapshot below which no new one is taken")
    keep: int = whole(24, 1, 1000, "the most snapshots; beyond that the easiest one goes, never the newest")
    at_once: int = whole(6, 1, 1000, "the most different snapshots drawn for one rollout; many at a time are slow")
    memory: int = whole(400, 1, 10**9, "games that a score against an opponent remembers")


@dataclass(frozen=True)
class RunSettings:
    """Checkpoints, evaluations and the machine."""

    checkpoint_steps: int = whole(250_000, 1, MAX_DECISIONS, "decisions of the learner between two checkpoints")
    evaluation_steps: int = whole(1_000_000, 1, MAX_DECISIONS, "decisions of the learner between two evaluations")
    evaluation_deals: int = whole(200, 2, 10**6, "development deals of an evaluation, each played from every seat")
    evaluation_opponents: list[str] = _list(
        ["random", "frugal", "merchant"], _SPECS, is_text,
        "opponents of an evaluation, one after the other in all other seats",
    )  # fmt: skip
    precision: str = choice(
        "auto", ("auto", "float32", "bfloat16"),
        "precision of the hidden layers in training; auto: bfloat16 on processors with instructions for it",
    )  # fmt: skip


TABLES: dict[str, type] = {
    "game": GameSettings,
    "network": NetworkSettings,
    "pretraining": PretrainingSettings,
    "ppo": PPOSettings,
    "search": SearchSettings,
    "imitation": ImitationSettings,
    "value_finetuning": ValueFinetuningSettings,
    "league": LeagueSettings,
    "run": RunSettings,
}
"""The tables of a recipe."""

SETTINGS: dict[str, dict[str, Setting]] = {table: settings_of(kind) for table, kind in TABLES.items()}
"""All settings by table and name."""
