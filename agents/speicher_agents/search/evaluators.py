"""What guides a search at its leaves: probabilities for the actions and values for the seats, a batch at a time."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from speicher_agents.search._jit import jit
from speicher_agents.search.determinize import begin_stream, redeal_concealed
from speicher_agents.search.playouts import Choose, play_out, rollout_from_spec, write_payoffs
from speicher_env.arguments import check_seed
from speicher_env.rules.state import MAX_PLAYERS, STATE
from speicher_env.views import CompiledPlayer, Views

__all__ = ["Evaluator", "PlayoutEvaluator", "UniformEvaluator"]


class Evaluator(Protocol):
    """A judge of positions, for instance a network.

    It may have a method ``row_format(players) -> RowFormat`` that says which observations it reads, see `GuidedSearch`.
    If it has a method ``network_for(states) -> Network``, and that network predicts the payoff of every seat, the
    search asks the network in compiled code and does not call `evaluate`.
    """

    def evaluate(self, views: Views) -> tuple[np.ndarray, np.ndarray]:
        """Judge each row of the views.

        Returns:
            Priors, (rows, 184), at least 0: which actions look good. Only the legal ones are read, and they are scaled
            to sum to 1; where all of them are 0 they count as equal.
            Values, (rows, players), -1..1: the payoff that each seat may expect. Column k is seat k, not the k-th seat
            from the one that decides; an observation, which has its own seat first, is turned by `views.seats`.
        """


class UniformEvaluator:
    """Knows nothing: all actions alike, all seats even."""

    def evaluate(self, views: Views) -> tuple[np.ndarray, np.ndarray]:
        """Equal priors, values of 0."""
        return views.masks.astype(np.float64), np.zeros((len(views), int(views.states["players"][0])))


class PlayoutEvaluator:
    """Judges by playouts, which makes a guided search an ordinary one; equal priors."""

    def __init__(self, playouts: int = 1, rollout: str | CompiledPlayer = "casual", seed: int = 0) -> None:
        """Make ready.

        Args:
            playouts: Playouts for each position.
            rollout: Who plays them, see `TreeSearch`.
            seed: Of all that is drawn; equal positions are judged alike.
        """
        self._playouts = playouts
        self._rollout = rollout_from_spec(rollout)
        self._seed = np.uint64(check_seed(seed))
        self._games = np.zeros(2, STATE)
        self._stream, self._payoffs = np.zeros(4, np.int64), np.zeros((2, MAX_PLAYERS))

    def evaluate(self, views: Views) -> tuple[np.ndarray, np.ndarray]:
        """Equal priors, mean outcomes of the playouts."""
        values = np.zeros((len(views), int(views.states["players"][0])))
        choose, code = self._rollout.arguments
        _play_rows(
            views.states, self._playouts, self._seed, choose, code, self._games, self._stream, self._payoffs, values
        )  # fmt: skip
        return views.masks.astype(np.float64), values


@jit
def _play_rows(
    states: np.ndarray,
    playouts: int,
    seed: np.uint64,
    choose: Choose,
    code: int,
    games: np.ndarray,
    stream: np.ndarray,
    payoffs: np.ndarray,
    values: np.ndarray,
) -> None:
    """Mean outcomes of some playouts from each concealed state; `games` has room for the root and for one game."""
    roots, game = games[:1], games[1]
    for row in range(states.size):
        roots[0] = states[row]
        begin_stream(roots, seed, stream)
        for _ in range(playouts):
            games[1] = roots[0]
            redeal_concealed(game, stream)
            play_out(game, choose, code, stream)
            write_payoffs(game, 0.0, payoffs)
            for seat in range(values.shape[1]):
                values[row, seat] += payoffs[0, seat] / playouts
