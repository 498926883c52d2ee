"""What is wrong with a state: every broken invariant by name. For tests, and for states that come from outside.

Plain Python on purpose: it is an independent look at the record and not on any hot path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from speicher_env.rules.cards import (
    CARD_IDS,
    CHURCH_CARD,
    CONTRACT_POINTS,
    COUNTING_OFFICE,
    CUBES_PER_GOOD,
    FIRE,
    FIRE_1,
    FIREMAN_1,
    GOODS,
    KIND_OF,
    N_CARDS,
    N_CONTRACTS,
    N_CUBES,
    N_FIREMEN,
    N_GOODS,
    PORT_CARD,
    SEASON_OF,
    SHIP,
    WAREHOUSE_CARD,
)
from speicher_env.rules.state import (
    DEMAND,
    DISCARDED,
    EMPTY,
    IN_PILE,
    LOADING,
    MARKET_HALL_SPACE,
    MAX_COLUMNS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    ON_TABLE,
    OVER,
    PHASES,
    PURCHASE,
    REMOVED,
    SPACES,
    STATE,
    VERSION,
    WAREHOUSE_SPACE,
    WORKERS,
)

Faults = Iterator[str]


def status(state: np.void) -> list[str]:
    """Every broken invariant of a state as one sentence each; an empty list for a sound state."""
    for check in (_header, _indices):
        found = list(check(state))
        if found:  # the others would stumble over it
            return found
    return [fault for check in _CHECKS for fault in check(state)]


def _header(state: np.void) -> Faults:
    if state.dtype != STATE:
        yield f"the state is a record of {state.dtype.itemsize} bytes; this version's layout has {STATE.itemsize}"
        return
    if state["version"] != VERSION:
        yield f"the state has version {state['version']}; this software reads version {VERSION}"
    if not MIN_PLAYERS <= state["players"] <= MAX_PLAYERS:
        yield f"players is {state['players']}; it must be {MIN_PLAYERS}..{MAX_PLAYERS}"
    if not DEMAND <= state["phase"] <= OVER:
        yield f"phase is {state['phase']}; it must be one of 0..{OVER} ({', '.join(PHASES)})"


_RANGES: dict[str, tuple[int, int]] = {
    "pile_next": (0, N_CARDS),
    "pile_size": (0, N_CARDS),
    "bag_next": (0, N_CUBES),
    "pile": (EMPTY, N_CARDS - 1),
    "owner": (REMOVED, MAX_PLAYERS - 1),
    "bag": (0, N_GOODS - 1),
    "card": (EMPTY, N_CARDS - 1),
    "cargo": (EMPTY, N_GOODS - 1),
    "queue": (EMPTY, MAX_PLAYERS - 1),
    "standing": (0, SPACES),
    "contract_goods": (EMPTY, N_GOODS - 1),
    "fire_value": (1, 6),
    "fireman_value": (1, 5),
    "workers": (0, WORKERS),
    "bought": (0, MAX_COLUMNS),
    "stock": (0, N_CUBES),
    "cubes": (0, N_CUBES),
    "aboard": (0, N_CUBES),
    "missing": (0, 4),
    "loaded": (0, MAX_PLAYERS - 1),
    "seed": (0, 2**63 - 1),
}


def _indices(state: np.void) -> Faults:
    for field, (low, high) in _RANGES.items():
        values = state[field]
        if np.any(values < low) or np.any(values > high):
            yield f"{field} has a value outside {low}..{high}"
    players = int(state["players"])
    if not 0 <= state["first_player"] < players:
        yield f"first_player is {state['first_player']}; with {players} players it must be 0..{players - 1}"
    if np.any(state["owner"] >= players) or np.any(state["queue"] >= players):
        yield f"a card or a worker belongs to a seat that {players} players do not have"


def _cubes(state: np.void) -> Faults:
    bag = np.bincount(state["bag"][state["bag_next"] :], minlength=N_GOODS)
    cargo = np.bincount(state["cargo"][state["cargo"] != EMPTY], minlength=N_GOODS)
    wanted = np.zeros(N_GOODS, dtype=int)
    for contract in range(N_CONTRACTS):
        goods = state["contract_goods"][contract]
        full = np.bincount(goods[goods != EMPTY], minlength=N_GOODS)
        placed = full - state["missing"][contract]
        if np.any(placed < 0):
            yield f"{CARD_IDS[contract]} misses more cubes than it has room for"
        if np.any(placed > 0) and state["owner"][contract] < 0:
            yield f"{CARD_IDS[contract]} holds cubes and has no owner"
        wanted += placed
    total = bag + cargo + wanted + state["stock"] + state["cubes"].sum(axis=0) + state["aboard"].sum(axis=0)
    for good in range(N_GOODS):
        if total[good] != CUBES_PER_GOOD:
            yield f"there are {total[good]} cubes of {GOODS[good]}; there must be {CUBES_PER_GOOD}, {N_CUBES} in all"


def _cards(state: np.void) -> Faults:
    owner = state["owner"]
    pile = state["pile"]
    size, top = int(state["pile_size"]), int(state["pile_next"])
    removed = {card for card in range(N_CARDS) if owner[card] == REMOVED}
    yield from _removed_cards(state, removed)
    if sorted(pile[:size]) != sorted(set(range(N_CARDS)) - removed):
        yield "the pile as shuffled is not the 54 cards less those taken out"
        return
    if np.any(pile[size:] != EMPTY):
        yield f"the pile has cards behind its {size}"
    if np.any(np.diff(SEASON_OF[pile[:size]]) < 0):
        yield "the pile's seasons are not in order"
    hidden = set(pile[top:size].tolist())
    if hidden != {card for card in range(N_CARDS) if owner[card] == IN_PILE}:
        yield "the cards marked as in the pile are not those left in the pile"
    table = [int(card) for card in state["card"] if card != EMPTY]
    if sorted(table) != [card for card in range(N_CARDS) if owner[card] == ON_TABLE]:
        yield "the cards marked as on the table are not those in the columns"
    for card in range(N_CARDS):
        if KIND_OF[card] == FIRE and owner[card] not in (IN_PILE, DISCARDED):
            yield f"{CARD_IDS[card]} is neither in the pile nor discarded"
    for column, card in enumerate(state["card"]):
        loaded = bool(np.all(state["cargo"][column] != EMPTY))
        if loaded != (card != EMPTY and KIND_OF[card] == SHIP):
            yield f"column {column} has cubes without a ship, or a ship without its 3 cubes"


def _removed_cards(state: np.void, removed: set[int]) -> Faults:
    players = int(state["players"])
    expected = {2: PORT_CARD, 3: CHURCH_CARD, 5: CHURCH_CARD}.get(players)
    if expected is None:
        fine = not removed
    else:
        firemen = [card for card in removed if card != expected]
        fine = expected in removed and len(firemen) == 1 and _is_leaving_fireman(state, firemen[0])
    if not fine:
        names = ", ".join(CARD_IDS[card] for card in sorted(removed)) or "nothing"
        yield f"{names} was taken out; with {players} players that is wrong"


def _is_leaving_fireman(state: np.void, card: int) -> bool:
    number = card - FIREMAN_1
    return 0 <= number < N_FIREMEN and SEASON_OF[card] == 3 and state["fireman_value"][number] == 3


def _workers(state: np.void) -> Faults:
    players = int(state["players"])
    standing = state["queue"][state["queue"] != EMPTY]
    for seat in range(MAX_PLAYERS):
        total = int(state["workers"][seat]) + int(np.sum(standing == seat))
        if total != (WORKERS if seat < players else 0):
            yield f"seat {seat} has {total} workers; it must have {WORKERS if seat < players else 0}"
    for column in range(MAX_COLUMNS):
        queue = state["queue"][column]
        count = int(state["standing"][column])
        if np.any(queue[:count] == EMPTY) or np.any(queue[count:] != EMPTY):
            yield f"column {column} does not have its {count} workers on the lowest spaces"
        if count and state["card"][column] == EMPTY:
            yield f"workers stand above column {column}, which has no card"


def _coins_and_cubes_of_seats(state: np.void) -> Faults:
    loading = state["phase"] == LOADING
    for seat in range(int(state["players"])):
        if state["coins"][seat] < 0:
            yield f"seat {seat} has {state['coins'][seat]} coins; coins are never below 0"
        room = MARKET_HALL_SPACE + (WAREHOUSE_SPACE if state["owner"][WAREHOUSE_CARD] == seat else 0)
        kept = int(state["cubes"][seat].sum())
        if kept > room and not (loading and seat == state["player"]):
            yield f"seat {seat} keeps {kept} cubes; it has room for {room}"


def _sums(state: np.void) -> Faults:
    owner = state["owner"]
    for seat in range(MAX_PLAYERS):
        own = [card for card in range(N_CARDS) if owner[card] == seat]
        firemen = sum(int(state["fireman_value"][card - FIREMAN_1]) for card in own if _is_fireman(card))
        contracts = [card for card in own if card < N_CONTRACTS and not state["missing"][card].any()]
        points = sum(int(CONTRACT_POINTS[np.sum(state["contract_goods"][contract] != EMPTY)]) for contract in contracts)
        offices = sum(KIND_OF[card] == COUNTING_OFFICE for card in own)
        ships = sum(KIND_OF[card] == SHIP for card in own)
        for field, expected in (
            ("firemen", firemen),
            ("offices", offices),
            ("ships", ships),
            ("contract_points", points),
        ):
            if state[field][seat] != expected:
                yield f"{field} of seat {seat} is {state[field][seat]}; its cards make it {expected}"


def _is_fireman(card: int) -> bool:
    return FIREMAN_1 <= card < FIREMAN_1 + N_FIREMEN


def _fires(state: np.void) -> Faults:
    revealed = sum(
        int(state["fire_value"][card - FIRE_1]) for card in range(FIRE_1, N_CARDS) if state["owner"][card] == DISCARDED
    )
    for seat in range(int(state["players"])):
        if abs(int(state["fire_points"][seat])) > revealed:
            yield f"seat {seat} has {state['fire_points'][seat]} points from fires worth {revealed}"


def _decision(state: np.void) -> Faults:
    phase = int(state["phase"])
    legal = sum(int(word).bit_count() for word in state["legal"])
    if (phase == OVER) != (state["player"] == EMPTY):
        yield f"phase is {PHASES[phase]} and player is {state['player']}"
    if phase != OVER and not 0 <= state["player"] < state["players"]:
        yield f"player is {state['player']}; it must be a seat 0..{state['players'] - 1}"
    if phase == OVER and legal:
        yield f"the game is over and {legal} actions are marked legal"
    if phase != OVER and legal < 2:
        yield f"a decision has {legal} legal actions; it must have at least 2"
    if (phase == PURCHASE) != (state["offer"] != EMPTY):
        yield f"phase is {PHASES[phase]} and the column on offer is {state['offer']}"


_CHECKS: tuple[Callable[[np.void], Faults], ...] = (
    _cubes,
    _cards,
    _workers,
    _coins_and_cubes_of_seats,
    _sums,
    _fires,
    _decision,
)
