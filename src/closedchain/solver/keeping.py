"""Families as bytes, so that generic solutions are found once and kept beside the kernels."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from importlib import resources

import numpy as np

from closedchain.kernels.objects import kept
from closedchain.solver.family import Family, NotCounted, Space
from closedchain.solver.parts import Part
from closedchain.solver.quadrics import Pattern

_FOUND: dict[str, Family] = {}  # of this process
_CONTENT: dict[str, bytes] = {}
FAILED = b"not counted: "
FORM = 8  # of the generic solutions that come with the package
KEPT = 14  # of the bytes in the cache folder and of what makes them: another number finds them anew


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
        parts=np.array([part.row for part in space.parts], dtype=np.int64).reshape(-1, 4),
        sizes=space.sizes,
        reach=space.reach,
        C=family.C,
        Z=family.Z,
        misfit=family.misfit,
    )
    return out.getvalue()


def read(content: bytes) -> Family:
    """A family from its bytes; nothing in them is executed."""
    with np.load(io.BytesIO(content), allow_pickle=False) as a:
        shape = Pattern(int(a["n"]), a["terms"])
        parts = tuple(Part(*map(int, row)) for row in a["parts"])
        space = Space(shape, a["middle"], a["directions"], a["free"], parts, a["sizes"], a["reach"])
        return Family(space, a["C"], a["Z"], float(a["misfit"]))


def stored(key: str, space: Space) -> Family | None:
    """The generic solutions that come with the package, with the space they belong to; None where none do."""
    file = resources.files("closedchain.solver") / "stored" / f"{name_of(key)}.npz"
    if not file.is_file():
        return None
    with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as a:
        C, Z, misfit = a["C"], a["Z"], float(a["misfit"])
    if C.shape != space.middle.shape or Z.shape[1] != space.shape.n + 1:
        return None
    return Family(space, C, Z, misfit)


def name_of(key: str) -> str:
    """What a stored family's file is called."""
    return hashlib.sha256(f"{FORM} {key}".encode()).hexdigest()[:24]


def family_of(key: str, make: Callable[[], Family]) -> Family:
    """The generic solutions of a key: from memory, from the cache folder, or made now; a failure is kept, too."""

    def attempt() -> bytes:
        try:
            return written(make())
        except NotCounted as error:
            return FAILED + str(error).encode()

    if key not in _CONTENT:
        _CONTENT[key] = kept(f"family {FORM} {KEPT} {key}", attempt)
        if not _CONTENT[key].startswith(FAILED):
            _FOUND[key] = read(_CONTENT[key])
    if key not in _FOUND:
        raise NotCounted(_CONTENT[key][len(FAILED) :].decode())
    return _FOUND[key]
