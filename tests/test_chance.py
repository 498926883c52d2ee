"""Chance in public: what the next supply can bring, how likely, and games in which it is given."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from speicher_env import ArgumentError, Game, IllegalAction, UnknownAction, check_record
from speicher_env.chance import NextSupply
from speicher_env.rules.cards import CARD_NUMBER, GOODS
from speicher_env.rules.chance import arrange_supply_at, draw_supply_at
from speicher_env.rules.hidden import conceal_at
from speicher_env.rules.status import status
from tests.support.games import PLAYER_COUNTS, play_at_random, random_game
from tests.support.naive import NaiveGame
from tests.support.positions import few_or_many, position, seat

pytestmark = [pytest.mark.nojit, pytest.mark.bounds]

Supply = tuple[str, ...]


def drawn_from(pile: list[str], bag: list[str], columns: int) -> Supply:
    """What a supply draws from a pile and a bag in order, the cubes of each ship sorted."""
    cards = []
    left = columns
    while left and len(cards) < len(pile):
        card = pile[len(cards)]
        cards.append(card)
        left -= not card.startswith("fire_")
    ships = sum(card.startswith("ship_") for card in cards)
    loads = [sorted(bag[3 * ship : 3 * ship + 3], key=GOODS.index) for ship in range(ships)]
    return (*cards, *(good for load in loads for good in load))


def hidden_orders(following: NextSupply) -> Iterator[tuple[list[str], list[str]]]:
    """Every order of the pile and the bag that the seats hold possible, each as often as it is likely."""
    orders = product(*(permutations(season) for season in following.pile))
    piles = [[card for season in seasons for card in season] for seasons in orders]
    bags = {tuple(bag) for bag in permutations(following.bag)}
    yield from ((pile, list(bag)) for pile in piles for bag in bags)


def brute_force(following: NextSupply) -> dict[Supply, Fraction]:
    """The probability of each supply, by trying every hidden order."""
    seen = Counter(drawn_from(pile, bag, following.columns) for pile, bag in hidden_orders(following))
    return {supply: Fraction(count, seen.total()) for supply, count in seen.items()}


def nearly_all_cubes_but(left: str) -> str:
    """A stock that leaves just these cubes in the bag."""
    counts = Counter(left.split())
    return " ".join(good for good in GOODS for _ in range(9 - counts[good]))


def late(players: int, pile: list[str], bag: str = "") -> Game:
    """A game of few secrets: this pile and these cubes are left, and somebody has something to load."""
    loaded = bag.split()
    assert loaded.count("tea") <= 7
    seats = [seat(aboard="tea tea")]
    stock = Counter(nearly_all_cubes_but(bag).split())
    stock["tea"] -= 2
    states = position(players, pile=pile, seats=seats, stock=" ".join(stock.elements()))
    return Game.from_state(states)


CASES = {
    "no ship": NextSupply(3, (("bank", "contract_7", "contract_8", "fireman_6"),), ()),
    "a ship": NextSupply(3, (("counting_office_3", "ship_11", "st_michaelis"), ("fire_4",)), ("coffee", "tea", "tea")),
    "a fire": NextSupply(
        3, (("counting_office_3", "ship_11", "port", "fire_3"), ("fire_4",)), ("coffee", "tea", "tea", "rubber")
    ),
    "ships to choose from": NextSupply(
        3, (("fireman_9", "ship_11", "ship_12", "port"),), ("coffee", "tea", "tea", *["rubber"] * 3, "carpet")
    ),
    "two seasons": NextSupply(
        4,
        (("fireman_7", "ship_10"), ("fireman_9", "ship_11", "port", "fire_3"), ("fire_4",)),
        ("coffee", "tea", "tea", "tea", "tea", "rubber"),
    ),
    "a fire that ends its season": NextSupply(3, (("bank", "fire_2"), ("fireman_9", "port", "st_michaelis")), ()),
    "as many as there are": NextSupply(3, (("bank", "contract_7", "fireman_6", "fire_2"), ("port",)), ()),
    "only fires": NextSupply(3, (("fire_3",), ("fire_4",)), ()),
}
"""Supplies of few secrets."""


def round_end() -> Game:
    """Three players with something left to load, before a supply with one ship and perhaps a fire."""
    pile = ["st_michaelis", "ship_11", "fire_3", "counting_office_3", "port", "fire_4"]
    return late(3, pile, "tea tea rubber")


def test_the_next_supply_is_read_from_what_lies_open() -> None:
    following = round_end().next_supply
    pile = (("counting_office_3", "ship_11", "st_michaelis", "port", "fire_3"), ("fire_4",))
    assert following == NextSupply(columns=4, pile=pile, bag=("tea", "tea", "rubber"))


@pytest.mark.parametrize("case", CASES)
def test_outcomes_are_what_all_hidden_orders_bring(case: str) -> None:
    following = CASES[case]
    expected = brute_force(following)
    outcomes = list(following.outcomes())
    assert dict(outcomes) == expected
    assert len(outcomes) == len(expected) == following.count
    assert all(following.probability(supply) == chance for supply, chance in expected.items())
    seen = Counter()
    for supply, chance in expected.items():
        for card in {name for name in supply if name in CARD_NUMBER}:
            seen[card] += chance
    assert {card: chance for card, chance in following.appears().items() if chance} == seen


@pytest.mark.parametrize("case", CASES)
def test_draws_one_after_the_other_lead_to_the_same_probabilities(case: str) -> None:
    following = CASES[case]
    totals: Counter[Supply] = Counter()

    def walk(drawn: Supply, chance: Fraction) -> None:
        possible = following.draws(drawn)
        if not possible:
            totals[drawn_from([n for n in drawn if n in CARD_NUMBER], [n for n in drawn if n in GOODS], 99)] += chance
            return
        assert sum(possible.values()) == 1
        for name, of_name in possible.items():
            walk((*drawn, name), chance * of_name)

    walk((), Fraction(1))
    assert totals == dict(following.outcomes())


@pytest.mark.parametrize("case", CASES)
def test_loads_drawn_in_the_order_of_the_goods_lead_to_each_supply_once(case: str) -> None:
    following = CASES[case]
    reached: dict[Supply, Fraction] = {}

    def draw(drawn: Supply, chance: Fraction) -> None:
        possible = following.draws(drawn, sorted_loads=True)
        assert list(possible) == list(following.weights(drawn, sorted_loads=True))
        if not possible:
            assert drawn not in reached
            reached[drawn] = chance
        for name, likely in possible.items():
            draw((*drawn, name), chance * likely)

    draw((), Fraction(1))
    assert reached == brute_force(following)


def test_a_load_out_of_order_is_refused_where_loads_are_sorted() -> None:
    cards = ("counting_office_3", "ship_11", "st_michaelis")
    assert CASES["a ship"].draws((*cards, "tea"))
    with pytest.raises(ArgumentError, match=r'supply\[3\]="tea": must be coffee\.'):
        CASES["a ship"].draws((*cards, "tea"), sorted_loads=True)


def test_samples_come_as_often_as_they_are_likely() -> None:
    game = round_end()
    following = game.next_supply
    assert following is not None
    expected = dict(following.outcomes())
    count = few_or_many(3000, 12000)
    drawn = Counter(drawn_from(*split(following.sample(seed)), 99) for seed in range(2000))
    assert_as_likely(drawn, expected)
    compiled: Counter[Supply] = Counter()
    for seed in range(count):
        states = game.states_view.copy()
        draw_supply_at(states, 0, seed)
        compiled[supply_of(states, following.columns)] += 1
        if seed % 500 == 0:
            assert status(states[0]) == [] and seen_of(states) == seen_of(game.states_view)
    assert_as_likely(compiled, expected)


def split(supply: Supply) -> tuple[list[str], list[str]]:
    return [name for name in supply if name in CARD_NUMBER], [name for name in supply if name in GOODS]


def supply_of(states: np.ndarray, columns: int) -> Supply:
    """What the next supply of states[0] will bring."""
    game = states[0]
    ids = list(CARD_NUMBER)
    pile = [ids[card] for card in game["pile"][game["pile_next"] : game["pile_size"]]]
    return drawn_from(pile, [GOODS[good] for good in game["bag"][game["bag_next"] :]], columns)


def seen_of(states: np.ndarray) -> bytes:
    """What every player sees of a state."""
    other = states.copy()
    conceal_at(other, 0)
    return other.tobytes()


def assert_as_likely(drawn: Counter, expected: dict) -> None:
    """Pearson's test, with so much room that a fair draw fails once in millions of seeds; the seeds are fixed."""
    total = drawn.total()
    assert set(drawn) <= set(expected)
    distance = sum((drawn[key] - total * float(p)) ** 2 / (total * float(p)) for key, p in expected.items())
    freedom = len(expected) - 1
    assert distance < freedom + 5 * (2 * freedom) ** 0.5 + 5


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_a_game_goes_on_with_the_supplies_that_it_is_given(players: int) -> None:
    """In every round another supply than the hidden one is given; the record of it all replays, also in the twin."""
    game, rng = Game(players, "sampled", seed=players), random.Random(players)
    given = 0
    while not game.over:
        action = rng.choice(game.legal_ids())
        if not game.ends_round(action):
            game.play(action)
            continue
        following = game.next_supply
        assert following is not None
        supply = following.sample(seed=rng.getrandbits(32))
        assert following.probability(supply) > 0
        round_before = game.round
        game.play(action, supply=supply)
        given += 1
        assert status(game.state) == []
        cards, cubes = split(supply)
        state = game.state
        if not game.over:
            assert game.round == round_before + 1
            on_table = [list(CARD_NUMBER)[card] for card in state["card"][: players + 1]]
            assert on_table == [card for card in cards if not card.startswith("fire_")]
            assert [GOODS[good] for good in state["cargo"][state["cargo"] >= 0]] == cubes
    assert given == game.round
    assert game.seed == 0
    record = json.loads(json.dumps(game.to_record()))
    assert check_record(record) == []
    assert Game.from_record(record).get_state() == game.get_state()
    twin = NaiveGame(players, record["cards"], record["first_player"], record["pile"], record["bag"])
    for move in record["moves"]:
        twin.play(move["action"])
    assert twin.phase == "over" and twin.winners() == record["result"]["winners"]


