"""Singular curves: the zero sets of det A (Type 2) and of the legs' slopes (Type 1), traced in output and joint space.

A curve lives in z = (q, x), where it passes smoothly from one working mode to the next; it is cut there into pieces.
Its starting points are proven zeros on a grid of lines, so every component that meets a grid line is found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Telescope
from closedchain.errors import BadInput
from closedchain.model.configurations import Configurations
from closedchain.model.model import Model
from closedchain.singularity.continuation import Traced, Tracer
from closedchain.singularity.patch import Patch, patch_of
from closedchain.singularity.survey import Hit
from closedchain.singularity.systems import System, curve_program

STEPS_ACROSS = 60  # the longest step is this part of the window


@dataclass(frozen=True, eq=False)
class Locus:
    """A piece of a singular curve on one working mode."""

    kind: str  # "A" or "B"
    leg: str  # the leg at its end for "B"; "" for "A"
    working: str  # "0" for a leg at its end
    s: Doubles  # (k,) [m] length along the curve, angles counted by their characteristic lengths
    x: Doubles  # (k, nx)
    q: Doubles  # (k, nq)
    closed: bool  # the piece is a whole closed curve
    component: int  # pieces of one connected curve share it


@dataclass(frozen=True, eq=False)
class Loci:
    """Singular curves of a window or slice."""

    robot: str
    kind: str
    pieces: tuple[Locus, ...]
    spacing: tuple[float, float]  # of the grid lines
    complete: bool  # proven: every component that meets a grid line is among them
    ended: tuple[str, ...]  # how each component ends

    def __len__(self) -> int:
        return len(self.pieces)

    def of(self, working: str) -> tuple[Locus, ...]:
        """The pieces of one working mode."""
        return tuple(p for p in self.pieces if p.working == working)

    def __str__(self) -> str:
        claim = "every curve that meets a grid line" if self.complete else "the curves found"
        spaced = " by ".join(f"{v:.3g}" for v in self.spacing)
        lines = [f"{self.robot}: {len(self.ended)} singular curve(s), {claim} (lines {spaced} apart)"]
        for p in self.pieces:
            shape = "closed" if p.closed else "open"
            lines.append(
                f"  curve {p.component} {p.working:>4} {p.leg or 'det A'}: {shape}, {len(p.s)} points, {p.s[-1]:.6g} m"
            )
        return "\n".join(lines)


def loci(
    model: Model,
    *,
    window: Sequence[Sequence[float]] | None = None,
    fixed: Mapping[str, float] | None = None,
    kind: str = "A",
    lines: int = 24,
) -> Loci:
    """The singular curves in a window of two output coordinates, the others fixed: window=((x0, x1), (y0, y1)).

    Or, for a plate on telescopes, in the slice where one of them is fixed: fixed={"rho1": 14.98}, without a window.
    """
    if kind not in ("A", "B"):
        raise BadInput(f'{model.name}: kind {kind!r:.20} is neither "A" (det A, Type 2) nor "B" (det B, Type 1)')
    if not 2 <= int(lines) <= 400:
        raise BadInput(f"{model.name}: {lines} grid lines; 2 to 400 are possible")
    patch = patch_of(model, window, dict(fixed or {}), int(lines))
    survey = patch.lines.survey(patch.lines.modes(), kind)
    return _Collector(model, patch, kind).collect(survey.hits, settled=not survey.unsettled)


class _Collector:
    """Traces the curve of every hit that no curve traced before goes through."""

    def __init__(self, model: Model, patch: Patch, kind: str) -> None:
        self.model, self.patch, self.kind = model, patch, kind
        self.tracers: dict[int, Tracer] = {}
        self.curves: list[tuple[int, Traced]] = []
        self.size = model.scale
        self.wraps = np.array([2 * np.pi if c.unit == "rad" else 0.0 for c in model.equations.z])
        telescopes = [isinstance(leg.drive, Telescope) for leg in model.legs]
        self.mirrors = np.array(telescopes + [False] * model.nx)

    def tracer(self, leg: int) -> Tracer:
        """The tracer of det A (−1) or of one leg's slope."""
        if leg not in self.tracers:
            system = System(self.model, curve_program(self.model, leg), self.patch.held)
            spans = [hi - lo for lo, hi in self.patch.limits.values()] or [self.size]
            longest = max(spans) / STEPS_ACROSS
            self.tracers[leg] = Tracer(system, system.scales, self.size, longest, self.wraps, self.mirrors)
        return self.tracers[leg]

    def collect(self, hits: Sequence[Hit], settled: bool) -> Loci:
        lost = False
        for hit in hits:
            z = self.configuration(hit)
            if any(leg == hit.leg and self._goes_through(traced, leg, z) for leg, traced in self.curves):
                continue
            traced = self.tracer(hit.leg).trace(z, self._inside)
            if len(traced.z) > 1:
                self.curves.append((hit.leg, self._trimmed(hit.leg, traced)))
            else:
                lost = True
        pieces = [p for k, (leg, traced) in enumerate(self.curves) for p in self._pieces(k, leg, traced)]
        return Loci(
            robot=self.model.name,
            kind=self.kind,
            pieces=tuple(pieces),
            spacing=self.patch.spacing,
            complete=settled and not lost,
            ended=tuple(traced.ended for _, traced in self.curves),
        )

    def configuration(self, hit: Hit) -> Doubles:
        """z of a hit."""
        x = self.patch.x(hit.line, 0.5 * (hit.lo + hit.hi))
        q = self.model.call("inverse", x=x, sigma=np.array(hit.signs, float))["q"]
        return np.concatenate([q, x])

    def _inside(self, z: Doubles) -> bool:
        return all(lo <= z[i] <= hi for i, (lo, hi) in self.patch.limits.items())

    def _trimmed(self, leg: int, traced: Traced) -> Traced:
        """The curve with its ends on the window's border instead of one step beyond it."""
        z, tracer = traced.z.copy(), self.tracer(leg)
        for end, before in ((0, 1), (-1, -2)):
            for i, limits in self.patch.limits.items():
                border = min(limits, key=lambda v: abs(v - z[end, i]))
                if not limits[0] <= z[end, i] <= limits[1]:
                    share = (border - z[before, i]) / (z[end, i] - z[before, i])
                    z[end] = self._on_border(tracer, z[before] + share * (z[end] - z[before]), i, border)
        return Traced(z, traced.closed, traced.ended)

    def _on_border(self, tracer: Tracer, z: Doubles, i: int, border: float) -> Doubles:
        def rows(z: Doubles) -> tuple[Doubles, Doubles]:
            g, dg = tracer.system(z)
            return np.append(g, (z[i] - border) * tracer.scales[i]), np.concatenate([dg, np.eye(len(z))[i : i + 1]])

        found = tracer.onto(z, rows)
        return z if found is None else found

    def _goes_through(self, traced: Traced, leg: int, z: Doubles) -> bool:
        """Whether a traced curve passes z: project z onto the curve from its nearest piece and compare."""
        tracer = self.tracer(leg)
        away = np.linalg.norm(tracer.difference(z, traced.z), axis=1)
        i = int(np.argmin(away))
        reach = 1.5 * tracer.longest
        if away[i] > reach:
            return False
        near = traced.z[i]
        t = tracer.tangent(near)
        for _ in range(8):  # walk along the tangent to the foot of z, back onto the curve each time
            ahead = float(tracer.difference(z, near) @ t)
            landed = tracer.onto(near + ahead * t / tracer.scales)
            if landed is None:
                return False
            near, t = landed, tracer.tangent(landed)
            if abs(ahead) <= 1e-12 * self.size:
                break
        return bool(np.linalg.norm(tracer.difference(z, near)) <= 1e-8 * self.size)

    def _pieces(self, component: int, leg: int, traced: Traced) -> list[Locus]:
        """The curve cut where a leg with a choice changes its sign."""
        z = traced.z
        signs = self._signs(z, leg)
        cuts = [i + 1 for i in range(len(z) - 1) if (signs[i] != signs[i + 1]).any()]
        if not cuts:
            return [self._locus(component, leg, z, signs[0], traced.closed)]
        if traced.closed:  # begin at a cut
            z, signs = (
                np.concatenate([z[cuts[0] : -1], z[: cuts[0]]]),
                np.concatenate([signs[cuts[0] : -1], signs[: cuts[0]]]),
            )
            cuts = [i - cuts[0] for i in cuts[1:]]
        joints = [self._joint(leg, z[i - 1], z[i], signs[i - 1], signs[i]) for i in cuts]
        ends = [self._joint(leg, z[-1], z[0], signs[-1], signs[0])] if traced.closed else [None]
        found = []
        for k, (a, b) in enumerate(zip([0, *cuts], [*cuts, len(z)], strict=True)):
            first = joints[k - 1] if k else ends[0]
            last = joints[k] if k < len(joints) else ends[0]
            rows = (
                [row[None] for row in (first,) if row is not None]
                + [z[a:b]]
                + [row[None] for row in (last,) if row is not None]
            )
            found.append(self._locus(component, leg, np.concatenate(rows), signs[a], False))
        return found

    def _signs(self, z: Doubles, leg: int) -> np.ndarray:
        rows = Configurations(self.model, z[:, : self.model.nq], z[:, self.model.nq :])
        signs = np.sign(rows.leg_slopes() * self.model.leg_signs).astype(int)
        if leg >= 0:
            signs[:, leg] = 0
        return signs

    def _joint(self, leg: int, a: Doubles, b: Doubles, before: np.ndarray, after: np.ndarray) -> Doubles | None:
        """Where the curve changes its working mode between two of its points; none if it does not settle there."""
        changed = int(np.nonzero(before != after)[0][0])
        curve, end = self.tracer(leg), self.tracer(changed)

        def rows(z: Doubles) -> tuple[Doubles, Doubles]:
            (g, dg), (e, de) = curve.system(z), end.system(z)
            k = self.model.nx  # the row of the condition
            return np.append(g, e[k]), np.concatenate([dg, de[k : k + 1]])

        middle = a + 0.5 * curve.step(b, a) / curve.scales
        found = curve.onto(middle, rows)
        if found is None or np.linalg.norm(curve.step(found, middle)) > np.linalg.norm(curve.step(b, a)):
            return None
        return found

    def _locus(self, component: int, leg: int, z: Doubles, signs: np.ndarray, closed: bool) -> Locus:
        tracer = self.tracer(leg)
        z = z.copy()
        for i in range(1, len(z)):  # angles without jumps
            z[i] = z[i - 1] + tracer.step(z[i], z[i - 1]) / tracer.scales
        steps = np.linalg.norm(np.diff(z, axis=0) * tracer.scales, axis=1)
        chosen = self.patch.lines.chosen
        return Locus(
            kind=self.kind,
            leg=self.model.legs[leg].name if leg >= 0 else "",
            working="".join("-0+"[int(signs[i]) + 1] for i in chosen) or "+",
            s=np.concatenate([[0.0], np.cumsum(steps)]),
            x=z[:, self.model.nq :],
            q=np.where(self.mirrors, np.abs(z), z)[:, : self.model.nq],
            closed=closed,
            component=component,
        )
