"""The picture for a small terminal fits it, leaves out nothing of the reader's, and shows nothing hidden."""

from __future__ import annotations

import random
import re
from functools import cache

import numpy as np
import pytest

from speicher_agents import load_agent
from speicher_env import ArgumentError, Game
from speicher_env.render.ansi import paint
from speicher_env.render.compact import compact
from speicher_env.rules.cards import CONTRACT, GOODS, KIND_OF, N_CARDS, N_CONTRACTS
from speicher_env.rules.hidden import redeal_at
from speicher_env.rules.state import DEMAND, EMPTY, OVER, PURCHASE
from tests.support.positions import few_or_many

pytestmark = pytest.mark.nojit

PLAYERS = few_or_many((5,), (2, 3, 4, 5))
NAMES = few_or_many(("random",), ("merchant", "random", "merchant"))


@cache
def states() -> list[np.void]:
    """Some positions of some games, by players who collect much."""
    found = []
    for players in PLAYERS:
        for seed, name in enumerate(NAMES):
            game, player = Game(players, "sampled" if seed else "standard", seed=seed), load_agent(name)
            player.reset(seed)
            found.append(game.state)
            while not game.over:
                game.play(player.action(game))
                found.append(game.state)
    return found[:: few_or_many(8, 3)]


def test_it_fits_into_80_columns_and_21_lines_at_every_table() -> None:
    for state in states():
        lines = compact(state, 0).splitlines()
        assert max(map(len, lines)) <= 80, max(lines, key=len)
        assert len(lines) <= 21, "\n".join(lines)
        assert max(map(len, compact(state, 0, everything=True).splitlines())) <= 80


def test_every_worker_stands_in_its_queue_and_says_whether_its_owner_can_pay() -> None:
    queues = 0
    for state in states():
        if state["phase"] not in (DEMAND, PURCHASE):
            continue
        picture = compact(state, 1)
        for column in range(int(state["players"]) + 1):
            standing = int(state["standing"][column])
            if state["card"][column] == EMPTY or not standing:
                continue
            signs = []
            for price, seat in zip(range(standing, 0, -1), state["queue"][column].tolist(), strict=False):
                signs.append(("you" if seat == 1 else f"#{seat + 1}") + "!" * bool(price > state["coins"][seat]))
            below = re.search(rf"\n[> ]{column} ([^\n]*(?:\n  [^\n]*)?)", picture)
            assert below and f" {standing}: {' '.join(signs)}" in below[1], picture
            queues += 1
    assert queues > few_or_many(5, 500)


def test_the_readers_contracts_say_what_they_lack() -> None:
    seen = 0
    for state in states():
        words = re.sub(r"\s+", " ", compact(state, 0))
        for contract in range(N_CONTRACTS):
            if state["owner"][contract] != 0:
                continue
            missing = state["missing"][contract].tolist()
            lacks = ", ".join(f"{count} {good}" for good, count in zip(GOODS, missing, strict=True) if count)
            if lacks:
                assert re.search(rf"\b{contract + 1} \(\d+\) lacks {lacks}(;| |$)", words), words
                seen += 1
            else:
                assert re.search(rf"complete (\d+ \(\d+\), )*{contract + 1} \(", words), words
    assert seen > few_or_many(0, 50)


def test_everything_lists_what_the_others_have_too() -> None:
    for state in states()[::3]:
        words = compact(state, 0, everything=True)
        for seat in range(int(state["players"])):
            own = [card for card in range(N_CARDS) if state["owner"][card] == seat and KIND_OF[card] != CONTRACT]
            sign = "You" if seat == 0 else f"#{seat + 1}"
            line = next(line for line in words.splitlines() if line.startswith(f"{sign}  "))
            has_something = own or state["cubes"][seat].any() or state["aboard"][seat].any()
            assert line.endswith("nothing") is not bool(has_something)


def test_the_hidden_order_changes_nothing() -> None:
    for state in states()[::4]:
        if state["phase"] == OVER:
            continue
        other = np.array([state])
        redeal_at(other, 0, 99)
        other["seed"] = 5
        for everything in (False, True):
            assert compact(other[0], 0, everything=everything) == compact(state, 0, everything=everything)


def test_colours_only_lie_over_the_same_text_and_reach_the_signs_of_seats() -> None:
    state = random.Random(3).choice([state for state in states() if state["phase"] == DEMAND and state["players"] == 5])
    plain, coloured = compact(state, 2), compact(state, 2, color=True)
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain
    assert coloured.count("\x1b[1;34m#2") == plain.count("#2") > 0
    assert paint("#3", None) != "#3"


def test_a_seat_that_does_not_play_is_refused() -> None:
    with pytest.raises(ArgumentError, match="seat=5: must be a seat"):
        compact(states()[0], 5)
