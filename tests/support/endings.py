"""Positions of last rounds to solve: of games, and laid out by hand so that seats get into each other's way."""

from __future__ import annotations

import random

from speicher_env import Game
from speicher_env.rules.cards import GOODS
from speicher_env.solve import is_determined
from tests.support.positions import DECK, card, position, seat

CONTRACTS = tuple(f"contract_{number}" for number in range(1, 11))
OTHERS = (
    "fireman_9", "fireman_2", "counting_office_3", "counting_office_4", "st_michaelis", "bank",
    "chamber_of_commerce", "warehouse", "coffee_roaster", "tea_taster", "spice_trader", "vulcanizer", "carpet_trader",
)  # fmt: skip


def last_round(players: int, seed: int, deck: str = "standard") -> Game | None:
    """The start of the last round of a game of random moves; None if it has ended with the round before."""
    choose = random.Random(seed)
    game = Game(players, deck, seed)
    while not game.over and not is_determined(game):
        game.play(choose.choice(game.legal_ids()))
    return None if game.over else game


def laid_out(players: int, seed: int) -> Game:
    """The start of a last round in which ships are offered to seats with contracts, little stock and some coins."""
    choose = random.Random(seed)
    cubes = [good for good in GOODS for _ in range(9)]
    choose.shuffle(cubes)
    ships = [f"ship_{number}" for number in choose.sample(range(1, 16), choose.randint(1, players + 1))]
    owned = choose.sample(CONTRACTS, choose.randint(players, 10)) + choose.sample(OTHERS, 6)
    choose.shuffle(owned)
    columns: list[str] = ships + [owned.pop() for _ in range(players + 1 - len(ships))]
    choose.shuffle(columns)
    seats = []
    for number in range(players):
        cards = owned[number::players]
        kept = choose.randint(0, 5 if "warehouse" in cards else 1)
        seats.append(
            seat(
                choose.choice((0, 0, 1, 1, 2, 3, 5, 8)),
                cards,
                " ".join(cubes.pop() for _ in range(kept)),
                fire_points=choose.randint(-6, 6),
            )
        )
    laid = [card(column, " ".join(cubes.pop() for _ in range(3)) if column in ships else "") for column in columns]
    stock = " ".join(cubes.pop() for _ in range(choose.randint(0, 3)))
    first = choose.randrange(players)
    return Game.from_state(
        position(players, phase="demand", columns=laid, seats=seats, stock=stock, pile=["fire_4"], first_player=first)
    )


def laid_out_loading(players: int, seed: int) -> Game:
    """The last loading, in which most seats have three or four cubes, and contracts that miss a good or two of them.

    The stock is nearly empty, so what one seat leaves there is what the next ones can convert to.
    """
    choose = random.Random(seed)
    left = [good for good in GOODS for _ in range(9)]
    numbers = choose.sample(range(10), players)
    ships = choose.sample(range(1, 16), players)
    on_contracts = []
    for number in numbers:
        goods = list(DECK.contract_goods[number])
        on_contracts.append(choose.sample(goods, max(0, len(goods) - choose.randint(1, 2))))
        for good in on_contracts[-1]:
            left.remove(good)
    seats = []
    for number, filled in enumerate(on_contracts):
        few = choose.sample(sorted(set(left)), 2) if choose.random() < 0.7 else left
        aboard = choose.sample([good for good in left if good in few], choose.choice((0, 3, 3, 4)))
        for good in aboard:
            left.remove(good)
        contract = f"contract_{numbers[number] + 1}"
        extra = [choose.choice(("warehouse", "chamber_of_commerce", "tea_taster"))] if number == 0 else []
        cards = [contract, f"ship_{ships[number]}", *extra]
        points = choose.randint(-3, 3)
        seats.append(
            seat(
                choose.randint(0, 2),
                cards,
                aboard=" ".join(aboard),
                filled={contract: " ".join(filled)},
                fire_points=points,
                bought=1 if aboard else 0,
            )
        )
    stock = " ".join(choose.sample(left, choose.randint(0, 2)))
    return Game.from_state(position(players, seats=seats, stock=stock, pile=["fire_4"], first_player=0))


def played_on(game: Game, seed: int, moves: int) -> Game | None:
    """The game after some more random moves, in which seats like to buy; None if it is over."""
    choose = random.Random(seed)
    twin = game.copy()
    for _ in range(moves):
        if twin.over:
            return None
        actions = twin.legal()
        twin.play("buy" if "buy" in actions and choose.random() < 0.6 else choose.choice(actions))
    return None if twin.over else twin
