"""What planning found: a route with its proof, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import NoSolution, length, numbers
from closedchain.planning.straight import Straight


@dataclass(frozen=True, eq=False)
class ModeChange:
    """Where a leg is at its end (Type 1) and the route goes on in another working mode; the output stops there."""

    leg: str
    before: str
    after: str
    x: Doubles  # (nx,)
    q: Doubles  # (nq,)
    s: float  # [m] along the route

    def __str__(self) -> str:
        return f"{self.before} → {self.after} where leg {self.leg} is at its end, x = {numbers(self.x)}"


@dataclass(frozen=True, eq=False)
class Plan:
    """A motion from start to goal that keeps its margins and its distances, proven unless it says that it is not; or
    `found` is False."""

    robot: str
    found: bool
    message: str  # what was found, or why nothing was
    kind: str  # "straight", "roadmap", or "" when nothing was found
    objective: str
    margin: float  # that was asked for
    width: float  # [m]
    resolution: float  # [m] step of the grid; 0 where none was needed
    corners: tuple[
        Doubles, ...
    ]  # per piece of one working mode, (k, n) of the output: the route is straight between them
    modes: tuple[str, ...]  # working mode of each piece
    changes: tuple[ModeChange, ...]  # between the pieces
    s: Doubles  # (n,) [m] along the route
    x: Doubles  # (n, nx) samples, corners included; the output's coordinates first, then those of other bodies
    q: Doubles  # (n, nq), angles continuous
    working: tuple[str, ...]  # of each sample
    length: float  # [m], a plate's angle counted by its characteristic length
    clearance: float  # [m] smallest room between bodies; infinite where nothing can meet
    parallel: float  # smallest σ_min/σ_max of A (Type 2)
    serial: float  # smallest sine of a leg (Type 1), but for the parts next to a change of mode the leg that changes
    why: Mapping[str, Straight]  # the straight motion in each working mode
    proven: bool = True  # between its samples, too; not where other bodies follow from the output

    def unwrap(self) -> Plan:
        """Itself; raises NoSolution when nothing was found."""
        if not self.found:
            raise NoSolution(f"{self.robot}: {self.message}")
        return self

    def __str__(self) -> str:
        lines = [f"{self.robot}: {self.message}"]
        if self.found:
            room = length(self.clearance) if np.isfinite(self.clearance) else "nothing can meet"
            lines.append(f"  modes      {' → '.join(self.modes)}")
            lines += [f"  change     {c}" for c in self.changes]
            lines.append(f"  length     {length(self.length)}, {sum(map(len, self.corners))} corners")
            lines.append(f"  clearance  {room}, links {length(self.width) if self.width else 'without width'}")
            lines.append(f"  margins    Type 2 {self.parallel:.3g}, Type 1 {self.serial:.3g}; asked {self.margin:g}")
        lines.append("  straight from start to goal:")
        lines += [f"    {mode:>4}  {verdict}" for mode, verdict in self.why.items()]
        return "\n".join(lines)
