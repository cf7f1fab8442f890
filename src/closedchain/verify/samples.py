"""States at which two programs are asked the same things, and what this package answers there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.equations import Equations
from closedchain.describe.expressions import Expr, evaluate_all, gradient, total
from closedchain.describe.formulas import NUMPY
from closedchain.errors import NoSolution
from closedchain.model.closing import close, open_by
from closedchain.model.dynamics import Motion, energy, forward_dynamics
from closedchain.model.kinematics import direct_rates
from closedchain.model.model import Model
from closedchain.model.standing import projected
from closedchain.model.state import State
from closedchain.policy import GAP
from closedchain.verify.attitude import Jet, principal
from closedchain.verify.cuts import Cut, cut_forces

Quantities = Mapping[str, Doubles]  # name → (states, numbers)
NEWTON = 30


@dataclass(frozen=True, eq=False)
class Samples:
    """Drives with their rates, accelerations and efforts; x only says which branch is meant."""

    q: Doubles  # (n, nq)
    x: Doubles  # (n, nx) on the branch, to the accuracy that a neighbouring robot has it
    q_dot: Doubles  # (n, nq)
    q_ddot: Doubles  # (n, nq) for inverse dynamics
    tau: Doubles  # (n, driven) for forward dynamics
    motion: tuple[str, ...]  # (n,) where each state comes from
    x_dot: Doubles | None = None  # (n, nx) of a linkage, whose rates need not follow from its drives'

    def __len__(self) -> int:
        return len(self.q)

    @property
    def arrays(self) -> dict[str, Any]:
        """All that has a row for each state, by name."""
        known = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "motion"}
        return {name: values for name, values in known.items() if values is not None}


def one_state(model: Model, state: State) -> Samples:
    """A single state, without accelerations and efforts."""
    still, idle = np.zeros((1, model.nq)), np.zeros((1, len(model.driven)))
    return Samples(state.q[None], state.x[None], state.q_dot[None], still, idle, ("start",), state.x_dot[None])


def closed(model: Model, samples: Samples | State) -> State:
    """The model's own states: the loops closed by Newton's method from the branch that is meant, the drives held."""
    if model.linkage:
        return _standing(model, samples)
    x = samples.x
    if not model.nx:
        return State(samples.q, x, samples.q_dot, x)
    for _ in range(NEWTON):
        made = model.call("closures", q=samples.q, x=x)
        step = np.linalg.solve(made["A"], made["phi"][..., None])[..., 0]
        x = x - step
        if np.abs(step).max(initial=0.0) <= 1e-15 * model.scale:
            break
    _check_closed(model, open_by(model, samples.q, x))
    return State(samples.q, x, samples.q_dot, direct_rates(model, samples.q, x, samples.q_dot)[0])


def _standing(model: Model, samples: Samples | State) -> State:
    """A linkage's own states: the nearest to those that are meant, moving as nearly alike as its loops allow."""
    still = samples.x_dot if samples.x_dot is not None else np.zeros_like(samples.x)
    z, z_dot = (np.concatenate(v, axis=-1) for v in ((samples.q, samples.x), (samples.q_dot, still)))
    z, gap = close(model, np.atleast_2d(z))
    _check_closed(model, gap)
    moving = [projected(model, *row) for row in zip(z, np.atleast_2d(z_dot), strict=True)]
    parts = (part for v in (z, np.array(moving)) for part in np.split(v.reshape(z_dot.shape), [model.nq], axis=-1))
    return State(*parts)


def _check_closed(model: Model, gap: Doubles) -> None:
    widest = float(gap.max(initial=0.0))
    if not widest <= GAP * model.scale:
        raise NoSolution(
            f"{model.name}: with these parameters the loops miss closing by {widest:.2g} m at a state compared"
        )


def answers(model: Model, samples: Samples, cuts: tuple[Cut, ...] = ()) -> dict[str, Doubles]:
    """Every quantity that is compared, by this package's kernels."""
    state = closed(model, samples)
    if model.linkage:
        return _forced(model, state, samples.tau)
    made = model.call("evaluate", q=state.q, x=state.x, q_dot=state.q_dot, q_ddot=samples.q_ddot)
    found = output(model, state, samples.q_ddot, made)
    for i, readout in enumerate(model.equations.readouts):
        for rate in RATES:
            found[readout.name + rate] = made["passive" + SUFFIX[rate]][:, i : i + 1]
    found |= {"M": made["M"].reshape(len(samples), -1), "c": made["c"], "efforts": made["tau"]}
    found |= {DRIVES: forward_dynamics(model, state, samples.tau).q_ddot}
    if cuts:
        found["loop forces"] = cut_forces(model, cuts, state, Motion(samples.q_ddot, made["x_ddot"], made["lam"]))
    found["kinetic energy"] = made["kinetic"][:, None]
    found["potential energy"] = (made["potential"] - made["potential"][0])[:, None]
    return found


