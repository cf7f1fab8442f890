"""Singular curves in joint space: in the plane of two drives, the others fixed.

Grid lines are drawn in that plane. At many positions of each line every pose is computed; where the number of poses
changes along the line, two of them meet (Type 2), and where the sign of a leg's slope does, that leg is at its end
(Type 1). Each such point is found to rounding and the curve through it traced in z = (q, x), where it is smooth.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from closedchain.arrays import Doubles, vectors
from closedchain.describe.elements import Crank, Telescope
from closedchain.errors import BadInput
from closedchain.model.configurations import Configurations
from closedchain.model.geometry import direct
from closedchain.model.model import Model
from closedchain.singularity.closed_form import check_free_output
from closedchain.singularity.collecting import Collector, Plane
from closedchain.singularity.loci import check_request
from closedchain.singularity.locus import Loci
from closedchain.singularity.pose import weights
from closedchain.singularity.systems import held_coordinates

HALVINGS = 9  # of the way between two positions
STEPS_ACROSS = 120  # the longest step is this part of the window
SIZES = 3.0  # of the robot: how far a slider or telescope is looked at unless a window is given
NEAR = 4  # widths of the last bracket, within which the point that it leads to must lie


@dataclass(frozen=True, eq=False)
class JointPlane:
    """Two drives that vary and the grid lines in their plane."""

    model: Model
    held: dict[int, float]  # drives that stay
    window: Doubles  # (2, 2) from, to of each free drive
    lines: int
    samples: int

    @cached_property
    def free(self) -> tuple[int, int]:
        a, b = (i for i in range(self.model.nq) if i not in self.held)
        return a, b

    @property
    def around(self) -> tuple[bool, bool]:
        """Which of the two drives go all the way round."""
        turns = [self.model.equations.q[i].unit == "rad" for i in self.free]
        whole = [
            turn and bool(high - low >= 2 * np.pi - 1e-9) for turn, (low, high) in zip(turns, self.window, strict=True)
        ]
        return whole[0], whole[1]

    @property
    def limits(self) -> dict[int, tuple[float, float]]:
        """What the window bounds: no drive that goes round; a telescope's length whichever its sign."""
        mirrored = [isinstance(self.model.legs[i].drive, Telescope) for i in self.free]
        return {
            i: (-high if mirror and low <= 0.0 else low, high)
            for i, mirror, whole, (low, high) in zip(
                self.free, mirrored, self.around, self.window.tolist(), strict=True
            )
            if not whole
        }

    @property
    def longest(self) -> float:
        """[m] the longest step along a curve; a crank's angle counts by its arm."""
        by_q, _, _ = weights(self.model, np.ones((1, self.model.nq)))
        return float(((self.window[:, 1] - self.window[:, 0]) * by_q[list(self.free)]).max() / STEPS_ACROSS)

    @property
    def spacing(self) -> tuple[float, float]:
        a, b = (self.window[:, 1] - self.window[:, 0]) / self.lines
        return float(a), float(b)

    def rows(self) -> Iterator[tuple[int, Doubles]]:
        """(the drive that stays on a line, (samples + 1, nq) positions along it) of each grid line."""
        for a, b in ((0, 1), (1, 0)):
            low, high = self.window[a]
            for value in low + (np.arange(self.lines) + 0.5) / self.lines * (high - low):
                q = np.zeros((self.samples + 1, self.model.nq))
                q[:, list(self.held)] = list(self.held.values())
                q[:, self.free[a]] = value
                q[:, self.free[b]] = np.linspace(self.window[b, 0], self.window[b, 1], self.samples + 1)
                yield self.free[a], q


@dataclass(frozen=True, eq=False)
class Brackets:
    """Pairs of neighbouring drives' positions between which the poses change their kinds."""

    line: np.ndarray  # (m,) the drive that stays
    low: Doubles  # (m, nq)
    high: Doubles  # (m, nq)

    def __len__(self) -> int:
        return len(self.line)


def joint_loci(
    model: Model,
    *,
    fixed: Mapping[str, float] | None = None,
    window: Sequence[Sequence[float]] | None = None,
    kind: str = "A",
    lines: int = 24,
    samples: int = 48,
) -> Loci:
    """The singular curves in the plane of two drives, window=((from, to), (from, to)), the others fixed by name.

    Without a window cranks go all the way round, sliders and telescopes as far as three times the robot's size.
    Nothing is proven: `searched` says what was looked at. A curve is found if it passes between two neighbouring
    positions of a grid line and no other does there.
    """
    check_request(model, kind, lines)
    if not 2 <= int(samples) <= 2000:
        raise BadInput(f"{model.name}: {samples} positions on a line; 2 to 2000 are possible")
    plane = _plane(model, dict(fixed or {}), window, int(lines), int(samples))
    collector = Collector(model, Plane(plane.held, plane.limits, plane.longest, assemblies=True), kind)
    legs = [-1] if kind == "A" else [i for i, sign in enumerate(model.leg_signs) if sign]
    found, looked, open_ = _starts(plane, collector, legs)
    whole = collector.collect(found)
    left = open_ + (not whole)
    return Loci(
        robot=model.name,
        kind=kind,
        pieces=collector.pieces(),
        spacing=plane.spacing,
        complete=False,
        ended=collector.ended,
        space="joint",
        fixed=dict(fixed or {}),
        searched=f"{looked}{f'; {left} change(s) led to no curve' * bool(left)}",
    )


