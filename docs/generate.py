"""Prints the tables of the documentation from the code, into the pages themselves.

A page marks the place of a table with two comments, ``<!-- table: NAME -->`` and ``<!-- end -->``; what stands between
them is replaced. Run ``python docs/generate.py`` after a change; a test fails while a page is out of date.
"""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from itertools import combinations_with_replacement, pairwise
from math import prod
from pathlib import Path
from textwrap import indent
from typing import Any

import numpy as np

from speicher_agents.baselines.figures import FIGURES, figure_places, figures_size
from speicher_env import ACTION_TEXTS, ACTIONS, N_ACTIONS, Game, speicherstadt_v0, standard_deck
from speicher_env.observation.pieces import (
    AXIS_LABELS,
    BLOCKS,
    PIECES,
    UNSEEN_GROUPS,
    Piece,
    axis_size,
    blocks,
    observation_size,
    offset_within,
    shape_within,
)
from speicher_env.rewards import SCHEMES, write_rewards
from speicher_env.rules.actions import BUY, DELIVER, DISCARD, END, PASS, PLACE, SELL, TRADE
from speicher_env.rules.cards import (
    CARD_IDS,
    CONTRACT_POINTS,
    CUBES_PER_SHIP,
    GOODS,
    KIND_SEASONS,
    MERCHANTS,
    N_FIRES,
    N_GOODS,
    SEASON_NAMES,
    SEASONS,
)
from speicher_env.rules.scoring import CHURCH_POINTS, MICHAELIS_POINTS, OFFICE_POINTS
from speicher_env.rules.setup import template
from speicher_env.rules.state import MAX_PLAYERS, MIN_PLAYERS, REMOVED, STANDARD_DECK, WAREHOUSE_SPACE

PAGES = Path(__file__).parent
PLAYER_COUNTS = range(MIN_PLAYERS, MAX_PLAYERS + 1)
_MARKED = re.compile(r"^( *)<!-- table: ([a-z ]+) -->$.*?^ *<!-- end -->$", re.DOTALL | re.MULTILINE)


