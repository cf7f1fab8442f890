"""The two-dimensional parts of the output's space in which singular curves are sought, and their grid lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput
from closedchain.model.model import Model
from closedchain.singularity.closed_form import leg_of_plate, line_programs
from closedchain.singularity.survey import Lines
from closedchain.singularity.systems import held_coordinates


@dataclass(frozen=True, eq=False)
class Patch:
    """A two-dimensional part of the output's space with its grid lines."""

    lines: Lines
    chart: str
    corner: Doubles  # (lines, nx) starts, in the chart's coordinates
    step: Doubles  # (lines, nx)
    held: dict[int, float]  # coordinates of z that stay
    limits: dict[int, tuple[float, float]]  # coordinates of z that the window bounds
    spacing: tuple[float, float]

    def x(self, line: int, s: float) -> Doubles:
        """The output at s of one line."""
        u = self.corner[line] + s * self.step[line]
        if self.chart == "output":
            return np.asarray(u)
        model = self.lines.model
        drive, tip = leg_of_plate(model, self.chart.removeprefix("leg "))
        base, local = (np.array([model.number(e) for e in v]) for v in (drive.base.at, tip.at))  # type: ignore[union-attr]
        c, sn = np.cos(u[2]), np.sin(u[2])
        arm = np.array([c * local[0] - sn * local[1], sn * local[0] + c * local[1]])
        return np.array([*(base + u[0] * np.array([np.cos(u[1]), np.sin(u[1])]) - arm), u[2]])


def patch_of(model: Model, window: Sequence[Sequence[float]] | None, fixed: dict[str, float], lines: int) -> Patch:
    """The patch that a window with fixed coordinates, or one fixed telescope, describes; BadInput if none."""
    held = held_coordinates(model, fixed)
    drives = [name for name in fixed if held_coordinates(model, {name: 0.0}).popitem()[0] < model.nq]
    if drives:
        if len(fixed) != 1 or window is not None or model.nx != 3:
            raise BadInput(f"{model.name}: a slice of joint space fixes one telescope and has no window")
        leg_of_plate(model, drives[0])
        return _grid(model, f"leg {drives[0]}", np.array([fixed[drives[0]], 0.0, 0.0]), [1, 2], _whole(), held, lines)
    if model.nx - len(held) != 2:
        names = ", ".join(c.name for c in model.equations.x)
        raise BadInput(f"{model.name}: fix all but two of its output's coordinates {names}; {len(held)} are fixed")
    if window is None:
        raise BadInput(f"{model.name}: give the window of the two free coordinates, ((from, to), (from, to))")
    limits = vectors(window, 2, "window")
    if limits.shape != (2, 2) or (limits[:, 0] >= limits[:, 1]).any():
        raise BadInput(f"{model.name}: a window is ((from, to), (from, to)) with from < to, not {window!r:.60}")
    free = [i for i in range(model.nx) if model.nq + i not in held]
    base = np.array([held.get(model.nq + i, 0.0) for i in range(model.nx)])
    return _grid(model, "output", base, free, limits, held, lines)


def _whole() -> Doubles:
    """All directions of a leg and all angles of a plate; a little more than a turn, so that the seam is crossed."""
    return np.array([[-3.15, 3.15], [-3.15, 3.15]])


def _grid(
    model: Model, chart: str, base: Doubles, free: list[int], limits: Doubles, held: dict[int, float], lines: int
) -> Patch:
    starts, steps = [], []
    for a, b in ((0, 1), (1, 0)):
        for value in limits[a, 0] + (np.arange(lines) + 0.5) / lines * (limits[a, 1] - limits[a, 0]):
            start, step = base.copy(), np.zeros(len(base))
            start[free[a]], start[free[b]], step[free[b]] = value, limits[b, 0], limits[b, 1] - limits[b, 0]
            starts.append(start)
            steps.append(step)
    corner, step_ = np.array(starts), np.array(steps)
    bounded = {model.nq + i: (limits[k, 0], limits[k, 1]) for k, i in enumerate(free)} if chart == "output" else {}
    spacing = tuple(float(v) for v in (limits[:, 1] - limits[:, 0]) / lines)
    return Patch(
        Lines(model, line_programs(model, chart), corner, step_),
        chart,
        corner,
        step_,
        held,
        bounded,
        spacing[:2],  # type: ignore[arg-type]
    )
