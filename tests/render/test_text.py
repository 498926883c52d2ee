"""The text picture shows the whole table and nothing hidden, fits its width, and stays as it is.

The pictures under golden/ are compared as they lie there. After a wanted change write them anew with
`REGENERATE_GOLDEN=1 pytest tests/render` and read the difference.
"""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from speicher_env.deck import standard_deck
from speicher_env.render import move_in_words, text
from speicher_env.rules.actions import ACTION_TEXTS, UnknownAction
from speicher_env.rules.cards import (
    CARD_IDS,
    CARD_NUMBER,
    FIRE_1,
    FIREMAN_1,
    GOODS,
    KIND_OF,
    KINDS,
    N_CONTRACTS,
    SEASON_OF,
)
from speicher_env.rules.hidden import redeal_at
from speicher_env.rules.legal import count_legal, nth_legal
from speicher_env.rules.scoring import N_SOURCES, points_by_source, points_of
from speicher_env.rules.setup import template
from speicher_env.rules.state import (
    DEMAND,
    DISCARDED,
    EMPTY,
    LOADING,
    OVER,
    PURCHASE,
    SAMPLED_DECK,
    STANDARD_DECK,
    blank_states,
)
from speicher_env.rules.turn import deal, step
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit

GOLDEN = Path(__file__).parent / "golden"
PLAYERS = (2, 3, 4, 5)
CODE = re.compile(r"\x1b\[([0-9;]*)m")
SEASON_WORDS = ("winter", "spring", "summer", "autumn", "4th fire")
CARD_WORDS = {
    "boatsmen_church": "boatsmen's church",
    "st_michaelis": "St. Michaelis",
    "fireman": "fireman of value",
}


class Turn(NamedTuple):
    """A state of a game, and the action then chosen; EMPTY behind the last decision."""

    state: np.void
    action: int


@cache
def random_game(players: int, seed: int, deck: int = STANDARD_DECK) -> list[Turn]:
    """Every decision of a game of random moves, and its end."""
    states = blank_states(1)
    deal(states, 0, template(players, deck, standard_deck().values()), 0, seed, EMPTY)
    chance = random.Random(seed)
    turns = []
    while choices := int(count_legal(states[0])):
        action = int(nth_legal(states[0], int(chance.random() * choices)))
        turns.append(Turn(states.copy()[0], action))
        assert step(states, 0, action)
    turns.append(Turn(states.copy()[0], EMPTY))
    return turns


@cache
def all_turns() -> list[Turn]:
    turns = [turn for players in PLAYERS for turn in random_game(players, 10 + players)]
    return turns + random_game(4, 3, SAMPLED_DECK)


def states_in(*phases: int) -> list[np.void]:
    """Some states of those phases: what is drawn is the same code, and the tests stay quick."""
    found = [turn.state for turn in all_turns() if turn.state["phase"] in phases][:: few_or_many(9, 3)]
    assert {int(state["phase"]) for state in found} == set(phases)
    return found


_pictures: dict[bytes, str] = {}


def drawn(state: np.void) -> str:
    """`text` for nobody in particular, drawn once per state."""
    key = state.tobytes()
    if key not in _pictures:
        _pictures[key] = text(state)
    return _pictures[key]


def section(picture: str, title: str) -> list[str]:
    """The lines below the rule that begins with a title, up to the next rule."""
    lines = picture.splitlines()
    start = next(row for row, line in enumerate(lines) if line.startswith(f"── {title}"))
    rest = lines[start + 1 :]
    return rest[: next((row for row, line in enumerate(rest) if line.startswith("──")), len(rest))]


def seat_blocks(picture: str, players: int) -> list[list[str]]:
    """Each seat's lines: its numbers, then its holdings."""
    blocks: list[list[str]] = []
    for line in section(picture, "Seats"):
        if re.match(r"[> ] seat \d", line):
            blocks.append([])
        blocks[-1].append(line)
    assert len(blocks) == players
    return blocks


