"""XML from strangers: no DTD, no entities, bounded in size and depth; every mistake has its line."""

from __future__ import annotations

import math
import re
from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.files import BadFile

MAX_BYTES = 20_000_000
MAX_ELEMENTS = 100_000
MAX_DEPTH = 200


class Document:
    """A parsed file: its root, and errors that name file, line and element."""

    def __init__(self, text: str, origin: str) -> None:
        self.origin = origin
        self.lines: dict[int, int] = {}  # id of an element → its line
        self._builder = TreeBuilder()
        self._depth = 0
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._builder.data
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.EntityDeclHandler = self._refuse
        self._parser.ProcessingInstructionHandler = None
        try:
            self._parser.Parse(text.encode("utf-8"), True)
            self.root: Element = self._builder.close()
        except expat.ExpatError as error:
            raise BadFile(
                origin, "", f"not XML: {expat.ErrorString(error.code)}; check the tags", error.lineno
            ) from None

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise BadFile(self.origin, "", f"elements nested deeper than {MAX_DEPTH}", self._parser.CurrentLineNumber)
        element = self._builder.start(tag, attributes)
        self.lines[id(element)] = self._parser.CurrentLineNumber
        if len(self.lines) > MAX_ELEMENTS:
            raise BadFile(self.origin, "", f"more than {MAX_ELEMENTS} elements; that is no robot")

    def _end(self, tag: str) -> None:
        self._depth -= 1
        self._builder.end(tag)

    def _refuse(self, *_: object) -> None:
        line = self._parser.CurrentLineNumber
        raise BadFile(self.origin, "", "a document type or entity is declared; take it out, none is read", line)

    def problem(self, element: Element, what: str) -> BadFile:
        """An error at an element."""
        name = element.get("name")
        place = f"<{element.tag[:40]}{f' name={name[:60]!r}' if name else ''}>"
        return BadFile(self.origin, place, what, self.lines.get(id(element)))

    def numbers(self, element: Element, words: str | None, count: int | None, what: str) -> Doubles:
        """The numbers of an attribute or text; exactly `count` of them where it is given."""
        parts = (words or "").split()
        try:
            values = [float(part) for part in parts]
        except ValueError:
            raise self.problem(element, f"{what} = {(words or '')[:60]!r} is not made of numbers") from None
        if count is not None and len(values) != count:
            raise self.problem(
                element, f"{what} = {(words or '')[:60]!r} has {len(values)} numbers; {count} are needed"
            )
        if not all(map(math.isfinite, values)):
            raise self.problem(element, f"{what} = {(words or '')[:60]!r} is not finite")
        return np.array(values)

    def unit(self, element: Element, vector: Doubles, what: str) -> Doubles:
        """A direction, made of length 1."""
        size = math.hypot(*vector)
        if size < 1e-10:
            raise self.problem(element, f"{what} has no length; give a direction")
        return vector if abs(size - 1.0) < 1e-15 else vector / size


def read_xml(path: Path) -> Document:
    """The document in an ordinary file."""
    try:
        if not path.is_file():
            raise BadFile(str(path), "", "is no file; name an .xml, .sdf or .urdf file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadFile(str(path), "", f"cannot be read: {(error.strerror or 'not a path').lower()}") from None
    if len(data) > MAX_BYTES:
        raise BadFile(str(path), "", f"is larger than {MAX_BYTES} bytes; a robot's description is small")
    declared = re.match(rb"\s*<\?xml[^>]*encoding=[\"']([A-Za-z0-9_-]+)", data)
    if declared and declared[1].lower() not in (b"utf-8", b"us-ascii", b"ascii"):
        raise BadFile(str(path), "", f"is encoded as {declared[1].decode()}; save it as UTF-8", 1)
    try:
        return Document(data.decode("utf-8-sig"), str(path))
    except UnicodeDecodeError as error:
        raise BadFile(
            str(path), "", "is not UTF-8 text; save it as UTF-8", data.count(b"\n", 0, error.start) + 1
        ) from None
