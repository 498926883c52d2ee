"""Learning from search, also called expert iteration: the network learns what a search finds that it guides.

A search plays better than the network alone, so its improved policy is a target, and so is who wins its games. A better
network then guides a better search. Rounds of games are played by workers while the learner learns from the one before;
each position stays in a window for some rounds and is learned from a few times.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch

from speicher_agents.baselines import Card
from speicher_training.executor import Executor
from speicher_training.train.export import network_of
from speicher_training.train.gradients import Gradients
from speicher_training.train.losses import Examples, entropies, outcomes, value_losses
from speicher_training.train.policy import SparsePolicy
from speicher_training.train.rounds import Part, Rounds
from speicher_training.train.searched_games import (
    SearchedPlay,
    SearchedPlayed,
    Targets,
    replayed_targets,
)
from speicher_training.train.settings import SearchSettings

__all__ = ["SearchLearning", "SearchProgress"]

PARTS = 4
"""Tasks of a round."""


@dataclass(frozen=True)
class SearchProgress:
    """How far learning from search is."""

    decisions: int
    """Searched, the quick searches included."""
    policy_error: float
    """Mean cross-entropy of the policy with that of the searches, less the latter's entropy."""
    value_error: float
    """Mean square of the predicted payoff minus its target."""


class SearchLearning:
    """The stage: games, window, and learner. It can be interrupted between two rounds."""

    def __init__(
        self,
        policy: SparsePolicy,
        card: Card,
        settings: SearchSettings,
        executor: Executor,
        *,
        decks: Sequence[str],
        seed: int,
        gradients: Gradients | None = None,
    ) -> None:
        """Make ready; nothing is played yet.

        Args:
            policy: Learns.
            card: Says which games.
            settings: Of the recipe.
            executor: Has the games played.
            decks: Dealt from in turn.
            seed: Of games, searches, draws and order.
            gradients: Computes them; None for this thread alone.
        """
        self.policy, self.card, self.settings = policy, card, settings
        self.decisions = 0
        """Searched so far."""
        self._gradients = gradients or Gradients()
        self._rng = np.random.default_rng([seed, 0x5EA7C4])
        self._optimizer = torch.optim.Adam(policy.parameters(), settings.learning_rate, eps=1e-5)
        job = SearchedPlay(
            card, seed, settings.iterations, settings.quick_iterations, settings.full_share, settings.scale
        )
        self._rounds: Rounds[SearchedPlayed] = Rounds(
            executor, job, players=card.players, decks=decks, games=settings.games, parts=PARTS, rng=self._rng
        )
        self._kept: deque[tuple[list[Part], list[SearchedPlayed]]] = deque()
        """The rounds in the window, as moves."""
        self._window: deque[Targets] = deque()

    def learn(
        self,
        watch: Callable[[SearchProgress], None] = lambda progress: None,
        stop: Callable[[], bool] = lambda: False,
        between: Callable[[], None] = lambda: None,
        used: Callable[[], float] | None = None,
    ) -> None:
        """Learn until the decisions of the settings are used up.

        Args:
            watch: Called after every round.
            stop: Asked a few times a second; True ends learning before the next round.
            between: Called before every round, where the state is whole.
            used: The part of another budget, such as a time, that is used up; learning ends at 1. None for decisions.
        """
        used = used or (lambda: self.decisions / self.settings.decisions)
        try:
            while used() < 1.0 and not stop():
                between()
                played = self._rounds.next(network_of(self.policy), stop)
                if played is None:
                    return
                parts, results = played
                self._keep(parts, results)
                share = min(1.0, used())
                self.decisions += sum(len(played.full) for played in results)
                watch(SearchProgress(self.decisions, *self._update(share)))
        finally:
            self._rounds.close()

    def state(self) -> dict[str, Any]:
        """Everything, as plain values: games in the window as moves, from which they are played again."""
        return {
            "decisions": self.decisions, "rounds": self._rounds.state(),
            "policy": self.policy.state_dict(), "optimizer": self._optimizer.state_dict(),
            "kept": [
                ([part.plain(network=b"") for part in parts], results)  # their networks are needed no more
                for parts, results in self._kept
            ],
        }  # fmt: skip

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go back to a state: what was being played is played again."""
        self.decisions = state["decisions"]
        self.policy.load_state_dict(state["policy"])
        self._optimizer.load_state_dict(state["optimizer"])
        for parts, results in state["kept"]:
            self._keep([self._rounds.part(*plain) for plain in parts], results)
        self._rounds.restore(state["rounds"])

    # Learning

    def _keep(self, parts: list[Part], results: list[SearchedPlayed]) -> None:
        """Put a round into the window; the oldest ones leave it."""
        targets = [
            replayed_targets(part, played, self.card, self.settings.search_values)
            for part, played in zip(parts, results, strict=True)
        ]
        self._kept.append((parts, results))
        self._window.append(Targets(*(np.concatenate(arrays) for arrays in zip(*targets, strict=True))))
        while len(self._window) > 1 and self._positions() - len(self._window[0].rows) >= self.settings.window:
            self._kept.popleft()
            self._window.popleft()

    def _positions(self) -> int:
        return sum(len(targets.rows) for targets in self._window)

    def _update(self, share: float) -> tuple[float, float]:
        """Learn from the window once; the mean errors of policy and value."""
        settings = self.settings
        for group in self._optimizer.param_groups:
            group["lr"] = settings.learning_rate * (1.0 - 0.9 * share)
        self.policy.set_training_mode(True)
        begins = np.cumsum([0, *(len(targets.rows) for targets in self._window)])
        count = min(int(begins[-1]), round(settings.reuse * len(self._window[-1].rows)))
        chosen = self._rng.permutation(int(begins[-1]))[:count]
        errors = np.zeros(2)
        for part in np.array_split(chosen, max(1, round(count / settings.batch_size))):
            self._rounds.go_on_beside()
            targets = _rows_of(self._window, begins, np.sort(part))
            numbers = self._gradients.fill(self.policy, len(part), partial(self._loss, targets))
            torch.nn.utils.clip_grad_norm_(self.policy.parameters(), settings.max_gradient)
            self._optimizer.step()
            errors += len(part) * np.array([numbers["policy_error"], numbers["value_error"]])
        policy_error, value_error = (errors / max(1, count)).tolist()
        return policy_error, value_error

    def _loss(self, minibatch: Targets, part: slice) -> tuple[torch.Tensor, dict[str, float]]:
        """How far the policy is from that of the searches and the errors of the value, in a part of a minibatch."""
        targets = Targets(*(array[part] for array in minibatch))
        players = targets.players
        nothing = np.zeros(len(players), dtype=np.float32)
        examples = Examples(
            targets.rows, targets.masks, nothing, nothing, targets.shares, targets.points, players, nothing,
            outcomes(targets.shares, players),
        ).tensors(slice(None))  # fmt: skip
        judgement = self.policy.judge(examples.rows, examples.masks, torch.from_numpy(targets.policy))
        losses = value_losses(judgement.values, examples)
        loss = torch.stack([-judgement.logs.mean(), *losses.values()]).sum()
        error = float(-(judgement.logs.detach().numpy() + entropies(targets.policy)).mean())
        return loss, {"policy_error": error, "value_error": losses["value_loss"].item()}


def _rows_of(window: Sequence[Targets], begins: np.ndarray, chosen: np.ndarray) -> Targets:
    """Some rows of a window, by their places, which ascend."""
    bounds = np.searchsorted(chosen, begins)
    parts = [
        Targets(*(array[chosen[low:high] - begin] for array in targets))
        for targets, begin, low, high in zip(window, begins[:-1], bounds[:-1], bounds[1:], strict=True)
        if high > low
    ]
    return Targets(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
