"""The engine and its naive twin side by side: one game played by both, every state compared.

The engine deals, the twin takes the deal over as a game record tells it, a chooser picks the moves. After the deal and
after every move everything that either can tell has to be the same: the table and the hidden order, the legal actions
in their order, the points by source, and at the end the winners.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from speicher_env import Deck, Game
from speicher_env.rules.cards import CARD_IDS, CUBES_PER_SHIP, N_CONTRACTS
from speicher_env.rules.state import DISCARDED, EMPTY, PHASES, SPACES, STATE
from tests.support.naive import NaiveGame
from tests.support.naive.deal import CONTRACTS, FIREMEN, SEASONS, standard_cards, take_out
from tests.support.naive.things import GOODS

View = dict[str, Any]
"""A snapshot in the twin's form, with `legal`, `points`, `winners` and `discarded` beside it."""

Chooser = Callable[[View, list[str]], str]
"""Picks one of the legal actions in a view."""

Watcher = Callable[[View, str | None], None]
"""Is shown every view with the action chosen in it, and the last one with None."""


class Difference(AssertionError):
    """Engine and twin disagree, or one of them broke down."""


# Both in the same form


def public_snapshot(state: np.void) -> View:
    """A state of the engine in the form of `NaiveGame.snapshot`."""
    fields = _numbers(state)
    (players,), (player,), (offer,) = fields["players"], fields["player"], fields["offer"]
    pools, aboard = _rows(fields["cubes"], len(GOODS)), _rows(fields["aboard"], len(GOODS))
    missing = _rows(fields["missing"], len(GOODS))
    cargo, queues = _rows(fields["cargo"], CUBES_PER_SHIP), _rows(fields["queue"], SPACES)
    owned: list[list[int]] = [[] for _ in range(players)]
    for card, place in enumerate(fields["owner"]):
        if place >= 0:
            owned[place].append(card)
    return {
        "players": players,
        "phase": PHASES[fields["phase"][0]],
        "player": None if player == EMPTY else player,
        "round": fields["round"][0],
        "first_player": fields["first_player"][0],
        "pile": [CARD_IDS[card] for card in fields["pile"][fields["pile_next"][0] : fields["pile_size"][0]]],
        "bag": [GOODS[good] for good in fields["bag"][fields["bag_next"][0] :]],
        "stock": _by_good(fields["stock"]),
        "columns": [
            {
                "card": None if card == EMPTY else CARD_IDS[card],
                "cubes": _by_good([cubes.count(good) for good in range(len(GOODS))]),
                "queue": [seat for seat in queue if seat != EMPTY],
            }
            for card, cubes, queue in zip(fields["card"][: players + 1], cargo, queues, strict=False)
        ],
        "offer": None if offer == EMPTY else {"column": offer, "price": fields["standing"][offer]},
        "seats": [
            {
                "coins": fields["coins"][seat],
                "workers": fields["workers"][seat],
                "fire_points": fields["fire_points"][seat],
                "cards_bought": fields["bought"][seat],
                "cards": sorted([CARD_IDS[card] for card in owned[seat]]),
                "cubes": _by_good(pools[seat]),
                "aboard": _by_good(aboard[seat]),
                "contracts": {
                    CARD_IDS[card]: {"missing": _by_good(missing[card])} for card in owned[seat] if card < N_CONTRACTS
                },
            }
            for seat in range(players)
        ],
    }


def _numbers(state: np.void) -> dict[str, list[int]]:
    """The fields of small numbers and the coins, each as one flat list: faster than to ask NumPy for every field."""
    small = np.frombuffer(state, np.int8).tolist()
    fields = {name: small[start:stop] for name, start, stop in _SMALL_FIELDS}
    fields["coins"] = state["coins"].tolist()
    return fields