def test_the_supply_that_would_come_anyway_changes_nothing_but_the_seed() -> None:
    game = last_action_of_a_round(random_game(3, seed=5, decisions=80))
    action = game.legal_ids()[-1]
    plain, given = game.copy(), game.copy()
    plain.play(action)
    given.play(action, supply=actual_supply(game))
    assert given.seed == 0 != plain.seed
    state = plain.state
    state["seed"] = 0
    assert given.state == state and given.moves == plain.moves


def actual_supply(game: Game) -> Supply:
    """The supply that the hidden order holds, cubes in their order."""
    state = game.state
    pile = [list(CARD_NUMBER)[card] for card in state["pile"][state["pile_next"] : state["pile_size"]]]
    cards, _ = split(drawn_from(pile, ["tea"] * 45, game.num_players + 1))
    cubes = 3 * sum(card.startswith("ship_") for card in cards)
    return (*cards, *(GOODS[good] for good in state["bag"][state["bag_next"] :][:cubes]))


def last_action_of_a_round(game: Game) -> Game:
    """Play on until the last legal action ends the round."""
    while not game.ends_round(game.legal_ids()[-1]):
        game.play(game.legal_ids()[-1])
    return game


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_nothing_hidden_shows_in_chance(players: int) -> None:
    """Games that look the same have the same next supply, and are the same to see after any that is given."""
    game = last_action_of_a_round(random_game(players, seed=3, deck="sampled", decisions=40))
    others = [game.redealt(seed) for seed in range(5)]
    following = game.next_supply
    assert following is not None
    supply = following.sample(seed=1)
    action = game.legal_ids()[-1]
    after = game.copy()
    after.play(action, supply=supply)
    for other in others:
        assert other.next_supply == following
        assert other.ends_round(action)
        other.play(action, supply=supply)
        assert seen_of(other.states_view) == seen_of(after.states_view)