def words_of(amounts: list[int]) -> str:
    return ", ".join(f"{amount} {good}" for amount, good in zip(amounts, GOODS, strict=True) if amount)


def by_good(goods: np.ndarray) -> list[int]:
    return [int(np.sum(goods == good)) for good in range(len(GOODS))]


def test_no_line_is_wider_than_100_columns() -> None:
    for state in states_in(DEMAND, PURCHASE, LOADING, OVER):
        for line in text(state, seat=0).splitlines():
            assert len(line) <= 100, line


def test_no_line_ends_in_spaces_and_no_space_is_a_special_one() -> None:
    for state in states_in(DEMAND, PURCHASE, LOADING, OVER):
        picture = drawn(state)
        assert not re.search(r"\s(\n|$)", picture)
        assert not re.search(r"[^\S\n ]", picture)


def test_the_title_says_round_season_and_phase() -> None:
    rounds = {2: 16, 3: 12, 4: 10, 5: 8}
    for state in states_in(DEMAND, PURCHASE, LOADING):
        season = SEASON_WORDS[max(SEASON_OF[state["pile"][: state["pile_next"]]])]
        phase = ("demand", "purchase", "loading")[state["phase"]]
        title = drawn(state).splitlines()[0]
        assert f" Round {state['round']} of {rounds[int(state['players'])]} · {season} · {phase} " in title


def test_the_decision_names_the_seat() -> None:
    for state in states_in(DEMAND, PURCHASE, LOADING):
        assert drawn(state).splitlines()[1].startswith(f"  Seat {state['player'] + 1} ")


def test_the_offer_is_shown_with_its_price_and_marked() -> None:
    for state in states_in(PURCHASE):
        picture = drawn(state)
        price, column = int(state["standing"][state["offer"]]), int(state["offer"])
        sentence = " ".join(line.strip() for line in picture.splitlines()[1:3])
        assert f" in column {column} for {price} of its {state['coins'][state['player']]} coin" in sentence
        marked = [line for line in section(picture, "Columns") if line.startswith(">")]
        assert len(marked) == 1 and marked[0].startswith(f"> {column} ")


def test_legal_moves_are_listed_as_they_are_typed() -> None:
    for state in states_in(DEMAND, PURCHASE, LOADING):
        lines = drawn(state).splitlines()
        start = next(row for row, line in enumerate(lines) if line.startswith("  Moves: "))
        end = next(row for row, line in enumerate(lines) if line.startswith("── "))
        listed = " ".join(line.strip() for line in lines[start:end]).removeprefix("Moves: ").split(" | ")
        for verb in ("convert", "trade"):
            general = [move for move in listed if move.startswith(verb) and move.endswith(" ways)")]
            if general:
                ways = int(general[0].split()[-2])
                meant = [action for action in legal_texts(state) if action.startswith(verb)]
                assert len(meant) == ways > 4
                listed = [move for move in listed if move not in general] + meant
            else:
                assert sum(move.startswith(verb) for move in listed) <= 4
        assert sorted(listed) == sorted(legal_texts(state))


def legal_texts(state: np.void) -> list[str]:
    return [ACTION_TEXTS[nth_legal(state, n)] for n in range(int(count_legal(state)))]


