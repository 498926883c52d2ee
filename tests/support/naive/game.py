"""The whole game, told in the order of the rules: supply, demand, purchase, loading, income, 4th fire.

The course of the game is a generator that stops wherever a player has a choice and goes on with the answer.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

from .loading import carry_out, legal_steps
from .things import MERCHANT_BUYS, WORKERS_EACH, Card, Column, Player, Ship, counts, make_card

SPACES_ABOVE_A_CARD = 8
CUBES_PER_SHIP = 3
CONTRACT_POINTS = {2: 5, 3: 8, 4: 11}  # by the number of goods on the contract
COUNTING_OFFICE_POINTS = {0: 0, 1: 2, 2: 5, 3: 9, 4: 14}  # by the number owned

Asking = Generator[None, str, str]  # stops for an answer, returns it
Course = Generator[None, str, None]  # a part of the game with any number of stops


class NaiveGame:
    """One game, played by texts."""

    def __init__(
        self,
        players: int,
        cards: dict[str, dict[str, Any]],
        first_player: int,
        pile: list[str],
        bag: list[str],
    ) -> None:
        """Set up from the fields of a game record and play on to the first decision.

        Args:
            players: 2 to 5.
            cards: kind, season, and value or goods of every card in the pile, by id.
            first_player: the seat that begins.
            pile: ids as shuffled, top first, the removed cards left out, fire_4 last.
            bag: all cubes in the order they are drawn.
        """
        if not pile or pile[-1] != "fire_4":
            raise ValueError("the pile ends with fire_4")
        self.seats = [Player(seat) for seat in range(players)]
        self.pile = [make_card(card_id, cards[card_id]) for card_id in pile]
        self.bag = list(bag)
        self.stock: list[str] = []
        self.discarded: list[Card] = []
        self.columns = [Column() for _ in range(players + 1)]
        self.offer: dict[str, int] | None = None
        self.first_player = first_player
        self.round = 0

        self.player: int | None = None
        self.phase = "demand"
        self._legal: list[str] = []
        self._course = self._whole_game()
        next(self._course, None)

    # Playing

    def legal(self) -> list[str]:
        """The legal actions of the player who decides, in action order; none when the game is over."""
        return list(self._legal)

    def play(self, text: str) -> None:
        """Carry out the action and everything forced that follows, up to the next decision or the end."""
        if text not in self._legal:
            raise ValueError(f"{text!r} is not legal in {self.phase}; legal are {self._legal}")
        try:
            self._course.send(text)
        except StopIteration:
            assert self.phase == "over"

    def _ask(self, player: Player, choices: list[str]) -> Asking:
        """Let the player choose; a single choice plays itself."""
        if len(choices) == 1:
            return choices[0]
        self.player = player.seat
        self._legal = choices
        return (yield)

    # The course of the game

    def _whole_game(self) -> Course:
        while self._supply():
            yield from self._demand()
            yield from self._purchase()
            yield from self._loading()
            self._income()
            if len(self.pile) == 1:  # only the 4th fire is left: that was the last round
                self._carry_out_fire(self.pile.pop(0))
                break
        self.phase = "over"
        self.player = None
        self._legal = []

    def _supply(self) -> bool:
        """Lay out the cards of a new round; False if the 4th fire came instead and the game is over."""
        laid_out: list[Card] = []
        while len(laid_out) < len(self.columns):
            card = self.pile.pop(0)
            if card.kind != "fire":
                laid_out.append(card)
                continue
            self._carry_out_fire(card)
            if not self.pile:
                if laid_out:
                    raise ValueError("the trade cards in the pile do not divide into full supplies")
                return False

        self.round += 1
        for player in self.seats:
            player.cards_bought = 0
        for column, card in zip(self.columns, laid_out, strict=True):
            column.card = card
            if isinstance(card, Ship):
                for _ in range(CUBES_PER_SHIP):
                    card.cubes.append(self.bag.pop(0))
        return True

    def _carry_out_fire(self, fire: Card) -> None:
        strengths = [player.fire_strength() for player in self.seats]
        if max(strengths) != min(strengths):
            for player in self.seats:
                if player.fire_strength() == max(strengths):
                    player.fire_points += fire.value
                if player.fire_strength() == min(strengths):
                    player.fire_points -= fire.value
        self.discarded.append(fire)

    def _demand(self) -> Course:
        self.phase = "demand"
        for _ in range(WORKERS_EACH):
            for player in self._clockwise():
                free = [
                    f"place {c}" for c, column in enumerate(self.columns) if len(column.workers) < SPACES_ABOVE_A_CARD
                ]
                text = yield from self._ask(player, free)
                column = self.columns[int(text.split()[1])]
                column.workers.append(player.workers.pop())

    def _purchase(self) -> Course:
        self.phase = "purchase"
        for c, column in enumerate(self.columns):
            card = column.card
            assert card is not None
            sold = False
            while column.workers and not sold:
                asked = column.workers[0].owner
                price = len(column.workers)
                self.offer = {"column": c, "price": price}
                choices = ["buy", "pass"] if asked.coins >= price else ["pass"]
                text = yield from self._ask(asked, choices)
                if text == "buy":
                    asked.coins -= price
                    asked.cards.append(card)
                    asked.cards_bought += 1
                    sold = True
                else:
                    self._lowest_worker_leaves(column)
            self.offer = None

            while column.workers:
                self._lowest_worker_leaves(column)
            column.card = None
            if not sold:
                self.discarded.append(card)
                if isinstance(card, Ship):
                    self.stock.extend(card.cubes)
                    card.cubes.clear()

    def _lowest_worker_leaves(self, column: Column) -> None:
        worker = column.workers.pop(0)
        worker.owner.workers.append(worker)

    def _loading(self) -> Course:
        self.phase = "loading"
        for player in self._clockwise():
            player.unload()
            step = ""
            while step != "end":
                step = yield from self._ask(player, legal_steps(player, self.stock))
                carry_out(step, player, self.stock)

    def _income(self) -> None:
        for player in self.seats:
            player.coins += 1
            if player.cards_bought == 0:
                player.coins += 1
            if player.number_of("bank"):
                player.coins += 1
        self.first_player = (self.first_player + 1) % len(self.seats)

    def _clockwise(self) -> Iterator[Player]:
        """All players, the first player first."""
        for step in range(len(self.seats)):
            yield self.seats[(self.first_player + step) % len(self.seats)]

    # Looking

    def points(self) -> list[dict[str, int]]:
        """Each seat's points by source, as if the game ended now.

        The warehouse counts the pool of cubes as it would be stored; cubes still aboard a ship are not in it.
        """
        return [self._points_of(player) for player in self.seats]

    def _points_of(self, player: Player) -> dict[str, int]:
        complete = [contract for contract in player.contracts() if not contract.missing()]
        kinds = [card.kind for card in player.cards]
        points = {
            "fire": player.fire_points,
            "contracts": sum(CONTRACT_POINTS[len(contract.goods)] for contract in complete),
            "counting_offices": COUNTING_OFFICE_POINTS[kinds.count("counting_office")],
            "merchants": sum(kinds.count(merchant) for merchant in MERCHANT_BUYS),
            "warehouse": min(player.warehouse_places(), len(player.pool())),
            "chamber_of_commerce": player.coins if "chamber_of_commerce" in kinds else 0,
            "port": kinds.count("ship") if "port" in kinds else 0,
            "boatsmen_church": 3 if "boatsmen_church" in kinds else 0,
            "st_michaelis": 4 if "st_michaelis" in kinds else 0,
        }
        points["total"] = sum(points.values())
        return points

    def winners(self) -> list[int]:
        """The seats that win if the game ends now, ascending: most points, then most coins, else shared."""
        points = [seat_points["total"] for seat_points in self.points()]
        ahead = [player for player in self.seats if points[player.seat] == max(points)]
        most_coins = max(player.coins for player in ahead)
        return [player.seat for player in ahead if player.coins == most_coins]

    def snapshot(self) -> dict[str, Any]:
        """Everything on the table and the hidden order, as plain data.

        Every count of cubes lists all five goods, zeros included. A seat's `cubes` are its pool, its `aboard`
        the cubes on ships bought this round and not unloaded yet. `cards_bought` counts until the next supply
        lays out cards, so when the game is over it is that of the last round.
        """
        return {
            "players": len(self.seats),
            "phase": self.phase,
            "player": self.player,
            "round": self.round,
            "first_player": self.first_player,
            "pile": [card.id for card in self.pile],
            "bag": list(self.bag),
            "stock": counts(self.stock),
            "columns": [
                {
                    "card": column.card.id if column.card else None,
                    "cubes": counts(column.card.cubes if isinstance(column.card, Ship) else []),
                    "queue": [worker.owner.seat for worker in column.workers],
                }
                for column in self.columns
            ],
            "offer": dict(self.offer) if self.offer else None,
            "seats": [
                {
                    "coins": player.coins,
                    "workers": len(player.workers),
                    "fire_points": player.fire_points,
                    "cards_bought": player.cards_bought,
                    "cards": sorted(card.id for card in player.cards),
                    "cubes": counts(player.pool()),
                    "aboard": counts(player.aboard()),
                    "contracts": {
                        contract.id: {"missing": counts(contract.missing())} for contract in player.contracts()
                    },
                }
                for player in self.seats
            ],
        }
