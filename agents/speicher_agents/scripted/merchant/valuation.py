"""What `merchant` thinks everything is worth: each card on the table to each seat, and a coin to each seat.

Nothing here looks at the order of the pile or the bag: only at which cards and cubes are in them, which is public.
"""

from __future__ import annotations

import math

import numpy as np

from speicher_agents._jit import jit
from speicher_agents.scripted.merchant.weights import INDEX
from speicher_agents.scripted.remaining import rounds_to_come, ships_to_come
from speicher_env.rules.cards import (
    BANK,
    BOATSMEN_CHURCH,
    CHAMBER_CARD,
    CHAMBER_OF_COMMERCE,
    CONTRACT,
    COUNTING_OFFICE,
    COUNTING_OFFICE_1,
    CUBES_PER_SHIP,
    FIRE_1,
    FIREMAN,
    FIREMAN_1,
    KIND_OF,
    MERCHANT_1,
    N_CONTRACTS,
    N_COUNTING_OFFICES,
    N_CUBES,
    N_FIREMEN,
    N_FIRES,
    N_GOODS,
    PORT,
    SEASON_OF,
    SHIP,
    ST_MICHAELIS,
    WAREHOUSE,
    WAREHOUSE_CARD,
)
from speicher_env.rules.loading import contract_value
from speicher_env.rules.scoring import CHURCH_POINTS, MICHAELIS_POINTS, OFFICE_POINTS
from speicher_env.rules.state import EMPTY, IN_PILE, LOADING, MAX_COLUMNS, MAX_PLAYERS, ON_TABLE, WAREHOUSE_SPACE

__all__ = ["SHEET", "appraise", "foresee_cubes", "value_coins"]

SHEET = np.dtype(
    [
        ("worth", np.float64, (MAX_PLAYERS, MAX_COLUMNS)),  # of the card in each column to each seat; 0 where none is
        ("coin", np.float64, (MAX_PLAYERS,)),  # worth of a coin to each seat
        ("held", np.float64, (MAX_PLAYERS,)),  # worth of all its contracts and cubes
        ("chance", np.float64, (N_GOODS,)),  # that a cube of the good which a contract lacks still comes
        ("flow", np.float64, (N_GOODS,)),  # cubes of the good to come that are one seat's share
        ("blur", np.float64, (N_FIRES,)),  # lead in firemen worth half of a sure one; 0 for a fire that is over
        ("cubes", np.float64, (N_GOODS,)),  # scratch: cubes counted, or not yet planned for a contract
    ],
    align=True,
)
"""What `merchant` thinks everything is worth, in points."""

TIE_BREAK = 0.01
"""Points that a coin is worth when nothing can be bought any more: it decides between equal points."""

_COIN, _COIN_FADE = INDEX["coin"], INDEX["coin_fade"]
_COIN_SCARCE, _COIN_CHAMBER = INDEX["coin_scarce"], INDEX["coin_chamber"]
_FIRE, _FIRE_BLUR, _FIRE_UNSEEN = INDEX["fire"], INDEX["fire_blur"], INDEX["fire_unseen"]
_CONTRACT = INDEX["contract"]
_CUBES_SAME, _CUBES_ANY, _CUBES_TABLE = INDEX["cubes_same"], INDEX["cubes_any"], INDEX["cubes_table"]
_SHIP_POINTS, _CUBE_TRADED = INDEX["ship_points"], INDEX["cube_traded"]
_MERCHANT_POINTS, _MERCHANT_FLOW = INDEX["merchant_points"], INDEX["merchant_flow"]
_OFFICE, _OFFICE_HOPE = INDEX["office"], INDEX["office_hope"]
_WAREHOUSE, _WAREHOUSE_SHIPS, _SHELF = INDEX["warehouse"], INDEX["warehouse_ships"], INDEX["shelf"]
_BANK, _CHAMBER_ROUNDS, _PORT_SHIPS, _SAFE = (
    INDEX["bank"],
    INDEX["chamber_rounds"],
    INDEX["port_ships"],
    INDEX["safe"],
)