def _small_fields() -> list[tuple[str, int, int]]:
    """Name and bytes, from and to, of every field of small numbers."""
    places = STATE.fields or {}
    return [
        (name, offset, offset + dtype.itemsize)
        for name, (dtype, offset) in ((name, places[name][:2]) for name in places)
        if dtype.base == np.int8
    ]


_SMALL_FIELDS = _small_fields()


def _rows(numbers: list[int], width: int) -> list[list[int]]:
    return [numbers[start : start + width] for start in range(0, len(numbers), width)]


def _by_good(counts: list[int]) -> dict[str, int]:
    coffee, tea, saffron, rubber, carpet = counts
    return {"coffee": coffee, "tea": tea, "saffron": saffron, "rubber": rubber, "carpet": carpet}


def engine_view(game: Game, points: bool = True) -> View:
    """All that the engine tells of a game."""
    state = game.state
    view = public_snapshot(state)
    view["discarded"] = sorted([CARD_IDS[card] for card in np.flatnonzero(state["owner"] == DISCARDED).tolist()])
    view["legal"] = game.legal()
    if points:
        view.update(points=game.points(), winners=game.winners())
    return _without_old_purchases(view)


def twin_view(game: NaiveGame, points: bool = True) -> View:
    """All that the twin tells of a game."""
    view = game.snapshot()
    view["discarded"] = sorted([card.id for card in game.discarded])
    view["legal"] = game.legal()
    if points:
        view.update(points=game.points(), winners=game.winners() if game.phase == "over" else [])
    return _without_old_purchases(view)


def _without_old_purchases(view: View) -> View:
    """Leave out how many cards were bought in a round that is past: the engine forgets it at income, the twin later."""
    if view["phase"] == "over":
        for seat in view["seats"]:
            del seat["cards_bought"]
    return view


# What differs


def differences(engine: Any, twin: Any, path: str = "") -> Iterator[str]:
    """A line for everything in which two views differ."""
    if engine == twin:
        return
    if isinstance(engine, dict) and isinstance(twin, dict):
        for key in sorted({**engine, **twin}):
            inner = f"{path}.{key}" if path else key
            if key in engine and key in twin:
                yield from differences(engine[key], twin[key], inner)
            else:
                yield f"{inner}: only the {'engine' if key in engine else 'twin'} has it"
    elif isinstance(engine, list) and isinstance(twin, list) and _pairs_up(engine, twin):
        for index, pair in enumerate(zip(engine, twin, strict=True)):
            yield from differences(*pair, f"{path}[{index}]")
    elif isinstance(engine, list) and isinstance(twin, list) and Counter(engine) != Counter(twin):
        for name, surplus in (("engine", Counter(engine) - Counter(twin)), ("twin", Counter(twin) - Counter(engine))):
            if surplus:
                yield f"{path}: only the {name} has {', '.join(map(str, surplus.elements()))}"
    else:
        yield f"{path}: engine {engine}, twin {twin}"


def _pairs_up(engine: list[Any], twin: list[Any]) -> bool:
    return len(engine) == len(twin) and all(isinstance(entry, dict) for entry in engine + twin)


def deal_faults(game: Game, record: dict[str, Any]) -> Iterator[str]:
    """What is wrong with the deal of a new game, by the twin's account of setup: the twin plays from it unseen."""
    players = game.num_players
    every_card = game.deck.cards()
    if game.deck_name == "standard":
        yield from differences(every_card, standard_cards(), "deck")
    if game.deck_name == "sampled":
        yield from _sample_faults(every_card)
    yield from differences(record["cards"], take_out(every_card, players), "cards")
    yield from differences(sorted(record["pile"]), sorted(record["cards"]), "cards in the pile")
    seasons = [every_card[card]["season"] for card in record["pile"]]
    if seasons != sorted(seasons) or record["pile"][-1] != "fire_4":
        yield f"the pile is not in the order of the seasons: {record['pile']}"
    yield from differences(dict(Counter(record["bag"])), dict.fromkeys(GOODS, 9), "bag")
    if record["first_player"] not in range(players):
        yield f"first_player is {record['first_player']}"


