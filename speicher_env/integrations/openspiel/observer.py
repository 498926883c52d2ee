"""What a seat sees of a state, as OpenSpiel's observers give it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyspiel

from speicher_env.arguments import check_flag
from speicher_env.errors import ArgumentError
from speicher_env.integrations.openspiel.events import N_EVENTS
from speicher_env.integrations.openspiel.progress import Setup
from speicher_env.messages import must_be, one_of
from speicher_env.observation.pieces import blocks
from speicher_env.observation.rows import RowFormat, row_at
from speicher_env.rules.state import MAX_PLAYERS

if TYPE_CHECKING:
    from speicher_env.integrations.openspiel.game import SpeicherstadtState

__all__ = ["SpeicherstadtObserver"]


class SpeicherstadtObserver:
    """What a seat sees of a state, as OpenSpiel's observers give it.

    The tensor is the observation of the other environments in four pieces: ``table``, ``contracts``, ``columns`` and
    ``seats``, the observer's own seat first. At a chance node it shows the decision before it; zeros before the first
    one. With perfect recall a piece ``history`` follows: the events from the first on, each as a number from 0 to 1.
    Without private information it is the view of seat 0, the same for all.
    """

    def __init__(self, setup: Setup, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> None:
        """Make the arrays.

        Args:
            setup: That of the game.
            iig_obs_type: The `pyspiel.IIGObservationType`; None for an observation without recall.
            params: "padded": whether there is room for 5 seats. "figures": whether the figures follow.
        """
        flags = {"padded": False, "figures": False}
        for name, value in (params or {}).items():
            if name not in flags:
                raise ArgumentError(must_be("observation parameter", name, one_of(name, flags)))
            flags[name] = check_flag(name, value)
        self._recall = iig_obs_type is not None and iig_obs_type.perfect_recall
        self._public = iig_obs_type is None or iig_obs_type.public_info
        self._one_view = iig_obs_type is not None and iig_obs_type.private_info == pyspiel.PrivateInfoType.NONE
        self._format = RowFormat(MAX_PLAYERS if flags["padded"] else setup.players, flags["figures"])
        self.tensor: np.ndarray | None = None
        self.dict: dict[str, np.ndarray] = {}
        if not self._public:  # nothing is private
            return
        size = self._format.size
        self.tensor = np.zeros(size + (setup.most_events if self._recall else 0), np.float32)
        self._row, self._history = self.tensor[:size], self.tensor[size:]
        names = {"table": "table", "contract": "contracts", "column": "columns", "seat": "seats"}
        end = 0
        for name, block in blocks(self._format.seats).items():
            stretch = self._row[block.start : block.stop]
            self.dict[names[name]] = stretch if name == "table" else stretch.reshape(block.items, block.width)
            end = block.stop
        if self._format.figures:
            self.dict["figures"] = self._row[end:]
        if self._recall:
            self.dict["history"] = self._history

    def set_from(self, state: SpeicherstadtState, player: int) -> None:
        """Write what a seat sees into `tensor`, of which the arrays in `dict` are parts."""
        if self.tensor is None:
            return
        progress = state.progress
        if progress.game is None:
            self._row[:] = 0
        else:
            figures = True if self._format.figures else None
            viewer = 0 if self._one_view else player
            row_at(progress.game.states_view, 0, viewer, self._format.seats, figures, self._row)
        if self._recall:
            events = progress.events
            self._history[: len(events)] = (np.frombuffer(events, np.uint8) + np.float32(1)) / N_EVENTS
            self._history[len(events) :] = 0

    def string_from(self, state: SpeicherstadtState, player: int) -> str:
        """The table in words; with perfect recall the history, as numbers."""
        if not self._public:
            return ""
        return str(state.history_str()) if self._recall else state.progress.text()
