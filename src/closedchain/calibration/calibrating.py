"""`calibrate`: geometric parameters from measured poses, distances, heights and redundant sensors."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from closedchain.arrays import Doubles
from closedchain.calibration.fitting import LOSSES, Fit, Search
from closedchain.calibration.grouping import Reading, group_rows, spread
from closedchain.calibration.klipper import read_klipper
from closedchain.calibration.quantities import Vocabulary
from closedchain.calibration.result import Calibration, Residual
from closedchain.calibration.sensing import Sensing
from closedchain.calibration.unknowns import Unknowns, unknowns
from closedchain.calibration.variances import unknown_units, weighed
from closedchain.describe.expressions import Number, symbols
from closedchain.errors import BadInput
from closedchain.fitting import Readings, read_readings
from closedchain.model.model import Model


def calibrate(
    model: Model,
    data: Readings | str | os.PathLike[str],
    *,
    vary: Sequence[str] | None = None,
    hold: Sequence[str] = (),
    offsets: Sequence[str] = (),
    gains: Sequence[str] = (),
    start: Mapping[str, float] | None = None,
    sd: Mapping[str, float] | None = None,
    priors: Mapping[str, tuple[float, float]] | None = None,
    loss: str = "squares",
    lever: float | None = None,
    assembly: str | None = None,
) -> Calibration:
    """The parameters that explain the readings best, with what the readings can and cannot tell.

    `vary` are parameters of the robot (every one that its geometry depends on, unless given) less those in `hold`;
    `offsets` and `gains` are columns whose sensors have them: true value = gain × reading + offset. Drives are exact
    unless `sd` gives their standard deviation; of the other columns it is estimated where it is not given. `priors` are
    (value, standard deviation) by name. `loss` is "squares", "huber" or "tukey". Angles count at `lever` [m].
    """
    readings, described = read_data(model, data)
    model = model.with_values(**described) if described else model
    if loss != "squares" and loss not in LOSSES:
        raise BadInput(f"no loss {loss!r:.30}; there are squares, {', '.join(LOSSES)}")
    chosen = _chosen(model, vary, hold, offsets, gains, lever or model.scale)
    vocabulary = Vocabulary(model.equations)
    measured, table = spread(model, readings, dict(sd or {}))
    for name in (*offsets, *gains):
        if name not in measured:
            raise BadInput(f"{readings.source} has no column {name!r:.40}, whose sensor is to be calibrated")
    quantities = vocabulary.quantities(measured)
    units = {q.name: q.unit for q in quantities}
    theta = chosen.start(start or {})
    begun = Reading(dict(zip(chosen.names, theta.tolist(), strict=True)), assembly)
    usual = {"m": 1e-3 * model.scale, "rad": 1e-3}  # until the readings tell
    groups = tuple(group_rows(model, readings, measured, table, usual, begun))
    search = Search(Sensing(chosen, tuple(quantities)), chosen.scales(units), dict(priors or {}))
    first = search.at(theta, groups, tuple(np.ones(len(g.rows)) for g in groups))
    fit, told = weighed(search, first, loss, unknown_units(groups, table, measured))
    return _result(search, chosen, units, first, fit, told, readings)


def read_data(model: Model, data: Readings | str | os.PathLike[str]) -> tuple[Readings, dict[str, float]]:
    """A table of readings, and the robot's numbers where the file has these too (Klipper's configuration)."""
    if isinstance(data, Readings):
        return data, {}
    if Path(data).suffix.lower() == ".cfg":
        return read_klipper(data, model)
    vocabulary = Vocabulary(model.equations)
    return read_readings(data, vocabulary.unit, needs=vocabulary.known), {}


def _chosen(
    model: Model,
    vary: Sequence[str] | None,
    hold: Sequence[str],
    offsets: Sequence[str],
    gains: Sequence[str],
    lever: float,
) -> Unknowns:
    if not (np.isfinite(lever) and lever > 0.0):
        raise BadInput(f"lever = {lever}: the length at which angles count must be above 0")
    if vary is None:
        vary = leaves(model, model.equations.noted(("geometric",), lambda: _geometric(model)))
    return unknowns(model, vary, hold, offsets, gains, lever)


def leaves(model: Model, used: Sequence[str]) -> list[str]:
    """Parameters that are numbers, of these or of the formulas that these are."""
    told = {*model.given, *(model.recipe.presets[model.preset] if model.preset else {})}
    formulas = {p.name: p.value for p in model.equations.parameters if p.name not in told}
    found, waiting = set(), list(used)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        waiting += list(symbols([formulas[name]])) if name in formulas else []
    numbers = {name for name in found if name not in formulas or isinstance(formulas[name], Number)}
    return [p.name for p in model.equations.parameters if p.name in numbers]


def _geometric(model: Model) -> list[str]:
    found: list[str] = importlib.import_module("closedchain.derive.by_parameters").geometric(model.equations)
    return found


def _result(
    search: Search,
    chosen: Unknowns,
    units: Mapping[str, str],
    first: Fit,
    fit: Fit,
    told: bool,
    readings: Readings,
) -> Calibration:
    residuals = _residuals(first, fit, told)
    weights = np.ones(len(readings))
    for g, w in zip(fit.groups, fit.weights, strict=True):
        weights[g.rows] = w
    lengths = [r.sd for r in residuals if r.sd is not None and r.unit == "m"] or [r.sd for r in residuals if r.sd]
    J = fit.J
    rank = int(np.linalg.matrix_rank(J * search.scales, rtol=1e-9))
    return Calibration(
        chosen.robot(fit.theta), chosen.names, tuple(chosen.unit(n, units) for n in chosen.names), first.theta,
        fit.theta, J, search.scales, chosen.lever, float(np.median(lengths)) if lengths else None,
        residuals, weights, fit.iterations, int(len(J) - rank), readings.source,
    )  # fmt: skip


def _residuals(first: Fit, fit: Fit, told: bool) -> tuple[Residual, ...]:
    found: dict[str, list[tuple[np.ndarray, Doubles, Doubles, Doubles, str]]] = {}
    for a, b in zip(first.blocks, fit.blocks, strict=True):
        for i, q in enumerate(b.group.compared):
            row = (b.group.rows, a.raw[:, i], b.raw[:, i], b.group.sd[:, i], q.unit)
            found.setdefault(q.name, []).append(row)
    made = []
    for name, parts in found.items():
        rows, before, after, sd = (np.concatenate([p[i] for p in parts]) for i in range(4))
        order = np.argsort(rows, kind="stable")
        own = float(np.median(sd)) if told else None
        made.append(Residual(name, parts[0][4], rows[order], before[order], after[order], own))
    return tuple(made)
