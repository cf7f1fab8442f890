"""Laws of geometry and kinematics: what the kernels say against the closures alone, and against closed forms.

Rates and accelerations are not compared with solved positions, whose error the condition of the closures enlarges, but
put back into the closures: φ̇, the derivative of φ along ż, vanishes, and so does φ̈, its derivative along z̈ with its
second one along ż. They are taken by differences over steps in which no coordinate moves further than STEP of its size.
Closures are polynomials of points and of sines and cosines, so that six-point differences are then good to about 1e-11.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.expressions import is_number
from closedchain.model.geometry import direct, inverse
from closedchain.model.joint_limits import keeping
from closedchain.model.model import Model, NoClosedForm
from closedchain.model.orientation import matrices, vectors_of
from closedchain.model.renaming import other_names
from closedchain.policy import CRITICAL
from closedchain.verify.conditions import EPS, inverse_condition, rounding
from closedchain.verify.exact import readout_slopes
from closedchain.verify.trial import TINY, Law, Trial, law

STEP = 0.015
NODES = np.array([-3, -2, -1, 1, 2, 3])
SLOPES = np.array([-1, 9, -45, 45, -9, 1]) / 60  # f' from f(±1), f(±2), f(±3) steps
CURVES, CURVE_HERE = np.array([2, -27, 270, 270, -27, 2]) / 180, -490 / 180
SUMMED = 20.0  # eps of a closure's terms that its value may be off by, and the sum of six of them
FIRST, SECOND = 1e-9, 1e-8  # what differences of smooth closures leave
STILL = 1e-100  # [1/s] slower than this is not at all
SHARES = (1e-3, 1e-4, 1e-5)  # of a passive joint's own time
FOUND = 1e-7  # of the robot's size: closed forms lose half the digits where two solutions meet


def motion_laws(trial: Trial) -> Iterator[Law]:
    """The laws about positions, rates and accelerations."""
    model = trial.model
    if model.equations.closures:
        size = "linkage" if model.linkage else "robot"
        gap = model.call("closures", q=trial.state.q, x=trial.state.x)["gap"]
        yield law(f"closures: φ = 0 [of the {size}'s size]", np.abs(gap) / model.scale, 1e-12 + _closing(trial))
        yield _derivative("Φ: A and B are the derivatives of φ", trial, trial.v, slip=True)
    if model.nx and not model.linkage:
        yield from _closed_forms(trial)
        yield from _drives(trial)


def acceleration_law(trial: Trial) -> Law:
    """What forward dynamics gives keeps the loops closed."""
    name = "accelerations keep the loops closed: φ̈ = 0"
    return _second(name, trial, trial.state.z_dot, trial.z_ddot, rounding(trial.of_dynamics))


def _drives(trial: Trial) -> Iterator[Law]:
    """ẋ, ẍ and the passive joints' rates that follow from the drives'."""
    made, s = trial.evaluated, trial.state
    z_dot = np.concatenate([s.q_dot, made["x_dot"]], axis=-1)
    z_ddot = np.concatenate([trial.q_ddot, made["x_ddot"]], axis=-1)
    solved = rounding(trial.of_closures)
    yield _derivative("J: ẋ = J q̇ is the derivative of x(q)", trial, z_dot, solved=solved)
    yield _second("b: ẍ = J q̈ + b is the derivative of ẋ", trial, z_dot, z_ddot, solved)
    if "passive_dot" in made:
        yield from _passive(trial, z_dot, z_ddot, solved)
    yield from _outputs(trial, solved)


def _outputs(trial: Trial, solved: Doubles) -> Iterator[Law]:
    """The drives' rates and accelerations that follow from those of the output, which the drives made; φ̈ has both."""
    made, s = trial.evaluated, trial.state
    found = trial.model.call("inverse_rates", q=s.q, x=s.x, x_dot=made["x_dot"], x_ddot=made["x_ddot"])
    margin = np.nan_to_num(found["margin"])
    if not (margin > CRITICAL).any():
        return  # the output's own motion tells those of the drives nowhere
    q_dot, q_ddot = (np.nan_to_num(found[name], posinf=0.0, neginf=0.0) for name in ("q_dot", "q_ddot"))
    doubt = solved + rounding(1 / np.maximum(margin, TINY))  # at Type 1 nothing is told
    z_dot, z_ddot = (np.concatenate(pair, axis=-1) for pair in ((q_dot, made["x_dot"]), (q_ddot, made["x_ddot"])))
    yield _second("inverse: q̈ of ẍ is the derivative of q̇", trial, z_dot, z_ddot, doubt)


