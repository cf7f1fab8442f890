"""How singular a configuration is, of which type, and what moves, what is lost and what cannot be carried there.

Motions are measured in metres: the turning of a plate or a body counts by the characteristic length ℓ, the root mean
square distance of its joints from their middle, and a crank's angle by its arm. Each closure's row is divided by twice
its leg's length: A's rows are then the legs' unit lines. All singular values below are of these matrices, and none
depends on a unit.

A body of space moves by a twist: the velocity of its origin and its angular velocity in the ground's axes stand where
its x, y, z and roll, pitch, yaw do, and a wrench is a force and a moment about that origin. So nothing depends on which
three angles tell an orientation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from closedchain.arrays import Doubles
from closedchain.derive.structure import legs
from closedchain.describe.elements import Body, Crank, Plate
from closedchain.errors import BadInput, numbers
from closedchain.model.configurations import Configurations
from closedchain.model.levers import body_length, levers
from closedchain.model.model import Model
from closedchain.model.orientation import spins
from closedchain.model.poses import output_poses
from closedchain.model.state import State, place, standing
from closedchain.policy import CRITICAL
from closedchain.singularity.screws import Screw, screw

SHORT = 1e-3  # of the robot's size: a telescope's row is not divided by less
SHARE = 1e-6  # of the largest: smaller parts of a combination of closures are none
TURNING = 1e-12  # of a unit twist: below it a plate's motion is a translation


@dataclass(frozen=True, eq=False)
class Singularities:
    """Every kind of singularity at a configuration, or at a batch; margins are 1 at best, 0 when singular."""

    robot: str
    leg_names: tuple[str, ...]
    q: Doubles  # (*b, nq)
    x: Doubles  # (*b, nx)
    length: float  # [m] ℓ by which a plate's angle or a body's turning counts; 1 for a point
    # Type 1 (serial): B loses rank, the output loses a motion
    serial: Doubles  # (*b,) σ_min of B
    legs: Doubles  # (*b, legs) |sine| between a leg and what its drive can do: 0 names the leg
    idle_motion: Doubles  # (*b, nq) unit drives' motion that leaves the output at rest when singular
    lost_motion: Doubles  # (*b, nx) unit direction along which the output cannot move when singular
    # Type 2 (parallel): A loses rank, the output moves with locked drives
    parallel: Doubles  # (*b,) σ_min / σ_max of A
    singular_value: Doubles  # (*b,) σ_min of A
    free_motion: Doubles  # (*b, nx) unit motion of the output with locked drives when singular
    centre: Doubles | None  # (*b, 2) [m] about which a plate then turns; infinite for a translation; None for a point
    passive_motion: Doubles  # (*b, readouts) the passive joints' rates with it
    unresisted: Doubles  # (*b, nx) unit wrench that no effort carries when singular
    internal: Doubles  # (*b, closures) unit multipliers that grow without bound as it is approached
    internal_efforts: Doubles  # (*b, nq) the drives' share of them, τ = −Bᵀλ
    # constraint (Type 3): Φ = [B A] loses rank
    constraint: Doubles  # (*b,) σ_min / σ_max of Φ
    dependent: Doubles  # (*b, closures) unit combination of the closures that vanishes there
    closure_names: tuple[str, ...]
    # J = −A⁻¹B, with the drives' rates in their own units
    velocity_radii: Doubles  # (*b, min(nx, nq)) semi-axes of {ẋ : |q̇| ≤ 1}; infinite at Type 2
    axes: Doubles  # (*b, nx, min(nx, nq)) their unit directions in metres, one per column
    dynamic: Doubles  # (*b,) smallest pivot of the dynamic model: 0 where its accelerations do not exist
    # of an output that is a body of space
    free_screw: Screw | None  # of the free motion
    wrench_screw: Screw | None  # of the wrench that is not carried; of a free body

    @property
    def force_radii(self) -> Doubles:
        """Semi-axes of {f : |τ| ≤ 1}, along the same axes: 0 at Type 2, infinite at Type 1."""
        with np.errstate(divide="ignore"):
            return np.asarray(1.0 / self.velocity_radii)

    @property
    def per_turn(self) -> Doubles | None:
        """A plate's free motion per unit of turn, (*b, 3); infinite for a translation; None for a point."""
        if self.centre is None:
            return None
        x, y = self.x[..., 0], self.x[..., 1]
        with np.errstate(invalid="ignore"):
            return np.stack([self.centre[..., 1] - y, x - self.centre[..., 0], np.ones_like(x)], axis=-1)

    @property
    def kinds(self) -> tuple[str, ...]:
        """What a single configuration is: "type 1", "type 2", "constraint"; empty when regular."""
        margins = {"type 1": self.serial, "type 2": self.parallel, "constraint": self.constraint}
        return tuple(name for name, margin in margins.items() if bool(np.all(margin < CRITICAL)))

    @property
    def dependent_closures(self) -> tuple[str, ...]:
        """The closures that depend on one another at a constraint singularity, of a single configuration."""
        shares = np.abs(self.dependent) if "constraint" in self.kinds else np.zeros(0)
        return tuple(n for n, share in zip(self.closure_names, shares, strict=False) if share > SHARE * shares.max())

    @property
    def singular_legs(self) -> tuple[str, ...]:
        """The legs that are at their ends in a single configuration."""
        small = np.atleast_1d(np.all(self.legs < CRITICAL, axis=tuple(range(self.legs.ndim - 1))))
        return tuple(name for name, end in zip(self.leg_names, small, strict=True) if end)

    def __str__(self) -> str:
        if self.x.ndim > 1:
            least = ", ".join(f"{n} {float(np.min(v)):.3g}" for n, v in self._margins().items())
            return f"{self.robot}: {self.x.shape[:-1]} configurations; smallest margins: {least}"
        lines = [f"{self.robot} at x {numbers(self.x)}, q {numbers(self.q)}: {', '.join(self.kinds) or 'regular'}"]
        lines += [f"  {name:<10} margin {float(value):.3e}" for name, value in self._margins().items()]
        lines += [f"  legs       {', '.join(f'{n} {v:.3g}' for n, v in zip(self.leg_names, self.legs, strict=True))}"]
        if "type 2" in self.kinds:
            lines.append(f"  free motion {numbers(self.free_motion)}, not resisted {numbers(self.unresisted)}")
        if "type 1" in self.kinds:
            lines.append(f"  lost motion {numbers(self.lost_motion)}, idle drives {numbers(self.idle_motion)}")
        return "\n".join(lines)

    def _margins(self) -> dict[str, Doubles]:
        return {"type 1": self.serial, "type 2": self.parallel, "constraint": self.constraint, "dynamic": self.dynamic}