def _forced(model: Model, state: State, tau: Doubles) -> dict[str, Doubles]:
    """What a linkage does under efforts: its drives' accelerations alone do not say how it moves."""
    motion, stored = forward_dynamics(model, state, tau), energy(model, state)
    found = output(model, state, motion.q_ddot, {"x_dot": state.x_dot, "x_ddot": motion.x_ddot})
    found |= {DRIVES: motion.q_ddot, "kinetic energy": stored.kinetic[:, None]}
    return found | {"potential energy": (stored.potential - stored.potential[0])[:, None]}


DRIVES = "drives' accelerations"
RATES = ("", " velocity", " acceleration")
SUFFIX = {"": "", " velocity": "_dot", " acceleration": "_ddot"}


def output(model: Model, state: State, q_ddot: Doubles, made: Mapping[str, Doubles]) -> dict[str, Doubles]:
    """The output's lengths and angles with their rates; without closures those of the last point drawn."""
    if not model.nx:
        return dict(zip((f"{far_point(model)}{rate}" for rate in RATES), _point(model, state, q_ddot), strict=True))
    found = {}
    for rate, values in zip(RATES, _principal(model, (state.x, made["x_dot"], made["x_ddot"])), strict=True):
        for unit, name in (("m", "output"), ("rad", "output angle")):
            chosen = [i for i, c in enumerate(model.equations.x) if c.unit == unit]
            if chosen:
                found[name + rate] = values[:, chosen]
    return found


def _principal(model: Model, x: Jet) -> Jet:
    """x and its rates with every body's pitch within ±90°, as it is read from an engine's places."""
    rolls = model.mechanism.orientations.values() if model.mechanism is not None else ()
    names = [c.name for c in model.equations.x]
    made = tuple(v.copy() for v in x)
    for three in rolls:
        columns = [names.index(name) for name in three]
        for v, new in zip(made, principal(tuple(v[:, columns] for v in x)), strict=True):  # type: ignore[arg-type]
            v[:, columns] = new
    return made  # type: ignore[return-value]


def far_point(model: Model) -> str:
    """The point that stands for the output of a robot without closures."""
    return model.equations.points[-1][0]


def _point(model: Model, state: State, q_ddot: Doubles) -> list[Doubles]:
    """Position, velocity and acceleration of the far point by differentiating its expression."""
    eq = model.equations
    place = eq.points[-1][1]
    velocity = [_rate(eq, e) for e in place]
    known: dict[str, object] = dict(model.values)
    for i, c in enumerate(eq.q):
        known |= {c.name: state.q[:, i], c.rate.name: state.q_dot[:, i]}
    slopes = [gradient(e, [c.name for c in eq.q]) for e in place]
    drift = [
        total(g * c.rate for g, c in zip(gradient(e, [c.name for c in eq.q]), eq.q, strict=True)) for e in velocity
    ]
    n = len(state.q)
    along = np.stack([_numbers(row, known, n) for row in slopes], axis=-2)  # (n, 3, nq)
    there, moving, turning = (_numbers(row, known, n) for row in (place, velocity, drift))
    return [there, moving, np.einsum("nij,nj->ni", along, q_ddot) + turning]


def _rate(eq: Equations, e: Expr) -> Expr:
    return total(g * c.rate for g, c in zip(gradient(e, [c.name for c in eq.q]), eq.q, strict=True))


def _numbers(exprs: Sequence[Expr], known: Mapping[str, object], n: int) -> Doubles:
    values = evaluate_all(exprs, known, NUMPY)
    return np.stack([np.broadcast_to(np.asarray(v, dtype=np.float64), (n,)) for v in values], axis=-1)


def units(model: Model, names: Sequence[str]) -> dict[str, str]:
    """The unit of each quantity."""
    per = {"": "", " velocity": "/s", " acceleration": "/s²"}
    drives = sorted({c.unit for c in model.equations.q})
    effort = ", ".join({"m": "N", "rad": "N m"}[u] for u in drives)
    known = {"M": "SI", "c": effort, "efforts": effort, "kinetic energy": "J", "potential energy": "J"}
    known |= {"loop forces": "N", DRIVES: ", ".join(f"{u}/s²" for u in drives)}
    for rate, mark in per.items():
        known |= {f"{name}{rate}": ", ".join(u + mark for u in drives) for name in ("drives", "drives from output")}
        angles = [r.name for r in model.equations.readouts] + ["output angle"]
        known |= {f"{name}{rate}": f"rad{mark}" for name in angles}
    rates = {name: next((r for r in per if r and name.endswith(r)), "") for name in names}
    return {name: known.get(name, f"m{per[rates[name]]}") for name in names}