def table(header: Sequence[str], rows: Iterable[Sequence[object]], align: str = "") -> str:
    """A table in Markdown; `align` has a letter for each column, l or r, all l if it is empty."""
    rules = ["--:" if letter == "r" else "---" for letter in align or "l" * len(header)]
    lines = [header, rules, *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def code(text: object) -> str:
    """Set as code."""
    return f"`{text}`"


# The game


def cards() -> str:
    """Every kind of card, how many there are in each season, and what it does."""
    contracts = ", ".join(f"{size} goods {CONTRACT_POINTS[size]} points" for size in (2, 3, 4))
    offices = ", ".join(f"{points} for {count}" for count, points in enumerate(OFFICE_POINTS) if count)
    does = {
        "contract": f"takes the goods it asks for; scores only if complete at the end: {contracts}",
        "counting_office": f"points at the end by how many you own: {offices}",
        "fireman": "his value counts at every fire",
        "warehouse": f"keeps up to {WAREHOUSE_SPACE} cubes; 1 point for each cube in it at the end",
        "ship": f"brings {CUBES_PER_SHIP} cubes, drawn from the bag; stays with its owner",
        "bank": "1 more coin at every income",
        "boatsmen_church": f"{CHURCH_POINTS} points at the end",
        "st_michaelis": f"{MICHAELIS_POINTS} points at the end",
        "chamber_of_commerce": "1 point for each coin at the end",
        "port": "1 point for each ship owned at the end",
        "fire": "no trade card: carried out when it is revealed",
    }
    for merchant, good in zip(MERCHANTS, GOODS, strict=True):
        does[merchant] = f"buys {good} at 1 coin a cube; 1 point at the end"
    rows = [
        (code(kind), sum(counts), *(count or "" for count in counts), does[kind])
        for kind, counts in KIND_SEASONS.items()
    ]
    total = ["**all**", len(CARD_IDS), *(sum(counts) for counts in zip(*KIND_SEASONS.values(), strict=True)), ""]
    return table(("kind", "cards", *SEASONS, "what it does"), [*rows, total], "lrrrrrrl")


def players() -> str:
    """What is taken out for each number of players, and how many rounds the pile lasts."""
    rows = []
    for count in PLAYER_COUNTS:
        state = Game(count, seed=0).state
        out = [code(card) for card, owner in zip(CARD_IDS, state["owner"], strict=True) if owner == REMOVED]
        trade_cards = int(state["pile_size"]) - N_FIRES
        rounds, rest = divmod(trade_cards, count + 1)
        if rest:
            raise AssertionError(f"{trade_cards} trade cards do not divide into rounds of {count + 1}")
        rows.append((count, " and ".join(out) or "nothing", trade_cards, count + 1, rounds))
    return table(("players", "taken out (standard deck)", "trade cards", "laid out per round", "rounds"), rows, "rlrrr")


def _standard_file() -> dict[str, dict[str, Any]]:
    content = files("speicher_env.deck").joinpath("standard.toml").read_text(encoding="utf-8")
    listed: dict[str, dict[str, Any]] = tomllib.loads(content)["cards"]
    return listed


def _season(letter: str) -> str:
    return f"{letter} {SEASON_NAMES[SEASONS.index(letter)]}"


def _values(kind: str) -> str:
    rows = [
        (code(card_id), _season(card["season"]), card["value"], card["source"])
        for card_id, card in _standard_file().items()
        if card["kind"] == kind
    ]
    return table(("card", "season", "value", "source"), rows, "llrl")


def firemen() -> str:
    """Values of the standard deck's firemen."""
    return _values("fireman")


def fires() -> str:
    """Values of the standard deck's fires."""
    return _values("fire")


def contracts() -> str:
    """Goods of the standard deck's contracts."""
    rows = [
        (code(card_id), _season(card["season"]), " ".join(card["goods"]), CONTRACT_POINTS[len(card["goods"])],
         card["source"])
        for card_id, card in _standard_file().items()
        if card["kind"] == "contract"
    ]  # fmt: skip
    return table(("card", "season", "goods", "points", "source of the goods"), rows, "lllrl")


# The environment


def summary() -> str:
    """The environment at a glance, in the form of PettingZoo's own pages."""
    raw = speicherstadt_v0.raw_env()
    mask = raw.observation_space("player_0")["action_mask"]
    vector = raw.observation_space("player_0")["observation"]
    sizes = ", ".join(f"({observation_size(seats)},)" for seats in PLAYER_COUNTS)
    fewest, most = PLAYER_COUNTS[0], PLAYER_COUNTS[-1]
    rows = [
        ("Import", code("from speicher_env import speicherstadt_v0")),
        ("Registered as", code('pettingzoo.make("aec", "speicher/speicherstadt-v0")')),
        ("Actions", "discrete, masked"),
        ("Parallel API", "no: one agent acts at a time"),
        ("Agents", f"{fewest}–{most}: `player_0` to `player_{most - 1}`"),
        ("Action space", code(raw.action_space("player_0"))),
        ("Observation", f"vector of {vector.dtype}, values in [{vector.low.min():g}, {vector.high.max():g}]"),
        ("Observation shape", f"{sizes} for {fewest} to {most} seats"),
        ("Action mask", f"shape {mask.shape}, {mask.dtype}, 1 = legal"),
        ("Render modes", ", ".join(code(mode) for mode in raw.metadata["render_modes"])),
    ]
    return table(("", code("speicherstadt_v0")), rows)


_ARGUMENTS = {
    "num_players": "number of players, 2 to 5",
    "deck": '`"standard"`, `"sampled"` (a fresh deck for every seed), the path of a deck file, or a `Deck`; '
    "see [the rules page](rules.md#the-deck)",
    "reward": "what the agents are paid at the end: " + ", ".join(code(f'"{scheme}"') for scheme in SCHEMES),
    "padded": "`True` gives every observation room for 5 seats, so that one network fits every player count",
    "render_mode": '`"ansi"`: `render()` returns the table as text; `"rgb_array"`: as pixels; `"human"`: every step '
    "shows it in a window; `None`: none of these; see [pictures](pictures.md#in-an-environment)",
}


def arguments() -> str:
    """The arguments of `env` and `raw_env` with their defaults."""
    rows = [
        (code(name), code(repr(parameter.default).replace("'", '"')), _ARGUMENTS[name])
        for name, parameter in inspect.signature(speicherstadt_v0.env).parameters.items()
    ]
    return table(("argument", "default", "meaning"), rows)


def _length(axis: str) -> str:
    """Length of an axis, in terms of n seats shown."""
    lengths = [axis_size(axis, seats) for seats in PLAYER_COUNTS]
    beyond = {length - seats for length, seats in zip(lengths, PLAYER_COUNTS, strict=True)}
    if len(set(lengths)) == 1:
        return str(lengths[0])
    if len(beyond) != 1:
        raise AssertionError(f"the axis {axis} has the lengths {lengths}, which this page cannot say")
    return f"n + {beyond.pop()}" if beyond != {0} else "n"


def _encoding(piece: Piece) -> str:
    """How a natural number x is written."""
    x = f"(x + {piece.shift})" if piece.shift else "x"
    written = f"{x} / {piece.scale}" if piece.scale != 1 else x
    return f"{written}, cut off at 0 and 1" if piece.clipped else written


def _width(widths: Sequence[int]) -> str:
    """A number of values for each number of seats, in terms of n seats shown."""
    growth = {after - before for before, after in pairwise(widths)}
    if growth == {0}:
        return str(widths[0])
    if len(growth) != 1:
        raise AssertionError(f"the widths {widths} do not grow evenly, which this page cannot say")
    step = growth.pop()
    return f"{widths[0] - step * PLAYER_COUNTS[0]} + {step} n"


def observation() -> str:
    """The pieces of the observation: where they lie in their block, what they mean and how they are written."""
    rows = []
    for piece in PIECES:
        offsets = {offset_within(piece.name, seats) for seats in PLAYER_COUNTS}
        if len(offsets) != 1:
            raise AssertionError(f"the place of {piece.name} depends on the seats, which this page cannot say")
        width = _width([prod(shape_within(piece, seats)) for seats in PLAYER_COUNTS])
        axes = " × ".join(piece.axes) or "–"
        rows.append((piece.block, code(piece.name), offsets.pop(), width, axes, _encoding(piece), piece.meaning))
    return table(("block", "piece", "at", "width", "axes", "written as", "x"), rows, "llrrlll")


def places() -> str:
    """Where each block lies, for every number of seats shown."""
    by_seats = [blocks(seats) for seats in PLAYER_COUNTS]
    rows: list[Sequence[object]] = []
    for name in BLOCKS:
        spans = [f"{block.start}: {block.items} × {block.width}" for block in (found[name] for found in by_seats)]
        rows.append((name, *spans))
    rows.append(("**length**", *(f"**{observation_size(seats)}**" for seats in PLAYER_COUNTS)))
    return table(("block", *(f"{seats} seats" for seats in PLAYER_COUNTS)), rows, "l" + "r" * len(PLAYER_COUNTS))


def figures() -> str:
    """What networks may read behind an observation: how many numbers for so many seats, and what they mean."""
    by_seats = [figure_places(seats) for seats in PLAYER_COUNTS]
    rows: list[Sequence[object]] = [
        (code(figure.name), " × ".join(figure.axes) or "–", *(found[figure.name].size for found in by_seats),
         figure.meaning)
        for figure in FIGURES
    ]  # fmt: skip
    rows.append(("**all**", "", *(f"**{figures_size(seats)}**" for seats in PLAYER_COUNTS), ""))
    header = ("figure", "axes", *(f"{seats} seats" for seats in PLAYER_COUNTS), "what it says")
    return table(header, rows, "ll" + "r" * len(PLAYER_COUNTS) + "l")


def axes() -> str:
    """What the positions along each axis stand for."""
    unnamed = {
        "columns": "columns, from the left",
        "spaces": "spaces above a card, the lowest first",
    }
    rows = []
    for axis in dict.fromkeys(axis for piece in PIECES for axis in piece.axes):
        labels = AXIS_LABELS.get(axis, ())
        if axis == "unseen_groups":
            said = ", ".join(f"`{group.kind}` {group.season} ({group.size})" for group in UNSEEN_GROUPS)
            said += "; in brackets the cards of this kind and season in the full deck"
        elif labels:
            said = ", ".join(code(label) for label in labels)
        else:
            said = unnamed[axis]
        rows.append((axis, _length(axis), said))
    return table(("axis", "length", "positions"), rows, "lrl")


FORMULAS = {
    "place": f"{PLACE} + column",
    "buy": f"{BUY}",
    "pass": f"{PASS}",
    "deliver": f"{DELIVER} + {N_GOODS} * contract + good",
    "sell": f"{SELL} + good",
    "convert": "first id of the three goods, see below",
    "trade": f"{TRADE} + first * (9 - first) // 2 + second",
    "discard": f"{DISCARD} + good",
    "end": f"{END}",
}
"""The id of each verb's actions, as Python expressions; a test compares them with the action table."""

_ACTIONS_MEAN = {
    "place": ("place C", "demand: a worker above column C, 0 = leftmost"),
    "buy": ("buy", "purchase: buy the offered card at its price"),
    "pass": ("pass", "purchase: take the worker back"),
    "deliver": ("deliver G K", "loading: one cube of good G to the contract K, `contract_1` to `contract_10`"),
    "sell": ("sell G", "loading: one cube of good G to its merchant, for 1 coin"),
    "convert": ("convert G G G to H", "loading: market hall, three cubes to the stock for one of another good H"),
    "trade": ("trade G G", "loading: market hall, two cubes to the stock for 1 coin"),
    "discard": ("discard G", "loading: one cube to the stock, while there are more than can be kept"),
    "end": ("end", "loading: done for this round"),
}


def actions() -> str:
    """The action table by verb: ranges of ids, texts, formulas."""
    rows = []
    for verb, (text, meaning) in _ACTIONS_MEAN.items():
        ids = [action.id for action in ACTIONS if action.verb == verb]
        span = f"{ids[0]}–{ids[-1]}" if len(ids) > 1 else str(ids[0])
        formula = FORMULAS[verb] if verb == "convert" else code(FORMULAS[verb])
        rows.append((span, len(ids), code(text), formula, meaning))
    rows.append((f"0–{N_ACTIONS - 1}", N_ACTIONS, "", "", ""))
    return table(("ids", "actions", "text", "id", "meaning"), rows, "rrlll")


def conversions() -> str:
    """The ids of `convert`, by the three goods given."""
    rows = []
    for three in combinations_with_replacement(GOODS, 3):
        given = " ".join(three)
        texts = [text for text in ACTION_TEXTS if text.startswith(f"convert {given} to ")]
        ids = [ACTION_TEXTS.index(text) for text in texts]
        rows.append((f"{ids[0]}–{ids[-1]}", given, ", ".join(text.split()[-1] for text in texts)))
    return table(("ids", "given", "taken, in this order"), rows, "rll")


def _paid(scheme: str, points: Sequence[int]) -> list[float]:
    """Rewards of a game that ends with these points and no coins."""
    state = template(len(points), STANDARD_DECK, standard_deck().values())
    state["fire_points"][0, : len(points)] = points
    paid = np.zeros(len(points))
    write_rewards(state[0], SCHEMES.index(scheme), paid)
    return paid.tolist()


def _number(reward: float) -> str:
    return f"{round(reward, 3):+g}".replace("-", "−") if round(reward, 3) else "0"


def outcome() -> str:
    """What `outcome` pays for each number of players."""
    rows = []
    for count in PLAYER_COUNTS:
        alone = _paid("outcome", [1] + [0] * (count - 1))
        shared = _paid("outcome", [1, 1] + [0] * (count - 2))
        rest = _number(shared[-1]) if count > 2 else ""
        rows.append((count, _number(alone[0]), _number(alone[-1]), _number(shared[0]), rest))
    header = ("players", "sole winner", "each other", "two winners, each", "each other")
    return table(header, rows, "r" * len(header))


def rank() -> str:
    """What `rank` pays for each number of players."""
    rows = []
    for count in PLAYER_COUNTS:
        paid = [_number(reward) for reward in _paid("rank", range(count, 0, -1))]
        rows.append((count, *paid, *[""] * (MAX_PLAYERS - count)))
    return table(("players", "1st", "2nd", "3rd", "4th", "5th"), rows, "r" * (MAX_PLAYERS + 1))


def margin() -> str:
    """What `margin` pays for so many points ahead."""
    steps = (-45, -30, -15, -3, 0, 3, 15, 30, 45)
    paid = [_number(_paid("margin", [step, 0])[0]) for step in steps]
    return table(("points ahead", *map(_number, steps)), [("reward", *paid)], "l" + "r" * len(steps))


# The command


def _options(command: str) -> str:
    import typer

    from speicher_apps.cli.app import app

    rows = []
    group: Any = typer.main.get_command(app)
    for parameter in group.commands[command].params:
        if parameter.name == "help":
            continue
        flag = getattr(parameter, "is_flag", False)
        is_option = parameter.param_type_name == "option"
        value = "" if flag else " " + (parameter.metavar or parameter.name.upper())
        spelled = ", ".join((*parameter.opts, *parameter.secondary_opts)) + value
        names = spelled if is_option else parameter.metavar or parameter.name.upper()
        default = "" if flag or parameter.default is None else code(parameter.default)
        plain = re.sub(r"\[/?(?:bold|dim|italic)\]", "", parameter.help or "")
        rows.append((code(names.replace("|", " or ")), default, plain))
    return table(("argument", "default", "meaning"), rows)


def arena_options() -> str:
    """The options of `speicher arena`."""
    return _options("arena")


def play_options() -> str:
    """The options of `speicher play`."""
    return _options("play")


def record_options() -> str:
    """The options of `speicher record`."""
    return _options("record")


def replay_options() -> str:
    """The options of `speicher replay`."""
    return _options("replay")


TABLES: dict[str, Callable[[], str]] = {
    "cards": cards,
    "players": players,
    "firemen": firemen,
    "fires": fires,
    "contracts": contracts,
    "summary": summary,
    "arguments": arguments,
    "observation": observation,
    "places": places,
    "axes": axes,
    "figures": figures,
    "actions": actions,
    "conversions": conversions,
    "outcome": outcome,
    "rank": rank,
    "margin": margin,
    "arena options": arena_options,
    "play options": play_options,
    "record options": record_options,
    "replay options": replay_options,
}
"""What each name between the marks stands for."""


def with_tables(page: str) -> str:
    """A page's text with every marked table printed anew, as far indented as its mark."""
    return _MARKED.sub(lambda mark: indent(_marked(mark[2]), mark[1]), page)


def _marked(name: str) -> str:
    return f"<!-- table: {name} -->\n\n{TABLES[name]()}\n\n<!-- end -->"


def marked_tables(page: str) -> list[str]:
    """The names of the tables that a page marks, in order."""
    return [name for _, name in _MARKED.findall(page)]


def main() -> None:
    """Bring every page up to date, and say which ones have changed."""
    for path in sorted(PAGES.glob("*.md")):
        before = path.read_text(encoding="utf-8")
        after = with_tables(before)
        if after != before:
            path.write_text(after, encoding="utf-8")
            print(f"{path.name}: tables printed anew")


if __name__ == "__main__":
    main()
