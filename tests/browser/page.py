"""What the tests of the page do on it: show a game, wait for moves, make one."""

from __future__ import annotations

from typing import Any

from tests.support.quick_player import SPEC
from tests.support.served import Served

YOURS_OR_OVER = "#turn.yours, #end:not([hidden])"
LEGAL = "#moves button:not([aria-disabled])"
NETWORK = "baseline:2p"


def show_dealt(page: Any, served: Served, seats: tuple[str, ...] = ("human", SPEC), seed: str = "7") -> dict[str, Any]:
    """Deal a game and show it, with the others playing at once."""
    game = served.deal(seats, seed)
    page.goto(f"{served.address}#{game['id']}")
    page.select_option("#speed", "0")
    page.wait_for_selector("#question:not(:empty)")
    return game


def game_after(served: Served, seats: tuple[str, ...], moves: int) -> dict[str, Any]:
    """A game in which a person is to move after at least that many moves."""
    game = served.deal(seats, "3")
    while game["at"] < moves or not game["yours"]:
        game = served.moved(game)
    return game


def loading_game(served: Served) -> Any:
    """A game whose person is loading, with moves to choose from and others that are not legal."""
    game = served.deal(("human", "merchant"), "7")
    while game["phase"] != "loading" or len(game["legal"]) <= 6:
        game = served.moved(game)
    return game


def moves_told(page: Any) -> int:
    return page.locator("#log > li").count()


def until_more_than(page: Any, moves: int) -> None:
    """Wait until the page tells of more moves; the page forbids `eval`, which Playwright's wait_for_function needs."""
    page.wait_for_selector(f"#log > li:nth-child({moves + 1})", state="attached")


def until_at_most(page: Any, moves: int) -> None:
    page.wait_for_selector(f"#log > li:nth-child({moves + 1})", state="detached")


def play_first(page: Any) -> None:
    """Click the first legal move, and wait until it is played."""
    page.wait_for_selector("#turn.yours")
    before = moves_told(page)
    page.locator(LEGAL).first.click()
    until_more_than(page, before)


def play_to_the_end(page: Any) -> None:
    """Click a legal move in every decision, now this one and now that."""
    page.evaluate(
        """async () => {
          const moves = () => document.getElementById("log").children.length;
          while (document.getElementById("end").hidden) {
            if (document.getElementById("turn").classList.contains("yours")) {
              const before = moves();
              const legal = document.querySelectorAll("#moves button:not([aria-disabled])");
              legal[before % legal.length].click();
              while (moves() === before) await new Promise((done) => setTimeout(done, 5));
            } else await new Promise((done) => setTimeout(done, 5));
          }
        }"""
    )
