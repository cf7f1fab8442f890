"""Reads the pages we write with the standard library's HTML parser, which knows nothing of how they are made."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any


class Reader(HTMLParser):
    """Every element with its attributes and the text directly inside it, in order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.open: list[int] = []
        self.inside: list[list[str]] = []  # the tags around each element

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs), []))
        self.inside.append([self.elements[i][0] for i in self.open])
        if tag not in ("meta", "input", "img", "br"):
            self.open.append(len(self.elements) - 1)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.elements[self.open.pop()][0] == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.elements[self.open[-1]][2].append(data)

    def all(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        """Return the attributes and text of every element of a kind."""
        return [(attributes, "".join(text)) for name, attributes, text in self.elements if name == tag]


def read(text: str) -> Reader:
    """Parse a page; every element must be closed."""
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert not reader.open
    return reader


def payloads(reader: Reader) -> list[dict[str, Any]]:
    """Return the data of each animation of a page."""
    return [json.loads(text) for a, text in reader.all("script") if a.get("type") == "application/json"]


def assert_self_contained(text: str) -> None:
    """Assert that nothing is fetched and that the page's policy names each of its scripts and styles by hash."""
    reader = read(text)
    assert not re.search(r"https?:", text)
    for tag, attributes, _ in reader.elements:
        assert tag not in ("link", "iframe", "object", "embed", "base", "form")
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        assert (attributes.get("src") or "data:").startswith("data:")
        assert (attributes.get("href") or "#").startswith(("#", "data:"))
    (policy,) = [a["content"] or "" for a, _ in reader.all("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    inline = [text for a, text in reader.all("script") if not a] + [text for _, text in reader.all("style")]
    for code in inline:
        digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
