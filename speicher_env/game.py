"""`Game`: one game for people and programs, a friendly handle on one state record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from speicher_env.arguments import check_first_player, check_players, check_seed, fresh_seed
from speicher_env.chance import NextSupply, arrange, first_supply_of, next_supply_of
from speicher_env.deal import (
    DeckArgument,
    check_bag,
    check_pile,
    deck_kind,
    deck_values,
    lay_out,
    lay_out_again,
    set_pile,
    template_for,
)
from speicher_env.deck import Deck
from speicher_env.errors import ArgumentError, IllegalAction, StateError
from speicher_env.messages import listed, must_be
from speicher_env.rules.actions import ACTION_TEXTS, N_ACTIONS, parse_action
from speicher_env.rules.cards import CARD_IDS
from speicher_env.rules.hidden import redeal_at
from speicher_env.rules.scoring import N_SOURCES, SOURCES, points_by_source, ranking_key
from speicher_env.rules.state import EMPTY, LEGAL_WORDS, N_STATE_BYTES, OVER, PHASES, STATE
from speicher_env.rules.turn import ILLEGAL, deal, decide, step
from speicher_env.snapshot import Snapshot, check_state, one_record, pack, unpack

if TYPE_CHECKING:
    from speicher_env.solve import Solution

__all__ = ["Game", "Offer"]

_LEGAL = slice(STATE.fields["legal"][1], STATE.fields["legal"][1] + 8 * LEGAL_WORDS) if STATE.fields else slice(0)
"""The bytes of a state that are its legal actions, little-endian."""

_new = object.__new__
_array = np.ndarray
_INT8 = np.dtype(np.int8)
_MASK = (N_ACTIONS,)


class Offer(NamedTuple):
    """The card that the deciding seat may buy."""

    column: int
    """0 = leftmost."""
    card: str
    price: int
    """In coins: the workers above the card."""


class Game:
    """One game of Speicherstadt.

    Actions are texts such as ``"place 2"`` or ids 0..183. Only decisions are asked for: what leaves no choice plays
    itself, so every decision has at least two legal actions, and one seat may decide several times running.

    >>> game = Game(num_players=2, seed=7)
    >>> game.play("place 2")
    >>> game.phase, game.player
    ('demand', 1)
    """

    __slots__ = ("_buffer", "_deck_name", "_moves", "_states")
    __hash__ = None  # type: ignore[assignment]  # a game changes as it is played

    # The state's bytes lie in a bytearray, and `_states` is NumPy's view of it as an array of one record: copying
    # a bytearray takes 50 ns where NumPy copies a structured array field by field in 15 us.
    _buffer: bytearray
    _states: np.ndarray
    _moves: bytearray | None
    _deck_name: str

    def __init__(
        self,
        num_players: int = 2,
        deck: DeckArgument = "standard",
        seed: int | None = None,
        first_player: int | None = None,
    ) -> None:
        """Deal a new game.

        Args:
            num_players: 2..5.
            deck: "standard", "sampled" (a deck drawn from the seed), the path of a deck file, or a Deck.
            seed: 0..2**64-1, decides everything that chance decides; None draws a new one, kept in `seed`.
            first_player: The seat that begins; None draws it from the seed.

        Raises:
            ArgumentError: For a player count, seed or first player outside its range.
            DeckError: For a deck that is not a valid one.
        """
        players = check_players(num_players)
        first = check_first_player(first_player, players)
        number = fresh_seed() if seed is None else check_seed(seed)
        templates, name = template_for(players, deck)
        self._adopt(bytearray(N_STATE_BYTES), bytearray(), name)
        deal(self._states, 0, templates, 0, np.uint64(number), first)
        self._states["deck"] = deck_kind(name)

    def _adopt(self, buffer: bytearray, moves: bytearray | None, deck_name: str) -> None:
        self._buffer = buffer
        self._states = np.ndarray(1, STATE, buffer)
        self._moves = moves
        self._deck_name = deck_name

    @classmethod
    def deal(
        cls,
        num_players: int = 2,
        deck: DeckArgument = "standard",
        *,
        first_player: int | None = None,
        pile: Sequence[str | int] | None = None,
        bag: Sequence[str | int] | None = None,
        supply: Sequence[str] | None = None,
        seed: int = 0,
    ) -> Game:
        """Deal a game in which chance is given; what is not given is drawn from the seed.

        Args:
            num_players: 2..5.
            deck: As for `Game`.
            first_player: The seat that begins.
            pile: The whole pile as shuffled, top first: card ids or numbers.
            bag: All 45 cubes in the order in which they are drawn: goods or their numbers.
            supply: What the first supply brings, one of the outcomes of `first_supply`. Its cards and cubes change
                places with others of the pile and the bag.
            seed: What draws the rest, and what the game names as its seed; 0 stands for a seed that is not known.

        Raises:
            ArgumentError: For a pile, bag or supply that setup and supply cannot bring.
        """
        drawn = Game(num_players, deck, seed, first_player)
        before = drawn._before_the_first_supply()
        if pile is not None:
            cards = check_pile(pile, drawn.num_players, before["fireman_value"][0])
            set_pile(before, cards)
        if bag is not None:
            before["bag"] = check_bag(bag)
        if supply is not None:
            arrange(before, first_supply_of(before[0]).check(supply))
        game = _new(cls)
        game._adopt(bytearray(N_STATE_BYTES), bytearray(), drawn.deck_name)
        lay_out(
            game._states,
            drawn.num_players,
            deck_kind(drawn.deck_name),
            before,
            drawn.seed,
            drawn.first_player,
            before["pile"][0, : before["pile_size"][0]],
            before["bag"][0],
        )
        return game

    @classmethod
    def first_supply(cls, num_players: int = 2, deck: DeckArgument = "standard") -> NextSupply:
        """What the first supply of a game can bring and how likely; `deal` takes one of its outcomes."""
        return first_supply_of(Game(num_players, deck, seed=0)._before_the_first_supply()[0])

    def _before_the_first_supply(self) -> np.ndarray:
        """An array of one state in which everything that was dealt is still in the pile and in the bag."""
        states = np.ndarray(1, STATE, bytearray(self._buffer))
        set_pile(states, states["pile"][0, : states["pile_size"][0]].tolist())
        states["pile_next"] = states["bag_next"] = 0
        return states

    # Playing

    def legal(self) -> list[str]:
        """The texts of the legal actions, in action order; empty when the game is over."""
        return [ACTION_TEXTS[action] for action in self.legal_ids()]

    def legal_ids(self) -> list[int]:
        """The ids of the legal actions, ascending; empty when the game is over."""
        left = int.from_bytes(self._buffer[_LEGAL], "little")
        ids = []
        while left:
            lowest = left & -left
            ids.append(lowest.bit_length() - 1)
            left ^= lowest
        return ids

    def play(self, action: str | int, supply: Sequence[str] | None = None) -> None:
        """Carry out an action of the deciding seat and everything forced that follows.

        Args:
            action: A text or an id.
            supply: For an action that ends the round, what the supply after it brings: card ids in the order in which
                they are revealed, fires included, then goods, see `speicher_env.chance`. Its cards and cubes change
                places with others that are hidden, and the game forgets its seed, which did not deal that order.

        Raises:
            UnknownAction: If the text or id is not one of the 184 actions.
            IllegalAction: If it is not legal now.
            ArgumentError: If `supply` is given and cannot follow. In each case the game stays as it was.
        """
        if supply is not None:
            self._play_with_supply(action, supply)
        else:
            self._play_into(action, np.empty(N_ACTIONS, dtype=np.int8))

    def _play_with_supply(self, action: str | int, supply: Sequence[str]) -> None:
        twin = self.copy()
        following = self.next_supply
        if following is not None:
            names = following.check(supply) if self.ends_round(action) else None
            if names is None:
                text = ACTION_TEXTS[parse_action(action)]
                raise ArgumentError(f"supply cannot be given: '{text}' does not end the round.")
            arrange(twin._states, names)
            twin._states["seed"] = 0
        twin._play_into(action, np.empty(N_ACTIONS, dtype=np.int8))
        self._buffer[:] = twin._buffer
        self._moves = twin._moves

    def ends_round(self, action: str | int) -> bool:
        """Whether a legal action ends the round, so that a supply follows it: the only moment of chance after the deal.

        Raises:
            UnknownAction: If the text or id is not one of the 184 actions.
            IllegalAction: If it is not legal now.
        """
        twin = self.copy()
        twin.play(action)
        return twin.over or twin.round > self.round

    @property
    def next_supply(self) -> NextSupply | None:
        """What the next supply can bring and how likely, from what every seat can see; None when the game is over."""
        return next_supply_of(self._states[0])

    def play_masked(self, action: str | int, mask: np.ndarray) -> int:
        """`play`, with the mask of the next decision written into `mask`; returns its seat, -1 when the game is over.

        Raises:
            ArgumentError: If `mask` is not a contiguous, writable array of 184 int8.
        """
        _check_mask(mask)
        return self._play_into(action, mask)

    def _play_into(self, action: str | int, mask: np.ndarray) -> int:
        """`play_masked` for a mask that is known to be right: the check costs a tenth of the play."""
        number = action if type(action) is int and 0 <= action < N_ACTIONS else parse_action(action)
        seat = decide(self._states, 0, number, mask)
        if seat == ILLEGAL:
            raise IllegalAction(self.phase, self.player, ACTION_TEXTS[number], self.legal())
        if self._moves is not None:
            self._moves.append(number)
        return seat

    # Looking

    @property
    def num_players(self) -> int:
        """Players, 2..5."""
        return int(self._states["players"][0])

    @property
    def seed(self) -> int:
        """The seed of the deal; 0 where none is known, as in a redealt game or after a supply that was given."""
        return int(self._states["seed"][0])

    @property
    def deck(self) -> Deck:
        """The deck in play; of a sampled one, the numbers that were drawn."""
        return Deck.from_values(self._deck_name, deck_values(self._states))

    @property
    def deck_name(self) -> str:
        """The name of the deck: "standard", "sampled" or the user's."""
        return self._deck_name

    @property
    def player(self) -> int | None:
        """The seat that decides, None when the game is over."""
        seat = int(self._states["player"][0])
        return None if seat == EMPTY else seat

    @property
    def phase(self) -> str:
        """Who decides what: "demand", "purchase" or "loading"; "over" at the end."""
        return PHASES[self._states["phase"][0]]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._states["phase"][0] == OVER)

    @property
    def round(self) -> int:
        """The round, from 1."""
        return int(self._states["round"][0])

    @property
    def first_player(self) -> int:
        """The seat that holds the first player marker now; it moves to the left with every round."""
        return int(self._states["first_player"][0])

    @property
    def offer(self) -> Offer | None:
        """The card on offer, None outside purchase."""
        state = self._states[0]
        column = int(state["offer"])
        if column == EMPTY:
            return None
        return Offer(column, CARD_IDS[state["card"][column]], int(state["standing"][column]))

    @property
    def coins(self) -> list[int]:
        """Coins of each seat."""
        coins: list[int] = self._states["coins"][0, : self.num_players].tolist()
        return coins

    @property
    def moves(self) -> list[str] | None:
        """The actions played so far, as texts; None in a game set from a bare state, whose past is unknown."""
        return None if self._moves is None else [ACTION_TEXTS[action] for action in self._moves]

    @property
    def move_ids(self) -> list[int] | None:
        """The actions played so far, as ids; None where `moves` is."""
        return None if self._moves is None else list(self._moves)

    @property
    def state(self) -> np.void:
        """The NumPy record of the game, a copy: writing to it does not change the game, playing on does not change it.

        The whole truth, hidden cards included; `redealt` gives a game that a player may look into.
        """
        state: np.void = np.ndarray(1, STATE, self._buffer[:])[0]
        return state

    @property
    def states_view(self) -> np.ndarray:
        """The game's own memory as an array of one state, for the jitted functions that take an array and an index."""
        return self._states

    # Points

    def points(self) -> list[dict[str, int]]:
        """The points of each seat by source, and their "total", as if the game ended now."""
        out = np.zeros(N_SOURCES, dtype=np.int64)
        table = []
        for seat in range(self.num_players):
            total = points_by_source(self._states[0], seat, out)
            table.append({**dict(zip(SOURCES, out.tolist(), strict=True)), "total": int(total)})
        return table

    def ranks(self) -> list[int]:
        """The rank of each seat, 1 the best, as if the game ended now; seats that tie share the better rank."""
        keys = [int(ranking_key(self._states[0], seat)) for seat in range(self.num_players)]
        return [1 + sum(other > key for other in keys) for key in keys]

    def winners(self) -> list[int]:
        """The seats that won, ascending: several share a win. Empty while the game runs."""
        return [seat for seat, rank in enumerate(self.ranks()) if rank == 1] if self.over else []

    def solve(self, limit: int | None = None) -> Solution:
        """What every legal action is worth, exactly, in the last round of the game and in the one before it.

        Each seat is assumed to play for its own share of the win, then for its lead over the best other seat in points
        and coins at equal shares. In the round before the last these are means over all supplies that there can be.

        Args:
            limit: Positions to look at before giving up; default: 2,000,000. `Solution.exact` says whether they were
                enough.

        Raises:
            ArgumentError: If the game is over, or `limit` is not a whole number from 1.
        """
        from speicher_env.solve import LIMIT, solve  # playing needs no solver

        return solve(self, LIMIT if limit is None else limit)

    # Copies

    def copy(self) -> Game:
        """A separate game in the same state, with the same moves."""
        twin = _new(self.__class__)
        buffer = twin._buffer = self._buffer[:]
        twin._states = _array(1, STATE, buffer)
        moves = self._moves
        twin._moves = None if moves is None else moves[:]
        twin._deck_name = self._deck_name
        return twin

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self.copy()

    def redealt(self, seed: int) -> Game:
        """A copy in which everything that no seat can see is drawn again from `seed`.

        Hidden are the order of the pile within its seasons, the order of the bag, and the seed that gave both, which
        is forgotten. All seats know the same, so the game is the same to each of them; the moves stay.
        """
        number = check_seed(seed)
        twin = self.copy()
        redeal_at(twin._states, 0, np.uint64(number))
        return twin

    def get_state(self) -> bytes:
        """A snapshot for `set_state`: the state, the moves and the deck's name.

        Only software of the same state version reads it; `to_record` is the form to keep.
        """
        moves = None if self._moves is None else bytes(self._moves)
        return pack(Snapshot(bytes(self._buffer), moves, self._deck_name))

    def set_state(self, state: bytes | bytearray | memoryview | np.void | np.ndarray) -> None:
        """Become the game of a snapshot, or of a state record, whatever game this was before.

        A state record (of dtype STATE: a scalar or an array of one) carries neither moves nor the name of a deck of
        one's own. After it `moves` is None and no record can be written.

        Raises:
            StateError: If it cannot be read or no game can be in it; this game then stays as it was.
        """
        if isinstance(state, bytes | bytearray | memoryview):
            self._set_snapshot(unpack(bytes(state)))
        else:
            self._set_record(one_record(state))

    def _set_snapshot(self, snapshot: Snapshot) -> None:
        buffer = bytearray(snapshot.state)
        states = np.ndarray(1, STATE, buffer)
        check_state(states, snapshot.deck_name)
        moves = None if snapshot.moves is None else bytearray(snapshot.moves)
        if moves is not None:
            _check_moves(states, moves)
        self._adopt(buffer, moves, snapshot.deck_name)

    def _set_record(self, record: np.ndarray) -> None:
        buffer = bytearray(N_STATE_BYTES)
        states = np.ndarray(1, STATE, buffer)
        states[0] = record[0]
        deck_name = ("standard", "sampled", "own")[min(max(0, int(states["deck"][0])), 2)]
        check_state(states, deck_name)
        self._adopt(buffer, None, deck_name)

    @classmethod
    def from_state(cls, state: bytes | bytearray | memoryview | np.void | np.ndarray) -> Game:
        """A new game from a snapshot or a state record, see `set_state`."""
        game = _new(cls)
        game.set_state(state)
        return game

    __getstate__ = get_state
    __setstate__ = set_state

    # Records

    def to_record(self, legal: bool = False) -> dict[str, Any]:
        """The game as a `speicherstadt-record/1`, finished or running: plain values for JSON.

        Args:
            legal: Whether each move lists the actions that were legal.

        Raises:
            RecordError: If the moves are not known, see `set_state`.
        """
        from speicher_env.record import record_of  # it is written in terms of Game

        return record_of(self, legal=legal)

    @classmethod
    def from_record(cls, record: Mapping[str, Any], check: bool = True) -> Game:
        """The game of a record, after its last move.

        Args:
            record: A `speicherstadt-record/1`.
            check: Whether players, legal lists and the result are compared too. The deal must always be one that
                the rules allow, and every move legal.

        Raises:
            RecordError: At the first fault.
        """
        from speicher_env.record import game_of

        return game_of(record, check=check)

    def start(self) -> Game:
        """The game as it was dealt, before its first move."""
        game = _new(self.__class__)
        game._adopt(bytearray(N_STATE_BYTES), bytearray(), self._deck_name)
        lay_out_again(game._states, self._states)
        return game

    # Showing

    def __eq__(self, other: object) -> bool:
        """Whether both are in the same state, hidden cards and seed included; how they came there is not compared."""
        return self._buffer == other._buffer if isinstance(other, Game) else NotImplemented

    def _status_line(self) -> str:
        totals = ", ".join(str(points["total"]) for points in self.points())
        if self.over:
            winners = self.winners()
            who = (
                f"player_{winners[0]} wins"
                if len(winners) == 1
                else f"{listed([f'player_{seat}' for seat in winners])} share the win"
            )
            return f"{self.num_players} players, over after round {self.round}, {who}, points {totals}"
        what = f"player_{self.player} decides"
        offer = self.offer
        if offer is not None:
            what += f" on {offer.card} for {offer.price}"
        return f"{self.num_players} players, round {self.round}, {self.phase}, {what}, points {totals}"

    def __repr__(self) -> str:
        return f"<Game: {self._status_line()}>"

    def __str__(self) -> str:
        """The table as text."""
        from speicher_env.render.text import text  # playing needs no pictures

        return text(self._states[0])

    def _repr_svg_(self) -> str:
        """The table as a picture."""
        from speicher_env.render.drawing import svg

        return svg(self._states[0])

    def _repr_html_(self) -> str:
        """The picture for a notebook, and below it, folded away, the same as two tables of text."""
        from speicher_env.render.html import html

        return html(self._states[0], self._status_line())


def _check_mask(mask: object) -> None:
    """Refuse any array but one of 184 int8 that can be written to: compiled code would write beyond it."""
    fits = isinstance(mask, np.ndarray) and mask.dtype == _INT8 and mask.shape == _MASK and mask.flags.carray
    if not fits:
        raise ArgumentError(must_be("mask", mask, f"a contiguous, writable array of {N_ACTIONS} int8"))


def _check_moves(states: np.ndarray, moves: bytearray) -> None:
    """Refuse moves that do not lead from the deal to the state."""
    again = np.zeros(1, dtype=STATE)
    lay_out_again(again, states)
    for played, action in enumerate(moves):
        if not step(again, 0, action):
            raise StateError(f"the snapshot is damaged: after {played} of its moves the next one is not legal.")
    if again.tobytes() != states.tobytes():
        raise StateError("the snapshot is damaged: its moves do not lead to its state.")
