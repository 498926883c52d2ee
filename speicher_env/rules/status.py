"""What is wrong with a state: every broken invariant in one sentence. For tests, and for states that come from outside.

A state without a fault can be played to its end by any legal actions: every index stays within its array, no number
outgrows its field, and every value stays within the observation's scale. A state need not be one that play reaches:
it may be laid out by hand, such as a round in which some cards are already gone.

Plain Python on purpose: it is an independent look at the record, and nothing compiled runs on a state before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from speicher_env.messages import listed, must_be
from speicher_env.rules.actions import ACTIONS, BUY, END, PASS, PLACE
from speicher_env.rules.cards import (
    CARD_IDS,
    CONTRACT_POINTS,
    COUNTING_OFFICE,
    CUBES_PER_GOOD,
    CUBES_PER_SHIP,
    FIRE,
    FIRE_1,
    FIRE_RANGE,
    FIREMAN_1,
    FIREMAN_RANGE,
    GOODS,
    KIND_OF,
    MERCHANT_1,
    N_CARDS,
    N_CONTRACTS,
    N_CUBES,
    N_FIREMEN,
    N_GOODS,
    SEASON_OF,
    SHIP,
    WAREHOUSE_CARD,
)
from speicher_env.rules.income import BANK_INCOME, CONSOLATION, INCOME
from speicher_env.rules.setup import may_be_taken_out
from speicher_env.rules.state import (
    DEMAND,
    DISCARDED,
    EMPTY,
    IN_PILE,
    LEGAL_WORDS,
    LOADING,
    MARKET_HALL_SPACE,
    MAX_COLUMNS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    ON_TABLE,
    OVER,
    OWN_DECK,
    PHASES,
    PURCHASE,
    REMOVED,
    SPACES,
    STANDARD_DECK,
    STATE,
    VERSION,
    WAREHOUSE_SPACE,
    WORKERS,
)

__all__ = ["faults", "range_faults", "range_of", "status", "with_legal_actions"]

Faults = Iterator[str]

MOST_COINS = 128
"""Coins of a seat that an observation can show. A game from its deal never brings more than 98."""
MOST_INCOME = INCOME + CONSOLATION + BANK_INCOME


def status(state: np.void) -> list[str]:
    """Every broken invariant of a state as one sentence each; an empty list for a sound state."""
    return list(faults(state))


def faults(state: np.void) -> Faults:
    """`status`, one after the other: the first is found in a fraction of the time."""
    wrong = list(_layout(state)) or list(range_faults(state))
    if wrong:  # the other checks use the values as indices
        yield from wrong
        return
    for check in _CHECKS:
        yield from check(state)


# The layout and the range of every field: what the other checks, and compiled code, rely on.


def _layout(state: np.void) -> Faults:
    if state.dtype != STATE:
        yield f"the state is a record of {state.dtype.itemsize} bytes; this version's layout has {STATE.itemsize}."
        return
    if state["version"] != VERSION:
        yield f"the state has version {state['version']}; this software reads version {VERSION}."
    if not MIN_PLAYERS <= state["players"] <= MAX_PLAYERS:
        yield must_be("players", state["players"], f"{MIN_PLAYERS}..{MAX_PLAYERS}")
    if not DEMAND <= state["phase"] <= OVER:
        yield must_be("phase", state["phase"], f"0..{OVER} ({', '.join(PHASES)})")


_RANGES: dict[str, tuple[int, int]] = {
    "version": (VERSION, VERSION),
    "players": (MIN_PLAYERS, MAX_PLAYERS),
    "phase": (DEMAND, OVER),
    "coins": (0, MOST_COINS),
    "deck": (STANDARD_DECK, OWN_DECK),
    "round": (1, 16),
    "pile_next": (0, N_CARDS),
    "pile_size": (0, N_CARDS),
    "bag_next": (0, N_CUBES),
    "fire_value": FIRE_RANGE,
    "fireman_value": FIREMAN_RANGE,
    "contract_goods": (EMPTY, N_GOODS - 1),
    "pile": (EMPTY, N_CARDS - 1),
    "missing": (0, 4),
    "bag": (0, N_GOODS - 1),
    "stock": (0, CUBES_PER_GOOD),
    "cubes": (0, CUBES_PER_GOOD),
    "aboard": (0, CUBES_PER_GOOD),
    "card": (EMPTY, N_CARDS - 1),
    "cargo": (EMPTY, N_GOODS - 1),
    "standing": (0, SPACES),
    "workers": (0, WORKERS),
    "bought": (0, MAX_COLUMNS),
    "unused": (0, 0),
}
_RANGES_BY_PLAYERS: dict[str, tuple[int, int]] = {
    "first_player": (0, -1),
    "player": (EMPTY, -1),
    "loaded": (0, -1),
    "offer": (EMPTY, 0),
    "owner": (REMOVED, -1),
    "queue": (EMPTY, -1),
}
"""The lowest value, and how much the highest is above the number of players."""
_FIELDS_OF_SEATS = ("coins", "cubes", "aboard", "workers", "bought", "fire_points")
_FIELDS_OF_COLUMNS = {"card": EMPTY, "cargo": EMPTY, "queue": EMPTY, "standing": 0}


def range_of(field: str, players: int) -> tuple[int, int]:
    """The lowest and the highest value of a field with that number of players; those of its type if all are allowed."""
    if field in _RANGES_BY_PLAYERS:
        low, above = _RANGES_BY_PLAYERS[field]
        return low, players + above
    limits = np.iinfo(STATE[field].base)
    return _RANGES.get(field, (int(limits.min), int(limits.max)))


def range_faults(state: np.void, fields: Sequence[str] = (*_RANGES, *_RANGES_BY_PLAYERS)) -> Faults:
    """The fields with a value outside their range, one sentence each."""
    players = int(state["players"])
    for field in fields:
        low, high = range_of(field, players)
        for value in np.ravel(state[field]).tolist():
            if not low <= value <= high:
                with_players = f" with {players} players" if field in _RANGES_BY_PLAYERS else ""
                yield must_be(field, value, f"{low}..{high}{with_players}")
                break


# What the table does not have


def _unused_seats_and_columns(state: np.void) -> Faults:
    players = int(state["players"])
    for field in _FIELDS_OF_SEATS:
        if np.any(state[field][players:]):
            yield f"{field} of a seat that {players} players do not have must be 0."
    for field, empty in _FIELDS_OF_COLUMNS.items():
        if np.any(state[field][players + 1 :] != empty):
            yield f"{field} of a column that {players} players do not have must be {empty}."


# Cards


def _contracts(state: np.void) -> Faults:
    for contract in range(N_CONTRACTS):
        goods = state["contract_goods"][contract].tolist()
        size = len(goods) - goods.count(EMPTY)
        if size < 2 or EMPTY in goods[:size]:
            yield f"the goods of {CARD_IDS[contract]} must be 2 to 4, and {EMPTY} after the last."
        needs = np.bincount([good for good in goods if good != EMPTY], minlength=N_GOODS)
        if np.any(state["missing"][contract] > needs):
            yield f"{CARD_IDS[contract]} misses more cubes than it has room for."
        elif np.any(state["missing"][contract] != needs) and state["owner"][contract] < 0:
            yield f"{CARD_IDS[contract]} holds cubes and has no owner."


def _pile(state: np.void) -> Faults:
    owner = state["owner"].tolist()
    pile = state["pile"].tolist()
    size, top = int(state["pile_size"]), int(state["pile_next"])
    removed = {card for card in range(N_CARDS) if owner[card] == REMOVED}
    players = int(state["players"])
    if not may_be_taken_out(removed, players, state["fireman_value"]):
        names = listed([CARD_IDS[card] for card in sorted(removed)]) or "nothing"
        yield f"with {players} players the cards taken out cannot be {names}."
    if sorted(pile[:size]) != sorted(set(range(N_CARDS)) - removed):
        yield "the pile as shuffled must be the 54 cards less those taken out."
        return
    if any(card != EMPTY for card in pile[size:]):
        yield f"the pile has cards after its {size}."
    if np.any(np.diff(SEASON_OF[pile[:size]]) < 0):
        yield "the pile's seasons are not in order."
    if top > size:
        yield must_be("pile_next", top, f"0..{size}, the size of the pile")
    if set(pile[top:size]) != {card for card in range(N_CARDS) if owner[card] == IN_PILE}:
        yield "the cards marked as in the pile are not those left in the pile."


def _round(state: np.void) -> Faults:
    columns = int(state["players"]) + 1
    trade_cards = [card for card in range(N_CARDS) if KIND_OF[card] != FIRE and state["owner"][card] != REMOVED]
    laid_out = sum(state["owner"][card] != IN_PILE for card in trade_cards)
    if laid_out != columns * int(state["round"]):
        yield f"{laid_out} trade cards have left the pile; round {state['round']} must have laid out {columns} a round."


def _table(state: np.void) -> Faults:
    on_table = [int(card) for card in state["card"] if card != EMPTY]
    if sorted(on_table) != [card for card in range(N_CARDS) if state["owner"][card] == ON_TABLE]:
        yield "the cards marked as on the table are not those in the columns."
    for column, card in enumerate(state["card"]):
        cubes = int(np.sum(state["cargo"][column] != EMPTY))
        if cubes != (CUBES_PER_SHIP if card != EMPTY and KIND_OF[card] == SHIP else 0):
            yield f"column {column} has cubes without a ship, or a ship without its {CUBES_PER_SHIP} cubes."


def _fires(state: np.void) -> Faults:
    for card in range(FIRE_1, N_CARDS):
        if state["owner"][card] not in (IN_PILE, DISCARDED):
            yield f"{CARD_IDS[card]} is neither in the pile nor discarded."
    revealed = [card - FIRE_1 for card in range(FIRE_1, N_CARDS) if state["owner"][card] == DISCARDED]
    worth = sum(int(state["fire_value"][fire]) for fire in revealed)
    for seat in range(int(state["players"])):
        if abs(int(state["fire_points"][seat])) > worth:
            yield f"seat {seat} has {state['fire_points'][seat]} points from fires worth {worth}."


# Cubes


def _cubes(state: np.void) -> Faults:
    in_bag = np.bincount(state["bag"][state["bag_next"] :], minlength=N_GOODS)
    on_table = np.bincount(state["cargo"][state["cargo"] != EMPTY], minlength=N_GOODS)
    asked_for = np.bincount(state["contract_goods"][state["contract_goods"] != EMPTY], minlength=N_GOODS)
    delivered = asked_for - state["missing"].sum(axis=0)
    total = in_bag + on_table + delivered + state["stock"] + state["cubes"].sum(axis=0) + state["aboard"].sum(axis=0)
    for good in range(N_GOODS):
        if total[good] != CUBES_PER_GOOD:
            yield f"there are {total[good]} cubes of {GOODS[good]}; there must be {CUBES_PER_GOOD}, {N_CUBES} in all."


def _bag(state: np.void) -> Faults:
    filled = np.bincount(state["bag"], minlength=N_GOODS)
    for good in range(N_GOODS):
        if filled[good] != CUBES_PER_GOOD:
            yield f"the bag as filled has {filled[good]} cubes of {GOODS[good]}; it must have {CUBES_PER_GOOD}."
    ships = sum(KIND_OF[card] == SHIP and state["owner"][card] == IN_PILE for card in range(N_CARDS))
    left = N_CUBES - int(state["bag_next"])
    if left < CUBES_PER_SHIP * ships:
        yield f"{left} cubes are left in the bag; the {ships} ships in the pile need {CUBES_PER_SHIP} each."


def _room_for_cubes(state: np.void) -> Faults:
    for seat in range(int(state["players"])):
        cubes, room = int(state["cubes"][seat].sum()), _room(state, seat)
        if cubes > room and not (state["phase"] == LOADING and seat == state["player"]):
            yield f"seat {seat} keeps {cubes} cubes; it has room for {room}."


def _room(state: np.void, seat: int) -> int:
    return MARKET_HALL_SPACE + (WAREHOUSE_SPACE if state["owner"][WAREHOUSE_CARD] == seat else 0)


# Seats


def _workers(state: np.void) -> Faults:
    placed = state["queue"][state["queue"] != EMPTY].tolist()
    for seat in range(int(state["players"])):
        total = int(state["workers"][seat]) + placed.count(seat)
        if total != WORKERS:
            yield f"seat {seat} has {total} workers; it must have {WORKERS}."
    for column in range(MAX_COLUMNS):
        queue = state["queue"][column]
        count = int(state["standing"][column])
        if np.any(queue[:count] == EMPTY) or np.any(queue[count:] != EMPTY):
            yield f"column {column} does not have its {count} workers on the lowest spaces."
        if count and state["card"][column] == EMPTY:
            yield f"workers stand above column {column}, which has no card."


def _coins(state: np.void) -> Faults:
    """What a seat has, and what income and cubes may still bring it, must fit into an observation."""
    to_come = 0
    if state["phase"] != OVER:
        cards = sum(KIND_OF[card] != FIRE and state["owner"][card] == IN_PILE for card in range(N_CARDS))
        incomes = 1 + cards // (int(state["players"]) + 1)
        to_come = MOST_INCOME * incomes + N_CUBES - int(state["stock"].sum())
    for seat in range(int(state["players"])):
        if state["coins"][seat] > MOST_COINS - to_come:
            yield must_be(f"coins of seat {seat}", state["coins"][seat], f"0..{MOST_COINS - to_come} at this point")


def _sums(state: np.void) -> Faults:
    owner = state["owner"].tolist()
    for seat in range(MAX_PLAYERS):
        cards = [card for card in range(N_CARDS) if owner[card] == seat]
        firemen = [card - FIREMAN_1 for card in cards if FIREMAN_1 <= card < FIREMAN_1 + N_FIREMEN]
        complete = [card for card in cards if card < N_CONTRACTS and not state["missing"][card].any()]
        sizes = [int(np.sum(state["contract_goods"][contract] != EMPTY)) for contract in complete]
        sums = {
            "firemen": sum(int(state["fireman_value"][fireman]) for fireman in firemen),
            "offices": sum(KIND_OF[card] == COUNTING_OFFICE for card in cards),
            "ships": sum(KIND_OF[card] == SHIP for card in cards),
            "contract_points": sum(int(CONTRACT_POINTS[size]) for size in sizes),
        }
        for field, total in sums.items():
            if state[field][seat] != total:
                yield f"{field} of seat {seat} is {state[field][seat]}; its cards make it {total}."


# Phases: what is on the table, and who decides


def _bought(state: np.void) -> Faults:
    columns = int(state["players"]) + 1
    gone = columns - sum(card != EMPTY for card in state["card"])
    bought = int(state["bought"].sum())
    if bought > (gone if state["phase"] in (PURCHASE, LOADING) else 0):
        yield f"{bought} cards were bought this round; in {PHASES[state['phase']]} with {gone} gone that cannot be."


def _aboard(state: np.void) -> Faults:
    """Cubes are aboard from the purchase of their ship to their owner's loading."""
    phase, players = int(state["phase"]), int(state["players"])
    for seat in range(players):
        turn = (seat - int(state["first_player"])) % players
        waits = phase == PURCHASE or (phase == LOADING and turn > state["loaded"])
        if state["aboard"][seat].any() and not waits:
            yield f"seat {seat} has cubes aboard its ships; in {PHASES[phase]} it cannot have any now."


