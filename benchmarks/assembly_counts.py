"""How many assembly modes each mechanism of the literature's table has, from a file of at most 40 lines.

    python -m benchmarks.assembly_counts

A row: the file and its lines; solutions over the complex numbers, the number known, operation modes; real ones at a
random configuration, how many of these are proven, and whether none can be missing. The numbers known are those of
exact algebra (Gröbner bases), for points and bars the Laman numbers.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import closedchain as cc
from closedchain.model.counting import count
from closedchain.model.sampling import sample

FOLDER = Path(__file__).parents[1] / "examples" / "assemblies"
KNOWN = {
    "rpr3": 6,
    "rrr3": 6,
    "prr3": 6,
    "delta": 2,
    "orthoglide": 2,
    "wrist": 8,
    "neck": 8,
    "ankle": 8,
    "ankle-offset": 8,
    "pentapod": 8,
    "rps3": 16,
    "prs3": 16,
    "rrs3": 16,
    "rps3-skew": 16,
    "octahedral": 16,
    "ups6-3": 16,
    "ups6": 40,
    "ups6-planar-base": 40,
    "ups6-planar": 40,
    "rus6": 40,
    "hexaglide": 40,
    "ups6-semi-regular": 28,
    "upu3": 78,
    "prism": 24,
    "k33": 16,
}
MODES = {"rps3": [8, 8], "prs3": [8, 8], "rrs3": [8, 8], "rps3-skew": [16], "upu3": [64, 6, 4, 2, 2]}  # where known


@dataclass(frozen=True)
class Row:
    """What came out for one file."""

    name: str
    lines: int
    count: int | None
    modes: list[int] | None  # of the last block
    real: int
    proven: int
    complete: bool
    spent: float  # [s] of processor time for the count

    @property
    def holds(self) -> bool:
        """Whether the count and the modes are those known, and the real solutions are all told and proven."""
        right = self.count == KNOWN[self.name] and MODES.get(self.name, self.modes) == self.modes
        return right and self.lines <= 40 and self.complete and 0 < self.real == self.proven

    def __str__(self) -> str:
        modes = " = " + " + ".join(map(str, self.modes)) if self.modes and len(self.modes) > 1 else ""
        told = f"{self.count}{modes} ({KNOWN[self.name]} known) in {self.spent:.2f} s"
        real = f"{self.real} real, {self.proven} proven, {'none missing' if self.complete else 'NOT complete'}"
        return f"{self.name}.toml: {self.lines} lines; {told}; {real}{'' if self.holds else '  DIFFERS'}"


def row(name: str) -> Row:
    """Count and solve the robot of one file."""
    file = FOLDER / f"{name}.toml"
    robot, begin = cc.load(file), time.process_time()
    counted = count(robot, "direct")
    spent = time.process_time() - begin
    found = cc.direct(robot, sample(robot, 1, seed=1).q[0])
    real = len(found), int(found.certified.sum()), bool(found.complete.all())
    lines = len(file.read_text().splitlines())
    return Row(name, lines, counted.total, counted.blocks[-1].modes, *real, spent)


def main() -> int:
    """Print the rows; exit code 1 if one differs from what is known."""
    rows = []
    for name in KNOWN:
        rows.append(row(name))
        print(rows[-1], flush=True)
    wrong = [r.name for r in rows if not r.holds]
    print(f"{len(rows)} mechanisms, {len(wrong)} differ{': ' + ', '.join(wrong) if wrong else ''}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
