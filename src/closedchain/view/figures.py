"""Figures of a motion: desired against obtained, errors, efforts, energy balance, closure."""

from __future__ import annotations

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
    """The effort of each drive against time."""
    done = complete(model, record)
    if done.tau is None:
        raise BadInput(f"{model.name}: this record holds no efforts tau, so there is no figure of them")
    units = _units(done, "tau")
    figure = blank(6.4, 0.7 + 2.1 * len(units))
    title(figure, f"{done.title}: efforts")
    rows: list[Axes] = list(figure.subplots(len(units), 1, sharex=True, squeeze=False)[:, 0])
    for axes, unit in zip(rows, units, strict=True):
        _curves(axes, done, "tau", unit)
        axes.axhline(0.0, color=BLACK, lw=0.6, zorder=1)
    _time(rows)
    return figure


def figure_energy(model: Model, record: Recording) -> Figure:
    """Energies, their balance, and how far the loops are open (log scale): how far to trust a simulation."""
    done = complete(model, record)
    painters = [] if done.energy is None else [_energy, _balance]
    painters += [] if done.closure is None else [_closure]
    if not painters:
        raise BadInput(f"{model.name}: this record holds neither energy nor closure, so there is no figure of them")
    figure = blank(6.4, 0.7 + 1.7 * len(painters))
    title(figure, f"{done.title}: energy and closure")
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
    dress(axes, f"{_called(kind, unit)} [{spelled}]")
    legend(axes)


def _called(kind: str, unit: str) -> str:
    if kind == "error":
        return "error"
    where = {"x": "output", "q": "drive"}.get(kind)
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


def _closure(axes: Axes, record: Record) -> None:
    assert record.closure is not None
    gap = np.abs(record.closure)
    if (gap > 0.0).any():
        axes.semilogy(record.t, np.where(gap > 0.0, gap, np.nan), color=BLUE, lw=1.0)
    else:
        axes.text(0.5, 0.5, "closed to the last bit at every sample", transform=axes.transAxes, ha="center", fontsize=9)
    dress(axes, "closure gap [m]")


def _time(rows: list[Axes]) -> None:
    rows[-1].set_xlabel("time [s]", fontsize=9)
    rows[-1].margins(x=0.01)
    rows[-1].figure.align_ylabels(rows)
