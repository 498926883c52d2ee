"""Positions laid out by hand, played and read by name.

Nothing here decides anything: a position is put on the table as it would lie there, and the engine does the rest.
What a position does not mention is somewhere sensible: cubes in the bag, cards of earlier seasons discarded, later
ones in the pile. Every position, and every state behind a played action, is asked what is wrong with it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

import numba
import numpy as np

from speicher_env.deck import Deck, standard_deck
from speicher_env.rules.actions import ACTION_TEXTS, parse_action
from speicher_env.rules.cards import (
    CARD_IDS,
    CARD_NUMBER,
    CONTRACT_POINTS,
    COUNTING_OFFICE,
    CUBES_PER_GOOD,
    FIRE,
    FIREMAN,
    FIREMAN_1,
    GOODS,
    KIND_OF,
    N_CONTRACTS,
    N_GOODS,
    SEASON_OF,
    SEASONS,
    SHIP,
)
from speicher_env.rules.setup import template
from speicher_env.rules.state import (
    DISCARDED,
    EMPTY,
    IN_PILE,
    ON_TABLE,
    OVER,
    OWN_DECK,
    PHASES,
    PURCHASE,
    REMOVED,
    SAMPLED_DECK,
    STANDARD_DECK,
    WORKERS,
)
from speicher_env.rules.status import status
from speicher_env.rules.turn import deal, play_on, step

DECK = Deck(
    "positions",
    fire_values=(2, 3, 4, 5),
    fireman_values=(1, 2, 1, 2, 3, 4, 5, 3, 4, 5),
    contract_goods=(
        ("coffee", "carpet"), ("tea", "saffron"), ("rubber", "rubber", "coffee"), ("carpet", "saffron"),
        ("tea", "tea", "carpet"), ("rubber", "tea", "coffee", "carpet"), ("saffron", "saffron", "rubber"),
        ("coffee", "rubber", "carpet"), ("coffee", "coffee", "tea", "saffron"), ("carpet", "rubber", "saffron", "tea"),
    ),
)  # fmt: skip
"""The deck of positions laid out by hand, so that no rule is tested with numbers that may be corrected."""

JIT = not numba.config.DISABLE_JIT
"""Whether the rules run compiled. Interpreted they are some hundred times slower, so loops over games get shorter."""

T = TypeVar("T")


def few_or_many(few: T, many: T) -> T:
    """How much a test does: few interpreted, many compiled."""
    return many if JIT else few


class Column(NamedTuple):
    """A trade card on the table, with the cubes on it and the workers above it, lowest first."""

    card: str
    cubes: str
    queue: Sequence[int]


@dataclass(frozen=True)
class Seat:
    """What one player has in front of them."""

    coins: int = 5
    cards: Sequence[str] = ()
    cubes: str = ""
    aboard: str = ""
    filled: Mapping[str, str] = field(default_factory=dict)
    fire_points: int = 0
    bought: int = 0


def card(card_id: str, cubes: str = "", queue: Sequence[int] = ()) -> Column:
    """A column of the table; a ship on which nobody puts anything carries coffee, tea and saffron."""
    is_ship = KIND_OF[CARD_NUMBER[card_id]] == SHIP
    return Column(card_id, cubes or ("coffee tea saffron" if is_ship else ""), queue)


def seat(
    coins: int = 5,
    cards: Sequence[str] = (),
    cubes: str = "",
    aboard: str = "",
    filled: Mapping[str, str] | None = None,
    fire_points: int = 0,
    bought: int = 0,
) -> Seat:
    """A player's belongings.

    Args:
        coins: 5 as at the start unless given.
        cards: ids of owned cards.
        cubes: goods kept from earlier rounds.
        aboard: goods on ships bought this round.
        filled: goods that already lie on an owned contract, by its id.
        fire_points: what the fires so far brought.
        bought: cards bought this round.
    """
    return Seat(coins, cards, cubes, aboard, filled or {}, fire_points, bought)


def position(
    players: int = 2,
    *,
    phase: str = "loading",
    columns: Sequence[Column | str | None] = (),
    seats: Sequence[Seat] = (),
    stock: str = "",
    bag: str = "",
    first_player: int = 0,
    player: int | None = None,
    top: Sequence[str] = (),
    pile: Sequence[str] | None = None,
    season: str = "D",
    deck: Deck | None = None,
) -> np.ndarray:
    """A game laid out by hand and played on to its first decision, as an array of one state.

    Args:
        players: 2 to 5.
        phase: "demand"; "purchase", which begins with the leftmost card; "loading", which begins with the first
            player and the cubes `aboard`; "over".
        columns: the trade cards from the left, None where one is gone. In demand there must be one for each column.
        seats: belongings of seat 0, 1, ...; seats not given have 5 coins and nothing else.
        stock: goods in the stock.
        bag: goods drawn next; all other cubes of the 45 follow.
        first_player: the seat that has the marker.
        player: demand: the seat that places next, the first player unless given.
        top: cards on top of the pile; the rest of their season and the later seasons follow.
        pile: all cards that are left in the pile, top first; everything else not mentioned is discarded. None are left
            when the game is over.
        season: where neither `top` nor `pile` says it, the season of the next cards of the pile.
        deck: the numbers on the cards, default `DECK`.
    """
    states = deal_game(players, deck=deck or DECK, settled=False)
    game = states[0]
    laid = [card(column) if isinstance(column, str) else column for column in columns]
    _lay_seats(game, seats)
    _lay_columns(game, laid, phase)
    _lay_pile(game, laid, seats, top, () if phase == "over" else pile, season)
    _lay_cubes(game, seats, stock, bag)
    game["first_player"] = first_player
    game["player"] = first_player if player is None else player
    if phase == "over":
        game["phase"] = OVER
        game["player"] = EMPTY
    elif phase == "demand":
        game["phase"] = PHASES.index("demand")
    else:
        # Loading begins when purchase finds no card left to offer.
        game["phase"] = PURCHASE
        game["offer"] = 0
    play_on(game)
    assert_sound(states)
    return states


def deal_game(
    players: int = 2, deck: str | Deck = "standard", seed: int = 0, first_player: int = EMPTY, settled: bool = True
) -> np.ndarray:
    """A game dealt from a seed, as an array of one state."""
    kinds = {"standard": STANDARD_DECK, "sampled": SAMPLED_DECK}
    kind = OWN_DECK if isinstance(deck, Deck) else kinds[deck]
    values = deck.values() if isinstance(deck, Deck) else standard_deck().values()
    templates = template(players, kind, values)
    states = np.zeros(1, dtype=templates.dtype)
    deal(states, 0, templates, 0, np.uint64(seed), first_player)
    if settled:
        assert_sound(states)
    return states


def assert_sound(states: np.ndarray) -> None:
    """Fail with what is wrong with a state, if anything is."""
    faults = status(states[0])
    assert not faults, "\n".join(faults)


def _counts(goods: str) -> list[int]:
    amounts = Counter(goods.split())
    unknown = set(amounts) - set(GOODS)
    if unknown:
        raise ValueError(f"no good is called {', '.join(sorted(unknown))}")
    return [amounts[good] for good in GOODS]


def _lay_seats(game: np.void, seats: Sequence[Seat]) -> None:
    owner = game["owner"]
    owner[owner != REMOVED] = DISCARDED
    for number, one in enumerate(seats):
        game["coins"][number] = one.coins
        game["fire_points"][number] = one.fire_points
        game["bought"][number] = one.bought
        for card_id in one.cards:
            owner[CARD_NUMBER[card_id]] = number
        for contract, goods in one.filled.items():
            game["missing"][CARD_NUMBER[contract]] -= _counts(goods)
        # Sums that the state carries along; status() adds them up again.
        numbers = [CARD_NUMBER[card_id] for card_id in one.cards]
        kinds = [KIND_OF[of_card] for of_card in numbers]
        game["firemen"][number] = sum(
            game["fireman_value"][of_card - FIREMAN_1] for of_card in numbers if KIND_OF[of_card] == FIREMAN
        )
        game["offices"][number] = kinds.count(COUNTING_OFFICE)
        game["ships"][number] = kinds.count(SHIP)
        game["contract_points"][number] = sum(
            CONTRACT_POINTS[np.sum(game["contract_goods"][of_card] != EMPTY)]
            for of_card in numbers
            if of_card < N_CONTRACTS and not game["missing"][of_card].any()
        )


def _lay_columns(game: np.void, laid: Sequence[Column | None], phase: str) -> None:
    width = int(game["players"]) + 1
    if len(laid) > width or (phase == "demand" and (len(laid) < width or None in laid)):
        raise ValueError(f"{game['players']} players have {width} cards on the table in {phase}, not {len(laid)}")
    for name in ("card", "cargo", "queue"):
        game[name] = EMPTY
    game["standing"] = 0
    game["workers"] = 0
    game["workers"][: game["players"]] = WORKERS
    for number, column in enumerate(laid):
        if column is None:
            continue
        game["card"][number] = CARD_NUMBER[column.card]
        game["owner"][CARD_NUMBER[column.card]] = ON_TABLE
        if column.cubes:
            game["cargo"][number] = [GOODS.index(good) for good in column.cubes.split()]
        for space, worker in enumerate(column.queue):
            game["queue"][number, space] = worker
            game["workers"][worker] -= 1
        game["standing"][number] = len(column.queue)


def _lay_pile(
    game: np.void,
    laid: Sequence[Column | None],
    seats: Sequence[Seat],
    top: Sequence[str],
    pile: Sequence[str] | None,
    season: str,
) -> None:
    in_season_order = sorted(range(len(CARD_IDS)), key=lambda number: (SEASON_OF[number], number))
    mentioned = {column.card for column in laid if column} | {card_id for one in seats for card_id in one.cards}
    free = [
        number for number in in_season_order if game["owner"][number] != REMOVED and CARD_IDS[number] not in mentioned
    ]
    if pile is not None:
        hidden = [CARD_NUMBER[card_id] for card_id in pile]
    else:
        first = [CARD_NUMBER[card_id] for card_id in top]
        begin = SEASON_OF[first[0]] if first else SEASONS.index(season)
        rest = [number for number in free if SEASON_OF[number] >= begin and number not in first]
        # As many trade cards as make up full rounds; the first ones after `top` are gone.
        over = sum(KIND_OF[number] != FIRE for number in first + rest) % (int(game["players"]) + 1)
        gone = [number for number in rest if KIND_OF[number] != FIRE][:over]
        hidden = first + [number for number in rest if number not in gone]
        hidden.sort(key=lambda number: SEASON_OF[number])  # stable: `top` stays on top of its season
    game["owner"][hidden] = IN_PILE
    seen = [number for number in in_season_order if game["owner"][number] != REMOVED and number not in hidden]
    game["pile"] = EMPTY
    game["pile"][: len(seen) + len(hidden)] = seen + hidden
    game["pile_next"] = len(seen)
    game["pile_size"] = len(seen) + len(hidden)
    laid_out = sum(KIND_OF[number] != FIRE for number in seen)
    game["round"] = laid_out // (int(game["players"]) + 1)


def _lay_cubes(game: np.void, seats: Sequence[Seat], stock: str, bag: str) -> None:
    game["stock"] = _counts(stock)
    game["cubes"] = 0
    game["aboard"] = 0
    placed = np.array(_counts(stock))
    for number, one in enumerate(seats):
        game["cubes"][number] = _counts(one.cubes)
        game["aboard"][number] = _counts(one.aboard)
        placed += game["cubes"][number] + game["aboard"][number]
        for goods in one.filled.values():
            placed += _counts(goods)
    cargo = game["cargo"]
    placed += np.bincount(cargo[cargo != EMPTY], minlength=N_GOODS)
    left = CUBES_PER_GOOD - placed - np.array(_counts(bag))
    if np.any(left < 0):
        raise ValueError(f"there are {CUBES_PER_GOOD} cubes of each good; this position lacks {left.tolist()}")
    goods = np.arange(N_GOODS)
    game["bag"] = np.concatenate(
        [np.repeat(goods, placed), [GOODS.index(good) for good in bag.split()], np.repeat(goods, left)]
    )
    game["bag_next"] = placed.sum()
    ships = sum(KIND_OF[number] == SHIP and game["owner"][number] == IN_PILE for number in range(len(CARD_IDS)))
    if 3 * ships > len(game["bag"]) - game["bag_next"]:
        raise ValueError(f"the bag has too few cubes for the {ships} ships in the pile; lay out a later season")


# Playing


def legal_ids(states: np.ndarray) -> list[int]:
    """The legal actions as ids, read off the bits of the state."""
    return [int(bit) for bit in np.flatnonzero(np.unpackbits(states["legal"][0].view(np.uint8), bitorder="little"))]


def legal(states: np.ndarray) -> list[str]:
    """The legal actions as texts, in action order."""
    return [ACTION_TEXTS[action] for action in legal_ids(states)]


def play(states: np.ndarray, *actions: str) -> np.ndarray:
    """Play actions one after the other, in place; every one must be legal and leave a sound state behind."""
    for action in actions:
        assert step(states, 0, parse_action(action)), f"{action!r} is not legal; legal are {legal(states)}"
        assert_sound(states)
    return states


def refuses(states: np.ndarray, action: str) -> bool:
    """Whether the engine refuses an action and leaves every byte as it was."""
    before = states.tobytes()
    return not step(states, 0, parse_action(action)) and states.tobytes() == before


def play_at_random(states: np.ndarray, seed: int) -> Iterator[int]:
    """Play a game to its end in place, stopping at every decision; gives the action that will be played next."""
    rng = random.Random(seed)
    while player(states) is not None:
        action = rng.choice(legal_ids(states))
        yield action
        assert step(states, 0, action)


# Reading


def phase(states: np.ndarray) -> str:
    """The phase by name."""
    return PHASES[states["phase"][0]]


def player(states: np.ndarray) -> int | None:
    """The seat that decides, None when the game is over."""
    return None if states["player"][0] == EMPTY else int(states["player"][0])


def offer(states: np.ndarray) -> tuple[int, str, int]:
    """Who is offered which card at what price."""
    assert phase(states) == "purchase"
    column = states["offer"][0]
    return int(states["player"][0]), CARD_IDS[states["card"][0, column]], int(states["standing"][0, column])


def per_seat(states: np.ndarray, name: str) -> list[int]:
    """A field that has a value for each seat, such as "coins"."""
    return [int(value) for value in states[name][0, : states["players"][0]]]


def coins(states: np.ndarray) -> list[int]:
    """Coins of each seat."""
    return per_seat(states, "coins")


def goods(amounts: np.ndarray) -> str:
    """Cubes counted by good, as the goods in their order."""
    return " ".join(good for good, count in zip(GOODS, amounts, strict=True) for _ in range(count))


def cubes(states: np.ndarray, of_seat: int) -> str:
    """The goods of a seat's pool."""
    return goods(states["cubes"][0, of_seat])


