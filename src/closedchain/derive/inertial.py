"""The standard dynamic parameters of a mechanism's bodies, in which its energies are linear.

A body's energies are linear in its mass m, first moments m c and inertia about its own origin, J = I + m c². They are
written with m, c and I. At m = 1, c = 0, I = 0 the slopes by m, c and I are those by m, m c and J:

    ∂/∂(m c) = (1/m) ∂/∂c − 2 c ∂/∂I → ∂/∂c,    ∂/∂J = ∂/∂I,    ∂/∂m|mc,J = ∂/∂m − (c/m) ∂/∂c + c² ∂/∂I → ∂/∂m

so one derivative of the equations of motion at that place is the exact regressor, of bodies without mass, too.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

from closedchain.describe.elements import Body, Crank, Element, Free, Plate, Slide, Slider, Telescope, Turn
from closedchain.describe.expressions import ZERO, Expr, Symbol, is_number
from closedchain.describe.mechanism import Mechanism

PAIRS = ((0, 1), (0, 2), (1, 2))  # of axes: xy, xz, yz


@dataclass(frozen=True, eq=False)
class Standard:
    """One standard parameter: its name, what the description says of it, and where slopes by its symbol are taken."""

    name: str  # "A1-C.mx"
    unit: str
    value: Expr
    at: float
    body: str
    kind: str  # "m", "mx", "my", "mz", "J", "Jxx" …; "rotor", "damping", "stiffness"


def standard(mechanism: Mechanism) -> tuple[Mechanism, tuple[Standard, ...]]:
    """A copy of the mechanism whose masses are symbols, and these."""
    marked = copy.deepcopy(mechanism)  # elements refer to each other: all of them are copied together
    marker = _Marker()
    for own, other in zip(mechanism.drives, marked.drives, strict=True):
        marker.drive(own, other)
    for own_bar, bar in zip(mechanism.bars, marked.bars, strict=True):
        marker.rod(own_bar.name, own_bar, bar)
    for own_body, body in zip(mechanism.bodies, marked.bodies, strict=True):
        marker.body(own_body, body)
    for own_spring, spring in zip(mechanism.springs, marked.springs, strict=True):
        marker.one(own_spring.name, "stiffness", "N/m", own_spring.stiffness, spring, "stiffness", 0.0)
    for own_damper, damper in zip(mechanism.dampers, marked.dampers, strict=True):
        marker.one(own_damper.name, "damping", "N s/m", own_damper.damping, damper, "damping", 0.0)
    return marked, tuple(marker.found)


class _Marker:
    """Puts symbols into elements of the copy, and keeps what they stand for."""

    def __init__(self) -> None:
        self.found: list[Standard] = []

    def one(self, body: str, kind: str, unit: str, value: Expr, element: Element, field: str, at: float) -> None:
        name = f"{body}.{kind}"
        self.found.append(Standard(name, unit, value, at, body, kind))
        element._set(field, Symbol(name))

    def drive(self, own: Element, other: Element) -> None:
        match own:
            case Slider():
                self.one(own.name, "m", "kg", own.mass, other, "mass", 1.0)
            case Crank():
                self.rod(own.name, own, other)
            case Telescope():
                for end in ("base", "tip"):
                    self.rod(f"{own.name}.{end}", own, other, f"{end}_")

    def rod(self, name: str, own: Element, other: Element, prefix: str = "") -> None:
        """Mass, first moment along it, and inertia about its beginning."""
        m, c, i = (getattr(own, prefix + field) or ZERO for field in ("mass", "centre", "inertia"))
        self.one(name, "m", "kg", m, other, f"{prefix}mass", 1.0)
        self.one(name, "mx", "kg m", m * c, other, f"{prefix}centre", 0.0)
        self.one(name, "J", "kg m^2", i + m * c**2, other, f"{prefix}inertia", 0.0)

    def body(self, own: Free | Plate | Body, other: Element) -> None:
        self.one(own.name, "m", "kg", own.mass, other, "mass", 1.0)
        if isinstance(own, Free):
            return
        names = [f"{own.name}.m{axis}" for axis in "xyz"[: len(own.centre)]]
        for name, axis, c in zip(names, "xyz", own.centre, strict=False):
            self.found.append(Standard(name, "kg m", own.mass * c, 0.0, own.name, f"m{axis}"))
        other._set("centre", tuple(Symbol(name) for name in names))
        if isinstance(own, Plate):
            value = own.inertia + own.mass * (own.centre[0] ** 2 + own.centre[1] ** 2)
            self.one(own.name, "J", "kg m^2", value, other, "inertia", 0.0)
            return
        self._tensor(own, other)
        joint = own.joint
        if isinstance(joint, Turn | Slide):
            moved: Element = other.joint  # type: ignore[attr-defined]  # other is own's copy
            for field in ("rotor", "stiffness", "damping"):
                if not is_number(getattr(joint, field), 0.0):
                    self.one(joint.name, field, "", getattr(joint, field), moved, field, 0.0)

    def _tensor(self, own: Body, other: Element) -> None:
        """xx, yy, zz, xy, xz, yz about the frame's origin: I + m (c² 1 − c cᵀ)."""
        m, c, given = own.mass, own.centre, (*own.inertia, ZERO, ZERO, ZERO)[:6]
        values = [given[k] + m * (c[(k + 1) % 3] ** 2 + c[(k + 2) % 3] ** 2) for k in range(3)]
        values += [given[3 + k] - m * c[a] * c[b] for k, (a, b) in enumerate(PAIRS)]
        kinds = [f"J{word}" for word in ("xx", "yy", "zz", "xy", "xz", "yz")]
        for kind, value in zip(kinds, values, strict=True):
            self.found.append(Standard(f"{own.name}.{kind}", "kg m^2", value, 0.0, own.name, kind))
        other._set("inertia", tuple(Symbol(f"{own.name}.{kind}") for kind in kinds))
