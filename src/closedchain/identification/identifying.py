"""`identify`: masses, inertias and friction from efforts along a motion, as far as efforts depend on them."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.fitting import Readings, read_readings
from closedchain.identification.base import Base, base_parameters
from closedchain.identification.estimating import Rows, estimate
from closedchain.identification.motion import Motion, motion_of, needed, reference_of, smooth, unit_of_column
from closedchain.identification.physical import consistent
from closedchain.identification.regressor import BODIES, Regressor
from closedchain.identification.result import Identification, Prediction, relative
from closedchain.model.model import Model

FOLDS = 5


def identify(
    model: Model,
    data: Readings | str | os.PathLike[str],
    *,
    by: str = BODIES,
    on_drives: Sequence[str] = ("rotor", "viscous", "coulomb"),
    estimator: str = "wls",
    cutoff: float | None = None,
    folds: int = FOLDS,
    assembly: str | None = None,
) -> Identification:
    """Base parameters of the robot from a measured motion.

    `by` bodies are the standard parameters of every body (mass, first moments, inertia), `by` parameters those of the
    description in which efforts are linear; `on_drives` adds rotors, viscous and Coulomb friction and offsets.
    `estimator` is "ols", "wls" (weighed by drive) or "iv" (instruments from the commanded motion, columns `q1_ref` …).
    Rates that were not read come from positions filtered at `cutoff` [Hz], a tenth of the samples' Nyquist frequency
    unless given.
    """
    regressor = Regressor(model, by, tuple(on_drives))
    readings = read_motion(model, data)
    motion = motion_of(model, readings, cutoff=cutoff, assembly=assembly)
    base = base_parameters(regressor)
    reference = reference_of(model, readings, motion, assembly) if estimator == "iv" else None
    rows = _rows(regressor, base, motion, reference)
    found = estimate(rows, estimator)
    prediction = cross_validated(model, rows, estimator, folds)
    W = regressor(motion.q, motion.x, motion.q_dot, motion.q_ddot)[..., list(base.kept)]
    physical = consistent(regressor.columns, base, found.beta, found.covariance) if by == BODIES else None
    driven = list(model.driven)
    units = tuple(regressor.columns[k].unit for k in base.kept)
    return Identification(
        model, base, units, base.C @ regressor.values, found, estimator, prediction, physical, motion.t,
        motion.tau[:, driven], (W @ found.beta)[:, driven], readings.source,
    )  # fmt: skip


def read_motion(model: Model, data: Readings | str | os.PathLike[str]) -> Readings:
    """A table of readings, or the file that has one."""
    if isinstance(data, Readings):
        return data
    return read_readings(data, lambda name: unit_of_column(model, name), needs=needed(model))


def _rows(regressor: Regressor, base: Base, motion: Motion, reference: Motion | None) -> Rows:
    """W and Y by drive; both filtered and thinned where the rates come from a filter."""
    chosen = list(base.kept)
    W = regressor(motion.q, motion.x, motion.q_dot, motion.q_ddot)[..., chosen]
    Z = None
    if reference is not None:
        Z = regressor(reference.q, reference.x, reference.q_dot, reference.q_ddot)[..., chosen]
    every = slice(None)
    Y = motion.tau
    if motion.cutoff is not None:
        W, Y = (smooth(v, motion.interval, motion.cutoff) for v in (W, Y))
        Z = None if Z is None else smooth(Z, motion.interval, motion.cutoff)
        every = slice(None, None, max(1, int(0.4 / (motion.cutoff * motion.interval))))
    by_drive = (v.swapaxes(0, 1)[:, every] if v is not None else None for v in (W, Y, Z))
    return Rows(*by_drive)  # type: ignore[arg-type]  # W and Y are there


def cross_validated(model: Model, rows: Rows, estimator: str, folds: int) -> Prediction:
    """Contiguous parts of the motion are held back in turn, and predicted by a fit to the others."""
    n = rows.W.shape[1]
    if not 2 <= folds <= n:
        raise BadInput(f"{folds} folds of {n} instants; from 2 to as many as there are instants")
    unseen = np.zeros_like(rows.Y)
    fitted: list[Doubles] = []
    for part in np.array_split(np.arange(n), folds):
        others = np.setdiff1d(np.arange(n), part)
        beta = estimate(rows.instants(others), estimator).beta
        left = rows.Y - rows.W @ beta
        unseen[:, part] = left[:, part]
        fitted.append(relative(left[:, others], rows.Y[:, others]))
    names = [model.equations.q[i].name for i in model.driven]
    driven = list(model.driven)
    seen_by = np.mean(fitted, axis=0)
    return Prediction(tuple(names), seen_by[driven], relative(unseen, rows.Y)[driven])