def test_what_stays_hidden_after_a_given_supply_is_as_likely_in_any_order() -> None:
    game = late(2, ["ship_11", "ship_12", "ship_13", "st_michaelis", "fireman_9", "fireman_10", "fire_4"],
                "tea tea tea coffee coffee rubber rubber rubber carpet")  # fmt: skip
    cards = np.array([CARD_NUMBER[card] for card in ("ship_12", "fireman_9", "st_michaelis")], dtype=np.int8)
    cubes = np.array([GOODS.index(good) for good in ("coffee", "tea", "tea")], dtype=np.int8)
    rest = ["tea", "coffee", *["rubber"] * 3, "carpet"]
    bags = Counter(tuple(bag) for bag in permutations(rest))
    piles = Counter(permutations(("ship_11", "ship_13", "fireman_10")))
    expected = {
        (pile, bag): Fraction(of_pile * of_bag, piles.total() * bags.total())
        for pile, of_pile in piles.items()
        for bag, of_bag in bags.items()
    }
    drawn: Counter = Counter()
    for seed in range(few_or_many(3000, 15000)):
        states = game.redealt(seed).states_view
        assert arrange_supply_at(states, 0, cards, cubes, seed)
        state = states[0]
        pile = [list(CARD_NUMBER)[card] for card in state["pile"][state["pile_next"] + 3 : state["pile_size"] - 1]]
        bag = [GOODS[good] for good in state["bag"][state["bag_next"] + 3 :]]
        drawn[tuple(pile), tuple(bag)] += 1
    assert_as_likely(drawn, expected)