def test_each_column_shows_its_card_and_its_queue_with_prices() -> None:
    for state in states_in(DEMAND, PURCHASE):
        lines = section(drawn(state), "Columns")
        for column in range(int(state["players"]) + 1):
            at = next(row for row, line in enumerate(lines) if re.match(rf"[> ] {column}  ", line))
            card = int(state["card"][column])
            if card == EMPTY:
                assert lines[at].endswith("(sold or discarded)")
                continue
            title, effect = lines[at][5:36].strip(), lines[at + 1][5:36].strip()
            kind = KINDS[KIND_OF[card]]
            assert title.startswith(CARD_WORDS.get(kind, kind.replace("_", " ")))
            if kind == "fireman":
                assert title.endswith(f" {state['fireman_value'][card - FIREMAN_1]}")
            elif kind == "ship":
                assert effect == " ".join(GOODS[good] for good in state["cargo"][column])
            elif kind == "contract":
                goods = [GOODS[good] for good in state["contract_goods"][card] if good != EMPTY]
                assert title == f"contract {card + 1}, {(5, 8, 11)[len(goods) - 2]} points"
                assert effect == " ".join(goods)
            else:
                assert effect
            standing = int(state["standing"][column])
            seats = [int(seat) for seat in state["queue"][column][:standing]]
            workers = lines[at][37:].split("  ")
            assert workers == ([f"seat {seat + 1}" for seat in seats] or ["no workers"])
            prices = re.findall(r"(pays|needs) (\d)", lines[at + 1][37:])
            assert [int(price) for _, price in prices] == list(range(standing, 0, -1))
            for seat, (verb, price) in zip(seats, prices, strict=True):
                assert (verb == "pays") == (int(price) <= state["coins"][seat])


def test_in_loading_all_columns_are_gone() -> None:
    for state in states_in(LOADING):
        assert section(drawn(state), "Columns") == ["  All cards are sold or discarded."]


def test_each_seat_shows_its_numbers() -> None:
    for state in states_in(DEMAND, PURCHASE, LOADING, OVER):
        players = int(state["players"])
        for seat, block in enumerate(seat_blocks(drawn(state), players)):
            room = 5 if state["owner"][CARD_NUMBER["warehouse"]] == seat else 1
            fire = int(state["fire_points"][seat])
            assert block[0][30:].split() == [
                str(state["coins"][seat]),
                str(state["workers"][seat]),
                str(state["bought"][seat]),
                str(state["firemen"][seat]),
                f"{fire:+d}" if fire else "0",
                str(points_of(state, seat)),
                str(state["cubes"][seat].sum()),
                "of",
                str(room),
            ]
            assert block[0].startswith(">") == (seat == state["player"])
            assert ("first player" in block[0]) == (seat == state["first_player"])


def test_each_seat_shows_its_cards_by_name() -> None:
    for state in states_in(DEMAND, PURCHASE, LOADING, OVER):
        for seat, block in enumerate(seat_blocks(drawn(state), int(state["players"]))):
            held = " ".join(line.strip() for line in block[1:])
            own = [card for card in range(len(CARD_IDS)) if state["owner"][card] == seat]
            for kind, count in Counter(KINDS[KIND_OF[card]] for card in own).items():
                if kind == "contract":
                    continue
                word = {"boatsmen_church": "boatsmen's church", "st_michaelis": "St. Michaelis"}.get(kind)
                word = word or kind.replace("_", " ")
                if count > 1:
                    word = f"{count} firemen" if kind == "fireman" else f"{count} {word}s"
                if kind == "fireman":
                    values = [state["fireman_value"][card - FIREMAN_1] for card in own if KINDS[KIND_OF[card]] == kind]
                    word += f" ({', '.join(str(value) for value in values)})"
                assert word in held
            assert ("    cards" in "\n".join(block)) == any(KINDS[KIND_OF[card]] != "contract" for card in own)


def test_each_seat_shows_its_cubes_and_those_on_its_ships() -> None:
    for state in states_in(DEMAND, PURCHASE, LOADING, OVER):
        for seat, block in enumerate(seat_blocks(drawn(state), int(state["players"]))):
            shown = {line[:18].strip(): line[18:] for line in block[1:]}
            assert shown.get("cubes", "") == words_of(state["cubes"][seat].tolist())
            assert shown.get("on ships", "") == words_of(state["aboard"][seat].tolist())


