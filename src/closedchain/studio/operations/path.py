"""`path`: where the output can follow a polyline or a circle in one working mode, and what stops it.

The singular points are those of `singularity.along`, proven piece by piece; a polyline is searched between its corners,
a circle as the circle itself. How far a leg misses is looked for on samples, refined about the worst one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from closedchain.arrays import Doubles, vectors
from closedchain.derive.structure import Leg
from closedchain.describe.elements import Bar, Crank, point_name
from closedchain.errors import BadInput
from closedchain.model.model import Model
from closedchain.singularity.along import Along, OutOfReach, along
from closedchain.studio.operations.drawing import points
from closedchain.studio.operations.lines import point
from closedchain.studio.operations.loading import model_of

CORNERS = 64  # of a polyline, at most
SAMPLES, ROUNDS = 65, 3  # of a part out of reach; each round is 32 times as fine


@dataclass(frozen=True, eq=False)
class Path:
    """A polyline with s = 0, 1, … at its corners, or one turn of a circle, 0 ≤ s ≤ 1."""

    corners: Doubles | None  # (k, nx)
    centre: Doubles  # (nx,) of the circle
    radius: float
    angle: float  # where the circle begins [rad]

    @property
    def end(self) -> float:
        """s at the end."""
        return 1.0 if self.corners is None else float(len(self.corners) - 1)

    def x(self, s: Doubles) -> Doubles:
        """The output at s, (n, nx)."""
        if self.corners is not None:
            k = np.clip(s.astype(int), 0, len(self.corners) - 2)
            return np.asarray(self.corners[k] + (s - k)[:, None] * (self.corners[k + 1] - self.corners[k]))
        found, turn = np.tile(self.centre, (len(s), 1)), 2 * np.pi * s + self.angle
        found[:, :2] += self.radius * np.stack([np.cos(turn), np.sin(turn)], axis=-1)
        return found

    def curve(self) -> Any:
        """As `along` takes it: corners, or the coordinates as expressions of s."""
        if self.corners is not None:
            return self.corners
        turn = f"(2*pi*s + {self.angle!r})"
        x, y, *rest = (float(v) for v in self.centre)
        round_ = [f"{x!r} + {self.radius!r}*cos{turn}", f"{y!r} + {self.radius!r}*sin{turn}"]
        return [*round_, *(repr(v) for v in rest)]


def path(body: dict[str, Any], tell: Any) -> dict[str, Any]:
    """Parts out of reach, singular points and what was left open, each in the order of s."""
    model = model_of(body["robot"])
    way = path_of(model, body)
    found: list[Along] = []
    for k, kind in enumerate(("A", "B")):
        tell(k / 2, f"Type {2 - k}")
        found.append(along(model, curve=way.curve(), working=body["working"], kind=kind))
    gaps = joined(found[0].out_of_reach)
    return {
        "working": found[0].working[0],
        "end": way.end,
        "points": sorted((point(p) for f in found for p in f), key=lambda row: row["s"]),
        "out_of_reach": [gap(model, way, part) for part in gaps],
        "unresolved": [
            {"low": u.lo, "high": u.hi, "x": u.x.tolist(), "why": u.why}
            for u in sorted((u for f in found for u in f.unresolved), key=lambda u: u.lo)
        ],
        "complete": all(f.complete for f in found),
    }


def path_of(model: Model, body: dict[str, Any]) -> Path:
    """The path of a request; it lies in the plane of the output's first two coordinates."""
    corners, circle = body["corners"], body["circle"]
    if (corners is None) == (circle is None):
        raise BadInput(f"{model.name}: give corners or a circle, one of them")
    if model.nx < 2 or any(c.unit != "m" for c in model.equations.x[:2]):
        raise BadInput(f"{model.name}: its output moves in no plane, so there are no paths to draw")
    if circle is not None:
        if not circle["radius"] > 0:
            raise BadInput(f"{model.name}: a circle's radius is {circle['radius']} m; it must be more than 0")
        return Path(None, vectors(circle["centre"], model.nx, "centre"), circle["radius"], circle["angle"])
    if not 2 <= len(corners) <= CORNERS:
        raise BadInput(f"{model.name}: a path of {len(corners)} corners; from 2 to {CORNERS} are possible")
    rows = np.stack([vectors(row, model.nx, f"corners[{i}]") for i, row in enumerate(corners)])
    return Path(rows, np.zeros(model.nx), 0.0, 0.0)


def joined(parts: tuple[OutOfReach, ...]) -> list[OutOfReach]:
    """Parts that meet at a corner with the same legs, as one."""
    made: list[OutOfReach] = []
    for part in parts:
        if made and made[-1].legs == part.legs and part.lo - made[-1].hi < 1e-9:
            made[-1] = OutOfReach(made[-1].lo, part.hi, part.legs)
        else:
            made.append(part)
    return made


def gap(model: Model, way: Path, part: OutOfReach) -> dict[str, Any]:
    """A part out of reach: its ends, and each leg with its largest miss."""
    ends = way.x(np.array([part.lo, part.hi]))
    row: dict[str, Any] = {"low": part.lo, "high": part.hi, "start": ends[0].tolist(), "end": ends[1].tolist()}
    return row | {"legs": list(misses(model, way, part))}


def misses(model: Model, way: Path, part: OutOfReach) -> Iterator[dict[str, Any]]:
    """By how much each leg misses at its worst on the part, where, and to which side."""
    for i, leg in enumerate(model.legs):
        if leg.name in part.legs:
            x = way.x(np.array([worst(model, way, part, i)]))
            made = model.call("inverse", x=x, sigma=np.ones(len(model.legs)))
            by, q = -float(made["slack"][0, i]), np.nan_to_num(made["q"][0])
            yield {"leg": leg.name, "by": by, "side": side(model, leg, q, x[0]), "x": x[0].tolist()}


def worst(model: Model, way: Path, part: OutOfReach, leg: int) -> float:
    """s of the part where a leg misses most: the worst sample, and the worst about it."""
    low, high, best = part.lo, part.hi, part.lo
    for _ in range(ROUNDS):
        s = np.linspace(low, high, SAMPLES)
        slack = model.call("inverse", x=way.x(s), sigma=np.ones(len(model.legs)))["slack"][:, leg]
        k = int(np.argmin(slack))
        best, low, high = float(s[k]), float(s[max(k - 1, 0)]), float(s[min(k + 1, SAMPLES - 1)])
    return best


def side(model: Model, leg: Leg, q: Doubles, x: Doubles) -> str:
    """Whether a leg's end that is out of reach lies too far away or, of a crank with unequal parts, too near."""
    if not isinstance(leg.drive, Crank) or not isinstance(leg.link, Bar):
        return "far"
    names = [name for name, _ in model.equations.points]
    end = points(model, q[None], x[None])[0, names.index(point_name(leg.far))]
    pivot = np.array([model.number(e) for e in leg.drive.about])
    longest = max(model.number(leg.drive.radius), model.number(leg.link.length))
    return "far" if float(np.linalg.norm(end - pivot)) > longest else "near"
