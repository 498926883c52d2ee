"""The drawing: well-formed, complete, the same for every hidden order, and readable by everybody."""

from __future__ import annotations

import json
import random
import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from speicher_env import ArgumentError, Game
from speicher_env.render import frame, page_colours, png, svg
from speicher_env.render.drawing.palette import DARK, LIGHT, PAGE
from speicher_env.render.drawing.pen import text_width
from speicher_env.render.drawing.table import scene
from speicher_env.rules.cards import CARD_IDS, FIRE_1, GOODS, N_CONTRACTS, N_FIRES
from speicher_env.rules.hidden import redeal_at
from tests.support.positions import position
from tests.support.positions import seat as belongings

pytestmark = pytest.mark.nojit

SVG = "{http://www.w3.org/2000/svg}"
PHASE_MARGIN = 15
"""From the end of the title to the word in the first chip: 10 to the chip, and the chip's own margin."""
GAMES = [
    Game.from_record(json.loads(line), check=False)
    for line in (Path(__file__).parent / "positions.jsonl").read_text().splitlines()
]
each_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.num_players}-{game.phase}")


@cache
def walked(players: int) -> list[Game]:
    """Positions all over a random game."""
    game, rng = Game(players, "sampled", seed=players), random.Random(players)
    found = []
    while not game.over:
        if rng.random() < 0.06:
            found.append(game.copy())
        game.play("buy" if "buy" in game.legal() else rng.choice(game.legal()))
    return [*found, game]


def words_of(drawing: str) -> str:
    """Everything that is written in a drawing, a line for each piece of text."""
    return "\n".join("".join(piece.itertext()) for piece in ElementTree.fromstring(drawing).iter(f"{SVG}text"))


def hooks(drawing: str, name: str) -> list[str]:
    return [
        found.get(f"data-{name}", "")
        for found in ElementTree.fromstring(drawing).iter()
        if found.get(f"data-{name}") is not None
    ]


# The document


@each_game
@pytest.mark.parametrize("theme", ["light", "dark", "page"])
@pytest.mark.parametrize("width", [480, 960])
def test_a_drawing_stands_alone(game: Game, theme: str, width: int) -> None:
    drawing = svg(game.state, theme=theme, width=width)
    root = ElementTree.fromstring(drawing)
    assert root.get("width") == str(width) and root.get("role") == "img" and root.get("aria-label")
    assert "@" not in drawing and "http" not in drawing.replace("http://www.w3.org/2000/svg", "")
    assert not any(part.get("id") for part in root.iter()), "several drawings on one page would clash"
    assert not re.search("<script|<image|<use|url\\(|\\bon[a-z]+=", drawing)
    assert drawing == svg(game, theme=theme, width=width)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("narrow", [False, True])
def test_all_positions_of_a_game_have_pictures_of_one_size_whose_parts_do_not_overlap(
    players: int, narrow: bool
) -> None:
    scenes = [scene(game.state, seat, narrow) for game in walked(players) for seat in (None, players - 1)]
    assert len({(one.width, one.height) for one in scenes}) == 1
    for one in scenes:
        assert all(
            part.x >= 0 and part.y >= 0 and part.x + part.width <= one.width and part.y + part.height <= one.height
            for part in one.panels
        )
        for index, part in enumerate(one.panels):
            for other in one.panels[index + 1 :]:
                beside = part.x + part.width + 8 <= other.x or other.x + other.width + 8 <= part.x
                below = part.y + part.height + 7.9 <= other.y or other.y + other.height + 7.9 <= part.y
                assert beside or below


def test_text_in_the_widest_usual_letters_stays_inside_its_part() -> None:
    for players in (2, 3, 4, 5):
        for game in walked(players):
            for narrow in (False, True):
                for part in scene(game.state, 0, narrow).panels:
                    texts = placed_texts(part.drawing)
                    assert texts
                    for left, right, words in texts:
                        assert left >= -1 and right <= part.width + 1, (words, left, right, part.width)


def test_the_round_and_its_season_end_before_the_phases_begin() -> None:
    for players in (2, 3, 4, 5):
        for game in walked(players):
            for narrow in (False, True):
                header = scene(game.state, 0, narrow).panels[0].drawing
                assert 'data-part="header"' in header
                texts = placed_texts(header)
                phases = [left for left, _, words in texts if words == "demand"]
                assert game.over or phases, "every phase is named"
                assert all(texts[0][1] <= left - PHASE_MARGIN for left in phases), texts[0]