@jit
def appraise(game: np.void, weights: np.ndarray, sheet: np.void) -> None:
    """Fill a sheet: every card on the table to every seat."""
    players = int(game["players"])
    value_coins(game, weights, sheet)
    foresee_cubes(game, weights, sheet)
    for seat in range(players):
        sheet["held"][seat] = holdings(game, weights, sheet, seat, EMPTY, EMPTY)
    blurs_known = False
    for column in range(players + 1):
        card = game["card"][column]
        if card == EMPTY:
            for seat in range(players):
                sheet["worth"][seat, column] = 0.0
            continue
        kind = KIND_OF[card]
        if kind == FIREMAN and not blurs_known:
            foresee_fires(game, weights, sheet)
            blurs_known = True
        for seat in range(players):
            sheet["worth"][seat, column] = card_worth(game, weights, sheet, seat, column)


@jit
def value_coins(game: np.void, weights: np.ndarray, sheet: np.void) -> None:
    """What a coin is worth to each seat: less as the year ends, more to whoever has few."""
    rounds = rounds_to_come(game)
    usual = weights[_COIN] * rounds / (rounds + weights[_COIN_FADE])
    for seat in range(int(game["players"])):
        scarce = 1.0 + weights[_COIN_SCARCE] / (1.0 + game["coins"][seat])
        sheet["coin"][seat] = usual * scarce + TIE_BREAK
        if game["owner"][CHAMBER_CARD] == seat:
            sheet["coin"][seat] += weights[_COIN_CHAMBER]


@jit
def foresee_cubes(game: np.void, weights: np.ndarray, sheet: np.void) -> None:
    """Cubes of each good to come for one seat, and the chance to get one that a contract lacks."""
    in_bag = sheet["cubes"]
    for good in range(N_GOODS):
        in_bag[good] = 0.0
    for cube in range(int(game["bag_next"]), N_CUBES):
        in_bag[game["bag"][cube]] += 1.0
    cubes = N_CUBES - int(game["bag_next"])
    share = CUBES_PER_SHIP * ships_to_come(game) / float(game["players"])
    per_cube = share / max(1, cubes)
    on_table = 0.0
    if game["phase"] != LOADING:
        on_table = weights[_CUBES_TABLE] / float(game["players"])
        for column in range(int(game["players"]) + 1):
            for place in range(CUBES_PER_SHIP):
                if game["cargo"][column, place] != EMPTY:
                    share += on_table
    for good in range(N_GOODS):
        flow = in_bag[good] * per_cube
        if on_table > 0.0:
            for column in range(int(game["players"]) + 1):
                for place in range(CUBES_PER_SHIP):
                    if game["cargo"][column, place] == good:
                        flow += on_table
        sheet["flow"][good] = flow
        help_to_come = weights[_CUBES_SAME] * flow + weights[_CUBES_ANY] * share
        sheet["chance"][good] = help_to_come / (1.0 + help_to_come)


@jit
def foresee_fires(game: np.void, weights: np.ndarray, sheet: np.void) -> None:
    """How far each fire to come is from being decided: by the firemen unseen before it, half of its own season's."""
    for fire in range(N_FIRES):
        sheet["blur"][fire] = 0.0
        if game["owner"][FIRE_1 + fire] != IN_PILE:
            continue
        season = SEASON_OF[FIRE_1 + fire]
        unseen = 0.0
        for fireman in range(N_FIREMEN):
            if game["owner"][FIREMAN_1 + fireman] == IN_PILE:
                value = float(game["fireman_value"][fireman])
                if SEASON_OF[FIREMAN_1 + fireman] < season:
                    unseen += value
                elif SEASON_OF[FIREMAN_1 + fireman] == season:
                    unseen += 0.5 * value
        sheet["blur"][fire] = weights[_FIRE_BLUR] + weights[_FIRE_UNSEEN] * math.sqrt(unseen)


@jit
def fire_hope(game: np.void, sheet: np.void, seat: int, more: int) -> float:
    """Points that a seat can expect of the fires to come, had it so much more in firemen."""
    players = int(game["players"])
    strength = int(game["firemen"][seat]) + more
    points = 0.0
    for fire in range(N_FIRES):
        blur = sheet["blur"][fire]
        if blur == 0.0:
            continue
        highest = 1.0
        lowest = 1.0
        for other in range(players):
            if other != seat:
                lead = (strength - int(game["firemen"][other])) / blur
                ahead = 0.5 + 0.5 * lead / (1.0 + abs(lead))
                highest *= ahead
                lowest *= 1.0 - ahead
        points += game["fire_value"][fire] * (highest - lowest)
    return points