# What is refused


GOOD = ("st_michaelis", "ship_11", "counting_office_3", "port", "tea", "tea", "rubber")


@pytest.mark.parametrize(
    ("supply", "sentence"),
    [
        ((), "supply has 0 draws: the next one must be "),
        (GOOD[:4], "supply has 4 draws: the next one must be tea or rubber."),
        ((*GOOD, "tea"), "supply has more than the 7 draws that complete it."),
        (("st_michaelis", "st_michaelis"), 'supply[1]="st_michaelis": must be '),
        (("fire_4",), 'supply[0]="fire_4": must be '),
        (("bank",), 'supply[0]="bank": must be '),
        (("ship_1",), 'did you mean "ship_11"?'),
        ((*GOOD[:4], "carpet"), 'supply[4]="carpet": must be tea or rubber.'),
        ((*GOOD[:6], "tea"), 'supply[6]="tea": must be rubber.'),
        ((48,), "supply[0]=48: must be "),
        (([],), "supply[0]=a list of 0: must be "),
        ("st_michaelis", 'supply="st_michaelis": must be a sequence of card ids and then of goods.'),
        (7, "supply=7: must be a sequence"),
    ],
)
def test_a_supply_that_cannot_come_is_refused_in_one_sentence(supply: object, sentence: str) -> None:
    game = round_end()
    action = next(action for action in game.legal_ids() if game.ends_round(action))
    before = game.get_state()
    with pytest.raises(ArgumentError) as caught:
        game.play(action, supply=supply)  # type: ignore[arg-type]
    assert sentence in str(caught.value) and "\n" not in str(caught.value)
    assert game.get_state() == before
    following = game.next_supply
    assert following is not None and following.probability(supply) == 0  # type: ignore[arg-type]


def test_a_supply_for_an_action_that_does_not_end_the_round_is_refused() -> None:
    game = Game(2, seed=7)
    before = game.get_state()
    with pytest.raises(ArgumentError, match="supply cannot be given: 'place 0' does not end the round"):
        game.play("place 0", supply=("bank",))
    with pytest.raises(IllegalAction):
        game.play("buy", supply=("bank",))
    with pytest.raises(UnknownAction):
        game.ends_round("plaice 0")
    assert game.get_state() == before


def test_a_game_that_is_over_has_no_next_supply() -> None:
    game = random_game(2, seed=1)
    assert game.next_supply is None
    with pytest.raises(IllegalAction):
        game.play("end", supply=("fire_4",))
    with pytest.raises(IllegalAction):
        game.ends_round("end")


@pytest.mark.parametrize(
    ("cards", "cubes"),
    [
        (["st_michaelis"], []),
        (["st_michaelis", "st_michaelis", "port", "ship_11"], ["tea", "tea", "rubber"]),
        (["st_michaelis", "ship_11", "counting_office_3", "port"], ["tea", "tea"]),
        (["st_michaelis", "ship_11", "counting_office_3", "port"], ["tea", "tea", "tea"]),
        (["st_michaelis", "ship_11", "counting_office_3", "bank"], ["tea", "tea", "rubber"]),
        (["fire_4", "st_michaelis", "ship_11", "counting_office_3", "port"], ["tea", "tea", "rubber"]),
        (["st_michaelis", "ship_11", "counting_office_3", "port", "fire_3"], ["tea", "tea", "rubber"]),
    ],
)
def test_the_compiled_form_refuses_what_does_not_fit(cards: list[str], cubes: list[str]) -> None:
    states = round_end().states_view
    before = states.tobytes()
    numbers = np.array([CARD_NUMBER[card] for card in cards], dtype=np.int8)
    goods = np.array([GOODS.index(good) for good in cubes], dtype=np.int8)
    assert not arrange_supply_at(states, 0, numbers, goods, 1)
    for wrong in (np.array([99, -1, 54], dtype=np.int8), np.zeros(60, dtype=np.int8)):
        assert not arrange_supply_at(states, 0, wrong, goods, 1)
        assert not arrange_supply_at(states, 0, numbers, wrong, 1)
    assert states.tobytes() == before