def singularities(
    model: Model,
    *,
    q: ArrayLike | None = None,
    x: ArrayLike | None = None,
    assembly: str | None = None,
    working: str | None = None,
    state: State | None = None,
) -> Singularities:
    """Every kind of singularity with the drives at q (and an assembly mode), the output at x (and a working mode), or
    at a known configuration: q and x together, or `state`."""
    if not model.nx:
        raise BadInput(f"{model.name} has no closures, so it has no kinematic singularities")
    at = standing(model, state, q=q, x=x, assembly=assembly, working=working)
    if at is None and q is None and x is None:
        raise BadInput(f"{model.name}: a configuration needs q or x")
    q_, x_ = (at.q, at.x) if at is not None else place(model, q, x, assembly, working)
    batch = q_.shape[:-1]
    found = _singularities(model, q_.reshape(-1, model.nq), x_.reshape(-1, model.nx))
    return _shaped(found, batch)


def margins(model: Model, q: Doubles, x: Doubles) -> tuple[Doubles, Doubles]:
    """`serial` and `parallel` of `Singularities` alone, for rows (k, nq), (k, nx): (k,) each."""
    A, B = _in_metres(Configurations(model, q, x), *weights(model, q))
    sigma, b_sigma = (np.linalg.svd(matrix, compute_uv=False) for matrix in (A, B))
    return np.abs(b_sigma[:, -1]), sigma[:, -1] / sigma[:, 0]


def characteristic_length(model: Model) -> float:
    """ℓ: the root mean square distance of the output's joints from their middle [m]; 1 for a point."""
    mechanism = model.mechanism
    solid = mechanism is not None and isinstance(mechanism.output, Plate | Body)
    return body_length(model, mechanism.output) if mechanism and solid else 1.0