def _passive(trial: Trial, z_dot: Doubles, z_ddot: Doubles, solved: Doubles) -> Iterator[Law]:
    """Passive joints' rates beside differences of their values, and accelerations beside differences of rates.

    Two central differences are extrapolated over a share of the time in which the fastest joint moves by its own size.
    A bar that shortens as it turns has a shorter time of its own, so that several shares are tried: a right rate is met
    at one of them, a wrong one at none.
    """
    model, n, z = trial.model, trial.model.nq, trial.state.z
    slopes = readout_slopes(model, z)  # (n, readouts, nz)
    speed = np.abs(slopes * z_dot[:, None, :]).sum(axis=-1).max(axis=-1)
    pull = np.abs(slopes * z_ddot[:, None, :]).sum(axis=-1).max(axis=-1)
    whole = (np.abs(z_dot) / trial.sizes).max(axis=-1)  # a joint that hardly moves is measured by the robot's own time
    pace = np.maximum(np.maximum(speed, np.sqrt(pull)), np.maximum(1e-6 * whole, STILL))[:, None]
    noise = np.pi + np.abs(slopes * z[:, None, :]).sum(axis=-1).max(axis=-1, keepdims=True)
    turns = np.array([readout.unit == "rad" for readout in model.equations.readouts])

    def at(h: Doubles) -> dict[str, Doubles]:
        where, rate = z + h * z_dot + h**2 / 2 * z_ddot, z_dot + h * z_ddot
        given = {"q": where[:, :n], "x": where[:, n:], "q_dot": rate[:, :n], "x_dot": rate[:, n:]}
        return model.call("readings", **given, z_ddot=z_ddot)

    here = at(0 * pace)
    names = {"passive": "rates", "passive_dot": "accelerations"}
    best = {name: (np.full(here[name].shape, np.inf), np.ones(here[name].shape)) for name in names}
    for share in SHARES:
        h, limit = share / pace, 1e-8 + solved[:, None] + 16 * EPS / share * noise
        near, far = [(at(s * h), at(-s * h)) for s in (0.5, 1.0)]
        for name, size in (("passive", pace), ("passive_dot", pace**2)):
            moved = [after[name] - before[name] for after, before in (near, far)]
            if name == "passive":
                moved = [np.where(turns, np.remainder(m + np.pi, 2 * np.pi) - np.pi, m) for m in moved]
            slope = (8 * moved[0] - moved[1]) / (6 * h)  # (4 · moved/h of the half step − moved/2h of the whole) / 3
            misfit = np.abs(slope - here[f"{name}_dot" if name == "passive" else "passive_ddot"]) / size
            better = misfit / limit < best[name][0] / best[name][1]
            best[name] = np.where(better, misfit, best[name][0]), np.where(better, limit, best[name][1])
    for name, word in names.items():
        yield law(f"passive joints: their {word} are derivatives", *best[name])


# Differences of closures ---------------------------------------------------------------------------


def _derivative(name: str, trial: Trial, z_dot: Doubles, *, solved: Doubles | float = 0.0, slip: bool = False) -> Law:
    """φ̇ along ż by differences: 0, or Φ ż for velocities that ignore the loops; relative to Σ |Φ_ij ż_j|."""
    rate, noise = _slope(trial, z_dot)
    terms = trial.Phi * z_dot[:, None, :]
    size = np.maximum(np.abs(terms).sum(axis=-1), TINY)
    misfit = np.abs(rate - (terms.sum(axis=-1) if slip else 0.0))
    return _of_size(name, misfit, noise, size, FIRST + np.asarray(solved)[..., None])


def _second(name: str, trial: Trial, z_dot: Doubles, z_ddot: Doubles, solved: Doubles) -> Law:
    """φ̈ = Φ z̈ + what the velocities make, each by differences along its own line; relative to the sum of sizes."""
    slope, noise = _slope(trial, z_ddot)
    curve, more = _curve(trial, z_dot)
    size = np.maximum(np.abs(trial.Phi * z_ddot[:, None, :]).sum(axis=-1) + np.abs(curve), TINY)
    usual = (
        np.abs(trial.Phi * trial.sizes).sum(axis=-1) * trial.pace[:, None] ** 2
    )  # where forces hold each other still
    return _of_size(name, np.abs(slope + curve), noise + more + solved[:, None] * usual, size, SECOND + solved[:, None])


def _of_size(name: str, misfit: Doubles, noise: Doubles, size: Doubles, limit: Doubles) -> Law:
    """Both relative to a law's terms; where these vanish, as of a closure that does not move, nothing is told."""
    with np.errstate(over="ignore"):
        return law(name, misfit / size, limit + noise / size)


def _slope(trial: Trial, direction: Doubles) -> tuple[Doubles, Doubles]:
    """The derivative of φ along a direction, and what rounding may add to it, (n, closures)."""
    h, phi = _along(trial, direction)
    return np.einsum("k,kij->ij", SLOPES, phi) / h, SUMMED * EPS * _magnitudes(trial) / h


