"""Draws the pictures of the documentation: `python docs/draw.py` writes them into docs/images.

The tables are positions that the tests of the drawing use, too; the film is a round between two merchants.
"""

from __future__ import annotations

import json
from pathlib import Path

from PIL import Image

from speicher_agents import load_agent
from speicher_env import Game
from speicher_env.render import frame

HERE = Path(__file__).parent
POSITIONS = HERE.parent / "tests" / "render" / "positions.jsonl"
FILM_SEED, FILM_ROUND = 17, 8
"""The film shows this round of this game of two. In it cards are passed on and bought, cubes delivered and sold."""
SECONDS_A_PICTURE = 1.1
SECONDS_AT_THE_END = 3.0


def main() -> None:
    """Write every picture."""
    records = {record["name"]: record for record in map(json.loads, POSITIONS.read_text(encoding="utf-8").splitlines())}
    table = Game.from_record(records["3_players_purchase"])
    _save(frame(table), "table.png")
    _save(frame(table, theme="dark"), "table-dark.png")
    _save(frame(table, seat=1, width=480), "table-phone.png")
    _save(frame(Game.from_record(records["4_players_over"])), "table-over.png")
    _film(_round_of_merchants(), "round.gif")


def _round_of_merchants() -> list[object]:
    game, merchant = Game(num_players=2, seed=FILM_SEED), load_agent("merchant")
    pictures = []
    while game.round <= FILM_ROUND:
        if game.round == FILM_ROUND:
            pictures.append(frame(game, width=720))
        game.play(merchant.action(game))
    return pictures


def _save(picture: object, name: str) -> None:
    _few_colours(picture).save(HERE / "images" / name, optimize=True)
    print(name)


def _film(pictures: list[object], name: str) -> None:
    first, *others = [_few_colours(picture) for picture in pictures]
    times = [round(1000 * SECONDS_A_PICTURE)] * len(others) + [round(1000 * SECONDS_AT_THE_END)]
    first.save(HERE / "images" / name, save_all=True, append_images=others, duration=times, loop=0, optimize=True)
    print(name)


def _few_colours(picture: object) -> Image.Image:
    return Image.fromarray(picture).quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)


if __name__ == "__main__":
    main()
