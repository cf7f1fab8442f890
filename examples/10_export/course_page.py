"""A page for a course: a five-bar that students drag, with a motion to play, in one file that needs nothing.

The robot is exported with a simulated motion inside. What the page will show first, how large it is and how many
instants it plays is read back from the file itself.
"""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import closedchain as cc
from closedchain.export.html import explorable
from closedchain.files import atomic_write


def main() -> float:
    """Write the page, read it back, and return where the motion inside it ends, y of the tip [m]."""
    robot = cc.load("fivebar")
    start, end = [0.03, 0.10], [-0.02, 0.12]
    line = cc.quintic(start, end, duration=1.5)
    run = cc.simulate(robot, cc.ComputedTorque(line, kp=100, kd=20), interval=1e-3, working="++")
    print(run)

    page = explorable(robot, run)
    path = Path(tempfile.mkdtemp()) / "fivebar.html"
    atomic_write(path, page)
    print(f"{path.name}: {len(page.encode()) / 1e3:.0f} kB; open it in any browser, no network is needed")

    told = read_back(path)
    motion = told["run"]
    print(f"it begins at x = {told['start']['x']} and plays {len(motion['t'])} instants")
    branches = len(cc.inverse(robot, told["start"]["x"]))
    print(f"{branches} working modes will be drawn there, one as the robot, the others as ghosts")
    return float(motion["x"][-1][1])


def read_back(path: Path) -> dict[str, Any]:
    """What the page is told beside its kernels: where to begin, what to draw, the motion."""
    text = path.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="told">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    told: dict[str, Any] = json.loads(found[1])
    return told


if __name__ == "__main__":
    main()
