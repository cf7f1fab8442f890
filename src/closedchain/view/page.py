"""One self-contained HTML page: nothing is fetched, every text is escaped, only our own script may run."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from html import escape
from importlib import resources

_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def asset(name: str) -> str:
    """A file of this package's assets, as text."""
    return resources.files("closedchain.view").joinpath("assets", name).read_text(encoding="utf-8")


def embed(value: object) -> str:
    """JSON in a script element that no text inside can close."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character, code in _UNSAFE.items():
        text = text.replace(character, code)
    return f'<script type="application/json">{text}</script>'


def html_page(
    title: str, body: str, *, styles: Iterable[str], scripts: Iterable[str] = (), frames: Iterable[str] = ()
) -> str:
    """The whole document; its own policy allows these styles and scripts by their hashes, and nothing else.

    `frames` are whole pages shown inside this one (see `frame`): their policies hold there, and ours holds there too.
    """
    styles, scripts, frames = list(styles), list(scripts), list(frames)
    images = "img-src data:" + (" blob:" if frames else "")
    policy = "; ".join(
        [
            "default-src 'none'",
            images,
            f"style-src {_hashes(styles, _allowed('style-src', frames))}",
            f"script-src {_hashes(scripts, _allowed('script-src', frames))}",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    head = [
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{escape(title)}</title>",
        *(f"<style>{style}</style>" for style in styles),
    ]
    tail = [f"<script>{script}</script>" for script in scripts]
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        *head,
        "</head>",
        "<body>",
        body,
        *tail,
        "</body>",
        "</html>",
    ]
    return "\n".join(lines) + "\n"


def frame(text: str, title: str) -> str:
    """Another self-contained page inside this one, walled off: it has scripts of its own and nothing else of ours."""
    return f'<iframe title="{escape(title)}" sandbox="allow-scripts" srcdoc="{escape(text)}"></iframe>'


def _allowed(kind: str, frames: Iterable[str]) -> list[str]:
    """What the policies of pages inside allow of one kind: hashes, and to compile WebAssembly."""
    found = (
        re.search(rf"Content-Security-Policy[^>]*{kind} ([^;]*);", text.partition("</head>")[0]) for text in frames
    )
    return sorted({source for each in found if each for source in each[1].split()})


def _hashes(texts: list[str], more: Iterable[str] = ()) -> str:
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii") for text in texts)
    return " ".join([*(f"'sha256-{digest}'" for digest in digests), *more]) or "'none'"
