"""Drawings of configurations: one or several states, and every mode of a pose."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.model.model import Model
from closedchain.model.solutions import Solutions
from closedchain.model.state import State
from closedchain.view.drawing import GHOST, Look, draw, frame, trace
from closedchain.view.drawing_3d import draw_3d, frame_3d, name_3d, shadow
from closedchain.view.record import Recording, complete
from closedchain.view.scene import Scene, instants, stage
from closedchain.view.style import BLACK, GREEN, INK, blank, legend, plain, title

MOST = 5  # configurations that can still be told apart in one drawing
PANELS = 64


def figure_drawing(model: Model, states: State | Recording) -> Figure:
    """One configuration drawn to scale; of several, the last one, four at most behind it, and the output's path."""
    count = int(np.prod(np.shape(states.q)[:-1], dtype=int))
    q, x = np.reshape(states.q, (count, model.nq)), np.reshape(states.x, (count, model.nx))
    done = None if isinstance(states, State) else complete(model, states)
    scene = stage(model, q, x, x_ref=None if done is None else done.x_ref)
    figure = blank(*_shape(scene, 6.4))
    title(figure, model.name if done is None else done.title)
    axes = canvas(figure, scene)
    for instant in instants(len(q), MOST)[:-1]:
        paint(axes, scene, int(instant), GHOST)
    if scene.desired is not None:
        line(axes, scene.desired, BLACK, dashed=True, label="desired path")
    if len(q) > 1:
        line(axes, scene.path, GREEN, label="obtained path" if scene.desired is not None else "path of the output")
        legend(axes)
    paint(axes, scene, len(q) - 1)
    _names(axes, scene)
    return figure


def figure_branches(model: Model, solutions: Solutions) -> Figure:
    """Every mode of one pose, a panel each to one scale; the other modes stand behind it in grey."""
    if not len(solutions):
        raise BadInput(f"nothing to draw: {solutions.why() or f'{model.name} has no solution there'}")
    if len(solutions) > PANELS or len(np.unique(solutions.index)) > 1:
        raise BadInput(
            f"{model.name}: {len(solutions)} solutions of a batch {solutions.shape}; draw one pose at a time"
        )
    scene = stage(model, solutions.q, solutions.x)
    columns = _columns(len(solutions), scene)
    rows = math.ceil(len(solutions) / columns)
    width, height = _shape(scene, 4.8 if columns == 1 else 3.2 if columns == 2 else 2.4)
    figure = blank(width * columns, 0.5 + height * rows)
    kind = "working" if solutions.kind == "inverse" else "assembly"
    title(figure, f"{model.name}: {len(solutions)} {kind} mode{'s' * (len(solutions) != 1)}")
    for i, solution in enumerate(solutions):
        axes = canvas(figure, scene, (rows, columns, i + 1), bar=i == columns * (rows - 1))
        for other in range(len(solutions)):
            if other != i:
                paint(axes, scene, other, GHOST)
        paint(axes, scene, i, Look(weight=1.0 if columns == 1 else 0.75))
        words = _minus(solution.mode) + ("  (double)" if solution.double else "")
        axes.set_title(plain(words), fontsize=10, color=INK, fontweight="bold")
    return figure


def paint(axes: Axes, scene: Scene, instant: int, look: Look | None = None, *, points: Doubles | None = None) -> None:
    """Draw one instant in the plane or in space."""
    if scene.dimension == 3:
        draw_3d(axes, scene, instant, look, points=points)
    else:
        draw(axes, scene, instant, look, points=points)


def line(axes: Axes, path: Doubles, colour: str, *, dashed: bool = False, label: str | None = None) -> None:
    """Draw a path in the plane or in space."""
    if path.shape[-1] == 3:
        shadow(axes, path, colour, dashed=dashed, label=label)
    else:
        trace(axes, path, colour, dashed=dashed, label=label)


def canvas(figure: Figure, scene: Scene, place: tuple[int, int, int] = (1, 1, 1), *, bar: bool = True) -> Axes:
    """Empty axes for a scene, in the plane or in space, filling their place in the figure."""
    if scene.dimension == 3:
        axes = figure.add_subplot(*place, projection="3d")
        frame_3d(axes, scene, ticks=place == (1, 1, 1))
        return axes
    axes = figure.add_subplot(*place)
    frame(axes, scene, bar=bar)
    return axes


def _shape(scene: Scene, width: float) -> tuple[float, float]:
    """A panel's width and height [inches] for the scene's own proportions, within reason."""
    low, high = scene.bounds
    pad = 0.14 * scene.size
    ratio = 1.0 if scene.dimension == 3 else (high[1] - low[1] + 1.3 * pad) / (high[0] - low[0] + pad)
    height = width * float(np.clip(ratio, 0.35, 1.5))
    return width, height + 0.35


def _columns(count: int, scene: Scene) -> int:
    low, high = scene.bounds
    wide = high[0] - low[0] > 1.5 * (high[1] - low[1])
    best = 2 if wide else 4 if count == 4 or count > 6 else 3
    return min(count, best)


def _names(axes: Axes, scene: Scene) -> None:
    """The letters of the points, beside them."""
    away = 0.018 * scene.size
    for name, at in zip(scene.names, scene.points[-1] + away, strict=True):
        if name and scene.dimension == 3:
            name_3d(axes, at, plain(name))
        elif name:
            axes.text(at[0], at[1], plain(name), fontsize=8, color=INK, zorder=6)


def _minus(mode: str) -> str:
    """Typographic signs, as wide as each other."""
    return mode.replace("-", "−")
