"""Pictures of a singular pose with its free motion, and of det A along a segment."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from closedchain.arrays import Doubles
from closedchain.describe.elements import point_name
from closedchain.errors import BadInput
from closedchain.model.configurations import Configurations
from closedchain.model.geometry import inverse
from closedchain.model.model import Model
from closedchain.model.modes import working_signs
from closedchain.singularity.along import Along
from closedchain.singularity.maps import mode_names
from closedchain.singularity.pose import Singularities
from closedchain.view.drawing import GHOST, Look, grow
from closedchain.view.pictures import canvas, paint
from closedchain.view.scene import Scene, stage
from closedchain.view.style import CURVES, FAINT, GREEN, INK, PURPLE, blank, dress, legend, title

SAMPLES = 1001
ARROW = 0.16  # of the scene's size


def figure_pose(model: Model, found: Singularities) -> Figure:
    """A pose with all its working modes: the one asked for strong, the others grey; what moves freely, what is lost."""
    if found.x.ndim != 1:
        raise BadInput(f"{model.name}: {found.x.shape[:-1]} configurations; draw one at a time")
    others = inverse(model, found.x)
    q = np.concatenate([others.q, found.q[None]])
    scene = stage(model, q, np.broadcast_to(found.x, (len(q), model.nx)))
    low, high = scene.bounds
    ratio = float(np.clip((high[1] - low[1]) / max(high[0] - low[0], 1e-9), 0.5, 1.5)) if scene.dimension == 2 else 1.0
    figure = blank(6.0, 0.9 + 5.2 * ratio)
    title(figure, f"{model.name}: {', '.join(found.kinds).capitalize() or 'regular'}")
    axes = canvas(figure, scene)
    for i in range(len(q) - 1):
        paint(axes, scene, i, GHOST)
    paint(axes, scene, len(q) - 1, Look())
    if scene.dimension == 2:
        _motions(axes, model, scene, found)
    legend(axes)
    return figure


def figure_segment(model: Model, start: Doubles, goal: Doubles, found: Sequence[Along]) -> Figure:
    """det A, rows of unit length, from start to goal in each working mode: zeros are Type 2, dotted lines Type 1."""
    modes, names = working_signs(model).astype(float), mode_names(model)
    s = np.linspace(0.0, 1.0, SAMPLES)
    x = start + s[:, None] * (goal - start)
    figure = blank(6.4, 3.6)
    title(figure, f"{model.name}: det A from {_shown(start)} to {_shown(goal)}")
    axes: Axes = figure.add_subplot()
    for k, mode in enumerate(found[0].working):
        values = _determinant(model, x, mode, modes, names)
        axes.plot(s, values, color=CURVES[k % len(CURVES)], lw=1.5, label=mode.replace("-", "−"))
    points = {kind: [p for f in found if f.kind == kind for p in f] for kind in "AB"}
    for p in points["B"]:
        axes.axvline(p.s, color=INK, lw=1.0, ls=":", label="Type 1" if p is points["B"][0] else None)
    if points["A"]:
        axes.plot(
            [p.s for p in points["A"]],
            [0.0] * len(points["A"]),
            "o",
            ms=6,
            mfc="white",
            mec="black",
            label="Type 2",
            zorder=5,
        )
    for o in found[0].out_of_reach:
        axes.axvspan(o.lo, o.hi, color=FAINT, alpha=0.2, lw=0)
        axes.text(
            (o.lo + o.hi) / 2,
            0.96,
            "out of reach",
            transform=axes.get_xaxis_transform(),
            ha="center",
            va="top",
            fontsize=8,
        )
    axes.axhline(0.0, color=INK, lw=0.8)
    dress(axes, "det A, rows of unit length [1]")
    axes.set_xlabel("s, along the segment [1]", fontsize=9, color=INK)
    axes.set_xlim(0.0, 1.0)
    legend(axes)
    return figure


def _determinant(model: Model, x: Doubles, mode: str, modes: Doubles, names: Sequence[str]) -> Doubles:
    """det A over the product of its rows' lengths on one working mode, NaN where a leg does not reach, (k,)."""
    sigma = np.ones(len(model.legs))
    chosen = [i for i, sign in enumerate(model.leg_signs) if sign]
    sigma[chosen] = modes[names.index(mode)] if len(chosen) else 1.0
    made = model.call("inverse", x=x, sigma=np.broadcast_to(sigma, (len(x), len(sigma))))
    reached = np.all(made["slack"] >= 0.0, axis=-1)
    A = Configurations(model, np.where(np.expand_dims(reached, -1), made["q"], 0.0), x).A_twist
    value = np.linalg.det(A) / np.prod(np.linalg.norm(A, axis=-1), axis=-1)
    return np.where(reached, value, np.nan)


