"""Tables of the environment page: arguments and observation."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from itertools import pairwise
from math import prod

from docs.tables.markdown import PLAYER_COUNTS, code, table
from speicher_env import speicherstadt_v0
from speicher_env.observation import FIGURES, figure_places, figures_size
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
from speicher_env.rewards import SCHEMES


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
    return table(("", code("speicherstadt_v0")), rows, "l" * len(rows[0]))


_ARGUMENTS = {
    "num_players": "number of players, 2 to 5",
    "deck": '`"standard"`, `"sampled"` (a fresh deck for every seed), the path of a deck file, or a `Deck`; '
    "see [the rules page](rules.md#the-deck)",
    "reward": "what the agents are paid at the end: " + ", ".join(code(f'"{scheme}"') for scheme in SCHEMES),
    "padded": "`True` gives every observation room for 5 seats, so that one network fits every player count",
    "render_mode": '`"ansi"`: `render()` returns the table as text; `"rgb_array"`: as pixels; `"human"`: every step '
    "shows it in a window; `None`: none of these; see [pictures](pictures.md#in-an-environment)",
    "illegal": 'what an illegal action does: `"raise"`, `"lose"` or `"random"`, '
    "see [illegal actions](#illegal-actions)",
    "observation": '`"dict"` of `observation` and `action_mask`, or `"vector"`, the observation alone; the mask is in '
    "the info either way",
    "mask_dtype": '`"int8"`, which Gymnasium\'s `Discrete.sample` and PettingZoo\'s tests want, or `"bool"`, which '
    "TorchRL wants",
    "figures": "`True` appends the figures to each observation: what follows from the table, such as needs and leads",
    "dtype": 'of observations: `"float32"`, or `"uint8"` for the same as whole numbers in a quarter of the bytes; '
    "`env.unwrapped.row_format` turns them back",
}


def arguments() -> str:
    """The arguments of `env` and `raw_env` with their defaults."""
    rows = [
        (code(name), code(repr(parameter.default).replace("'", '"')), _ARGUMENTS[name])
        for name, parameter in inspect.signature(speicherstadt_v0.env).parameters.items()
    ]
    return table(("argument", "default", "meaning"), rows, "l" * len(rows[0]))


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
    """What networks may read after an observation: how many numbers for each number of seats, and what they mean."""
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


TABLES = {
    "summary": summary,
    "arguments": arguments,
    "observation": observation,
    "places": places,
    "axes": axes,
    "figures": figures,
}
