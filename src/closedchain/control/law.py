"""What a controller is: samples of its reference, gains, and a law that turns a measured state into a command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, NoSolution
from closedchain.model.closing import open_by
from closedchain.model.evaluation import evaluate
from closedchain.model.follow import follow
from closedchain.model.geometry import inverse
from closedchain.model.kinematics import inverse_rates, output_rates
from closedchain.model.measured import Measured
from closedchain.model.model import Model
from closedchain.model.state import choose
from closedchain.policy import EDGE, GAP


class Reference(Protocol):
    """A motion to follow: t → its position, velocity and acceleration, in output or joint space."""

    @property
    def duration(self) -> float: ...
    @property
    def space(self) -> str: ...
    def __call__(self, t: Any) -> Any: ...


class Law(Protocol):
    """A controller that can be compiled into the loop; one that inherits it writes `law` and whatever else differs."""

    output: str | None = (
        None  # what it commands: "tau", "voltage" or "velocity"; where there is a motor it must be said
    )

    @property
    def key(self) -> str:
        """What runs under it are called."""
        return type(self).__name__

    @property
    def gains(self) -> Doubles:
        """Numbers of the law that may vary between rollouts."""
        return np.zeros(0)

    def fields(self, model: Model) -> tuple[tuple[str, int], ...]:
        """Names and sizes of what the law reads of its reference."""
        return ()

    def samples(self, model: Model, t: Doubles, interval: float) -> Doubles:
        """The reference at the control instants, (T, sum of sizes)."""
        return np.zeros((len(t), 0))

    def memory(self, model: Model) -> Mapping[str, ArrayLike]:
        """What the law keeps from one command to the next, by name: numbers as they are at the beginning."""
        return {}

    def law(self, measured: Measured, reference: Any, gains: Any) -> Any:
        """The command; of a law with memory, the command and {name: what is kept}."""
        ...


def joint_samples(
    model: Model, reference: Reference, working: str | None, t: Doubles, acceleration: float = 1.0
) -> tuple[Doubles, Doubles, Doubles]:
    """q, q̇ and q̈ at the instants, of a reference in joint space or in output space on a working mode.

    `acceleration` multiplies the reference's own: 0 leaves it out.
    """
    found = reference(t)
    if reference.space == "joint":
        return found.x, found.x_dot, acceleration * found.x_ddot
    if found.x.shape[-1] < model.nx:
        return _followed(model, found, working, acceleration)
    q = drives_at(model, found.x, working)
    angles = [i for i, c in enumerate(model.equations.q) if c.unit == "rad"]
    q[:, angles] = np.unwrap(q[:, angles], axis=0)
    q_dot, q_ddot = inverse_rates(model, q, found.x, found.x_dot, acceleration * found.x_ddot)
    return q, q_dot, q_ddot


def _followed(model: Model, found: Any, working: str | None, acceleration: float) -> tuple[Doubles, Doubles, Doubles]:
    """The same where the reference is of the output alone and other bodies follow from it: along one branch."""
    way = follow(model, x=found.x, working=working)
    if not way.complete:
        raise NoSolution(f"{model.name}: the branch of the reference ends at {way.ended}; change the path, or the mode")
    z_dot, z_ddot = output_rates(model, way.q, way.x, found.x_dot, acceleration * found.x_ddot)
    return way.q, z_dot[:, : model.nq], z_ddot[:, : model.nq]


def drives_at(model: Model, x: Doubles, working: str | None) -> Doubles:
    """q on one working mode, (T, nq); the other modes are looked at only where this one is at its end, to say so."""
    chosen = np.flatnonzero(model.leg_signs)
    name = working if working is not None else "+" * len(chosen)
    if chosen.size and len(name) == len(chosen) and set(name) <= {"+", "-"}:
        sigma = np.ones(len(model.legs))
        sigma[chosen] = [1.0 if sign == "+" else -1.0 for sign in name]
        made = model.call("inverse", x=x, sigma=sigma)
        gap = open_by(model, made["q"], x).max(initial=0.0)
        if (made["slack"] > EDGE * model.scale).all() and gap <= GAP * model.scale:
            return made["q"]
    solutions = inverse(model, x)
    return solutions.unwrap(choose(model, solutions, working))


def efforts_along(model: Model, reference: Reference, working: str | None, t: Doubles) -> Doubles:
    """The efforts that make the reference motion."""
    found = reference(t)
    if reference.space == "joint":
        return evaluate(model, q=found.x, q_dot=found.x_dot, q_ddot=found.x_ddot).tau
    return evaluate(model, x=found.x, x_dot=found.x_dot, x_ddot=found.x_ddot, working=working).tau


def check_gains(**gains: Any) -> None:
    """Refuse what would drive the error away."""
    for name, value in gains.items():
        if not (np.asarray(value) >= 0.0).all():
            raise BadInput(
                f"gain {name} = {value} is negative: the loop would drive the error away; use a positive one"
            )


def check_output(law: Any, *known: str) -> None:
    """Refuse a law that is told to call its command something else than what it computes."""
    if law.output not in known:
        made = " or ".join(map(repr, known))
        raise BadInput(f"{type(law).__name__} commands {made}, not {law.output!r:.30}")


def check_driven(model: Model) -> None:
    """Refuse a law that commands every joint where nothing drives one."""
    free = [c.name for c in model.equations.q if c.name not in model.equations.driven]
    if free:
        raise BadInput(
            f"{model.name}: nothing drives {', '.join(free)}, this law commands every joint; use a regulator"
        )


def per_joint(gain: Any, n: int) -> Doubles:
    """A gain for each joint, from one number or n."""
    return np.broadcast_to(np.asarray(gain, dtype=np.float64), (n,)).copy()
