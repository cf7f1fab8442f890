"""Every mistake of a mechanism file at its place: what is wrong is taken out, and the rest is read again."""

from __future__ import annotations

import copy
import re
from typing import Any

from closedchain.describe.files import BadFile, loads, parse_toml
from closedchain.describe.locate import line_of
from closedchain.errors import ClosedChainError
from closedchain.studio.operations.staging import written

MOST = 20  # mistakes that are told
COLUMN = re.compile(r"column (\d+)")
STEP = re.compile(r"[^.\[\]]+|\[\d+\]")
WORD = re.compile(r"[A-Za-z_]\w*")
HOLDERS = ("drives", "points", "plates", "parameters")

Mistake = dict[str, Any]


def mistakes(error: ClosedChainError, text: str) -> list[Mistake]:
    """The mistake that stopped the reading, and the others of the text, by their lines."""
    if not isinstance(error, BadFile):
        return [told(text, place_of(error, text), " ".join(str(error).split()))]
    try:
        document = parse_toml(text, "definition")
    except BadFile:
        return sorted(_syntax(text), key=lambda row: row["line"])
    found = [told(text, place, f"{place}: {problem}" if place else problem) for place, problem in _reading(document)]
    return sorted(found, key=lambda row: row["line"])


def _syntax(text: str) -> list[Mistake]:
    """What is not TOML, line by line: a wrong line is left blank to find the next one."""
    lines, found = text.split("\n"), list[Mistake]()
    for _ in range(MOST):
        try:
            parse_toml("\n".join(lines), "definition")
        except BadFile as error:
            line = error.line or 1
            if any(row["line"] == line for row in found):
                break
            column = COLUMN.search(error.problem)
            at = int(column[1]) if column else 1
            found.append({"line": line, "column": at, "message": " ".join(error.problem.split())})
            lines[line - 1] = ""
        else:
            break
    return found


def _reading(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Places and problems; what follows from another mistake is not told."""
    rest, found, gone = copy.deepcopy(document), list[tuple[str, str]](), set[str]()
    order = {key: list(range(len(rows))) for key, rows in rest.items() if isinstance(rows, list)}
    while len(found) < MOST and (error := _first(rest)) is not None:
        if not _follows(error, gone):
            found.append((_original(error.place, order), error.problem))
        mended = _mended(rest, error)
        if mended is not None:
            rest = mended
        elif not _take_out(rest, error.place, order, gone):
            break
    return list(dict.fromkeys(found))


def _follows(error: BadFile, gone: set[str]) -> bool:
    """Whether a problem may come from what was taken out: it names it, or it is one of the whole."""
    return bool(gone) and (len(STEP.findall(error.place)) < 2 or bool(gone & set(WORD.findall(error.problem))))


def _first(document: dict[str, Any]) -> BadFile | None:
    """What stops the reading first."""
    try:
        loads(written(document), "definition")
    except BadFile as error:
        return error
    return None


def _mended(document: dict[str, Any], error: BadFile) -> dict[str, Any] | None:
    """The document without the wrong value, or with a plain number for it, where the reading then goes on further."""
    *way, last = STEP.findall(error.place) or [""]
    for keep in (False, True):
        tried = copy.deepcopy(document)
        inside: Any = tried
        for step in way:
            key: Any = int(step[1:-1]) if step.startswith("[") else step
            inside = inside[key] if isinstance(inside, dict | list) and _has(inside, key) else None
        if not isinstance(inside, dict) or last not in inside or isinstance(inside[last], dict) or not way:
            return None
        if keep:
            inside[last] = 1.0
        else:
            del inside[last]
        after = _first(tried)
        if after is None or not after.place.startswith(error.place):
            return tried
    return None


def _has(inside: dict[str, Any] | list[Any], key: Any) -> bool:
    return key in inside if isinstance(inside, dict) else isinstance(key, int) and key < len(inside)


def _original(place: str, order: dict[str, list[int]]) -> str:
    """A place as the file counts it: entries that were taken out before it count too."""
    steps = STEP.findall(place)
    if len(steps) > 1 and steps[0] in order and steps[1].startswith("["):
        number = int(steps[1][1:-1])
        if number < len(order[steps[0]]):
            return place.replace(f"{steps[0]}{steps[1]}", f"{steps[0]}[{order[steps[0]][number]}]", 1)
    return place


def _take_out(rest: dict[str, Any], place: str, order: dict[str, list[int]], gone: set[str]) -> bool:
    """Remove the element with the mistake; its names are gone with it. Whether there was one: not if all is wrong."""
    steps = STEP.findall(place)
    if not steps:
        return False
    inside = rest.get(steps[0])
    if isinstance(inside, list) and len(steps) > 1 and steps[1].startswith("["):
        number = int(steps[1][1:-1])
        if number >= len(inside):
            return False
        gone |= _names(inside.pop(number)) | {steps[0]}
        order[steps[0]].pop(number)
        return True
    if isinstance(inside, dict) and len(steps) > 1 and steps[1] in inside:
        gone |= {steps[1]} | _names(inside.pop(steps[1]))
        return True
    if steps[0] in rest and steps[0] not in (*HOLDERS, "bars"):
        gone |= {steps[0]}
        del rest[steps[0]]
        return True
    return False


def _names(element: Any) -> set[str]:
    """What others may call an element or its points."""
    if not isinstance(element, dict):
        return set()
    points = element.get("points")
    own = {str(element[key]) for key in ("point", "name") if key in element}
    return own | (set(points) if isinstance(points, dict) else set())


def place_of(error: ClosedChainError, text: str) -> str:
    """The element that an error of the robot itself is about: the first that it names."""
    try:
        document = parse_toml(text, "definition")
    except BadFile:
        return ""
    words = str(error)
    for number, bar in enumerate(document.get("bars", [])):
        ends = bar.get("between", []) if isinstance(bar, dict) else []
        if len(ends) == 2 and f"{ends[0]}-{ends[1]}" in words:
            return f"bars[{number}]"
    named = {name: f"{holder}.{name}" for holder in HOLDERS for name in document.get(holder, {})}
    return next((named[word] for word in WORD.findall(words.partition(":")[2]) if word in named), "name")


def _beginning(text: str, place: str) -> int:
    """The first line of a table that is written in parts: [drives.q1] of drives."""
    heads = (n for n, line in enumerate(text.split("\n"), start=1) if re.match(rf"\s*\[+\s*{re.escape(place)}\b", line))
    return next(heads, 1) if place else 1


def told(text: str, place: str, message: str) -> Mistake:
    """A mistake with its line and column from 1: those of the key that is wrong."""
    line = line_of(text, place) or _beginning(text, place)
    shown = (text.split("\n") + [""] * line)[line - 1]
    key = next((step for step in reversed(STEP.findall(place)) if not step.startswith("[")), "")
    at = re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-])", shown) if key else None
    column = at.start() if at else len(shown) - len(shown.lstrip())
    return {"line": line, "column": column + 1, "message": " ".join(message.split())}