# Dealing


@pytest.mark.parametrize("players", PLAYER_COUNTS)
@pytest.mark.parametrize("deck", ["standard", "sampled"])
def test_a_game_is_dealt_again_from_its_first_player_pile_and_bag(players: int, deck: str) -> None:
    game = play_at_random(Game(players, deck, seed=4), random.Random(4), 50)
    record = game.to_record()
    again = Game.deal(
        players, game.deck, first_player=record["first_player"], pile=record["pile"], bag=record["bag"], seed=4
    )
    assert again.get_state() == game.start().get_state()
    state = game.state
    numbers = Game.deal(
        players, game.deck, first_player=again.first_player, pile=state["pile"][: state["pile_size"]], bag=state["bag"],
        seed=4,
    )  # fmt: skip
    assert numbers == again


def test_what_is_not_given_is_drawn_from_the_seed() -> None:
    assert Game.deal(3, seed=9).get_state() == Game(3, seed=9).get_state()
    assert Game.deal(3, "sampled", seed=9, first_player=2) == Game(3, "sampled", seed=9, first_player=2)
    assert Game.deal(3).seed == 0


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_the_first_supply_draws_from_the_whole_winter(players: int) -> None:
    first = Game.first_supply(players)
    assert first.columns == players + 1
    assert len(first.draws()) == len(first.pile[0]) == 12
    assert sum(map(len, first.pile)) == {2: 52, 3: 52, 4: 54, 5: 52}[players] and len(first.bag) == 45
    supply = first.sample(seed=2**64 - 1)
    assert Game.deal(players, supply=supply).start().to_record()["pile"][: players + 1] == list(supply)


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_the_first_supply_can_be_given(players: int) -> None:
    supply = ("warehouse", "fireman_2", "contract_3", "vulcanizer", "tea_taster", "fireman_1")[: players + 1]
    game = Game.deal(players, first_player=1, supply=supply)
    assert [list(CARD_NUMBER)[card] for card in game.state["card"][: players + 1]] == list(supply)
    assert game.first_player == game.player == 1
    assert status(game.state) == [] and check_record(game.to_record()) == []
    assert Game.from_record(game.to_record()) == game


PILE = Game(2, seed=1).to_record()["pile"]
BAG = Game(2, seed=1).to_record()["bag"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"pile": PILE[1:]}, "with 2 players setup takes out port and an autumn fireman of value 3."),
        ({"pile": [*PILE, "port"]}, "pile lacks fireman_8: with 2 players"),
        ({"pile": [PILE[0], *PILE]}, "pile has 53 cards: each card can be in it once."),
        ({"pile": PILE[::-1]}, "the seasons must be in order, fire_4 last."),
        ({"pile": ["shipp_1", *PILE[1:]]}, 'pile[0]="shipp_1": must be one of the card ids, did you mean "ship_1"?'),
        ({"pile": [54, *PILE[1:]]}, "pile[0]=54: must be one of the card ids."),
        ({"pile": "all"}, 'pile="all": must be a sequence of card ids.'),
        ({"num_players": 4, "pile": PILE}, "with 4 players setup takes out no card."),
        ({"bag": BAG[1:]}, ": there must be 9."),
        ({"bag": ["gold", *BAG[1:]]}, 'bag[0]="gold": must be one of the goods.'),
        ({"bag": 45 * [True]}, "bag[0]=true: must be one of the goods."),
        ({"supply": ("bank",)}, 'supply[0]="bank": must be '),
        ({"seed": -1}, "seed"),
        ({"first_player": 2}, "first_player"),
    ],
)
def test_a_deal_that_cannot_be_is_refused_in_one_sentence(arguments: dict, sentence: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        Game.deal(**arguments)
    assert sentence in str(caught.value) and "\n" not in str(caught.value)