def _phase(state: np.void) -> Faults:
    phase = int(state["phase"])
    if (phase == OVER) != (state["player"] == EMPTY):
        yield f"phase is {PHASES[phase]} and player is {state['player']}."
        return
    if (phase == PURCHASE) != (state["offer"] != EMPTY):
        yield f"phase is {PHASES[phase]} and the column on offer is {state['offer']}."
        return
    if phase != LOADING and state["loaded"] != 0:
        yield f"phase is {PHASES[phase]} and {state['loaded']} seats have loaded."
    yield from (_demand, _purchase, _loading, _over)[phase](state)
    if phase in (LOADING, OVER) and np.any(state["card"] != EMPTY):
        yield f"cards lie on the table; in {PHASES[phase]} all are gone."


def _demand(state: np.void) -> Faults:
    players, first = int(state["players"]), int(state["first_player"])
    if np.any(state["card"][: players + 1] == EMPTY):
        yield "a column has no card in demand."
    placed = int(state["standing"].sum())
    if state["player"] != (first + placed) % players:
        yield f"after {placed} workers seat {(first + placed) % players} places the next, not seat {state['player']}."
    for seat in range(players):
        turns = (placed - (seat - first) % players + players - 1) // players
        if state["workers"][seat] != WORKERS - turns:
            yield f"after {placed} workers seat {seat} must have {WORKERS - turns} in hand."