def _curve(trial: Trial, direction: Doubles) -> tuple[Doubles, Doubles]:
    """The second derivative of φ along a direction, and what rounding may add to it, (n, closures)."""
    h, phi = _along(trial, direction)
    here = CURVE_HERE * _phi(trial.model, trial.state.z)
    return (np.einsum("k,kij->ij", CURVES, phi) + here) / h**2, SUMMED * EPS * _magnitudes(trial) / h**2


def _along(trial: Trial, direction: Doubles) -> tuple[Doubles, Doubles]:
    """A step in which no coordinate moves further than STEP of its size, (n, 1), and φ at ±1, ±2, ±3 of them."""
    h = STEP / np.maximum(np.abs(direction / trial.sizes).max(axis=-1, keepdims=True), STILL)
    return h, np.array([_phi(trial.model, trial.state.z + k * h * direction) for k in NODES])


def _phi(model: Model, z: Doubles) -> Doubles:
    return model.call("closures", q=z[:, : model.nq], x=z[:, model.nq :])["phi"]


def _magnitudes(trial: Trial) -> Doubles:
    """How large the terms are that a closure is the difference of: squared lengths, or for a pin or rail lengths."""
    model, z = trial.model, trial.state.z
    lengths = [i for i, c in enumerate(model.equations.z) if c.unit == "m"]
    far = model.scale + np.abs(z[:, lengths]).max(axis=-1, initial=0.0)
    linear = np.array([is_number(c.length, 0.0) for c in model.equations.closures])
    return np.where(linear, far[:, None], far[:, None] ** 2)


def _closing(trial: Trial) -> Doubles:
    """The gap, of the robot's size, that the rounding of φ leaves: of a short bar it is wider."""
    slope = np.linalg.norm(trial.Phi * trial.sizes, axis=-1)
    return np.asarray(SUMMED * EPS * _magnitudes(trial) / np.maximum(slope, TINY))


# Closed forms --------------------------------------------------------------------------------------


def _closed_forms(trial: Trial) -> Iterator[Law]:
    """Direct and inverse geometry find the configuration that iteration found."""
    model, s = trial.model, trial.state
    limit = FOUND + rounding(trial.of_closures**2)
    try:
        found = direct(model, s.q)
        yield law(
            "direct geometry finds the configuration",
            _nearest(found.index, _apart(model, found.x, s.x[found.index]) / trial.sizes[model.nq :], len(s.q)),
            limit,
        )
        back = inverse(model, s.x)
        away = _turned_back(back.q - s.q[back.index], [c.unit == "rad" for c in model.equations.q])
        limited = bool(model.equations.limits)  # what is beyond a joint's limits is left out by inverse geometry
        within = keeping(model, s.q, s.x).within if limited else np.ones(len(s.q), bool)
        yield law(
            "inverse geometry finds the configuration",
            np.where(within, _nearest(back.index, away / trial.sizes[: model.nq], len(s.q)), 0.0),
            FOUND + rounding(np.minimum(inverse_condition(model, s.z), 1e12) ** 2),
        )
    except NoClosedForm:
        return


def _nearest(index: np.ndarray, away: Doubles, count: int) -> Doubles:
    """Of the rows found for each of `count` states the nearest one's largest difference."""
    nearest = np.full(count, np.inf)
    np.minimum.at(nearest, index, np.abs(away).max(axis=-1))
    return nearest


def _apart(model: Model, x: Doubles, wanted: Doubles) -> Doubles:
    """How far outputs are apart, row by row: angles modulo a turn, orientations by the rotation from one to the other.

    Roll, pitch and yaw name each orientation twice, and close to an upright pitch tell two near ones far apart.
    """
    away = _turned_back(x - wanted, [c.unit == "rad" for c in model.equations.x])
    for other in other_names(model, x):  # a place that has several names is told by one of them
        named = _turned_back(other - wanted, [c.unit == "rad" for c in model.equations.x])
        nearer = np.abs(named).max(axis=-1) < np.abs(away).max(axis=-1)
        away[nearer] = named[nearer]
    names = [c.name for c in model.equations.x]
    for angles in model.mechanism.orientations.values() if model.mechanism else ():
        columns = [names.index(name) for name in angles]
        here, there = matrices(x[:, columns]), matrices(wanted[:, columns])
        away[:, columns] = vectors_of(np.swapaxes(there, -1, -2) @ here)
    return away


def _turned_back(away: Doubles, turns: list[bool]) -> Doubles:
    """Differences of angles within half a turn."""
    return np.where(turns, (away + np.pi) % (2 * np.pi) - np.pi, away)
