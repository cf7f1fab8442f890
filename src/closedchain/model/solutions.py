"""Solutions of the geometry: every configuration found, with its modes, residual and proof; or why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, NoSolution
from closedchain.shown import Shown

Index = NDArray[np.intp]
Flags = NDArray[np.bool_]
Signs = NDArray[np.int8]


@dataclass(frozen=True)
class Cluster:
    """Solutions that rounding does not let apart, told as one: `count` of them, complex ones too, with multiplicity."""

    count: int
    radius: (
        float  # [m] all lie within √(|ΔP|² + ℓ²|Δφ|²) of the one told, P the point on leg 1, ℓ the plate's longest arm
    )


@dataclass(frozen=True)
class Clusters:
    """What each row stands for."""

    count: Index  # (m,) 1 for a single solution, and where nothing is known
    radius: Doubles  # (m,) [m]

    @classmethod
    def none(cls, rows: int) -> Clusters:
        """Every row stands for itself."""
        return cls(np.ones(rows, np.intp), np.zeros(rows))

    def __getitem__(self, rows: Index | Flags) -> Clusters:
        return Clusters(self.count[rows], self.radius[rows])

    def after(self, later: Clusters) -> Clusters:
        """Of a body found after others: merged places of both multiply, within the larger radius."""
        radius = np.maximum(self.radius, later.radius)
        return Clusters(self.count * later.count, radius)

    def row(self, i: int) -> Cluster | None:
        """That of one row; None for a single solution."""
        return Cluster(int(self.count[i]), float(self.radius[i])) if self.count[i] > 1 else None


@dataclass(frozen=True)
class Solution:
    """One configuration that closes the loops."""

    mode: str  # the working mode of an inverse solution, the assembly mode of a direct one
    q: Doubles  # (nq,) [m, rad]
    x: Doubles  # (nx,) [m, rad]
    working: str  # sign of each leg that has a choice: "++", "-+"; "0" where two branches meet
    assembly: str  # sign of det A, with an ordinal where several poses share it: "+", "-", "+1", "+2"
    residual: float  # [m] largest gap of a closure
    condition: float  # of A; infinite at a Type 2 singularity
    passive: Doubles  # (nr,) [rad]
    double: bool  # two branches meet here
    certified: bool  # existence and uniqueness proven
    cluster: Cluster | None = None  # how many merge here and within what, where that is known


@dataclass(frozen=True, eq=False)
class Solutions(Shown):
    """Every solution of a batch, one row each; iterating gives `Solution`s, `len` counts them."""

    robot: str
    kind: str  # "inverse" or "direct"
    shape: tuple[int, ...]  # the batch
    index: Index  # (m,) which element of the flattened batch a row solves
    q: Doubles  # (m, nq)
    x: Doubles  # (m, nx)
    signs: Signs  # (m, legs with a choice) working mode
    det_sign: Signs  # (m,) sign of det A
    ordinal: Signs  # (m,) among the poses of one element that share the sign; 0 when alone
    residual: Doubles  # (m,) [m]
    condition: Doubles  # (m,)
    passive: Doubles  # (m, nr)
    clusters: Clusters  # (m,) what each row stands for
    double: Flags  # (m,)
    certified: Flags  # (m,)
    complete: Flags  # (nb,) whether no further solution can exist
    reasons: dict[int, NoSolution]  # why an element of the batch has none
    branch: Signs | None = None  # (m,) among inverse solutions of one element with the same signs; 0 when alone
    beyond: Mapping[int, tuple[str, ...]] = field(
        default_factory=dict
    )  # solutions left out: joints beyond their limits
    model: Any = field(default=None, repr=False)  # the robot, for those who draw

    def __len__(self) -> int:
        return len(self.index)

    def __iter__(self) -> Iterator[Solution]:
        for i in range(len(self)):
            yield self.row(i)

    def row(self, i: int) -> Solution:
        """The i-th solution."""
        return Solution(
            mode=self.mode[i],
            q=self.q[i],
            x=self.x[i],
            working=self.working[i],
            assembly=self.assembly[i],
            residual=float(self.residual[i]),
            condition=float(self.condition[i]),
            passive=self.passive[i],
            double=bool(self.double[i]),
            certified=bool(self.certified[i]),
            cluster=self.clusters.row(i),
        )

    @cached_property
    def working(self) -> tuple[str, ...]:
        """Each row's working mode; with an ordinal where blocks of closures leave several of the same signs."""
        marks = [str(b) if b else "" for b in self.branch] if self.branch is not None else [""] * len(self)
        return tuple(name + mark for name, mark in zip(mode_of_each(self.signs).tolist(), marks, strict=True))

    @cached_property
    def assembly(self) -> tuple[str, ...]:
        """Each row's assembly mode."""
        rows = zip(self.det_sign, self.ordinal, strict=True)
        return tuple("-0+"[sign + 1] + (str(ordinal) if ordinal else "") for sign, ordinal in rows)

    @property
    def mode(self) -> tuple[str, ...]:
        return self.working if self.kind == "inverse" else self.assembly

    def why(self, element: int = 0) -> str:
        """Why an element has no solution, or which were left out for their joints' limits; else empty."""
        if element in self.reasons:
            return str(self.reasons[element])
        out = self.beyond.get(element, ())
        return f"{len(out)} left out: {'; '.join(out)}" if out else ""

    def __getitem__(self, mode: str) -> Solution:
        """The solution of that mode (of a single problem)."""
        if self.shape:
            raise NoSolution(f"{self.robot}: a batch of {self.shape}; use .rows({mode!r}) or .unwrap({mode!r})")
        return self.row(int(self.unwrap_rows(mode)[0]))

    def rows(self, mode: str) -> Index:
        """The rows of one mode."""
        wanted = [i for i, name in enumerate(self.mode) if same_mode(name, mode)]
        return np.array(wanted, dtype=np.intp)

    def unwrap_rows(self, mode: str) -> Index:
        """One row per element of the batch, all of that mode; raises for the first element without one."""
        rows = self.rows(mode)
        count = int(np.prod(self.shape, dtype=int))
        have = self.index[rows]
        if len(have) == count and (have == np.arange(count)).all():
            return rows
        missing = int(np.setdiff1d(np.arange(count), have)[0]) if len(np.unique(have)) < count else int(have[0])
        if missing in self.reasons:
            raise self.reasons[missing]
        there = ", ".join(repr(m) for i, m in zip(self.index, self.mode, strict=True) if i == missing)
        where = f" at element {missing}" if self.shape else ""
        kind = "working" if self.kind == "inverse" else "assembly"
        out = f" ({self.why(missing)})" if missing in self.beyond else ""
        raise NoSolution(f"{self.robot}: no solution of {kind} mode {mode!r}{where}; there are: {there}{out}")

    def unwrap(self, mode: str) -> Doubles:
        """The q (inverse) or x (direct) of one mode for the whole batch, (*batch, n)."""
        values = (self.q if self.kind == "inverse" else self.x)[self.unwrap_rows(mode)]
        return values.reshape(*self.shape, values.shape[-1])

    def __str__(self) -> str:
        plural = "" if len(self) == 1 else "s"
        lines = [f"{self.robot}: {len(self)} {self.kind} solution{plural}"]
        lines[0] += f" of batch {self.shape}" if self.shape else ""
        for i, s in enumerate(self):
            if i == 12:
                lines.append(f"  … and {len(self) - 12} more")
                break
            values = s.q if self.kind == "inverse" else s.x
            shown = "  ".join(f"{v:+.12f}" for v in values)
            mark = f" {marks(s)}".rstrip()
            lines.append(f"  {s.mode:>4}  {shown}   gap {s.residual:.0e} m, condition {s.condition:.3g}{mark}")
        lines += [f"  {self.why(i)}" for i in sorted({*self.reasons, *self.beyond})[:3]]
        return "\n".join(lines)


