"""The inverse models fed with the engine's output: do they give back the engine's drives.

The engine's x, ẋ, ẍ go into our inverse geometry and kinematics; its q, q̇, q̈ are what must come out. Near a Type 1
singularity a small error of x is a large one of q: it grows by the legs' steepness s, that of q̇ by s², that of q̈ by s³,
and states with s above `STEEP` are left out.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from closedchain.arrays import Doubles
from closedchain.model.geometry import inverse
from closedchain.model.kinematics import inverse_rates
from closedchain.model.model import Model, NoClosedForm
from closedchain.verify.comparison import Row
from closedchain.verify.limits import EPS, OPERATIONS, Ground
from closedchain.verify.samples import RATES, Quantities, Samples

STEEP = 20.0
NAME = "drives from output"


def inverse_rows(ground: Ground, samples: Samples) -> list[Row]:
    """Three rows: position, velocity, acceleration; none where a drive does not follow from its leg alone."""
    model = ground.model
    if not model.nx or model.nq != model.nx:
        return []
    x, x_dot, x_ddot = (their_output(model, samples.x, ground.testimony.pieces, rate) for rate in RATES)
    try:
        q = _nearest(model, x, samples.q)
    except NoClosedForm:
        return []
    steep = steepness(model, q, x)
    kept = (steep < STEEP) & np.isfinite(q).all(axis=-1)
    if not kept.any():
        return []
    q_dot, q_ddot = inverse_rates(model, q[kept], x[kept], x_dot[kept], x_ddot[kept])
    s, kappa = float(steep[kept].max()), ground.testimony.condition
    pairs = ((q[kept], samples.q[kept]), (q_dot, samples.q_dot[kept]), (q_ddot, samples.q_ddot[kept]))
    sizes = (model.scale, *(float(np.abs(v[kept]).max()) for v in (x_dot, x_ddot)))
    return [
        _row(ground, rate, ours, theirs, size, kappa * s**power)
        for power, (rate, (ours, theirs), size) in enumerate(zip(RATES, pairs, sizes, strict=True), start=1)
    ]


def _row(ground: Ground, rate: str, ours: Doubles, theirs: Doubles, size: float, kappa: float) -> Row:
    difference = ours - theirs
    if not rate:
        turns = np.array([c.unit == "rad" for c in ground.model.equations.q])
        difference = np.where(turns, (difference + np.pi) % (2 * np.pi) - np.pi, difference)
    size = max(float(np.abs(theirs).max()), size)
    why = f"{OPERATIONS:.0f} ε κ size, κ = {kappa:.3g} with the legs' steepness"
    return ground.row(NAME + rate, "pieces", difference, size, OPERATIONS * EPS * kappa * size, why)


def their_output(model: Model, like: Doubles, pieces: Quantities, rate: str = "") -> Doubles:
    """x, or a rate of it, as the engine has it, in the model's order."""
    x = like.copy()
    for unit, name in (("m", "output"), ("rad", "output angle")):
        columns = [i for i, c in enumerate(model.equations.x) if c.unit == unit]
        if columns:
            x[:, columns] = pieces[name + rate]
    return x


def _nearest(model: Model, x: Doubles, near: Doubles) -> Doubles:
    """Of all inverse solutions of each x the one nearest to given drives; NaN where there is none."""
    found = inverse(model, x)
    turns = np.array([c.unit == "rad" for c in model.equations.q])
    away = found.q - near[found.index]
    away = np.where(turns, (away + np.pi) % (2 * np.pi) - np.pi, away / model.scale)
    order = np.argsort(-np.abs(away).max(axis=-1))  # the nearest is written last
    q = np.full_like(near, np.nan)
    q[found.index[order]] = found.q[order]
    return q


def steepness(model: Model, q: Doubles, x: Doubles) -> Doubles:
    """How much an error of x grows on its way to q, both in the robot's own sizes, (n,): of the worst leg."""
    sizes: Mapping[str, float] = {"m": model.scale, "rad": 1.0}
    made = model.call("closures", q=np.nan_to_num(q), x=x)
    B = made["B"] * [sizes[c.unit] for c in model.equations.q]
    A = made["A"] * [sizes[c.unit] for c in model.equations.x]
    with np.errstate(divide="ignore"):
        return np.asarray((np.linalg.norm(A, axis=-1) / np.abs(B).max(axis=-1)).max(axis=-1) + 1.0)
