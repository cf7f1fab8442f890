"""Pieces of singular curves, in output space and in joint space at once, and what is claimed of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from closedchain.arrays import Doubles


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
    assembly: str = ""  # of a curve traced in joint space: the sign of det A; "0" where assembly modes meet


@dataclass(frozen=True, eq=False)
class Loci:
    """Singular curves of a window or slice, of the output's coordinates or of the drives' own."""

    robot: str
    kind: str
    pieces: tuple[Locus, ...]
    spacing: tuple[float, float]  # of the grid lines
    complete: bool  # proven: every component that meets a grid line is among them
    ended: tuple[str, ...]  # how each component ends
    space: str = "output"  # or "joint": in which plane the grid lines were drawn
    fixed: Mapping[str, float] = field(default_factory=dict)  # coordinates that stay
    searched: str = ""  # where there is no proof, what was looked at

    def __len__(self) -> int:
        return len(self.pieces)

    def of(self, working: str) -> tuple[Locus, ...]:
        """The pieces of one working mode."""
        return tuple(p for p in self.pieces if p.working == working)

    def __str__(self) -> str:
        claim = "every curve that meets a grid line" if self.complete else "the curves found"
        spaced = " by ".join(f"{v:.3g}" for v in self.spacing)
        lines = [f"{self.robot}: {len(self.ended)} singular curve(s), {claim} (lines {spaced} apart)"]
        lines += [f"  {self.searched}"] * bool(self.searched)
        for p in self.pieces:
            shape = "closed" if p.closed else "open"
            what = f"{p.leg or 'det A'}{f' in {p.assembly}' * (p.assembly not in ('', '0'))}"
            lines.append(f"  curve {p.component} {p.working:>4} {what}: {shape}, {len(p.s)} points, {p.s[-1]:.6g} m")
        return "\n".join(lines)