def stock(states: np.ndarray) -> str:
    """The goods in the stock."""
    return goods(states["stock"][0])


def bag(states: np.ndarray) -> list[str]:
    """The goods left in the bag, in the order they are drawn."""
    return [GOODS[good] for good in states["bag"][0, states["bag_next"][0] :]]


def pile(states: np.ndarray) -> list[str]:
    """The cards left in the pile, top first."""
    return [CARD_IDS[of_card] for of_card in states["pile"][0, states["pile_next"][0] : states["pile_size"][0]]]


def table(states: np.ndarray) -> list[str | None]:
    """The card of each column, None where it is gone."""
    shown = states["card"][0, : states["players"][0] + 1]
    return [None if of_card == EMPTY else CARD_IDS[of_card] for of_card in shown]


def cargo(states: np.ndarray, column: int) -> list[str]:
    """The goods on the ship in a column, in the order they were drawn."""
    return [GOODS[good] for good in states["cargo"][0, column] if good != EMPTY]


def queue(states: np.ndarray, column: int) -> list[int]:
    """The seats of the workers above a column, lowest first."""
    return [int(worker) for worker in states["queue"][0, column] if worker != EMPTY]


PLACES = {IN_PILE: "pile", ON_TABLE: "table", DISCARDED: "discarded", REMOVED: "removed"}


def where(states: np.ndarray, card_id: str) -> int | str:
    """The seat that owns a card, or "pile", "table", "discarded", "removed"."""
    owner = int(states["owner"][0, CARD_NUMBER[card_id]])
    return PLACES.get(owner, owner)


def missing(states: np.ndarray, contract: str) -> str:
    """The goods that a contract still needs."""
    return goods(states["missing"][0, CARD_NUMBER[contract]])
