"""The documents' figures: each quantity in both programs, and their difference, over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from closedchain.verify.comparison import Comparison, Trace
from closedchain.verify.limits import apart
from closedchain.view.style import BLACK, CURVES, blank, dress, legend, save, title
from closedchain.view.words import prefixed, pretty

NAMES = {"mujoco": "MuJoCo", "pinocchio": "Pinocchio"}
MOTIONS = {"own": "a motion of your own"}


def figures(comparison: Comparison) -> Iterator[tuple[str, str, Figure]]:
    """Engine, motion and figure for each pair that has curves."""
    pairs = dict.fromkeys((trace.engine, trace.motion) for trace in comparison.traces)
    for engine, motion in pairs:
        chosen = [t for t in comparison.traces if (t.engine, t.motion) == (engine, motion)]
        chosen.sort(key=_place)
        yield engine, motion, figure_differences(comparison.robot, chosen)


def figure_differences(robot: str, traces: Sequence[Trace]) -> Figure:
    """One line of panels a quantity: left both curves, ours dashed over the engine's; right ours − the engine's."""
    first = traces[0]
    figure = blank(8.6, 0.7 + 1.35 * len(traces))
    title(
        figure,
        f"{robot}, {MOTIONS.get(first.motion, first.motion)}: closedchain and {NAMES.get(first.engine, first.engine)}",
    )
    panels = figure.subplots(len(traces), 2, sharex=True, squeeze=False)
    for (left, right), trace in zip(panels, traces, strict=True):
        _both(left, trace)
        _difference(right, trace)
    for axes in panels[-1]:
        axes.set_xlabel("time [s]", fontsize=9)
    return figure


def _both(axes: Axes, trace: Trace) -> None:
    for k, label in enumerate(trace.labels):
        colour = CURVES[k % len(CURVES)]
        axes.plot(trace.t, trace.theirs[:, k], color=colour, lw=2.2, alpha=0.45)
        axes.plot(trace.t, trace.ours[:, k], color=colour, lw=1.0, ls="--", label=pretty(label))
    dress(axes, f"{_short(trace.quantity)}\n[{_unit(trace.unit)}]")
    if len(trace.labels) > 1:
        legend(axes)


def _difference(axes: Axes, trace: Trace) -> None:
    difference = apart(trace.unit, trace.ours, trace.theirs)
    largest = float(np.abs(difference).max(initial=0.0))
    factor, unit = prefixed(largest, trace.unit)
    if factor == 1.0 and 0.0 < largest < 1e-2:
        power = int(np.floor(np.log10(largest)))
        factor, unit = 10.0**-power, f"1e{power} {_unit(trace.unit)}"
    axes.axhline(0.0, color=BLACK, lw=0.6, zorder=1)
    for k in range(difference.shape[-1]):
        axes.plot(trace.t, factor * difference[:, k], color=CURVES[k % len(CURVES)], lw=1.0)
    dress(axes, f"difference\n[{unit}]")


def _place(trace: Trace) -> tuple[int, str, int]:
    """Drives first, then each quantity with its rates, efforts last."""
    rate = next(
        (k for k, word in enumerate((" velocity", " acceleration"), start=1) if trace.quantity.endswith(word)), 0
    )
    name = trace.quantity.removesuffix(" velocity").removesuffix(" acceleration")
    return (
        ("drives", "output", "output angle").index(name)
        if name in ("drives", "output", "output angle")
        else (9 if name == "efforts" else 5),
        name,
        rate,
    )


def _short(quantity: str) -> str:
    return quantity.replace(" acceleration", "\nacceleration").replace(" velocity", "\nvelocity")


def _unit(unit: str) -> str:
    return unit.replace(" m", "·m")


def draw(comparison: Comparison, path: Path) -> Iterator[Path]:
    """`file-mujoco-oscillation.png` and so on, one for each engine and motion in time."""
    for engine, motion, figure in figures(comparison):
        yield save(figure, path.with_name(f"{path.stem}-{engine}-{motion}{path.suffix}"))
