"""Names that nothing else has, and that our files can hold."""

from __future__ import annotations

import re
from itertools import chain, count

LONGEST = 25  # letters of a name made from another program's: pitch_NAME, a ball's coordinate, has 31 at most


def unique(name: str, taken: set[str]) -> str:
    """A name that nothing else has, by adding underscores; it is taken afterwards."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def clean(name: str, taken: set[str]) -> str:
    """A name as mechanism files have it: a letter, then letters, digits or _; not too long, and not one that is taken.

    Names that are alike, or were until they had to be cut, are numbered from 2.
    """
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)
    stem = (plain if plain[:1].isalpha() else f"n{plain}")[:LONGEST]
    numbered = (f"{stem[: LONGEST - 1 - len(str(k))]}_{k}" for k in count(2))
    chosen = next(word for word in chain([stem], numbered) if word not in taken)
    taken.add(chosen)
    return chosen