def weights(model: Model, q: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """([m] per unit of each q, [m] per unit of each x, each closure's row length (k, closures))."""
    drives = model.mechanism.drives if model.mechanism else ()
    arms = {d.name: model.number(d.radius) for d in drives if isinstance(d, Crank)}
    by_q = np.array([arms.get(c.name, 1.0) for c in model.equations.q])
    by_x = np.array([characteristic_length(model) if c.unit == "rad" else 1.0 for c in model.equations.x])
    if model.mechanism is not None and model.mechanism.solids:
        by_x = levers(model)
    names = {c.name: i for i, c in enumerate(model.equations.q)}
    rows = []
    for closure in model.equations.closures:
        if closure.name in names:  # a telescope's length is its drive
            rows.append(2 * np.maximum(np.abs(q[:, names[closure.name]]), SHORT * model.scale))
        else:
            rows.append(np.full(len(q), 2 * model.number(closure.length) or 1.0))
    return by_q, by_x, np.stack(rows, axis=-1)


def _singularities(model: Model, q: Doubles, x: Doubles) -> Singularities:
    rows = Configurations(model, q, x)
    by_q, by_x, by_row = weights(model, q)
    A, B = _in_metres(rows, by_q, by_x, by_row)
    left, sigma, right = np.linalg.svd(A)
    free = _unit(right[:, -1, :] / by_x)
    free = free * _orientation(free, _is_plate(model))[:, None]
    wrench = _unit(free * by_x**2)
    internal = _unit(left[:, :, -1] / by_row)
    internal = internal * _orientation(internal, False)[:, None]
    b_left, b_sigma, b_right = np.linalg.svd(B)
    lost = _unit(np.einsum("kij,ki->kj", A, b_left[:, :, model.nq - 1]) / by_x)
    idle = _unit(b_right[:, -1, :] / by_q)
    dependent, whole, _ = np.linalg.svd(np.concatenate([B, A], axis=-1), full_matrices=False)
    free_screw, wrench_screw = _screws(model, q, x, free, wrench)
    radii, axes = _ellipse(left, sigma, right, B * by_q)
    return Singularities(
        robot=model.name,
        leg_names=_leg_names(model),
        q=q,
        x=x,
        length=characteristic_length(model),
        serial=np.abs(b_sigma[:, -1]),
        legs=_leg_sines(model, rows, by_q, by_row),
        idle_motion=idle * _orientation(idle, False)[:, None],
        lost_motion=lost * _orientation(lost, _is_plate(model))[:, None],
        parallel=sigma[:, -1] / sigma[:, 0],
        singular_value=sigma[:, -1],
        free_motion=free,
        centre=_centre(x, free) if _is_plate(model) else None,
        passive_motion=_passive(model, q, x, free),
        unresisted=wrench,
        internal=internal,
        internal_efforts=-np.einsum("kij,ki->kj", rows.B, internal),
        constraint=whole[:, -1] / whole[:, 0],
        dependent=_unit(dependent[:, :, -1] / by_row),
        closure_names=tuple(c.name for c in model.equations.closures),
        velocity_radii=radii,
        axes=axes,
        dynamic=_dynamic(model, q, x),
        free_screw=free_screw,
        wrench_screw=wrench_screw,
    )


def _in_metres(rows: Configurations, by_q: Doubles, by_x: Doubles, by_row: Doubles) -> tuple[Doubles, Doubles]:
    """A and B of unit rows, with every coordinate in metres, (k, closures, n) each."""
    return rows.A_twist / by_row[..., None] / by_x, rows.B / by_row[..., None] / by_q


def _is_plate(model: Model) -> bool:
    return model.mechanism is not None and isinstance(model.mechanism.output, Plate)


def _leg_names(model: Model) -> tuple[str, ...]:
    """The legs, where each drive has one of its own."""
    return tuple(leg.name for leg in (legs(model.mechanism) if model.mechanism else None) or ())


def _leg_sines(model: Model, rows: Configurations, by_q: Doubles, by_row: Doubles) -> Doubles:
    """|B_ii| over twice the leg's length and the drive's arm."""
    if not _leg_names(model):
        return np.zeros((len(rows.q), 0))
    return np.asarray(np.abs(rows.leg_slopes()) / by_row[:, rows.leg_rows()] / by_q)


def _unit(v: Doubles) -> Doubles:
    """Rows of length one; a zero row stays zero."""
    size = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.asarray(v / np.where(size > 0.0, size, 1.0))


def _orientation(v: Doubles, plate: bool) -> Doubles:
    """±1 that makes a plate turn counter-clockwise, and else the largest component positive."""
    rows = np.arange(len(v))
    lead = v[rows, np.argmax(np.abs(v) > (1 - 1e-9) * np.abs(v).max(axis=-1, keepdims=True), axis=-1)]
    if plate:
        lead = np.where(np.abs(v[:, 2]) > TURNING, v[:, 2], lead)
    return np.where(lead < 0.0, -1.0, 1.0)


def _centre(x: Doubles, twist: Doubles) -> Doubles:
    """The point that stands still: (x − ẏ/φ̇, y + ẋ/φ̇)."""
    turn = np.where(np.abs(twist[:, 2]) > TURNING, twist[:, 2], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        offset = np.stack([-twist[:, 1], twist[:, 0]], axis=-1) / turn[:, None]
    return np.where(turn[:, None] == 0.0, np.inf, x[:, :2] + offset)


def _passive(model: Model, q: Doubles, x: Doubles, free: Doubles) -> Doubles:
    """The passive joints' rates in the free motion."""
    if not model.equations.readouts:
        return np.zeros((len(q), 0))
    state = {"q": q, "x": x, "q_dot": np.zeros_like(q), "x_dot": rates_of(model, x, free)}
    state["z_ddot"] = np.zeros((len(q), model.nq + model.nx))
    return model.call("readings", **state)["passive_dot"]


def rates_of(model: Model, x: Doubles, motion: Doubles) -> Doubles:
    """ẋ of a motion whose bodies in space turn by angular velocities; of least norm where a pitch is ±90°."""
    names = [c.name for c in model.equations.x]
    made = motion.copy()
    for turns in model.mechanism.orientations.values() if model.mechanism else ():
        own = [names.index(name) for name in turns]
        made[:, own] = np.einsum("kij,kj->ki", np.linalg.pinv(spins(x[:, own])), motion[:, own])
    return made


def _screws(model: Model, q: Doubles, x: Doubles, free: Doubles, wrench: Doubles) -> tuple[Screw | None, Screw | None]:
    """The free motion of an output in space as a screw and, where it is free, the wrench that is not carried."""
    poses = output_poses(model, q, x)
    if poses is None or model.mechanism is None or not isinstance(model.mechanism.output, Body):
        return None, None
    origin, length = poses.position, characteristic_length(model)
    if model.mechanism.output.joint is None:
        of_wrench = screw(wrench[:, :3], wrench[:, 3:6], origin, length)
        return screw(free[:, 3:6], free[:, :3], origin, length), of_wrench
    rates = {"q_dot": np.zeros_like(q), "x_dot": rates_of(model, x, free)}
    twist = model.call("twist", q=q, x=x, **rates)["twist"]
    return screw(twist[:, 3:], twist[:, :3], origin, length), None


def _ellipse(left: Doubles, sigma: Doubles, right: Doubles, B: Doubles) -> tuple[Doubles, Doubles]:
    """Radii and axes of J = −A⁻¹B; along a vanishing σ of A the radius is infinite."""
    n = min(B.shape[-2], B.shape[-1])
    regular = sigma[:, -1] > 4 * np.finfo(float).eps * sigma[:, 0]
    safe = np.where(regular[:, None], sigma, np.maximum(sigma, 1.0))
    J = -np.swapaxes(right, 1, 2) @ ((np.swapaxes(left, 1, 2) @ B) / safe[:, :, None])
    axes, radii, _ = np.linalg.svd(J, full_matrices=False)
    radii, axes = radii[:, :n], axes[:, :, :n]
    if (~regular).any():
        bad = np.nonzero(~regular)[0]
        radii[bad, 0], axes[bad, :, 0] = np.inf, right[bad, -1, :]
    return radii, axes


def _dynamic(model: Model, q: Doubles, x: Doubles) -> Doubles:
    """The smallest pivot of the KKT system at rest."""
    rest = {"q_dot": np.zeros_like(q), "x_dot": np.zeros_like(x), "tau": np.zeros((len(q), len(model.driven)))}
    margin: NDArray[np.float64] = model.call("forward_dynamics", q=q, x=x, **rest)["margin"]
    return np.where(np.isfinite(margin), np.maximum(margin, 0.0), 0.0)


def _shaped(found: Singularities, batch: tuple[int, ...]) -> Singularities:
    """The same with the batch's own axes in front."""
    return Singularities(**{name: _reshaped(value, batch) for name, value in vars(found).items()})


def _reshaped(value: Any, batch: tuple[int, ...]) -> Any:
    if isinstance(value, Screw):
        return Screw(**{name: _reshaped(part, batch) for name, part in vars(value).items()})
    return value.reshape((*batch, *value.shape[1:])) if isinstance(value, np.ndarray) else value
