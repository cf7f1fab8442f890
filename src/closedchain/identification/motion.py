"""From readings of drives and efforts to states: rates by what was read, or by filtering without delay.

Readings are t, the drives' coordinates, `tau_` and their names, and rates (`q1_dot`, `q1_ddot`) where they are known.
Without rates positions are smoothed forward and backward by a Butterworth filter and differentiated by central
differences, as IDIM-LS does; efforts and regressor then pass the same filter, so that both sides lose the same band.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.extras import Late
from closedchain.fitting import Readings
from closedchain.model.model import Model
from closedchain.model.state import place

signal = Late("scipy.signal")
interpolate = Late("scipy.interpolate")
TAU, REF = "tau_", "_ref"
ORDER = 4  # of the filter, once in each direction
EDGE = 20  # samples at both ends that central differences and filters spoil
EFFORTS = {"m": "N", "rad": "N m"}


@dataclass(frozen=True, eq=False)
class Motion:
    """States along a measured motion, all drives at each instant."""

    t: Doubles  # (n,)
    q: Doubles  # (n, nq)
    x: Doubles  # (n, nx)
    q_dot: Doubles
    q_ddot: Doubles
    tau: Doubles  # (n, nq) zero where nothing drives
    interval: float
    cutoff: float | None  # [Hz] of the filter, where one made the rates

    def __len__(self) -> int:
        return len(self.t)


def unit_of_column(model: Model, name: str) -> str | None:
    """The unit of a column of readings; None where there is none of that name."""
    if name == "t":
        return "s"
    per = {"": "", "_dot": "/s", "_ddot": "/s^2"}
    for c in model.equations.q:
        if name == TAU + c.name:
            return EFFORTS[c.unit]
        for suffix, unit in per.items():
            if name in (c.name + suffix, c.name + REF + suffix):
                return c.unit + unit
    coordinates = {c.name: c.unit for c in model.equations.x}
    return coordinates.get(name)


def needed(model: Model) -> str:
    """What the columns are called, for messages."""
    drives = [c.name for c in model.equations.q]
    first = drives[0]
    efforts = ", ".join(TAU + model.equations.q[i].name for i in model.driven)
    return f"columns are t, {', '.join(drives)}, {efforts}, and {first}_dot, {first}_ddot or {first}_ref where known"


def motion_of(model: Model, data: Readings, *, cutoff: float | None, assembly: str | None) -> Motion:
    """The states that readings tell."""
    t = data.whole("t")
    if len(t) < 3 or not (np.diff(t) > 0).all():
        raise BadInput(f"{data.source}: at least three instants are needed, and time must increase")
    names = [c.name for c in model.equations.q]
    tau = np.zeros((len(t), model.nq))
    for i in model.driven:
        tau[:, i] = data.whole(TAU + names[i])
    q = np.stack([data.whole(name) for name in names], axis=-1)
    step = float(np.diff(t).mean())
    known = all(name + suffix in data for name in names for suffix in ("_dot", "_ddot"))
    if known:
        q_dot, q_ddot = (np.stack([data.whole(n + s) for n in names], axis=-1) for s in ("_dot", "_ddot"))
        return Motion(t, q, _poses(model, data, q, assembly), q_dot, q_ddot, tau, step, None)
    if np.abs(np.diff(t) - step).max() > 1e-3 * step:
        raise BadInput(
            f"{data.source}: rates of drives need equal steps of time; give columns {names[0]}_dot and _ddot"
        )
    cutoff = cutoff or 1.0 / (20 * step)
    if not 0.0 < cutoff < 0.5 / step:
        raise BadInput(f"a cutoff of {cutoff:g} Hz; above 0 and below half of the samples' {1 / step:g} Hz is needed")
    q = smooth(q, step, cutoff)
    q_dot, q_ddot = np.gradient(q, step, axis=0), np.zeros_like(q)
    q_ddot[1:-1] = (q[2:] - 2 * q[1:-1] + q[:-2]) / step**2
    inner = slice(EDGE, -EDGE)
    if len(t) < 4 * EDGE:
        raise BadInput(f"{data.source}: {len(t)} instants are too few to differentiate; {4 * EDGE} or more, or rates")
    q = q[inner]
    return Motion(t[inner], q, _poses(model, data, q, assembly), q_dot[inner], q_ddot[inner], tau[inner], step, cutoff)


def reference_of(model: Model, data: Readings, motion: Motion, assembly: str | None) -> Motion | None:
    """The motion that was commanded, where its columns are there: it knows nothing of the readings' noise."""
    names = [c.name + REF for c in model.equations.q]
    if not all(name in data for name in names):
        return None
    t, q = data.whole("t"), np.stack([data.whole(name) for name in names], axis=-1)
    curve = interpolate.make_interp_spline(t, q, k=5, axis=0)
    q, q_dot, q_ddot = (np.asarray(curve.derivative(k)(motion.t) if k else curve(motion.t)) for k in range(3))
    return Motion(motion.t, q, _follow(model, q, assembly), q_dot, q_ddot, motion.tau, motion.interval, motion.cutoff)


def smooth(values: Doubles, step: float, cutoff: float) -> Doubles:
    """Low-pass without delay: forward and backward."""
    b, a = signal.butter(ORDER, cutoff * 2 * step)
    return np.asarray(signal.filtfilt(b, a, values, axis=0))


def _poses(model: Model, data: Readings, q: Doubles, assembly: str | None) -> Doubles:
    """x along the drives' motion; what was read of it tells the branch."""
    read = [c.name for c in model.equations.x if c.name in data]
    first = None
    if model.nx and len(read) == model.nx:
        first = np.array([data.whole(name)[0] for name in read])
    return _follow(model, q, assembly, first)


def _follow(model: Model, q: Doubles, assembly: str | None, x: Doubles | None = None) -> Doubles:
    if not model.nx:
        return np.zeros((len(q), 0))
    if model.has_groups and x is None:
        return place(model, q, None, assembly, None)[1]
    if x is None:
        x = place(model, q[0], None, assembly, None)[1]
    tracker = model.track(q[0], x)
    return np.array([tracker.to(np.ascontiguousarray(row)) for row in q])
