"""Every singular point along a line or a curve of the output, in every working mode; it says where that is proven."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.describe.expressions import FLOATS, Expr, Symbol, evaluate_all
from closedchain.describe.parse import parse
from closedchain.errors import BadInput, numbers
from closedchain.model.model import Model
from closedchain.model.modes import named_modes
from closedchain.model.solutions import mode_name
from closedchain.singularity.closed_form import curve_programs, line_programs
from closedchain.singularity.pose import Singularities, singularities
from closedchain.singularity.survey import Hit, Lines, Survey, unreachable

EVERY = "all"  # in place of a mode's name
KINDS = {"A": "Type 2", "B": "Type 1"}


@dataclass(frozen=True, eq=False)
class SingularPoint:
    """A singular configuration on a curve: proven to exist, and to be the only one of its mode nearby."""

    kind: str  # "A": det A = 0, Type 2; "B": a leg at its end, Type 1
    working: str  # "0" for a leg at its end
    s: float  # where on the curve
    error: float  # |s − the true one| is at most this
    x: Doubles  # (nx,)
    q: Doubles  # (nq,)
    residual: float  # [m] largest gap of a closure
    leg: str  # the leg at its end; "" for Type 2
    at: Singularities  # singular values, free and lost motions, wrenches, ellipses

    @property
    def null(self) -> Doubles:
        """Type 2: the output's unit motion with locked drives, (nx,). Type 1: the drives' with the output at rest."""
        return self.at.free_motion if self.kind == "A" else self.at.idle_motion

    @property
    def centre(self) -> Doubles | None:
        """Of the free turn of a plate, (2,) [m]."""
        return self.at.centre if self.kind == "A" else None


@dataclass(frozen=True)
class Unresolved:
    """A part of the curve where neither a singular point nor its absence was shown."""

    working: str
    lo: float
    hi: float
    x: Doubles  # (nx,) at its middle
    why: str


@dataclass(frozen=True)
class OutOfReach:
    """A part of the curve that some legs do not reach."""

    lo: float
    hi: float
    legs: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Along:
    """The singular points of a curve, in the order of modes and then of s; iterate, or take `points`."""

    robot: str
    kind: str
    working: tuple[str, ...]  # the modes searched
    points: tuple[SingularPoint, ...]
    unresolved: tuple[Unresolved, ...]
    out_of_reach: tuple[OutOfReach, ...]

    @property
    def complete(self) -> bool:
        """Whether it is proven that the curve has no other singular point of this kind in these modes."""
        return not self.unresolved

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[SingularPoint]:
        return iter(self.points)

    def __str__(self) -> str:
        claim = "no other" if self.complete else f"{len(self.unresolved)} part(s) unresolved"
        lines = [f"{self.robot}: {len(self)} {KINDS[self.kind]} point(s) in {', '.join(self.working)}; {claim}"]
        for p in self.points:
            lines.append(
                f"  {p.working:>4}  s {p.s:.12f}  x {numbers(p.x)}  {p.leg or 'free motion ' + numbers(p.null)}"
            )
        lines += [f"  {u.working:>4}  {u.lo:.9f} < s < {u.hi:.9f} unresolved: {u.why}" for u in self.unresolved]
        lines += [f"  {o.lo:.12f} < s < {o.hi:.12f} out of reach of {', '.join(o.legs)}" for o in self.out_of_reach]
        return "\n".join(lines)


def along(
    model: Model,
    start: ArrayLike | None = None,
    end: ArrayLike | None = None,
    *,
    curve: Sequence[str | Expr] | ArrayLike | None = None,
    working: str | None = None,
    kind: str = "A",
) -> Along:
    """Every singular point on the way from x = start to x = end (0 ≤ s ≤ 1), or on a curve.

    `curve` is either corners, (k, nx), with s = 0, 1, … at them, or the coordinates of x as expressions of s in [0, 1]:
    curve=("0.1*cos(2*pi*s)", "0.3 + 0.1*sin(2*pi*s)"). A working mode is searched, the one that the robot is built in
    unless another is named; all of them where it says none, or for "all".
    """
    if kind not in KINDS:
        raise BadInput(f'{model.name}: kind {kind!r:.20} is neither "A" (det A, Type 2) nor "B" (det B, Type 1)')
    track = _track(model, start, end, curve)
    modes, names = _modes(track.lines, working)
    survey = track.lines.survey(modes, kind)
    order = {name: i for i, name in enumerate(_name(track.lines, mode) for mode in _rows(track.lines.modes()))}
    hits = sorted(survey.hits, key=lambda h: (order.get(_name(track.lines, h.signs), 0), h.line, h.lo))
    points = [_point(model, track, hit, kind) for hit in _once(hits)]
    return Along(
        robot=model.name,
        kind=kind,
        working=names,
        points=tuple(points),
        unresolved=tuple(_unresolved(track, hit) for hit in survey.unsettled),
        out_of_reach=tuple(_out_of_reach(model, track, survey)),
    )


class Track:
    """The curve: its programs, and x at any s."""

    def __init__(self, lines: Lines, corners: Doubles | None, curve: tuple[Expr, ...]) -> None:
        self.lines, self.corners, self.curve = lines, corners, curve

    def x(self, line: int, s: float) -> Doubles:
        """The output at s of one piece."""
        if self.corners is not None:
            return np.asarray(self.corners[line] + s * (self.corners[line + 1] - self.corners[line]))
        return np.array(evaluate_all(self.curve, {**self.lines.model.values, "s": s}, FLOATS))


def _track(
    model: Model, start: ArrayLike | None, end: ArrayLike | None, curve: Sequence[str | Expr] | ArrayLike | None
) -> Track:
    if curve is not None and (start is not None or end is not None):
        raise BadInput(f"{model.name}: give start and end, or a curve, not both")
    if curve is None:
        if start is None or end is None:
            raise BadInput(f"{model.name}: give start and end of a line in x, or a curve")
        corners = np.stack([vectors(start, model.nx, "start"), vectors(end, model.nx, "end")])
    elif all(isinstance(c, str | Expr) for c in curve):  # type: ignore[union-attr]
        return _expressed(model, curve)  # type: ignore[arg-type]
    else:
        corners = vectors(curve, model.nx, "curve")  # type: ignore[arg-type]
    if corners.ndim != 2 or len(corners) < 2:
        raise BadInput(f"{model.name}: a curve has two corners or more, (k, {model.nx}), not {corners.shape}")
    steps = np.diff(corners, axis=0)
    if (steps == 0.0).all(axis=1).any():
        k = int(np.argmax((steps == 0.0).all(axis=1)))
        raise BadInput(f"{model.name}: the line has no length: corners {k} and {k + 1} are both {numbers(corners[k])}")
    return Track(Lines(model, line_programs(model), corners[:-1], steps), corners, ())


def _expressed(model: Model, curve: Sequence[str | Expr]) -> Track:
    names: dict[str, Expr] = {p.name: p for p in model.recipe.description.parameters}
    names["s"] = Symbol("s")
    if len(curve) != model.nx:
        raise BadInput(f"{model.name}: a curve has {model.nx} coordinates, not {len(curve)}")
    exprs = tuple(parse(c, names) if isinstance(c, str) else c for c in curve)
    return Track(Lines(model, curve_programs(model, exprs)), None, exprs)


def _modes(lines: Lines, working: str | None) -> tuple[Doubles, tuple[str, ...]]:
    modes = lines.modes()
    names = tuple(_name(lines, row) for row in _rows(modes))
    mechanism = lines.model.mechanism
    working = working or (mechanism.working if mechanism else "") or EVERY
    if working == EVERY:
        return modes, names
    named = named_modes(lines.model, (working,))
    return modes[[names.index(named[0])]], named


def _rows(modes: Doubles) -> list[tuple[int, ...]]:
    return [tuple(int(v) for v in row) for row in modes]


def _name(lines: Lines, signs: tuple[int, ...]) -> str:
    """The working mode's name: legs without a choice are left out."""
    return mode_name(signs[i] for i in lines.chosen)


