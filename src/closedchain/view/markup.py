"""A little Markdown as HTML: headings, paragraphs, lists, code, bold, italic, links. Everything else is plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

_BLOCK = re.compile(r"^(?:(#{1,3})\s+(.*)|([-*]|\d+[.)])\s+(.*)|(```).*)$")
_INLINE = re.compile(
    r"`(?P<code>[^`]+)`|\*\*(?P<bold>[^*]+)\*\*|\*(?P<italic>[^*\s](?:[^*]*[^*\s])?)\*|\[(?P<text>[^\]]+)\]\((?P<to>[^)\s]+)\)"
)
_LINK = re.compile(r"(?:https?://|mailto:|#)[^\s\"'<>]+")


@dataclass(frozen=True)
class Heading:
    """A heading of level 1 to 3."""

    level: int
    words: str


@dataclass(frozen=True)
class Paragraphs:
    """Everything between headings, as HTML."""

    html: str


def parse(text: str) -> Iterator[Heading | Paragraphs]:
    """The headings of a text and the HTML between them, in order."""
    lines, writer = iter(text.splitlines()), _Writer()
    for line in lines:
        match = _BLOCK.match(line.strip())
        if match is None:
            writer.words(line.strip())
        elif match[1]:
            yield from writer.done()
            yield Heading(len(match[1]), match[2])
        elif match[5]:
            writer.flush()
            writer.html.append(code("\n".join(_fenced(lines))))
        else:
            writer.item(match[4], "ol" if match[3][0].isdigit() else "ul")
    yield from writer.done()


class _Writer:
    """The paragraph or list that is being read, and the HTML before it."""

    def __init__(self) -> None:
        self.html: list[str] = []
        self.open: list[str] = []  # lines of the paragraph, or items of the list
        self.tag = "p"

    def words(self, line: str) -> None:
        """A line of plain words: more of the paragraph or item; an empty one ends it."""
        if not line:
            self.flush()
        elif self.open:
            self.open[-1] += f" {line}"
        else:
            self.open.append(line)

    def item(self, line: str, tag: str) -> None:
        """A list's next item."""
        if self.tag != tag:
            self.flush()
        self.tag = tag
        self.open.append(line)

    def flush(self) -> None:
        """Close what is open."""
        if self.open and self.tag == "p":
            self.html.append(f"<p>{inline(self.open[0])}</p>")
        elif self.open:
            self.html.append(f"<{self.tag}>{''.join(f'<li>{inline(item)}</li>' for item in self.open)}</{self.tag}>")
        self.open, self.tag = [], "p"

    def done(self) -> Iterator[Paragraphs]:
        """Everything read since the last heading."""
        self.flush()
        if self.html:
            yield Paragraphs("\n".join(self.html))
        self.html = []


def _fenced(lines: Iterator[str]) -> Iterator[str]:
    """The lines up to the closing fence, or to the end of the text."""
    for line in lines:
        if line.strip() == "```":
            return
        yield line


def code(text: str) -> str:
    """A block of code, as it is."""
    return f"<pre><code>{escape(text)}</code></pre>"


def inline(text: str) -> str:
    """Bold, italic, code and links of one line; a link leads to the web, to mail or within the page, nowhere else."""
    html, end = [], 0
    for match in _INLINE.finditer(text):
        html.append(escape(text[end : match.start()]))
        end = match.end()
        if match["code"] is not None:
            html.append(f"<code>{escape(match['code'])}</code>")
        elif match["bold"] is not None:
            html.append(f"<strong>{escape(match['bold'])}</strong>")
        elif match["italic"] is not None:
            html.append(f"<em>{escape(match['italic'])}</em>")
        elif _LINK.fullmatch(match["to"]):
            html.append(f'<a href="{escape(match["to"])}" rel="noreferrer">{escape(match["text"])}</a>')
        else:
            html.append(escape(match[0]))
    html.append(escape(text[end:]))
    return "".join(html)