def placed_texts(drawing: str) -> list[tuple[float, float, str]]:
    """Where each text of a part begins and ends."""
    found: list[tuple[float, float, str]] = []

    def walk(node: ElementTree.Element, x: float, scale: float) -> None:
        move = re.match(r"translate\(([-\d.]+) ([-\d.]+)\)(?: scale\(([-\d.]+)\))?", node.get("transform", ""))
        if move:
            x, scale = x + scale * float(move[1]), scale * float(move[3] or 1)
        if node.tag == "text":
            words, size = "".join(node.itertext()), float(node.get("font-size", "0"))
            behind = " " + words.removeprefix(node.text or "") if len(node) else ""
            wide = text_width(node.text or "", size, node.get("font-weight") == "600") + text_width(behind, size)
            wide *= scale
            start = x + scale * float(node.get("x", "0"))
            shift = {"start": 0.0, "middle": wide / 2, "end": wide}[node.get("text-anchor", "start")]
            found.append((start - shift, start - shift + wide, words))
        for child in node:
            walk(child, x, scale)

    walk(ElementTree.fromstring(f"<g>{drawing}</g>"), 0.0, 1.0)
    return found


# What is shown


@each_game
def test_the_hidden_order_is_not_in_the_drawing(game: Game) -> None:
    drawing = svg(game)
    for seed in range(5):
        states = np.array([game.state])
        redeal_at(states, 0, seed)
        assert svg(states[0]) == drawing


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_everything_public_is_shown(players: int) -> None:
    for game in walked(players):
        state = game.state
        drawing = svg(game)
        words = words_of(drawing).splitlines()
        total = [str(points["total"]).replace("-", "−") for points in game.points()]
        panels = {
            panel.get("data-seat"): panel for panel in ElementTree.fromstring(drawing).iter() if panel.get("data-seat")
        }
        assert sorted(panels) == [str(seat) for seat in range(players)]
        for seat in range(players):
            told = ["".join(piece.itertext()) for piece in panels[str(seat)].iter(f"{SVG}text")]
            assert total[seat] in told and str(game.coins[seat]) in told and str(state["firemen"][seat]) in told
            own = {card for group in panels[str(seat)].iter() for card in group.get("data-card", "").split()}
            assert own == {CARD_IDS[card] for card in range(len(CARD_IDS)) if state["owner"][card] == seat}
        assert sum(word.endswith(" in all") and word[0].isdigit() for word in words) == 2
        assert len(re.findall("left in the pile", drawing)) == 5
        for fire in range(N_FIRES):
            assert str(state["fire_value"][fire]) in words
        if game.over:
            assert {"fire", "contracts", "points in all"} <= set(words)
        else:
            assert f"Round {game.round} of {(int(state['pile_size']) - 4) // (players + 1)}{season(game)}" in words
            columns = hooks(drawing, "column")
            assert columns == [str(column) for column in range(players + 1)]


def season(game: Game) -> str:
    from speicher_env.render.sentences import season_name_now

    return season_name_now(game.state)


def test_owned_contracts_show_what_is_placed_and_what_is_missing() -> None:
    for game in GAMES:
        state = game.state
        shown = []
        for slip in ElementTree.fromstring(svg(game)).iter():
            if slip.get("data-contract"):
                contract = CARD_IDS.index(slip.get("data-contract", ""))
                missing = int(state["missing"][contract].sum())
                dashed = sum(part.get("stroke-dasharray") is not None for part in slip.iter())
                assert dashed == missing
                shown.append(contract)
        assert sorted(shown) == [contract for contract in range(N_CONTRACTS) if state["owner"][contract] >= 0]


@each_game
def test_queues_show_every_worker_with_its_falling_price(game: Game) -> None:
    if game.over:
        return
    state = game.state
    drawing = svg(game)
    for column in range(game.num_players + 1):
        for space in range(int(state["standing"][column])):
            seat, price = int(state["queue"][column][space]), int(state["standing"][column]) - space
            verb = "pays" if price <= game.coins[seat] else "would need"
            assert f"seat {seat + 1} {verb} {price}, it has {game.coins[seat]}" in drawing


def test_a_seat_is_drawn_first_and_called_you() -> None:
    game = Game(4, seed=3)
    assert hooks(svg(game), "seat") == ["0", "1", "2", "3"]
    assert hooks(svg(game, seat=2), "seat") == ["2", "3", "0", "1"]
    assert "You" in words_of(svg(game, seat=2)) and "You" not in words_of(svg(game))


# Hooks


@pytest.mark.parametrize("players", [2, 5])
def test_actions_that_have_a_place_are_marked_where_they_are_legal_and_nowhere_else(players: int) -> None:
    for game in [*walked(players), *GAMES]:
        marked = hooks(svg(game), "action")
        placed = [
            action
            for action in game.legal()
            if action.split()[0] in ("place", "buy", "pass", "deliver", "sell", "discard")
        ]
        assert sorted(marked) == sorted(placed)


