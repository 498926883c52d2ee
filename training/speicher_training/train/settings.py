"""The settings of a recipe: what each means, what it may be, and what it is unless told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from speicher_env.arguments import is_whole
from speicher_env.rewards import SCHEMES
from speicher_env.rules.state import MAX_PLAYERS, MIN_PLAYERS

Check = Callable[[Any], bool]


@dataclass(frozen=True)
class Setting:
    """One setting."""

    default: Any
    meaning: str
    """One line, the comment in a recipe."""
    right: str
    """What it must be."""
    check: Check

    def __call__(self, value: Any) -> Any:
        """The value as it is used: whole numbers are fine where numbers are meant."""
        return float(value) if isinstance(self.default, float) else value


def _whole(default: int, least: int, meaning: str) -> Setting:
    return Setting(default, meaning, f"a whole number from {least}", lambda value: is_whole(value) and value >= least)


def _number(default: float, least: float, most: float, meaning: str) -> Setting:
    def fits(value: Any) -> bool:
        return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most

    return Setting(default, meaning, f"a number {least:g}..{most:g}", fits)


def _choice(default: str, options: tuple[str, ...], meaning: str) -> Setting:
    return Setting(default, meaning, f"one of {', '.join(options)}", lambda value: value in options)


def _list(default: list[Any], right: str, each: Check, meaning: str, empty: bool = False) -> Setting:
    def fits(value: Any) -> bool:
        return isinstance(value, list) and (empty or bool(value)) and all(each(item) for item in value)

    return Setting(default, meaning, right, fits)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_count(value: Any) -> bool:
    return is_whole(value) and MIN_PLAYERS <= value <= MAX_PLAYERS


def _is_width(value: Any) -> bool:
    return is_whole(value) and 1 <= value <= 8192


_WIDTHS = "a list of whole numbers 1..8192"
_SPECS = "a list of specs of players such as merchant"

SETTINGS: dict[str, dict[str, Setting]] = {
    "game": {
        "players": _list(
            [2], f"a list of numbers of players {MIN_PLAYERS}..{MAX_PLAYERS}", _is_count,
            "numbers of players; several share the games among them",
        ),
        "decks": _list(["standard"], "a list of decks: standard, sampled or paths", _is_text,
                       "decks, dealt from in turn from game row to game row"),
        "reward": _choice("margin", SCHEMES, "what is paid at the end: outcome, rank or margin"),
        "padded": Setting(False, "observations with room for 5 seats, needed for several numbers of players",
                          "true or false", lambda value: isinstance(value, bool)),
    },
    "network": {
        "policy": _list([256, 256], _WIDTHS, _is_width, "widths of the hidden layers of the policy"),
        "value": _list([256, 256], _WIDTHS, _is_width, "widths of the hidden layers of the value"),
        "activation": _choice("relu", ("tanh", "relu"), "between two layers: tanh or relu"),
        "columns": _list([128, 128, 32], _WIDTHS, _is_width,
                         "widths of layers that read every column alike, before policy and value; [] for none",
                         empty=True),
        "figures": Setting(True, "whether it also reads what follows from an observation: needs, leads, prices asked",
                           "true or false", lambda value: isinstance(value, bool)),
    },
    "imitation": {
        "decisions": _whole(2_000_000, 0, "decisions of a head start, in which the learner is taught; 0 for none"),
        "teacher": Setting("merchant", "the player that teaches", "the spec of a player such as merchant", _is_text),
        "batch_size": _whole(256, 2, "decisions in a minibatch"),
        "learning_rate": _number(1e-3, 1e-9, 1.0, "of Adam at the beginning; it falls linearly to a tenth"),
    },
    "ppo": {
        "steps": _whole(40_000_000, 1, "decisions of the learner, unless the command says otherwise"),
        "games": _whole(512, 1, "games at once"),
        "rollout": _whole(128, 1, "decisions of the learner in each game between two updates"),
        "batch_size": _whole(4096, 2, "decisions in a minibatch"),
        "epochs": _whole(2, 1, "passes over the decisions of a rollout in an update"),
        "learning_rate": _number(3e-4, 1e-9, 1.0, "of Adam at the beginning"),
        "learning_rate_end": _number(1e-5, 0.0, 1.0, "of Adam at the end; it falls linearly"),
        "entropy": _number(0.003, 0.0, 10.0, "weight of the entropy in the loss at the beginning"),
        "entropy_end": _number(0.0005, 0.0, 10.0, "that weight at the end; it falls linearly"),
        "gamma": _number(1.0, 0.0, 1.0, "discount for each decision; the only payoff comes at the end"),
        "gae_lambda": _number(0.93, 0.0, 1.0, "how far advantages look ahead: 0 one decision, 1 to the end"),
        "clip": _number(0.2, 0.001, 1.0, "most by which an update may change the ratio of probabilities"),
        "value_weight": _number(0.5, 0.0, 100.0, "weight of the value's error in the loss"),
        "max_gradient": _number(0.5, 0.001, 1000.0, "longer gradients are shortened to this norm"),
        "masked": Setting(True, "whether the learner knows the mask; if not, an illegal action loses the game",
                          "true or false", lambda value: isinstance(value, bool)),
    },
    "judgement": {
        "decisions": _whole(12_000_000, 0, "decisions of self-play at the end that teach the value who wins; 0: none"),
        "batch_size": _whole(1024, 2, "decisions in a minibatch"),
        "learning_rate": _number(1e-3, 1e-9, 1.0, "of Adam at the beginning; it falls linearly to a tenth"),
        "astray": _number(0.05, 0.0, 1.0, "chance of a decision to be any legal one, to learn what mistakes cost"),
        "trace": _number(0.95, 0.0, 1.0, "how far the value looks ahead in the end: 0 one decision, 1 to the payoff"),
    },
    "league": {
        "newest": _number(0.6, 0.0, 1.0, "share of opponents that are the newest policy"),
        "past": _number(0.25, 0.0, 1.0, "share of opponents that are past snapshots"),
        "scripted": _number(0.15, 0.0, 1.0, "share of opponents that are anchors"),
        "anchors": _list(["merchant", "spoiler", "contractor", "shipper", "frugal"], _SPECS, _is_text,
                         "players that never change", empty=True),
        "hardness": _number(2.0, 0.0, 20.0, "a snapshot is drawn in proportion to (1 - score against it) ** hardness"),
        "snapshot_steps": _whole(1_000_000, 1, "decisions of the learner between two snapshots"),
        "snapshot_score": _number(0.0, 0.0, 1.0, "score against the last snapshot below which none is taken"),
        "keep": _whole(24, 1, "most snapshots; beyond, the easiest one goes, never the newest"),
        "at_once": _whole(6, 1, "most different snapshots drawn for a rollout; many at a time are slow"),
        "memory": _whole(400, 1, "games that a score against an opponent remembers"),
    },
    "run": {
        "checkpoint_steps": _whole(250_000, 1, "decisions of the learner between two checkpoints"),
        "evaluation_steps": _whole(1_000_000, 1, "decisions of the learner between two evaluations"),
        "evaluation_deals": _whole(200, 2, "development deals of an evaluation, each played from every seat"),
        "evaluation_opponents": _list(["random", "frugal", "merchant"], _SPECS, _is_text,
                                      "who sits in all other seats in an evaluation"),
        "precision": _choice("auto", ("auto", "float32", "bfloat16"),
                             "of the learner's hidden layers; auto: bfloat16 on processors that are made for it"),
        "threads": _whole(1, 1, "threads of the learner; with one, a run can be repeated to the last bit"),
    },
}  # fmt: skip
"""By table and name."""