@jit
def holdings(game: np.void, weights: np.ndarray, sheet: np.void, seat: int, extra: int, column: int) -> float:
    """Points that a seat's contracts and cubes are worth, had it the card `extra` too and the cargo above `column`.

    Cubes go to its contracts in card order, then to its merchants and the market hall; EMPTY stands for no extra.
    """
    cubes = sheet["cubes"]
    owner = game["owner"]
    for good in range(N_GOODS):
        cubes[good] = int(game["cubes"][seat, good]) + int(game["aboard"][seat, good])
    if column != EMPTY:
        for place in range(CUBES_PER_SHIP):
            cubes[game["cargo"][column, place]] += 1.0
    worth = 0.0
    for contract in range(N_CONTRACTS):
        if owner[contract] == seat or contract == extra:
            chance = 1.0
            for good in range(N_GOODS):
                for _ in range(int(game["missing"][contract, good])):
                    if cubes[good] > 0.0:
                        cubes[good] -= 1.0
                    else:
                        chance *= sheet["chance"][good]
            worth += weights[_CONTRACT] * contract_value(game, contract) * chance
    coin = sheet["coin"][seat]
    left = 0.0
    for good in range(N_GOODS):
        merchant = MERCHANT_1 + good
        sold = owner[merchant] == seat or merchant == extra
        worth += cubes[good] * coin * (1.0 if sold else weights[_CUBE_TRADED])
        left += cubes[good]
    if owner[WAREHOUSE_CARD] == seat:
        worth += weights[_SHELF] * min(left, WAREHOUSE_SPACE)
    return worth


@jit
def card_worth(game: np.void, weights: np.ndarray, sheet: np.void, seat: int, column: int) -> float:
    """The card above a column to a seat, in points."""
    card = game["card"][column]
    kind = KIND_OF[card]
    if kind == FIREMAN:
        value = int(game["fireman_value"][card - FIREMAN_1])
        return weights[_FIRE] * (fire_hope(game, sheet, seat, value) - fire_hope(game, sheet, seat, 0))
    if kind == COUNTING_OFFICE:
        owned = int(game["offices"][seat])
        step = int(OFFICE_POINTS[owned + 1]) - int(OFFICE_POINTS[owned])
        return weights[_OFFICE] * step + weights[_OFFICE_HOPE] * (offices_to_come(game) - 1)
    if kind == WAREHOUSE:
        return weights[_WAREHOUSE] + weights[_WAREHOUSE_SHIPS] * ships_to_come(game)
    if kind == BANK:
        return weights[_BANK] * sheet["coin"][seat] * rounds_to_come(game)
    if kind == BOATSMEN_CHURCH:
        return weights[_SAFE] * CHURCH_POINTS
    if kind == ST_MICHAELIS:
        return weights[_SAFE] * MICHAELIS_POINTS
    if kind == CHAMBER_OF_COMMERCE:
        return weights[_COIN_CHAMBER] * (game["coins"][seat] + weights[_CHAMBER_ROUNDS] * rounds_to_come(game))
    if kind == PORT:
        return game["ships"][seat] + weights[_PORT_SHIPS] * ships_to_come(game) / float(game["players"])
    # Contracts, ships and merchants work together with what the seat has.
    is_ship = kind == SHIP
    gain = holdings(game, weights, sheet, seat, EMPTY if is_ship else card, column if is_ship else EMPTY)
    gain -= sheet["held"][seat]
    if is_ship:
        gain += weights[_SHIP_POINTS]
    elif kind != CONTRACT:
        gain += weights[_MERCHANT_POINTS]
        gain += weights[_MERCHANT_FLOW] * sheet["flow"][card - MERCHANT_1] * sheet["coin"][seat]
    return gain


@jit
def offices_to_come(game: np.void) -> int:
    """Counting offices that no one has yet: in the pile or on the table."""
    offices = 0
    for office in range(N_COUNTING_OFFICES):
        where = game["owner"][COUNTING_OFFICE_1 + office]
        offices += where in (IN_PILE, ON_TABLE)
    return offices