def test_each_contract_shows_what_is_placed_and_what_is_missing() -> None:
    stages = set()
    for state in states_in(DEMAND, PURCHASE, LOADING, OVER):
        for seat, block in enumerate(seat_blocks(drawn(state), int(state["players"]))):
            shown = {line[:18].strip(): line[18:].strip() for line in block[1:]}
            for contract in range(N_CONTRACTS):
                name = f"contract {contract + 1}"
                assert (name in shown) == (state["owner"][contract] == seat)
                if name not in shown:
                    continue
                wanted = by_good(state["contract_goods"][contract])
                missing = state["missing"][contract].tolist()
                placed = words_of([want - miss for want, miss in zip(wanted, missing, strict=True)])
                points = f"{(5, 8, 11)[sum(wanted) - 2]} points"
                if sum(missing) == 0:
                    expected = f"{points} · complete: {placed}"
                else:
                    expected = f"{points} · placed: {placed or 'none'} · missing: {words_of(missing)}"
                assert shown[name] == expected
                stages.add((sum(missing) == 0, bool(placed)))
    assert stages == {(False, False), (False, True), (True, True)}, "the games must show contracts at every stage"


def test_stock_and_bag_are_shown_by_good() -> None:
    for state in states_in(DEMAND, PURCHASE, LOADING, OVER):
        stock, bag = section(drawn(state), "Cubes")[:2]
        in_stock, in_bag = state["stock"].tolist(), by_good(state["bag"][state["bag_next"] :])
        assert stock.split() == ["stock", *map(str, in_stock), str(sum(in_stock))]
        assert bag.split() == ["bag", *map(str, in_bag), str(sum(in_bag))]


def test_the_pile_is_shown_by_season_and_kind_with_the_fires_to_come() -> None:
    for state in states_in(DEMAND, PURCHASE, LOADING):
        picture = drawn(state)
        hidden = state["pile"][state["pile_next"] : state["pile_size"]].tolist()
        assert f"── Draw pile: {len(hidden)} card" in picture
        shown: dict[str, str] = {}
        for line in section(picture, "Draw pile"):
            name = line[:12].strip()
            if name:
                shown[name] = line[12:]
            else:
                shown[list(shown)[-1]] += f" {line.strip()}"
        for season, name in enumerate(SEASON_WORDS):
            cards = [card for card in hidden if SEASON_OF[card] == season]
            assert (name in shown) == bool(cards)
            if not cards:
                continue
            count, kinds = shown[name].split(maxsplit=1)
            assert int(count) == len(cards)
            assert sum(int(number or 1) for number in re.findall(r"(?:^|, )(\d+ )?(?=[a-zA-Z])", kinds)) == len(cards)
            fires = [str(state["fire_value"][card - FIRE_1]) for card in cards if card >= FIRE_1]
            assert (f"fire ({', '.join(fires)})" in kinds) == bool(fires)


def test_fires_carried_out_are_named_and_those_of_this_supply_apart() -> None:
    told = 0
    for turns in (random_game(players, 10 + players) for players in PLAYERS):
        before: set[int] = set()
        current: set[int] = set()
        round_number = 0
        for state, _ in turns[:-1]:
            burnt = {fire for fire in range(4) if state["owner"][FIRE_1 + fire] == DISCARDED}
            if state["round"] != round_number:
                before, current, round_number = current, burnt, int(state["round"])
            line = next(line for line in drawn(state).splitlines() if line.startswith("  fires so far"))
            so_far, _, now = line[18:].partition("; ")
            assert re.findall(r"\d", so_far) == [str(state["fire_value"][fire]) for fire in sorted(burnt)]
            assert re.findall(r"\d", now) == [str(state["fire_value"][fire]) for fire in sorted(burnt - before)]
            told += bool(now)
    assert told


def test_the_reader_is_marked_you_and_nobody_else() -> None:
    for players in PLAYERS:
        for state in (random_game(players, 10 + players)[place].state for place in (0, 20, -1)):
            for seat in range(players):
                blocks = seat_blocks(text(state, seat), players)
                assert [f"seat {other + 1} (you)" in block[0] for other, block in enumerate(blocks)] == [
                    other == seat for other in range(players)
                ]
    assert "you" not in drawn(state)


