"""Elements of SVG as text, in user units: 1 unit is 1 pixel of a drawing shown at its own size."""

from __future__ import annotations

from html import escape

__all__ = ["balanced", "circle", "fitting", "group", "moved", "number", "path", "rect", "text", "text_width", "wrapped"]

_WIDTHS = {
    28: "ijl", 30: "'I", 32: " ,.", 34: ":;|", 35: "f", 39: "()[]t", 41: "r!", 43: "-/", 50: '*`"', 52: "sz", 53: "?",
    55: "c", 56: "JL", 58: "k", 59: "vxy", 60: "P", 61: "FTao", 63: "ESbdghnpqu_e", 64: "$0123456789{}", 65: "Y",
    68: "AV", 69: "BRXZ", 70: "C", 72: "K", 73: "U", 75: "HN", 77: "DG", 79: "&OQ", 82: "w", 84: "#+<=>^~−×",
    87: "M", 95: "%", 97: "m", 100: "W@", 32.5: "·", 50.5: "–",
}  # fmt: skip
_WIDTH_OF = {letter: width / 100 for width, letters in _WIDTHS.items() for letter in letters}
_WIDEST = 1.0
BOLD_FACTOR = 1.1
"""Bold letters are at most this much wider in the fonts of the drawing."""


def text_width(words: str, size: float, bold: bool = False) -> float:
    """The greatest width of a text: for each letter that of the wider of DejaVu Sans and Hanken Grotesk.

    A reader may have other fonts. A text that fits by these widths fits in all usual fonts.
    """
    width = sum(_WIDTH_OF.get(letter, _WIDEST) for letter in words) * size
    return width * BOLD_FACTOR if bold else width


def fitting(words: str, size: float, width: float, bold: bool = False) -> float:
    """The largest size up to `size` at which a text fits into a width."""
    return min(size, width / text_width(words, 1, bold))


def wrapped(words: str, size: float, width: float, bold: bool = False) -> list[str]:
    """A text in lines of at most a width."""
    lines: list[str] = []
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size, bold) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def balanced(words: str, size: float, width: float) -> list[str]:
    """A text in lines of at most a width that are about equally long, for centred text."""
    lines = wrapped(words, size, width)
    while len(lines) > 1 and len(narrower := wrapped(words, size, width - size)) == len(lines):
        lines, width = narrower, width - size
    return lines


def number(value: float) -> str:
    """A coordinate, to a hundredth."""
    return f"{round(value, 2):g}"


def text(
    x: float,
    y: float,
    words: object,
    size: float = 12,
    fill: str = "@ink",
    bold: bool = False,
    anchor: str = "start",
    then: str = "",
) -> str:
    """A text on a base line, and `then` after it in plain, muted letters.

    `anchor` is the part of the text that is at x: "start", "middle" or "end".
    """
    weight = ' font-weight="600"' if bold else ""
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    content = escape(str(words), quote=False)
    if then:
        gap = number(0.35 * size)
        content += f'<tspan dx="{gap}" fill="@muted" font-weight="400">{escape(then, quote=False)}</tspan>'
    where = f'x="{number(x)}" y="{number(y)}"'
    return f'<text {where} font-size="{number(size)}" fill="{fill}"{weight}{place}>{content}</text>'


def rect(
    x: float,
    y: float,
    width: float,
    height: float,
    fill: str = "none",
    stroke: str = "",
    radius: float = 0,
    stroke_width: float = 1,
    dashes: str = "",
    extra: str = "",
) -> str:
    """A rectangle; half of its stroke is inside."""
    rounded = f' rx="{number(radius)}"' if radius else ""
    place = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"{rounded}'
    return f'<rect {place} fill="{fill}"{_stroke(stroke, stroke_width, dashes)}{extra}/>'


def circle(x: float, y: float, radius: float, fill: str, stroke: str = "", stroke_width: float = 1) -> str:
    """A circle around a centre."""
    place = f'cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"'
    return f'<circle {place} fill="{fill}"{_stroke(stroke, stroke_width)}/>'


def path(data: str, fill: str = "none", stroke: str = "", stroke_width: float = 1, dashes: str = "") -> str:
    """A path from SVG's path data; line ends and joins are round."""
    joined = ' stroke-linecap="round" stroke-linejoin="round"' if stroke else ""
    return f'<path d="{data}" fill="{fill}"{_stroke(stroke, stroke_width, dashes)}{joined}/>'


def _stroke(stroke: str, width: float, dashes: str = "") -> str:
    if not stroke:
        return ""
    wide = "" if width == 1 else f' stroke-width="{number(width)}"'
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f' stroke="{stroke}"{wide}{dashed}'


def moved(x: float, y: float, inner: str, scale: float = 1) -> str:
    """A part of the drawing, moved and scaled."""
    if not inner:
        return ""
    scaled = "" if scale == 1 else f" scale({number(scale)})"
    return f'<g transform="translate({number(x)} {number(y)}){scaled}">{inner}</g>'


def group(inner: str, title: str = "", **hooks: str) -> str:
    """A group of parts with a tooltip, and ``data-`` attributes by which scripts find it."""
    tooltip = f"<title>{escape(title, quote=False)}</title>" if title else ""
    attributes = "".join(
        f' {"class" if name == "css" else "data-" + name}="{escape(value)}"' for name, value in hooks.items() if value
    )
    return f"<g{attributes}>{tooltip}{inner}</g>"
