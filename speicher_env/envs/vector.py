"""The Gymnasium `VectorEnv`: a row for each game, around one `Batch`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from speicher_env.arguments import check_choice, check_count, check_flag, check_options, check_seed, fresh_seed
from speicher_env.batch import Batch, Results
from speicher_env.batch.opponents import Opponents
from speicher_env.deal import DeckArgument
from speicher_env.envs.rendering import ANSI, HUMAN, RENDER_FPS, RGB_ARRAY, Renderer
from speicher_env.envs.seat import check_one_seat
from speicher_env.envs.spaces import MASK_DTYPES, OBSERVATIONS, action_space, observation_space
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.stream import next_seed

__all__ = ["SEATS", "SpeicherVectorEnv"]

RENDER_MODES = (ANSI, RGB_ARRAY)
_MODES = {
    AutoresetMode.DISABLED: "disabled",
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.SAME_STEP: "same_step",
}
SEATS = ("one", "all")
RESET_OPTIONS = ("reset_mask",)

Info = dict[str, Any]
Rows = np.ndarray | dict[str, np.ndarray]


class SpeicherVectorEnv(VectorEnv[Any, Any, Any]):
    """Many games at once; each row is the learner's next decision, the other seats are played inside.

    The mask is a full array in ``info["action_mask"]`` after every reset and step, and from `action_masks`. With
    ``seats="all"`` every decision of every seat is a row's, for one network that plays against itself:
    ``info["seat"]`` says whose decision each row is, ``info["rewards"]`` what every seat was paid, and the reward is
    that of the seat that has just acted.

    Attributes:
        autoreset_mode: What happens to a row whose game is over; also in `metadata`, as Gymnasium asks.
        batch: The games. `batch.row_format` has the scales of observations of uint8.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        num_players: int = 2,
        deck: DeckArgument | Sequence[DeckArgument] = "standard",
        seat: int | str = "random",
        opponents: Opponents = "random",
        reward: str = "outcome",
        padded: bool = False,
        seats: str = "one",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        observation: str = "vector",
        illegal: str = "raise",
        first_player: int | None = None,
        threads: int = 1,
        copy: bool = True,
        render_mode: str | None = None,
        figures: bool = False,
        dtype: str = "float32",
        mask_dtype: str = "int8",
    ) -> None:
        """Make room; `reset` deals.

        Args:
            num_envs: Games, a row each.
            num_players: 2..5.
            deck: A deck for all games, or a list with one for each.
            seat: The learner's: 0..num_players-1, "rotating" from game to game, or "random", drawn for each game.
            opponents: Who plays the other seats: a spec, a player, or a list with one for each seat, clockwise.
            reward: "outcome", "rank" or "margin".
            padded: Whether observations have room for 5 seats.
            seats: "one" for a learner in one seat, "all" to decide for all seats (`seat` and `opponents` are not used).
            autoreset_mode: Next-step, same-step or disabled, as Gymnasium defines them; or their values as text.
            observation: "vector", or "dict" of ``observation`` and ``action_mask``.
            illegal: "raise", or for algorithms that know no masks "lose" (the row's game is lost) or "random" (a
                random legal action is played, and counted in the info at the end of the game).
            first_player: The seat that begins every game, None to draw it.
            threads: Cores to use.
            copy: Whether what `reset` and `step` return stays as it is. False returns the environment's own arrays,
                which the next step writes over.
            render_mode: "ansi" or "rgb_array", and `render` returns a text or a picture for each row, as the row's seat
                sees its game (with seats="all" as nobody's); or None.
            figures: Whether the figures follow each observation: what follows from the table, such as needs and leads.
            dtype: Of observations: "float32", or "uint8" for whole numbers in a quarter of the bytes.
            mask_dtype: Of masks: "int8" or "bool".
        """
        super().__init__()
        if render_mode == HUMAN:
            raise ArgumentError(must_be("render_mode", render_mode, '"ansi", "rgb_array" or None for many games'))
        self._renderer = Renderer(render_mode)
        self.render_mode = self._renderer.mode
        self.autoreset_mode = _autoreset_mode(autoreset_mode)
        self.mask_dtype = check_choice("mask_dtype", mask_dtype, MASK_DTYPES)
        self.seats = check_choice("seats", seats, SEATS)
        self.observation = check_choice("observation", observation, OBSERVATIONS)
        self.copy = check_flag("copy", copy)
        one_seat = check_one_seat(seat, num_players, '; seats="all" decides for all of them')
        self.batch = Batch(
            check_count("num_envs", num_envs),
            num_players,
            deck,
            "all" if self.seats == "all" else one_seat,
            opponents,
            reward,
            padded,
            _MODES[self.autoreset_mode],
            illegal,
            first_player,
            threads,
            figures=figures,
            dtype=dtype,
        )
        self.num_envs = self.batch.num_games
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        row_format = self.batch.row_format
        self.single_action_space = action_space()
        self.single_observation_space: spaces.Space[Any] = observation_space(
            self.observation, row_format.seats, self.mask_dtype, row_format.figures, row_format.dtype
        )
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._dealt = False
        self._closed = False

    # Playing

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Rows, Info]:
        """Deal new games.

        Args:
            seed: Row k is dealt from seed + k; a list gives each row its own. None, also in a list, goes on with the
                seed that follows that of the row's last game, or the first time takes the operating system's.
            options: {"reset_mask": a bool for each row} deals in those rows only (autoreset disabled).
        """
        self._check_open()
        mask = _reset_mask(check_options(options, RESET_OPTIONS), self.num_envs)
        if not (self._dealt or mask.all()):
            raise ArgumentError("options: the first reset must deal in all rows, so without a reset_mask")
        seeds = self._seeds(seed)[mask]
        self.batch.reset(seeds, None if mask.all() else np.flatnonzero(mask), rotate_on=seed is None)
        self._dealt = True
        return self._rows(), self._info()

    def _seeds(self, seed: int | Sequence[int | None] | None) -> np.ndarray:
        if isinstance(seed, list | tuple | np.ndarray):
            if len(seed) != self.num_envs:
                raise ArgumentError(must_be("seed", seed, f"one seed, or one for each of {self.num_envs} games"))
            following = self._following_seeds()
            return np.array(
                [following[row] if each is None else check_seed(each) for row, each in enumerate(seed)], dtype=np.uint64
            )
        return self._following_seeds() if seed is None else self._seeds_from(check_seed(seed))

    def _seeds_from(self, first: int) -> np.ndarray:
        check_seed(first + self.num_envs - 1)
        return np.uint64(first) + np.arange(self.num_envs, dtype=np.uint64)

    def _following_seeds(self) -> np.ndarray:
        """For each row the seed that follows that of its last game."""
        if not self._dealt:
            return self._seeds_from(fresh_seed())
        return np.array([next_seed(seed) for seed in self.batch.arrays.states["seed"]], dtype=np.uint64)

    def step(self, actions: np.ndarray) -> tuple[Rows, np.ndarray, np.ndarray, np.ndarray, Info]:
        """Carry out an action in every row.

        Returns:
            Observations, rewards, terminations, truncations (never any) and info.

        Raises:
            IllegalAction: With illegal="raise", for the first row at fault; nothing has been stepped then.
        """
        self._check_open()
        batch = self.batch
        acted = batch.seats.copy() if self.seats == "all" else None
        batch.step(actions)
        ended = batch.ended.copy()
        never = np.zeros(self.num_envs, dtype=np.bool_)
        return self._rows(), self._rewards(ended, acted), ended, never, self._info(ended)

    def _rewards(self, ended: np.ndarray, acted: np.ndarray | None) -> np.ndarray:
        """What each row's learner was paid: the seat of the game that ended, or the seat that acted."""
        rewards = np.zeros(self.num_envs)
        if ended.any():  # nobody is paid before
            results = self.batch.results()
            seats = results.seats if acted is None else acted[results.lanes]
            rewards[results.lanes] = results.of_seats(results.rewards, seats)
        return rewards

    def _rows(self) -> Rows:
        rows = self.batch.observations.copy() if self.copy else self.batch.observations
        return {"observation": rows, "action_mask": self.action_masks()} if self.observation == "dict" else rows

    def _info(self, ended: np.ndarray | None = None) -> Info:
        """The mask in full, whose decision each row is, and how the games went that ended in this step.

        As Gymnasium has it, an array with an underscore before its name says in which rows an entry counts.
        """
        everywhere = np.ones(self.num_envs, dtype=np.bool_)
        info: Info = {"action_mask": self.action_masks(), "_action_mask": everywhere}
        info |= {"seat": self.batch.seats.copy(), "_seat": everywhere}
        if self.seats == "all":
            info |= {"rewards": self.batch.rewards.copy(), "_rewards": everywhere}
        if self.batch.illegal != "raise":
            info |= {"illegal": self.batch.arrays.lanes["illegal"].copy(), "_illegal": everywhere}
        if ended is None or not ended.any():
            return info
        results = self.batch.results()
        outcomes = self._outcomes(results, ended)
        if self.autoreset_mode != AutoresetMode.SAME_STEP:
            return outcomes | info  # a game that is over still has its seat and its count of illegal actions
        if self.seats == "one":
            outcomes |= {"seat": self._spread(results.seats, results.lanes), "_seat": ended}
        final_rows = self._final_rows(results.lanes)
        return info | {"final_obs": final_rows, "_final_obs": ended, "final_info": outcomes, "_final_info": ended}

    def _outcomes(self, results: Results, ended: np.ndarray) -> Info:
        """Points by source, coins and rank of the learner, or of every seat, where a game ended; zeros elsewhere."""

        def pick(values: np.ndarray) -> np.ndarray:
            return values if self.seats == "all" else results.of_seats(values, results.seats)

        values = {
            "points": pick(results.points),
            "coins": pick(results.coins),
            "rank": pick(results.ranks),
            "points_total": pick(results.totals),
            "seed": results.seeds,
            "illegal": results.illegal,
            "lost_illegally": results.lost_illegally,
            "episode_length": results.lengths,
        }
        outcomes: Info = {name: self._spread(array, results.lanes) for name, array in values.items()}
        return outcomes | {f"_{name}": ended for name in values}

    def _spread(self, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Values of some rows in an array for all rows, zeros elsewhere."""
        spread = np.zeros((self.num_envs, *values.shape[1:]), dtype=values.dtype)
        spread[rows] = values
        return spread

    def _final_rows(self, rows: np.ndarray) -> np.ndarray:
        """The last observation of each game that ended, in Gymnasium's array of objects, None elsewhere."""
        final_rows = np.full(self.num_envs, None, dtype=object)
        nothing_legal = np.zeros((rows.size, N_ACTIONS), dtype=self.mask_dtype)
        last_rows = self.batch.final_observations[rows]
        for row, last, mask in zip(rows.tolist(), last_rows, nothing_legal, strict=True):
            final_rows[row] = {"observation": last, "action_mask": mask} if self.observation == "dict" else last
        return final_rows

    def render(self) -> tuple[Any, ...]:
        """The table of every row's game: a text each with render_mode "ansi", pixels each with "rgb_array".

        Made for a few rows that somebody looks at: a picture takes as long as thousands of steps.
        """
        if not self._dealt and self.render_mode is not None:
            raise ArgumentError("render() was called before reset(), which deals the first games")
        states, seats = self.batch.arrays.states, self.batch.arrays.lanes["seat"]
        seen_by = [int(seat) if self.seats == "one" else None for seat in seats]
        return tuple(self._renderer.render(state, seat) for state, seat in zip(states, seen_by, strict=True))

    def action_masks(self) -> np.ndarray:
        """(num_envs, 184), 1 or True = legal; a row of zeros where a game is over and no new one dealt."""
        masks = self.batch.action_masks
        if self.mask_dtype == "bool":
            masks = masks.view(np.bool_)
        return masks.copy() if self.copy else masks

    def set_opponents(self, opponents: Opponents, rows: Sequence[int] | np.ndarray | None = None) -> None:
        """Seat other players, in all rows or in some, from each row's next game on."""
        self.batch.set_opponents(opponents, rows)

    def close_extras(self, **kwargs: Any) -> None:
        """Nothing to release; but no step is taken after it."""
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise ArgumentError("the environment is closed; make a new one")


def _autoreset_mode(mode: AutoresetMode | str) -> AutoresetMode:
    if isinstance(mode, AutoresetMode):
        return mode
    texts = {text: member for member in AutoresetMode for text in (member.value, _MODES[member])}
    return texts[check_choice("autoreset_mode", mode, texts)]


def _reset_mask(options: Mapping[str, Any], rows: int) -> np.ndarray:
    mask = options.get("reset_mask")
    if mask is None:
        return np.ones(rows, dtype=np.bool_)
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (rows,) or not mask.any():
        raise ArgumentError(must_be("reset_mask", mask, f"an array of {rows} bools, at least one of them True"))
    return mask
