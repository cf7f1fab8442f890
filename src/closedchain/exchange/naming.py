"""Names that nothing else has, and that our files can hold."""

from __future__ import annotations

import re


def unique(name: str, taken: set[str]) -> str:
    """A name that nothing else has, by adding underscores; it is taken afterwards."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def clean(name: str, taken: set[str]) -> str:
    """A name as mechanism files have it: a letter, then letters, digits or _; 28 at most, and not one that is taken."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)
    plain = plain if plain[:1].isalpha() else f"n{plain}"
    return unique(plain[:28], taken)
