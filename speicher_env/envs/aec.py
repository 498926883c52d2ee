"""The PettingZoo AEC environment: bookkeeping around one `Game`, no rules.

No EzPickle: copying or pickling the environment copies the game in it, at any point of the game.
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

from speicher_env.arguments import (
    ILLEGAL,
    check_choice,
    check_flag,
    check_players,
    check_seed,
    following_seed,
    is_whole,
)
from speicher_env.deal import DeckArgument
from speicher_env.deck import resolve_deck
from speicher_env.envs.outcome import Outcome, make_outcome
from speicher_env.envs.rendering import HUMAN, RENDER_FPS, RENDER_MODES, Rendered, Renderer
from speicher_env.envs.spaces import (
    MASK_DTYPES,
    OBSERVATIONS,
    action_space,
    observation_space,
    seats_in_view,
    vector_space,
)
from speicher_env.errors import ArgumentError, IllegalAction
from speicher_env.game import Game
from speicher_env.messages import must_be, one_of
from speicher_env.observation.encode import mask_at
from speicher_env.observation.rows import row_at, row_format
from speicher_env.rewards import SCHEMES, write_forfeit_rewards, write_rewards_at
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.state import EMPTY, OVER
from speicher_env.rules.stream import PLAY_STREAM, Stream, below, start_stream

__all__ = ["OrderedEnv", "env", "raw_env"]

RESET_OPTIONS = ("first_player", "state", "record", "move")

Observation = np.ndarray | dict[str, np.ndarray]
Info = dict[str, np.ndarray]


class raw_env(AECEnv):  # PettingZoo's name for it
    """Speicherstadt for 2..5 agents, ``player_0`` .. ``player_4``, clockwise.

    An agent acts whenever its seat has a choice, several times in a row if need be; `agent_selection` says whose turn
    it is. The info of every agent at every step is ``{"action_mask": ...}``. `outcome` gives the result of a finished
    game, `current_player` the agent whose decision is due, `illegal_actions` a count for each seat, `game` the `Game`.
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
        illegal: str = "raise",
        observation: str = "dict",
        mask_dtype: str = "int8",
        figures: bool = False,
        dtype: str = "float32",
    ) -> None:
        """Set up the spaces; `reset` deals a game.

        Args:
            num_players: 2..5.
            deck: "standard", "sampled" (a new deck for every seed), the path of a deck file, or a Deck.
            reward: "outcome", "rank" or "margin"; paid to all agents in the last step.
            padded: Whether observations have room for 5 seats, so that one network fits every player count.
            render_mode: "ansi" (render returns text), "rgb_array" (it returns pixels), "human" (every step shows the
                table in a window) or None.
            illegal: What an illegal action does. "raise": it raises `IllegalAction`, and nothing changes. "lose": its
                agent loses the game, which ends. "random": a random legal action is played instead.
            observation: "dict" of ``observation`` and ``action_mask``, or "vector", the observation alone; the mask is
                in the info either way.
            mask_dtype: "int8", which the action spaces of Gymnasium and PettingZoo's tests want, or "bool".
            figures: Whether the figures follow each observation: what follows from the table, such as needs and leads.
            dtype: Of observations: "float32", or "uint8" for whole numbers in a quarter of the bytes.
        """
        super().__init__()
        self.num_players = check_players(num_players)
        self.deck = resolve_deck(deck) or "sampled"
        self.reward = check_choice("reward", reward, SCHEMES)
        self.padded = check_flag("padded", padded)
        self.illegal = check_choice("illegal", illegal, ILLEGAL)
        self.observation = check_choice("observation", observation, OBSERVATIONS)
        self.mask_dtype = check_choice("mask_dtype", mask_dtype, MASK_DTYPES)
        self._renderer = Renderer(render_mode)
        self.render_mode = self._renderer.mode
        self._scheme = SCHEMES.index(self.reward)
        self._dict_observation = self.observation == "dict"
        self._bool_masks = self.mask_dtype == "bool"
        self.row_format = row_format(seats_in_view(self.num_players, self.padded), figures, dtype)
        self._seats_in_view, with_figures, self.dtype = self.row_format
        self._figures = True if with_figures else None
        self._size = self.row_format.size
        self._row_type = np.dtype(self.dtype)
        self.possible_agents = [f"player_{seat}" for seat in range(self.num_players)]
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {
            agent: observation_space(self.observation, self._seats_in_view, self.mask_dtype, with_figures, self.dtype)
            for agent in self.possible_agents
        }
        self.state_space = vector_space(self._seats_in_view, with_figures, self.dtype)
        self.action_spaces = {agent: action_space() for agent in self.possible_agents}
        self.agents: list[str] = []
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.rewards: dict[str, float] = {}
        self._cumulative_rewards: dict[str, float] = {}
        self._game: Game | None = None
        self._player = EMPTY
        self._loser: int | None = None
        self._forfeited: np.ndarray | None = None
        self.illegal_actions = [0] * self.num_players
        """Illegal actions of each seat in this game."""

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
            seed: 0..2**64-1, decides the game alone. None takes the seed that follows the last game's, or, the first
                time, one from the operating system.
            options: "first_player": the seat that begins. "state": a state or snapshot to resume, refused unless a
                game can be in it. "record": a game record whose deal to use, and with it "move": how many of its moves
                to play (default: 0).
        """
        self._game = self._new_game(seed, options)
        self.agents = self.possible_agents[:]
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._skip_agent_selection = None
        self.illegal_actions = [0] * self.num_players
        self._stream: Stream | None = None
        self._loser = None
        self._forfeited = None
        self._no_mask = np.zeros(N_ACTIONS, dtype=self.mask_dtype)
        mask = np.empty(N_ACTIONS, dtype=np.int8)
        mask_at(self._game.states_view, 0, mask)
        self._turn_to(int(self._game.states_view["player"][0]), mask)
        if self.render_mode == HUMAN:
            self.render()

    def _new_game(self, seed: int | None, options: Mapping[str, Any] | None) -> Game:
        options = {} if options is None else options
        if not isinstance(options, Mapping):
            raise ArgumentError(must_be("options", options, "a dict or None"))
        # PettingZoo's own tests pass options that no environment knows, so only a likely misspelling is refused.
        for name in options:
            if name not in RESET_OPTIONS and difflib.get_close_matches(str(name), RESET_OPTIONS, n=1):
                raise ArgumentError(must_be("option", name, one_of(name, RESET_OPTIONS), "options"))
        if seed is not None:
            check_seed(seed)
        sources = [name for name in ("state", "record") if name in options]
        if len(sources) == 2 or (sources and "first_player" in options):
            given = [name for name in RESET_OPTIONS if name in options]
            raise ArgumentError(must_be("options", given, "only one of first_player, state and record"))
        if "move" in options and "record" not in options:
            raise ArgumentError('options: "move" counts the moves of a "record" and needs one.')
        if sources:
            return self._restored(options)
        if seed is None and self._game is not None:
            seed = following_seed(self._game.seed)
        return Game(self.num_players, self.deck, seed, options.get("first_player"))

    def _restored(self, options: Mapping[str, Any]) -> Game:
        """The game of the option "state" or "record", if it fits this environment."""
        if "state" in options:
            game = Game.from_state(options["state"])
            moves: list[int] = []
        else:
            recorded = Game.from_record(options["record"])
            moves = recorded.move_ids or []
            game = recorded.start()
        if game.num_players != self.num_players:
            raise ArgumentError(
                must_be("players", game.num_players, f"{self.num_players}, as in this environment", "options")
            )
        count = options.get("move", 0)
        if not is_whole(count) or not 0 <= count <= len(moves):
            raise ArgumentError(must_be("move", count, f"a whole number 0..{len(moves)}", "options"))
        for action in moves[:count]:
            game.play(action)
        return game

    def step(self, action: int | None) -> None:
        """Play the action of `agent_selection`; None for an agent whose game is over.

        Raises:
            IllegalAction: If the mask forbids it and illegal="raise"; the game is as it was.
            UnknownAction: If it is none of the 184 actions; the game is as it was.
        """
        if not self.agents:
            raise ArgumentError("step() was called with no agents left; reset() deals the next game")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        mask = np.empty(N_ACTIONS, dtype=np.int8)
        try:
            seat = self.game._play_into(action, mask)  # type: ignore[arg-type]  # refuses None in a sentence of its own
        except IllegalAction:
            if self.illegal == "raise":
                raise
            seat = self._after_illegal(mask)
        self._cumulative_rewards[agent] = 0.0
        self._turn_to(seat, mask)
        if self.render_mode == HUMAN:
            self.render()

    def _after_illegal(self, mask: np.ndarray) -> int:
        """Forfeit the game, or play a random legal action; write the next mask and return the next seat."""
        game = self.game
        self.illegal_actions[self._player] += 1
        if self.illegal == "lose":
            self._loser = self._player
            self._forfeited = np.array([game.state])
            self._forfeited["phase"] = OVER
            self._forfeited["player"] = EMPTY
            self._forfeited["legal"] = 0
            mask[:] = 0
            return EMPTY
        if self._stream is None:
            self._stream = start_stream(np.uint64(game.seed), PLAY_STREAM)
        legal = game.legal_ids()
        pick, self._stream = below(self._stream, len(legal))
        return game.play_masked(legal[pick], mask)

    def _turn_to(self, seat: int, mask: np.ndarray) -> None:
        """It is a seat's turn, with this mask; or the game is over, and all agents are paid."""
        self._player = seat
        self._mask = mask.view(np.bool_) if self._bool_masks else mask
        self._info_masks: dict[str, np.ndarray] = {}
        if seat != EMPTY:
            self.agent_selection = self.possible_agents[seat]
            return
        self.agent_selection = self.possible_agents[0]
        paid = np.zeros(self.num_players)
        if self._loser is None:
            write_rewards_at(self.game.states_view, 0, self._scheme, paid)
        else:
            write_forfeit_rewards(self.num_players, self._loser, self._scheme, paid)
        self._paid: list[float] = paid.tolist()
        self.rewards = dict(zip(self.possible_agents, self._paid, strict=True))
        self.terminations = dict.fromkeys(self.possible_agents, True)
        self._accumulate_rewards()

    # Looking

    @property
    def game(self) -> Game:
        """The game being played, itself and not a copy: play through `step`, look through this.

        A game that an agent lost by an illegal action stays at the decision where that happened.
        """
        if self._game is None:
            raise ArgumentError("there is no game yet; reset() deals one")
        return self._game

    @property
    def current_player(self) -> str | None:
        """The agent whose decision is due; None when the game is over."""
        return None if self._player == EMPTY else self.possible_agents[self._player]

    def outcome(self) -> Outcome:
        """The result of the finished game, also after the agents have left.

        Raises:
            ArgumentError: Before the end.
        """
        game = self.game
        if self.current_player is not None:
            raise ArgumentError("outcome() was called before the end of the game, which has no result yet")
        ranks = game.ranks()
        if self._loser is not None:
            ranks = [self.num_players if seat == self._loser else 1 for seat in range(self.num_players)]
        return make_outcome(game.seed, game.points(), game.coins, ranks, self._paid, self.illegal_actions, self._loser)

    def observe(self, agent: str) -> Observation:
        """What an agent sees now: any agent, at any time, also after the end. Changes nothing."""
        if agent not in self._seat:
            raise ArgumentError(must_be("agent", agent, one_of(agent, self.possible_agents)))
        seat = self._seat[agent]
        row = np.empty(self._size, self._row_type)
        states = self.game.states_view if self._forfeited is None else self._forfeited
        row_at(states, 0, seat, self._seats_in_view, self._figures, row)
        return {"observation": row, "action_mask": self._mask_of(seat).copy()} if self._dict_observation else row

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, Info]:
        """Observation, reward since its last step, termination, truncation and info of `agent_selection`."""
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
        """A new dict for each agent: ``{"action_mask": ...}``, zeros for an agent that is not deciding.

        Within one step the mask in it is the same array each time, as PettingZoo's tests compare infos with ``==``. It
        is a copy, so writing to it changes neither observations nor the infos of later steps.
        """
        return {agent: self._info(agent) for agent in self.agents}

    def _mask_of(self, seat: int) -> np.ndarray:
        return self._mask if seat == self._player else self._no_mask

    def _info(self, agent: str) -> Info:
        mask = self._info_masks.get(agent)
        if mask is None:
            mask = self._info_masks[agent] = self._mask_of(self._seat[agent]).copy()
        return {"action_mask": mask}

    def state(self) -> np.ndarray:
        """The whole table as the first agent sees it; no agent sees more."""
        row = np.empty(self._size, self._row_type)
        states = self.game.states_view if self._forfeited is None else self._forfeited
        row_at(states, 0, 0, self._seats_in_view, self._figures, row)
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
        """Resume a snapshot or a state record; all agents are back in the game, and no illegal action is counted."""
        self.reset(options={"state": state})