def test_the_readers_workers_stand_in_the_queues_as_you() -> None:
    for state in states_in(DEMAND, PURCHASE):
        for seat in range(int(state["players"])):
            workers = [line[37:] for line in section(text(state, seat), "Columns") if re.match(r"[> ] \d", line)]
            assert sum(line.split().count("you") for line in workers) == int(np.sum(state["queue"] == seat))
            assert not any(f"seat {seat + 1}" in line for line in workers)


@pytest.mark.parametrize("seat", [-1, 3])
def test_a_seat_that_does_not_play_is_refused(seat: int) -> None:
    with pytest.raises(ValueError, match=rf"seat={seat}: must be a seat 0\.\.2 or None"):
        text(random_game(3, 13)[0].state, seat)


def test_the_hidden_order_and_the_seed_change_nothing() -> None:
    changed = 0
    for players in PLAYERS:
        for state, _ in random_game(players, 10 + players)[::7]:
            for seed in (1, 2):
                other = np.array([state])
                redeal_at(other, 0, seed)
                changed += not np.array_equal(other[0]["pile"], state["pile"])
                other["seed"] = 123456789
                assert text(other[0], 0) == text(state, 0)
    assert changed, "the redeal must have moved some cards"


def test_drawing_leaves_the_state_as_it_was() -> None:
    for state in states_in(DEMAND, PURCHASE, LOADING, OVER):
        before = state.tobytes()
        text(state, 0, color=True)
        assert state.tobytes() == before


def test_colors_only_lie_over_the_same_text() -> None:
    for state in states_in(DEMAND, PURCHASE, LOADING, OVER):
        for seat in (None, 1):
            colored = text(state, seat, color=True)
            assert CODE.sub("", colored) == text(state, seat)
            codes = CODE.findall(colored)
            assert codes
            assert all(code != "0" for code in codes[::2]) and all(code == "0" for code in codes[1::2])
            assert len(codes) % 2 == 0
    assert "\x1b" not in drawn(state)


def test_every_seat_and_good_has_a_color_of_its_own() -> None:
    state = random_game(5, 15)[40].state
    colored = text(state, 2, color=True)
    codes = {}
    for word in (*(f"seat {seat + 1}" for seat in range(5)), *GOODS):
        found = set(re.findall(rf"\x1b\[([0-9;]+)m{word}", colored))
        assert len(found) == 1, word
        codes[word] = found.pop()
    assert len(set(codes.values())) == 10
    assert set(re.findall(r"\x1b\[([0-9;]+)myou\x1b", colored)) <= {codes["seat 3"]}


def test_the_end_shows_the_breakdown_and_the_winner() -> None:
    for players in PLAYERS:
        state = random_game(players, 10 + players)[-1].state
        assert state["phase"] == OVER
        picture = text(state, 0)
        assert f" The game is over after {state['round']} rounds " in picture.splitlines()[0]
        rows = [line.split() for line in section(picture, "Points")]
        numbers = [[int(word) for word in row[-players:]] for row in rows]
        assert len(rows) == N_SOURCES + 2
        for seat in range(players):
            sources = np.zeros(N_SOURCES, dtype=np.int64)
            points_by_source(state, seat, sources)
            assert [row[seat] for row in numbers] == [*sources, sources.sum(), state["coins"][seat]]
        best = max(range(players), key=lambda seat: (points_of(state, seat), state["coins"][seat]))
        assert picture.splitlines()[1].startswith(f"  Seat {best + 1} ")
        assert " Draw pile" not in picture and " Columns" not in picture


