"""The rules in short, for language models and whoever else has to play at once."""

from __future__ import annotations

from speicher_env.messages import listed
from speicher_env.rules.cards import CONTRACT_POINTS, GOODS
from speicher_env.rules.scoring import CHURCH_POINTS, MICHAELIS_POINTS, OFFICE_POINTS
from speicher_env.rules.state import MARKET_HALL_SPACE, SPACES, START_COINS, WAREHOUSE_SPACE, WORKERS

__all__ = ["rules_in_short"]


def rules_in_short() -> str:
    """The rules and the actions on one page of plain text; the numbers are those of the code."""
    contracts = listed([f"{int(points)} points for {goods} goods" for goods, points in _contract_points()])
    offices = listed([str(int(points)) for points in OFFICE_POINTS[1:]])
    kept = MARKET_HALL_SPACE
    return f"""\
Die Speicherstadt in short. Most points at the end win, then most coins. Everything is public but the order of the
draw pile and of the cubes in the bag. Goods are {listed(GOODS)}.
Everybody begins with {START_COINS} coins and has {WORKERS} workers.

A round:
1. Supply. One card more than there are players is laid out, in columns numbered from 0. A fire is carried out at once
   and replaced by the next card. Each ship gets 3 cubes.
2. Demand. From the first player clockwise, everybody places one worker at a time above a card, {WORKERS} times around.
   Workers above a card form a queue of at most {SPACES}, lowest first.
3. Purchase, column by column. The owner of the lowest worker is asked first. The price in coins is the number of
   workers above the card at that moment, the owner's included. A player who passes or cannot pay takes the worker
   back; then the price is 1 lower and the next owner is asked. After a purchase all workers leave the column. So the
   first in a queue is asked first, at the highest price, and every later worker makes the card dearer. A card that
   nobody buys is discarded.
4. Loading, from the first player clockwise. A player has the cubes of the ships bought this round and those kept from
   before, and may do this in any order: deliver a cube to an own contract that needs its good; sell a cube to an own
   merchant who buys its good, for 1 coin; trade any 2 cubes for 1 coin; convert any 3 cubes into 1 cube of another
   good. Then at most {kept} cube is kept, or {kept + WAREHOUSE_SPACE} with the warehouse; the rest is discarded.
5. Income. Everybody gets 1 coin, 1 more without a purchase this round, and 1 more with the bank.

At a fire, everybody adds up the values of their firemen. The highest sum gains the fire's value in points and the
lowest loses as much; tied players all gain or all lose; if all are equal nothing happens. Firemen stay and count at
every fire. The fourth fire ends the game.

Points at the end:
- a contract, only if it is complete: {contracts}
- counting offices: {offices} points for 1 to 4 of them
- each of the five merchants: 1 point
- warehouse: 1 point for each cube in it
- boatsmen's church: {CHURCH_POINTS} points; St. Michaelis: {MICHAELIS_POINTS} points
- chamber of commerce: 1 point for each coin; port: 1 point for each own ship
- what fires have brought and cost

Actions: "place N" (a worker above column N), "buy", "pass", "deliver GOOD contract_N", "sell GOOD",
"trade GOOD GOOD", "convert GOOD GOOD GOOD to GOOD", "discard GOOD", "end" (of loading). Only real choices are asked
for: what leaves a single legal action plays itself, and a player may decide several times in a row."""


def _contract_points() -> list[tuple[int, int]]:
    return [(goods, int(points)) for goods, points in enumerate(CONTRACT_POINTS) if points]