def _plane(
    model: Model, fixed: dict[str, float], window: Sequence[Sequence[float]] | None, lines: int, samples: int
) -> JointPlane:
    check_free_output(model)
    held = held_coordinates(model, fixed)
    names = [c.name for c in model.equations.q]
    if any(i >= model.nq for i in held) or model.nq - len(held) != 2:
        raise BadInput(
            f"{model.name}: a plane of joint space has two free drives of {', '.join(names)}; fix the others, "
            f"as in fixed={{{names[0]!r}: 1.0}}; {len(held)} are fixed"
        )
    free = [i for i in range(model.nq) if i not in held]
    if window is None:
        return JointPlane(model, held, np.array([_range(model, i) for i in free]), lines, samples)
    limits = vectors(window, 2, "window")
    if limits.shape != (2, 2) or (limits[:, 0] >= limits[:, 1]).any():
        raise BadInput(f"{model.name}: a window is ((from, to), (from, to)) with from < to, not {window!r:.60}")
    return JointPlane(model, held, limits, lines, samples)


def _range(model: Model, drive: int) -> tuple[float, float]:
    """How far a drive goes unless a window says so."""
    kind, far = model.legs[drive].drive, SIZES * model.scale
    if isinstance(kind, Crank):
        return -np.pi, np.pi
    return (0.0, far) if isinstance(kind, Telescope) else (-far, far)


def _starts(plane: JointPlane, collector: Collector, legs: Sequence[int]) -> tuple[list[tuple[int, Doubles]], str, int]:
    """Points on the curves, what was looked at for them, and how many changes led to none."""
    model = plane.model
    rows = list(plane.rows())
    q = np.array([along for _, along in rows])  # (lines, samples + 1, nq)
    poses = direct(model, q.reshape(-1, model.nq))
    looked = f"{2 * plane.lines} lines of {plane.samples + 1} positions, {len(poses)} poses"
    looked += ", every pose of each" if poses.complete.all() else f", {int((~poses.complete).sum())} perhaps not all"
    found: list[tuple[int, Doubles]] = []
    open_ = 0
    for leg in legs:
        codes = _codes(model, poses.index, poses.q, poses.x, q.shape[0] * q.shape[1], leg).reshape(*q.shape[:2], -1)
        line, at = np.nonzero((codes[:, 1:] != codes[:, :-1]).any(axis=-1))
        stays = np.array([drive for drive, _ in rows])[line]
        brackets = _narrowed(model, Brackets(stays, q[line, at], q[line, at + 1]), leg)
        points = [_point(collector, *given, leg) for given in _nearest(model, brackets, leg)]
        good = [(leg, z) for z in points if z is not None]
        found += good
        open_ += len(points) - len(good) if leg < 0 else 0  # a leg's signs also change where two poses meet
    return found, looked, open_


def _codes(model: Model, index: np.ndarray, q: Doubles, x: Doubles, count: int, leg: int) -> np.ndarray:
    """(count, 4) of each position: how many poses have which signs of det A and of a leg's slope."""
    at = Configurations(model, q, x)
    kinds = 2 * (np.linalg.det(at.A) > 0)
    kinds = kinds + (at.leg_slopes()[:, leg] > 0) if leg >= 0 else kinds
    codes = np.zeros((count, 4), dtype=int)
    np.add.at(codes, (index, kinds), 1)
    return codes


def _narrowed(model: Model, brackets: Brackets, leg: int) -> Brackets:
    """Halves in which the poses change their kinds, again and again."""

    def kinds(q: Doubles) -> np.ndarray:
        poses = direct(model, q, prove=False)
        return _codes(model, poses.index, poses.q, poses.x, len(q), leg)

    line, low, high = brackets.line, brackets.low, brackets.high
    below, above = (kinds(low), kinds(high)) if len(line) else (np.zeros((0, 4)), np.zeros((0, 4)))
    for _ in range(HALVINGS if len(line) else 0):
        middle = 0.5 * (low + high)
        here = kinds(middle)
        first, second = (below != here).any(axis=-1), (here != above).any(axis=-1)
        line = np.concatenate([line[first], line[second]])
        low, high = np.concatenate([low[first], middle[second]]), np.concatenate([middle[first], high[second]])
        below, above = np.concatenate([below[first], here[second]]), np.concatenate([here[first], above[second]])
    return Brackets(line, low, high)


def _nearest(model: Model, brackets: Brackets, leg: int) -> Iterator[tuple[int, Doubles, Doubles, Doubles]]:
    """Of each bracket (the drive that stays, its two ends, z of the pose at them that is nearest to singular)."""
    if not len(brackets):
        return
    poses = direct(model, np.concatenate([brackets.low, brackets.high]), prove=False)
    at = Configurations(model, poses.q, poses.x)
    size = np.abs(np.linalg.det(at.A) if leg < 0 else at.leg_slopes()[:, leg])
    z, own = np.concatenate([poses.q, poses.x], axis=1), poses.index % len(brackets)
    for k in range(len(brackets)):
        rows = np.nonzero(own == k)[0]
        if len(rows):
            yield int(brackets.line[k]), brackets.low[k], brackets.high[k], z[rows[np.argmin(size[rows])]]


def _point(collector: Collector, stays: int, low: Doubles, high: Doubles, z: Doubles, leg: int) -> Doubles | None:
    """z on the curve between two positions of the drives, by Newton from a pose beside it; None if that leads away."""
    model, tracer = collector.model, collector.tracer(leg)

    def rows(z: Doubles) -> tuple[Doubles, Doubles]:
        g, dg = tracer.system(z)
        fixed = (z[stays] - low[stays]) * tracer.scales[stays]
        return np.append(g, fixed), np.concatenate([dg, np.eye(len(z))[stays : stays + 1]])

    found = tracer.onto(z, rows)
    if found is None:
        return None
    away = np.abs(tracer.difference(found, np.concatenate([0.5 * (low + high), found[model.nq :]]))[: model.nq]).max()
    width = np.abs((high - low) * tracer.scales[: model.nq]).max()
    return found if away <= NEAR * width else None
