"""Maps of the output's plane: det A, det B, conditioning, effort and reach of every working mode at once."""

from __future__ import annotations

import importlib
import itertools
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.kernels import load as load_kernels
from closedchain.model.model import Model
from closedchain.model.modes import named_modes, output_names
from closedchain.singularity.along import EVERY
from closedchain.singularity.held import Held
from closedchain.singularity.reach import WHOLE, Slice, Window, check_window, edges_of, in_space, several, slice_of
from closedchain.singularity.sampled import Sampled
from closedchain.singularity.streaming import Planes, PlanesFile

QUANTITIES = ("det_A", "det_B", "condition", "slack", "effort")
TILE = 64_000  # points computed in one call, enough for NumPy's own work not to count
LARGEST = 1_900_000_000  # [bytes] of a map in memory; more goes to a file

Flags = NDArray[np.bool_]
Progress = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class Map:
    """Planes of values over a grid of output points; zero, but for the slack, where a leg misses."""

    robot: str
    x: Doubles  # (columns,) [m]
    y: Doubles  # (rows,) [m]
    third: float | None  # a plate's angle [rad], a point's height [m]
    working: tuple[str, ...]
    quantities: tuple[str, ...]
    values: Planes  # (1 + modes · quantities, rows, columns), float32 or float64; the slack comes first
    slice: Slice = WHOLE  # which coordinates vary, and what is held

    @property
    def slack(self) -> Planes:
        """The length by which the output can be moved before a leg is stretched or folded [m]; < 0 out of reach."""
        return self.values[0]

    @cached_property
    def reachable(self) -> Flags:
        """Where every leg reaches, (rows, columns)."""
        return np.asarray(self.slack >= 0)

    def plane(self, quantity: str, working: str | None = None) -> Planes:
        """A quantity in one working mode, (rows, columns); or in all of them, (modes, rows, columns)."""
        if quantity == "slack":
            return self.slack
        if quantity not in self.quantities:
            raise BadInput(
                f"{self.robot}: no {quantity!r:.30} in this map; there are slack, {', '.join(self.quantities)}"
            )
        first = 1 + self.quantities.index(quantity) * len(self.working)
        if working is None:
            return self.values[first : first + len(self.working)]
        if working not in self.working:
            raise BadInput(f"{self.robot}: no mode {working!r:.30} in this map; there are {', '.join(self.working)}")
        return self.values[first + self.working.index(working)]


def map_grid(
    model: Model,
    window: Window | None = None,
    shape: tuple[int, int] = (4000, 4000),
    quantities: Sequence[str] = QUANTITIES,
    *,
    working: str | Sequence[str] | None = None,
    orientation: float | None = None,
    height: float | None = None,
    hold: Mapping[str, float] | None = None,
    threads: int | None = None,
    dtype: DTypeLike = np.float32,
    out: str | os.PathLike[str] | Planes | None = None,
    progress: Progress | None = None,
) -> Map:
    """Values on a grid of shape (rows, columns) over a window (x_min, x_max, y_min, y_max), its edges included.

    `condition` is 1/κ of A with unit rows (|det A| over the rows' lengths where A has three); `effort` is the largest
    effort that holds a unit force in any direction; `slack` is always there. All working modes unless some are named,
    or the one that the robot is built in. Of a body in space two coordinates vary, the others `hold` their values.
    `out` is an array to fill, or a .npy file, which is complete or not there; arithmetic is double whatever the dtype.
    """
    kind = _real(model, dtype)
    kernel = Kernel.of(model, quantities, working, slice_of(model, orientation, height, hold=hold, sampled=True), kind)
    x0, x1, y0, y1 = check_window(model, window, edges_of(model, kernel.plane)[0])
    rows, columns = _counts(model, shape)
    x, y = np.linspace(x0, x1, columns), np.linspace(y0, y1, rows)
    wanted = (kernel.size, rows, columns)
    count = threads if threads is not None else _cores()
    if count < 1:
        raise BadInput(f"{model.name}: {count} threads cannot work; use at least 1")
    if out is None or isinstance(out, np.ndarray):
        values = _array(model, wanted, kind, out)
        _fill(kernel, x, y, count, values, progress)
    else:
        note: dict[str, Any] = {
            "robot": model.name,
            "parameters": model.values,
            "window": [x0, x1, y0, y1],
            "third": kernel.plane.third,
            "axes": kernel.plane.names,
            "held": {name: value for _, name, value in kernel.plane.held},
        }
        note |= {"working": kernel.working, "quantities": kernel.quantities, "planes": "slack, then quantity by mode"}
        with PlanesFile(Path(out), wanted, kind, note) as file:
            _fill(kernel, x, y, count, file, progress)
        values = file.reopened()
    return Map(model.name, x, y, kernel.plane.third, kernel.working, kernel.quantities, values, kernel.plane)


