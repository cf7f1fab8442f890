"""A compiled march in time: Runge–Kutta steps over programs that are called, not written out.

A scan's loop holds its whole step as straight-line code, which is fastest while it fits the processor's caches. A
linkage of many loops does not: here each of two programs is compiled once and called as often as a step needs it, so
that code and compile time grow like the programs themselves.

    flow:   (z, z_dot, u, p) → z_ddot, power         a stage
    settle: (z, z_dot, u, p) → z, z_dot, z_ddot, power, gap_max, rank, margin, hold         back onto the closures

An implicit method, which has no tableau here, has a program for its whole step in the place of flow:

    leap:   (z, z_dot, u, work, h, p) → z, z_dot, work
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from closedchain.kernels.ir import declarations
from closedchain.kernels.llvm import host, target_machine
from closedchain.kernels.march_ir import SYMBOL, Tableau, driver, padded, plain_state, scratch_size, stage_count
from closedchain.kernels.objects import load_object
from closedchain.kernels.program import Doubles, Program
from closedchain.kernels.tune import quicken

Announce = Callable[[str], None]
POINTER, WORD, NUMBER = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
TWICE = 1e-3  # of the widest gap: wider than this, one step back onto the closures is not enough
WHOLE, NOT_FINITE, OPEN, DEGENERATE = range(4)  # why a march ended


@dataclass(frozen=True)
class Bounds:
    """Where a march stops: a gap wider than this [m], or pivots smaller than this."""

    gap: float
    margin: float


@dataclass(frozen=True, eq=False)
class Rows:
    """What a march recorded, one row for every so many steps, with the widest gap and the least of the rest between."""

    z: Doubles  # (rows, nz)
    z_dot: Doubles  # (rows, nz)
    work: Doubles  # (rows,)
    gap: Doubles  # (rows,) [m]
    rank: Doubles  # (rows,)
    margin: Doubles  # (rows,)
    hold: Doubles  # (rows,)


class March:
    """Compiled code of one march, and its state between calls."""

    def __init__(self, address: int, nz: int, stages: int) -> None:
        self.nz, self.width = nz, padded(nz)
        kinds: list[Any] = [POINTER] * 5 + [NUMBER, WORD, WORD, WORD] + [POINTER] * 2
        self._call = ctypes.CFUNCTYPE(WORD, *kinds)(address)
        self._scratch = np.zeros(scratch_size(nz, stages))
        self.z, self.w = np.zeros(self.width), np.zeros(self.width)  # w = (z_dot, work)
        self.ended = WHOLE
        self._fresh = 1

    def start(self, z: Doubles, z_dot: Doubles, work: float = 0.0) -> None:
        """Begin at a state."""
        self.z[: self.nz], self.w[: self.nz], self.w[self.nz] = z, z_dot, work
        self._fresh = 1

    def go(self, u: Doubles, p: Doubles, h: float, steps: int, every: int, bounds: Bounds) -> tuple[Rows, int]:
        """March on for `steps` steps under held u, or until it must end: the rows, and the steps made."""
        table = np.zeros((steps // every, 2 * self.nz + 5))
        notes = np.array([bounds.gap, bounds.margin, 0.0, bounds.gap * TWICE])
        u, p = (np.ascontiguousarray(v, dtype=np.float64) for v in (u, p))
        arrays = [self.z, self.w, u, p, self._scratch]
        given = [a.ctypes.data for a in arrays] + [float(h), steps, every, self._fresh]
        done = int(self._call(*given, table.ctypes.data, notes.ctypes.data))
        self._fresh, self.ended = 0, int(notes[2])
        table = table[: done // every]
        n = self.nz
        return Rows(table[:, :n], table[:, n : 2 * n], *table[:, 2 * n :].T), done

    def renew(self) -> None:
        """The command changes: the next step's first stage is to be computed anew."""
        self._fresh = 1


def load_march(
    key_text: str,
    build: Callable[[], Sequence[Program]],
    tableau: Tableau | None,
    nz: int,
    *,
    announce: Announce | None = None,
    folder: Path | None = None,
) -> March:
    """The march of the programs that `build` gives, from the user's cache folder or compiled now."""

    def compile_now() -> bytes:
        if announce:
            announce("compiling the model's equations (once; the next start finds them ready)")
        return compile_march(build(), tableau, nz)

    address = load_object(f"march {tableau} {key_text}", compile_now, (SYMBOL,), folder)[SYMBOL]
    return March(address, nz, stage_count(tableau))


def compile_march(programs: Sequence[Program], tableau: Tableau | None, nz: int) -> bytes:
    """Native object code of the programs for one state, and of the loop that calls them."""
    target = host()
    parts = [f'target triple = "{target.triple}"', *declarations(1)]
    parts += [plain_state(quicken(program)) for program in programs]
    parts += [driver({program.name: program for program in programs}, tableau, nz)]
    parts.append("attributes #0 = { nounwind }")
    text = "\n".join(parts) + "\n"
    machine = target_machine(target, text.count("\n"))
    module = llvm.parse_assembly(text)
    module.verify()
    code: bytes = machine.emit_object(module)
    return code
