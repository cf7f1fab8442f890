"""Figures of a motion: desired against obtained, errors, commands, energy balance, closure."""

from __future__ import annotations

from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.model.model import Model
from closedchain.view.record import Record, Recording, complete
from closedchain.view.style import BLACK, BLUE, CURVES, GREEN, VERMILLION, blank, dress, legend, plain, title
from closedchain.view.words import prefixed, pretty

QUANTITY = {
    "m": "position",
    "rad": "angle",
    "N": "force",
    "N m": "torque",
    "V": "voltage",
    "m/s": "velocity",
    "rad/s": "rate",
}
COMMANDS = {"V": "voltages", "m/s": "joint velocities", "rad/s": "joint velocities"}  # any other command is an effort
PEAK = 20.0  # a peak this many times what is usual would flatten everything else on a linear axis
ROUNDING = 64 * np.finfo(np.float64).eps  # relative to the robot's size: a gap of this order is rounding alone


def figure_tracking(model: Model, record: Recording) -> Figure:
    """Output and drives against time, desired dashed over obtained, and the error in a panel of its own."""
    done = complete(model, record)
    panels = [("x", unit) for unit in _units(done, "x")] + [("q", unit) for unit in _units(done, "q")]
    panels += [] if done.error is None else [("error", unit) for unit in _units(done, "error")]
    figure = blank(6.4, 0.7 + 1.55 * len(panels))
    title(figure, done.title)
    rows: list[Axes] = list(figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0])
    for axes, (kind, unit) in zip(rows, panels, strict=True):
        _curves(axes, done, kind, unit)
    _time(rows)
    return figure


def figure_efforts(model: Model, record: Recording) -> Figure:
    """What is commanded to each drive against time: efforts, voltages or velocities."""
    done = complete(model, record)
    if done.tau is None:
        raise BadInput(f"{model.name}: this record holds no efforts tau, so there is no figure of them")
    units = _units(done, "tau")
    figure = blank(6.4, 0.7 + 2.1 * len(units))
    title(figure, f"{done.title}: {COMMANDS.get(units[0], 'efforts')}")
    rows: list[Axes] = list(figure.subplots(len(units), 1, sharex=True, squeeze=False)[:, 0])
    for axes, unit in zip(rows, units, strict=True):
        _curves(axes, done, "tau", unit)
        axes.axhline(0.0, color=BLACK, lw=0.6, zorder=1)
        _show_beside_peaks(axes)
    _time(rows)
    return figure


def figure_energy(model: Model, record: Recording) -> Figure:
    """Energies, their balance, and how far the loops are open: how far to trust a simulation.

    A robot moved by velocities has no work to balance, and one without loops has no gap: those panels are left out.
    """
    done = complete(model, record)
    painters = [] if done.energy is None else [_energy]
    if done.energy is not None and not (done.tau is not None and set(_units(done, "tau")) <= {"m/s", "rad/s"}):
        painters.append(_balance)
    if done.closure is not None and model.nx:
        painters.append(partial(_closure, size=model.scale))
    if not painters:
        raise BadInput(f"{model.name}: this record holds neither energy nor closure, so there is no figure of them")
    figure = blank(6.4, 0.7 + 1.7 * len(painters))
    title(figure, f"{done.title}: energy" + (" and closure" if model.nx else ""))
    rows: list[Axes] = list(figure.subplots(len(painters), 1, sharex=True, squeeze=False)[:, 0])
    for axes, paint in zip(rows, painters, strict=True):
        paint(axes, done)
    _time(rows)
    return figure


def _units(record: Record, kind: str) -> list[str]:
    """The different units among the columns of a kind, in order."""
    return list(dict.fromkeys(record.units[kind]))