def _motions(axes: Axes, model: Model, scene: Scene, found: Singularities) -> None:
    """Arrows at the output: green what moves freely, purple what is lost; the centre about which a plate turns."""
    reach = ARROW * scene.size
    if "type 2" in found.kinds:
        if found.centre is not None and bool(np.all(np.isfinite(found.centre))):
            _concurrent(axes, model, scene, found.centre)
            _turn(axes, scene, found)
        else:
            _arrow(axes, found.x[:2], found.free_motion[:2], reach, GREEN, "free motion, drives locked")
    if model.nx == 2 and model.nq == 2 and not found.kinds:
        _ellipse(axes, scene, found)
    if "type 1" in found.kinds and np.linalg.norm(found.lost_motion[:2]) > 1e-9:
        _arrow(axes, found.x[:2], found.lost_motion[:2], reach, PURPLE, "lost motion")


def _ellipse(axes: Axes, scene: Scene, found: Singularities) -> None:
    """The output's velocities while the drives' rates stay within a unit circle; not to the scale of lengths."""
    turn = np.linspace(0.0, 2 * np.pi, 181)
    radii = found.velocity_radii / found.velocity_radii.max() * ARROW * scene.size
    edge = found.x[:2, None] + found.axes @ (radii[:, None] * np.array([np.cos(turn), np.sin(turn)]))
    grow(axes, edge.T, 0.03 * scene.size)
    axes.plot(*edge, color=GREEN, lw=1.6, zorder=6, label="velocity ellipse")


def _arrow(axes: Axes, at: Doubles, along: Doubles, reach: float, colour: str, label: str) -> None:
    unit = along / np.linalg.norm(along)
    grow(axes, at + reach * np.array([unit, -unit]), 0.2 * reach)
    for sign in (1.0, -1.0):
        end = at + sign * reach * unit
        axes.add_patch(
            FancyArrowPatch(
                tuple(at),
                tuple(end),
                arrowstyle="-|>",
                mutation_scale=14,
                color=colour,
                lw=2.0,
                shrinkA=5,
                shrinkB=0,
                zorder=7,
            )
        )
    axes.plot([], [], color=colour, lw=2.0, label=label)


def _turn(axes: Axes, scene: Scene, found: Singularities) -> None:
    """The joints of the plate move across their lines to the centre."""
    plates = [part for part in scene.parts if part.kind == "plate"]
    centre = np.asarray(found.centre)
    joints = scene.points[-1][list(plates[0].points)] if plates else found.x[None, :2]
    arms = joints - centre
    rate = ARROW * scene.size / float(np.linalg.norm(arms, axis=1).max())
    for joint, arm in zip(joints, arms, strict=True):
        end = joint + rate * np.array([-arm[1], arm[0]])
        axes.add_patch(
            FancyArrowPatch(
                tuple(joint),
                tuple(end),
                arrowstyle="-|>",
                mutation_scale=11,
                color=GREEN,
                lw=1.8,
                shrinkA=3,
                shrinkB=0,
                zorder=7,
            )
        )
    axes.plot([], [], color=GREEN, lw=2.0, label="free motion, drives locked")
    axes.plot(*centre, "x", color=GREEN, ms=8, mew=2.2, zorder=7, label="its centre")


def _concurrent(axes: Axes, model: Model, scene: Scene, centre: Doubles) -> None:
    """The legs' lines, which all go through the centre."""
    low, high = scene.bounds
    index = {name: i for i, name in enumerate(scene.names)}
    for k, leg in enumerate(model.legs):
        far = scene.points[-1][index[point_name(leg.far)]]
        axes.plot(
            *np.array([far, centre]).T,
            color=INK,
            lw=0.8,
            ls=(0, (2, 3)),
            zorder=2,
            label="lines of the legs" if not k else None,
        )
    if np.linalg.norm(np.clip(centre, low, high) - centre) < 1.5 * scene.size:  # shown, unless it is far away
        grow(axes, centre[None], 0.08 * scene.size)


def _shown(x: Doubles) -> str:
    return "(" + ", ".join(f"{v:.4g}" for v in x) + ")"
