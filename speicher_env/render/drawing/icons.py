"""Pictures of the things on the table: goods, seats, coins, fires and every kind of card.

Each is drawn in a square from (0, 0); sizes are in user units.
"""

from __future__ import annotations

from speicher_env.render.drawing.pen import circle, moved, path, rect, text
from speicher_env.rules.cards import (
    BANK,
    BOATSMEN_CHURCH,
    CHAMBER_OF_COMMERCE,
    COFFEE_ROASTER,
    CONTRACT,
    COUNTING_OFFICE,
    FIREMAN,
    GOODS,
    PORT,
    SHIP,
    ST_MICHAELIS,
    WAREHOUSE,
)

__all__ = ["coin", "cube", "empty_token", "flame", "kind", "marker", "open_socket", "tick", "token"]

# Goods: a square with a sign in it. The sign alone says which good it is.


def _sign(good: int, ink: str, ground: str) -> str:
    """The sign of a good in a square of 16: a bean, a leaf, a flower, a ring, a woven diamond."""
    if GOODS[good] == "coffee":
        return (
            f'<g transform="rotate(35 8 8)"><ellipse cx="8" cy="8" rx="3.7" ry="5.3" fill="{ink}"/>'
            f"{path('M8.6 3.2C6.6 6 9.6 9.6 7.6 12.8', stroke=ground, stroke_width=1.4)}</g>"
        )
    if GOODS[good] == "tea":
        leaf = path("M13 2.8C13.6 8.6 11.4 13.4 4.6 12.6C3 7 6.6 3.2 13 2.8Z", ink)
        rib = path("M5 11.8L9.6 6.8", stroke=ground, stroke_width=1.3)
        return leaf + rib + path("M3 14L5 11.8", stroke=ink, stroke_width=1.3)
    if GOODS[good] == "saffron":
        return path("M8 2.6V13.4M3.3 5.3L12.7 10.7M12.7 5.3L3.3 10.7", stroke=ink, stroke_width=2.2)
    if GOODS[good] == "rubber":
        return circle(8, 8, 4.3, "none", ink, 2.5)
    return path("M8 2.4L13.6 8L8 13.6L2.4 8Z", ink) + path("M8 5.6L10.4 8L8 10.4L5.6 8Z", ground)


def cube(good: int, size: float = 16) -> str:
    """A cube of a good."""
    name = GOODS[good]
    inner = rect(0.5, 0.5, 15, 15, f"@{name}", radius=3) + _sign(good, f"@{name}_ink", f"@{name}")
    return moved(0, 0, inner, size / 16)


def open_socket(good: int, size: float = 16) -> str:
    """The place of a missing cube."""
    name = f"@{GOODS[good]}"
    frame = rect(0.8, 0.8, 14.4, 14.4, "@panel", name, 3, 1.3, "2.6 1.9")
    return moved(0, 0, frame + moved(1.6, 1.6, _sign(good, name, "@panel"), 0.8), size / 16)


# Seats: five shapes, each with its number.

_TOKENS = (
    ("M12 1A11 11 0 1 1 12 23A11 11 0 1 1 12 1Z", 12, 16.3),
    ("M4.5 2H19.5Q22 2 22 4.5V19.5Q22 22 19.5 22H4.5Q2 22 2 19.5V4.5Q2 2 4.5 2Z", 12, 16.3),
    ("M12 0.6L24 22.4H0Z", 12, 19.6),
    ("M12 -0.4L24.4 12L12 24.4L-0.4 12Z", 12, 16.2),
    ("M6 1.4H18L24 12L18 22.6H6L0 12Z", 12, 16.3),
)
"""Circle, square, triangle, diamond and hexagon in a square of 24, and the place of the number."""


def token(seat: int, size: float = 24, label: object = None) -> str:
    """The worker of a seat, and the sign of the seat itself, with a label; by default its number, from 1."""
    outline, x, y = _TOKENS[seat]
    figure = 11.5 if seat == 2 else 12.5
    shown = seat + 1 if label is None else label
    inner = path(outline, f"@seat{seat}") + text(x, y, shown, figure, f"@seat{seat}_ink", bold=True, anchor="middle")
    return moved(0, 0, inner, size / 24)


def empty_token(seat: int, size: float = 24) -> str:
    """The empty place of a worker who is above a card."""
    return moved(0, 0, path(_TOKENS[seat][0], stroke=f"@seat{seat}", stroke_width=1.6, dashes="3 2.6"), size / 24)


# Money, fires, marks.


def coin(amount: object = "", size: float = 20, affordable: bool = True) -> str:
    """A coin with a number in it; one that cannot be paid is hollow."""
    if affordable:
        disc = circle(10, 10, 9.3, "@coin", "@coin_line", 1.2)
        return moved(0, 0, disc + text(10, 14.3, amount, 12, "@coin_ink", bold=True, anchor="middle"), size / 20)
    disc = '<circle cx="10" cy="10" r="9.2" fill="none" stroke="@muted" stroke-width="1.2" stroke-dasharray="2.6 2.2"/>'
    return moved(0, 0, disc + text(10, 14.3, amount, 12, "@muted", anchor="middle"), size / 20)