def test_a_good_missing_twice_can_be_delivered_in_one_place() -> None:
    states = position(seats=[belongings(cards=["contract_3"], aboard="rubber rubber coffee")])
    game = Game.from_state(states)
    assert game.legal().count("deliver rubber contract_3") == 1
    marked = hooks(svg(game), "action")
    assert marked.count("deliver rubber contract_3") == marked.count("deliver coffee contract_3") == 1


def test_a_fire_is_shown_as_carried_out_once_it_is() -> None:
    game = walked(3)[-1]
    assert svg(game).count(f'fill="{LIGHT["ash"]}"') == N_FIRES
    assert svg(Game(3, seed=1)).count(f'fill="{LIGHT["ash"]}"') == 0
    assert len(CARD_IDS) == FIRE_1 + N_FIRES


# Colours


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_words_have_the_contrast_of_wcag_aa(colours: dict[str, str]) -> None:
    pairs = [(ink, ground) for ink in ("ink", "muted") for ground in ("paper", "panel", "active_soft")]
    pairs += [("muted", "wall"), ("ink", "wall"), ("gable_ink", "gable"), ("on_active", "active"), ("coin_ink", "coin")]
    pairs += [("active", "panel")]
    pairs += [(f"seat{seat}_ink", f"seat{seat}") for seat in range(5)]
    assert {
        pair: contrast(colours[pair[0]], colours[pair[1]])
        for pair in pairs
        if contrast(colours[pair[0]], colours[pair[1]]) < 4.5
    } == {}
    shapes = [(f"{good}_ink", good) for good in GOODS] + [(f"seat{seat}", "wall") for seat in range(5) if seat != 3]
    shapes += [("active", "wall"), ("fire_ink", "fire"), ("panel", "ash")]
    assert {
        pair: contrast(colours[pair[0]], colours[pair[1]])
        for pair in shapes
        if contrast(colours[pair[0]], colours[pair[1]]) < 3
    } == {}


def test_themes_name_the_same_colours_and_a_page_gets_all_of_them() -> None:
    assert list(LIGHT) == list(DARK) == list(PAGE)
    css = page_colours()
    for name, value in PAGE.items():
        assert css.count(f"{value[4:-1]}:{LIGHT[name]};") >= 1 and css.count(f"{value[4:-1]}:{DARK[name]};") >= 2
    used = set(re.findall(r"var\((--sp-[a-z0-9-]+)\)", svg(GAMES[4], theme="page")))
    assert used and used <= {value[4:-1] for value in PAGE.values()}


# Bad input


@pytest.mark.parametrize("picture", [svg, frame, png])
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"seat": 2}, "seat=2: must be a seat 0..1 or None"),
        ({"seat": True}, "seat=true: must be"),
        ({"theme": "sepia"}, 'theme="sepia": must be light'),
        ({"width": 20}, "width=20: must be a whole number of pixels 160..16384"),
        ({"width": 99.5}, "width=99.5: must be"),
    ],
)
def test_wrong_arguments_are_refused(picture, arguments: dict[str, object], told: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ArgumentError, match=re.escape(told)):
        picture(Game(2, seed=1), **arguments)


# Pixels


@pytest.mark.parametrize("width", [333, 480, 700, 960, 1000])
def test_frames_have_even_sides_and_the_width_asked_for(width: int) -> None:
    picture = frame(GAMES[1], width=width)
    assert picture.shape[1] == width + width % 2 and picture.shape[0] % 2 == 0
    assert (picture[:3] == picture[0, 0]).all(), "the margin is paper"


def test_parts_that_were_kept_are_those_that_would_be_drawn_anew() -> None:
    from speicher_env.render.pixels import _pixels

    for game in walked(2)[:6]:
        frame(game)
    kept = frame(walked(2)[6])
    _pixels.cache_clear()
    assert np.array_equal(kept, frame(walked(2)[6]))


def test_a_png_is_the_frame() -> None:
    import io

    from PIL import Image

    file = png(GAMES[2], theme="dark", width=480)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(file))), frame(GAMES[2], theme="dark", width=480))


def test_a_machine_without_fonts_has_the_same_pictures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from speicher_env.render.pixels import _pixels

    before = frame(GAMES[0])
    monkeypatch.setenv("FONTCONFIG_FILE", str(tmp_path / "none.conf"))
    monkeypatch.setenv("HOME", str(tmp_path))
    _pixels.cache_clear()
    assert np.array_equal(before, frame(GAMES[0]))