def _purchase(state: np.void) -> Faults:
    column, seat = int(state["offer"]), int(state["player"])
    if np.any(state["card"][:column] != EMPTY):
        yield f"a column to the left of the offered column {column} still has its card."
    if state["card"][column] == EMPTY or state["standing"][column] == 0:
        yield f"the offered column {column} has no card or no worker."
    elif state["queue"][column, 0] != seat:
        yield f"seat {seat} decides; the lowest worker is that of seat {state['queue'][column, 0]}."
    elif state["coins"][seat] < state["standing"][column]:
        yield f"seat {seat} has {state['coins'][seat]} coins and cannot pay the price of {state['standing'][column]}."


def _loading(state: np.void) -> Faults:
    seat = (int(state["first_player"]) + int(state["loaded"])) % int(state["players"])
    if state["player"] != seat:
        yield f"after {state['loaded']} seats it is seat {seat} that loads, not seat {state['player']}."


def _over(state: np.void) -> Faults:
    if state["pile_next"] != state["pile_size"]:
        yield "the game is over and cards are left in the pile."


def _legal(state: np.void) -> Faults:
    """The stored set must be what the rules make of the state."""
    legal = _legal_actions(state)
    words = [int(word) for word in state["legal"]]
    stored = {64 * word + bit for word in range(LEGAL_WORDS) for bit in range(64) if words[word] >> bit & 1}
    if state["phase"] != OVER and len(legal) < 2:
        yield f"a decision has {len(legal)} legal actions; it must have at least 2."
    if stored != legal:
        yield f"the {len(stored)} actions marked as legal are not the {len(legal)} of the decision."


