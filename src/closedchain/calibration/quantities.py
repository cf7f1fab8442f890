"""What can be measured: coordinates, passive angles, points' places and distances, in one configuration or two.

q1  x  yaw         coordinates of z                    alpha1     a readout
P1.z               a component of a point's place      |B1 P1|    the distance of two points
to.q1  |C to.C|    `to.` is a second configuration of the same row
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from closedchain.describe.equations import Equations
from closedchain.errors import BadInput

TO = "to."
FORMS = (
    "columns are coordinates, readouts, P.x (a point's component), |A B| (a distance), each with to. for a second pose"
)


@dataclass(frozen=True)
class Term:
    """A scalar of one configuration: a coordinate of z by its index, or a sensor of the kernel by its name."""

    pose: int  # 0, or 1 for the second configuration
    coordinate: int | None = None
    sensor: str = ""


@dataclass(frozen=True)
class Quantity:
    """One measured scalar: a term, or the distance of two points, by their components."""

    name: str
    unit: str
    a: tuple[Term, ...]
    b: tuple[Term, ...] = ()

    @property
    def poses(self) -> set[int]:
        return {term.pose for term in (*self.a, *self.b)}


@dataclass(frozen=True)
class Vocabulary:
    """The quantities of one robot by name."""

    equations: Equations

    @cached_property
    def coordinates(self) -> dict[str, int]:
        return {c.name: i for i, c in enumerate(self.equations.z)}

    @cached_property
    def readouts(self) -> dict[str, str]:
        return {r.name: r.unit for r in self.equations.readouts}

    @cached_property
    def points(self) -> dict[str, int]:
        return {name: len(at) for name, at in self.equations.points}

    def unit(self, name: str) -> str | None:
        """A quantity's SI unit, or of its standard deviation, `z.sd`; None where there is none of that name."""
        found = self.find(name.removesuffix(".sd"))
        return found.unit if found else None

    def find(self, name: str) -> Quantity | None:
        """The quantity of a name."""
        distance = re.fullmatch(r"\|\s*(\S+)\s+(\S+)\s*\|", name)
        if distance:
            a, b = self._place(distance[1]), self._place(distance[2])
            return Quantity(name, "m", a, b) if a and b and len(a) == len(b) else None
        pose, plain = (1, name.removeprefix(TO)) if name.startswith(TO) else (0, name)
        if plain in self.coordinates:
            i = self.coordinates[plain]
            return Quantity(name, self.equations.z[i].unit, (Term(pose, i),))
        if plain in self.readouts:
            return Quantity(name, self.readouts[plain], (Term(pose, sensor=plain),))
        point, dot, axis = plain.rpartition(".")
        if dot and point in self.points and axis in "xyz"[: self.points[point]]:
            return Quantity(name, "m", (Term(pose, sensor=plain),))
        return None

    def _place(self, name: str) -> tuple[Term, ...]:
        pose, plain = (1, name.removeprefix(TO)) if name.startswith(TO) else (0, name)
        return tuple(Term(pose, sensor=f"{plain}.{axis}") for axis in "xyz"[: self.points.get(plain, 0)])

    def quantities(self, names: Sequence[str]) -> list[Quantity]:
        """The quantities of several names."""
        found = [(name, self.find(name)) for name in names]
        for name, one in found:
            if one is None:
                raise BadInput(f"{self.equations.name}: no quantity is called {name!r:.40}; {self.known}")
        return [one for _, one in found if one]

    @property
    def known(self) -> str:
        """What there is, for messages."""
        points = ", ".join(self.points) or "none"
        return f"{FORMS}; coordinates {', '.join(self.coordinates)}; points {points}"
