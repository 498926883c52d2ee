"""The Gymnasium environment for one seat: the other seats are played inside the step."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from speicher_env.arguments import check_first_player, check_flag, check_options, check_seed, fresh_seed
from speicher_env.batch.batch import Batch, Opponents
from speicher_env.deal import DeckArgument
from speicher_env.envs.rendering import HUMAN, RENDER_FPS, RENDER_MODES, Rendered, Renderer
from speicher_env.envs.seat import check_one_seat
from speicher_env.envs.spaces import action_space, masked_space, vector_space
from speicher_env.errors import ArgumentError
from speicher_env.rules.actions import parse_action
from speicher_env.rules.stream import next_seed

RESET_OPTIONS = ("first_player",)

Observation = np.ndarray | dict[str, np.ndarray]
Info = dict[str, Any]


class SpeicherEnv(gymnasium.Env[Any, Any]):
    """One learner's seat in a game of 2..5.

    A step returns at the learner's next decision with everything earned in between, or at the end of the game, whoever
    ended it. The mask is in ``info["action_mask"]`` and from `action_masks`.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012

    def __init__(
        self,
        num_players: int = 2,
        deck: DeckArgument = "standard",
        seat: int | str = "random",
        opponents: Opponents = "random",
        reward: str = "outcome",
        padded: bool = False,
        dict_observation: bool = False,
        illegal: str = "raise",
        render_mode: str | None = None,
    ) -> None:
        """Set up the spaces; `reset` deals a game.

        Args:
            num_players: 2..5.
            deck: "standard", "sampled", the path of a deck file, or a Deck.
            seat: The learner's: 0..num_players-1, "rotating" from game to game, or "random", drawn for each game.
            opponents: Who plays the other seats: a spec, a player, or a list with one for each seat, clockwise.
            reward: "outcome", "rank" or "margin".
            padded: Whether observations have room for 5 seats.
            dict_observation: Whether observations are dicts of ``observation`` and ``action_mask``.
            illegal: "raise", or for algorithms that know no masks "lose" (the game is lost) or "random" (a random legal
                action is played, and counted in the info).
            render_mode: "ansi" (render returns text), "rgb_array" (it returns pixels), "human" (every step shows the
                table in a window) or None.
        """
        seat = check_one_seat(seat, num_players)
        self.batch = Batch(1, num_players, deck, seat, opponents, reward, padded, "disabled", illegal)
        self.dict_observation = check_flag("dict_observation", dict_observation)
        self._renderer = Renderer(render_mode)
        self.render_mode = self._renderer.mode
        in_view = self.batch.seats_in_view
        self.action_space = action_space()
        self.observation_space: spaces.Space[Any] = (
            masked_space(in_view) if self.dict_observation else vector_space(in_view)
        )
        self._seed: int | None = None
        self._closed = False

    @property
    def seat(self) -> int:
        """The learner's seat in this game."""
        return int(self.batch.arrays.lanes["seat"][0])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Deal a game.

        Args:
            seed: 0..2**63-1, decides the game alone. None goes on with the seed that follows the last game's, or, the
                first time, takes one from the operating system.
            options: {"first_player": the seat that begins}.
        """
        self._check_open()
        given = check_options(options, RESET_OPTIONS).get("first_player")
        first_player = check_first_player(given, self.batch.num_players)
        if seed is not None:
            self._seed = check_seed(seed)
            super().reset(seed=self._seed)
        else:
            self._seed = fresh_seed() if self._seed is None else next_seed(self._seed)
        self.batch.arrays.lanes["first_player"] = first_player
        self.batch.reset([self._seed], rotate_on=seed is None)
        if self.render_mode == HUMAN:
            self.render()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, Info]:
        """Carry out the learner's action and play on to its next decision.

        Raises:
            IllegalAction: With illegal="raise"; nothing has changed then.
        """
        self._check_open()
        self.batch.step(np.array([_action_id(action)]))
        lane = self.batch.arrays.lanes[0]
        ended = bool(lane["ended"])
        reward = float(lane["reward"][lane["seat"]])
        if self.render_mode == HUMAN:
            self.render()
        return self._observation(), reward, ended, False, self._info()

    def action_masks(self) -> np.ndarray:
        """(184,) int8, 1 = legal; zeros when the game is over."""
        mask: np.ndarray = self.batch.action_masks[0].copy()
        return mask

    def _observation(self) -> Observation:
        row = self.batch.observations[0].copy()
        return {"observation": row, "action_mask": self.action_masks()} if self.dict_observation else row

    def _info(self) -> Info:
        info: Info = {"action_mask": self.action_masks(), "seat": self.seat}
        if self.batch.illegal != "raise":
            info["illegal"] = int(self.batch.arrays.lanes["illegal"][0])
        if self.batch.ended[0]:
            info |= self.batch.outcome(0)
        return info

    def render(self) -> Rendered:
        """The table from the learner's seat: as text with render_mode "ansi", as pixels with "rgb_array".

        Pixels are (height, width, 3) uint8, of one size for all games. "human" shows them in a window.
        """
        if self._seed is None and self.render_mode is not None:
            raise ArgumentError("render() was called before reset(), which deals the first game")
        return self._renderer.render(self.batch.arrays.states[0], self.seat)

    def close(self) -> None:
        """Close the window, if there is one; no step is taken after it."""
        self._renderer.close()
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise ArgumentError("the environment is closed; make a new one")


def _action_id(action: Any) -> int:
    """An action as algorithms give it: a number, or an array of one."""
    return parse_action(action.item() if isinstance(action, np.ndarray) and action.size == 1 else action)
