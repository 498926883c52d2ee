"""The Gymnasium environment for one seat: the other seats are played inside the step."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from speicher_env.arguments import (
    check_choice,
    check_first_player,
    check_options,
    check_seed,
    following_seed,
    fresh_seed,
)
from speicher_env.batch import Batch
from speicher_env.batch.opponents import Opponents
from speicher_env.deal import DeckArgument
from speicher_env.envs.outcome import Outcome, make_outcome
from speicher_env.envs.rendering import HUMAN, RENDER_FPS, RENDER_MODES, Rendered, Renderer
from speicher_env.envs.seat import check_one_seat
from speicher_env.envs.spaces import MASK_DTYPES, OBSERVATIONS, action_space, observation_space
from speicher_env.errors import ArgumentError
from speicher_env.rules.actions import N_ACTIONS, parse_action
from speicher_env.rules.scoring import N_SOURCES

__all__ = ["SpeicherEnv"]

RESET_OPTIONS = ("first_player",)
NO_SEED = np.uint64(0)
"""The seed in the info before the end. NumPy's type, because Gymnasium's arrays hold no Python number above 2**63-1."""

Observation = np.ndarray | dict[str, np.ndarray]
Info = dict[str, Any]


class SpeicherEnv(gymnasium.Env[Any, Any]):
    """One learner's seat in a game of 2..5.

    A step returns at the learner's next decision with everything earned in between, or at the end of the game, whoever
    ended it. The mask is in ``info["action_mask"]`` and from `action_masks`.

    Every info has the same keys, with arrays and numbers only: ``action_mask``, ``seat`` (the learner's), ``illegal``
    (its illegal actions so far), and the result of the game, which is 0 before the end: ``points`` (by source, in the
    order of `speicher_env.rules.scoring.SOURCES`), ``points_total``, ``coins``, ``rank``, ``seed``,
    ``lost_illegally`` and ``episode_length``. `outcome` gives the result of all seats.
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
        observation: str = "vector",
        illegal: str = "raise",
        render_mode: str | None = None,
        mask_dtype: str = "int8",
        figures: bool = False,
        dtype: str = "float32",
    ) -> None:
        """Set up the spaces; `reset` deals a game.

        Args:
            num_players: 2..5.
            deck: "standard", "sampled", the path of a deck file, or a Deck.
            seat: The learner's: 0..num_players-1, "rotating" from game to game, or "random", drawn for each game.
            opponents: Who plays the other seats: a spec, a player, or a list with one for each seat, clockwise.
            reward: "outcome", "rank" or "margin".
            padded: Whether observations have room for 5 seats.
            observation: "vector", or "dict" of ``observation`` and ``action_mask``.
            illegal: What an illegal action of the learner does. "raise": it raises `IllegalAction`, and nothing
                changes. For algorithms and checks without masks, "lose": the learner loses the game, which ends;
                "random": a random legal action is played instead.
            render_mode: "ansi" (render returns text), "rgb_array" (it returns pixels), "human" (every step shows the
                table in a window) or None.
            mask_dtype: "int8", which Gymnasium's action space wants, or "bool".
            figures: Whether the figures follow each observation: what follows from the table, such as needs and leads.
            dtype: Of observations: "float32", or "uint8" for whole numbers in a quarter of the bytes.
        """
        seat = check_one_seat(seat, num_players)
        self.batch = Batch(
            1, num_players, deck, seat, opponents, reward, padded, "disabled", illegal, figures=figures, dtype=dtype
        )
        self.observation = check_choice("observation", observation, OBSERVATIONS)
        self.mask_dtype = check_choice("mask_dtype", mask_dtype, MASK_DTYPES)
        self._raises = self.batch.illegal == "raise"
        self._bool_masks = self.mask_dtype == "bool"
        self._renderer = Renderer(render_mode)
        self.render_mode = self._renderer.mode
        self.action_space = action_space()
        self.observation_space: spaces.Space[Any] = observation_space(
            self.observation, self.batch.seats_in_view, self.mask_dtype, figures, dtype
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
            seed: 0..2**64-1, decides the game alone. None takes the seed that follows the last game's, or, the first
                time, one from the operating system.
            options: {"first_player": the seat that begins}.
        """
        self._check_open()
        given = check_options(options, RESET_OPTIONS).get("first_player")
        first_player = check_first_player(given, self.batch.num_players)
        if seed is not None:
            self._seed = check_seed(seed)
            super().reset(seed=self._seed)
        else:
            self._seed = fresh_seed() if self._seed is None else following_seed(self._seed)
        self.batch.arrays.lanes["first_player"] = first_player
        self.batch.reset([self._seed], rotate_on=seed is None)
        if self.render_mode == HUMAN:
            self.render()
        return self._observation(), self._info(ended=False)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, Info]:
        """Play the learner's action and everything up to its next decision.

        Raises:
            IllegalAction: With illegal="raise"; the game is as it was.
        """
        self._check_open()
        self.batch.step(np.array([_action_id(action)]))
        lanes = self.batch.arrays.lanes
        ended = bool(lanes["ended"][0])
        reward = float(lanes["reward"][0, self.seat]) if ended else 0.0
        if self.render_mode == HUMAN:
            self.render()
        return self._observation(), reward, ended, False, self._info(ended)

    def action_masks(self) -> np.ndarray:
        """(184,) of `mask_dtype`, 1 or True for a legal action; nothing is legal when the game is over."""
        mask: np.ndarray = self.batch.arrays.masks[0].copy().view(np.bool_ if self._bool_masks else np.int8)
        return mask

    def outcome(self) -> Outcome:
        """The result of the finished game, for all seats; `reset` forgets it.

        Raises:
            ArgumentError: Before the end.
        """
        if not self.batch.ended[0]:
            raise ArgumentError("outcome() was called before the end of the game, which has no result yet")
        result = self.batch.outcome(0)
        seats = result["seats"]
        illegal = [0] * len(seats)
        illegal[self.seat] = result["illegal"]
        return make_outcome(
            result["seed"],
            [seat["points"] for seat in seats],
            [seat["coins"] for seat in seats],
            [seat["rank"] for seat in seats],
            self.batch.rewards[0].tolist(),
            illegal,
            self.seat if result["lost_illegally"] else None,
        )

    def _observation(self) -> Observation:
        row = self.batch.observations[0].copy()
        return {"observation": row, "action_mask": self.action_masks()} if self.observation == "dict" else row

    def _info(self, ended: bool) -> Info:
        lanes = self.batch.arrays.lanes
        seat = self.seat
        info: Info = {
            "action_mask": self.action_masks(),
            "seat": seat,
            "illegal": 0 if self._raises else int(lanes["illegal"][0]),
            "points": np.zeros(N_SOURCES, dtype=np.int64),
            "points_total": 0,
            "coins": 0,
            "rank": 0,
            "seed": NO_SEED,
            "lost_illegally": False,
            "episode_length": 0,
        }
        if ended:
            lane = lanes[0]
            info["points"][:] = lane["points"][seat]
            info["points_total"] = int(info["points"].sum())
            info["coins"] = int(lane["coins"][seat])
            info["rank"] = int(lane["rank"][seat])
            info["seed"] = np.uint64(lane["ended_seed"])
            info["lost_illegally"] = bool(lane["lost_illegally"])
            info["episode_length"] = int(lane["ended_length"])
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
    if type(action) is int and 0 <= action < N_ACTIONS:
        return action
    return parse_action(action.item() if isinstance(action, np.ndarray) and action.size == 1 else action)
