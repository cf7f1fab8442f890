"""The little of YAML that closes loops: a key on each line with a word, a number, a list in brackets or of dashes.

Nothing else is read, least of all tags, anchors and documents; what is not understood is an error with its line.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from closedchain.describe.files import BadFile, read_text

_KEY = re.compile(r"([A-Za-z_][\w-]*)\s*:(?:\s+(.*))?$")
_TOKEN = re.compile(r"""\s*(?:([\[\],])|'((?:[^']|'')*)'|"((?:[^"\\]|\\.)*)"|([^\[\],'"#{}&*!|>%@`]+))""")
_DASH = re.compile(r"\s*-\s+(?=\S)")
MAX_DEPTH = 8
Lists = list[tuple[int, list[Any]]]  # each with the column of its dashes, the outermost first


def read_yaml(path: Path) -> dict[str, Any]:
    """The keys of a file."""
    return loads(read_text(path), str(path))


def loads(source: str, origin: str = "text") -> dict[str, Any]:
    """The keys of a text: words, numbers and lists of them."""
    found: dict[str, Any] = {}
    key = ""
    lists: Lists = []  # of dashes, open below the key
    lines = [line.rstrip() for line in source.split("\n")]
    i = 0
    while i < len(lines):
        line, number = _uncommented(lines[i]), i + 1
        i += 1
        if not line.strip() or line in ("---", "..."):
            continue
        match = _KEY.match(line)
        if _DASH.match(line) and key and (lists or found[key] == []):
            lists = _listed(line, lists or [(_indent(line), found[key])], origin, number)
        elif match:
            lists = []
            key, text = match[1], match[2] or ""
            if key in found:
                raise BadFile(origin, key, "the same key is given twice; keep one", number)
            while text.count("[") > text.count("]") and i < len(lines):
                text += " " + _uncommented(lines[i])
                i += 1
            found[key] = _value(text, origin, number) if text.strip() else []
        else:
            raise BadFile(
                origin, "", f"{line.strip()[:40]!r} is not read; write key: [list], or - items below a key", number
            )
    return found


def _listed(line: str, lists: Lists, origin: str, number: int) -> Lists:
    """Put a line's item into the list whose dashes stand in its column; `- - a` begins a list in a list."""
    column = _indent(line)
    lists = [one for one in lists if one[0] <= column]
    if not lists or lists[-1][0] != column:
        raise BadFile(origin, "", "its dash stands below no other; begin the items of a list in one column", number)
    at = 0
    while match := _DASH.match(line, at):
        column, at = match.start() + len(match[0]) - len(match[0].lstrip()), match.end()
        if column != lists[-1][0]:
            inner: list[Any] = []
            lists[-1][1].append(inner)
            lists.append((column, inner))
        if len(lists) > MAX_DEPTH:
            raise BadFile(origin, "", "lists nested too deep; two levels are enough", number)
    lists[-1][1].append(_value(line[at:], origin, number))
    return lists


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _uncommented(line: str) -> str:
    """The line up to a # that stands outside quotes."""
    quote = ""
    for i, letter in enumerate(line):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "#" and (i == 0 or line[i - 1].isspace()):
            return line[:i].rstrip()
    return line


def _value(text: str, origin: str, line: int) -> Any:
    """A word, a number, or a list in brackets."""
    stack: list[list[Any]] = [[]]
    at = 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None or (match[4] is not None and not match[4].strip() and match.end() < len(text.rstrip())):
            raise BadFile(origin, "", f"{text[at : at + 30]!r} is not read; words, numbers and [lists] are", line)
        at = match.end()
        mark, single, double, bare = match.groups()
        if mark == "[":
            if len(stack) > MAX_DEPTH:
                raise BadFile(origin, "", "lists nested too deep; two levels are enough", line)
            stack.append([])
        elif mark == "]":
            if len(stack) < 2:
                raise BadFile(origin, "", "a ] without its [", line)
            closed = stack.pop()
            stack[-1].append(closed)
        elif mark is None:
            stack[-1].append(_word(single, double, bare))
    if len(stack) != 1:
        raise BadFile(origin, "", "a [ without its ]", line)
    return stack[0][0] if len(stack[0]) == 1 else stack[0]


def _word(single: str | None, double: str | None, bare: str | None) -> Any:
    if single is not None:
        return single.replace("''", "'")
    if double is not None:
        return re.sub(r"\\(.)", r"\1", double)
    text = (bare or "").strip()
    try:
        return float(text)
    except ValueError:
        return text
