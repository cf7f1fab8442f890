"""The rotary inverted (Furuta) pendulum of seed 003, driven by a DC motor's voltage, and two other makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from closedchain.describe import Coordinate, Equations, Motor, Parameter, cos, robot, sin

SEED = "seed 003"

# Every parameter of the other makes is set, so that none of the seed's machine is left in them.
QUBE = {"J_1": 0.095 * 0.085**2 / 12, "m_1": 0.095, "c_1": 0.0, "L_1": 0.085, "m_2": 0.024, "c_2": 0.129 / 2}
QUBE |= {"J_2": 0.024 * 0.129**2 / 12, "J_2x": 0.0, "L_2": 0.129, "b_1": 0.0, "b_2": 0.0, "g": 9.81}
QUBE |= {"R_a": 8.4, "k_t": 0.042, "k_v": 0.042, "k_r": 1.0, "J_m": 0.0, "up": 1.0, "sense": -1.0}
PRIME = {"J_1": 0.0248, "m_1": 0.3, "c_1": 0.15, "L_1": 0.278, "m_2": 0.075, "c_2": 0.148}
PRIME |= {"J_2": 0.00386, "J_2x": 0.0, "L_2": 0.3, "b_1": 1e-4, "b_2": 2.8e-4, "g": 9.81}
PRIME |= {"R_a": 1.0, "k_t": 0.0, "k_v": 0.0, "k_r": 1.0, "J_m": 0.0, "up": -1.0, "sense": 1.0}  # no motor is given


@robot(presets={"hanging": {"up": -1.0}, "qube": QUBE, "cazzolato-prime": PRIME})
def furuta(
    J_1=Parameter(
        0.0044, "kg m^2", SEED, about="inertia of the arm about its centre (the seed's J1 is about the axis)"
    ),
    m_1=Parameter(0.0, "kg", "within J_1 in seed 003", about="mass of the arm"),
    c_1=Parameter(0.0, "m", "within J_1 in seed 003", about="arm's centre, from the axis"),
    L_1=Parameter(0.2, "m", f"{SEED}, l1 + l2'", about="arm's length, axis to pendulum"),
    m_2=Parameter(0.14, "kg", SEED, about="mass of the pendulum"),
    c_2=Parameter(0.15, "m", SEED, about="pendulum's centre, from its joint"),
    J_2=Parameter(
        0.14 * 0.3**2 / 12, "kg m^2", f"{SEED}: a uniform rod", about="inertia of the pendulum across, about its centre"
    ),
    J_2x=Parameter(0.0, "kg m^2", f"{SEED}: a thin rod", about="inertia of the pendulum about its own line"),
    L_2=Parameter(0.3, "m", SEED, about="pendulum's length, for drawing"),
    b_1=Parameter(0.015, "N m s/rad", SEED, about="viscous friction of the arm"),
    b_2=Parameter(
        0.002, "N m s/rad", f"{SEED}, typed code (the handwriting says 0.007)", about="viscous friction of the pendulum"
    ),
    g=Parameter(9.81, "m/s^2", SEED, about="gravity"),
    R_a=Parameter(2.6, "ohm", SEED, about="motor's resistance"),
    k_t=Parameter(0.00767, "N m/A", SEED, about="motor's torque constant"),
    k_v=Parameter(0.00767, "V s/rad", SEED, about="motor's back-EMF constant"),
    k_r=Parameter(70.0, "", SEED, about="gearbox ratio"),
    J_m=Parameter(0.0, "kg m^2", "not in seed 003", about="rotor's inertia, before the gearbox"),
    up=Parameter(
        1.0, "", "+1: q2 = 0 is upright (eq 3); -1: q2 = 0 hangs (the seed's eq 7 and code)", about="zero of q2"
    ),
    sense=Parameter(1.0, "", "+1: seed 003; -1: Quanser", about="sense in which q2 counts, seen from q1"),
):
    """An arm turned by a motor carries a pendulum that nothing drives.

    q2 = 0 is upright. `furuta:hanging` has the sign of gravity that seed 003 prints in eq 7: q2 = 0 hangs.
    `furuta:qube` has the numbers of the Quanser QUBE-Servo workbook, `furuta:cazzolato-prime` those of
    Cazzolato & Prime 2011, doi 10.1155/2011/528341.
    """
    q1, q2 = Coordinate("q1", "rad"), Coordinate("q2", "rad")
    s, c = sin(q2.symbol), cos(q2.symbol)
    w1, w2 = q1.rate, q2.rate
    arm = (J_1 + m_1 * c_1**2) * w1**2 / 2
    # the pendulum's centre moves sideways with the arm and its own swing, outwards and upwards with its swing alone
    centre = (L_1 * w1 + sense * c_2 * c * w2) ** 2 + (c_2 * s) ** 2 * (w1**2 + w2**2)
    pendulum = m_2 * centre / 2 + J_2 * (w2**2 + s**2 * w1**2) / 2 + J_2x * c**2 * w1**2 / 2
    elbow = (L_1 * cos(q1.symbol), L_1 * sin(q1.symbol), 0 * g)
    swing = sense * L_2 * s
    tip = (elbow[0] - swing * sin(q1.symbol), elbow[1] + swing * cos(q1.symbol), up * L_2 * c)
    return Equations(
        "furuta",
        parameters=(J_1, m_1, c_1, L_1, m_2, c_2, J_2, J_2x, L_2, b_1, b_2, g, R_a, k_t, k_v, k_r, J_m, up, sense),
        q=(q1, q2),
        driven=("q1",),
        kinetic=arm + pendulum,
        potential=up * m_2 * g * c_2 * c,
        dissipation=b_1 * w1**2 / 2 + b_2 * w2**2 / 2,
        motors=(Motor("q1", resistance=R_a, kt=k_t, kv=k_v, ratio=k_r, inertia=J_m),),
        points=(("O", (0 * g, 0 * g, 0 * g)), ("E", elbow), ("P", tip)),
        lines=(("O", "E"), ("E", "P")),
    )


class HasValues(Protocol):
    """A model whose parameters have numbers."""

    @property
    def values(self) -> dict[str, float]: ...


@dataclass(frozen=True)
class SeedForm:
    """M q̈ + C q̇ + friction + gravity = (v, 0) in volts, as seed 003 writes it (eqs 1-8)."""

    theta: NDArray[np.float64]  # (6,)  θ1…θ6
    M: NDArray[np.float64]  # (*batch, 2, 2)
    C: NDArray[np.float64]  # (*batch, 2, 2) Christoffel's: Ṁ − 2C is skew
    C_code: NDArray[np.float64]  # (*batch, 2, 2) the seed's code: same C q̇, with θ6 inside
    friction: NDArray[np.float64]  # (*batch, 2) with θ6, to go with C
    gravity: NDArray[np.float64]  # (*batch, 2)


def seed_form(model: HasValues, q: ArrayLike, q_dot: ArrayLike) -> SeedForm:
    """The seed's θ's and matrices for any set of parameters with a motor."""
    v = model.values
    scale = v["R_a"] / (v["k_r"] * v["k_t"])  # [V/(N m)]
    q, q_dot = np.asarray(q, float), np.asarray(q_dot, float)
    s, c = np.sin(q[..., 1]), np.cos(q[..., 1])
    w1, w2 = q_dot[..., 0], q_dot[..., 1]
    along = v["m_2"] * v["c_2"] ** 2 + v["J_2"]
    theta = scale * np.array(
        [
            v["J_1"] + v["m_1"] * v["c_1"] ** 2 + v["k_r"] ** 2 * v["J_m"] + v["m_2"] * v["L_1"] ** 2,
            along,
            v["sense"] * v["m_2"] * v["L_1"] * v["c_2"],
            v["m_2"] * v["c_2"],
            v["b_1"] + v["k_r"] * v["k_v"] / scale,
            v["b_2"],
        ]
    )
    t1, t2, t3, t4, t5, t6 = theta
    t1, swing = t1 + scale * v["J_2x"] * c**2, t2 - scale * v["J_2x"]  # an axial inertia acts where the rod is upright
    zero = np.zeros_like(s)
    M = _matrix(t1 + t2 * s**2, t3 * c, t3 * c, t2 + zero)
    C = _matrix(swing * s * c * w2, swing * s * c * w1 - t3 * s * w2, -swing * s * c * w1, zero)
    C_code = _matrix(2 * swing * s * c * w2, -t3 * s * w2, -swing * s * c * w1, t6 + zero)
    friction = np.stack([t5 * w1, t6 * w2], axis=-1)
    gravity = np.stack([zero, -v["up"] * t4 * v["g"] * s], axis=-1)
    return SeedForm(theta, M, C, C_code, friction, gravity)


def _matrix(
    a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64], d: NDArray[np.float64]
) -> NDArray[np.float64]:
    return np.stack([np.stack([a, b], axis=-1), np.stack([c, d], axis=-1)], axis=-2)