class OrderedEnv(OrderEnforcingWrapper):
    """PettingZoo's `OrderEnforcingWrapper`, asking `raw_env` once where it would ask for each value `last` returns."""

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, Info]:
        """Observation, reward since its last step, termination, truncation and info of `agent_selection`."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        last: tuple[Observation | None, float, bool, bool, Info] = self.env.last(observe)
        return last

    def set_state(self, state: bytes | np.void | np.ndarray) -> None:
        """Resume a snapshot or a state record, also as the first call; all agents are back in the game."""
        self.reset(options={"state": state})

    def __str__(self) -> str:
        return str(self.env)


def env(
    num_players: int = 2,
    deck: DeckArgument = "standard",
    reward: str = "outcome",
    padded: bool = False,
    render_mode: str | None = None,
    illegal: str = "raise",
    observation: str = "dict",
    mask_dtype: str = "int8",
    figures: bool = False,
    dtype: str = "float32",
) -> OrderedEnv:
    """`raw_env` that also checks the order of calls, and nothing else.

    PettingZoo's `TerminateIllegalWrapper` is not needed: ``illegal="lose"`` ends the game with payoffs that sum to
    zero, which the wrapper's do not.
    """
    return OrderedEnv(
        raw_env(num_players, deck, reward, padded, render_mode, illegal, observation, mask_dtype, figures, dtype)
    )
