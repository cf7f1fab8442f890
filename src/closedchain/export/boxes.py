"""Typeset pieces: MathML elements with an estimate of their width, and where a line may be broken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

ROOM = 30.0  # [em] a line's width: half of a small screen
LINES = {"class": "lines", "displaystyle": "true"}  # of a table that is no matrix
INDENT = 1.5  # [em] of the lines after a first one
SCRIPT = 0.72  # the size of an index or a power
CHARACTER = {"mi": 0.58, "mn": 0.62, "mtext": 0.55}  # [em] a character's width, in a wide font
LETTER, CAPITAL = 0.73, 1.1  # [em] a single one, which is slanted
# [em] with the room about them
SPACED = {"+": 1.25, "−": 1.25, "=": 1.35, "⋅": 0.8, "(": 0.52, ")": 0.52, "[": 0.5, "]": 0.5, "|": 0.3}
INVISIBLE = {"\u2061": 0.0, "\u2062": 0.12}  # a function is applied; times
OTHER_OPERATOR = 0.55  # [em]


@dataclass(frozen=True)
class Box:
    """Elements side by side; where they are too wide for a line, it is broken between the pieces."""

    items: tuple[ET.Element, ...]
    width: float  # [em] about
    pieces: tuple[Box, ...] = ()

    @property
    def element(self) -> ET.Element:
        """As one element."""
        return self.items[0] if len(self.items) == 1 else tag("mrow", *self.items)


def tag(name: str, *children: ET.Element, text: str = "", **attributes: str) -> ET.Element:
    """An element with its children."""
    made = ET.Element(name, attributes)
    made.text = text or None
    made.extend(children)
    return made


def token(name: str, text: str, **attributes: str) -> Box:
    """A name, a number, a text or an operator."""
    if name == "mo":
        width = SPACED.get(text, INVISIBLE.get(text, OTHER_OPERATOR))
    else:
        single = CAPITAL if text.isupper() else LETTER
        width = single if name == "mi" and len(text) == 1 else CHARACTER[name] * len(text)
    return Box((tag(name, text=text, **attributes),), width)


def joined(*boxes: Box) -> Box:
    """Side by side, to be broken only where its last box is."""
    if len(boxes) == 1:
        return boxes[0]
    *before, last = boxes
    pieces = (joined(*before, last.pieces[0]), *last.pieces[1:]) if last.pieces else ()
    return Box(sum((box.items for box in boxes), ()), sum(box.width for box in boxes), pieces)


def chain(boxes: Sequence[Box]) -> Box:
    """Side by side, to be broken between any two."""
    if len(boxes) == 1:
        return boxes[0]
    return Box(sum((box.items for box in boxes), ()), sum(box.width for box in boxes), tuple(boxes))


def fenced(inner: Box, opening: str = "(", closing: str = ")", power: Box | None = None) -> Box:
    """In brackets that grow with what they hold; of several lines the first begins and the last ends with one."""
    left, right = token("mo", opening, form="prefix"), token("mo", closing, form="postfix")
    whole = tag("mrow", *left.items, *inner.items, *right.items)
    end = right
    if power:
        whole = tag("msup", whole, power.element)
        end = Box((tag("msup", right.element, power.element),), right.width + SCRIPT * power.width)
    pieces: tuple[Box, ...] = ()
    if inner.pieces:
        first, *middle, last = inner.pieces
        pieces = (joined(left, first), *middle, followed(last, end))
    return Box((whole,), left.width + inner.width + end.width, pieces)


def followed(box: Box, end: Box) -> Box:
    """With something behind it that no line begins with."""
    pieces = (*box.pieces[:-1], followed(box.pieces[-1], end)) if box.pieces else ()
    return Box(box.items + end.items, box.width + end.width, pieces)


def fraction(above: Box, below: Box) -> Box:
    """One over the other, each over as many lines as it needs."""
    above, below = (stacked(part, ROOM) for part in (above, below))
    return Box((tag("mfrac", above.element, below.element),), max(above.width, below.width) + 0.3)


def stacked(box: Box, room: float) -> Box:
    """The box itself where there is room, else its lines under one another."""
    lines = broken(box, room)
    if len(lines) == 1:
        return box
    rows = [tag("mtr", tag("mtd", *_indented(line, k))) for k, line in enumerate(lines)]
    width = max(sum(part.width for part in line) + INDENT * bool(k) for k, line in enumerate(lines))
    return Box((tag("mtable", *rows, **LINES),), width)


def _indented(line: list[Box], k: int) -> list[ET.Element]:
    space = [tag("mspace", width=f"{INDENT}em")] if k else []
    return space + [item for part in line for item in part.items]


def broken(box: Box, room: float, used: float = 0.0) -> list[list[Box]]:
    """Lines no wider than the room, as far as that can be; `used` is taken of the first."""
    if used + box.width <= room or not box.pieces:
        return [[box]]
    lines: list[list[Box]] = [[]]
    for piece in box.pieces:
        taken = sum(part.width for part in lines[-1]) + (used if len(lines) == 1 else INDENT)
        if taken + piece.width <= room:
            lines[-1].append(piece)
        elif INDENT + piece.width <= room or not piece.pieces:
            is_free = not lines[-1] and (len(lines) > 1 or not used)
            lines[-1].append(piece) if is_free else lines.append([piece])
        else:
            first, *more = broken(piece, room, taken)
            lines[-1] += first
            lines += more
    return lines


def is_stacked(box: Box) -> bool:
    """Whether some of it is in several lines."""
    return any(inner.tag == "mtable" for item in box.items for inner in item.iter())


def matrix(rows: list[list[Box]]) -> Box:
    """A table in square brackets."""
    widths = [max(row[j].width for row in rows) for j in range(len(rows[0]))]
    cells = [tag("mtr", *(tag("mtd", *box.items) for box in row)) for row in rows]
    table = tag("mtable", *cells)
    left, right = token("mo", "[", form="prefix"), token("mo", "]", form="postfix")
    return Box((tag("mrow", *left.items, table, *right.items),), sum(widths) + 0.8 * len(widths) + 0.8)