@pytest.mark.parametrize(
    ("fire_points", "coins", "result"),
    [
        ((4, 1, 1), (0, 9, 9), "Seat 1 wins with 4 points."),
        (
            (1, 1, 0),
            (2, 3, 9),
            "Seat 2 (you) wins with 1 point and 3 coins; seat 1 has as many points and fewer coins.",
        ),
        ((2, 0, 2), (1, 9, 1), "Seat 1 and seat 3 share the win with 2 points and 1 coin."),
        (
            (0, 0, 0),
            (1, 4, 0),
            "Seat 2 (you) wins with 0 points and 4 coins; seat 1 and seat 3 have as many points and fewer coins.",
        ),
        ((0, 0, 0), (5, 5, 5), "Seat 1, seat 2 (you) and seat 3 share the win with 0 points and 5 coins."),
    ],
)
def test_the_result_tells_ties_apart(fire_points: tuple[int, ...], coins: tuple[int, ...], result: str) -> None:
    states = blank_states(1)
    states["players"] = 3
    states["round"] = 12
    states["fire_points"][0, :3] = fire_points
    states["coins"][0, :3] = coins
    lines = text(states[0], 1).splitlines()
    end = next(row for row, line in enumerate(lines) if line.startswith("── "))
    assert " ".join(line.strip() for line in lines[1:end]) == result


def test_every_move_is_one_sentence_about_the_deciding_seat() -> None:
    told = Counter()
    for state, action in all_turns():
        if action == EMPTY:
            continue
        words = move_in_words(state, action)
        assert words.startswith(f"seat {state['player'] + 1} ")
        assert words == move_in_words(state, ACTION_TEXTS[action])
        assert "\n" not in words and not words.endswith(".")
        told[ACTION_TEXTS[action].split()[0]] += 1
    assert set(told) == {"place", "buy", "pass", "deliver", "sell", "convert", "trade", "discard", "end"}


def test_a_move_that_is_not_legal_has_no_words() -> None:
    state = random_game(2, 12)[0].state
    with pytest.raises(ValueError, match='action="buy": must be legal in the state'):
        move_in_words(state, "buy")
    with pytest.raises(ValueError, match='action="place 0": must be legal in the state'):
        move_in_words(random_game(2, 12)[-1].state, 0)
    with pytest.raises(UnknownAction):
        move_in_words(state, "sleep")


def fits(turn: Turn, phase: int, cubes: int = 0, standing: int = 0) -> bool:
    state = turn.state
    return bool(
        state["phase"] == phase
        and (phase == OVER or state["cubes"][state["player"]].sum() >= cubes)
        and state["standing"].sum() >= standing
    )


PICTURES = {
    "2_players_purchase": (2, lambda turn: fits(turn, PURCHASE, standing=5) and turn.state["round"] >= 8),
    "3_players_loading": (3, lambda turn: fits(turn, LOADING, cubes=3) and turn.state["round"] >= 7),
    "5_players_demand": (5, lambda turn: fits(turn, DEMAND, standing=12) and turn.state["round"] >= 6),
    "4_players_over": (4, lambda turn: fits(turn, OVER)),
}


def check_golden(name: str, shown: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("REGENERATE_GOLDEN"):
        path.write_text(shown + "\n", encoding="utf-8")
    assert shown + "\n" == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_is_as_it_was(name: str) -> None:
    players, wanted = PICTURES[name]
    state = next(turn.state for turn in random_game(players, 10 + players) if wanted(turn))
    check_golden(name, text(state, seat=1))


def test_a_game_told_in_words_is_as_it_was() -> None:
    turns = random_game(2, 12)
    check_golden("2_players_moves", "\n".join(move_in_words(state, action) for state, action in turns[:-1]))


def test_moves_name_what_they_move() -> None:
    by_text = {ACTION_TEXTS[action]: move_in_words(state, action) for state, action in all_turns() if action != EMPTY}
    for action, words in by_text.items():
        verb, *rest = action.split()
        if verb == "place":
            assert f" above column {rest[0]} (" in words
        given = rest[:3] if verb == "convert" else [word for word in rest if word in GOODS]
        for good, amount in Counter(given).items():
            assert f"{amount} {good}" in words
        if verb == "convert":
            assert f" into 1 {rest[-1]} " in words
        if verb == "deliver":
            assert f" to contract {rest[-1].removeprefix('contract_')}" in words
