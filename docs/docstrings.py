"""Our docstrings for Sphinx. They are plain text with `code` and indented equations, not reStructuredText."""

import re
from typing import Any

CODE = re.compile(r"(`[^`]+`)")
MARKUP = re.compile(r"(\\|\||\*|_(?=\W|$))")  # what reStructuredText would take for markup


def write(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Rewrite a docstring in place, as autodoc asks."""
    lines[:] = translate("\n".join(lines)).split("\n")


def translate(text: str) -> str:
    """Escape markup in the sentences; a paragraph that is indented is shown as it stands."""
    paragraphs = re.split(r"\n\s*\n", text.rstrip())
    return "\n\n".join("::\n\n" + p if p.startswith(" ") else escape(p) for p in paragraphs) + "\n"


def escape(text: str) -> str:
    """A paragraph of sentences; its `code` stays, also where a letter follows, as in `State`s."""
    parts = CODE.split(text)  # sentences and code in turn
    sentences = [MARKUP.sub(r"\\\1", part) for part in parts[::2]]
    joints = ["\\ " if part[:1].isalnum() else "" for part in parts[2::2]]
    code = [part + joint for part, joint in zip(parts[1::2], joints, strict=True)]
    return "".join(a + b for a, b in zip(sentences, [*code, ""], strict=True))