def _sample_faults(cards: dict[str, Any]) -> Iterator[str]:
    """What the rules fix and a sampled deck broke."""
    fires = [cards[f"fire_{k}"]["value"] for k in range(1, 5)]
    if fires != sorted(fires) or not set(fires) <= set(range(1, 7)):
        yield f"the sampled fires have the values {fires}"
    for season, standard in FIREMEN.items():
        values = [card["value"] for card in cards.values() if card["kind"] == "fireman" and card["season"] == season]
        if len(values) != len(standard) or not set(values) <= set(range(1, 6)):
            yield f"the sampled firemen of season {season} have the values {values}"
        if season == "D" and 3 not in values:
            yield f"no sampled autumn fireman has the value 3, they have {values}"
    for season in SEASONS:
        sizes = [
            len(card["goods"]) for card in cards.values() if card["kind"] == "contract" and card["season"] == season
        ]
        if sizes != [len(goods.split()) for goods in CONTRACTS.get(season, ())]:
            yield f"the sampled contracts of season {season} have the sizes {sizes}"


# Playing


def play_both(players: int, deck: str | Deck, seed: int, chooser: Chooser, watch: Watcher | None = None) -> Game:
    """Play one game in the engine and in the twin to its end, and return the engine's.

    Raises:
        Difference: At the first state that is not the same in both.
    """
    game = Game(players, deck, seed)
    action, round_before = None, 0
    try:
        record = game.to_record()
        faults = list(deal_faults(game, record))
        if faults:
            raise Difference(_report(game, faults))
        twin = NaiveGame(players, record["cards"], record["first_player"], record["pile"], record["bag"])
        while True:
            # Within a demand workers are placed and nothing else: points stay, and working them out takes long.
            demand_goes_on = twin.phase == "demand" and twin.round == round_before
            view, told = engine_view(game, not demand_goes_on), twin_view(twin, not demand_goes_on)
            if view != told:
                raise Difference(_report(game, list(differences(view, told))))
            action = chooser(view, view["legal"]) if view["legal"] else None
            if watch is not None:
                watch(view, action)
            if action is None:
                return game
            round_before = twin.round
            game.play(action)
            twin.play(action)
    except Difference:
        raise
    except Exception as error:  # whatever breaks down is a finding, and needs the moves that led there
        when = "in the deal" if action is None else f"behind {action!r}"
        faults = [f"{type(error).__name__} {when}: {error}"]
        raise Difference(_report(game, faults)) from error


def _report(game: Game, faults: list[str]) -> str:
    moves = game.moves or []
    where = f"after move {len(moves)}" if moves else "at the deal"
    return "\n".join(
        [
            f"engine and twin differ {where} of seed {game.seed}, {game.num_players} players, deck {game.deck_name}:",
            *(f"  {fault}" for fault in faults),
            f"moves so far: {'; '.join(moves) or 'none'}",
        ]
    )


def replay_naively(record: dict[str, Any]) -> tuple[NaiveGame, list[str]]:
    """Play a game record with the twin alone; the game at its last move, and what of the record is not so."""
    game = NaiveGame(record["players"], record["cards"], record["first_player"], record["pile"], record["bag"])
    faults: list[str] = []
    for index, move in enumerate(record["moves"]):
        if move["player"] != game.player or move.get("legal", game.legal()) != game.legal():
            faults.append(f"moves[{index}] is {move}, but seat {game.player} may {game.legal()}")
        game.play(move["action"])
    result = None
    if game.phase == "over":
        result = {
            "points": [points["total"] for points in game.points()],
            "coins": [player.coins for player in game.seats],
            "winners": game.winners(),
        }
    if record["result"] != result:
        faults.append(f"result is {record['result']}, but the game ends with {result}")
    return game, faults