@dataclass(frozen=True, eq=False)
class Kernel:
    """The compiled program of a map, with what does not change from point to point."""

    working: tuple[str, ...]
    quantities: tuple[str, ...]  # without the slack
    plane: Slice
    function: Any  # (x, y[, third][, lever], p) → values
    fixed: tuple[Any, ...]  # what comes after x and y
    kind: np.dtype[Any]  # of the values: doubles, or their rounding to float32

    @classmethod
    def of(
        cls,
        model: Model,
        quantities: Sequence[str],
        working: str | Sequence[str] | None,
        plane: Slice,
        kind: DTypeLike = np.float64,
    ) -> Kernel:
        names = (quantities,) if isinstance(quantities, str) else tuple(quantities)
        unknown = [n for n in names if n not in QUANTITIES]
        if unknown:
            raise BadInput(f"{model.name}: no quantity {unknown[0]!r:.30}; there are {', '.join(QUANTITIES)}")
        kept = tuple(n for n in dict.fromkeys(names) if n != "slack")
        modes = mode_names(model, working)
        if in_space(model) and not several(model):
            return cls(modes, kept, plane, Held(model, kept, modes, plane), (), np.dtype(kind))
        if several(model):
            return cls(modes, kept, plane, Sampled(model, kept, modes, plane), (), np.dtype(kind))
        announce = model.announce
        tell = (lambda text: announce(f"{model.recipe.name}: {text}")) if announce else None
        rounded = np.dtype(kind) == np.float32

        def build() -> Any:
            mapping = importlib.import_module("closedchain.derive.mapping")  # brings CasADi, only to compile anew
            return mapping.map_programs(model.equations, kept, modes, rounded)

        library = load_kernels(f"map {kept} {modes} {np.dtype(kind)} {model.equations.key}", build, announce=tell)
        given = {"third": plane.third, "lever": plane.lever, "p": model.p}
        fixed = tuple(given[a.name] for a in library.signatures["map"].inputs if a.name in given)
        return cls(modes, kept, plane, library["map"], fixed, np.dtype(kind))

    @property
    def size(self) -> int:
        """Planes."""
        return 1 + len(self.working) * len(self.quantities)

    def __call__(self, x: Doubles, y: Doubles, out: Planes | None = None) -> Planes:
        """values (planes, *batch) at points (*batch)."""
        shape = np.broadcast_shapes(x.shape, y.shape)
        made = np.empty((self.size, *shape), self.kind) if out is None else out
        self.function(x, y, *self.fixed, out=np.moveaxis(made, 0, -1))
        return made


def mode_names(model: Model, working: str | Sequence[str] | None = None) -> tuple[str, ...]:
    """The working modes asked for; without one the mode it is built in or, as for "all", all of them in their order."""
    every = output_names(model)
    built = model.mechanism.working if model.mechanism else ""
    if working is None or working in (EVERY, [EVERY]):
        return (built,) if built in every and working is None else every
    return named_modes(model, (working,) if isinstance(working, str) else working, every)


def _fill(
    kernel: Kernel,
    x: Doubles,
    y: Doubles,
    threads: int,
    sink: Planes | PlanesFile,
    progress: Progress | None,
) -> None:
    """Every tile of the grid, computed where it stays, or in a buffer that is written to the file."""
    every = slice(None)
    step = max(1, TILE // len(x))
    width = min(len(x), TILE)
    starts, finished, stop = range(0, len(y), step), list[int](), threading.Event()

    def work(rows: Iterable[int]) -> None:
        buffer = np.empty((kernel.size, step, width), kernel.kind)
        for r in itertools.takewhile(lambda _: not stop.is_set(), rows):
            for c in range(0, len(x), width):
                part = (every, slice(r, min(r + step, len(y))), slice(c, min(c + width, len(x))))
                here, there = x[None, part[2]], y[part[1], None]
                if isinstance(sink, PlanesFile):
                    sink.write(part, kernel(here, there, buffer[:, : there.shape[0], : here.shape[1]]))
                else:
                    kernel(here, there, sink[part])
            finished.append(r)
            if progress is not None:
                progress(len(finished) / len(starts))

    with ThreadPoolExecutor(threads) as pool:
        try:
            for done in [pool.submit(work, starts[k::threads]) for k in range(min(threads, len(starts)))]:
                done.result()
        finally:
            stop.set()  # after an error or an interruption nobody goes on


def _array(model: Model, shape: tuple[int, int, int], kind: np.dtype[Any], out: Planes | None) -> Planes:
    if out is not None:
        if out.shape != shape or out.dtype != kind or not out.flags.writeable:
            raise BadInput(f"{model.name}: `out` is {out.dtype} {out.shape}; a writeable {kind} {shape} is needed")
        return out
    size = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
    if size > LARGEST:
        raise BadInput(
            f"{model.name}: this map takes {size / 1e9:.1f} GB, more than {LARGEST / 1e9:.1f} GB in memory; write it "
            f"to a file with out='map.npy', or ask for fewer points, modes or quantities"
        )
    return np.empty(shape, kind)


def _counts(model: Model, shape: tuple[int, int]) -> tuple[int, int]:
    rows, columns = shape
    if not all(float(n).is_integer() and n >= 2 for n in (rows, columns)):
        raise BadInput(f"{model.name}: shape is {shape}; it must be two whole numbers (rows, columns) of at least 2")
    return int(rows), int(columns)


def _real(model: Model, dtype: DTypeLike) -> np.dtype[Any]:
    kind = np.dtype(dtype)
    if kind not in (np.float32, np.float64):
        raise BadInput(f"{model.name}: a map is float32 or float64, not {kind}")
    return kind


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
