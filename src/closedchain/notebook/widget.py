"""A robot to be dragged in a notebook: the exported page in a cell, its pose on both sides.

    robot = cc.Explorer("biglide")     # shown when it is the cell's last line
    robot.x, robot.working             # where it was dragged to
    robot.go(x=[0.03, 0.25])           # or sent from Python

The page computes by itself, so dragging needs neither the kernel nor a network.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any, ClassVar

import anywidget
import traitlets

from closedchain.errors import BadInput
from closedchain.export.html import explorable
from closedchain.model.loading import load
from closedchain.model.model import Model
from closedchain.simulation.run import Run

TALL, LEAST, MOST = 560, 200, 2000  # [px]


class Explorer(anywidget.AnyWidget):  # type: ignore[misc] # anywidget has no types
    """A robot that can be dragged, its branches and its map; with a run, that can be played."""

    _esm: ClassVar[str] = (files("closedchain.notebook") / "widget.js").read_text("utf-8")

    page = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(TALL).tag(sync=True)
    q = traitlets.List(traitlets.Float()).tag(sync=True)  # where the drives are
    x = traitlets.List(traitlets.Float()).tag(sync=True)  # where the output is
    working = traitlets.Unicode().tag(sync=True)
    assembly = traitlets.Unicode().tag(sync=True)
    values = traitlets.Dict().tag(sync=True)  # parameters whose sliders were moved
    _asked = traitlets.Dict().tag(sync=True)

    def __init__(self, robot: Model | str | Run, *, height: int = TALL) -> None:
        if not LEAST <= height <= MOST:
            raise BadInput(f"height = {height} px; between {LEAST} and {MOST} a robot can be seen")
        run = robot if isinstance(robot, Run) else None
        model = run.model if run is not None else load(robot) if isinstance(robot, str) else robot
        if not isinstance(model, Model):
            raise BadInput(f"a robot, its name or a run is shown, not {type(robot).__name__}")
        self.model = model
        super().__init__(page=explorable(model, run), height=height)

    def go(
        self,
        *,
        x: Sequence[float] | None = None,
        q: Sequence[float] | None = None,
        values: dict[str, float] | None = None,
    ) -> None:
        """Bring the output to x, or the drives to q, or give parameters other values; the page keeps the branch."""
        asked: dict[str, Any] = {}
        for name, given, count in (("x", x, self.model.nx), ("q", q, self.model.nq)):
            if given is not None and len(given) != count:
                raise BadInput(f"{self.model.name}: {name} has {len(given)} numbers where {count} belong")
            if given is not None:
                asked[name] = [float(v) for v in given]
        if values:
            unknown = set(values) - set(self.model.values)
            if unknown:
                known = ", ".join(self.model.values)
                raise BadInput(f"{self.model.name} has no parameter {sorted(unknown)[0]!r}; it has {known}")
            asked["values"] = {name: float(v) for name, v in values.items()}
        self._asked = asked | {"turn": self._asked.get("turn", 0) + 1}  # the same place can be asked for twice

    def when_moved(self, call: Callable[[Explorer], object]) -> None:
        """Call a function with this robot whenever it was moved."""
        self.observe(lambda _: call(self), names=["q", "x"])
