"""Other programs that find every posture of a Gough–Stewart platform, each given the same platform.

msolve (exact algebra, GPL), PHCpack's `phc` (homotopies, GPL) and fkSGP (an elimination template by E. Martyushev, MIT)
are no part of this project: their paths are told on the command line, and those that are not given are left out.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import tempfile
import types
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.exact_counts import Poly, constant, dot, plus, times, variable

Places = list[tuple[float, float, float]]


def study(base: Places, joints: Places, legs: list[float]) -> list[Poly]:
    """The platform in Study's coordinates, eight unknowns: |t + R p − b|² = l² times e·e, e·g = 0, and a plane."""
    e, g = ([variable(f"{k}{i}") for i in range(4)] for k in "ab")

    def quadric(matrix: np.ndarray) -> Poly:
        made: Poly = {}
        for i, x in enumerate([*e, *g]):
            for j, y in enumerate([*e, *g]):
                if matrix[i, j]:
                    made = plus(made, times(constant(matrix[i, j]), times(x, y)))
        return made

    rows = []
    for b, p, l in zip(base, joints, legs, strict=True):
        # R p = e p ē / e·e and t e = 2 g as quaternions, so e·e |t + R p − b|² = |2 g + e p − b e|².
        M = np.zeros((4, 8))
        M[:, 4:] = 2 * np.eye(4)
        M[:, :4] = _right(p) - _left(b)
        Q = M.T @ M
        Q[:4, :4] -= l * l * np.eye(4)
        rows.append(quadric(Q))
    plane = [times(constant(c), x) for c, x in zip((3, -5, 7, 2, 4, -3, 6, 5), [*e, *g], strict=True)]
    total: Poly = constant(-1.0)
    for term in plane:
        total = plus(total, term)
    return [*rows, dot(e, g), total]


def _left(v: tuple[float, float, float]) -> np.ndarray:
    """The matrix of q ↦ v q, v a pure quaternion."""
    x, y, z = v
    return np.array([[0, -x, -y, -z], [x, 0, -z, y], [y, z, 0, -x], [z, -y, x, 0]], dtype=float)


def _right(v: tuple[float, float, float]) -> np.ndarray:
    """The matrix of q ↦ q v."""
    x, y, z = v
    return np.array([[0, -x, -y, -z], [x, 0, z, -y], [y, -z, 0, x], [z, y, -x, 0]], dtype=float)


def phc(binary: Path, equations: list[Poly]) -> str:
    """PHCpack's blackbox solver; what it found."""
    lines = []
    for e in equations:
        terms = ["*".join([repr(float(c)), *(f"{n}^{m.count(n)}" for n in sorted(set(m)))]) for m, c in e.items()]
        lines.append(" + ".join(terms).replace("+ -", "- ") + ";")
    with tempfile.TemporaryDirectory() as folder:
        source, result = Path(folder) / "in", Path(folder) / "out"
        source.write_text(f"{len(lines)}\n" + "\n".join(lines) + "\n")
        libraries = str(binary.resolve().parents[1] / "lib" / "x86_64-linux-gnu")
        told = {**os.environ, "LD_LIBRARY_PATH": libraries + ":" + os.environ.get("LD_LIBRARY_PATH", "")}
        subprocess.run([binary, "-b", source, result], env=told, check=True, capture_output=True, timeout=900)
        text = result.read_text()
    real, other = (len(re.findall(f"= {kind} regular ==", text)) for kind in ("real", "complex"))
    return f"{real + other} regular solutions"


def elimination(folder: Path, base: Places, joints: Places, legs: list[float]) -> Callable[[], str]:
    """fkSGP's Python solver for general platforms; a call tells how many postures it found to 1e-6."""
    package = types.ModuleType("fksgp")
    package.__path__ = [str(folder / "python")]
    sys.modules["fksgp"] = package
    solve = importlib.import_module("fksgp.solver66").solver66
    X, x, L = (np.array(v, dtype=float) for v in (base, joints, np.square(legs)))

    def call() -> str:
        _, error = solve(X, x, L, 0)
        good = int((np.abs(error) < 1e-6).sum())
        return f"{len(error)} postures, {good} with errors below 1e-6, the middle one {np.median(np.abs(error)):.0e}"

    return call
