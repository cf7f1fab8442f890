"""A document in one HTML file: text, tables, figures, animations; for screen and paper, light and dark."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from closedchain.errors import BadInput
from closedchain.files import atomic_write
from closedchain.model.model import Model
from closedchain.view import markup
from closedchain.view.animation import player
from closedchain.view.page import asset, frame, html_page
from closedchain.view.record import Recording
from closedchain.view.style import picture

LARGEST = 400_000  # bytes of a figure as SVG; a larger one is embedded as PNG


@dataclass(frozen=True)
class Section:
    """A piece of a report: HTML, and a heading's level and words where it is one."""

    html: str
    level: int = 0
    words: str = ""
    plays: bool = False
    frame: str = ""  # the text of a page that it shows


class Report:
    """Collects sections in order; every method returns the report itself, `save` writes it.

    Report("Biglide").text("# Tracking").figure(figure_tracking(model, run), "Errors").save("biglide.html")
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self.sections: list[Section] = []

    def text(self, markdown: str) -> Report:
        """Headings (#, ##, ###), paragraphs, lists, `code`, **bold**, *italic*, [links](#to)."""
        for part in markup.parse(markdown):
            if isinstance(part, markup.Heading):
                self.sections.append(Section("", part.level, part.words))
            else:
                self.sections.append(Section(part.html))
        return self

    def table(self, headers: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> Report:
        """A table; numbers are written with six digits and set right."""
        body = []
        for number, row in enumerate(rows):
            if len(row) != len(headers):
                raise BadInput(f"row {number} of the table has {len(row)} cells under {len(headers)} headers")
            body.append(f"<tr>{''.join(map(_cell, row))}</tr>")
        head = "".join(f'<th scope="col">{escape(str(h))}</th>' for h in headers)
        above = f"<caption>{markup.inline(caption)}</caption>" if caption else ""
        table = f"<table>{above}<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
        self.sections.append(Section(f'<div class="wide">{table}</div>'))
        return self

    def figure(self, figure: Figure, caption: str = "") -> Report:
        """A Matplotlib figure, drawn as SVG, or as PNG where that would be smaller than a large SVG."""
        data, kind = picture(figure, ".svg", transparent=True), "svg+xml"
        if len(data) > LARGEST:
            data, kind = picture(figure, ".png", dpi=200, transparent=True), "png"
        source = base64.b64encode(data).decode("ascii")
        image = f'<img alt="{escape(caption or "figure")}" src="data:image/{kind};base64,{source}">'
        self.sections.append(Section(f"<figure>{image}{_caption(caption)}</figure>"))
        return self

    def animation(self, model: Model, record: Recording, caption: str = "") -> Report:
        """A motion to play within the page; it waits for its button."""
        self.sections.append(Section(f"<figure>{player(model, record)}{_caption(caption)}</figure>", plays=True))
        return self

    def frame(self, text: str, caption: str = "") -> Report:
        """A whole page inside this one, such as `closedchain.export.html.explorable` writes: a robot to be dragged."""
        inside = frame(text, caption or "page")
        self.sections.append(Section(f"<figure>{inside}{_caption(caption)}</figure>", frame=text))
        return self

    def code(self, text: str) -> Report:
        """Text as it is, in a fixed-width font."""
        self.sections.append(Section(markup.code(text)))
        return self

    def html(self) -> str:
        """The whole document."""
        return document(self.title, self.sections)

    def save(self, path: str | Path) -> Path:
        """Write the document, whole or not at all."""
        return report(self.sections, path, title=self.title)


def report(sections: Sequence[Section], path: str | Path, *, title: str = "Report") -> Path:
    """Write sections as one self-contained HTML document."""
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise BadInput(f"a report is an .html file, not {path.name!r:.60}")
    atomic_write(path, document(title, sections))
    return path


def document(title: str, sections: Sequence[Section]) -> str:
    """The HTML of a report: its title, its contents where there are headings, its sections."""
    body, contents, taken = [], [], set[str]()
    for section in sections:
        if not section.level:
            body.append(section.html)
            continue
        anchor = _anchor(section.words, taken)
        tag = f"h{section.level + 1}"
        body.append(f'<{tag} id="{anchor}">{markup.inline(section.words)}</{tag}>')
        contents.append(f'<li class="level{section.level}"><a href="#{anchor}">{escape(_bare(section.words))}</a></li>')
    toc = f'<nav aria-label="Contents"><h2>Contents</h2><ul>{"".join(contents)}</ul></nav>' if contents else ""
    plays = any(section.plays for section in sections)
    inside = "\n".join([f"<header><h1>{escape(title)}</h1></header>", toc, "<main>", *body, "</main>"])
    scripts = [asset("player.js")] if plays else []
    frames = [section.frame for section in sections if section.frame]
    return html_page(title, inside, styles=[asset("player.css"), asset("report.css")], scripts=scripts, frames=frames)


def _cell(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        words = str(value)
        whole = ' class="whole"' if "-" in words and " " not in words else ""  # 7.0e-17 stays on one line
        return f"<td{whole}>{escape(words)}</td>"
    text = str(value) if isinstance(value, int | np.integer) else f"{value:.6g}"
    return f'<td class="number">{text.replace("-", "−")}</td>'


def _caption(words: str) -> str:
    return f"<figcaption>{markup.inline(words)}</figcaption>" if words else ""


def _bare(words: str) -> str:
    """A heading without its marks."""
    return re.sub(r"[`*]", "", words)


def _anchor(words: str, taken: set[str]) -> str:
    """An id made of the heading's letters and digits that no other heading has."""
    base = re.sub(r"[^\w]+", "-", _bare(words).lower()).strip("-") or "section"
    anchor, number = base, 2
    while anchor in taken:
        anchor, number = f"{base}-{number}", number + 1
    taken.add(anchor)
    return anchor