def _curves(axes: Axes, record: Record, kind: str, unit: str) -> None:
    """The columns of one kind and unit, with their references where there are any."""
    values: Doubles = getattr(record, kind)
    reference: Doubles | None = getattr(record, f"{kind}_ref", None)
    columns = [i for i, u in enumerate(record.units[kind]) if u == unit]
    factor, spelled = prefixed(float(np.abs(values[:, columns]).max()), unit)
    for i in columns:
        label = plain(pretty(record.names[kind][i]))
        axes.plot(record.t, values[:, i] * factor, color=CURVES[i % len(CURVES)], lw=1.5, label=label)
        if reference is not None:
            desired = "desired" if i == columns[-1] else None
            axes.plot(record.t, reference[:, i] * factor, color=BLACK, lw=1.0, ls=(0, (4, 3)), label=desired)
    driven = set(record.names["q"]) <= set(record.names["tau"])
    dress(axes, f"{_called(kind, unit, 'drive' if driven else 'joint')} [{spelled}]")
    legend(axes)


def _show_beside_peaks(axes: Axes) -> None:
    """Where a short peak would flatten all the rest, an axis that is linear about zero and logarithmic beyond."""
    curves = [np.asarray(line.get_ydata(), dtype=np.float64) for line in axes.get_lines()]
    values = np.abs(np.concatenate(curves[:-1]))  # the last one is the zero line
    usual = float(np.quantile(values, 0.9))
    if usual > 0.0 and values.max() > PEAK * usual:
        axes.set_yscale("symlog", linthresh=float(10.0 ** np.ceil(np.log10(usual))))
        axes.text(
            1.0, 1.0, "logarithmic beyond the middle", transform=axes.transAxes, ha="right", va="bottom", fontsize=8
        )


def _called(kind: str, unit: str, joint: str) -> str:
    if kind == "error":
        return "error"
    where = {"x": "output", "q": joint}.get(kind)
    quantity = QUANTITY.get(unit, "value")
    return f"{where} {quantity}" if where else quantity


def _energy(axes: Axes, record: Record) -> None:
    assert record.energy is not None
    kinetic, potential = record.energy.kinetic, record.energy.potential
    total = kinetic + potential
    factor, unit = prefixed(float(max(np.abs(e).max() for e in (kinetic, potential, total))), "J")
    for values, label, colour in (
        (kinetic, "kinetic", BLUE),
        (potential, "potential", VERMILLION),
        (total, "total", BLACK),
    ):
        axes.plot(record.t, values * factor, color=colour, lw=1.0 if label == "total" else 1.5, label=label)
    dress(axes, f"energy [{unit}]")
    legend(axes)


def _balance(axes: Axes, record: Record) -> None:
    assert record.energy is not None
    factor, unit = prefixed(float(np.abs(record.energy.balance).max()), "J")
    axes.plot(record.t, record.energy.balance * factor, color=GREEN, lw=1.2)
    dress(axes, f"energy − work [{unit}]")


def _closure(axes: Axes, record: Record, size: float) -> None:
    """The gap on a logarithmic axis; one that is rounding alone, whose steps mean nothing there, on a linear one."""
    assert record.closure is not None
    gap = np.abs(record.closure)
    if gap.max() > ROUNDING * size:
        axes.semilogy(record.t, np.where(gap > 0.0, gap, np.nan), color=BLUE, lw=1.0)
        dress(axes, "closure gap [m]")
        return
    factor, unit = prefixed(max(float(gap.max()), 1e-16), "m")
    axes.plot(record.t, gap * factor, color=BLUE, lw=0.6)
    axes.set_ylim(0.0, 1.6 * max(float(gap.max()), 1e-16) * factor)
    axes.text(0.01, 0.97, "rounding alone", transform=axes.transAxes, va="top", fontsize=8)
    dress(axes, f"closure gap [{unit}]")


def _time(rows: list[Axes]) -> None:
    rows[-1].set_xlabel("time [s]", fontsize=9)
    rows[-1].margins(x=0.01)
    rows[-1].figure.align_ylabels(rows)
