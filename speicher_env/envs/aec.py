"""The PettingZoo AEC environment: bookkeeping around one `Game`, no rules.

No EzPickle: copying or pickling the environment copies the game in it, wherever it stands.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from speicher_env.arguments import check_choice, check_flag, check_players, check_seed, is_whole
from speicher_env.deal import DeckArgument
from speicher_env.deck import resolve_deck
from speicher_env.envs.rendering import HUMAN, RENDER_FPS, RENDER_MODES, Rendered, Renderer
from speicher_env.envs.spaces import action_space, masked_space, seats_in_view, vector_space
from speicher_env.errors import ArgumentError
from speicher_env.game import Game
from speicher_env.observation import observation_size
from speicher_env.observation.encode import mask_at, observe_at
from speicher_env.rewards import SCHEMES, write_rewards_at
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.state import EMPTY
from speicher_env.rules.stream import next_seed

RESET_OPTIONS = ("first_player", "state", "record", "move")

Observation = dict[str, np.ndarray]
Info = dict[str, Any]


class raw_env(AECEnv):  # PettingZoo's name for it
    """Speicherstadt for 2..5 agents, ``player_0`` .. ``player_4``, clockwise.

    An agent acts whenever its seat has a choice, several times running if need be; `agent_selection` says whose turn
    it is. Observations are dicts of ``observation`` and ``action_mask``; the mask is in the info as well.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # PettingZoo's interface
        "name": "speicherstadt_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self,
        num_players: int = 2,
        deck: DeckArgument = "standard",
        reward: str = "outcome",
        padded: bool = False,
        render_mode: str | None = None,
    ) -> None:
        """Set up the spaces; `reset` deals a game.

        Args:
            num_players: 2..5.
            deck: "standard", "sampled" (a fresh deck for every seed), the path of a deck file, or a Deck.
            reward: "outcome", "rank" or "margin"; paid to all agents in the last step.
            padded: Whether observations have room for 5 seats, so that one network fits every player count.
            render_mode: "ansi" (render returns text), "rgb_array" (it returns pixels), "human" (every step shows the
                table in a window) or None.
        """
        super().__init__()
        self.num_players = check_players(num_players)
        self.deck = resolve_deck(deck) or "sampled"
        self.reward = check_choice("reward", reward, SCHEMES)
        self.padded = check_flag("padded", padded)
        self._renderer = Renderer(render_mode)
        self.render_mode = self._renderer.mode
        self._scheme = SCHEMES.index(self.reward)
        self._seats_in_view = seats_in_view(self.num_players, self.padded)
        self._size = observation_size(self._seats_in_view)
        self.possible_agents = [f"player_{seat}" for seat in range(self.num_players)]
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {agent: masked_space(self._seats_in_view) for agent in self.possible_agents}
        self.state_space = vector_space(self._seats_in_view)
        self.action_spaces = {agent: action_space() for agent in self.possible_agents}
        self.agents: list[str] = []
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.rewards: dict[str, float] = {}
        self._cumulative_rewards: dict[str, float] = {}
        self._game: Game | None = None
        self._outcome: list[Info] = []

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations, the same for all."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's actions, the same for all."""
        return self.action_spaces[agent]

    # Playing

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a game.

        Args:
            seed: 0..2**63-1, decides the game alone. None goes on with the seed that follows the last game's, or,
                the first time, takes one from the operating system.
            options: "first_player": the seat that begins. "state": a state or snapshot to go on from. "record": a game
                record whose deal to use, and with it "move": how many of its moves to play (default none).
        """
        self._game = self._dealt(seed, options)
        self.agents = self.possible_agents[:]
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._skip_agent_selection = None
        mask = np.empty(N_ACTIONS, dtype=np.int8)
        mask_at(self._game.states_view, 0, mask)
        self._no_mask = np.zeros(N_ACTIONS, dtype=np.int8)
        self._turn_to(int(self._game.states_view["player"][0]), mask)
        if self.render_mode == HUMAN:
            self.render()

    def _dealt(self, seed: int | None, options: Mapping[str, Any] | None) -> Game:
        options = {} if options is None else options
        if not isinstance(options, Mapping):
            raise ArgumentError(f"options: found {type(options).__name__}, must be a dict or None")
        # PettingZoo's own tests pass options that no environment knows, so only a likely slip of the pen is refused.
        for name in options:
            near = difflib.get_close_matches(str(name), RESET_OPTIONS, n=1)
            if near and name not in RESET_OPTIONS:
                raise ArgumentError(f"options: found {name!r}, did you mean {near[0]!r}?")
        if seed is not None:
            check_seed(seed)
        sources = [name for name in ("state", "record") if name in options]
        if len(sources) == 2 or (sources and "first_player" in options):
            named = ", ".join(name for name in RESET_OPTIONS if name in options)
            raise ArgumentError(f"options: found {named} together, must be one of first_player, state and record")
        if "move" in options and "record" not in options:
            raise ArgumentError('options: found "move" alone, it counts moves of a "record" and must come with one')
        if sources:
            return self._restored(options)
        if seed is None and self._game is not None:
            seed = next_seed(self._game.seed)
        return Game(self.num_players, self.deck, seed, options.get("first_player"))

    def _restored(self, options: Mapping[str, Any]) -> Game:
        """The game of the option "state" or "record", if it fits this environment."""
        if "state" in options:
            game = Game.from_state(options["state"])
            moves: list[int] = []
        else:
            told = Game.from_record(options["record"])
            moves = told.move_ids or []
            game = told.start()
        if game.num_players != self.num_players:
            raise ArgumentError(
                f"options: found a game of {game.num_players} players, this environment has {self.num_players}"
            )
        count = options.get("move", 0)
        if not is_whole(count) or not 0 <= count <= len(moves):
            raise ArgumentError(f'options: found "move" {count!r}, must be a whole number 0..{len(moves)}')
        for action in moves[:count]:
            game.play(action)
        return game

    def step(self, action: int | None) -> None:
        """Carry out the action of `agent_selection`; None for an agent whose game is over.

        Raises:
            IllegalAction: If the mask forbids it; nothing has changed then.
        """
        if not self.agents:
            raise ArgumentError("step() was called with no agents left; reset() deals the next game")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        mask = np.empty(N_ACTIONS, dtype=np.int8)
        seat = self.game.play_masked(action, mask)  # type: ignore[arg-type]  # refuses None in a sentence of its own
        self._cumulative_rewards[agent] = 0.0
        self._turn_to(seat, mask)
        if self.render_mode == HUMAN:
            self.render()

    def _turn_to(self, seat: int, mask: np.ndarray) -> None:
        """It is a seat's turn, with this mask; or the game is over, and everybody is paid."""
        self._player = seat
        self._mask = mask
        self._info_masks: dict[str, np.ndarray] = {}
        if seat != EMPTY:
            self.agent_selection = self.possible_agents[seat]
            return
        self.agent_selection = self.possible_agents[0]
        paid = np.zeros(self.num_players)
        write_rewards_at(self.game.states_view, 0, self._scheme, paid)
        self.rewards = dict(zip(self.possible_agents, paid.tolist(), strict=True))
        self.terminations = dict.fromkeys(self.possible_agents, True)
        self._accumulate_rewards()
        points, coins, ranks = self.game.points(), self.game.coins, self.game.ranks()
        self._outcome = [
            {"current_player": None, "points": points[seat], "coins": coins[seat], "rank": ranks[seat]}
            for seat in range(self.num_players)
        ]

    # Looking

    @property
    def game(self) -> Game:
        """The game being played, itself and not a copy: play through `step`, look through this."""
        if self._game is None:
            raise ArgumentError("there is no game yet; reset() deals one")
        return self._game

    def observe(self, agent: str) -> Observation:
        """What an agent sees now: any agent, at any time, also after the end. Changes nothing."""
        if agent not in self._seat:
            raise ArgumentError(f"agent: found {agent!r}, must be one of {', '.join(self.possible_agents)}")
        seat = self._seat[agent]
        row = np.empty(self._size, dtype=np.float32)
        observe_at(self.game.states_view, 0, seat, self._seats_in_view, row)
        return {"observation": row, "action_mask": self._mask_of(seat).copy()}

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, Info]:
        """Observation, reward since its last step, ends and info of `agent_selection`."""
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self._info(agent),
        )

    @property
    def infos(self) -> dict[str, Info]:
        """A fresh dict for each agent: its mask and whose turn it is, at the end also how it did.

        Within one step the mask in it is the same array each time, as PettingZoo's tests compare infos with ``==``. It
        is a copy, so writing to it changes neither observations nor the infos of later steps.
        """
        return {agent: self._info(agent) for agent in self.agents}

    def _mask_of(self, seat: int) -> np.ndarray:
        return self._mask if seat == self._player else self._no_mask

    def _info(self, agent: str) -> Info:
        seat = self._seat[agent]
        mask = self._info_masks.get(agent)
        if mask is None:
            mask = self._info_masks[agent] = self._mask_of(seat).copy()
        info: Info = {"action_mask": mask}
        if self._player != EMPTY:
            info["current_player"] = self.possible_agents[self._player]
            return info
        outcome = self._outcome[seat]
        info.update(outcome, points=dict(outcome["points"]))
        return info

    def state(self) -> np.ndarray:
        """The whole table as the first agent sees it: there is nothing that another agent would see besides."""
        row = np.empty(self._size, dtype=np.float32)
        observe_at(self.game.states_view, 0, 0, self._seats_in_view, row)
        return row

    def render(self) -> Rendered:
        """The table: returned as text with render_mode "ansi", as pixels with "rgb_array"; in a window with "human".

        Pixels are (height, width, 3) uint8, of one size through a game. After the end they show the points by source.
        """
        return self._renderer.render(self.game.states_view[0])

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    # Copies

    def get_state(self) -> bytes:
        """A snapshot of the game for `set_state`, with its moves."""
        return self.game.get_state()

    def set_state(self, state: bytes | np.void | np.ndarray) -> None:
        """Go on from a snapshot or a state record; all agents are back in the game."""
        self.reset(options={"state": state})


class OrderedEnv(OrderEnforcingWrapper):
    """PettingZoo's `OrderEnforcingWrapper`, asking `raw_env` once where it would ask for each value `last` returns."""

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, Info]:
        """Observation, reward since its last step, ends and info of `agent_selection`."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        last: tuple[Observation | None, float, bool, bool, Info] = self.env.last(observe)
        return last

    def set_state(self, state: bytes | np.void | np.ndarray) -> None:
        """Go on from a snapshot or a state record, also as the first thing; all agents are back in the game."""
        self.reset(options={"state": state})

    def __str__(self) -> str:
        return str(self.env)


def env(
    num_players: int = 2,
    deck: DeckArgument = "standard",
    reward: str = "outcome",
    padded: bool = False,
    render_mode: str | None = None,
) -> OrderedEnv:
    """`raw_env` that also minds the order of calls. Illegal actions raise in either."""
    return OrderedEnv(raw_env(num_players, deck, reward, padded, render_mode))