def with_legal_actions(state: np.void) -> np.void:
    """Write the legal actions into a state that was edited, as far as its values are within their ranges; returns it.

    For states made by hand: after this, only what else is wrong with the state is left for `status` to name.
    """
    if not any(True for check in (_layout, range_faults) for _ in check(state)) and _has_its_phase(state):
        actions = sum(1 << action for action in _legal_actions(state))
        state["legal"] = [actions >> 64 * word & (2**64 - 1) for word in range(LEGAL_WORDS)]
    return state


def _has_its_phase(state: np.void) -> bool:
    return state["phase"] == OVER or state["player"] != EMPTY


def _legal_actions(state: np.void) -> set[int]:
    if state["phase"] == OVER:
        return set()
    if state["phase"] == PURCHASE:
        return {BUY, PASS}
    if state["phase"] == DEMAND:
        return {PLACE + column for column in range(int(state["players"]) + 1) if state["standing"][column] < SPACES}
    return _loading_actions(state, int(state["player"]))


def _loading_actions(state: np.void, seat: int) -> set[int]:
    pool = state["cubes"][seat].tolist()
    full = sum(pool) > _room(state, seat)
    owns = (state["owner"] == seat).tolist()
    legal = set() if full else {END}
    for action in ACTIONS:
        if sum(action.gives) == 0 or any(given > held for given, held in zip(action.gives, pool, strict=True)):
            continue
        good = action.gives.index(max(action.gives))
        if (
            action.verb == "trade"
            or (action.verb == "discard" and full)
            or (action.verb == "sell" and owns[MERCHANT_1 + good])
            or (action.takes is not None and state["stock"][action.takes] > 0)
            or (action.contract is not None and owns[action.contract] and state["missing"][action.contract, good] > 0)
        ):
            legal.add(action.id)
    return legal


_CHECKS: tuple[Callable[[np.void], Faults], ...] = (
    _unused_seats_and_columns,
    _contracts,
    _pile,
    _round,
    _table,
    _fires,
    _cubes,
    _bag,
    _room_for_cubes,
    _workers,
    _coins,
    _sums,
    _bought,
    _aboard,
    _phase,
    _legal,
)