def _once(hits: list[Hit]) -> Iterator[Hit]:
    """A hit on a corner is met from both sides; the second is left out."""
    last: Hit | None = None
    for hit in hits:
        same = last is not None and (last.signs, last.leg, last.line + 1) == (hit.signs, hit.leg, hit.line)
        if not (same and last is not None and last.hi > 1 - 1e-11 and hit.lo < 1e-11):
            yield hit
        last = hit


def _point(model: Model, track: Track, hit: Hit, kind: str) -> SingularPoint:
    s = 0.5 * (hit.lo + hit.hi)
    x = track.x(hit.line, s)
    made = model.call("inverse", x=x, sigma=np.array(hit.signs, float))
    gap = model.call("closures", q=made["q"], x=x)["gap"]
    return SingularPoint(
        kind=kind,
        working=_name(track.lines, hit.signs),
        s=hit.line + min(max(s, 0.0), 1.0),
        error=0.5 * (hit.hi - hit.lo) + 2.3e-16 * (1 + hit.line),
        x=x,
        q=made["q"],
        residual=float(np.abs(gap).max()),
        leg=model.legs[hit.leg].name if hit.leg >= 0 else "",
        at=singularities(model, q=made["q"], x=x),
    )


def _unresolved(track: Track, hit: Hit) -> Unresolved:
    why = "det A may touch zero here, or vanish on the whole part"
    if hit.leg >= 0:
        why = f"leg {track.lines.model.legs[hit.leg].name} is at its end or nearly, and what happens there is not shown"
    x = track.x(hit.line, 0.5 * (hit.lo + hit.hi))
    return Unresolved(_name(track.lines, hit.signs), hit.line + hit.lo, hit.line + hit.hi, x, why)


def _out_of_reach(model: Model, track: Track, survey: Survey) -> Iterator[OutOfReach]:
    for line in range(track.lines.count):
        for lo, hi, legs in unreachable(survey.stretches, line):
            yield OutOfReach(line + lo, line + hi, tuple(model.legs[i].name for i in legs))
