"""Write the generic solutions of the shipped robots, which come with the package so that nobody waits for them.

    python -m benchmarks.stored_families

Each is found anew by monodromy and closed by its trace test; a robot whose description changed gets another file, and
files that no robot needs are removed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import closedchain
from closedchain import robots
from closedchain.model import plate_merging
from closedchain.model.completing import wide_key, wide_space
from closedchain.model.counting import TRACE, count
from closedchain.model.loading import load
from closedchain.model.model import NoClosedForm
from closedchain.model.polynomials import Task
from closedchain.solver import Space, generic, name_of

FOLDER = Path(closedchain.__file__).parent / "solver" / "stored"


def main() -> int:
    """Print a row for each block that the complete solver solves."""
    FOLDER.mkdir(exist_ok=True)
    needed = {_kept(plate_merging.KEY, plate_merging.space, "a plate on three circles")}
    for name in robots.names():
        model = load(name)
        for kind in ("direct", "inverse") if model.nx and not model.linkage else ():
            try:
                blocks = count(model, kind).blocks
            except NoClosedForm:
                continue
            for block in blocks:
                if block.count is None or not block.proof.startswith(TRACE):
                    continue
                task = Task(model, block.block)
                what = f"{name} {kind}: {', '.join(block.unknowns)}"
                needed.add(_kept(wide_key(task), partial(wide_space, task), what))
    for file in set(FOLDER.glob("*.npz")) - needed:
        file.unlink()
    return 0


def _kept(key: str, space: Callable[[], Space], what: str) -> Path:
    """The file of one family, made where it is missing."""
    file = FOLDER / f"{name_of(key)}.npz"
    if not file.exists():
        family = generic(space())
        np.savez_compressed(file, C=family.C, Z=family.Z, misfit=family.misfit)
    with np.load(file) as a:
        told = f"{len(a['Z'])} solutions, trace {float(a['misfit']):.0e}"
    print(f"{what}: {told}, {file.stat().st_size} bytes", flush=True)
    return file


if __name__ == "__main__":
    sys.exit(main())
