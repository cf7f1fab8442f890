"""Families as bytes, so that generic solutions are found once and kept beside the kernels."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np

from closedchain.kernels.objects import kept
from closedchain.solver.family import Family, Space, generic
from closedchain.solver.quadrics import Pattern

_FOUND: dict[str, Family] = {}  # of this process
FORM = 1  # of the bytes and of what makes them: another number finds them anew


def written(family: Family) -> bytes:
    """A family as an archive of arrays."""
    space, out = family.space, io.BytesIO()
    np.savez(
        out,
        n=space.shape.n,
        terms=space.shape.terms,
        middle=space.middle,
        directions=space.directions,
        free=space.free,
        circles=space.circles,
        sizes=space.sizes,
        C=family.C,
        Z=family.Z,
        misfit=family.misfit,
    )
    return out.getvalue()


def read(content: bytes) -> Family:
    """A family from its bytes; nothing in them is executed."""
    with np.load(io.BytesIO(content), allow_pickle=False) as a:
        shape = Pattern(int(a["n"]), a["terms"])
        space = Space(shape, a["middle"], a["directions"], a["free"], a["circles"], a["sizes"])
        return Family(space, a["C"], a["Z"], float(a["misfit"]))


def family_of(key: str, space: Callable[[], Space]) -> Family:
    """The generic solutions of a key: from memory, from the user's cache folder, or found now."""
    if key not in _FOUND:
        _FOUND[key] = read(kept(f"family {FORM} {key}", lambda: written(generic(space()))))
    return _FOUND[key]