def marks(s: Solution) -> str:
    """What is known of a solution in words: proven, double, or how many merge there."""
    if s.cluster is not None:
        return f"{s.cluster.count} within {s.cluster.radius:.1g} m"
    return " ".join(["double"] * s.double + ["proven"] * s.certified)


def same_mode(name: str, asked: str) -> bool:
    """Whether a mode's name is what was asked for; spaces, commas and a typographic minus are forgiven."""
    return name == plain_mode(asked)


def plain_mode(asked: str) -> str:
    """The name of a mode as we write it."""
    if not isinstance(asked, str):
        raise BadInput(f"{asked!r:.40} is no mode; modes have names such as '+' or '+-', and rows are taken by .row(0)")
    return asked.replace("−", "-").replace(" ", "").replace(",", "")


def mode_name(signs: Iterable[int]) -> str:
    """The working mode of a row of signs, of the legs with a choice; "0" for one at its end, "+" where none has any."""
    return "".join("-0+"[int(sign) + 1] for sign in signs) or "+"


def mode_of_each(signs: Signs) -> NDArray[np.str_]:
    """`mode_name` of each row; the letters of a row lie side by side, so that they are read as one word."""
    letters = np.ascontiguousarray(np.array(["-", "0", "+"])[signs + 1])  # (n, legs)
    count, legs = letters.shape
    return letters.view(f"U{legs}")[:, 0] if legs else np.full(count, "+")
