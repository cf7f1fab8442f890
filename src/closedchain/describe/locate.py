"""Where a key stands in a TOML text: `bars[1].length` → its line, for error messages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

_TOKEN = re.compile(
    r'''(?P<skip>[ \t\r]+|\#[^\n]*)
      | (?P<newline>\n)
      | (?P<string>"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*')
      | (?P<mark>[\[\]{}=,.])
      | (?P<bare>[^\s\[\]{}=,."'\#]+)''',
    re.VERBOSE | re.DOTALL,
)
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]{1,40}")


def join(place: str, key: str) -> str:
    """The place of a key in a table; a key that is no plain word is quoted and cut."""
    shown = key if _PLAIN_KEY.fullmatch(key) else repr(key[:40])
    return f"{place}.{shown}" if place else shown


def line_of(source: str, place: str) -> int | None:
    """The line of the key at `place`, or of the nearest table around it."""
    lines = Scanner(source).scan()
    while place and place not in lines:
        place = place[: max(place.rfind("."), place.rfind("["), 0)]
    return lines.get(place)


class Scanner:
    """Walks a text that is known to be valid TOML and notes where each key begins."""

    def __init__(self, source: str) -> None:
        self.tokens = list(_tokens(source))  # (kind, text, line)
        self.at = 0
        self.lines: dict[str, int] = {}
        self.counts: dict[str, int] = {}  # arrays of tables → how many so far

    def scan(self) -> dict[str, int]:
        """Key path → line, counted from 1."""
        table = ""
        while self.at < len(self.tokens):
            kind, text, _ = self.tokens[self.at]
            if kind == "newline":
                self.at += 1
            elif text == "[" and kind == "mark":
                table = self._header()
            else:
                self._pair(table)
        return self.lines

    def _header(self) -> str:
        line = self.tokens[self.at][2]
        many = self._text(1) == "["
        self.at += 2 if many else 1
        *parents, last = self._key("]")
        self.at += 1 if many else 0
        place = ""
        for part in parents:
            place = self._newest(join(place, part))
        place = join(place, last)
        if many:
            self.counts[place] = self.counts.get(place, 0) + 1
            self.lines.setdefault(place, line)
            place = self._newest(place)
        self.lines.setdefault(place, line)
        return place

    def _newest(self, place: str) -> str:
        return f"{place}[{self.counts[place] - 1}]" if place in self.counts else place

    def _pair(self, table: str) -> None:
        line = self.tokens[self.at][2]
        place = table
        for part in self._key("="):
            place = join(place, part)
            self.lines.setdefault(place, line)
        self._value(place)

    def _key(self, end: str) -> list[str]:
        parts = []
        while self._text(0) not in {end, ""}:
            kind, text, _ = self.tokens[self.at]
            if kind == "string":
                parts.append(tomllib.loads(f"key = {text}")["key"])
            elif kind == "bare":
                parts.append(text)
            self.at += 1
        self.at += 1
        return parts or [""]

    def _value(self, place: str) -> None:
        self._skip_newlines()
        opening = self._text(0)
        if opening not in {"{", "["}:
            while self._text(0) not in {",", "]", "}", ""} and self.tokens[self.at][0] != "newline":
                self.at += 1
            return
        self.at += 1
        index = 0
        while True:
            self._skip_newlines()
            if self._text(0) in {"]", "}", ""}:
                break
            if self._text(0) == ",":
                self.at += 1
            elif opening == "{":
                self._pair(place)
            else:
                self.lines.setdefault(f"{place}[{index}]", self.tokens[self.at][2])
                self._value(f"{place}[{index}]")
                index += 1
        self.at += 1

    def _skip_newlines(self) -> None:
        while self.at < len(self.tokens) and self.tokens[self.at][0] == "newline":
            self.at += 1

    def _text(self, ahead: int) -> str:
        """A mark's text; of anything else a stand-in, and "" at the end."""
        if self.at + ahead >= len(self.tokens):
            return ""
        kind, text, _ = self.tokens[self.at + ahead]
        return text if kind == "mark" else kind


def _tokens(source: str) -> Iterator[tuple[str, str, int]]:
    line = 1
    for match in _TOKEN.finditer(source):
        kind, text = match.lastgroup or "", match[0]
        if kind != "skip":
            yield kind, text, line
        line += text.count("\n")
