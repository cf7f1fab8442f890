"""Singular curves through given points: traced, each once, and cut where they pass from one mode to the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Telescope
from closedchain.model.configurations import Configurations
from closedchain.model.model import Model
from closedchain.model.solutions import mode_name
from closedchain.singularity.continuation import Traced, Tracer
from closedchain.singularity.locus import Locus
from closedchain.singularity.systems import System, curve_program

STEPS_ACROSS = 60  # the longest step is this part of the window


@dataclass(frozen=True, eq=False)
class Plane:
    """The two-dimensional part of z = (q, x) in which curves are traced."""

    held: Mapping[int, float]  # coordinates of z that stay
    limits: Mapping[int, tuple[float, float]]  # coordinates of z that a window bounds
    longest: float | None = None  # [m] step along a curve; a part of the window unless given
    working: str | None = None  # curves end where they leave this working mode
    assemblies: bool = False  # whether Type 1 curves are also cut where det A changes its sign


class Collector:
    """Traces the curve of every hit that no curve traced before goes through."""

    def __init__(self, model: Model, plane: Plane, kind: str) -> None:
        self.model, self.plane, self.kind = model, plane, kind
        self.tracers: dict[int, Tracer] = {}
        self.curves: list[tuple[int, Traced]] = []
        self.size = model.scale
        self.wraps = np.array([2 * np.pi if c.unit == "rad" else 0.0 for c in model.equations.z])
        telescopes = [isinstance(leg.drive, Telescope) for leg in model.legs]
        self.mirrors = np.array(telescopes + [False] * model.nx)

    def tracer(self, leg: int) -> Tracer:
        """The tracer of det A (−1) or of one leg's slope."""
        if leg not in self.tracers:
            system = System(self.model, curve_program(self.model, leg), dict(self.plane.held))
            spans = [(hi - lo) * system.scales[i] for i, (lo, hi) in self.plane.limits.items()] or [self.size]
            longest = self.plane.longest or max(spans) / STEPS_ACROSS
            self.tracers[leg] = Tracer(system, system.scales, self.size, longest, self.wraps, self.mirrors)
        return self.tracers[leg]

    def collect(self, starts: Iterable[tuple[int, Doubles]]) -> bool:
        """Trace from each (leg or −1, z) that lies on no curve yet; whether every one could be traced."""
        whole = True
        for leg, z in starts:
            if any(leg == other and self._goes_through(traced, leg, z) for other, traced in self.curves):
                continue
            traced = self.tracer(leg).trace(z, lambda at, leg=leg: self._inside(at, leg))  # type: ignore[misc]
            if len(traced.z) > 1:
                self.curves.append((leg, self._trimmed(leg, traced)))
            else:
                whole = False
        return whole

    @property
    def ended(self) -> tuple[str, ...]:
        """How each curve ends."""
        return tuple(traced.ended for _, traced in self.curves)

    def pieces(self) -> tuple[Locus, ...]:
        """The curves cut into pieces; of one working mode, where that was asked for."""
        found = [p for k, (leg, traced) in enumerate(self.curves) for p in self._pieces(k, leg, traced)]
        return tuple(p for p in found if self._wanted(p.working))

    def _wanted(self, working: str) -> bool:
        """Whether a mode is the one that was asked for; a leg at its end is in either of its own."""
        asked = self.plane.working
        return asked is None or all(sign in ("0", own) for sign, own in zip(working, asked, strict=True))

    def _inside(self, z: Doubles, leg: int) -> bool:
        within = all(lo <= z[i] <= hi for i, (lo, hi) in self.plane.limits.items())
        if not within or self.plane.working is None:
            return within
        return self._wanted(self._name(self._signs(z[None], leg)[0]))

    def _trimmed(self, leg: int, traced: Traced) -> Traced:
        """The curve with its ends on the window's border instead of one step beyond it."""
        z, tracer = traced.z.copy(), self.tracer(leg)
        for end, before in ((0, 1), (-1, -2)):
            for i, limits in self.plane.limits.items():
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

    def _name(self, signs: np.ndarray) -> str:
        """The working mode of a row of signs."""
        return mode_name(signs[np.nonzero(self.model.leg_signs)[0]])

    def _signs(self, z: Doubles, leg: int) -> np.ndarray:
        """(k, legs + 1) signs of the legs, 0 for the one at its end, and of det A where curves are cut there too."""
        rows = Configurations(self.model, z[:, : self.model.nq], z[:, self.model.nq :])
        signs = np.sign(rows.leg_slopes() * self.model.leg_signs).astype(int)
        if leg >= 0:
            signs[:, leg] = 0
        assembly = np.sign(np.linalg.det(rows.A)) if self.plane.assemblies and leg >= 0 else np.zeros(len(z))
        return np.concatenate([signs, assembly[:, None].astype(int)], axis=1)

    def _joint(self, leg: int, a: Doubles, b: Doubles, before: np.ndarray, after: np.ndarray) -> Doubles | None:
        """Where the curve changes its working mode between two of its points; none if it does not settle there."""
        changed = int(np.nonzero(before != after)[0][0])
        curve, end = self.tracer(leg), self.tracer(changed if changed < len(self.model.legs) else -1)

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
        return Locus(
            kind=self.kind,
            leg=self.model.legs[leg].name if leg >= 0 else "",
            working=self._name(signs),
            s=np.concatenate([[0.0], np.cumsum(steps)]),
            x=z[:, self.model.nq :],
            q=np.where(self.mirrors, np.abs(z), z)[:, : self.model.nq],
            closed=closed,
            component=component,
            assembly="-0+"[int(signs[-1]) + 1] if self.plane.assemblies else "",
        )