_FLAME = (
    "M12 1C13 5.2 18.8 7.6 19.6 14.4C20 19.6 16.6 23 12 23C7.4 23 4 19.6 4.4 14.8C4.7 11.6 6.6 10 7.4 7.4"
    "C8.6 8.4 9.3 9.6 9.6 10.9C11.6 8.6 12.6 5 12 1Z"
)


def flame(value: object, size: float = 24, burnt: bool = False) -> str:
    """A fire with its value, grey after it was carried out."""
    ground, ink = ("@ash", "@panel") if burnt else ("@fire", "@fire_ink")
    return moved(0, 0, path(_FLAME, ground) + text(12, 19.4, value, 11.5, ink, bold=True, anchor="middle"), size / 24)


def tick(size: float = 14, ink: str = "@active") -> str:
    """The mark of something complete."""
    return moved(0, 0, path("M2.5 7.8L5.8 11L11.8 3.6", stroke=ink, stroke_width=2.2), size / 14)


def marker(size: float = 16, ink: str = "@ink") -> str:
    """The first player's marker: a flag."""
    inner = path("M4 15V1.6", stroke=ink, stroke_width=1.7) + path("M4.6 2.2H13.4L11 5.3L13.4 8.4H4.6Z", ink)
    return moved(0, 0, inner, size / 16)


# Kinds of cards, in a square of 24.

_KIND_PATHS = {
    CONTRACT: "M6 2.5H15L19 6.5V21.5H6ZM15 2.5V6.5H19M9 10.5H16M9 14H16M9 17.5H13",
    COUNTING_OFFICE: "M3 3V21M21 3V21M3 7H21M3 12H21M3 17H21",
    FIREMAN: "M2.5 17H21.5M5 17V13.5C5 8.6 8 5.5 12 5.5C16 5.5 19 8.6 19 13.5V17M12 5.5V3M9.5 17V12.5L12 10l2.5 2.5V17",
    WAREHOUSE: "M4 21.5V9L12 2.5L20 9V21.5ZM8 21.5V16H16V21.5M8 12.5H16M12 6.4V8.8",
    SHIP: "M2 15.5H22L18.6 20.5H6ZM11 15V3M11 3.5C16 5 18.5 8.5 18.5 12.5H11M9 6.5V12.5H5C5.6 10 7 7.8 9 6.5",
    BANK: "M3 9L12 3L21 9ZM3 21H21M5 18H19M6.5 9.5V17.5M10.2 9.5V17.5M13.8 9.5V17.5M17.5 9.5V17.5",
    BOATSMEN_CHURCH: "M5 21.5V13L12 8L19 13V21.5ZM12 8V1.8M9.8 4H14.2M10 21.5V17.5C10 15 14 15 14 17.5V21.5",
    ST_MICHAELIS: "M8.5 21.5V9H15.5V21.5M5.5 21.5H18.5M8.5 9C8.5 6 10 5 12 2C14 5 15.5 6 15.5 9M12 15.2V13.3l1.3-.7",
    CHAMBER_OF_COMMERCE: (
        "M12 3V20M7 20.5H17M4.5 6.5C8 6.5 9.5 5 12 5C14.5 5 16 6.5 19.5 6.5M1.8 13L4.8 6.8L7.8 13ZM16.2 13l3-6.2l3 6.2Z"
    ),
    PORT: (
        "M12 8V21M7.5 11H16.5M4 14C4.5 18.5 8 21 12 21C16 21 19.5 18.5 20 14"
        "M2.5 16L4 13.6L6.2 15.4M17.8 15.4L20 13.6L21.5 16"
    ),
}
_BEADS = ((7.5, 7), (12, 7), (9.5, 12), (16.5, 12), (12, 17), (16.5, 17))
"""Of the counting office's abacus."""
_MERCHANT_STALL = "M3 9L5 3.5H19L21 9ZM5 9.5V21.5H19V9.5M9 3.5L8 9M15 3.5L16 9"


def kind(number: int, size: float = 24, ink: str = "@ink") -> str:
    """The picture of a kind of card; a merchant's stall shows the good that it buys."""
    if number in _KIND_PATHS:
        inner = path(_KIND_PATHS[number], stroke=ink, stroke_width=1.7)
        if number == COUNTING_OFFICE:
            inner += "".join(circle(x, y, 2.1, ink) for x, y in _BEADS)
        if number == PORT:
            inner += circle(12, 5.3, 2.6, "none", ink, 1.7)
        if number == ST_MICHAELIS:
            inner += circle(12, 14.6, 2.4, "none", ink, 1.3)
        return moved(0, 0, inner, size / 24)
    stall = path(_MERCHANT_STALL, stroke=ink, stroke_width=1.7)
    return moved(0, 0, stall + moved(6.5, 10.7, cube(number - COFFEE_ROASTER, 11)), size / 24)
