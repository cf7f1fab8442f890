"""Draw every robot and write docs/gallery.md: each with its picture, its count of modes and a few lines to begin with.

python docs/pictures/gallery.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import closedchain as cc
from closedchain import robots
from closedchain.errors import ClosedChainError
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.singularity.beginning import begin
from closedchain.view.pictures import figure_drawing
from closedchain.view.style import save

HERE = Path(__file__).parent
LINKAGES = {"nfourbar": "nfourbar:3"}  # of a size that can be drawn
ROBOT = """import numpy as np
import closedchain as cc

robot = cc.load("{name}")
x = {x}
for s in cc.inverse(robot, x):  # every way to put its output there
    print(s.working, s.q.round(4))
q = cc.inverse(robot, x).q[0]
for s in cc.direct(robot, q):  # everywhere its output can be then
    print(s.mode, s.x.round(4))
at = cc.evaluate(robot, q=q, x=x, q_dot=np.full(robot.nq, 0.1))
print("efforts", at.tau.round(4))
"""
LINKAGE = """import numpy as np
import closedchain as cc
from closedchain.singularity.beginning import begin

robot = cc.load("{name}")
q, x = begin(robot)
now = cc.state(robot, q=q, x=x)
print("accelerations when let go", cc.forward_dynamics(robot, now, np.zeros(len(robot.driven))).q_ddot.round(4))
print("energy", cc.energy(robot, now))
print(cc.check(robot, states=50).verdict)
"""
TOP = """# Gallery

Every robot and linkage that comes along, as it stands when `closedchain studio NAME` opens it; `closedchain export NAME
--to html` makes a page of a robot in which it can be dragged. The pictures and this page are written by
`python docs/pictures/gallery.py`; the blocks are run by the tests.

<!-- generated: all_draggable -->
"""


def main() -> None:
    """All of them."""
    (HERE / "gallery").mkdir(exist_ok=True)
    names = [*robots.names(), *(LINKAGES.get(name, name) for name in robots.linkage_names())]
    parts = [TOP, *(entry(name) for name in names)]
    (HERE.parent / "gallery.md").write_text("\n".join(parts), encoding="utf-8")


def entry(name: str) -> str:
    """A robot: its picture, what it is, how many modes it has, what to type."""
    model = cc.load(name)
    q, x = begin(model)
    file = HERE / "gallery" / f"{name.replace(':', '-')}.svg"
    save(figure_drawing(model, State(q, x, np.zeros_like(q), np.zeros_like(x))), file)
    text = (LINKAGE if not modes(model, q, x) else ROBOT).format(name=name, x=x.tolist())
    picture = f"![{name}](pictures/gallery/{file.name})"
    told = [f"## {name}", " ".join(model.equations.about.split()), picture, modes(model, q, x) or free(model)]
    return "\n\n".join([*told, f"```python\n{text}```", ""])


def modes(model: Model, q: np.ndarray, x: np.ndarray) -> str:
    """How many ways there are; empty for what has none."""
    if model.linkage or not model.nx:
        return ""
    try:
        ways, poses = cc.inverse(model, x), cc.direct(model, q)
    except ClosedChainError:
        return ""
    return f"Working modes: {len(ways)}. Assembly modes of the drives as drawn: {len(poses)}."


def free(model: Model) -> str:
    """How many coordinates and closures it has."""
    e = model.equations
    return f"Coordinates: {len(e.z)}. Closures: {len(e.closures)}."


if __name__ == "__main__":
    main()
